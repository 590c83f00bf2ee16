"""Buffer allocation: the readers of a node, its life, and the buffer or operand that holds it.

All are exact in each case of absent arguments: two nodes share a buffer unless there is a case in which both are
computed and both are alive.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lngen.backends.numpy.graph import IN_PLACE, ROW, ROW_SCALAR, Array, ArrayNode, Value
from lngen.backends.numpy.operations import Schedule
from lngen.expressions.symbols import Axes
from lngen.language import FUNCTIONS
from lngen.plan.presence import NEVER, Condition, any_of

READ_LATE: Mapping[str, tuple[int, ...]] = {
    **{name: entry.reads_late for name, entry in FUNCTIONS.items() if entry.is_helper},
    "attains_first": (),
    "where": (0, 1),
    "residual": (0, 1, 2),
    "expand": (),
    "write out": (),
}
"""The operands that a helper still reads when it has begun to write: its result must not have their memory.

Each operation that is more than one ufunc is here; `tests/backends/test_numpy_buffers.py` runs each over its operands.
"""

WORK_BUFFERS: Mapping[str, int] = {name: entry.work for name, entry in FUNCTIONS.items() if entry.work}
"""Number of buffers of its own shape that an operation needs while it runs."""

# A position is four times an event's number: room for "just before" and "just after".
_EVENT = 4


@dataclass(frozen=True)
class Buffer:
    """Memory that nodes are written to.

    `result` names the output, gradient or saved row scalar that owns the memory. Such memory is scratch until the event
    that stores the result, in the cases in which the result is present.
    """

    axes: Axes
    boolean: bool
    number: int
    result: str = ""
    until: int = 0
    cases: Condition = NEVER


@dataclass
class BufferPlan:
    """Buffer of each computed node of the loop, and the work buffers of operations that need some."""

    buffers: list[Buffer] = field(default_factory=list)
    of_node: dict[int, int] = field(default_factory=dict)
    work: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def count(self, axes: Axes, boolean: bool = False) -> int:
        """Return the number of scratch buffers of a kind, without the memory of results."""
        return sum(not buffer.result and (buffer.axes, buffer.boolean) == (axes, boolean) for buffer in self.buffers)


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
            elif isinstance(form.value, Array):
                for operand in node.operands:
                    need[operand] |= cases
    return need


def allocate(schedule: Schedule, need: list[Condition], wanted: Mapping[str, Condition]) -> BufferPlan:
    """Give every computed node of the loop a buffer, results' own memory first."""
    allocation = BufferPlan()
    lives = _Lives(schedule, need)
    residents: list[list[_Life]] = []
    for position, event in enumerate(schedule.events):
        if event.kind in ("store", "save"):
            node = schedule.graph.nodes[event.node]
            axes = event.store.symbol.varies if event.store else ROW_SCALAR
            buffer = Buffer(axes, False, 0, event.name, position * _EVENT, wanted[event.name])
            allocation.buffers.append(buffer)
            residents.append([])
            life = lives.of.get(event.node)
            free = event.node not in allocation.of_node and node.axes == axes
            if life and free and not life.cases & ~buffer.cases:
                allocation.of_node[event.node] = len(allocation.buffers) - 1
                residents[-1].append(life)
    for index, life in lives.of.items():
        node = schedule.graph.nodes[index]
        if index not in allocation.of_node:
            allocation.of_node[index] = _place(allocation, residents, life, node.axes, node.boolean)
        work = []
        for _ in range(WORK_BUFFERS.get(node.operation, 0)):
            own = _Life(life.start - 1, {life.start + 1: life.cases}, life.cases)
            work.append(_place(allocation, residents, own, node.axes, False))
        if work:
            allocation.work[index] = tuple(work)
    return allocation


def overwritten(schedule: Schedule, need: list[Condition]) -> dict[int, int]:
    """Map row values to the operands in whose memory they may be written.

    In each case in which the value is computed, the operand is an intermediate row that is not a result, and that no
    later node reads. `y = xhat*gamma` may be written over xhat, but `xhat = x*rstd` not over the argument x.
    """
    nodes, lives = schedule.graph.nodes, _Lives(schedule, need)
    results: dict[int, Condition] = {}
    for event in schedule.events:
        for form in nodes[event.node].forms if event.kind in ("store", "save") else ():
            if isinstance(form.value, Array):
                results[form.value.root] = results.get(form.value.root, NEVER) | form.cases

    def is_scratch(value: Value, cases: Condition, position: int) -> bool:
        if not isinstance(value, Array) or value.axes != ROW or nodes[value.root].boolean:
            return False
        return not results.get(value.root, NEVER) & cases and lives.have_ended(value.root, cases, position)

    def is_free(operand: ArrayNode, cases: Condition, position: int) -> bool:
        forms = ((form.value, form.cases & cases) for form in operand.forms)
        return all(is_scratch(value, some, position) for value, some in forms if some)

    found: dict[int, int] = {}
    for number, event in enumerate(schedule.events):
        node = nodes[event.node]
        if event.kind != "make" or node.index not in lives.of or node.axes != ROW or node.boolean:
            continue
        cases = need[node.index] & node.computed()
        free = [operand for operand in node.operands if is_free(nodes[operand], cases, number * _EVENT)]
        if free:
            found[node.index] = free[0]
    return found


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

    def ends_after(self, position: int, cases: Condition) -> bool:
        """Test whether the node is alive after a position in one of these cases."""
        return bool(self._after(position) & cases)

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
    def __init__(self, schedule: Schedule, need: list[Condition]) -> None:
        self.nodes = schedule.graph.nodes
        self.of: dict[int, _Life] = {}
        for position, event in enumerate(schedule.events):
            node = self.nodes[event.node]
            if event.kind == "make":
                self._make(node, need[node.index], position * _EVENT)
            elif event.kind in ("store", "save"):
                self._use(event.node, need[event.node], position * _EVENT)
            elif event.kind == "sum":
                for operand in node.operands:
                    self._use(operand, need[node.index] & node.computed(), position * _EVENT)

    def have_ended(self, index: int, cases: Condition, position: int) -> bool:
        """Test whether a node is made in all of these cases, and not read in any of them after a position."""
        life = self.of.get(index)
        return life is not None and cases.implies(life.cases) and not life.ends_after(position, cases)

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
        self.of[node.index] = _Life(position, {position + 1: computed}, computed)

    def _use(self, index: int, cases: Condition, position: int) -> None:
        for form in self.nodes[index].forms:
            if isinstance(form.value, Array) and form.value.root in self.of:
                life = self.of[form.value.root]
                life.lasts_until(position, cases & form.cases & life.cases)


def _place(allocation: BufferPlan, residents: list[list[_Life]], life: _Life, axes: Axes, boolean: bool) -> int:
    for number, buffer in enumerate(allocation.buffers):
        if (buffer.axes, buffer.boolean) != (axes, boolean):
            continue
        if buffer.result and (life.cases & ~buffer.cases or life.ends_after(buffer.until, life.cases)):
            continue
        if not any(life.meets(other) for other in residents[number]):
            residents[number].append(life)
            return number
    allocation.buffers.append(Buffer(axes, boolean, allocation.count(axes, boolean) + 1))
    residents.append([life])
    return len(allocation.buffers) - 1
