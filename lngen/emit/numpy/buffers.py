"""Buffer allocation: the readers of a node, its life, and the memory that holds it.

All are exact in each case of absent arguments: two nodes share a buffer unless there is a case in which both are
computed and both are alive. Where a call is taken at once there are no buffers, and NumPy makes the memory, but for
nodes that are written over an operand.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from lngen.algebra.symbols import Axes
from lngen.emit.numpy.graph import FILLS, IN_PLACE, ROW, ArrayNode, ArrayValue
from lngen.emit.numpy.operations import Schedule
from lngen.language import FUNCTIONS
from lngen.plan.presence import NEVER, Condition, any_of

READ_LATE: Mapping[str, tuple[int, ...]] = {
    **{name: entry.reads_late for name, entry in FUNCTIONS.items() if entry.is_helper},
    "attains_first": (),
    "where": (0, 1),
    **dict.fromkeys(FILLS, ()),
}
"""The operands that a helper still reads when it has begun to write: its result must not have their memory.

Each operation that is more than one ufunc is here; `tests/emit/test_numpy_buffers.py` runs each over its operands.
"""

# A position is four times an event's number: room for "just before" and "just after".
_EVENT = 4


@dataclass(frozen=True)
class Buffer:
    """Memory that nodes are written to.

    `result` names the output or gradient that owns the memory, in the cases in which it is present.
    """

    axes: Axes
    boolean: bool
    number: int
    result: str = ""
    cases: Condition = NEVER


@dataclass
class BufferPlan:
    """Buffer of each node of the loop that has one, and the operand that a node is written over."""

    buffers: list[Buffer] = field(default_factory=list)
    of_node: dict[int, int] = field(default_factory=dict)
    over: dict[int, int] = field(default_factory=dict)

    def count(self, axes: Axes, boolean: bool = False) -> int:
        """Return the number of scratch buffers of a kind, without the memory of results."""
        return sum(not buffer.result and (buffer.axes, buffer.boolean) == (axes, boolean) for buffer in self.buffers)


def has_memory(node: ArrayNode, guarded: Container[int]) -> bool:
    """Test whether a node of the loop is written to a buffer: a row, or what NumPy does not make in full by itself."""
    in_full = node.operation in FILLS or node.operation == "where" or node.index in guarded
    is_plain = node.axes == ROW and not node.boolean and not node.integer
    return node.phase == "block" and node.axes.rows and (in_full or is_plain)


def needs(schedule: Schedule, wanted: Mapping[str, Condition]) -> list[Condition]:
    """Return the cases in which each node is read; `wanted` are the cases of results."""
    nodes = schedule.graph.nodes
    need = [NEVER] * len(nodes)
    for event in schedule.events:
        if event.kind in ("store", "save", "result"):
            need[event.node] |= wanted[event.name]
    for node in reversed(nodes):
        for form in node.forms:
            cases = need[node.index] & form.cases
            if form.through is not None:
                for operand in node.operands if node.operation in IN_PLACE else (form.through,):
                    need[operand] |= cases
            elif isinstance(form.value, ArrayValue):
                for operand in node.operands:
                    need[operand] |= cases
    return need


def allocate(
    schedule: Schedule,
    need: list[Condition],
    wanted: Mapping[str, Condition],
    guarded: Container[int],
    line_of: Mapping[int, int],
) -> BufferPlan:
    """Give every row that is computed in the loop a buffer, results their own memory first.

    `line_of` has the nodes that are computed in the line of another (`nested`): their operands are alive until then.
    """
    allocation, nodes, returns = BufferPlan(), schedule.graph.nodes, len(schedule.events) * _EVENT
    lives = _Lives(schedule, need, guarded, line_of)
    residents: list[list[_Life]] = []
    for event in schedule.events:
        if event.kind not in ("store", "save") or nodes[event.node].axes != ROW:
            continue
        cases = wanted[event.name]
        allocation.buffers.append(Buffer(ROW, False, 0, event.name, cases))
        residents.append([])
        roots = [form.value.root for form in nodes[event.node].forms if isinstance(form.value, ArrayValue)]
        for root in roots:
            life = lives.of.get(root) if root not in allocation.of_node else None
            if not life or not life.cases.implies(cases) or any(map(life.meets, residents[-1])):
                continue
            forms = nodes[event.node].forms
            own = any_of(f.cases for f in forms if isinstance(f.value, ArrayValue) and f.value.root == root)
            if not life.returned(returns) & ~own:
                allocation.of_node[root] = len(allocation.buffers) - 1
                residents[-1].append(life)
    for index, life in lives.of.items():
        if index not in allocation.of_node:
            node = nodes[index]
            allocation.of_node[index] = _place(allocation, residents, life, node, returns)
        over = _written_over(nodes[index], nodes, need, allocation)
        if over is not None:
            allocation.over[index] = over
    return allocation


def _written_over(node: ArrayNode, nodes: list[ArrayNode], need: list[Condition], allocation: BufferPlan) -> int | None:
    """The operand that has the node's memory in each case in which the node is computed, and all of the node's axes."""
    cases, own = need[node.index] & node.computed(), allocation.of_node[node.index]
    for place, operand in enumerate(node.operands):
        if place in READ_LATE.get(node.operation, ()) or nodes[operand].boolean != node.boolean:
            continue
        values = [form.value for form in nodes[operand].forms if form.cases & cases]
        if all(
            isinstance(v, ArrayValue) and v.axes == node.axes and allocation.of_node.get(v.root) == own for v in values
        ):
            return operand
    return None


@dataclass
class _Life:
    """Life of a node: its start, and its ends, each with its cases.

    `cases` are all of them.
    """

    start: int
    ends: dict[int, Condition]
    cases: Condition

    def meets(self, other: _Life) -> bool:
        mine, others = self._after(other.start), other._after(self.start)
        return bool(mine & others)

    def returned(self, position: int) -> Condition:
        """Return the cases in which the node is alive when the function of a block returns.

        It must not lie in the memory of a result that has another value then, which is copied there.
        """
        return self.ends.get(position, NEVER)

    def lasts_until(self, position: int, cases: Condition) -> None:
        """Extend the life in these cases to a position at least."""
        longer = NEVER
        for end, ending in self.ends.items():
            if end < position:
                longer |= ending & cases
                self.ends[end] = ending & ~cases
        self.ends[position] = self.ends.get(position, NEVER) | longer

    def _after(self, position: int) -> Condition:
        return any_of(cases for end, cases in self.ends.items() if end > position)


class _Lives:
    def __init__(
        self, schedule: Schedule, need: list[Condition], guarded: Container[int], line_of: Mapping[int, int]
    ) -> None:
        self.nodes, self.guarded = schedule.graph.nodes, guarded
        self.of: dict[int, _Life] = {}
        made = {event.node: place * _EVENT for place, event in enumerate(schedule.events) if event.kind == "make"}
        for position, event in enumerate(schedule.events):
            node = self.nodes[event.node]
            if event.kind == "make":
                self._make(node, need[node.index], made[line_of.get(node.index, node.index)])
            elif event.kind in ("store", "save"):
                # The function of a block returns it.
                self._use(event.node, need[event.node], len(schedule.events) * _EVENT)
            elif event.kind == "sum":
                for operand in node.operands:
                    self._use(operand, need[node.index] & node.computed(), position * _EVENT)

    def _make(self, node: ArrayNode, need: Condition, position: int) -> None:
        computed = need & node.computed()
        if node.operation in IN_PLACE:
            for operand in node.operands:
                self._use(operand, need, position)
        if not computed or node.phase != "block":
            return
        for place, operand in enumerate(node.operands):
            late = place in READ_LATE.get(node.operation, ())
            self._use(operand, computed, position + 1 if late else position)
        if has_memory(node, self.guarded):
            self.of[node.index] = _Life(position, {position + 1: computed}, computed)

    def _use(self, index: int, cases: Condition, position: int) -> None:
        for form in self.nodes[index].forms:
            if isinstance(form.value, ArrayValue) and form.value.root in self.of:
                life = self.of[form.value.root]
                life.lasts_until(position, cases & form.cases & life.cases)


def _place(allocation: BufferPlan, residents: list[list[_Life]], life: _Life, node: ArrayNode, returns: int) -> int:
    axes, boolean = node.axes, node.boolean
    for number, buffer in enumerate(allocation.buffers):
        if (buffer.axes, buffer.boolean) != (axes, boolean):
            continue
        if buffer.result and (life.cases & ~buffer.cases or life.returned(returns)):
            continue
        if not any(life.meets(other) for other in residents[number]):
            residents[number].append(life)
            return number
    allocation.buffers.append(Buffer(axes, boolean, allocation.count(axes, boolean) + 1))
    residents.append([life])
    return len(allocation.buffers) - 1
