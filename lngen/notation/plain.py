"""Expressions as one line of ASCII in the definition language's own words."""

from __future__ import annotations

import sympy
from sympy import Add, Expr, Mul, Pow, Symbol
from sympy.core.relational import Relational

from lngen.errors import printable
from lngen.notation.order import Order, decimal, fraction, terms
from lngen.symbolic import (
    NOTHING,
    AttainsFirst,
    Axes,
    D,
    Expm1,
    FeatureSum,
    FeatureSymbol,
    Log1p,
    Mean,
    RowMax,
    RowMin,
    RowScalarSymbol,
    RowSymbol,
    Sigmoid,
    Softplus,
    StopGradient,
    SumRows,
    Where,
    axes,
)

WORDS: dict[type, str] = {
    Mean: "mean",
    FeatureSum: "sum",
    RowMax: "max",
    RowMin: "min",
    SumRows: "sum_rows",
    AttainsFirst: "attains_first",
    StopGradient: "stop_gradient",
    Where: "where",
    Sigmoid: "sigmoid",
    Softplus: "softplus",
    Log1p: "log1p",
    Expm1: "expm1",
    sympy.Abs: "abs",
    sympy.exp: "exp",
    sympy.log: "log",
    sympy.sin: "sin",
    sympy.cos: "cos",
    sympy.tanh: "tanh",
    sympy.erf: "erf",
    sympy.sign: "sign",
}
"""The word of each function. `sum_rows` and `attains_first` are no words of a definition: they come from the
adjoint.
"""

_KINDS: dict[Axes, str] = {
    RowSymbol.varies: "row",
    RowScalarSymbol.varies: "row scalar",
    FeatureSymbol.varies: "Feature",
    NOTHING: "Scalar",
}

_SUM, _PRODUCT, _POWER, _ATOM = range(4)


def text(expression: Expr, order: Order = ()) -> str:
    """The expression as a person writes it; `order` are names in the order in which the reader met them.

    One line of printable ASCII without backslash and without `*/`, so that it can stand in a comment of any
    language.

    >>> from lngen.symbolic import FeatureSymbol, RowScalarSymbol, RowSymbol
    >>> x, mu, std = RowSymbol("x"), RowScalarSymbol("mu"), RowScalarSymbol("std")
    >>> guarded, total = Where(std > 0, 1/std, 0), D*Mean(x*mu)/(D - 1)
    >>> for e in (x - mu, guarded, 1 - x**2, total, SumRows(x), -x/sympy.sqrt(std)):
    ...     print(text(e))
    x - mu
    where(std > 0, 1/std, 0)
    1 - x**2
    sum(mu*x)/(D - 1)
    sum_rows(x)
    -x/sqrt(std)
    """
    return printable(_write(expression, order)[0])


def kind(symbol: Symbol) -> str:
    """What a symbol is, in words.

    >>> kind(RowScalarSymbol("rstd")), kind(D)
    ('row scalar', 'feature count')
    """
    return "feature count" if symbol == D else _KINDS[axes(symbol)]


def _write(e: Expr, order: Order) -> tuple[str, int]:
    """The text of an expression, and how tightly its outermost operator binds."""
    if isinstance(e, Symbol):
        return e.name, _ATOM
    if isinstance(e, Add):
        return _sum(e, order), _SUM
    if e.is_Rational:
        return _number(e)
    if isinstance(e, Mul) or (isinstance(e, Pow) and e.exp.is_Rational and e.exp.is_negative):
        return _quotient(e, order)
    if isinstance(e, Pow):
        return _power(e, order)
    if isinstance(e, Relational):
        return f"{_write(e.lhs, order)[0]} {e.rel_op} {_write(e.rhs, order)[0]}", _SUM
    if not e.args:
        return str(e), _ATOM
    word = WORDS.get(type(e), type(e).__name__.lower())
    return f"{word}({', '.join(_write(argument, order)[0] for argument in e.args)})", _ATOM


def _within(e: Expr, least: int, order: Order) -> str:
    written, binds = _write(e, order)
    return written if binds >= least else f"({written})"


def _sum(e: Expr, order: Order) -> str:
    pieces = []
    for term in terms(e, order):
        sign = "- " if term.negative else "+ "
        # A leading minus belongs to its term, whatever the term is.
        pieces.append(sign + _within(term.magnitude, _PRODUCT, order))
    line = " ".join(pieces)
    return line.removeprefix("+ ") if line.startswith("+ ") else "-" + line.removeprefix("- ")


def _number(e: Expr) -> tuple[str, int]:
    written = decimal(e)
    if written is None:
        return str(e), _SUM if e < 0 else (_ATOM if e.q == 1 else _PRODUCT)
    return written, _SUM if e < 0 else _ATOM


def _quotient(e: Expr, order: Order) -> tuple[str, int]:
    parts = fraction(e)
    least = _PRODUCT if len(parts.numerator) == 1 and not parts.denominator and not parts.negative else _PRODUCT + 1
    written = "*".join(_within(factor, least, order) for factor in parts.numerator)
    if parts.denominator:
        below = "*".join(_within(factor, _PRODUCT + 1, order) for factor in parts.denominator)
        written += f"/({below})" if len(parts.denominator) > 1 else f"/{below}"
    return f"-{written}" if parts.negative else written, _SUM if parts.negative else _PRODUCT


def _power(e: Expr, order: Order) -> tuple[str, int]:
    if e.exp == sympy.Rational(1, 2):
        return f"sqrt({_write(e.base, order)[0]})", _ATOM
    exponent, binds = _write(e.exp, order)
    base = _within(e.base, _ATOM, order)
    return f"{base}**{exponent if binds == _ATOM else f'({exponent})'}", _POWER
