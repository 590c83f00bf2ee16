"""Readers of nodes: the cases in which a node is read, and the line in which it is computed."""

from __future__ import annotations

from collections.abc import Mapping

from lngen.emit.numpy.graph import COMPARISONS, IN_PLACE, REDUCTIONS, ROW, ArrayNode, ArrayValue
from lngen.emit.numpy.operations import Schedule
from lngen.language import FUNCTIONS
from lngen.plan.presence import NEVER, Condition

UFUNCS = {
    **{name: f"np.{name}" for name in ("add", "subtract", "multiply", "divide", "power", "negative", "square", "sqrt")},
    **{name: f"np.{name}" for name in COMPARISONS},
    **{name: entry.numpy or f"np.{name}" for name, entry in FUNCTIONS.items() if entry.head},
}
"""The spelling of each operation that a line may nest."""

CAN_WARN = {"divide", "power", *(name for name, entry in FUNCTIONS.items() if not entry.is_total)}
"""Operations that may be infinite, or no number, of finite operands."""


def needs(schedule: Schedule, wanted: Mapping[str, Condition]) -> list[Condition]:
    """Return the cases in which each node is read; `wanted` are the cases of results."""
    nodes = schedule.graph.nodes
    need = [NEVER] * len(nodes)
    for name, result in schedule.results.items():
        need[result] |= wanted[name]
    for node in reversed(nodes):
        for form in node.forms:
            cases, read = need[node.index] & form.cases, node.operands
            if form.through is not None and node.operation not in IN_PLACE:
                read = (form.through,)
            elif form.through is None and not isinstance(form.value, ArrayValue):
                read = ()
            for operand in read:
                need[operand] |= cases
    return need


def lines_of(schedule: Schedule, need: list[Condition]) -> dict[int, int]:
    """Map each node that has no line of its own to the node in whose line it stands, as `a*b` does in `c = a*b + d`.

    Such a node has no name and no memory, and is read once, in the cases in which it is computed. What it reads is read
    when that line runs, which may be long after the node's place in the schedule.
    """
    named = {*schedule.names.values(), *schedule.results.values()}
    readers = schedule.graph.readers()
    found: dict[int, int] = {}
    for node in reversed(schedule.graph.nodes):
        is_row = node.phase == "block" and node.axes == ROW
        if node.operation in UFUNCS and not (node.index in named or node.boolean or is_row):
            one, *more = [schedule.graph.nodes[index] for index in readers[node.index] or [node.index]]
            if not more and _is_read_as_computed(node, one, need):
                found[node.index] = found.get(one.index, one.index)
    return found


def _is_read_as_computed(node: ArrayNode, reader: ArrayNode, need: list[Condition]) -> bool:
    takes = reader.operation in UFUNCS or reader.operation in REDUCTIONS
    # What is read in no case may be an operand of a number, which has no line.
    cases = need[node.index]
    same = NEVER != cases == node.computed() & cases == need[reader.index] & reader.computed()
    return takes and node is not reader and node.phase == reader.phase and same
