"""Lines of Python for nodes: the text of an operation, and the condition under which it is done.

`NodeLines` is shared by both paths. The block path (`body`) writes every result into existing memory, and the fast path
(`fast_path`) lets NumPy allocate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from sympy import Expr

from lngen.backends.expressions import decimal, formula, is_short
from lngen.backends.layout import truth, tuple_of
from lngen.backends.numpy.graph import REDUCTIONS, ROW, SHIFT, ArrayNode, NumberNode
from lngen.backends.numpy.naming import names_of, variables
from lngen.backends.numpy.operations import Event, Schedule
from lngen.backends.numpy.presence import Cases
from lngen.backends.numpy.selects import guards
from lngen.backends.numpy.text import CodeLine, named_conditions
from lngen.expressions.symbols import NOTHING, Axes
from lngen.language import FUNCTIONS
from lngen.plan.presence import Condition
from lngen.plan.program import FAR

UFUNCS = {
    "add": "np.add",
    "subtract": "np.subtract",
    "multiply": "np.multiply",
    "divide": "np.divide",
    "power": "np.power",
    "negative": "np.negative",
    "square": "np.square",
    "sqrt": "np.sqrt",
    **{name: entry.numpy or f"np.{name}" for name, entry in FUNCTIONS.items() if entry.head},
    "greater": "np.greater",
    "greater_equal": "np.greater_equal",
    "less": "np.less",
    "less_equal": "np.less_equal",
    "equal": "np.equal",
    "not_equal": "np.not_equal",
}

_WIDTH_LINE = "D = _rows.number(features, dtype)"


def row_width(axes: Axes) -> str:
    """The entries that a row, or a number of its own, has."""
    return "features" if axes == ROW else "1"


class NodeLines:
    """Lines of one direction, by phase.

    `plain_weights` are the weights of sums and means of one row that they read.
    """

    converted: ClassVar[bool] = True
    """True if numbers come as arrays of the compute type, as all other parameters do."""

    def __init__(
        self, schedule: Schedule, wanted: Mapping[str, Condition], need: list[Condition], cases: Cases
    ) -> None:
        self.schedule, self.wanted, self.need, self.cases = schedule, wanted, need, cases
        self.program, self.nodes = schedule.program, schedule.graph.nodes
        self.names = names_of(schedule)
        self.constants: dict[Expr, str] = {}
        self.plain_weights: set[str] = set()
        self.divides_by_width = False
        self.far_from = ""
        self.variables = variables(schedule, need, self.names)
        self.guards = guards(schedule, need)
        self.lines: dict[str, list[CodeLine]] = {"prologue": [], "block": [], "epilogue": []}

    # Decisions that differ between the two paths

    def out(self, node: ArrayNode) -> str:
        """Return the memory that a node of the rows is written to; "" if NumPy allocates it."""
        raise NotImplementedError

    def row_reduction(self, operation: str, operands: list[str], into: list[str]) -> str:
        """A sum or a mean over each row of the products of two operands."""
        raise NotImplementedError

    def ufunc(self, node: ArrayNode, arguments: list[str]) -> str:
        """A ufunc on rows, under no mask."""
        return f"{UFUNCS[node.operation]}({', '.join(arguments)})"

    def work(self, node: ArrayNode) -> list[str]:
        """Scratch for an operation that asks for it."""
        return []

    # Lines

    def add(self, phase: str, text: str, cases: Condition, event: Event | None = None) -> None:
        """A line under the condition of these cases, with an event's heading."""
        heading = ""
        if event is not None:
            heading = f"step {event.step}: {event.heading}"
        self.lines[phase].append(CodeLine(text, self.cases.condition(cases), heading))

    def spelled(self, index: int) -> str:
        """A node as an operand: its variable, or its number."""
        node = self.nodes[index]
        return self.literal(node.number) if node.number is not None else self.variables[index]

    def literal(self, number: Expr) -> str:
        """A number as Python. One that a type might round is a constant of the compute type, rounded once."""
        if number.is_Boolean:
            return str(bool(number))
        if is_short(number):
            return repr(float(number))
        if number not in self.constants:
            self.constants[number] = self.names.internal(f"constant_{len(self.constants) + 1}")
        return self.constants[number]

    def make(self, event: Event) -> None:
        """The lines of a node, one for each way in which it comes about."""
        node = self.nodes[event.node]
        need = self.need[node.index]
        variable = self.variables[node.index]
        computed = need & node.computed()
        if computed:
            self.add(node.phase, f"{variable} = {self._call(node)}", computed, event)
        for form in node.forms:
            cases = need & form.cases
            if not cases:
                continue
            if node.operation == "less_residual":
                target, residual = (self.variables[operand] for operand in node.operands)
                self.add(node.phase, f"{variable} = _rows.less_residual({target}, {residual})", cases, event)
            elif form.through is not None and self.variables[form.through] != variable:
                same = self.spelled(form.through)
                self.add(node.phase, f"{variable} = {same}", cases, event)
            elif isinstance(form.value, NumberNode) and form.through is None:
                self.add(node.phase, f"{variable} = {self.literal(form.value.value)}", cases, event)

    def _call(self, node: ArrayNode) -> str:
        operands = [self.spelled(index) for index in node.operands]
        in_loop = node.phase == "block"
        out = self.out(node) if in_loop else ""
        into = [f"out={out}"] if out else []
        if node.operation in REDUCTIONS:
            return self._reduction(node.operation, operands, in_loop, into)
        if node.operation == "residual":
            self.plain_weights.add("one_over_D")
            is_mean = self.nodes[node.operands[2]].operation == "mean"
            self.far_from = f"{FAR}.0" if is_mean else f"{FAR}.0 / features**0.5"
            operands += [self.width() if is_mean else "1.0", "far_from", "one_over_D"]
            return f"_rows.residual({', '.join(operands + into)})"
        if node.operation in ("expand", "write out"):
            if not in_loop:
                return f"np.full(features, {operands[0]}, dtype)"
            return f"_rows.filled({operands[0]}, out={out})"
        if node.operation == "attains_first":
            return f"_rows.attains_first({', '.join(operands + into)})"
        if node.operation == "where":
            if not in_loop:
                # Of two Python numbers NumPy makes a double.
                cast = "" if any(map(self._is_typed, node.operands[1:])) else ".astype(dtype)"
                return f"np.where({', '.join(operands)}){cast}"
            return f"_rows.select({', '.join(operands)}, out={out})"
        arguments = operands + into
        if node.index in self.guards:
            mask, holds = self.guards[node.index]
            arguments.append(f"where={'' if holds else '~'}{self.variables[mask]}")
        if node.operation == "divide" and operands[0] == "1.0":
            return f"np.reciprocal({', '.join(arguments[1:])})"
        work = self.work(node)
        arguments += [f"work={tuple_of(work)}"] if work else []
        if in_loop and node.index not in self.guards:
            return self.ufunc(node, arguments)
        return f"{UFUNCS[node.operation]}({', '.join(arguments)})"

    def _is_typed(self, index: int) -> bool:
        """Test whether a value has the compute type, as an array or a number, whatever inputs are absent."""
        values = (form.value for form in self.nodes[index].forms)
        return not any(is_short(value.value) for value in values if isinstance(value, NumberNode))

    def _reduction(self, operation: str, operands: list[str], in_loop: bool, into: list[str]) -> str:
        if operation == SHIFT:
            return f"_rows.shift({', '.join([*operands, *into])})"
        if operation in ("max", "min"):
            over_row = ["axis=-1", "keepdims=True"] if in_loop else []
            return f"np.{operation}imum.reduce({', '.join([*operands, *over_row, *into])})"
        if not in_loop:
            total = f"np.vecdot({', '.join(operands)})" if len(operands) > 1 else f"np.add.reduce({operands[0]})"
            return f"{total} / features" if operation == "mean" else total
        if len(operands) == 1:
            weights = "one_over_D" if operation == "mean" else "ones"
            operation = "sum"
            self.plain_weights.add(weights)
            operands = [operands[0], weights]
        return self.row_reduction(operation, operands, into)

    def width(self) -> str:
        """D in the compute type."""
        self.divides_by_width = True
        return "D"

    def weights(self) -> list[CodeLine]:
        """The lines that make the weights of plain sums and means."""
        lines = []
        for weights, weight in (("one_over_D", "1.0 / features"), ("ones", "1.0")):
            if weights in self.plain_weights:
                lines.append(CodeLine(f"{weights} = _rows.equal_weights(features, {weight}, dtype)"))
        return lines

    def numbers(self) -> list[CodeLine]:
        """The lines that round constants to the compute type."""
        return [
            CodeLine(f'{name} = scalar("{decimal(value)}")', heading=formula(value))
            for value, name in self.constants.items()
        ]

    def loaded(self, phase: str) -> list[tuple[ArrayNode, Condition]]:
        """The arguments that are read in a phase, and in which cases they are arrays."""
        return [
            (node, self.need[node.index] & node.computed())
            for node in self.nodes
            if node.operation == "load" and node.phase == phase and self.need[node.index]
        ]

    def absent(self, node: ArrayNode) -> list[CodeLine]:
        """The lines that give a node's variable its number, in the cases in which it is one."""
        lines = []
        for form in node.forms:
            cases = self.need[node.index] & form.cases
            if isinstance(form.value, NumberNode) and cases:
                text = f"{self.variables[node.index]} = {self.literal(form.value.value)}"
                lines.append(CodeLine(text, self.cases.condition(cases)))
        return lines

    def parameters(self) -> list[CodeLine]:
        """The lines that take the parameters of a call."""
        lines: list[CodeLine] = []
        loaded = self.loaded("prologue")
        if self.divides_by_width and all(node.name != "D" for node, _ in loaded):
            lines.append(CodeLine(_WIDTH_LINE))
        if self.far_from:
            lines.append(CodeLine(f"far_from = _rows.number({self.far_from}, dtype)"))
        for node, cases in loaded:
            name, variable = node.name, self.variables[node.index]
            condition = self.cases.condition(cases)
            if node.name == "D":
                lines.append(CodeLine(_WIDTH_LINE))
            elif cases and node.axes == NOTHING and not self.converted:
                lines.append(CodeLine(f"{variable} = np.asarray({name}, dtype)", condition))
            elif cases and variable != name:
                lines.append(CodeLine(f"{variable} = {name}", condition))
            lines += self.absent(node)
        return lines

    def conditions_named(self, parts: Sequence[Sequence[CodeLine]]) -> tuple[list[str], list[list[CodeLine]]]:
        """Parts whose long conditions have names, and the lines that give them their names."""
        names, renamed = named_conditions(parts, self.names.internal)
        return [line for condition, name in names.items() for line in truth(name, condition, 4)], renamed

    def arguments(self) -> list[ArrayNode]:
        """The loads in the order of the arguments: rows and row scalars, then parameters."""
        loads = [node for node in self.nodes if node.operation == "load" and node.name != "D"]
        return sorted(loads, key=lambda node: node.phase != "block")

    def parameter_names(self) -> dict[str, str]:
        """The names of those arguments as parameters."""
        return {node.name: node.name + ("_rows" if node.phase == "block" else "") for node in self.arguments()}
