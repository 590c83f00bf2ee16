"""Write the tables of `fusion.md` anew, from the plans of two shipped layers and from their emitted kernels.

python docs/make_fusion.py

A table stands between `<!-- made: NAME -->` and `<!-- end -->`; everything else in the file is written by hand. NVRTC
is asked how the kernels lay out a row; no GPU is needed.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from lngen.backends.cuda.shapes import Limits, RowShape, row_shapes
from lngen.cost import Cost, chains, cost, microseconds, parse_dtype, unfused
from lngen.cost.phases import Moved, Phase, kernels
from lngen.definition import load
from lngen.emission import planned
from lngen.notation import text
from lngen.plan import Plan
from lngen.report.formulas import reading_order
from lngen.runtime.includes import inlined
from lngen.symbolic import FeatureSum, Mean, RowMax, RowMin

BLOCK = re.compile(r"(<!-- made: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)

LAYERS = ("layer_norm", "rms_norm")
FEATURES = (64, 256, 1024, 2048, 4096, 8192, 16384, 32768)
SOME_FEATURES = (256, 1024, 4096)
SOME_ROWS = (1024, 8192, 65536)
SHAPE = (8192, 4096)
DTYPE = parse_dtype("bf16")
MULTIPROCESSORS = 132
BANDWIDTH = 4e12


@dataclass(frozen=True)
class Layer:
    """A shipped layer: its plan, how its kernels lay out rows, and how many threads they take at a time."""

    plan: Plan
    shapes: tuple[RowShape, ...]
    limits: tuple[Limits, ...]
    threads: int

    @property
    def name(self) -> str:
        return self.plan.derivation.definition.name

    @property
    def costs(self) -> tuple[tuple[str, Cost], tuple[str, Cost]]:
        return ("forward", cost(self.plan.forward)), ("backward", cost(self.plan.backward))

    def blocks(self, rows: int, features: int) -> int:
        """Blocks of backward at most: those that MULTIPROCESSORS hold at a time, if there are rows for them."""
        shape = self.shape("backward", features)
        resident = MULTIPROCESSORS * max(self.threads // shape.threads_per_block, 1)
        return min(resident, -(-rows // shape.rows_per_block))

    def shape(self, kernel: str, features: int) -> RowShape:
        """The layout of a row in DTYPE."""
        return next(s for s in self.shapes if (s.kernel, s.dtype, s.features) == (kernel, DTYPE.name, features))

    def partial_bytes(self, blocks: int, features: int) -> int:
        """What the partial sums of so many blocks take."""
        return blocks * features * cost(self.plan.backward).partial_features * DTYPE.accumulate_itemsize


def layers(root: Path) -> list[Layer]:
    """The layers that the page is about, with what their files under `generated/` say."""
    found = []
    for name in LAYERS:
        plan = planned(load(root / "derive" / f"{name}.py"), proved=False)
        emitted = root / "generated" / plan.derivation.definition.name
        shapes, limits = row_shapes(inlined(emitted / "kernels.cu"), FEATURES)
        launcher = (emitted / "cuda_backend.py").read_text(encoding="utf-8")
        threads = re.search(r"^_THREADS_AT_A_TIME = (\d+)$", launcher, re.MULTILINE)
        if threads is None:
            raise SystemExit(f"{emitted.name}: cuda_backend.py has no _THREADS_AT_A_TIME; what bounds its grid now?")
        found.append(Layer(plan, shapes, limits, int(threads[1])))
    return found


def filled(page: str, found: Sequence[Layer]) -> str:
    """The page with every table made anew."""
    made = {name: table(found) for name, table in TABLES.items()}
    asked = [name for _, name, _ in BLOCK.findall(page)]
    if sorted(asked) != sorted(made):
        raise SystemExit(f"fusion.md has the tables {', '.join(asked)}; it is to have each of {', '.join(made)} once")
    return BLOCK.sub(lambda block: f"{block[1]}\n{made[block[2]]}\n\n{block[3]}", page)


# ---- the tables


def totals(found: Sequence[Layer]) -> str:
    rows = []
    for layer in found:
        for kernel in kernels(layer.plan)[:2]:
            reads, writes = kernel.row_tensors
            rows.append([layer.name, kernel.name, ", ".join(reads), ", ".join(writes), len(reads) + len(writes)])
    return _table(["layer", "kernel", "reads", "writes", "row tensors moved"], rows)


def phases(found: Sequence[Layer]) -> str:
    heads = ["phase", "reads", "computes, for an entry", "computes again", "reduces, at one barrier"]
    heads += ["row scalars", "adds to sums over rows", "writes", "keeps"]
    parts = []
    for layer in found:
        order = reading_order(layer.plan.derivation)
        for kernel in kernels(layer.plan):
            rows = [_phase(phase, order) for phase in kernel.phases]
            used = [place for place in range(len(heads)) if any(row[place] for row in rows)]
            parts.append(f"### {layer.name}, `{kernel.name}`")
            parts.append(_table([heads[place] for place in used], ([row[place] for place in used] for row in rows)))
    return "\n\n".join(parts)


def _phase(phase: Phase, order: tuple[str, ...]) -> list[str]:
    words = {"mean": Mean, "sum": FeatureSum, "max": RowMax, "min": RowMin}
    return [
        phase.title,
        _moved(phase.reads),
        _code(f"{line.symbol} = {text(line.expression, order)}" for line in phase.computes),
        _code(str(symbol) for symbol in phase.again),
        _code(f"{r.symbol} = {text(words[r.operator](r.body), order)}" for r in phase.reductions),
        _code(f"{line.symbol} = {text(line.expression, order)}" for line in phase.row_scalars),
        _code(f"{total.symbol} += {text(total.body, order)}" for total in phase.sums),
        _moved(phase.writes),
        ", ".join(str(symbol) for symbol in phase.keeps),
    ]


def _moved(arrays: Sequence[Moved]) -> str:
    """Arrays with their bytes: `x (E an entry), mu, rstd (A a row each)`."""
    units = {"row element": "an entry", "row": "a row", "feature": "a feature", "number": "once"}
    units |= {"feature and block": "a feature", "block": "once"}
    letters = {"itemsize": "E", "accumulate_itemsize": "A"}
    parts = []
    for (size, per), group in groupby(arrays, key=lambda moved: (str(moved.size), moved.per)):
        names = [moved.name for moved in group]
        each = " each" if len(names) > 1 else ""
        parts.append(f"{', '.join(names)} ({letters[size]} {units[per]}{each})")
    return ", ".join(parts)


def least(found: Sequence[Layer]) -> str:
    rows = []
    for layer in found:
        for (kernel, c), bound in zip(layer.costs, chains.least(layer.plan), strict=True):
            scalars = c.saved * DTYPE.accumulate_itemsize
            shares = (scalars / (c.tensors * DTYPE.itemsize * features) for features in SOME_FEATURES)
            names = ", ".join(symbol.name for symbol in layer.plan.forward.saved)
            rows.append([layer.name, kernel, bound, c.tensors, names, *(f"{share:.2%}" for share in shares)])
    heads = ["layer", "kernel", "least", "moved", "row scalars, A bytes a row each"]
    return _table([*heads, *(f"D = {features:,}, {DTYPE.name}" for features in SOME_FEATURES)], rows)


def recomputed(found: Sequence[Layer]) -> str:
    rows = []
    for layer in found:
        names = ", ".join(symbol.name for symbol in chains.row_values_of_backward(layer.plan))
        moved, saving = [c.tensors for _, c in layer.costs], chains.by_saving(layer.plan)
        rows.append([layer.name, names, " + ".join(map(str, moved)), " + ".join(map(str, saving))])
    return _table(["layer", "row values that backward names", "computed again", "saved by forward"], rows)


def equations(found: Sequence[Layer]) -> str:
    rows = []
    for layer in found:
        order = reading_order(layer.plan.derivation)
        for kernel, passes in zip(("forward", "backward"), chains.by_equation(layer.plan), strict=True):
            for operation in passes:
                target = f"{operation.symbol} = " if operation.whole else ""
                reads = ", ".join(str(symbol) for symbol in operation.reads)
                written = str(operation.symbol) if operation.writes else ""
                formula = f"`{target}{text(operation.expression, order)}`"
                rows.append([layer.name, kernel, formula, reads, written, operation.tensors])
            rows.append([layer.name, kernel, "in all", "", "", sum(operation.tensors for operation in passes)])
    return _table(["layer", "", "pass", "reads", "writes", "row tensors"], rows)


def ratios(found: Sequence[Layer]) -> str:
    rows = []
    for layer in found:
        plan = layer.plan
        fused = [c.tensors for _, c in layer.costs]
        passes = [sum(operation.tensors for operation in direction) for direction in chains.by_equation(plan)]
        counted = {
            "fused": fused,
            "a kernel a sweep": [tensors for _, tensors in chains.by_sweep(plan)],
            "a pass an equation": passes,
            "a pass an operation": [chain.tensors for chain in unfused(plan)],
        }
        for name, (forward, backward) in counted.items():
            factors = [forward / fused[0], backward / fused[1], (forward + backward) / sum(fused)]
            rows.append([layer.name, name, forward, backward, *(f"{factor:.2f}" for factor in factors)])
    return _table(["layer", "", "forward", "backward", "forward, times", "backward, times", "both, times"], rows)


def sums(found: Sequence[Layer]) -> str:
    rows = []
    for layer in found:
        c = cost(layer.plan.backward)
        for features in SOME_FEATURES if c.partial_features else ():
            shape = layer.shape("backward", features)
            most = layer.blocks(2**62, features)
            row = [layer.name, c.partial_features, f"{features:,}", shape.threads_per_block, shape.rows_per_block, most]
            row.append(f"{layer.partial_bytes(most, features) / 1e6:.2f} MB")
            for count in SOME_ROWS:
                partial = layer.partial_bytes(layer.blocks(count, features), features)
                row.append(f"{2 * partial / (c.tensors * count * features * DTYPE.itemsize):.1%}")
            rows.append(row)
    heads = ["layer", "K", "D", "threads a block", "rows at a time", "blocks at most", "partial sums at most"]
    lead = f"In {DTYPE.name}, on {MULTIPROCESSORS} multiprocessors of at most {found[0].threads:,} threads each:"
    return f"{lead}\n\n{_table([*heads, *(f'{count:,} rows' for count in SOME_ROWS)], rows)}"


def limits(found: Sequence[Layer]) -> str:
    rows = []
    for layer in found:
        ends = groupby(layer.limits, key=lambda limit: (limit.kernel, limit.everything, limit.row_and_sums, limit.row))
        for (kernel, *last), group in ends:
            rows.append([layer.name, kernel, ", ".join(g.dtype for g in group), *(f"{count:,}" for count in last)])
    return _table(["layer", "kernel", "types", "1 up to D =", "2 up to D =", "3 up to D ="], rows)


def layouts(found: Sequence[Layer]) -> str:
    parts = []
    for layer in found:
        columns: dict[tuple[str, ...], list[str]] = {}
        for (kernel, dtype), shapes in groupby(layer.shapes, key=lambda shape: (shape.kernel, shape.dtype)):
            columns.setdefault((kernel, *map(_layout, shapes)), []).append(dtype)
        heads = [f"{kernel}, {', '.join(dtypes)}" for (kernel, *_), dtypes in columns.items()]
        cells = zip(*(cells for _, *cells in columns), strict=True)
        rows = [[f"{features:,}", *row] for features, row in zip(FEATURES, cells, strict=True)]
        parts.append(_table([f"D, {layer.name}", *heads], rows))
    return "\n\n".join(parts)


def _layout(shape: RowShape) -> str:
    kind = 4 if not shape.keeps_row else 3 if shape.sums != "registers" else 1 if shape.holds_features else 2
    where = f", {shape.sums}" if shape.sums != "registers" else ""
    size = f"{shape.threads_per_row} x {shape.entries_per_thread}"
    return size if kind == 1 else f"{size} ({kind}{where})"


def example(found: Sequence[Layer]) -> str:
    rows, features = SHAPE
    tensor = rows * features * DTYPE.itemsize
    lines = []
    for layer in found:
        for kernel, c in layer.costs:
            moved, _ = c.at(rows, features, DTYPE.itemsize, DTYPE.accumulate_itemsize)
            scalars = c.saved * rows * DTYPE.accumulate_itemsize
            line = [layer.name, kernel, f"{c.tensors} * {tensor:,}"]
            line.append(f"{c.saved} * {rows:,} * {DTYPE.accumulate_itemsize} = {scalars:,}")
            line += [f"{moved - c.tensors * tensor - scalars:,}", f"{moved:,}"]
            line.append(f"{microseconds(moved, BANDWIDTH):.1f} us")
            blocks = layer.blocks(rows, features) if c.partial_features else 0
            line.append(f"2 * {layer.partial_bytes(blocks, features):,}" if blocks else "")
            lines.append(line)
    heads = ["layer", "kernel", "row tensors", "row scalars", "parameters, their gradients", "bytes", "time"]
    lead = (
        f"{rows:,} rows of D = {features:,} in {DTYPE.name}: a row tensor is {rows:,} * {features:,} * {DTYPE.itemsize}"
        f" = {tensor:,} bytes. The time is at {BANDWIDTH / 1e12:g} TB/s."
    )
    command = (
        f"    lngen cost LAYER --shape {rows},{features} --dtype {DTYPE.name} --bandwidth {BANDWIDTH / 1e12:g}TB/s"
    )
    return f"{lead}\n\n{_table([*heads, 'besides: partial sums'], lines)}\n\n{command}"


TABLES = {
    table.__name__: table
    for table in (totals, phases, least, recomputed, equations, ratios, sums, limits, layouts, example)
}


# ---- Markdown


def _table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |".replace("  ", " ") for line in lines)


def _code(formulas: Iterable[str]) -> str:
    return ", ".join(f"`{formula}`" for formula in formulas)


if __name__ == "__main__":
    root = Path(__file__).resolve().parents[1]
    path = root / "docs" / "fusion.md"
    path.write_text(filled(path.read_text(encoding="utf-8"), layers(root)), encoding="utf-8")
