"""A forward definition as a value: inputs with kinds, statements, outputs.

`parse` turns text into a `Definition` and `load` does so for a file; the text is read as syntax and never
executed.

>>> definition = parse('''
... from lngen.language import Row, Feature, mean
... def scaled(x: Row, gamma: Feature = 1):
...     ms = mean(x**2)
...     return gamma * x / (1 + ms)
... ''')
>>> print(definition.canonical())
def scaled(x: Row, gamma: Feature = 1)
ms: RowScalar = mean((x ** 2))
y: Row = ((gamma * x) / (1 + ms))
return y
"""

from __future__ import annotations

import enum
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TypeAlias

from lngen.errors import LngenError, printable

MAXIMUM_BYTES = 64 * 1024
"""The longest text that is read as a definition."""


class Kind(enum.Enum):
    """What a value varies over; a CONSTANT is a SCALAR that has no gradient, and only an input is one."""

    ROW = "Row"
    ROW_SCALAR = "RowScalar"
    FEATURE = "Feature"
    SCALAR = "Scalar"
    CONSTANT = "Constant"

    @property
    def over_rows(self) -> bool:
        """Whether there is one value per row."""
        return self in (Kind.ROW, Kind.ROW_SCALAR)

    @property
    def over_features(self) -> bool:
        """Whether there is one value per feature."""
        return self in (Kind.ROW, Kind.FEATURE)

    @staticmethod
    def of(over_rows: bool, over_features: bool) -> Kind:
        """The kind that varies over these axes; never CONSTANT.

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
class Span:
    """Where something stands in the source, in characters from 1; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class Input:
    """An argument of the layer. `default` is its neutral value, or the default of a Constant."""

    name: str
    kind: Kind
    default: Fraction | None
    span: Span

    @property
    def is_positive(self) -> bool:
        """Whether it is taken to be positive, as a Constant with a positive default is."""
        return self.kind is Kind.CONSTANT and self.default is not None and self.default > 0


@dataclass(frozen=True)
class Number:
    """A literal, as the exact fraction of its shortest decimal text."""

    value: Fraction
    kind: Kind
    span: Span


@dataclass(frozen=True)
class Name:
    """An input or an earlier statement."""

    name: str
    kind: Kind
    span: Span


@dataclass(frozen=True)
class FeatureCount:
    """`D`, the number of features of a row."""

    kind: Kind
    span: Span


@dataclass(frozen=True)
class Negate:
    """`-operand`."""

    operand: Expression
    kind: Kind
    span: Span


@dataclass(frozen=True)
class Binary:
    """`left operator right` with one of `+ - * / **`. The right operand of `**` is always a `Number`."""

    operator: str
    left: Expression
    right: Expression
    kind: Kind
    span: Span


@dataclass(frozen=True)
class Call:
    """A function of `lngen.language.FUNCTIONS`. The first argument of `where` is a `Compare`, no other is."""

    function: str
    arguments: tuple[Expression, ...]
    kind: Kind
    span: Span


@dataclass(frozen=True)
class Compare:
    """`left operator right` with one of `< <= > >= == !=`; stands only as the first argument of `where`."""

    operator: str
    left: Expression
    right: Expression
    kind: Kind
    span: Span


Expression: TypeAlias = Number | Name | FeatureCount | Negate | Binary | Call | Compare


@dataclass(frozen=True)
class Statement:
    """`name = expression`; `kind` is the expression's."""

    name: str
    expression: Expression
    kind: Kind
    span: Span


@dataclass(frozen=True)
class Definition:
    """A forward definition that obeys every rule of the language.

    `outputs` name statements, each a Row or a RowScalar, each once. An unnamed result is the statement `y`.
    Every input and every statement reaches an output. `minimum_features` is the smallest D for which no
    divisor made of D and numbers alone is zero, here and for every larger D. `renamed` has the names that the file
    spells otherwise, as pairs of the name here and the name there: `dx` is left to the gradient of an input `x`.
    """

    name: str
    docstring: str
    inputs: tuple[Input, ...]
    statements: tuple[Statement, ...]
    outputs: tuple[str, ...]
    source: str
    filename: str
    minimum_features: int
    renamed: tuple[tuple[str, str], ...] = ()

    @property
    def constants(self) -> tuple[Input, ...]:
        """The inputs that have no gradient."""
        return self._inputs_of(Kind.CONSTANT)

    @property
    def rows(self) -> tuple[Input, ...]:
        """The Row inputs; there is at least one."""
        return self._inputs_of(Kind.ROW)

    @property
    def features(self) -> tuple[Input, ...]:
        """The Feature inputs."""
        return self._inputs_of(Kind.FEATURE)

    @property
    def scalars(self) -> tuple[Input, ...]:
        """The Scalar inputs."""
        return self._inputs_of(Kind.SCALAR)

    @property
    def differentiable(self) -> tuple[Input, ...]:
        """The inputs that have a gradient, in order: all but the Constants."""
        return tuple(entry for entry in self.inputs if entry.kind is not Kind.CONSTANT)

    @property
    def needed_positive(self) -> tuple[str, ...]:
        """The Constants whose being positive may have been used: those that a root, a logarithm or an `abs` depends on.

        >>> parse("def f(x: Row, eps: Constant = 1, c: Constant = 2): return c*x/sqrt(x**2 + eps)").needed_positive
        ('eps',)
        """
        depends = {entry.name: {entry.name} if entry.is_positive else set() for entry in self.inputs}

        def constants_in(expression: Expression) -> set[str]:
            return set().union(*(depends[part.name] for part in walk(expression) if isinstance(part, Name)))

        found: set[str] = set()
        for statement in self.statements:
            for part in walk(statement.expression):
                match part:
                    case Call(function="sqrt" | "rsqrt" | "log" | "abs" | "sign"):
                        found |= constants_in(part)
                    case Binary("**", base, Number(exponent)) if exponent.denominator != 1:
                        found |= constants_in(base)
            depends[statement.name] = constants_in(statement.expression)
        return tuple(entry.name for entry in self.constants if entry.name in found)

    def input(self, name: str) -> Input:
        """The input of that name; KeyError if there is none."""
        for entry in self.inputs:
            if entry.name == name:
                return entry
        raise KeyError(name)

    def statement(self, name: str) -> Statement:
        """The statement of that name; KeyError if there is none."""
        for entry in self.statements:
            if entry.name == name:
                return entry
        raise KeyError(name)

    def output_kind(self, name: str) -> Kind:
        """ROW or ROW_SCALAR; KeyError if no output has that name."""
        if name not in self.outputs:
            raise KeyError(name)
        return self.statement(name).kind

    def public(self, name: str) -> str:
        """What an input, an output or a statement is called in the file, and in the signatures of emitted functions."""
        return dict(self.renamed).get(name, name)

    def canonical(self) -> str:
        """The definition in normal form: the same for every layout, comment and docstring; for hashing."""
        lines = [f"def {self.name}({', '.join(_signature(entry) for entry in self.inputs)})"]
        lines += [f"{s.name}: {s.kind.value} = {render(s.expression)}" for s in self.statements]
        lines += [f"return {', '.join(self.outputs)}"]
        return "\n".join([*lines, *(f"{name} is written {written}" for name, written in self.renamed)])

    def _inputs_of(self, kind: Kind) -> tuple[Input, ...]:
        return tuple(entry for entry in self.inputs if entry.kind is kind)


def _signature(entry: Input) -> str:
    default = "" if entry.default is None else f" = {entry.default}"
    return f"{entry.name}: {entry.kind.value}{default}"


def render(expression: Expression) -> str:
    """The expression as text with every operation in parentheses and numbers as fractions.

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
        case Negate(operand):
            return f"(-{render(operand)})"
        case Binary(operator, left, right) | Compare(operator, left, right):
            return f"({render(left)} {operator} {render(right)})"
        case Call(function, arguments):
            return f"{function}({', '.join(render(argument) for argument in arguments)})"


def children(expression: Expression) -> tuple[Expression, ...]:
    """The operands of an expression, from left to right."""
    match expression:
        case Negate(operand):
            return (operand,)
        case Binary(_, left, right) | Compare(_, left, right):
            return (left, right)
        case Call(_, arguments):
            return arguments
        case _:
            return ()


def with_names(expression: Expression, names: Mapping[str, str]) -> Expression:
    """The expression with its names replaced.

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
        case _:
            return expression


def walk(expression: Expression) -> Iterator[Expression]:
    """The expression and everything in it, each before its operands."""
    yield expression
    for child in children(expression):
        yield from walk(child)


def parse(text: str, filename: str = "<definition>") -> Definition:
    """Read a definition from text; `filename` is what errors and reports call it.

    Nothing of the text is executed. Raises DefinitionError, and nothing else, whatever the text.
    """
    # The parser builds the classes of this module, so it cannot be imported before they exist.
    from lngen.parsing.parser import parse_definition

    return parse_definition(text, filename)


def load(path: str | os.PathLike[str]) -> Definition:
    """Read a definition from a UTF-8 file.

    Raises LngenError if there is no such file or it is not text, DefinitionError (one of its kind) if
    the text is not a definition.
    """
    shown = printable(os.fspath(path))
    try:
        if not stat.S_ISREG(os.stat(path).st_mode) and not Path(path).is_dir():
            # To open a named pipe would wait for a writer, and to read a device might never end.
            raise LngenError(f"{shown}: this is no regular file. Save the definition in one, and name it.")
        with Path(path).open("rb") as file:
            # One byte more than is allowed shows that there is more, without reading a file of any size.
            raw = file.read(MAXIMUM_BYTES + 1)
    except FileNotFoundError:
        raise LngenError(f"{shown}: there is no such file. Check the path.") from None
    except IsADirectoryError:
        raise LngenError(f"{shown}: this is a folder. Name a definition file in it.") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise LngenError(
            f"{shown}: the file cannot be read: {printable(reason)}. Check the path and its permissions."
        ) from None
    if len(raw) > MAXIMUM_BYTES:
        raise LngenError(
            f"{shown}: the file is longer than {MAXIMUM_BYTES // 1024} KiB. "
            "A definition is one short function; name its file."
        )
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise LngenError(
            f"{shown}:{line}: byte {error.start} (0x{raw[error.start]:02x}) is not UTF-8. Save the file as UTF-8 text."
        ) from None
    return parse(text, os.fspath(path))
