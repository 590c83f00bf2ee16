"""What the function of a block is given: rows to read, places for results, and scratch.

For each there are the names of its parameters, what a worker sets up for it, and the arguments for a block of rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from lngen.backends.layout import WIDTH, tuple_of
from lngen.backends.numpy.buffers import Allocation
from lngen.backends.numpy.graph import ROW, ROW_SCALAR
from lngen.backends.numpy.lines import Lines, row_width
from lngen.backends.numpy.text import Line
from lngen.expressions.symbols import Axes

_KINDS: tuple[tuple[Axes, bool], ...] = ((ROW, False), (ROW_SCALAR, False), (ROW, True), (ROW_SCALAR, True))


@dataclass(frozen=True)
class Scope:
    """The lines of a direction, and its buffers with their names."""

    lines: Lines
    allocation: Allocation
    buffers: list[str]

    def stored(self, result: str) -> tuple[str, ...]:
        """The arrays that a result is written to."""
        events = (event for event in self.lines.schedule.events if event.kind in ("store", "save"))
        event = next(event for event in events if event.name == result)
        names = event.store.names if event.store else (event.name,)
        return tuple(f"{name}_out" for name in names)


@dataclass
class BlockArguments:
    """Arguments of one kind: `names` of the parameters, and `part`, what is passed for a block of rows.

    `setup` is done once a worker, `after` after each block, `inside` at the block function's beginning.
    """

    names: list[str] = field(default_factory=list)
    setup: list[Line] = field(default_factory=list)
    after: list[Line] = field(default_factory=list)
    part: list[str] = field(default_factory=list)
    inside: list[Line] = field(default_factory=list)


def read(scope: Scope) -> BlockArguments:
    """The rows and row scalars that a block reads."""
    given = BlockArguments()
    lines = scope.lines
    for node, cases in lines.loaded("block"):
        name, variable = node.name, lines.variables[node.index]
        absent = lines.absent(node)
        parameter = name if absent else variable
        given.setup.append(Line(f"read_{name} = _rows.reader({name}_rows, dtype, height{_kind(node.axes)})"))
        given.part.append(f"read_{name}(span)")
        given.names.append(parameter)
        if parameter != variable and cases:
            given.inside.append(Line(f"{variable} = {parameter}", lines.cases.condition(cases)))
        given.inside += absent
    return given


def written(scope: Scope) -> BlockArguments:
    """The places of results; what is written elsewhere too is handed on after each block."""
    given = BlockArguments()
    for buffer, block in zip(scope.allocation.buffers, scope.buffers, strict=True):
        if not buffer.result or not buffer.cases:
            continue
        outs = scope.stored(buffer.result)
        name = buffer.result
        writer = f"_rows.writer({tuple_of(outs)}, dtype, height{_kind(buffer.axes)})"
        given.setup.append(Line(f"place_{name}, hand_on_{name} = {writer}"))
        given.part.append(f"place_{name}(span)")
        given.after.append(Line(f"hand_on_{name}(span)"))
        given.names.append(block)
    return given


def scratch(scope: Scope) -> BlockArguments:
    """The scratch buffers, one array for those of a kind."""
    given = BlockArguments()
    for axes, boolean in _KINDS:
        numbers = [
            number
            for number, buffer in enumerate(scope.allocation.buffers)
            if not buffer.result and (buffer.axes, buffer.boolean) == (axes, boolean)
        ]
        if not numbers:
            continue
        words = ("row_scalar" if axes == ROW_SCALAR else "row") + ("_masks" if boolean else "_buffers")
        name = scope.lines.names.internal(words)
        width, kind = row_width(axes), "np.bool_" if boolean else "dtype"
        given.setup.append(Line(f"{name} = np.empty(({len(numbers)}, height, {width}), {kind})"))
        given.names.append(name)
        given.part.append(f"{name}[:, : span.stop - span.start]")
        own = ", ".join(scope.buffers[number] for number in numbers)
        own = f"({own})" if len(own) + len(name) + 11 > WIDTH else own
        given.inside.append(Line(f"{own} = {name}{'[0]' if len(numbers) == 1 else ''}"))
    return given


def _kind(axes: Axes) -> str:
    return "" if axes == ROW else ", row_scalars=True"
