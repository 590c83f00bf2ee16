"""Expressions as one line of ASCII in the definition language's own words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy
from sympy import Add, Expr, Mul, Pow, Symbol
from sympy.core.relational import Relational

from lngen.algebra.fold import Fold
from lngen.algebra.normal import NormalDensity, Phi
from lngen.algebra.notation.order import Fraction, Order, Term, decimal, fraction, terms
from lngen.algebra.symbols import (
    ENTRY_OF,
    AttainsFirst,
    FeatureSum,
    Mean,
    Power,
    RowMax,
    RowMin,
    StopGradient,
    SumRows,
    Where,
)
from lngen.errors import printable

WORDS: dict[type, str] = {
    Mean: "mean",
    FeatureSum: "sum",
    RowMax: "max",
    RowMin: "min",
    SumRows: "sum_rows",
    AttainsFirst: "attains_first",
    StopGradient: "stop_gradient",
    Where: "where",
    Power: "power",
    NormalDensity: "phi",
    Phi: "Phi",
    **{head: entry.name for head, entry in ENTRY_OF.items()},
}
"""The word of each function. `sum_rows`, `attains_first`, `Phi` and `phi` are no words of a definition: they come from
the adjoint, and from their forms.
"""

_SUM, _PRODUCT, _POWER, _ATOM = range(4)


def text(expression: Expr, order: Order = ()) -> str:
    """The expression as a person writes it; `order` are names in the order in which the reader met them.

    One line of printable ASCII without backslash and without `*/`, so that it can stand in a comment of any
    language.

    >>> from lngen.algebra.symbols import D, RowScalarSymbol, RowSymbol
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
    return printable(Text(order).of(expression))


class Text(Fold[str]):
    """Writes expressions in the words of the language. Another order or another notation is a subclass.

    `marked` is told each part and its text, and returns what is written for it. `times` and `over` are the signs of
    products and quotients.
    """

    times, over = "*", "/"

    def __init__(self, order: Order = (), marked: Callable[[Expr, str], str] | None = None) -> None:
        self.order, self.marked = order, marked

    def of(self, e: Expr) -> str:
        """The text of an expression."""
        return super().of(e) if self.marked is None else self.marked(e, super().of(e))

    def terms(self, e: Expr) -> Sequence[Term]:
        return terms(e, self.order)

    def fraction(self, e: Expr) -> Fraction:
        return fraction(e)

    def symbol(self, e: Symbol) -> str:
        return str(e.name)

    def add(self, e: Expr) -> str:
        line = " ".join(("- " if term.negative else "+ ") + self.term(term.magnitude) for term in self.terms(e))
        return line.removeprefix("+ ") if line.startswith("+ ") else "-" + line.removeprefix("- ")

    def term(self, magnitude: Expr) -> str:
        # A leading minus belongs to its term, whatever the term is.
        return self._within(magnitude, _PRODUCT)

    def number(self, e: Expr) -> str:
        return self.rational(e) if e.is_Rational else self.constant(e)

    def rational(self, e: Expr) -> str:
        return decimal(e) or str(e)

    def constant(self, e: Expr) -> str:
        return str(e)

    def multiply(self, e: Expr) -> str:
        parts = self.fraction(e)
        alone = len(parts.numerator) == 1 and not parts.denominator and not parts.negative
        least = _PRODUCT if alone else _PRODUCT + 1
        written = self.times.join(self._within(factor, least) for factor in parts.numerator)
        if parts.denominator:
            below = self.times.join(self._within(factor, _PRODUCT + 1) for factor in parts.denominator)
            written += self.over + (f"({below})" if len(parts.denominator) > 1 else below)
        return f"-{written}" if parts.negative else written

    def power(self, e: Expr) -> str:
        return self.multiply(e) if _is_quotient(e) else self.raised(e)

    def raised(self, e: Expr) -> str:
        if e.exp == sympy.Rational(1, 2):
            return f"sqrt({self.of(e.base)})"
        return f"{self._within(e.base, _ATOM)}**{self._within(e.exp, _ATOM)}"

    def relation(self, e: Relational) -> str:
        return f"{self.of(e.lhs)} {e.rel_op} {self.of(e.rhs)}"

    def other(self, e: Expr) -> str:
        if not e.args:
            return self.constant(e)
        word = WORDS.get(type(e), type(e).__name__.lower())
        return f"{word}({', '.join(map(self.of, e.args))})"

    def _within(self, e: Expr, least: int) -> str:
        return self.of(e) if self._binds(e) >= least else f"({self.of(e)})"

    def _binds(self, e: Expr) -> int:
        """Return the precedence of the outermost operator of the text."""
        if isinstance(e, (Add, Relational)) or (e.is_Rational and e < 0):
            return _SUM
        if e.is_Rational:
            return _ATOM if e.q == 1 or decimal(e) else _PRODUCT
        if _is_quotient(e):
            return _SUM if self.fraction(e).negative else _PRODUCT
        return _POWER if isinstance(e, (Pow, Power)) and e.exp != sympy.Rational(1, 2) else _ATOM


def _is_quotient(e: Expr) -> bool:
    return isinstance(e, Mul) or bool(isinstance(e, Pow) and e.exp.is_Rational and e.exp.is_negative)
