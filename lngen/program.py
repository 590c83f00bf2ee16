"""The row program: what both backends are printed from.

A `RowProgram` is one direction of a layer, such as its forward, as a list of *stages*. A stage is one sweep over a
row: all reductions whose inputs are ready share it. The forward of a layer that takes its mean off has four:

    mean(x) | residual mean of x - mu | mean of the centred square | output

Expressions are SymPy expressions over typed symbols (`lngen.symbolic`); inside a stage they hold no reduction. Every
name is the derivation's own, and every line says which step it comes from.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from sympy import Expr

from lngen.symbolic import FeatureSymbol, RowScalarSymbol, RowSymbol, ScalarSymbol, TypedSymbol

Direction = Literal["forward", "backward", "jvp", "backward_backward"]


@dataclass(frozen=True)
class Assignment:
    """`symbol = expression`, and the derivation step it comes from."""

    symbol: TypedSymbol
    expression: Expr
    step: int


@dataclass(frozen=True)
class FeatureReduction:
    """`symbol = operator(body)` over the feature axis of each row."""

    symbol: RowScalarSymbol
    operator: Literal["mean", "sum", "max", "min"]
    body: Expr
    step: int


@dataclass(frozen=True)
class RowsReduction:
    """A sum over all rows: of a row value into a Feature, or of a row scalar into a Scalar.

    `symbol` is what the epilogue and the gradients refer to.
    """

    symbol: FeatureSymbol | ScalarSymbol
    body: Expr
    step: int


@dataclass(frozen=True)
class Store:
    """A value that leaves the program: an output of forward, a gradient of backward.

    `names` has several entries where several results are the same array (the gradients of `x + r`): it is computed and
    written once, and the results share it.
    """

    names: tuple[str, ...]
    symbol: TypedSymbol


@dataclass(frozen=True)
class Stage:
    """One sweep over a row. Order inside: temps, then reductions over them, then row scalars, then stores.

    `correction` marks a sweep that measures what is zero in exact arithmetic (the mean of a centred row). A backend may
    leave it out for a row where rounding cannot matter, provided that the decision looks at that row alone; the symbol
    is then zero.
    """

    temps: tuple[Assignment, ...] = ()
    reductions: tuple[FeatureReduction, ...] = ()
    row_scalars: tuple[Assignment, ...] = ()
    stores: tuple[Store, ...] = ()
    rows_reductions: tuple[RowsReduction, ...] = ()
    correction: bool = False


@dataclass(frozen=True)
class RowArgument:
    """A row or row scalar that the program reads from memory.

    `origin` is where the caller finds it: an argument of forward, a cotangent or a tangent (an argument of the other
    directions), or saved (`name` is then the input or output of forward that `saved` refers to).
    """

    name: str
    symbol: RowSymbol | RowScalarSymbol
    origin: Literal["input", "cotangent", "tangent", "saved input", "saved output"]


@dataclass(frozen=True)
class Parameter:
    """A Feature, a Scalar or a Constant. `neutral` is the value that stands for it when it is left out."""

    name: str
    symbol: FeatureSymbol | ScalarSymbol
    kind: Literal["Feature", "Scalar", "Constant"]
    default: Fraction | None


@dataclass(frozen=True)
class RowProgram:
    """One direction of a layer.

    `rows` are read in every sweep that needs them (a backend keeps them on chip where it can). `parameters` are read
    once. `prologue` holds what is computed once a call from parameters alone (`1 + w`, a reduction of a Feature);
    `epilogue` what is computed once from the sums over rows. `saved` are the row scalars that forward writes and
    backward reads. `optional` maps an input that may be left out to its neutral value; left out, it *is* that number,
    and whatever only served its gradient is gone.
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

    def temps(self) -> tuple[Assignment, ...]:
        """All row values of all stages, in order."""
        return tuple(temp for stage in self.stages for temp in stage.temps)

    def read(self) -> frozenset[TypedSymbol]:
        """The symbols that a line or a result reads. An argument that is not among them is checked, and no more."""
        expressions: list[Expr] = [a.expression for a in (*self.prologue, *self.epilogue)]
        for stage in self.stages:
            expressions += [a.expression for a in (*stage.temps, *stage.row_scalars)]
            expressions += [r.body for r in stage.reductions] + [r.body for r in stage.rows_reductions]
        return frozenset({store.symbol for store in self.results}.union(*(e.free_symbols for e in expressions)))
