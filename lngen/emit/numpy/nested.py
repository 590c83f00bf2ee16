"""Operations that stand inside the line of another, as `a*b` does in `c = a*b + d`."""

from __future__ import annotations

from collections.abc import Container

from lngen.emit.numpy.graph import COMPARISONS, REDUCTIONS, ROW, ArrayNode
from lngen.emit.numpy.operations import Schedule
from lngen.language import FUNCTIONS
from lngen.plan.presence import NEVER, Condition

UFUNCS = {
    **{name: f"np.{name}" for name in ("add", "subtract", "multiply", "divide", "power", "negative", "square", "sqrt")},
    **{name: f"np.{name}" for name in COMPARISONS},
    **{name: entry.numpy or f"np.{name}" for name, entry in FUNCTIONS.items() if entry.head},
}
"""The spelling of each operation that a line may nest."""


def nested(schedule: Schedule, need: list[Condition], guarded: Container[int]) -> dict[int, int]:
    """Map each node that has no line of its own to the node whose line it is computed in.

    Such a node has no name and no memory, and is read once, in the cases in which it is computed. What it reads is read
    when that line runs, which may be long after the node's place in the schedule.
    """
    named = {*schedule.names.values(), *(e.node for e in schedule.events if e.kind != "make")}
    readers: dict[int, list[ArrayNode]] = {}
    for node in schedule.graph.nodes:
        for operand in node.operands:
            readers.setdefault(operand, []).append(node)
    found: dict[int, int] = {}
    for node in reversed(schedule.graph.nodes):
        if (
            node.operation in UFUNCS
            and not (node.index in named or node.boolean or node.index in guarded)
            and not (node.phase == "block" and node.axes == ROW)
            and len(readers.get(node.index, ())) == 1
            and _is_read_as_computed(node, readers[node.index][0], need)
        ):
            reader = readers[node.index][0].index
            found[node.index] = found.get(reader, reader)
    return found


def _is_read_as_computed(node: ArrayNode, reader: ArrayNode, need: list[Condition]) -> bool:
    takes = reader.operation in UFUNCS or reader.operation in REDUCTIONS
    # What is read in no case may be an operand of a number, which has no line.
    cases = need[node.index]
    same = NEVER != cases == node.computed() & cases == need[reader.index] & reader.computed()
    return takes and node.phase == reader.phase and same
