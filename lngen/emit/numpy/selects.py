"""Guards: values that only one side of a select reads are computed where that side is taken.

`log(x)` where x is positive, and 0 elsewhere, must not warn about the other x. A ufunc takes a mask for that.
"""

from __future__ import annotations

from lngen.emit.numpy.graph import ENTRY, REDUCTIONS, ArrayNode
from lngen.emit.numpy.operations import Schedule
from lngen.language import FUNCTIONS
from lngen.plan.presence import Condition

Side = tuple[int, bool]
"""A mask, and whether it has to hold."""

_CAN_WARN = {"divide", "power", *(name for name, entry in FUNCTIONS.items() if not entry.is_total)}

_HELPERS = {name for name, entry in FUNCTIONS.items() if entry.is_helper}

# These take no mask.
_WHOLE = (
    REDUCTIONS | _HELPERS | {"attains_first", "where", ENTRY, "expand", "write out", "real", "load", "number", "total"}
)


def guards(schedule: Schedule, need: list[Condition]) -> dict[int, Side]:
    """Return the nodes to be computed under a mask: those that could warn about entries that are discarded."""
    nodes = schedule.graph.nodes
    sides: dict[int, set[Side | None]] = {}
    only: dict[int, Side] = {}
    leaves = {event.node for event in schedule.events if event.kind != "make"}
    for node in reversed(nodes):
        used = sides.get(node.index, {None})
        side = next(iter(used)) if len(used) == 1 and node.index not in leaves else None
        takes_mask = node.phase == "block" and node.operation not in _WHOLE
        if side and takes_mask and _is_there(nodes[side[0]], node, need):
            only[node.index] = side
        for place, operand in enumerate(node.operands):
            if node.operation == "where":
                inner = (node.operands[0], place == 1) if place else None
            else:
                inner = only.get(node.index)
            sides.setdefault(operand, set()).add(inner)
    found: dict[int, Side] = {}
    for index in sorted(only):
        node = nodes[index]
        if node.operation in _CAN_WARN or any(operand in found for operand in node.operands):
            found[index] = only[index]
    return found


def _is_there(mask: ArrayNode, node: ArrayNode, need: list[Condition]) -> bool:
    """Test whether a mask fits a node, and is computed before it in every case."""
    computed = need[node.index] & node.computed()
    before = mask.phase == "block" and mask.index < node.index
    fits = mask.axes.join(node.axes) == node.axes
    return before and fits and computed.implies(need[mask.index] & mask.computed())
