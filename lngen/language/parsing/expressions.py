"""Python's syntax tree of an expression -> an expression of the language, or an error that points at the
fault."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import NoReturn

from lngen.errors import counted
from lngen.language import ANNOTATIONS, FUNCTIONS
from lngen.language import names as spelling
from lngen.language.axes import RowAxes
from lngen.language.definition import Draw
from lngen.language.functions import Named
from lngen.language.parsing import folding, instead
from lngen.language.parsing.folding import Value
from lngen.language.parsing.instead import suggestion
from lngen.language.parsing.refusals import CHAIN
from lngen.language.parsing.source import Source
from lngen.language.syntax import (
    Binary,
    Call,
    Compare,
    Connective,
    Expression,
    FeatureCount,
    Kind,
    Name,
    Negate,
    Number,
    Pi,
    SourceSpan,
    is_integer,
)
from lngen.runtime.protocol.axes import REST
from lngen.runtime.protocol.casts import TARGETS

MAXIMUM_DEPTH = 100
_LONGEST_REPEATED = 40
CAST = 'cast({}, "float8_e4m3fn")'

_JOINED = (
    "join comparisons p and q in parentheses: where((p) & (q), u, v) where both hold, where((p) | (q), u, v) where one "
    "does, where(~(p), u, v) where p does not"
)
_WHOLE = "operators and functions work on whole rows; no loop is needed"

_ALLOWED = "an expression is made of numbers, names, D, + - * / **, unary minus, and the functions of lngen.language"

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.Pow: "**",
}

_OTHER_OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.FloorDiv: ("//", f"write a/b for a quotient; {instead.FUNCTIONS['floor']}"),
    ast.Mod: ("%", instead.FUNCTIONS["mod"]),
    ast.MatMult: ("@", instead.FUNCTIONS["matmul"]),
    ast.BitXor: ("^", "write ** for a power"),
    ast.BitAnd: ("&", _JOINED),
    ast.BitOr: ("|", _JOINED),
    ast.LShift: ("<<", "write a*2**b for a number b"),
    ast.RShift: (">>", "write a/2**b for a number b; rounding cannot be said, and is done outside"),
}

_SIGNS: dict[type[ast.unaryop], tuple[str, str]] = {
    ast.UAdd: ("unary plus", "delete the plus; only minus stands before an operand"),
    ast.Not: ("`not`", "write 1 - mask for a mask of ones and zeros; where(p, 0, 1) is 0 where a comparison p holds"),
    ast.Invert: (
        "the operator ~",
        "write 1 - mask for a mask of ones and zeros; where(p, 0, 1) is 0 where a comparison p holds",
    ),
}

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}

_CONNECTIVES: dict[type[ast.AST], str] = {ast.BitAnd: "&", ast.BitOr: "|", ast.Invert: "~"}

_REFUSED: dict[type[ast.expr], tuple[str, str]] = {
    ast.Lambda: ("a lambda", "write its expression in place of it"),
    ast.Attribute: (
        "an attribute",
        "use plain names; the functions are called without a module, as in sqrt(x)",
    ),
    ast.Subscript: ("a subscript", instead.INDEX),
    ast.Slice: ("a slice", instead.FUNCTIONS["split"]),
    ast.IfExp: ("an if expression", "write where(condition, a, b)"),
    ast.BoolOp: ("`and` or `or`", _JOINED),
    ast.NamedExpr: ("an assignment inside an expression", "assign in a statement of its own"),
    ast.Tuple: ("a tuple", "several values stand only after return, as in `return y, h`"),
    ast.List: ("a list", _ALLOWED),
    ast.Set: ("a set", _ALLOWED),
    ast.Dict: ("a dictionary", _ALLOWED),
    ast.ListComp: ("a comprehension", _WHOLE),
    ast.SetComp: ("a comprehension", _WHOLE),
    ast.DictComp: ("a comprehension", _WHOLE),
    ast.GeneratorExp: ("a comprehension", _WHOLE),
    ast.Await: ("await", "a definition is mathematics only; delete it"),
    ast.Yield: ("yield", "end the function with one return"),
    ast.YieldFrom: ("yield from", "end the function with one return"),
    ast.JoinedStr: ("a formatted string", "only numbers and names stand in expressions"),
    ast.Starred: ("a starred expression", "write the arguments out"),
}


_CONSTANTS = {
    bool: "a truth value",
    str: "a string",
    bytes: "a byte string",
    complex: "an imaginary number",
    type(None): "None",
    type(...): "an ellipsis",
    int: "a number",
    float: "a number",
}


def describe(node: ast.expr) -> tuple[str, str]:
    """Return a name for a node that the language does not have, and what to write instead."""
    if isinstance(node, ast.Constant):
        found = _CONSTANTS.get(type(node.value), "a constant")
        return found, instead.LITERALS.get(found, "only real numbers such as 2, 0.5 or 1e-5 stand in expressions")
    if isinstance(node, ast.Compare) and len(node.ops) > 1:
        return "a comparison", f"{CHAIN}; u is 1 and v is 0 for it as a number"
    if isinstance(node, ast.Compare):
        return (
            "a comparison",
            "a comparison stands only in the condition of where: where(a > b, 1, 0) is it as a number",
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
        source.refuse(node, "number-size", found="a number that no float holds")
    return value


@dataclass
class Scope:
    """Names that an expression may refer to; statements are added as they are read.

    `later` holds the names assigned further down, and `inputs` the names of the function's inputs; both serve messages.
    `values` holds the statements that are numbers, and `casts` those that are rounded, with their types. Where there
    are `no_features`, entries of rows stand for rows. `draws` are the random numbers that were read, with the name and
    the place of each.
    """

    source: Source
    kinds: dict[str, Kind]
    later: frozenset[str] = frozenset()
    values: dict[str, Value] = field(default_factory=dict)
    inputs: frozenset[str] = frozenset()
    layout: RowAxes | None = None
    casts: dict[str, str] = field(default_factory=dict)
    no_features: bool = False
    draws: dict[Draw, tuple[str, SourceSpan]] = field(default_factory=dict)

    def binds(self, name: str) -> bool:
        """Test whether a name is that of a value, in all of the function: so it is no function's."""
        return name in self.kinds or name in self.later

    def read_output(self, node: ast.expr, name: str) -> tuple[Expression, Value]:
        """Read the whole of a statement of some name, which may be a cast: the expression is that of its value."""
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "cast"):
            return self.read(node)
        if len(node.args) != 2 or node.keywords or any(isinstance(part, ast.Starred) for part in node.args):
            count, usage = len(node.args) + len(node.keywords), CAST.format("u")
            self.source.refuse(node, "argument-count", name="cast", arity="2 arguments", found=count, usage=usage)
        value, target = node.args
        chosen = target.value if isinstance(target, ast.Constant) and isinstance(target.value, str) else ""
        if chosen not in TARGETS:
            usage, found = CAST.format(self._text(value)), repr(chosen) if chosen else describe(target)[0]
            found = "a name" if isinstance(target, ast.Name) else found
            self.source.refuse(target, "cast-type", found=found, usage=usage, types=", ".join(TARGETS))
        read = self.read(value)
        self.casts[name] = chosen
        return read

    def read(self, node: ast.expr) -> tuple[Expression, Value]:
        """The expression of a node, and its value if it is made of numbers alone.

        Raises DefinitionError if the language has no such expression.
        """
        try:
            return self._read(node, 1)
        except folding.Fault as fault:
            self.source.refuse(fault.expression.span, fault.code, **fault.values)

    def _read(self, node: ast.expr, depth: int) -> tuple[Expression, Value]:
        if depth > MAXIMUM_DEPTH:
            self.source.refuse(node, "depth", how=f"more than {MAXIMUM_DEPTH} levels deep")
        span = self.source.span(node)
        value = number(self.source, node)
        if value is not None:
            return Number(value, Kind.SCALAR, span), value
        match node:
            case ast.Name(id=name):
                expression = self._read_name(node, name)
                return expression, folding.fold(expression, names=self.values)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                operand, value = self._read(inner, depth + 1)
                return Negate(operand, operand.kind, span), None if value is None else -value
            case ast.UnaryOp(op=operation):
                self.source.refuse_found(node, *_SIGNS[type(operation)])
            case ast.BinOp():
                return self._read_binary(node, depth)
            case ast.Call():
                return self._read_call(node, depth)
            case ast.Compare(ops=[operator]) if type(operator) in _COMPARISONS:
                remedy = f"write where({self._text(node)}, 1, 0) for 1 where it holds and 0 elsewhere"
                self.source.refuse_found(node, "a comparison", remedy)
            case (ast.Attribute() as attribute) | ast.Subscript(value=ast.Attribute(attr="shape") as attribute):
                self.source.refuse_found(node, "an attribute", self._instead_of(attribute))
            case ast.Subscript(slice=index) if any(isinstance(part, ast.Slice) for part in ast.walk(index)):
                self.source.refuse_found(node, *describe(ast.Slice()))
            case _:
                self.source.refuse_found(node, *describe(node))

    def _text(self, node: ast.expr) -> str:
        """Return the source text of a node, as a remedy may repeat it."""
        span = self.source.span(node)
        text = self.source.text_of(span)
        return text if span.line == span.end_line and len(text) <= _LONGEST_REPEATED else "..."

    def _instead_of(self, node: ast.Attribute) -> str:
        """Return what to write instead of a method of a value or an attribute of a module."""
        name = node.attr
        if name == "pi":
            return "write pi: it stands without a module"
        if name in FUNCTIONS:
            own = isinstance(node.value, ast.Name) and node.value.id in self.kinds and FUNCTIONS[name].arity == 1
            written = f"{name}({self._text(node.value)})" if own else FUNCTIONS[name].usage
            return f"write {written}: values have no methods, and functions stand without a module"
        known = instead.ATTRIBUTES.get(name) or instead.CONSTANTS.get(name) or instead.function(name)
        return known or describe(node)[1]

    def _read_name(self, node: ast.expr, name: str) -> Expression:
        span = self.source.span(node)
        if name == "D":
            return FeatureCount(Kind.SCALAR, span)
        if name in self.casts:
            self.source.refuse(node, "cast-read", name=name, target=self.casts[name])
        if name in self.kinds:
            return Name(name, Kind.join(self.kinds[name]), span, self.kinds[name].is_integer)
        if name in self.later:
            self.source.refuse(node, "used-early", name=name)
        if name == "pi":
            return Pi(Kind.SCALAR, span)
        if name in FUNCTIONS:
            self.source.refuse(node, "function-as-value", name=name, usage=FUNCTIONS[name].usage)
        if name in ANNOTATIONS:
            self.source.refuse(node, "kind-as-value", name=name)
        remedy = suggestion(name, [*self.kinds, "D"], "assign it first, or make it an input", instead.CONSTANTS)
        self.source.refuse(node, "unknown-name", remedy, name=name)

    def _read_binary(self, node: ast.BinOp, depth: int) -> tuple[Expression, Value]:
        operator = _OPERATORS.get(type(node.op))
        if operator is None:
            sign, remedy = _OTHER_OPERATORS[type(node.op)]
            self.source.refuse(node, "operator", remedy, sign=sign)
        left, left_value = self._read(node.left, depth + 1)
        if operator == "**":
            right, right_value = self._read_exponent(node.right, depth + 1)
            if right_value is None and left_value is not None and left_value < 0:
                self.source.refuse(node.left, "negative-base")
        else:
            right, right_value = self._read(node.right, depth + 1)
        result = Binary(operator, left, right, Kind.join(left.kind, right.kind), self.source.span(node))
        return result, folding.combine(result, left_value, right_value)

    def _read_exponent(self, node: ast.expr, depth: int) -> tuple[Expression, Value]:
        expression, value = self._read(node, depth)
        if expression.kind is not Kind.SCALAR:
            self.source.refuse(node, "exponent", kind=expression.kind.value)
        if value is None:
            return expression, None
        if abs(value) > folding.MAXIMUM_EXPONENT:
            self.source.refuse(node, "exponent-size", most=folding.MAXIMUM_EXPONENT)
        if not isinstance(value, Fraction) or folding.fold(expression) is None:
            return expression, value  # irrational, or a name, whose statement has to reach an output
        return Number(value, Kind.SCALAR, expression.span), value

    def _read_call(self, node: ast.Call, depth: int) -> tuple[Expression, Value]:
        if not isinstance(node.func, ast.Name):
            found, remedy = describe(node.func)
            if isinstance(node.func, ast.Attribute):
                found, remedy = self._text(node.func), self._instead_of(node.func)
            self.source.refuse(node.func, "call", remedy, found=found)
        function = node.func.id
        entry = FUNCTIONS.get(function)
        if function == "cast":
            self.source.refuse(node, "cast-place")
        if entry is None or self.binds(function):
            self._refuse_function(node.func, function)
        for starred in node.args:
            if isinstance(starred, ast.Starred):
                self.source.refuse(starred, "starred", usage=FUNCTIONS[function].usage)
        if node.keywords:
            keyword = node.keywords[0]
            remedy = instead.KEYWORDS.get(keyword.arg or "", "")
            if keyword.arg in ("axis", "dim"):
                remedy = instead.axis(self._text(keyword.value), f"{function}({', '.join(map(self._text, node.args))})")
            self.source.refuse(keyword, "keyword", remedy, usage=FUNCTIONS[function].usage)
        if over_rows(node) and not (self.layout and REST in self.layout.features):
            self.source.refuse(node, "reduced-over-rows", name=function)
        if entry.role == "draw":
            return self._read_random(node, function, depth)
        may_name_axes = self.layout is not None and entry.role in ("reduction", "place")
        names_axes = may_name_axes and len(node.args) == entry.arity + 1
        given = node.args[: entry.arity] if names_axes else node.args
        if len(given) != entry.arity:
            self._refuse_arity(node, function, len(given), entry.arity)
        if names_axes and not (isinstance(node.args[-1], ast.Constant) and isinstance(node.args[-1].value, str)):
            self.source.refuse(node.args[-1], "axes-text")
        deeper = depth + 1 + entry.is_shorthand
        read: list[tuple[Expression, Value]] = []
        if entry.role == "select":
            read.append((self._read_condition(node.args[0], deeper), None))
        read += [self._read(argument, deeper) for argument in given[len(read) :]]
        return self._called(node, function, *read)

    def _read_random(self, node: ast.Call, function: str, depth: int) -> tuple[Expression, Value]:
        """Read `uniform(seed)`, or `dropout(u, p, seed)`, which is a select by it."""
        span, drawn = self.source.span(node), self._drawn(node)
        if function == "uniform":
            return drawn, None
        (u, value), (p, chance) = (self._read(argument, depth + 3) for argument in node.args[:2])
        if p.kind is not Kind.SCALAR:
            self.source.refuse(node.args[1], "dropout-chance", kind=p.kind.value)
        zero, one = (Number(Fraction(number), Kind.SCALAR, span) for number in (0, 1))
        kept = Binary("-", one, p, Kind.SCALAR, span)
        scaled = Binary("/", u, kept, u.kind, span)
        folding.combine(scaled, value, folding.combine(kept, one.value, chance))
        condition = Compare(">=", drawn, p, Kind.ROW, span)
        return Call("where", (condition, scaled, zero), Kind.ROW, span), None

    def name_draw(self, node: ast.Call, name: str) -> None:
        """Read `uniform(seed)` as the whole of a statement, whose name the numbers have from there on."""
        draw = self._draw(node, node.args, "uniform")
        if draw in self.draws:
            known = self.draws[draw][0]
            remedy = f"write {known} wherever {name!r} stands, and delete the line; "
            other = f"other numbers of the same seed are uniform({draw.seed}, {draw.stream + 1})"
            self.source.refuse(node, "second-name", remedy + other, name=str(draw))
        self.draws[draw] = name, self.source.span(node)
        self.kinds[name] = Kind.DATA

    def _drawn(self, node: ast.Call) -> Name:
        """Return the random numbers that a call reads, by the name that they have or get."""
        function = "uniform" if isinstance(node.func, ast.Name) and node.func.id == "uniform" else "dropout"
        if not FUNCTIONS[function].arity <= len(node.args) <= FUNCTIONS[function].arity + 1:
            self._refuse_arity(node, function, len(node.args), FUNCTIONS[function].arity)
        draw = self._draw(node, node.args[FUNCTIONS[function].arity - 1 :], function)
        if draw not in self.draws:
            wanted = f"uniform_{draw.seed}" + (f"_{draw.stream}" if draw.stream else "")
            name = spelling.numbered(wanted, lambda each: each in self.kinds or each in self.later)
            self.draws[draw] = name, self.source.span(node)
            self.kinds[name] = Kind.DATA
        return Name(self.draws[draw][0], Kind.ROW, self.source.span(node))

    def _draw(self, node: ast.Call, given: Sequence[ast.expr], function: str) -> Draw:
        """Read a seed and, if it is there, the number of a stream."""
        if self.no_features:
            self.source.refuse(node, "no-features", found=self._text(node))
        seed, stream = given[0], given[1] if len(given) > 1 else None
        if not isinstance(seed, ast.Name) or self.kinds.get(seed.id) is not Kind.INT_NUMBER:
            kind = self.kinds.get(seed.id) if isinstance(seed, ast.Name) else None
            found = f"a {kind.value}" if kind else "an expression"
            self.source.refuse(seed, "draw-seed", name=function, found=found)
        if seed.id not in self.inputs:
            self.source.refuse(seed, "draw-seed", name=function, found="computed")
        value = Fraction(0) if stream is None else number(self.source, stream)
        if value is None or value.denominator != 1 or not 0 <= value < 2**31:
            assert stream is not None
            self.source.refuse(stream, "draw-stream", name=function, found=self._text(stream))
        return Draw(seed.id, int(value))

    def _called(self, node: ast.Call, function: str, *read: tuple[Expression, Value]) -> tuple[Expression, Value]:
        """A function of arguments with their values, or what it is short for."""
        entry = FUNCTIONS[function]
        if entry.is_shorthand:
            assert entry.written
            written: tuple[Expression, Value] = entry.written(Named(lambda f: partial(self._called, node, f)), *read)
            return written
        arguments = tuple(expression for expression, _ in read)
        kind = Kind.FEATURE if entry.role == "place" else Kind.join(*(argument.kind for argument in arguments))
        if entry.role == "reduction":
            kind = self._reduced(node, function, arguments)
        result = Call(function, arguments, kind, self.source.span(node))
        return result, folding.call(result, [value for _, value in read])

    def _read_condition(self, node: ast.expr, depth: int) -> Compare | Connective:
        if depth > MAXIMUM_DEPTH:
            self.source.refuse(node, "depth", how=f"more than {MAXIMUM_DEPTH} levels deep")
        if sign := _connective(node):
            parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
            operands = tuple(self._read_condition(part, depth + 1) for part in parts)
            return Connective(sign, operands, Kind.join(*(part.kind for part in operands)), self.source.span(node))
        if not isinstance(node, ast.Compare):
            if isinstance(node, ast.Call):
                self._read(node, depth)  # `logical_and`, say, has a remedy of its own
            found = describe(node)[0] if type(node) in _REFUSED or isinstance(node, ast.Constant) else "no comparison"
            compared = node.id if isinstance(node, ast.Name) else "x"
            remedy = f"write a comparison in its place, as in ({compared} > 0)"
            joins = isinstance(node, ast.BoolOp) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))
            if joins or any(isinstance(part, ast.Compare) for part in ast.iter_child_nodes(node)):
                remedy = _JOINED
            self.source.refuse(node, "condition", remedy, found=found)
        for part in (node.left, *node.comparators):
            if sign := _connective(part):
                self.source.refuse(part, "comparison-parentheses", sign=sign)
        if len(node.ops) > 1:
            self.source.refuse(node, "comparison-chain")
        operator = _COMPARISONS.get(type(node.ops[0]))
        if operator is None:
            self.source.refuse(node, "comparison-operator")
        left, _ = self._read(node.left, depth + 1)
        right, _ = self._read(node.comparators[0], depth + 1)
        return Compare(operator, left, right, Kind.join(left.kind, right.kind), self.source.span(node))

    def _reduced(self, node: ast.Call, function: str, arguments: Sequence[Expression]) -> Kind:
        kind = arguments[0].kind
        for place, argument in zip(node.args[1:], arguments[1:], strict=False):
            if argument.kind.over_features or not is_integer(argument):
                found = f"a {argument.kind.value}" + (" of integers" if is_integer(argument) else "")
                self.source.refuse(place, "pick-place", found=found)
        if not kind.over_features:
            found = "RowScalar" if kind.over_rows else "Scalar"
            remedy = f"delete {function}, or multiply by D for a sum" if function == "sum" else f"delete {function}"
            self.source.refuse(node.args[0], "reduced-twice", remedy, name=function, kind=found)
        return Kind.of(any(argument.kind.over_rows for argument in arguments), over_features=False)

    def _refuse_function(self, node: ast.expr, function: str) -> NoReturn:
        if self.binds(function) or function in ("D", "pi"):
            remedy = f"call the value otherwise, and {FUNCTIONS[function].usage} is" if function in FUNCTIONS else ""
            self.source.refuse(node, "value-called", remedy and f"{remedy} the function", name=function)
        if function in ANNOTATIONS:
            self.source.refuse(node, "kind-called", name=function)
        otherwise = "the functions are " + " ".join(FUNCTIONS)
        remedy = instead.function(function) or suggestion(function, FUNCTIONS, otherwise)
        self.source.refuse(node, "unknown-function", remedy, name=function)

    def _refuse_arity(self, node: ast.Call, function: str, found: int, arity: int) -> NoReturn:
        if function in ("max", "min") and found == 2:
            which = "larger" if function == "max" else "smaller"
            self.source.refuse(node, "larger-of-two", name=function, which=which)
        usage = FUNCTIONS[function].usage
        if function == "where" and found == 2:
            given = ", ".join(map(self._text, node.args))
            usage = f"where({given}, b): b is the value where the condition does not hold"
        remedy, arguments = "", counted(arity, "argument")
        if FUNCTIONS[function].role == "reduction" and found == 2:
            whole, which = map(self._text, node.args)
            remedy = instead.axis(which, f"{function}({whole})")
        self.source.refuse(node, "argument-count", remedy, name=function, arity=arguments, found=found, usage=usage)


def over_rows(node: ast.Call) -> bool:
    """Test whether a call is a reduction that names the axes of the rows, as `mean(u, "...")` does."""
    match node.args:
        case [_, ast.Constant(value=str(axes))]:
            return axes.strip() == REST
    return False


def _connective(node: ast.expr) -> str | None:
    return _CONNECTIVES.get(type(node.op)) if isinstance(node, ast.BinOp | ast.UnaryOp) else None
