"""Choice of the variable that holds a node."""

from __future__ import annotations

from lngen.backends.numpy.graph import IN_PLACE, REDUCTIONS, ArrayNode, NumberNode
from lngen.backends.numpy.operations import Schedule
from lngen.backends.numpy.text import LocalNames
from lngen.plan.presence import Condition

_HELD_ELSEWHERE = frozenset({"load", "number", "total"})


def names_of(schedule: Schedule) -> LocalNames:
    """The names of a direction: the derivation's own."""
    return LocalNames(name for name, _ in _own_names(schedule))


def variables(schedule: Schedule, need: list[Condition], names: LocalNames) -> list[str]:
    """A variable for each node: the derivation's name; for part of a line that line's name, or `part`.

    A line builds up its value under one name: along the first operand that is unnamed and that nothing else
    reads.
    """
    nodes = schedule.graph.nodes
    found = [""] * len(nodes)
    for name, index in _own_names(schedule):
        found[index] = found[index] or name
    for node in nodes:
        if node.operation in IN_PLACE:
            found[node.operands[0]] = found[node.operands[0]] or found[node.index]
    users: dict[int, list[int]] = {}
    for node in nodes:
        for operand in set(node.operands):
            users.setdefault(operand, []).append(node.index)
        if node.operation == "load" and _is_read_as_number(node, need[node.index]):
            found[node.index] = names.internal(f"{found[node.index]}_value")
    leaves = {event.node for event in schedule.events if event.kind != "make"}
    grows_into = list(range(len(nodes)))
    for node in reversed(nodes):
        if node.operation in REDUCTIONS | IN_PLACE or node.operation in ("total", "residual"):
            continue
        for operand in node.operands:
            inner = nodes[operand]
            alone = users[operand] == [node.index] and operand not in leaves and not found[operand]
            same = (inner.phase, inner.boolean, inner.axes) == (node.phase, node.boolean, node.axes)
            if alone and same and inner.operation not in _HELD_ELSEWHERE:
                grows_into[operand] = grows_into[node.index]
                if node.operation != "either":
                    break
    for node in nodes:
        whole = grows_into[node.index]
        if not found[whole] and node.operation != "number":
            found[whole] = names.internal("mask" if node.boolean else "part")
        found[node.index] = found[whole]
    return found


def _own_names(schedule: Schedule) -> list[tuple[str, int]]:
    given = [(node.name, node.index) for node in schedule.graph.nodes if node.operation in ("load", "total")]
    return given + list(schedule.names.items())


def _is_read_as_number(node: ArrayNode, need: Condition) -> bool:
    """Test whether an operation reads the neutral number of an absent load."""
    return any(bool(need & form.cases) for form in node.forms if isinstance(form.value, NumberNode))
