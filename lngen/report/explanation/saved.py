"""Values saved for backward, and the reason that no others are."""

from __future__ import annotations

from collections.abc import Iterator

from lngen.algebra.notation import text
from lngen.errors import counted
from lngen.plan.cost import cost, unfused
from lngen.plan.planner import Plan
from lngen.report.costs import computed_in
from lngen.report.explanation.words import listed, several, verb
from lngen.report.section import Section

FEATURES = 768
"""D of the example of bytes."""

_MOST_LINES = 4


def section(plan: Plan, order: tuple[str, ...]) -> Section:
    """The section of a plan."""
    paragraphs = (" ".join(_kept(plan)), " ".join(_not_kept(plan, order)))
    return Section("Saved for backward", tuple(filter(None, paragraphs)))


def _kept(plan: Plan) -> Iterator[str]:
    saved = [symbol.name for symbol in plan.forward.saved]
    if saved:
        size = len(saved) * computed_in(plan).accumulate_itemsize
        yield f"Forward keeps {listed(saved)}: {counted(len(saved), 'number')} a row, {size} bytes for float32 rows."
    else:
        yield "Forward keeps no number of its own."
    given = [row.name for row in plan.backward.rows if row.origin == "saved input"]
    returned = [row.name for row in plan.backward.rows if row.origin == "saved output"]
    if given:
        yield f"Backward reads {listed(given)} as the caller passed {verb(len(given), 'it', 'them')}: no copy."
    if returned:
        yield f"Backward reads {listed(returned)} as forward returned {verb(len(returned), 'it', 'them')}: no copy."


def _not_kept(plan: Plan, order: tuple[str, ...]) -> Iterator[str]:
    forward = plan.forward
    made = {q.symbol for q in forward.temps()}
    again = [q for q in plan.backward.temps() if q.symbol in made]
    if again:
        lines = [f"{q.symbol.name} = {text(q.expression, order)}" for q in again[:_MOST_LINES]]
        more = [f"{len(again) - _MOST_LINES} more lines"] if len(again) > _MOST_LINES else []
        names = several([q.symbol.name for q in again], "row value")
        yield f"Not kept: {names}. Backward computes {verb(len(again), 'it', 'them')} again, which moves nothing:"
        yield f"{'; '.join(lines + more)}."
    kept = unfused(plan)[0].kept
    if kept:
        size, ours = (
            kept * FEATURES * computed_in(plan).itemsize,
            cost(forward).saved * computed_in(plan).accumulate_itemsize,
        )
        yield f"Separate operations would keep {counted(kept, 'row value')} for backward: {size} bytes a row at"
        yield f"D = {FEATURES} in float32, against {ours}."
    known = {*forward.saved, *(q.symbol for q in plan.backward.lines()), *(store.symbol for store in forward.results)}
    gone = [q.symbol.name for stage in forward.stages for q in stage.lines() if q.symbol not in known]
    if gone:
        number = len(gone)
        them, are = verb(number, "it is", "they are"), several(gone, "other value")
        yield f"Backward does not read {are}, so {them} not kept."
