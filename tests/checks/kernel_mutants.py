"""Mistakes that only kernels have, planted into an emitted `kernels.cu` and what it includes: what catches each.

They stand beside those of `mutants`, which are wrong in the mathematics. Each is found by what the templates
write around a layer's formulas, so it applies to whatever layer has the piece.
"""

from __future__ import annotations

import importlib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from lngen.checks.checker import References
from lngen.checks.derived import checkable
from lngen.checks.evidence import KINDS
from lngen.checks.on_device import OnDevice
from lngen.checks.runner import check
from lngen.pipeline.files import loading, manifest
from lngen.plan.planner import Plan
from tests.checks.mutants import Kill, Planted, replaced
from tests.shipped import whole

SHAPES = ((5, 7), (2, 33), (3, 1024))
"""Several rows per block, a tail of one entry, and rows that many warps share."""

_BARRIER = r"__syncthreads\(\);\n"
_ARRIVAL = r"  tile\.each\(.* part\.arrive\(.*\n +"
_NEXT_COPY = r"if constexpr \(AHEAD > 0 && G::KEEPS_ROW\) copy\(turn\);\n +"
_OVER_ROWS = "constexpr Name<OVER_ROWS"
_PAST_THE_END = """
template <class Row> struct PastTheEnd {
  Here here;
  Row row;
  __device__ PastTheEnd(const Row& of)
      : here(of.here),
        row(of.D, of.call, of.to, here, of.numbers, of.tile, of.columns, of.runs, of.all, of.slots, of.turn) {
    using G = typename Row::G;
    here.D = G::chunks(here.D) * G::THREADS_PER_ROW * G::VECTOR;  // as far as the thread's chunks go
  }
};
"""


def kernel_mutants(features: Sequence[str]) -> Iterator[Planted]:
    """Every mistake, in a fixed order; `features` names the Feature inputs of the layer."""
    yield _replaced("no barrier in a reduction", _BARRIER + r"(?=\s*\} else \{\s*if \(lane < G::BLOCKS_PER_ROW)", "")
    yield _replaced(
        "no barrier before a block's rows are added up",
        rf"(each_kept\(here, k, shared.*\n\s*){_BARRIER}",
        r"\1",
        where=_OVER_ROWS,
    )
    yield _replaced(
        "no barrier before the blocks are added up", rf"{_BARRIER}(?=\s*if \(strip == 0)", "", where=_OVER_ROWS
    )
    yield _replaced("a reduction writes slots that the previous one may still read", r"turn \^= 1;\n", "")
    yield _replaced("a row one entry too long", r"offset = row \* D;", "offset = row * (D + 1);")
    yield Planted("a centred reduction includes entries past the end of the row", _unmasked)
    yield _replaced(
        "the last block's partial sums not written",
        r"(columns\.finish\(.*\);)",
        r"if (blockIdx.x + 1 < gridDim.x) \1",
        where=_OVER_ROWS,
    )
    yield _replaced("a copied row used before its copy arrives", r"await_copies<AHEAD - 1>", "await_copies<AHEAD>")
    yield _replaced(
        "a row read from the next row's slot", r"turn = from;", "turn = from + 1 < G::ROWS_COPIED ? from + 1 : 0;"
    )
    yield _replaced("a copy into a slot that is not read yet", rf"({_ARRIVAL})({_NEXT_COPY})", r"\2\1")
    yield _replaced(
        "a block's rows summed in memory that holds unread copies",
        rf"{_BARRIER}(?=\s*each_kept\(here, k, shared)",
        "",
        where=_OVER_ROWS,
    )
    for name in features:
        yield Planted(f"`{name}` from the column before", lambda text, name=name: _shifted(text, name))  # type: ignore[misc]


def threshold_mutants() -> Iterator[Planted]:
    """Mistakes in what layers share, each in one layout of rows; the other sides of a threshold are right."""
    again, stored = "read again in every stage", "in registers as stored"
    every = "CHUNKS : ceiling(LNGEN_D, ALL_THREADS * VECTOR)"
    yield replaced("a row that is read again without its end", every, f"{every} - 1", again)
    before = "(column ? column - G::VECTOR : 0)"
    loaded = "return load<G::VECTOR>(array + offset + at.column(column))"
    yield replaced(
        "a row read again from the entries before", loaded, loaded.replace("(column)", before), f"{again}, loaded"
    )
    loaded = "return load<G::VECTOR, true>(array + offset + at.column(column))"
    yield replaced(
        "a row kept from the entries before", loaded, loaded.replace("(column)", before), "parameters, loaded"
    )
    copied = "array + start + at.column(column)"
    yield replaced("a row copied from the entries before", copied, copied.replace("(column)", before), "copied ahead")
    yield replaced("a row as stored of its first entries", "unseen(held[chunk])", "unseen(held[0])", stored)
    held = "G::ROW == WIDENED) return held[chunk]"
    yield replaced("a row in registers of its first entries", held, held.replace("chunk]", "0]"), "in several accesses")
    slot = "copy(turn + AHEAD - 1 < AHEAD ? turn + AHEAD - 1 : turn - 1)"
    yield replaced("a row read again from a slot that is copied to", slot, "copy(turn)", f"{again}, copied ahead")
    features = "else return load<N>(from + at);"
    yield replaced(
        "parameters that are not held from their start", features, "else return load<N>(from);", "copied ahead, one"
    )
    features = "(KEPT) return kept[chunk];"
    yield replaced("held parameters of the first entries", features, "(KEPT) return kept[0];", "with parameters")
    lanes = "for (int offset = LANES / 2; offset > 0"
    yield replaced("a row of one warp without half of its lanes", lanes, lanes.replace("> 0", "> 1"), "of one warp")
    few = "for (int part = 1; part < WARPS_PER_ROW"
    yield replaced(
        "a row of a few warps without the last", few, few.replace("part <", "part + 1 <"), "of several warps"
    )
    many = "parts[lane % READ] :"
    yield replaced("a row of many warps of half of them", many, many.replace("READ]", "READ / 2]"), again)
    kept = "each_kept(here, k, part + k * stride)"
    yield replaced(
        "sums in registers in the place of others", kept, kept.replace("+ k", "+ (K - 1 - k)"), "one to a block"
    )
    rows = "for (int row = 1; row < G::ROWS; ++row) total"
    yield replaced(
        "sums in registers without the last row", rows, rows.replace("row <", "row + 1 <"), "several to a block"
    )
    shared = "part[k * stride + column] = *sum;"
    yield replaced(
        "sums in shared memory twice", shared, shared.replace("*sum", "*sum + *sum"), "sums in shared memory"
    )
    yield replaced("sums in the workspace not begun at 0", "*sum = A(0);", "", "sums in the workspace")
    place = "beside_stride = G::SUMS == IN_SHARED_MEMORY ? here.D : stride;"
    yield replaced(
        "sums in the workspace over those of the next block", place, "beside_stride = here.D;", "sums in the workspace"
    )


def kill_table(plan: Plan, files: Mapping[str, str]) -> tuple[Kill, ...]:
    """Return the kinds of evidence that catch each mistake in the emitted `files` of a plan.

    Use it within `device()`. Contracts and hard inputs, which need most compilations, are left out. `only` names
    the mistakes to test.
    """
    references: References = {}
    kills = []
    kinds = tuple(kind for kind in KINDS if kind not in ("contracts", "hard inputs"))
    features = [entry.name for entry in plan.derivation.definition.features]
    for mutant in kernel_mutants(features):
        with tempfile.TemporaryDirectory() as folder:
            manifest.write(manifest.runtime_emission(), Path(folder))
            place = Path(folder) / "mutant"
            source = whole(files)
            text = mutant.rewrite(source)
            if text == source:
                continue  # nothing of its kind in this layer
            module = _loaded(place, {**files, "kernels.cu": text})
            report = check(checkable(plan, module), SHAPES, ("float64",), "cuda", kinds=kinds, references=references)
        kills.append(Kill(mutant.name, tuple(k for k in KINDS if any(f.kind == k for f in report.failures))))
    return tuple(kills)


def _loaded(folder: Path, files: Mapping[str, str]) -> OnDevice:
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    backend = importlib.import_module(f"{loading.load(folder).__name__}.cuda_backend")
    return OnDevice(backend)


def _replaced(name: str, pattern: str, replacement: str, where: str = "") -> Planted:
    """A mistake in what layers share shows in those that use it: `where` they do, they have this."""
    return Planted(name, lambda text: re.sub(pattern, replacement, text) if where in text else text)


def _unmasked(text: str) -> str:
    """The text in which the last stage of forward that measures from a row scalar goes on past the row's end."""
    before, start, forward = text.partition("namespace lngen::LNGEN_SPACE::forward {")
    forward, end, after = forward.partition("}  // namespace lngen::LNGEN_SPACE::forward")
    stages = re.finditer(r"= row(?=\.\w+\(\[&\]\(auto at\) \{(.*?)\}\);\n)", forward, re.DOTALL)
    centred = [
        found
        for found in stages
        if {*re.findall(r"    const auto (\w+) =", forward[: found.start()])} & {*re.findall(r"\w+", found[1])}
    ]
    if not centred:
        return text
    last = centred[-1]
    forward = f"{forward[: last.start()]}= PastTheEnd<Row>(row).row{forward[last.end() :]}"
    # What no load has filled is zero, or else what is found would depend on what the stack held before.
    before = before.replace("struct NoColumns {", f"{_PAST_THE_END}struct NoColumns {{")
    return before.replace("Tile<G, N...> tile;", "Tile<G, N...> tile = {};") + start + forward + end + after


def _shifted(text: str, name: str) -> str:
    found = re.search(rf"constexpr Name<FEATURES, (\d+)\b.*> {name.upper()};", text)
    if not found:
        return text
    place = "{name}::INDEX == {index} && {column} ? {column} - {geometry}::VECTOR : {column}"
    held = place.format(name="M", index=found[1], column="column", geometry="G")
    text = text.replace("load<G::VECTOR>(to.of(name) + column)", f"load<G::VECTOR>(to.of(name) + ({held}))")
    again = place.format(name="N", index=found[1], column="start", geometry="Row::G")
    return text.replace("row.to.of(name), start)", f"row.to.of(name), {again})")
