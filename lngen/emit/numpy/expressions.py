"""Python expressions of nodes: the function of an operation, its operands, and the memory of its result."""

from __future__ import annotations

from collections.abc import Container, Mapping

from sympy import Expr

from lngen.algebra.symbols import NOTHING, Axes, FeatureSymbol
from lngen.emit.expressions import is_short
from lngen.emit.numpy.buffers import BufferPlan, has_memory
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
    NumberNode,
)
from lngen.emit.numpy.naming import LocalNames, variables
from lngen.emit.numpy.nested import UFUNCS
from lngen.emit.numpy.operations import Schedule
from lngen.emit.numpy.selects import Side
from lngen.plan.presence import Condition
from lngen.plan.program import FAR

KINDS: Mapping[tuple[Axes, bool], str] = {
    (ROW, False): "buffers",
    (ROW_SCALAR, False): "row_scalar_buffers",
    (ROW, True): "masks",
    (ROW_SCALAR, True): "row_scalar_masks",
}
"""Name of the scratch of each kind: rows or row scalars, of the compute type or of booleans."""

SHAPES = {ROW: Code.of("shape"), ROW_SCALAR: Code("(*shape[:-1], 1)", frozenset({"shape"}))}
FEATURES, WIDTH, DTYPE = Code.of("features"), Code.of("D"), Code.of("dtype")


class NodeExpressions:
    """Expressions of the nodes of one direction, with the names that they need.

    `constants` are numbers that a type might round, `wide` the parameters that may come repeated for several rows, each
    with its variable, and `far_from` says from which mean on a residual is looked for.
    """

    def __init__(
        self,
        schedule: Schedule,
        need: list[Condition],
        guards: Mapping[int, Side],
        inside: Container[int],
        plan: BufferPlan,
        names: LocalNames,
    ) -> None:
        self.schedule, self.need, self.guards, self.plan, self.names = schedule, need, guards, plan, names
        self.nodes = schedule.graph.nodes
        self.inside = inside
        self.variables = variables(schedule, need, names, inside)
        self.constants: dict[Expr, str] = {}
        self.wide: dict[int, str] = {}
        self.far_from = ""

    def operand(self, index: int) -> Code:
        """A node as it is read: its number, its expression, or its variable."""
        node = self.nodes[index]
        if node.number is not None:
            return self.literal(node.number)
        return self.expression(node) if index in self.inside else Code.of(self.variables[index])

    def _integer(self, index: int) -> Code:
        """Return a node of integers as it is read."""
        number = self.nodes[index].number
        return self.operand(index) if number is None else Code(str(int(number)))

    def in_cases(self, index: int, cases: Condition) -> Code:
        """Return a node as it is read in some cases: as a number or another node, if it equals that in all of them."""
        forms = [form for form in self.nodes[index].forms if form.cases & cases]
        if len(forms) == 1 and isinstance(forms[0].value, NumberNode):
            return self.literal(forms[0].value.value)
        through = forms[0].through
        return self.operand(index) if len(forms) > 1 or through is None else self.in_cases(through, cases)

    def literal(self, number: Expr) -> Code:
        """A number as Python. One that a type might round is a constant of the compute type, rounded once."""
        if number.is_Boolean:
            return Code(str(bool(number)))
        if is_short(number):
            return Code(repr(float(number)))
        if number not in self.constants:
            self.constants[number] = self.names.internal(f"constant_{len(self.constants) + 1}")
        return Code.of(self.constants[number])

    def expression(self, node: ArrayNode) -> Code:
        """Return the expression that computes a node."""
        if node.operation in OF_SHAPE:
            return called("np.arange", FEATURES) if node.operation == "index" else FEATURES
        if node.operation == ENTRY:
            return called("_rows.entry", self.operand(node.operands[0]), self._integer(node.operands[1]))
        computes = node.operation != "real" and node.operation not in FILLS
        if computes and any(self.nodes[index].integer for index in node.operands):
            written = operated(node.operation, *map(self._integer, node.operands))
            return written or called(UFUNCS[node.operation], *map(self._integer, node.operands))
        operands = [self.operand(index) for index in node.operands]
        if node.operation in REDUCTIONS:
            return self._reduction(node, operands)
        if node.operation == "residual":
            is_mean = self.nodes[node.operands[2]].operation == "mean"
            self.far_from = f"{FAR}.0" if is_mean else f"{FAR}.0 / features**0.5"
            divisor = WIDTH if is_mean else Code("1.0")
            return called("_rows.residual", *operands, divisor, Code.of("far_from"), Code.of("one_over_D"))
        if node.operation in FILLS:
            return self._filled(node)
        if node.operation == "where" and node.phase != "block":
            return self._chosen(node, operands)
        keywords = self._memory(node)
        if node.operation == "where":
            return called("_rows.select", *operands, **keywords)
        if node.operation == "attains_first":
            return called("_rows.attains_first", *operands, **keywords)
        if node.index in self.guards:
            mask, holds = self.guards[node.index]
            name = self.variables[mask]
            keywords["where"] = Code(name if holds else f"~{name}", frozenset({name}))
        elif node.phase == "block" and node.axes == ROW and not node.boolean:
            return self._on_rows(node, operands, keywords)
        return self._ufunc(node, operands, keywords)

    def _ufunc(self, node: ArrayNode, operands: list[Code], keywords: dict[str, Code]) -> Code:
        if node.operation == "divide" and operands[0].text == "1.0":
            return called("np.reciprocal", operands[1], **keywords)
        written = operated(node.operation, *operands) if len(operands) == 2 and not keywords else None
        return written or called(UFUNCS[node.operation], *operands, **keywords)

    def _on_rows(self, node: ArrayNode, operands: list[Code], keywords: dict[str, Code]) -> Code:
        """A ufunc on rows, whose other operand may have a value per feature or per row."""
        if self._is_by_feature(node):
            parameter = node.operands[1]
            if parameter not in self.wide:
                self.wide[parameter] = self.names.internal(f"{self.variables[parameter]}_wide")
            ufunc, operands[1] = "_rows.by_feature", Code.of(self.wide[parameter])
        elif self._is_by_row(node):
            ufunc = "_rows.by_row"
        else:
            made = self._ufunc(node, operands, keywords)
            # It returns new memory where it is given none, as it is where a call is taken at once.
            return made
        return called(ufunc, Code(UFUNCS[node.operation]), *operands, **keywords)

    def _is_by_row(self, node: ArrayNode) -> bool:
        """Test whether a node combines a row with a row scalar, in memory that is not the row's."""
        if [self.nodes[operand].axes for operand in node.operands] != [ROW, ROW_SCALAR]:
            return False
        cases = self.need[node.index] & node.computed()
        values = [form.value for operand in node.operands for form in self.nodes[operand].forms if form.cases & cases]
        own = self.plan.of_node[node.index]
        return all(
            isinstance(value, ArrayValue) and value.axes.rows and self.plan.of_node.get(value.root) != own
            for value in values
        )

    def _is_by_feature(self, node: ArrayNode) -> bool:
        """Test whether a node combines a row with a parameter that has a value per feature, in every case.

        With absent inputs, a row may become a row scalar, and a parameter a number.
        """
        operands = [self.nodes[operand] for operand in node.operands]
        if [operand.axes for operand in operands] != [ROW, FeatureSymbol.varies] or operands[1].phase != "prologue":
            return False
        cases = self.need[node.index] & node.computed()
        return all(
            isinstance(form.value, ArrayValue) and form.value.axes == operand.axes
            for operand in operands
            for form in operand.forms
            if form.cases & cases
        )

    # Memory

    def buffer(self, index: int) -> Code:
        """A buffer's variable."""
        buffer = self.plan.buffers[index]
        if buffer.result:
            return Code.of(self.names.with_suffix(buffer.result, "block"))
        kind = KINDS[buffer.axes, buffer.boolean]
        return Code(f"{kind}[{buffer.number - 1}]", frozenset({kind}))

    def _memory(self, node: ArrayNode) -> dict[str, Code]:
        """The argument for the memory that a node is written to; NumPy makes that of a node without."""
        if node.index in self.plan.over:
            return {"out": self.operand(self.plan.over[node.index])}
        if not has_memory(node, self.guards):
            return {}
        own = self.buffer(self.plan.of_node[node.index])
        if node.operation != "where" and node.index not in self.guards:
            return {"out": own}
        return {"out": called("_rows.memory", own, SHAPES[node.axes], Code("bool") if node.boolean else DTYPE)}

    def _filled(self, node: ArrayNode) -> Code:
        value = self.in_cases(node.operands[0], self.need[node.index] & node.computed())
        if node.phase == "block" and node.axes.rows:
            own = self.buffer(self.plan.of_node[node.index]) if node.index in self.plan.of_node else Code("None")
            return called("_rows.filled", value, own, SHAPES[node.axes], DTYPE)
        shape = {ROW: SHAPES[ROW], ROW_SCALAR: Code("shape[:-1]", frozenset({"shape"})), NOTHING: Code("()")}
        return called("np.full", shape.get(node.axes, FEATURES), value, DTYPE)

    def _chosen(self, node: ArrayNode, operands: list[Code]) -> Code:
        values = [form.value for index in node.operands[1:] for form in self.nodes[index].forms]
        made = called("np.where", *operands)
        if any(isinstance(value, NumberNode) and is_short(value.value) for value in values):
            # Of two Python numbers NumPy makes a double.
            return Code(f"{made.text}.astype(dtype)", made.reads | DTYPE.reads)
        return made

    def _reduction(self, node: ArrayNode, operands: list[Code]) -> Code:
        operation, in_loop = node.operation, node.phase == "block"
        if operation == SHIFT:
            return called("_rows.shift", *operands)
        if operation in ("max", "min"):
            over_row = {"axis": Code("-1"), "keepdims": Code("True")} if in_loop else {}
            return called(f"np.{operation}imum.reduce", *operands, **over_row)
        if not in_loop:
            total = called("np.vecdot" if len(operands) > 1 else "np.add.reduce", *operands)
            whole = operated("divide", total, FEATURES)
            return whole if operation == "mean" and whole else total
        if len(operands) == 1:
            return called("_rows.row_sum", operands[0], Code.of("one_over_D" if operation == "mean" else "ones"))
        return called(f"_rows.row_{operation}", *operands, *([WIDTH] if operation == "mean" else []))
