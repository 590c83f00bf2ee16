"""Python expressions of nodes: the function of an operation, its operands, and the memory of its result."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr

from lngen.algebra.symbols import NOTHING, FeatureSymbol
from lngen.emit.expressions import is_short
from lngen.emit.numpy.buffers import BufferPlan, has_buffer
from lngen.emit.numpy.code import Code, called, operated
from lngen.emit.numpy.graph import (
    ENTRY,
    FILLS,
    OF_SHAPE,
    REDUCTIONS,
    ROW,
    ROW_SCALAR,
    SHIFT,
    ArrayNode,
    ArrayValue,
)
from lngen.emit.numpy.naming import LocalNames, variables
from lngen.emit.numpy.operations import Schedule
from lngen.emit.numpy.reads import UFUNCS
from lngen.plan.presence import Condition
from lngen.plan.program import FAR

SCRATCH = {ROW: "buffers", ROW_SCALAR: "row_scalar_buffers"}
_SHAPES = {ROW: "shape", ROW_SCALAR: "shape[:-1]", FeatureSymbol.varies: "features", NOTHING: "()"}


class NodeExpressions:
    """Expressions of the nodes of one direction, with the names that they need.

    `constants` are numbers that a type might round, `wide` the parameters that may come repeated for several rows, each
    with its variable, and `far_from` says from which mean on a residual is looked for.
    """

    def __init__(
        self,
        schedule: Schedule,
        need: list[Condition],
        line_of: Mapping[int, int],
        plan: BufferPlan,
        names: LocalNames,
    ) -> None:
        self.nodes, self.need, self.line_of, self.plan, self.names = schedule.graph.nodes, need, line_of, plan, names
        self.variables = variables(schedule, need, names, line_of)
        self.constants: dict[Expr, str] = {}
        self.wide: dict[int, str] = {}
        self.far_from = ""

    def operand(self, index: int) -> Code:
        """A node as it is read: its number, its expression, or its variable."""
        node = self.nodes[index]
        if node.number is not None:
            return self.literal(node.number)
        return self.expression(node) if index in self.line_of else Code(self.variables[index])

    def _integer(self, index: int) -> Code:
        """Return a node of integers as it is read."""
        number = self.nodes[index].number
        return self.operand(index) if number is None else Code(str(int(number)))

    def in_cases(self, index: int, cases: Condition) -> Code:
        """Return a node as it is read in some cases: as a number or another node, if it equals that in all of them."""
        form, *others = [form for form in self.nodes[index].forms if form.cases & cases]
        if not others and not isinstance(form.value, ArrayValue):
            return self.literal(form.value)
        return self.operand(index) if others or form.through is None else self.in_cases(form.through, cases)

    def literal(self, number: Expr) -> Code:
        """A number as Python. One that a type might round is a constant of the compute type, rounded once."""
        if number.is_Boolean:
            return Code(str(bool(number)))
        if is_short(number):
            return Code(repr(float(number)))
        if number not in self.constants:
            self.constants[number] = self.names.internal(f"constant_{len(self.constants) + 1}")
        return Code(self.constants[number])

    def expression(self, node: ArrayNode) -> Code:
        """Return the expression that computes a node."""
        if node.operation == "load":
            name = self.names.own(node.name)
            return called("np.asarray", name, "dtype") if node.axes == NOTHING else Code(name)
        if node.operation in OF_SHAPE:
            return called("np.arange", "features") if node.operation == "index" else Code("features")
        if node.operation == ENTRY:
            return called("_rows.entry", self.operand(node.operands[0]), self._integer(node.operands[1]))
        if node.operation in FILLS:
            return self._filled(node)
        exact = any(self.nodes[index].integer for index in node.operands)
        operands = [(self._integer if exact else self.operand)(index) for index in node.operands]
        if exact:
            return operated(node.operation, *operands) or called(UFUNCS[node.operation], *operands)
        if node.operation == "total":
            over_rows = node.axes == FeatureSymbol.varies
            return called("_rows.sum_rows", *operands) if over_rows else called("np.add.reduce", *operands, axis="None")
        if node.operation in REDUCTIONS:
            return self._reduction(node, operands)
        if node.operation == "residual":
            is_mean = self.nodes[node.operands[2]].operation == "mean"
            self.far_from = f"{FAR}.0" if is_mean else f"{FAR}.0 / features**0.5"
            return called("_rows.residual", *operands, "D" if is_mean else "1.0", "far_from", "one_over_D")
        if node.operation == "where":
            return self._chosen(node, operands)
        out = self._memory(node)
        if node.operation == "attains_first":
            return called("_rows.attains_first", *operands, **out)
        if node.operation == "divide" and operands[0] == "1.0":
            return called("np.reciprocal", operands[1], **out)
        if has_buffer(node) and (helper := self._helper(node, operands)):
            return called(helper, UFUNCS[node.operation], *operands, **out)
        written = operated(node.operation, *operands) if len(operands) == 2 and not out else None
        return written or called(UFUNCS[node.operation], *operands, **out)

    def _helper(self, node: ArrayNode, operands: list[Code]) -> str:
        """The function of the runtime that combines a row with a value per feature or per row, if one does.

        With absent inputs a row may become a row scalar, and a parameter a number. A value per row is written to memory
        that is not the row's.
        """
        axes = [self.nodes[operand].axes for operand in node.operands]
        cases = self.need[node.index] & node.computed()
        values = [[*self.nodes[operand].values(cases)] for operand in node.operands]
        arrays = [[value for value in each if isinstance(value, ArrayValue)] for each in values]
        if arrays != values:
            return ""
        if axes == [ROW, ROW_SCALAR]:
            own = self.plan.of[node.index]
            apart = all(
                value.axes.rows and self.plan.of.get(value.root) is not own for each in arrays for value in each
            )
            return "_rows.by_row" if apart else ""
        is_parameter = axes == [ROW, FeatureSymbol.varies] and self.nodes[node.operands[1]].phase == "prologue"
        if not is_parameter or any(value.axes != of for each, of in zip(arrays, axes, strict=True) for value in each):
            return ""
        parameter = node.operands[1]
        if parameter not in self.wide:
            self.wide[parameter] = self.names.internal(f"{self.variables[parameter]}_wide")
        operands[1] = Code(self.wide[parameter])
        return "_rows.by_feature"

    # Memory

    def _buffer(self, node: ArrayNode) -> str:
        """The variable of a node's buffer; None where it is read in no case."""
        buffer = self.plan.of.get(node.index)
        if buffer is None:
            return "None"
        if buffer.result:
            return self.names.with_suffix(buffer.result, "block")
        return f"{SCRATCH[buffer.axes]}[{buffer.number}]"

    def _memory(self, node: ArrayNode) -> dict[str, str]:
        """The argument for the memory that a row is written to."""
        if node.index in self.plan.over:
            return {"out": self.operand(self.plan.over[node.index])}
        return {"out": self._buffer(node)} if has_buffer(node) else {}

    def _filled(self, node: ArrayNode) -> Code:
        value = self.in_cases(node.operands[0], self.need[node.index] & node.computed())
        if has_buffer(node):
            shape = "shape" if node.axes == ROW else "(*shape[:-1], 1)"
            return called("_rows.filled", value, self._buffer(node), shape, "dtype")
        return called("np.full", _SHAPES[node.axes], value, "dtype")

    def _chosen(self, node: ArrayNode, operands: list[Code]) -> Code:
        if has_buffer(node):
            out = self._memory(node)
            if node.index not in self.plan.over:
                out = {"out": called("_rows.memory", out["out"], "shape", "dtype")}
            return called("_rows.select", *operands, **out)
        made = called("np.where", *operands)
        cases = self.need[node.index] & node.computed()
        for operand in node.operands[1:]:
            cases &= self.nodes[operand].cases_of(lambda value: not isinstance(value, ArrayValue))
        # Of two Python numbers NumPy makes a double.
        return Code(f"{made}.astype(dtype)") if cases else made

    def _reduction(self, node: ArrayNode, operands: list[Code]) -> Code:
        operation, in_loop = node.operation, node.phase == "block"
        if operation == SHIFT:
            return called("_rows.shift", *operands)
        if operation in ("max", "min"):
            over_row = {"axis": "-1", "keepdims": "True"} if in_loop else {}
            return called(f"np.{operation}imum.reduce", *operands, **over_row)
        if not in_loop:
            total = called("np.vecdot" if len(operands) > 1 else "np.add.reduce", *operands)
            whole = operated("divide", total, Code("features"))
            return whole if operation == "mean" and whole else total
        if len(operands) == 1:
            return called("_rows.row_dot", operands[0], "one_over_D" if operation == "mean" else "ones")
        products = called("_rows.row_dot", *operands)
        return (operated("divide", products, Code("D")) or products) if operation == "mean" else products
