"""Python's syntax tree of an expression -> an expression of the language, or an error that points at the
fault."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NoReturn

from lngen.language import FUNCTIONS, KIND_NAMES
from lngen.language.parsing import folding, instead
from lngen.language.parsing.folding import Value
from lngen.language.parsing.instead import suggestion
from lngen.language.parsing.source import Source
from lngen.language.syntax import Binary, Call, Compare, Expression, FeatureCount, Kind, Name, Negate, Number

MAXIMUM_DEPTH = 100
_LONGEST_REPEATED = 40

_ALLOWED = "an expression is made of numbers, names, D, + - * / **, unary minus, and the functions of lngen.language"
_SPLIT = "give parts of the expression names in statements of their own"

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
}

_OTHER_OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.FloorDiv: ("//", "write / for division"),
    ast.Mod: ("%", "there is no remainder in the language; use + - * / **"),
    ast.MatMult: ("@", "write sum(a * b) for an inner product over the feature axis"),
    ast.BitXor: ("^", "write ** for a power"),
    ast.BitAnd: ("&", "choose with where(condition, a, b); nest them for two conditions"),
    ast.BitOr: ("|", "choose with where(condition, a, b); nest them for two conditions"),
    ast.LShift: ("<<", "multiply by a power of two"),
    ast.RShift: (">>", "divide by a power of two"),
}

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}

_REFUSED: dict[type[ast.expr], tuple[str, str]] = {
    ast.Lambda: ("a lambda", "write its expression in place of it"),
    ast.Attribute: (
        "an attribute",
        "use plain names; the functions are called without a module, as in sqrt(x)",
    ),
    ast.Subscript: ("a subscript", instead.INDEX),
    ast.Slice: ("a slice", instead.INDEX),
    ast.IfExp: ("an if expression", "write where(condition, a, b)"),
    ast.BoolOp: ("`and` or `or`", "nest where: where(a > 0, where(b > 0, u, v), v)"),
    ast.NamedExpr: ("an assignment inside an expression", "assign in a statement of its own"),
    ast.Tuple: ("a tuple", "several values stand only after return, as in `return y, h`"),
    ast.List: ("a list", _ALLOWED),
    ast.Set: ("a set", _ALLOWED),
    ast.Dict: ("a dictionary", _ALLOWED),
    ast.ListComp: ("a comprehension", "operators and functions work on whole rows; no loop is needed"),
    ast.SetComp: ("a comprehension", "operators and functions work on whole rows; no loop is needed"),
    ast.DictComp: ("a comprehension", "operators and functions work on whole rows; no loop is needed"),
    ast.GeneratorExp: ("a comprehension", "operators and functions work on whole rows; no loop is needed"),
    ast.Await: ("await", "a definition is mathematics only; delete it"),
    ast.Yield: ("yield", "end the function with one return"),
    ast.YieldFrom: ("yield from", "end the function with one return"),
    ast.JoinedStr: ("a formatted string", "only numbers and names stand in expressions"),
    ast.Starred: ("a starred expression", "write the arguments out"),
}


def describe(node: ast.expr) -> tuple[str, str]:
    """Return a name for a node that the language does not have, and what to write instead."""
    if isinstance(node, ast.Constant):
        found = {
            bool: "a truth value",
            str: "a string",
            bytes: "a byte string",
            complex: "an imaginary number",
            type(None): "None",
            type(...): "an ellipsis",
            int: "a number",
            float: "a number",
        }.get(type(node.value), "a constant")
        return found, "only real numbers such as 2, 0.5 or 1e-5 stand in expressions"
    if isinstance(node, ast.Compare):
        return (
            "a comparison",
            "a comparison stands only as the first argument of where: where(a > b, 1, 0) is it as a number",
        )
    if isinstance(node, ast.Call):
        return "a call", _ALLOWED
    return _REFUSED.get(type(node), ("an expression that the language does not have", _ALLOWED))


def number(source: Source, node: ast.expr) -> Fraction | None:
    """The value of a literal; None if the node is none. DefinitionError if no float holds it."""
    if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
        return None
    literal = node.value
    written = source.text_of(source.span(node)).lower()
    # A float that has underflowed or overflowed no longer shows what was written.
    underflow = (
        literal == 0 and not written.startswith("0x") and any(c in "123456789" for c in written.partition("e")[0])
    )
    if literal in (float("inf"), float("-inf")) or underflow:
        value = None
    else:
        value = Fraction(literal) if isinstance(literal, int) else Fraction(repr(literal))
    if value is None or not folding.in_range(value):
        raise source.error_at(
            node,
            "a number that no float holds",
            "keep numbers between 1e-300 and 1e300 in magnitude",
        )
    return value


@dataclass
class Scope:
    """Names that an expression may refer to; statements are added as they are read.

    `later` holds the names assigned further down, and `inputs` the names of the function's inputs; both serve messages.
    `values` holds the statements that are numbers.
    """

    source: Source
    kinds: dict[str, Kind]
    later: frozenset[str] = frozenset()
    values: dict[str, Value] = field(default_factory=dict)
    inputs: frozenset[str] = frozenset()

    def read(self, node: ast.expr) -> tuple[Expression, Value]:
        """The expression of a node, and its value if it is made of numbers alone.

        Raises DefinitionError if the language has no such expression.
        """
        try:
            return self._read(node, 1)
        except folding.Fault as fault:
            raise self.source.error_at(fault.expression.span, fault.message, fault.remedy) from None

    def _refuse(self, node: ast.expr, message: str, remedy: str) -> NoReturn:
        raise self.source.error_at(node, message, remedy)

    def _read(self, node: ast.expr, depth: int) -> tuple[Expression, Value]:
        if depth > MAXIMUM_DEPTH:
            self._refuse(node, f"an expression is nested more than {MAXIMUM_DEPTH} levels deep", _SPLIT)
        span = self.source.span(node)
        value = number(self.source, node)
        if value is not None:
            return Number(value, Kind.SCALAR, span), value
        match node:
            case ast.Name(id=name):
                return self._read_name(node, name), self.values.get(name)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                operand, value = self._read(inner, depth + 1)
                return Negate(operand, operand.kind, span), None if value is None else -value
            case ast.UnaryOp(op=operation):
                found = {ast.UAdd: "unary plus", ast.Not: "`not`", ast.Invert: "the operator ~"}[type(operation)]
                self._refuse(node, f"found {found}", "only minus stands before an operand")
            case ast.BinOp():
                return self._read_binary(node, depth)
            case ast.Call():
                return self._read_call(node, depth)
            case ast.Compare(ops=[operator]) if type(operator) in _COMPARISONS:
                remedy = f"write where({self._text(node)}, 1, 0) for 1 where it holds and 0 elsewhere"
                self._refuse(node, "found a comparison", remedy)
            case ast.Attribute():
                self._refuse(node, f"found {describe(node)[0]}", self._instead_of(node))
            case ast.Subscript(value=ast.Attribute(attr="shape") as shape):
                self._refuse(node, f"found {describe(node)[0]}", self._instead_of(shape))
            case _:
                found, remedy = describe(node)
                self._refuse(node, f"found {found}", remedy)

    def _text(self, node: ast.expr) -> str:
        """Return the source text of a node, as a remedy may repeat it."""
        span = self.source.span(node)
        text = self.source.text_of(span)
        return text if span.line == span.end_line and len(text) <= _LONGEST_REPEATED else "..."

    def _instead_of(self, node: ast.Attribute) -> str:
        """Return what to write instead of a method of a value or an attribute of a module."""
        name = node.attr
        if name in FUNCTIONS:
            own = isinstance(node.value, ast.Name) and node.value.id in self.kinds and FUNCTIONS[name].arity == 1
            written = f"{name}({self._text(node.value)})" if own else _usage(name)
            return f"write {written}: values have no methods, and functions stand without a module"
        known = instead.ATTRIBUTES.get(name) or instead.CONSTANTS.get(name) or instead.function(name)
        return known or describe(node)[1]

    def _read_name(self, node: ast.expr, name: str) -> Expression:
        span = self.source.span(node)
        if name == "D":
            return FeatureCount(Kind.SCALAR, span)
        if name in self.kinds:
            return Name(name, Kind.join(self.kinds[name]), span)
        if name in FUNCTIONS:
            self._refuse(node, f"{name!r} is a function and needs arguments", f"write {_usage(name)}")
        if name in KIND_NAMES:
            self._refuse(node, f"{name!r} is a kind", f"use it to annotate an input, as in `x: {name}`")
        if name in self.later:
            self._refuse(node, f"{name!r} is used before it is assigned", "move the assignment up")
        self._refuse(
            node,
            f"nothing is called {name!r}",
            suggestion(name, [*self.kinds, "D"], "assign it first, or make it an input", instead.CONSTANTS),
        )

    def _read_binary(self, node: ast.BinOp, depth: int) -> tuple[Expression, Value]:
        operator = _OPERATORS.get(type(node.op))
        if operator is None:
            sign, remedy = _OTHER_OPERATORS[type(node.op)]
            self._refuse(node, f"found the operator {sign}", remedy)
        left, left_value = self._read(node.left, depth + 1)
        if operator == "**":
            exponent = self._read_exponent(node.right, depth + 1)
            right: Expression = exponent
            right_value: Value = exponent.value
        else:
            right, right_value = self._read(node.right, depth + 1)
        result = Binary(operator, left, right, Kind.join(left.kind, right.kind), self.source.span(node))
        return result, folding.combine(result, left_value, right_value)

    def _read_exponent(self, node: ast.expr, depth: int) -> Number:
        expression, _ = self._read(node, depth)
        value = folding.fold(expression)  # without names: an exponent is written where it is used
        if not isinstance(value, Fraction):
            self._refuse(
                node,
                "the exponent is not a rational number",
                f"write a number, or {instead.POWER_OF} for a power a**b of what is not negative",
            )
        if abs(value) > folding.MAXIMUM_EXPONENT:
            self._refuse(
                node,
                f"the exponent is larger than {folding.MAXIMUM_EXPONENT} in magnitude",
                "write a smaller exponent",
            )
        return Number(value, Kind.SCALAR, expression.span)

    def _read_call(self, node: ast.Call, depth: int) -> tuple[Expression, Value]:
        if not isinstance(node.func, ast.Name):
            found, remedy = describe(node.func)
            if isinstance(node.func, ast.Attribute):
                remedy = self._instead_of(node.func)
            self._refuse(node.func, f"found a call of {found}", remedy)
        function = node.func.id
        entry = FUNCTIONS.get(function)
        if entry is None:
            self._refuse_function(node.func, function)
        for starred in node.args:
            if isinstance(starred, ast.Starred):
                self._refuse(starred, "found a starred argument", f"write {_usage(function)}")
        if node.keywords:
            keyword = node.keywords[0]
            by_position = f"pass arguments by position: {_usage(function)}"
            remedy = instead.KEYWORDS.get(keyword.arg or "", by_position)
            if keyword.arg in ("axis", "dim"):
                remedy = instead.axis(self._text(keyword.value))
            raise self.source.error_at(keyword, "found a keyword argument", remedy)
        if len(node.args) != entry.arity:
            self._refuse_arity(node, function, len(node.args), entry.arity)
        if entry.role == "select":
            condition = self._read_condition(node.args[0], depth + 1)
            read = [self._read(argument, depth + 1) for argument in node.args[1:]]
            arguments: tuple[Expression, ...] = (condition, *(expression for expression, _ in read))
        else:
            read = [self._read(argument, depth + 1) for argument in node.args]
            arguments = tuple(expression for expression, _ in read)
        kind = Kind.join(*(argument.kind for argument in arguments))
        if entry.role == "reduction":
            kind = self._reduced(node, function, kind)
        result = Call(function, arguments, kind, self.source.span(node))
        return result, folding.call(result, [value for _, value in read])

    def _read_condition(self, node: ast.expr, depth: int) -> Compare:
        if not isinstance(node, ast.Compare):
            found = describe(node)[0] if type(node) in _REFUSED or isinstance(node, ast.Constant) else "no comparison"
            compared = node.id if isinstance(node, ast.Name) else "x"
            remedy = f"write one comparison, as in where({compared} > 0, a, b)"
            self._refuse(node, f"the condition of where is {found}", remedy)
        if len(node.ops) > 1:
            self._refuse(node, "found a chain of comparisons", "compare two values; nest where for two conditions")
        operator = _COMPARISONS.get(type(node.ops[0]))
        if operator is None:
            self._refuse(node, "found `in` or `is`", "compare with < <= > >= == or !=")
        left, _ = self._read(node.left, depth + 1)
        right, _ = self._read(node.comparators[0], depth + 1)
        return Compare(operator, left, right, Kind.join(left.kind, right.kind), self.source.span(node))

    def _reduced(self, node: ast.Call, function: str, kind: Kind) -> Kind:
        if not kind.over_features:
            found = "RowScalar" if kind.over_rows else "Scalar"
            self._refuse(
                node.args[0],
                f"{function} of a {found}, which has no feature axis",
                f"delete {function}, or multiply by D for a sum" if function == "sum" else f"delete {function}",
            )
        return Kind.of(kind.over_rows, over_features=False)

    def _refuse_function(self, node: ast.expr, function: str) -> NoReturn:
        if function in self.kinds or function == "D":
            self._refuse(node, f"{function!r} is a value and cannot be called", "write * for a product")
        if function in KIND_NAMES:
            self._refuse(node, f"{function!r} is a kind and cannot be called", "annotate an input with it")
        otherwise = "the functions are " + " ".join(FUNCTIONS)
        remedy = instead.function(function) or suggestion(function, FUNCTIONS, otherwise)
        self._refuse(node, f"there is no function {function!r}", remedy)

    def _refuse_arity(self, node: ast.Call, function: str, found: int, arity: int) -> NoReturn:
        if function in ("max", "min") and found == 2:
            other = f"{function}imum"
            self._refuse(
                node,
                f"{function} with 2 arguments: it reduces one row over the feature axis",
                f"write {other}(a, b) for the {'larger' if function == 'max' else 'smaller'} of two values; "
                f"{function}(row) takes no axis, and is over the last one",
            )
        usage = _usage(function)
        if function == "where" and found == 2:
            given = ", ".join(map(self._text, node.args))
            usage = f"where({given}, b): b is the value where the condition does not hold"
        plural = "" if arity == 1 else "s"
        axis = (
            f"; {instead.axis(self._text(node.args[1]))}"
            if FUNCTIONS[function].role == "reduction" and found == 2
            else ""
        )
        self._refuse(
            node,
            f"{function} takes {arity} argument{plural}, and here are {found}",
            f"write {usage}{axis}",
        )


def _usage(function: str) -> str:
    names = {"reduction": "row", "select": "condition, a, b", "stop": "u"}
    entry = FUNCTIONS[function]
    return f"{function}({names.get(entry.role, 'u' if entry.arity == 1 else 'a, b')})"
