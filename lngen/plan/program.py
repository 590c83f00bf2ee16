"""Row program: the intermediate representation that every backend prints.

A `RowProgram` is one direction of a layer, such as its forward, as a list of *stages*. A stage is one sweep over a row:
all reductions whose inputs are ready share it. The forward of a layer that subtracts its mean has four:

    mean(x) | residual mean of x - mu | mean of the centred square | output

Expressions are SymPy expressions over typed symbols (`lngen.algebra.symbols`). Inside a stage they contain no
reduction; before and after the rows a reduction is a line. Every name is the derivation's own, and every line has the
number of its step.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise
from typing import Literal, Protocol, Self, TypeVar, cast

from sympy import Expr

from lngen.algebra.equations import Names
from lngen.algebra.symbols import (
    D,
    FeatureSum,
    FeatureSymbol,
    Mean,
    RowMax,
    RowMin,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    SumRows,
    TypedSymbol,
)
from lngen.derivation.derivation import Direction
from lngen.language.definition import Draw
from lngen.language.names import cotangent, tangent

Operator = Literal["mean", "sum", "max", "min"]
OPERATORS: Mapping[type, Operator] = {Mean: "mean", FeatureSum: "sum", RowMax: "max", RowMin: "min"}
"""Operator in a program for each reduction of an expression."""


def moved_name(direction: Direction, name: str) -> str:
    """Name a direction's own argument for an input: its tangent, or the cotangent of its gradient.

    >>> moved_name("jvp", "x"), moved_name("backward_backward", "x")
    ('x_dot', 'ddx')
    """
    return tangent(name) if direction == "jvp" else cotangent(cotangent(name))


@dataclass(frozen=True)
class PassLine:
    """A line that a pass made of a step, and that differs from the step; emitted code names it by its number.

    `backends` are the groups of backends whose programs have it.
    """

    number: int
    rule: str
    step: int
    symbol: TypedSymbol
    expression: Expr
    backends: tuple[str, ...]

    @property
    def words(self) -> str:
        """The rule, the step, and the backends that have the line."""
        found = " and ".join(f"in {name}" for name in self.backends if name)
        return ", ".join(filter(None, (f"{self.rule} of step {self.step}", found)))


class _OfStep:
    """Provenance of a line: its derivation step and, if it differs from that step, the number of the pass's line.

    The line has no derivative by the symbols that it `stops`.
    """

    step: int
    made_by: int
    stops: tuple[TypedSymbol, ...]

    def with_body(self, body: Expr) -> Self:
        """The same line with another body.

        >>> x, m = RowSymbol("x"), RowScalarSymbol("m")
        >>> FeatureReduction(m, "mean", x, 1).with_body(x**2).expression
        Mean(x**2)
        """
        part = "expression" if isinstance(self, Assignment) else "body"
        return cast(Self, replace(cast("Line", self), **{part: body}))

    @property
    def source(self) -> str:
        """Return the provenance as a comment of emitted code.

        >>> x, y = RowSymbol("x"), RowSymbol("y")
        >>> Assignment(y, x, 2).source, Assignment(y, x, 2, made_by=3).source
        ('step 2', 'step 2, pass 3')
        """
        return f"step {self.step}" + (f", pass {self.made_by}" if self.made_by else "")


@dataclass(frozen=True)
class Assignment(_OfStep):
    """`symbol = expression`, and the derivation step it comes from."""

    symbol: TypedSymbol
    expression: Expr
    step: int
    made_by: int = field(default=0, repr=False)
    stops: tuple[TypedSymbol, ...] = field(default=(), repr=False)

    @property
    def body(self) -> Expr:
        """Return the expression before any reduction: for an assignment, all of it."""
        return self.expression


@dataclass(frozen=True)
class FeatureReduction(_OfStep):
    """Reduction `symbol = operator(body)` over the feature axis of each row.

    A `shift` is subtracted from exponents, and may have any value: 0 is used if it is infinite, since `inf - inf` is
    NaN.
    """

    symbol: RowScalarSymbol
    operator: Operator
    body: Expr
    step: int
    shift: bool = False
    made_by: int = field(default=0, repr=False)
    stops: tuple[TypedSymbol, ...] = field(default=(), repr=False)

    @property
    def expression(self) -> Expr:
        """The reduction as an expression.

        >>> FeatureReduction(RowScalarSymbol("m"), "mean", RowSymbol("x"), 1).expression
        Mean(x)
        """
        head = next(head for head, operator in OPERATORS.items() if operator == self.operator)
        return head(self.body)


@dataclass(frozen=True)
class RowsReduction(_OfStep):
    """Sum over all rows: of a row value into a Feature, or of a row scalar into a Scalar.

    The epilogue and the gradients refer to `symbol`.
    """

    symbol: FeatureSymbol | ScalarSymbol
    body: Expr
    step: int
    made_by: int = field(default=0, repr=False)
    stops: tuple[TypedSymbol, ...] = field(default=(), repr=False)

    @property
    def expression(self) -> Expr:
        """The sum as an expression."""
        return SumRows(self.body)


Line = Assignment | FeatureReduction | RowsReduction
"""A line of a program."""

_Line = TypeVar("_Line", Assignment, FeatureReduction, RowsReduction)


class LineMap(Protocol):
    """A function of a line of any kind that returns one of the same kind."""

    def __call__(self, line: _Line, /) -> _Line: ...


@dataclass(frozen=True)
class Store:
    """A value that leaves the program: an output of forward, a gradient of backward.

    `names` has several entries where several results are equal (the gradients of `x + r`): the value is computed once
    and written to each, for a caller may change one of them.
    """

    names: tuple[str, ...]
    symbol: TypedSymbol


@dataclass(frozen=True)
class Stage:
    """One sweep over a row, in the order: temps, reductions over them, row scalars, stores.

    `correction` marks a stage that measures a value that is zero in exact arithmetic (the mean of a centred row). A
    backend may skip it for a row where rounding cannot matter, if the decision depends on that row alone; the symbol is
    then zero.
    """

    temps: tuple[Assignment, ...] = ()
    reductions: tuple[FeatureReduction, ...] = ()
    row_scalars: tuple[Assignment, ...] = ()
    stores: tuple[Store, ...] = ()
    rows_reductions: tuple[RowsReduction, ...] = ()
    correction: bool = False

    def lines(self) -> tuple[Line, ...]:
        """Return every line, in order."""
        return (*self.temps, *self.reductions, *self.row_scalars, *self.rows_reductions)

    def mapped(self, new: LineMap) -> Stage:
        """Return the stage with `new` applied to each of its lines."""
        return replace(
            self,
            temps=tuple(map(new, self.temps)),
            reductions=tuple(map(new, self.reductions)),
            row_scalars=tuple(map(new, self.row_scalars)),
            rows_reductions=tuple(map(new, self.rows_reductions)),
        )

    def replaced(self, table: Mapping[Expr, Expr]) -> Stage:
        """The same stage with parts of the bodies of its lines replaced."""
        return self.mapped(lambda line: line.with_body(line.body.xreplace(table)))


FAR = 2
"""Distance of a mean from zero, in deviations, up to which subtracting it costs no digits that matter.

The residual of the mean is then smaller than the rounding of a few deviations.
"""


@dataclass(frozen=True)
class Centring:
    """Correction that may be skipped by row: `shifted = x - mean`, its mean `residual`, `centred = shifted - residual`.

    `spread` is the mean or the sum of the square of `centred`, in the next stage. If the mean is at most `FAR`
    deviations from zero, the residual is pure rounding.
    """

    mean: RowScalarSymbol
    shifted: Assignment
    residual: FeatureReduction
    centred: Assignment
    spread: FeatureReduction


@dataclass(frozen=True)
class RowArgument:
    """A row or row scalar that the program reads from memory.

    `origin` is where the caller finds it: an argument of forward, a cotangent or a tangent (an argument of the other
    directions), or saved (`name` is then the input or output of forward that `saved` refers to). A row scalar that is
    "computed" has the compute type.
    """

    name: str
    symbol: RowSymbol | RowScalarSymbol
    origin: Literal["input", "cotangent", "tangent", "saved input", "saved output", "computed"]


@dataclass(frozen=True)
class RandomRow:
    """Random numbers that a program makes where it reads them: `uniform(seed, stream)`."""

    symbol: RowSymbol
    seed: ScalarSymbol
    stream: int

    @property
    def text(self) -> str:
        """The numbers as a definition writes them."""
        return str(Draw(self.seed.name, self.stream))


@dataclass(frozen=True)
class Parameter:
    """Feature, Scalar or Constant; `default` is its value when left out."""

    name: str
    symbol: FeatureSymbol | ScalarSymbol
    kind: Literal["Feature", "Scalar", "Constant"]
    default: Fraction | None


@dataclass(frozen=True)
class RowProgram:
    """Row program of one direction of a layer.

    `rows` are read in every stage that needs them (a backend keeps them on chip where it can). `parameters` are read
    once. `prologue` is computed once per call from parameters alone (`1 + w`, a reduction of a Feature), and `epilogue`
    once from the sums over rows. `saved` are the row scalars that forward writes and backward reads. `optional` maps an
    optional input to its neutral value. An input that is left out *is* that number: all work for its gradient alone is
    gone. `passes` are the numbered lines of the passes, in the
    plan and after it. `casts` pairs a result of forward with the type that it is rounded to. `smaller` pairs the
    arguments and results whose arrays lack axes of the rows with the axes that they have: they are broadcast as
    they are read, and summed as they are written. `random` are the rows that are made of a seed wherever they are
    read.
    """

    layer: str
    direction: Direction
    minimum_features: int
    rows: tuple[RowArgument, ...]
    parameters: tuple[Parameter, ...]
    prologue: tuple[Assignment, ...]
    stages: tuple[Stage, ...]
    epilogue: tuple[Assignment, ...]
    saved: tuple[RowScalarSymbol, ...]
    results: tuple[Store, ...]
    optional: tuple[tuple[str, Fraction], ...]
    passes: tuple[PassLine, ...] = ()
    casts: tuple[tuple[str, str], ...] = ()
    smaller: tuple[tuple[str, tuple[str, ...]], ...] = ()
    random: tuple[RandomRow, ...] = ()

    def lines(self) -> Iterator[Line]:
        """Yield every line, in order."""
        yield from self.prologue
        for stage in self.stages:
            yield from stage.lines()
        yield from self.epilogue

    def mapped(self, new: LineMap) -> RowProgram:
        """Return the program with `new` applied to each of its lines."""
        return replace(
            self,
            prologue=tuple(map(new, self.prologue)),
            stages=tuple(stage.mapped(new) for stage in self.stages),
            epilogue=tuple(map(new, self.epilogue)),
        )

    def values(self) -> list[tuple[TypedSymbol, Expr]]:
        """Return each symbol with its expression, in order; for a sum over rows, with its terms."""
        return [(q.symbol, q.body if isinstance(q, RowsReduction) else q.expression) for q in self.lines()]

    def cotangents(self) -> tuple[str, ...]:
        """Return the cotangents of the outputs; of several, any may be left out, but not all."""
        optional = dict(self.optional)
        return tuple(row.name for row in self.rows if row.origin == "cotangent" and row.name not in optional)

    def neutral(self) -> dict[str, Fraction]:
        """Return the value that each argument which may be left out then has; a cotangent is 0."""
        return dict(self.optional) | dict.fromkeys(self.cotangents(), Fraction(0))

    def temps(self) -> tuple[Assignment, ...]:
        """All row values of all stages, in order."""
        return tuple(temp for stage in self.stages for temp in stage.temps)

    def centrings(self) -> tuple[Centring, ...]:
        """Return the corrections that may be skipped by row, after which the square of the centred row is averaged."""
        means = {r.body: r.symbol for stage in self.stages for r in stage.reductions if r.operator == "mean"}
        temps = self.temps()
        found = []
        for stage, following in pairwise(self.stages):
            for residual in stage.reductions if stage.correction else ():
                shifted = next((temp for temp in temps if temp.symbol == residual.body), None)
                centred = next((t for t in temps if t.expression == residual.body - residual.symbol), None)
                squares = [r for r in following.reductions if centred and r.body == centred.symbol**2]
                spread = next((r for r in squares if r.operator in ("mean", "sum")), None)
                shifts = () if shifted is None else shifted.expression.free_symbols
                mean = next((m for m in shifts if shifted and means.get(shifted.expression + m) == m), None)
                if shifted and centred and spread and mean and self.users(shifted.symbol) == 2:
                    found.append(Centring(mean, shifted, residual, centred, spread))
        return tuple(found)

    def users(self, symbol: TypedSymbol) -> int:
        """Return the number of lines and results that read a value."""
        reading = [symbol in q.body.free_symbols for stage in self.stages for q in stage.lines()]
        return sum(reading) + sum(store.symbol == symbol for store in self.results)

    def names(self) -> Names:
        """Return a source of new names, which the program does not use."""
        symbols = {D} | {symbol for line in self.lines() for symbol in (line.symbol, *line.body.free_symbols)}
        symbols |= {*(row.symbol for row in self.rows), *(p.symbol for p in self.parameters), *self.saved}
        symbols |= {row.symbol for row in self.random}
        return Names({*(symbol.name for symbol in symbols), *(name for store in self.results for name in store.names)})

    def read(self) -> frozenset[TypedSymbol]:
        """The symbols that a line or a result reads. Any other argument is only checked."""
        found = {store.symbol for store in self.results}.union(*(q.body.free_symbols for q in self.lines()))
        return frozenset(found | {row.seed for row in self.random if row.symbol in found})
