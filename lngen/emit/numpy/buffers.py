"""Buffers by liveness: a row is written to memory that no row lies in which is read later.

All is exact in each case of absent arguments: two rows share a buffer unless there is a case in which both are computed
and both are alive. Where a call is taken at once there are no buffers, and NumPy makes the memory, but for rows that
are written over an operand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lngen.algebra.symbols import Axes
from lngen.emit.numpy.graph import FILLS, IN_PLACE, ROW, ROW_SCALAR, ArrayNode, ArrayValue
from lngen.emit.numpy.operations import Schedule
from lngen.language import FUNCTIONS
from lngen.plan.presence import NEVER, Condition, any_of

READ_LATE: Mapping[str, tuple[int, ...]] = {
    **{name: entry.reads_late for name, entry in FUNCTIONS.items() if entry.is_helper},
    "attains_first": (),
    "where": (0,),
    **dict.fromkeys(FILLS, ()),
}
"""The operands that a helper still reads when it has begun to write: its result must not have their memory.

Each operation that is more than one ufunc is here; `tests/emit/test_numpy_buffers.py` runs each over its operands.
"""


def has_buffer(node: ArrayNode) -> bool:
    """Test whether a block writes a node to memory: a row, or a row scalar that is written out."""
    is_row = node.axes == ROW and not node.boolean and not node.integer
    return node.phase == "block" and (is_row or (node.operation in FILLS and node.axes == ROW_SCALAR))


@dataclass
class _Life:
    """Life of a row: its start, its readers, each with the cases in which it reads, and all cases."""

    start: int
    ends: dict[int, Condition]
    cases: Condition

    def meets(self, other: _Life) -> bool:
        return bool(self._after(other.start) & other._after(self.start))

    def _after(self, position: int) -> Condition:
        return any_of(cases for end, cases in self.ends.items() if end > position)


@dataclass
class Buffer:
    """Memory: that of a result, in the cases in which it is there, or scratch, which has a number."""

    axes: Axes = ROW
    result: str = ""
    cases: Condition = NEVER
    number: int = 0
    lives: list[_Life] = field(default_factory=list)


class BufferPlan:
    """Buffer of each row that has one, and the operand that a row is written over.

    `line_of` has the nodes that are computed in the line of another: their operands are alive until then.
    """

    def __init__(
        self, schedule: Schedule, need: list[Condition], wanted: Mapping[str, Condition], line_of: Mapping[int, int]
    ) -> None:
        self.nodes, self.need = schedule.graph.nodes, need
        self.returns = 2 * len(self.nodes)
        self.buffers: list[Buffer] = []
        self.of: dict[int, Buffer] = {}
        self.over: dict[int, int] = {}
        lives = self._lives(schedule, line_of)
        for name, result in schedule.stored.items():
            if self.nodes[result].axes == ROW:
                self._own(Buffer(ROW, name, wanted[name]), self.nodes[result], lives)
        for index, life in lives.items():
            if index not in self.of:
                self.of[index] = self._place(life, self.nodes[index].axes)
                self.of[index].lives.append(life)
            over = self._written_over(self.nodes[index])
            if over is not None:
                self.over[index] = over

    def count(self, axes: Axes) -> int:
        """The number of scratch buffers of rows or row scalars, without the memory of results."""
        return sum(not buffer.result and buffer.axes == axes for buffer in self.buffers)

    def _lives(self, schedule: Schedule, line_of: Mapping[int, int]) -> dict[int, _Life]:
        lives: dict[int, _Life] = {}

        def read(index: int, cases: Condition, position: int) -> None:
            for form in self.nodes[index].forms:
                if isinstance(form.value, ArrayValue) and (life := lives.get(form.value.root)):
                    life.ends[position] = life.ends.get(position, NEVER) | (cases & form.cases & life.cases)

        for node in self.nodes:
            cases, place = self.need[node.index], 2 * line_of.get(node.index, node.index)
            if node.operation not in IN_PLACE:
                cases &= node.computed()
            if not cases or (node.phase != "block" and node.operation != "total"):
                continue
            late = READ_LATE.get(node.operation, ())
            for number, operand in enumerate(node.operands):
                read(operand, cases, place + (number in late))
            if has_buffer(node) and node.operation not in ("load", *IN_PLACE):
                lives[node.index] = _Life(place, {place + 1: cases}, cases)
        for result in schedule.stored.values():
            read(result, self.need[result], self.returns)
        return lives

    def _own(self, buffer: Buffer, node: ArrayNode, lives: Mapping[int, _Life]) -> None:
        """Place the rows that a result is in its own memory, where that holds no other value in the end."""
        self.buffers.append(buffer)
        values: dict[int, Condition] = {}
        for form in node.forms:
            if isinstance(form.value, ArrayValue) and form.value.root in lives.keys() - self.of:
                values[form.value.root] = values.get(form.value.root, NEVER) | form.cases
        for root, own in values.items():
            life = lives[root]
            stays = life.ends.get(self.returns, NEVER) & ~own
            if life.cases.implies(buffer.cases) and not any(map(life.meets, buffer.lives)) and not stays:
                self.of[root] = buffer
                buffer.lives.append(life)

    def _place(self, life: _Life, axes: Axes) -> Buffer:
        for buffer in self.buffers:
            # What is alive in the end must not lie in the memory of a result, where another value is copied to.
            fits = not buffer.result or not (life.cases & ~buffer.cases or life.ends.get(self.returns, NEVER))
            if fits and buffer.axes == axes and not any(map(life.meets, buffer.lives)):
                return buffer
        self.buffers.append(Buffer(axes, number=self.count(axes)))
        return self.buffers[-1]

    def _written_over(self, node: ArrayNode) -> int | None:
        """The operand that has the node's memory in each case in which the node is computed, and all of its axes."""
        cases = self.need[node.index] & node.computed()
        for place, operand in enumerate(node.operands):
            values = self.nodes[operand].values(cases)
            if place not in READ_LATE.get(node.operation, ()) and all(
                isinstance(v, ArrayValue) and v.axes == node.axes and self.of.get(v.root) is self.of[node.index]
                for v in values
            ):
                return operand
        return None
