"""A record as tables."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import geometric_mean
from typing import Any

from benchmarks.cpu.cases import FAST_PATH
from benchmarks.cpu.peers import PEERS, is_emitted
from benchmarks.tables import table

Record = dict[str, Any]


def tables(record: Record) -> str:
    """The whole record for a reader."""
    cases = record["cases"]
    own = [case for case in cases if case["layer"] == "layer_norm"]
    against = [case for case in own if case["dtype"] in WIDE]
    blocks = [_machine(record), "## Layer norm beside others", _METHOD]
    if against:
        blocks += [_means(against), _shapes(against)]
        blocks += ["### Memory", _memory(against)]
    if any("compiled" in case["peers"] for case in cases):
        blocks += ["## Compiled kernels", "![Compiled kernels](cpu_compiled.svg)", _COMPILED, _compiled(own)]
        blocks += ["### Every layer, compiled", _COMPILED_LAYERS, _compiled_layers(cases)]
    blocks += ["## Every layer", f"{_LAYERS} {_extent(cases)}", _layers(cases)]
    if record.get("import_seconds"):
        middle = record["import_seconds"][1]
        blocks += ["## Import", f"`import generated.layer_norm` takes {1e3 * middle:.0f} ms after NumPy's own."]
    return "\n\n".join(blocks) + "\n"


_METHOD = (
    "Forward and backward together: the peer's time over the emitted code's. Above 1 the emitted code is faster. Every "
    "peer has its own process. In a round the peers take turns in alternating order, and a ratio is that of one round. "
    "The tables show medians of the rounds, with quartiles. *Warm heap* is `MALLOC_MMAP_MAX_=0` with a large "
    "`MALLOC_TRIM_THRESHOLD_`: glibc reuses memory, and no call touches a page for the first time. By default glibc "
    "maps every array above 32 MiB anew. PyTorch and JAX pay for that; NumPy pays less."
)
_LAYERS = (
    "Nanoseconds an entry of a row tensor, 1 thread, geometric means over the shapes. *Plain* evaluates the definition "
    "and its adjoint line by line in NumPy, without simplification."
)


_COMPILED = (
    'Layer norm by `lngen.load(..., backend="cpu")`, 1 thread: nanoseconds an entry, then the time of each peer over '
    "that of the compiled kernels with the same heap. *To 2 threads* is 1 thread of PyTorch over two of the kernels. "
    "*Of the roof* is a copy's time over forward's, and a triad's over backward's. Copy and triad write to existing "
    "arrays, in the fastest of three ways: plain stores, streaming stores, NumPy's."
)
_COMPILED_LAYERS = (
    "Time over that of the compiled kernels, 1 thread, float32, warm heap: geometric means over the shapes, and their "
    "range. PyTorch uses one function for the layer, or a few in sequence."
)
_AGAINST_COMPILED = (
    ("emitted NumPy", "emitted", "compiled"),
    ("torch", "torch, 1 thread", "compiled"),
    ("torch, warm heap", "torch, 1 thread, warm heap", "compiled, warm heap"),
    ("torch, warm heap, to `out=`", "torch, 1 thread, warm heap", "compiled out="),
    ("torch.compile, warm heap", "torch.compile, 1 thread, warm heap", "compiled, warm heap"),
    ("torch, to 2 threads", "torch, 1 thread", "compiled, 2 threads"),
)
_LAYERS_AGAINST_COMPILED = (
    ("emitted NumPy", "emitted, warm heap"),
    ("torch", "torch, 1 thread, warm heap"),
    ("torch.compile", "torch.compile, 1 thread, warm heap"),
)
WIDE = {"float32": 4, "float64": 8}
"""The bytes of the types that NumPy computes in."""


def _compiled(cases: Sequence[Record]) -> str:
    """Tabulate the speed of compiled kernels, shape by shape, with geometric means over all shapes of a type."""
    rows = []
    pairs = [(title, name, base) for title, name, base in _AGAINST_COMPILED if name in cases[0]["peers"]]
    for dtype in dict.fromkeys(case["dtype"] for case in cases):
        own = [case for case in cases if case["dtype"] == dtype]
        for case in own:
            peers = case["peers"]
            times = f"{peers['compiled']['forward'][1]:.2f} + {peers['compiled']['backward'][1]:.2f}"
            found = [peers[name]["ratio"][base] for _, name, base in pairs]
            cells = [f"{middle:.2f} ({low:.2f} to {high:.2f})" for low, middle, high in found]
            rows.append((dtype, _shape(case), times, *cells, *(f"{share:.2f}" for share in of_the_roof(case))))
        means = [geometric_mean(case["peers"][name]["ratio"][base][1] for case in own) for _, name, base in pairs]
        shares = zip(*filter(None, (of_the_roof(case) for case in own)), strict=True)
        rows.append((dtype, "all", "", *(f"{mean:.2f}" for mean in (*means, *map(geometric_mean, shares)))))
    shared = ("forward of the roof", "backward of the roof") if of_the_roof(cases[0]) else ()
    return table(("type", "shape", "compiled, ns", *(title for title, *_ in pairs), *shared), rows)


def of_the_roof(case: Record) -> list[float]:
    """The share of the memory's speed that forward and backward reach; empty where the roof was not measured."""
    if "roof" not in case["peers"]:
        return []
    bound, own = case["peers"]["roof"], case["peers"]["compiled out="]
    return [bound[part][1] / own[part][1] for part in ("forward", "backward")]


def _compiled_layers(cases: Sequence[Record]) -> str:
    """Tabulate the speed of compiled kernels, layer by layer."""
    rows = []
    found = over_compiled(cases)
    for layer, others in found.items():
        ranges = [f"{geometric_mean(each):.2f} ({min(each):.2f} to {max(each):.2f})" if each else "" for each in others]
        rows.append((layer, *ranges))
    every = [[ratio for others in found.values() for ratio in others[n]] for n in range(len(_LAYERS_AGAINST_COMPILED))]
    rows.append(("all", *(f"{geometric_mean(ratios):.2f}" if ratios else "" for ratios in every)))
    return table(("layer", *(title for title, _ in _LAYERS_AGAINST_COMPILED)), rows)


def over_compiled(cases: Sequence[Record]) -> dict[str, list[list[float]]]:
    """Return the ratios of others to each layer's compiled kernels, over the shapes in float32."""
    found: dict[str, list[list[float]]] = {}
    for case in cases:
        if case["dtype"] == "float32" and "compiled, warm heap" in case["peers"]:
            own = found.setdefault(case["layer"], [[] for _ in _LAYERS_AGAINST_COMPILED])
            for ratios, (_, name) in zip(own, _LAYERS_AGAINST_COMPILED, strict=True):
                if name in case["peers"]:
                    ratios.append(case["peers"][name]["ratio"]["compiled, warm heap"][1])
    return found


def _extent(cases: Sequence[Record]) -> str:
    """Describe the shapes and rounds of each layer's measurement; layers with the same ones are put together."""
    alike: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for layer in dict.fromkeys(case["layer"] for case in cases):
        own = [case for case in cases if case["layer"] == layer]
        shapes = tuple(dict.fromkeys(_shape(case) for case in own if _is_large(case)))
        alike.setdefault((max(case["rounds"] for case in own), shapes), []).append(layer)
    sentences = []
    for (rounds, shapes), layers in sorted(alike.items(), key=lambda item: len(item[1])):
        whose = (
            ", ".join(f"`{name}`" for name in layers)
            if len(layers) < 3
            else f"The other {len(layers)} layers"
            if sentences
            else "Layers"
        )
        sentences.append(f"{whose}: {rounds} rounds at {', '.join(f'`{shape}`' for shape in shapes)}.")
    return " ".join(sentences)


def _machine(record: Record) -> str:
    facts = record["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    return (
        f"Measured on {facts['processors']} processors ({facts['architecture']}), Python {facts['python']}, {versions}."
    )


def _is_large(case: Record) -> bool:
    """Test whether a case counts in the means."""
    return tuple(case["shape"]) not in FAST_PATH


def _means(cases: Sequence[Record]) -> str:
    """Geometric means over the large shapes."""
    large = [case for case in cases if _is_large(case)]
    rows = []
    for name in others(large):
        cells = []
        for base in ("emitted", "emitted out="):
            found = [case["peers"][name]["ratio"] for case in large if name in case["peers"]]
            ratios = [ratio[base] for ratio in found if base in ratio]
            if len(ratios) < len(large):
                cells.append(f"ended at {len(large) - len(ratios)} of {len(large)} shapes")
                continue
            middles = [ratio[1] for ratio in ratios]
            low = min(ratio[0] for ratio in ratios)
            cells.append(f"{geometric_mean(middles):.2f} ({min(middles):.2f} to {max(middles):.2f}; {low:.2f})")
        rows.append((name, *cells))
    titles = ("peer", "new results: mean (range of medians; lowest quartile)", "`out=`: the same")
    return table(titles, rows)


def others(cases: Sequence[Record]) -> list[str]:
    """The peers of the emitted code, in any of the cases."""
    names = dict.fromkeys(name for case in cases for name in case["peers"])
    return [name for name in names if PEERS[name].computes and not is_emitted(name)]


def _shapes(cases: Sequence[Record]) -> str:
    names = others(cases)
    rows = []
    for case in cases:
        own = case["peers"]["emitted"]
        cells = [_ratio(case["peers"].get(name)) for name in names]
        rows.append((case["dtype"], _shape(case), f"{own['forward'][1]:.2f} + {own['backward'][1]:.2f}", *cells))
    return table(("type", "shape", "emitted, ns", *names), rows)


def _memory(cases: Sequence[Record]) -> str:
    rows = []
    for case in cases:
        size = _bytes(case)
        cells = []
        for name in ("emitted", "emitted out="):
            used = case["memory"][name]
            cells += [f"{used[part] / size:.3f} x ({used[part] / 2**20:.2f} MiB)" for part in ("forward", "backward")]
        rows.append((case["dtype"], _shape(case), *cells))
    return table(("type", "shape", "forward", "backward", "forward, `out=`", "backward, `out=`"), rows)


def _layers(cases: Sequence[Record]) -> str:
    rows = []
    for layer in dict.fromkeys(case["layer"] for case in cases):
        own = [c for c in cases if c["layer"] == layer and _is_large(c) and "plain" in c["peers"]]
        if not own:
            continue
        ratios = [case["peers"]["plain"]["ratio"]["emitted"][1] for case in own]
        parts = [geometric_mean(c["peers"]["emitted"][part][1] for c in own) for part in ("forward", "backward")]
        at = f"{min(ratios):.2f} to {max(ratios):.2f}"
        rows.append((layer, f"{parts[0]:.2f}", f"{parts[1]:.2f}", f"{geometric_mean(ratios):.2f}", at))
    return table(("layer", "forward", "backward", "plain over emitted", "range"), rows)


def _ratio(peer: Record | None) -> str:
    if peer is None:
        return "ended"
    low, middle, high = peer["ratio"]["emitted"]
    return f"{middle:.2f} ({low:.2f} to {high:.2f})"


def _shape(case: Record) -> str:
    return " x ".join(map(str, case["shape"]))


def _bytes(case: Record) -> int:
    size = WIDE[case["dtype"]]
    for extent in case["shape"]:
        size *= extent
    return size
