"""From a schedule to the lines of `_forward` or `_backward`, which take the rows block by block.

Lists of lines: what is done once a call before the rows, what is done to a block of rows, what each worker sets
up and how it takes block after block, and what is done once after all rows. The template puts them where they belong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from lngen.backends.numpy import block_arguments
from lngen.backends.numpy.block_arguments import Scope
from lngen.backends.numpy.buffers import Allocation, Buffer, allocate, needs
from lngen.backends.numpy.finite import require_finite
from lngen.backends.numpy.graph import ROW, ROW_SCALAR, Array, Node
from lngen.backends.numpy.lines import UFUNCS, Lines
from lngen.backends.numpy.operations import Event, Schedule
from lngen.backends.numpy.text import Line, laid_out, read_only_assigned
from lngen.expressions.symbols import FeatureSymbol
from lngen.plan.presence import NEVER, Condition


@dataclass(frozen=True)
class Body:
    """A direction's lines, finished."""

    arguments: tuple[str, ...]
    parameters: tuple[str, ...]
    prologue: tuple[str, ...]
    block_parameters: tuple[str, ...]
    block: tuple[str, ...]
    setup: tuple[str, ...]
    loop: tuple[str, ...]
    epilogue: tuple[str, ...]
    saved_cases: Mapping[str, Condition]


def body(schedule: Schedule, wanted: Mapping[str, Condition], given: Mapping[str, Condition]) -> Body:
    """The lines of one direction.

    `wanted` says of what leaves the program, by its first name, in which cases it is asked for, and `given`
    in which cases each of its names has an array.

    Raises LngenError where an input that is left out makes something infinite that is read.
    """
    need = needs(schedule, wanted)
    require_finite(schedule, need)
    return _Blocks(schedule, wanted, given, need, allocate(schedule, need, wanted)).print()


class _Blocks(Lines):
    def __init__(
        self,
        schedule: Schedule,
        wanted: Mapping[str, Condition],
        given: Mapping[str, Condition],
        need: list[Condition],
        allocation: Allocation,
    ) -> None:
        super().__init__(schedule, wanted, need, schedule.cases)
        self.given, self.allocation = given, allocation
        self.wide: dict[int, tuple[str, Condition]] = {}
        self.adds_rows = self.sums_equally = False
        self.buffer_names = [self._buffer_name(buffer) for buffer in allocation.buffers]

    def print(self) -> Body:
        for event in self.schedule.events:
            if event.kind == "make":
                self.make(event)
            elif event.kind == "sum":
                self._sum(event)
            elif event.kind in ("store", "save"):
                self._kept(event)
            else:
                assert event.store is not None
                for name in event.store.names:
                    target = f"{name}_out"
                    self.add("epilogue", f"_rows.round_to({target}, ..., {self.spelled(event.node)})", self.given[name])
        scope = Scope(self, self.allocation, self.buffer_names)
        loads = block_arguments.read(scope)
        kept = block_arguments.written(scope)
        buffers = block_arguments.scratch(scope)
        totals, sums = self._totals()
        prologue = self.weights() + self.parameters() + self.lines["prologue"] + self._wide_parameters()
        if self.sums_equally:
            totals.append(Line("each_row = _rows.equal_weights(height, 1.0, dtype)[:, np.newaxis]"))
        column = ["column"] if self.adds_rows else []
        if column:
            buffers.setup.append(Line("column = np.empty(features, dtype)"))
        chunk = ["chunk"] if any("[chunk]" in line.text for line in self.lines["block"]) else []
        own = read_only_assigned([*loads.inside, *buffers.inside, *self.lines["block"]])
        call = f"block({', '.join([*chunk, *loads.part, *kept.part, *buffers.part, *column])})"
        loop = [Line(call), *kept.after]
        parts = [self.numbers() + prologue + totals, own, [*loads.setup, *kept.setup, *buffers.setup], loop]
        parts.append(sums + self.lines["epilogue"])
        truths, (outer, own, setup, loop, epilogue) = self.conditions_named(parts)
        return Body(
            arguments=tuple(node.name for node in self.arguments()),
            parameters=self.signature(),
            prologue=(*truths, *laid_out(outer, 4)),
            block_parameters=(*chunk, *loads.names, *kept.names, *buffers.names, *column),
            block=laid_out(own, 8),
            setup=laid_out(setup, 8),
            loop=laid_out(loop, 12),
            epilogue=laid_out(epilogue, 4),
            saved_cases=self._saved_cases(),
        )

    # What is done to a block

    def out(self, node: Node) -> str:
        return self.buffer_names[self.allocation.of_node[node.index]]

    def work(self, node: Node) -> list[str]:
        return [self.buffer_names[buffer] for buffer in self.allocation.work.get(node.index, ())]

    def row_reduction(self, operation: str, operands: list[str], into: list[str]) -> str:
        if operation == "mean":
            operands = [*operands, self.width()]
        return f"_rows.row_{operation}({', '.join(operands + into)})"

    def ufunc(self, node: Node, arguments: list[str]) -> str:
        if self._is_by_feature(node):
            arguments[1] = self._repeated(node)
            return f"_rows.by_feature({UFUNCS[node.operation]}, {', '.join(arguments)})"
        if self._is_by_row(node):
            return f"_rows.by_row({UFUNCS[node.operation]}, {', '.join(arguments)})"
        return super().ufunc(node, arguments)

    def _is_by_row(self, node: Node) -> bool:
        """Whether a node is made of a row and of a number a row, in memory that is not the row's."""
        if [self.nodes[operand].axes for operand in node.operands] != [ROW, ROW_SCALAR] or node.boolean:
            return False
        cases = self.need[node.index] & node.computed()
        values = [form.value for operand in node.operands for form in self.nodes[operand].forms if form.cases & cases]
        if not all(isinstance(value, Array) and value.axes.rows for value in values):
            return False
        own = self.allocation.of_node[node.index]
        roots = {value.root for value in values if isinstance(value, Array)}
        return all(self.allocation.of_node.get(root) != own for root in roots)

    def _is_by_feature(self, node: Node) -> bool:
        """Whether a node is made of a row, and of a parameter that has a value a feature, whenever it is.

        With inputs left out a row may be a number a row, and a parameter one for all features.
        """
        operands = [self.nodes[operand] for operand in node.operands]
        if [operand.axes for operand in operands] != [ROW, FeatureSymbol.varies] or operands[1].phase != "prologue":
            return False
        cases = self.need[node.index] & node.computed()
        return all(
            isinstance(form.value, Array) and form.value.axes == operand.axes
            for operand in operands
            for form in operand.forms
            if form.cases & cases
        )

    def _repeated(self, node: Node) -> str:
        """The name of a node's parameter, repeated for several rows."""
        index, cases = node.operands[1], self.need[node.index] & node.computed()
        name, known = self.wide.get(index) or (self.names.internal(f"{self.variables[index]}_wide"), NEVER)
        self.wide[index] = name, known | cases
        return name

    def _sum(self, event: Event) -> None:
        total = self.nodes[event.node]
        cases = self.need[total.index] & total.computed()
        if not cases:
            return
        value, *weights = [self.spelled(operand) for operand in total.operands]
        sums = f"{self.variables[total.index]}_sums[chunk]"
        if total.axes == FeatureSymbol.varies:
            self.adds_rows, self.sums_equally = True, self.sums_equally or not weights
            self.add("block", f"_rows.add_rows({value}, {(weights or ['each_row'])[0]}, {sums}, column)", cases, event)
        else:
            self.add("block", f"{sums} += np.add.reduce({value}, axis=None)", cases, event)

    def _kept(self, event: Event) -> None:
        """A finished value, in the memory of its result: there it is, or there it is copied."""
        node = self.nodes[event.node]
        own = next(n for n, buffer in enumerate(self.allocation.buffers) if buffer.result == event.name)
        elsewhere = NEVER
        for form in node.forms:
            root = form.value.root if isinstance(form.value, Array) else None
            if root is None or self.allocation.of_node.get(root) != own:
                elsewhere |= self.wanted[event.name] & form.cases
        if elsewhere:
            self.add("block", f"{self.buffer_names[own]}[...] = {self.spelled(event.node)}", elsewhere)

    # What surrounds the lines

    def _buffer_name(self, buffer: Buffer) -> str:
        if buffer.result:
            return self.names.internal(f"{buffer.result}_block")
        kind = "row_scalar" if buffer.axes == ROW_SCALAR else "buffer"
        return self.names.internal(f"{kind}_mask_{buffer.number}" if buffer.boolean else f"{kind}_{buffer.number}")

    def _wide_parameters(self) -> list[Line]:
        return [
            Line(f"{name} = _rows.repeated({self.variables[index]})", self.cases.condition(cases))
            for index, (name, cases) in self.wide.items()
        ]

    def _totals(self) -> tuple[list[Line], list[Line]]:
        totals, sums = [], []
        for node in self.nodes:
            cases = self.need[node.index] & node.computed()
            if node.operation != "total" or not self.need[node.index]:
                continue
            variable = self.variables[node.index]
            condition = self.cases.condition(cases)
            if cases:
                shape = "(len(chunks), features)" if node.axes == FeatureSymbol.varies else "len(chunks)"
                totals.append(Line(f"{variable}_sums = np.zeros({shape}, dtype)", condition))
                sums.append(Line(f"{variable} = np.add.reduce({variable}_sums, axis=0)", condition))
            sums += self.absent(node)
        return totals, sums

    def _saved_cases(self) -> dict[str, Condition]:
        return {
            symbol.name: self.need[self.schedule.names[symbol.name]]
            for symbol in self.program.saved
            if self.program.direction != "forward"
        }
