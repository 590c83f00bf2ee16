"""A record as tables and as a plot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from benchmarks.cpu.cases import FAST_PATH
from benchmarks.cpu.peers import is_emitted
from benchmarks.tables import table

Record = dict[str, Any]


def tables(record: Record) -> str:
    """The whole record for a reader."""
    cases = record["cases"]
    against = [case for case in cases if case["layer"] == "layer_norm"]
    blocks = [_machine(record), "## Layer norm beside others", _METHOD]
    if against:
        blocks += [_means(against), _shapes(against)]
        if all("compiled" in case["peers"] for case in against):
            blocks += ["### Compiled kernels", _COMPILED, _compiled(against)]
        blocks += ["### Memory", _memory(against)]
    blocks += ["## Every layer", f"{_LAYERS} {_extent(cases)}", _layers(cases)]
    if record.get("import_seconds"):
        middle = record["import_seconds"][1]
        blocks += ["## Import", f"`import generated.layer_norm` takes {1e3 * middle:.0f} ms after NumPy's own."]
    return "\n\n".join(blocks) + "\n"


_METHOD = (
    "Forward and backward together, the time of each peer over that of the emitted code: above 1 the emitted code is "
    "faster. Every peer has a process of its own; in a round each has its turn, in alternating order, and a ratio is "
    "that of one round. Medians of the rounds, with quartiles. *Warm heap* is `MALLOC_MMAP_MAX_=0` with a large "
    "`MALLOC_TRIM_THRESHOLD_`: glibc hands out the same memory again, and no call meets a page for the first time. By "
    "default it maps every array above 32 MiB anew, which PyTorch and JAX pay for and NumPy pays less."
)
_LAYERS = (
    "Nanoseconds an entry of a row tensor, 1 thread, geometric means over the shapes. *Plain* is the definition "
    "evaluated line by line in NumPy, and its adjoint, nothing simplified."
)


_COMPILED = (
    '`lngen.load(..., backend="cpu")`, 1 thread: nanoseconds an entry, and the time of each other over that of the '
    "compiled kernels, both with the same heap; in the last column 1 thread of PyTorch over two of the kernels."
)
_AGAINST_COMPILED = (
    ("emitted NumPy", "emitted", "compiled"),
    ("torch", "torch, 1 thread", "compiled"),
    ("torch, warm heap", "torch, 1 thread, warm heap", "compiled, warm heap"),
    ("torch, warm heap, to `out=`", "torch, 1 thread, warm heap", "compiled out="),
    ("torch, to 2 threads", "torch, 1 thread", "compiled, 2 threads"),
)


def _compiled(cases: Sequence[Record]) -> str:
    """What compiled kernels are worth, shape by shape, and geometric means over all shapes of a type."""
    rows = []
    pairs = [(title, name, base) for title, name, base in _AGAINST_COMPILED if name in cases[0]["peers"]]
    for dtype in dict.fromkeys(case["dtype"] for case in cases):
        own = [case for case in cases if case["dtype"] == dtype]
        for case in own:
            peers = case["peers"]
            times = f"{peers['compiled']['forward'][1]:.2f} + {peers['compiled']['backward'][1]:.2f}"
            found = [peers[name]["ratio"][base] for _, name, base in pairs]
            cells = [f"{middle:.2f} ({low:.2f} to {high:.2f})" for low, middle, high in found]
            rows.append((dtype, _shape(case), times, *cells))
        means = [geometric_mean(case["peers"][name]["ratio"][base][1] for case in own) for _, name, base in pairs]
        rows.append((dtype, "all", "", *(f"{mean:.2f}" for mean in means)))
    return table(("type", "shape", "compiled, ns", *(title for title, *_ in pairs)), rows)


def _extent(cases: Sequence[Record]) -> str:
    """At which shapes the layers were measured, and in how many rounds, those alike together."""
    alike: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for layer in dict.fromkeys(case["layer"] for case in cases):
        own = [case for case in cases if case["layer"] == layer]
        shapes = tuple(dict.fromkeys(_shape(case) for case in own if _is_large(case)))
        alike.setdefault((max(case["rounds"] for case in own), shapes), []).append(layer)
    sentences = []
    for (rounds, shapes), layers in sorted(alike.items(), key=lambda item: len(item[1])):
        whose = ", ".join(layers) if len(layers) < 3 else f"The other {len(layers)} layers" if sentences else "Layers"
        sentences.append(f"{whose}: {rounds} rounds at {', '.join(shapes)}.")
    return " ".join(sentences)


def _machine(record: Record) -> str:
    facts = record["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    return (
        f"Measured on {facts['processors']} processors ({facts['architecture']}), Python {facts['python']}, {versions}."
    )


def _is_large(case: Record) -> bool:
    """Whether a case counts in the means."""
    return tuple(case["shape"]) not in FAST_PATH


def _means(cases: Sequence[Record]) -> str:
    """Geometric means over the large shapes."""
    large = [case for case in cases if _is_large(case)]
    rows = []
    for name in _others(large):
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


def _others(cases: Sequence[Record]) -> list[str]:
    """The peers of the emitted code, in any of the cases."""
    return [name for name in dict.fromkeys(name for case in cases for name in case["peers"]) if not is_emitted(name)]


def _shapes(cases: Sequence[Record]) -> str:
    names = _others(cases)
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
    size = {"float32": 4, "float64": 8}[case["dtype"]]
    for extent in case["shape"]:
        size *= extent
    return size


def plot(record: Record, path: Path) -> None:
    """The ratio to each peer by shape, both types, as an SVG file."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "lngen"
    from matplotlib import pyplot

    cases = [case for case in record["cases"] if case["layer"] == "layer_norm"]
    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4), sharey=True)
    for axis, dtype in zip(axes, ("float32", "float64"), strict=True):
        own = [case for case in cases if case["dtype"] == dtype]
        names = _others(own)
        places = range(len(own))
        for name in names:
            found = [case["peers"].get(name, {}).get("ratio", {}).get("emitted", [float("nan")] * 3) for case in own]
            low, middle, high = zip(*found, strict=True)
            axis.plot(places, middle, marker="o", markersize=3, label=name)
            axis.fill_between(places, low, high, alpha=0.15)
        axis.axhline(1, color="black", linewidth=0.8)
        axis.set_xticks(list(places), ["\n".join(map(str, case["shape"])) for case in own], fontsize=7)
        axis.set_yscale("log", base=2)
        axis.set_title(f"{dtype}, 1 thread")
    axes[0].set_ylabel("time of the peer / time of the emitted code")
    axes[1].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None, "Creator": None})
