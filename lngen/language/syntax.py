"""Syntax of a statement in a definition: kinds, and expressions as trees."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias


class Kind(enum.Enum):
    """Axes that a value varies over.

    A CONSTANT is a SCALAR without a gradient. DATA, DATA_PER_ROW and DATA_PER_FEATURE are a ROW, a ROW_SCALAR and a
    FEATURE without one; kinds of INT hold integers. Only an input has one of these kinds. The value of a kind is its
    annotation.
    """

    ROW = "Row"
    ROW_SCALAR = "RowScalar"
    FEATURE = "Feature"
    SCALAR = "Scalar"
    DATA = "Data"
    DATA_PER_ROW = 'Data["..."]'
    DATA_PER_FEATURE = 'Data["d"]'
    INT = "Int"
    INT_PER_ROW = 'Int["..."]'
    INT_PER_FEATURE = 'Int["d"]'
    INT_NUMBER = 'Int[""]'
    CONSTANT = "Constant"

    @property
    def over_rows(self) -> bool:
        """Test whether there is one value per row."""
        return self in (Kind.ROW, Kind.ROW_SCALAR, Kind.DATA, Kind.DATA_PER_ROW, Kind.INT, Kind.INT_PER_ROW)

    @property
    def over_features(self) -> bool:
        """Test whether there is one value per feature."""
        return self in (Kind.ROW, Kind.FEATURE, Kind.DATA, Kind.DATA_PER_FEATURE, Kind.INT, Kind.INT_PER_FEATURE)

    @property
    def is_data(self) -> bool:
        """Test whether an input of this kind is an array without a gradient."""
        return self.is_integer or self in (Kind.DATA, Kind.DATA_PER_ROW, Kind.DATA_PER_FEATURE)

    @property
    def is_integer(self) -> bool:
        """Test whether an input of this kind holds integers."""
        return self in (Kind.INT, Kind.INT_PER_ROW, Kind.INT_PER_FEATURE, Kind.INT_NUMBER)

    @property
    def of_integers(self) -> Kind:
        """The kind of integers that vary over the same axes."""
        if self.over_rows:
            return Kind.INT if self.over_features else Kind.INT_PER_ROW
        return Kind.INT_PER_FEATURE if self.over_features else Kind.INT_NUMBER

    @property
    def of_data(self) -> Kind:
        """The kind of data that varies over the same axes. Data that varies over neither is a CONSTANT."""
        if self.over_rows:
            return Kind.DATA if self.over_features else Kind.DATA_PER_ROW
        return Kind.DATA_PER_FEATURE if self.over_features else Kind.CONSTANT

    @property
    def has_gradient(self) -> bool:
        """Test whether an input of this kind has a gradient and a tangent."""
        return not self.is_data and self is not Kind.CONSTANT

    @staticmethod
    def of(over_rows: bool, over_features: bool) -> Kind:
        """The kind that varies over these axes; never that of data, of integers or a CONSTANT.

        >>> Kind.of(over_rows=True, over_features=False)
        <Kind.ROW_SCALAR: 'RowScalar'>
        """
        if over_rows:
            return Kind.ROW if over_features else Kind.ROW_SCALAR
        return Kind.FEATURE if over_features else Kind.SCALAR

    @staticmethod
    def join(*kinds: Kind) -> Kind:
        """The kind of an elementwise combination.

        >>> Kind.join(Kind.ROW_SCALAR, Kind.FEATURE)
        <Kind.ROW: 'Row'>
        """
        return Kind.of(any(kind.over_rows for kind in kinds), any(kind.over_features for kind in kinds))


@dataclass(frozen=True)
class SourceSpan:
    """Range in the source, in characters from 1; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Number:
    """A literal, as the exact fraction of its shortest decimal text."""

    value: Fraction
    kind: Kind
    span: SourceSpan


@dataclass(frozen=True)
class Name:
    """An input or an earlier statement."""

    name: str
    kind: Kind
    span: SourceSpan
    integer: bool = False


@dataclass(frozen=True)
class FeatureCount:
    """`D`, the number of features of a row."""

    kind: Kind
    span: SourceSpan


@dataclass(frozen=True)
class Pi:
    """`pi`, the ratio of a circle's circumference to its diameter."""

    kind: Kind
    span: SourceSpan


@dataclass(frozen=True)
class Negate:
    """`-operand`."""

    operand: Expression
    kind: Kind
    span: SourceSpan


@dataclass(frozen=True)
class Binary:
    """`left operator right` with one of `+ - * / **`. The right operand of `**` varies over neither axis."""

    operator: str
    left: Expression
    right: Expression
    kind: Kind
    span: SourceSpan


@dataclass(frozen=True)
class Call:
    """A function of `lngen.language.FUNCTIONS`. The first argument of `where` is a condition, no other is."""

    function: str
    arguments: tuple[Expression, ...]
    kind: Kind
    span: SourceSpan


@dataclass(frozen=True)
class Compare:
    """`left operator right` with one of `< <= > >= == !=`; stands only in the condition of a `where`."""

    operator: str
    left: Expression
    right: Expression
    kind: Kind
    span: SourceSpan


@dataclass(frozen=True)
class Connective:
    """Two conditions joined by `&` or `|`, or one turned by `~`; stands where a `Compare` may."""

    operator: str
    operands: tuple[Expression, ...]
    kind: Kind
    span: SourceSpan


Expression: TypeAlias = Number | Name | FeatureCount | Pi | Negate | Binary | Call | Compare | Connective


def is_integer(expression: Expression) -> bool:
    """Test whether an expression is an integer by its form: integers that are added, subtracted or multiplied.

    >>> from lngen.language.parsing import parse
    >>> made = parse('def f(x: Row, i: Int["..."]): return where(2*i - 1 < i/2, x, 0)').statements[0].expression
    >>> [is_integer(side) for side in children(made.arguments[0])]
    [True, False]
    """
    match expression:
        case Number(value):
            return value.denominator == 1
        case Name():
            return expression.integer
        case Negate() | Binary("+" | "-" | "*"):
            return all(map(is_integer, children(expression)))
        case _:
            return isinstance(expression, FeatureCount) or (
                isinstance(expression, Call) and expression.function == "index"
            )


def holds_integers(expression: Expression) -> bool:
    """Test whether an expression is made of integers that are no mere numbers: of inputs or `index()`."""
    return is_integer(expression) and any(isinstance(part, Name | Call) for part in walk(expression))


def render(expression: Expression) -> str:
    """The expression as text with every operation in parentheses and numbers as fractions.

    >>> from lngen.language.parsing import parse
    >>> definition = parse("def f(x: Row): return -x * 0.5 + D")
    >>> render(definition.statements[0].expression)
    '(((-x) * 1/2) + D)'
    """
    match expression:
        case Number(value):
            return str(value)
        case Name(name):
            return name
        case FeatureCount():
            return "D"
        case Pi():
            return "pi"
        case Negate(operand):
            return f"(-{render(operand)})"
        case Binary(operator, left, right) | Compare(operator, left, right):
            return f"({render(left)} {operator} {render(right)})"
        case Connective(operator, operands):
            *first, last = map(render, operands)
            return f"({first[0]} {operator} {last})" if first else f"({operator}{last})"
        case Call(function, arguments):
            return f"{function}({', '.join(render(argument) for argument in arguments)})"


def children(expression: Expression) -> tuple[Expression, ...]:
    """The operands of an expression, from left to right."""
    match expression:
        case Negate(operand):
            return (operand,)
        case Binary(_, left, right) | Compare(_, left, right):
            return (left, right)
        case Call(_, operands) | Connective(_, operands):
            return operands
        case _:
            return ()


def with_names(expression: Expression, names: Mapping[str, str]) -> Expression:
    """The expression with its names replaced.

    >>> from lngen.language.parsing import parse
    >>> definition = parse("def f(x: Row): return x * mean(x)")
    >>> render(with_names(definition.statements[0].expression, {"x": "z"}))
    '(z * mean(z))'
    """

    if isinstance(expression, Name):
        return replace(expression, name=names.get(expression.name, expression.name))
    return mapped(expression, lambda part: with_names(part, names))


def mapped(expression: Expression, new: Callable[[Expression], Expression]) -> Expression:
    """The expression with `new` of each operand in its place."""
    match expression:
        case Negate(operand=operand):
            return replace(expression, operand=new(operand))
        case Binary(left=left, right=right) | Compare(left=left, right=right):
            return replace(expression, left=new(left), right=new(right))
        case Call(arguments=arguments):
            return replace(expression, arguments=tuple(map(new, arguments)))
        case Connective(operands=operands):
            return replace(expression, operands=tuple(map(new, operands)))
        case _:
            return expression


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything in it, each before its operands."""
    yield expression
    for child in children(expression):
        yield from walk(child)
