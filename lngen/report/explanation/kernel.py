"""Work of one fused kernel: each stage of a row, and the bytes moved beside separate kernels."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr

from lngen.algebra.symbols import TypedSymbol, axes, is_row
from lngen.errors import counted
from lngen.plan.cost import cost, unfused
from lngen.plan.planner import Plan
from lngen.plan.program import RowProgram, Stage
from lngen.report.costs import DEFAULT_DTYPE
from lngen.report.explanation.words import listed, reduction_line, several
from lngen.report.section import Section, Table

_SIZE = DEFAULT_DTYPE.itemsize


def section(plan: Plan, order: tuple[str, ...]) -> Section:
    """The section of a plan."""
    words = (
        "Threads share a row and hold it in registers from one stage to the next. Longer rows stay in shared memory,"
        " and the longest are read again."
    )
    pairs = zip((plan.forward, plan.backward), unfused(plan), strict=True)
    moved = " ".join(_moved(program, apart.kernels, apart.tensors) for program, apart in pairs)
    rows = [row for program in (plan.forward, plan.backward) for row in _rows(program, order)]
    return Section(
        "How one kernel does it",
        (f"{words} {moved}",),
        Table(("stage", "what it does to a row", "bytes an entry, float32"), tuple(rows)),
    )


def _moved(program: RowProgram, kernels: int, tensors: int) -> str:
    ours = _SIZE * cost(program).tensors
    return (
        f"{program.direction.capitalize()} moves {ours} bytes an entry in float32; a kernel for each operation moves"
        f" {_SIZE * tensors} in {counted(kernels, 'kernel')}."
    )


def _rows(program: RowProgram, order: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    """A line for each stage, as the plan counts them, and one for what is summed over rows."""
    arguments = {row.symbol: row.name for row in program.rows}
    met: set[Expr] = set()
    count = 0
    for stage in program.stages:
        if not (stage.temps or stage.reductions or stage.stores or stage.rows_reductions):
            continue
        count += 1
        used = _used(stage)
        new = [symbol for symbol in arguments if symbol in used and symbol not in met]
        met |= used
        done = [*_reads([arguments[symbol] for symbol in new]), *_does(stage, order)]
        written = sum(len(store.names) for store in stage.stores if is_row(store.symbol))
        bytes_ = _SIZE * (sum(map(is_row, new)) + written)
        yield f"{program.direction} {count}", "; ".join(done), str(bytes_)
    sums = [r.symbol for stage in program.stages for r in stage.rows_reductions]
    kinds = [
        f"{several([s.name for s in alike], 'sum')} ({size})"
        for size, features in (("D numbers a block", True), ("one number a block", False))
        if (alike := [symbol for symbol in sums if axes(symbol).features == features])
    ]
    if kinds:
        yield "after the rows", f"adds the blocks' partial sums in a fixed order: {listed(kinds)}", "0"


def _used(stage: Stage) -> set[TypedSymbol]:
    stored = {store.symbol for store in stage.stores}
    return stored.union(*(line.body.free_symbols for line in stage.lines()))


def _reads(names: list[str]) -> list[str]:
    return [f"reads {listed(names)}"] if names else []


def _does(stage: Stage, order: tuple[str, ...]) -> Iterator[str]:
    temps = [temp.symbol.name for temp in stage.temps if temp.symbol not in {s.symbol for s in stage.stores}]
    if temps:
        yield f"computes {several(temps, 'row value')}"
    if stage.reductions:
        yield f"reduces {', '.join(reduction_line(r, order) for r in stage.reductions)}"
    if stage.row_scalars:
        yield f"computes {listed(line.symbol.name for line in stage.row_scalars)} once a row"
    if stage.rows_reductions:
        yield f"adds to the block's sums {listed(r.symbol.name for r in stage.rows_reductions)}"
    if stage.stores:
        yield f"writes {listed(name for store in stage.stores for name in store.names)}"
    if stage.correction:
        yield "left out where rounding cannot matter"
