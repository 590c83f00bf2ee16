"""The rules of differentiation, each head once and for both directions.

The differential of an equation is linear in those of its operands:

    ds = outside * over(inside * sum over v of slope(v) * dv)

`over` is the mean, the sum over rows, or nothing; the slopes are SymPy's derivatives of what stands inside. A tangent
goes through it from right to left (`lngen.derivation.jvp`), a cotangent from left to right (`lngen.derivation.vjp`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sympy
from sympy import Expr

from lngen.algebra.equations import Equation
from lngen.algebra.symbols import (
    AttainsFirst,
    D,
    Mean,
    RowMax,
    RowMin,
    SumRows,
    TypedSymbol,
    Where,
    derivative,
    is_integer,
)


@dataclass(frozen=True)
class Differential:
    """The differential of an equation whose right-hand side is a reduction of `body`, or `body` itself.

    >>> from lngen.algebra.symbols import RowSymbol, RowScalarSymbol
    >>> x, m, dx, dm = RowSymbol("x"), RowScalarSymbol("m"), RowSymbol("dx"), RowScalarSymbol("dm")
    >>> square, largest = Differential.of(Equation(m, Mean(x**2))), Differential.of(Equation(m, RowMax(x)))
    >>> [(slope, square.pushed(slope*dx), square.pulled(dm)*slope) for _, slope in square.slopes()]
    [(2*x, Mean(2*dx*x), 2*dm*x/D)]
    >>> largest.pushed(dx), largest.pulled(dm)
    (D*Mean(dx*AttainsFirst(x, m)), dm*AttainsFirst(x, m))
    """

    body: Expr
    over: type[Mean] | type[SumRows] | None = None
    outside: Expr = sympy.S.One
    inside: Expr = sympy.S.One

    @classmethod
    def of(cls, equation: Equation, first: Expr | None = None) -> Differential:
        """Return the rule of the equation's head.

        A mean and a sum are linear. A row's largest or smallest entry moves as the first feature that attains it does;
        `first` is the name of that place, where it has one.
        """
        whole, reduction = equation.expression, equation.reduction
        match whole if reduction is None else reduction:
            case SumRows(args=(body,)):
                return cls(body, SumRows)
            case Mean(args=(body,)):
                return cls(body, Mean, outside=whole / reduction)
            case RowMax(args=(body,)) | RowMin(args=(body,)):
                return cls(body, Mean, D, AttainsFirst(body, equation.symbol) if first is None else first)
            case body:
                return cls(body)

    @property
    def operands(self) -> list[TypedSymbol]:
        """The values inside that may move, by name: no integer does."""
        return sorted((s for s in self.body.free_symbols if not is_integer(s)), key=lambda symbol: symbol.name)

    def slopes(self) -> Iterator[tuple[TypedSymbol, Expr]]:
        """The derivative of what stands inside with respect to each operand, where it is not zero."""
        for symbol in self.operands:
            slope = derivative(self.body, symbol)
            if slope != 0:
                yield symbol, slope

    def pushed(self, moved: Expr) -> Expr:
        """The tangent of the value, from that of what stands inside."""
        if moved == 0:
            return moved
        moved = self.inside * moved
        return self.outside * (moved if self.over is None else self.over(moved))

    def pulled(self, bar: Expr) -> Expr:
        """The cotangent of what stands inside, from that of the value: a mean sends each feature a share."""
        sent = bar * self.outside * self.inside
        return sent / D if self.over is Mean else sent


def select(product: Expr) -> Expr:
    """A product with a select among its factors as a select of products.

    So nothing is ever multiplied by 0 to be switched off: 0 times what was not chosen may be NaN.
    """
    for factor in sympy.Mul.make_args(product):
        if isinstance(factor, Where):
            condition, chosen, otherwise = factor.args
            rest = product / factor
            return Where(condition, select(rest * chosen), select(rest * otherwise))
        if isinstance(factor, sympy.Add) and any(isinstance(term, Where) for term in factor.args):
            rest = product / factor
            return sympy.Add(*(select(rest * term) for term in factor.args))
    return product


def merged(total: Expr) -> Expr:
    """Selects on one condition added up inside it: what is not chosen is then not even added.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, g, h = RowSymbol("x"), RowSymbol("g"), RowSymbol("h")
    >>> merged(Where(x > 0, g, 0) + Where(x > 0, h, 0) + h)
    h + Where(x > 0, g + h, 0)
    """
    terms: dict[Expr, list[Expr]] = {}
    for term in sympy.Add.make_args(total):
        if isinstance(term, Where):
            terms.setdefault(term.args[0], []).append(term)
    for condition, alike in terms.items():
        if len(alike) > 1:
            chosen, otherwise = (sympy.Add(*(term.args[place] for term in alike)) for place in (1, 2))
            total = total - sympy.Add(*alike) + Where(condition, chosen, otherwise)
    return total
