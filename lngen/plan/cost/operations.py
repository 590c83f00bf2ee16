"""Floating-point operations of a row program, counted per row element, per row, per feature, and once.

A sum or product of n operands counts n - 1, and an integer power the steps of repeated squaring. A division, a
comparison, a select and a call of a function count one each. A sign is free inside a sum and costs one elsewhere. A
reduction costs one more for each entry that is added, over features and over rows alike, and a mean one division for
each result. Functions are also counted by name, since a tanh is not an addition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import sympy
from sympy import Add, Expr, Mul, Pow
from sympy.core.relational import Relational

from lngen.algebra.notation import text
from lngen.algebra.symbols import (
    NOTHING,
    AttainsFirst,
    Axes,
    D,
    FeatureSymbol,
    Power,
    RowScalarSymbol,
    RowSymbol,
    StopGradient,
    Where,
    axes,
)
from lngen.plan.program import RowProgram


@dataclass(frozen=True)
class Operations:
    """Operations per row element, per row, per feature (once per call) and once per call.

    `functions` are the names of functions with how often each is evaluated per row element and per row; roots
    are among them.
    """

    element: int
    row: int
    feature: int
    call: int
    functions: tuple[tuple[str, int, int], ...]

    def total(self, rows: Expr) -> Expr:
        """All operations, as an expression in the number of rows and D."""
        return rows * (D * self.element + self.row) + D * self.feature + self.call


def operations(program: RowProgram) -> Operations:
    """The operations of a program, stages that measure a correction included."""
    tally: Counter[Axes] = Counter()
    functions: Counter[tuple[str, Axes]] = Counter()

    def add(expression: Expr) -> None:
        for place, count, function in _operations(expression):
            tally[place] += count
            if function:
                functions[function, place] += 1

    for line in (*program.prologue, *program.epilogue):
        add(line.expression)
    for stage in program.stages:
        for temp in (*stage.temps, *stage.row_scalars):
            add(temp.expression)
        for reduction in stage.reductions:
            add(reduction.body)
            tally[axes(reduction.body).join(Axes(False, True))] += 1
            tally[RowScalarSymbol.varies] += reduction.operator == "mean"
        for total in stage.rows_reductions:
            add(total.body)
            tally[axes(total.body).join(Axes(True, False))] += 1
    names = sorted({name for name, _ in functions})
    return Operations(
        element=tally[RowSymbol.varies],
        row=tally[RowScalarSymbol.varies],
        feature=tally[FeatureSymbol.varies],
        call=tally[NOTHING],
        functions=tuple(
            (name, functions[name, RowSymbol.varies], functions[name, RowScalarSymbol.varies]) for name in names
        ),
    )


def power_multiplications(exponent: int) -> int:
    """Multiplications that raise to a positive power by repeated squaring.

    >>> [power_multiplications(n) for n in (1, 2, 3, 4, 7)]
    [0, 1, 2, 2, 4]
    """
    return exponent.bit_length() + exponent.bit_count() - 2


def _operations(e: Expr) -> Iterator[tuple[Axes, int, str | None]]:
    """Yield the operations of an expression: their axes, their number, and the function that is called."""
    place = axes(e)
    if not e.args or e.is_number:
        return
    if isinstance(e, Add):
        yield place, len(e.args) - 1, None
        for term in e.args:
            yield from _operations(-term if _is_negated(term) else term)
    elif isinstance(e, Mul):
        yield place, len(e.args) - 1, None
        for factor in e.args:
            yield from _factor(factor)
    elif isinstance(e, Pow):
        if e.exp.is_negative:
            yield place, 1, None
        yield from _factor(e)
    elif isinstance(e, Power):
        yield place, 1, "pow"
        for argument in e.args:
            yield from _operations(argument)
    elif isinstance(e, AttainsFirst):
        # A comparison, and whether an earlier feature has attained it.
        yield place, 2, None
        for argument in e.args:
            yield from _operations(argument)
    else:
        if not isinstance(e, StopGradient):
            plain = isinstance(e, (Relational, Where, sympy.Abs, sympy.sign))
            yield place, 1, None if plain else text(e).partition("(")[0]
        for argument in e.args:
            yield from _operations(argument)


def _factor(e: Expr) -> Iterator[tuple[Axes, int, str | None]]:
    """A factor of a product, whose division or multiplication is already counted."""
    if not isinstance(e, Pow):
        yield from _operations(e)
        return
    yield from _operations(e.base)
    exponent = abs(e.exp)
    if exponent.is_Integer:
        yield axes(e), power_multiplications(int(exponent)), None
    elif exponent.is_Rational and exponent.q == 2:
        yield axes(e), 1, "sqrt"
        yield axes(e), power_multiplications(int(exponent.p)), None
    else:
        yield axes(e), 1, "pow"


def _is_negated(term: Expr) -> bool:
    return bool(term.as_coeff_Mul()[0].is_negative)
