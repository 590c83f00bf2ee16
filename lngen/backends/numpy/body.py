"""Body of `forward`, `backward` and the other directions, which take the rows block by block.

The body has four parts: work once per call before the rows, work on a block, the call that takes block after block, and
work once after all rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lngen.backends.layout import call, tuple_of, wrapped
from lngen.backends.numpy import block_arguments
from lngen.backends.numpy.block_arguments import KINDS, BlockScope
from lngen.backends.numpy.buffers import Buffer, BufferPlan, allocate, needs
from lngen.backends.numpy.finite import require_finite
from lngen.backends.numpy.graph import ROW, ROW_SCALAR, Array, ArrayNode
from lngen.backends.numpy.lines import UFUNCS, NodeLines
from lngen.backends.numpy.operations import Event, Schedule
from lngen.backends.numpy.text import CodeLine, laid_out, read_only_assigned
from lngen.expressions.symbols import FeatureSymbol
from lngen.plan.presence import NEVER, Condition


@dataclass(frozen=True)
class Body:
    """A direction's lines, finished."""

    parameters: Mapping[str, str]
    lines: tuple[str, ...]
    saved_cases: Mapping[str, Condition]


def body(schedule: Schedule, wanted: Mapping[str, Condition], given: Mapping[str, Condition]) -> Body:
    """Return the lines of one direction.

    `wanted` maps a result, by its first name, to the cases in which it is needed, and `given` maps each of its names to
    the cases in which it has an array.

    Raises LngenError if an omitted input makes a value infinite that is read.
    """
    need = needs(schedule, wanted)
    require_finite(schedule, need)
    return _Blocks(schedule, wanted, given, need, allocate(schedule, need, wanted)).print()


class _Blocks(NodeLines):
    def __init__(
        self,
        schedule: Schedule,
        wanted: Mapping[str, Condition],
        given: Mapping[str, Condition],
        need: list[Condition],
        allocation: BufferPlan,
    ) -> None:
        super().__init__(schedule, wanted, need, schedule.cases)
        self.given, self.allocation = given, allocation
        self.wide: dict[int, tuple[str, Condition]] = {}
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
                    self.add(
                        "epilogue", f"_blocks.round_to({target}, ..., {self.spelled(event.node)})", self.given[name]
                    )
        scope = BlockScope(self, self.allocation, self.buffer_names)
        loads = block_arguments.read(scope)
        kept = block_arguments.written(scope)
        buffers = block_arguments.scratch(scope)
        totals = self._totals()
        summed = [node for node in totals if self._is_summed(node.index)]
        sums = (
            [CodeLine(f"{_assigned([f'{self.variables[node.index]}_sums' for node in summed])}sums")] if summed else []
        )
        own = [*sums, *read_only_assigned([*loads.inside, *self.lines["block"]])]
        prologue = self.numbers() + self.weights() + self.parameters() + self.lines["prologue"]
        absent = [line for node in totals for line in self.absent(node)]
        parts = [prologue + self._wide_parameters(), own, absent + self.lines["epilogue"]]
        truths, (outer, inner, epilogue) = self.conditions_named(parts)
        names = [*loads.names, *kept.names, *buffers.names, *(["sums"] if summed else [])]
        of_features = sum(node.axes == FeatureSymbol.varies for node in summed)
        counts = {"feature_sums": of_features, "sums": len(summed) - of_features}
        return Body(
            parameters=self.parameter_names(),
            lines=(
                *truths,
                *laid_out(outer, 4),
                *_each_block(
                    names,
                    laid_out(inner, 8),
                    [self.variables[node.index] for node in summed],
                    [f"reads={tuple_of(loads.passed)}", f"writes={tuple_of(kept.passed)}"]
                    + buffers.passed
                    + [f"{name}={count}" for name, count in counts.items() if count],
                ),
                *laid_out(epilogue, 4),
            ),
            saved_cases=self._saved_cases(),
        )

    # Work on a block

    def out(self, node: ArrayNode) -> str:
        return self.buffer_names[self.allocation.of_node[node.index]]

    def work(self, node: ArrayNode) -> list[str]:
        return [self.buffer_names[buffer] for buffer in self.allocation.work.get(node.index, ())]

    def row_reduction(self, operation: str, operands: list[str], into: list[str]) -> str:
        if operation == "mean":
            operands = [*operands, self.width()]
        return f"_rows.row_{operation}({', '.join(operands + into)})"

    def ufunc(self, node: ArrayNode, arguments: list[str]) -> str:
        if self._is_by_feature(node):
            arguments[1] = self._repeated(node)
            return f"_rows.by_feature({UFUNCS[node.operation]}, {', '.join(arguments)})"
        if self._is_by_row(node):
            return f"_rows.by_row({UFUNCS[node.operation]}, {', '.join(arguments)})"
        return super().ufunc(node, arguments)

    def _is_by_row(self, node: ArrayNode) -> bool:
        """Test whether a node combines a row with a row scalar, in memory that is not the row's."""
        if [self.nodes[operand].axes for operand in node.operands] != [ROW, ROW_SCALAR] or node.boolean:
            return False
        cases = self.need[node.index] & node.computed()
        values = [form.value for operand in node.operands for form in self.nodes[operand].forms if form.cases & cases]
        if not all(isinstance(value, Array) and value.axes.rows for value in values):
            return False
        own = self.allocation.of_node[node.index]
        roots = {value.root for value in values if isinstance(value, Array)}
        return all(self.allocation.of_node.get(root) != own for root in roots)

    def _is_by_feature(self, node: ArrayNode) -> bool:
        """Test whether a node combines a row with a parameter that has a value per feature, in every case.

        With absent inputs, a row may become a row scalar, and a parameter a number.
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

    def _repeated(self, node: ArrayNode) -> str:
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
        sums = f"{self.variables[total.index]}_sums"
        if total.axes == FeatureSymbol.varies:
            self.add("block", f"_rows.add_rows({', '.join([value, sums, *weights])})", cases, event)
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

    # Lines around the body

    def _buffer_name(self, buffer: Buffer) -> str:
        if buffer.result:
            return self.names.internal(f"{buffer.result}_block")
        return f"{KINDS[buffer.axes, buffer.boolean]}[{buffer.number - 1}]"

    def _wide_parameters(self) -> list[CodeLine]:
        lines = []
        for index, (name, cases) in self.wide.items():
            # An argument is always present, if only as None; None repeated is None.
            is_argument = self.nodes[index].operation == "load" and self.variables[index] == self.nodes[index].name
            condition = "" if is_argument else self.cases.condition(cases)
            lines.append(CodeLine(f"{name} = _rows.repeated({self.variables[index]})", condition))
        return lines

    def _totals(self) -> list[ArrayNode]:
        """The sums over rows that something reads, those with a value per feature first."""
        totals = [node for node in self.nodes if node.operation == "total" and self.need[node.index]]
        return sorted(totals, key=lambda node: node.axes != FeatureSymbol.varies)

    def _is_summed(self, total: int) -> bool:
        return bool(self.need[total] & self.nodes[total].computed())

    def _saved_cases(self) -> dict[str, Condition]:
        return {
            symbol.name: self.need[self.schedule.names[symbol.name]]
            for symbol in self.program.saved
            if self.program.direction != "forward"
        }


def _each_block(
    parameters: Sequence[str], lines: Sequence[str], sums: Sequence[str], arguments: Sequence[str]
) -> list[str]:
    """Print the function of a block and the call that takes block after block; nothing where a block takes no line.

    >>> _each_block([], [], [], ["reads=()", "writes=()"])
    []
    >>> print("\\n".join(_each_block(["x"], ["        total += x"], [], ["reads=(x_rows,)"])).strip())
    def block(x):
            total += x
    <BLANKLINE>
        _blocks.each_block(block, call, reads=(x_rows,))
    """
    if not lines:
        return []
    made = call(_assigned(sums), "_blocks.each_block", ["block", "call", *arguments], 4)
    return ["", *wrapped(f"def block({', '.join(parameters)}):", 4), *lines, "", *made]


def _assigned(names: Sequence[str]) -> str:
    """Return the left-hand side of a value that is unpacked."""
    return f"{tuple_of(names) if len(names) == 1 else ', '.join(names)} = " if names else ""
