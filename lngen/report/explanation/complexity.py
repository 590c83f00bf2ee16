"""Time and memory as orders of magnitude, with the counts behind them."""

from __future__ import annotations

from collections.abc import Iterator

from lngen.algebra.symbols import axes
from lngen.errors import counted
from lngen.plan.cost import Cost, cost
from lngen.plan.planner import Plan
from lngen.plan.program import RowProgram
from lngen.report.explanation.words import listed, reductions
from lngen.report.section import Section


def section(plan: Plan) -> Section:
    """The section of a plan."""
    time = " ".join(
        [
            "For N rows of D entries:",
            *_time(plan),
            "Reading the rows takes N*D already, so no method has a smaller order.",
        ]
    )
    return Section("Time and memory", (time, " ".join(_memory(plan))))


def _time(plan: Plan) -> Iterator[str]:
    for program in (plan.forward, plan.backward):
        c = cost(program)
        yield (
            f"{program.direction} takes O(N*D) time, {_each(c)}, and moves {counted(c.tensors, 'row tensor')}"
            f" ({c.rows_read} read, {c.rows_written} written){';' if program is plan.forward else '.'}"
        )
    depth = max(len(reductions(program)) for program in (plan.forward, plan.backward))
    if depth:
        chain = "one reduction" if depth == 1 else f"{depth} reductions one after the other"
        yield f"With a thread for each entry it takes O(log D) steps, those of {chain}."
    else:
        yield "With a thread for each entry it takes O(1) steps."


def _each(c: Cost) -> str:
    parts = [f"{counted(c.operations.element, 'operation')} an entry"]
    parts += [f"{c.operations.row} a row"] * bool(c.operations.row)
    return listed(parts)


def _memory(plan: Plan) -> Iterator[str]:
    saved = cost(plan.forward).saved
    if saved:
        yield f"Memory beside inputs and results: O(N) between forward and backward, {counted(saved, 'number')} a row,"
        yield "whatever D is."
    else:
        yield "Memory beside inputs and results: nothing between forward and backward."
    sums = _sums(plan.backward)
    if sums:
        size = "O(D)" if any(features for _, features in sums) else "O(1)"
        names = listed(name for name, _ in sums)
        yield f"Backward takes {size} for each block of rows, the partial sums of {names}."


def _sums(program: RowProgram) -> list[tuple[str, bool]]:
    return [(r.symbol.name, axes(r.symbol).features) for stage in program.stages for r in stage.rows_reductions]
