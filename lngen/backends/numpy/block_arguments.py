"""Arguments of a block's function: rows to read, memory for results, and scratch.

Each has the names of its parameters, and the expressions from which `blocks.each_block` of the runtime makes the
arguments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lngen.backends.layout import tuple_of
from lngen.backends.numpy.buffers import BufferPlan
from lngen.backends.numpy.graph import ROW, ROW_SCALAR
from lngen.backends.numpy.lines import NodeLines
from lngen.backends.numpy.text import CodeLine
from lngen.expressions.symbols import Axes

KINDS: Mapping[tuple[Axes, bool], str] = {
    (ROW, False): "buffers",
    (ROW_SCALAR, False): "row_scalars",
    (ROW, True): "masks",
    (ROW_SCALAR, True): "row_scalar_masks",
}
"""Name of the scratch of each kind: rows or row scalars, of the compute type or of booleans."""


@dataclass(frozen=True)
class BlockScope:
    """The lines of a direction, and its buffers with their names."""

    lines: NodeLines
    allocation: BufferPlan
    buffers: list[str]

    def stored(self, result: str) -> tuple[str, ...]:
        """The arrays that a result is written to."""
        events = (event for event in self.lines.schedule.events if event.kind in ("store", "save"))
        event = next(event for event in events if event.name == result)
        names = event.store.names if event.store else (event.name,)
        return tuple(f"{name}_out" for name in names)


@dataclass
class BlockArguments:
    """Arguments of one kind: `names` of the parameters, and `passed`, the runtime's expressions for them.

    `inside` are lines at the beginning of the block function.
    """

    names: list[str] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    inside: list[CodeLine] = field(default_factory=list)


def read(scope: BlockScope) -> BlockArguments:
    """The rows and row scalars that a block reads."""
    given = BlockArguments()
    lines = scope.lines
    for node, cases in lines.loaded("block"):
        name, variable = node.name, lines.variables[node.index]
        absent = lines.absent(node)
        parameter = name if absent else variable
        given.passed.append(f"{name}_rows")
        given.names.append(parameter)
        if parameter != variable and cases:
            given.inside.append(CodeLine(f"{variable} = {parameter}", lines.cases.condition(cases)))
        given.inside += absent
    return given


def written(scope: BlockScope) -> BlockArguments:
    """The places of results; several arrays are written alike."""
    given = BlockArguments()
    for buffer, block in zip(scope.allocation.buffers, scope.buffers, strict=True):
        if buffer.result and buffer.cases:
            outs = scope.stored(buffer.result)
            given.passed.append(outs[0] if len(outs) == 1 else tuple_of(outs))
            given.names.append(block)
    return given


def scratch(scope: BlockScope) -> BlockArguments:
    """Return the scratch buffers, a tuple for each kind."""
    given = BlockArguments()
    for (axes, boolean), name in KINDS.items():
        if count := scope.allocation.count(axes, boolean):
            given.names.append(scope.lines.names.internal(name))
            given.passed.append(f"{name}={count}")
    return given
