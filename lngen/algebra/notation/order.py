"""The order in which a person writes terms and factors.

SymPy's sums and products have none. What is decided here depends on the expression alone, never on a hash
seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import sympy
from sympy import Add, Expr, Mul, Pow, S

from lngen.algebra.symbols import D, FeatureSum, Mean, Reduction, SumRows, TypedSymbol, axes, has_sum, operation_count

Order: TypeAlias = Sequence[str]
"""Names in the order in which the reader met them: where nothing else decides, `x + r` stays `x + r`."""

_KEPT = 20_000
"""Expressions whose order is remembered: a definition writes the same ones down in several places."""


class Term(NamedTuple):
    """A term of a sum: `-magnitude` or `magnitude`."""

    negative: bool
    magnitude: Expr


class Fraction(NamedTuple):
    """`numerator / denominator`, factors in order; `negative` is its sign, numbers are among the factors."""

    negative: bool
    numerator: tuple[Expr, ...]
    denominator: tuple[Expr, ...]


def terms(expression: Expr, order: Order = ()) -> list[Term]:
    """The terms of a sum: what is added before what is taken off, reductions last.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> x, mu = RowSymbol("x"), RowScalarSymbol("mu")
    >>> terms(x - mu)
    [Term(negative=False, magnitude=x), Term(negative=True, magnitude=mu)]
    """
    return list(_terms(expression, tuple(order)))


@lru_cache(maxsize=_KEPT)
def _terms(expression: Expr, order: tuple[str, ...]) -> tuple[Term, ...]:
    found = [Term(*_sign(term)) for term in Add.make_args(expression)]
    # 1 - t, but D - 1 and 2*D + 1.
    number_first = not expression.free_symbols <= {D}

    def key(term: Term) -> tuple[bool, tuple[int, ...], tuple[int, ...], str]:
        place, length = _term_place(term.magnitude, number_first), _term_length(term.magnitude)
        # Subtracted terms come short before long: x - mu - t*mean(t*x).
        main = (*length, place) if term.negative else (place, *length)
        return term.negative, main, _met(term.magnitude, order), _text(term.magnitude)

    return tuple(sorted(found, key=key))


@lru_cache(maxsize=_KEPT)
def fraction(expression: Expr) -> Fraction:
    """The factors of a product: numbers, Scalars, row scalars, Features, rows, functions, reductions, then
    sums.

    Numbers that all terms of a factor share are taken out of it, and so is the sign of a factor that has only
    negative terms. A decimal stays a decimal.

    >>> from lngen.algebra.symbols import FeatureSymbol, RowScalarSymbol, RowSymbol
    >>> dy, gamma, s = RowSymbol("dy"), FeatureSymbol("gamma"), RowScalarSymbol("s")
    >>> fraction(-dy * gamma * (2*dy - 2*s) / s)
    Fraction(negative=True, numerator=(2, gamma, dy, -s + dy), denominator=(s,))
    >>> fraction(s * (1 + sympy.Rational("0.134145")*dy**2)).numerator
    (s, 26829*dy**2/200000 + 1)
    """
    coefficient: Expr = S.One
    above: list[Expr] = []
    below: list[Expr] = []
    for factor in _with_sums(Mul.make_args(expression)):
        if factor.is_Rational:
            coefficient *= factor
        elif isinstance(factor, Add):
            shared, rest = _shared(factor)
            if all(_sign(term)[0] for term in rest.args):
                shared, rest = -shared, Add(*(-term for term in rest.args))
            coefficient *= shared
            above.append(rest)
        elif isinstance(factor, Pow) and factor.exp.is_Rational and factor.exp.is_negative:
            below.append(Pow(factor.base, -factor.exp))
        else:
            above.append(factor)
    return with_number(coefficient, sorted(above, key=_factor_key), sorted(below, key=_factor_key))


def _shared(total: Add) -> tuple[Expr, Expr]:
    """The number that all terms of a sum share, and what it leaves; 1 where that makes integers of decimals."""
    shared, rest = total.primitive()
    numbers = (term.as_coeff_Mul()[0] for term in total.args)
    return (S.One, total) if any(abs(n) != shared and n.is_Rational and decimal(n) for n in numbers) else (shared, rest)


def with_number(number: Expr, above: Sequence[Expr], below: Sequence[Expr]) -> Fraction:
    """`number * above / below`, the number's own quotient among the factors.

    >>> x = sympy.Symbol("x")
    >>> with_number(sympy.Rational(-3, 2), [x], [])
    Fraction(negative=True, numerator=(3, x), denominator=(2,))
    """
    negative = bool(number.is_negative)
    top, bottom = _split_number(-number if negative else number)
    numerator = (top, *above) if top != 1 or not above else tuple(above)
    denominator = (bottom, *below) if bottom != 1 else tuple(below)
    return Fraction(negative, numerator, denominator)


_LONG = 10**16
"""An integer from which on a float is written with an exponent."""


def decimal(number: Expr) -> str | None:
    """The exact decimal of a rational whose denominator calls for one, or its length, None where a quotient reads
    better.

    >>> [decimal(sympy.Rational(*pair)) for pair in ((1, 100000), (44715, 10**6), (1, 3), (3, 4), (5, 1), (-10**38, 1))]
    ['1e-5', '0.044715', None, None, None, '-1e38']
    """
    if (number.q == 1 and abs(number.p) < _LONG) or number.q in (2, 4, 8):
        return None
    try:
        shortest = repr(int(number.p) / int(number.q))
    except OverflowError:
        return None
    if sympy.Rational(shortest) != number:
        return None
    mantissa, _, exponent = shortest.partition("e")
    return f"{mantissa.removesuffix('.0')}e{int(exponent)}" if exponent else mantissa


def _split_number(size: Expr) -> tuple[Expr, Expr]:
    whole = not size.is_Rational or decimal(size)
    return (size, S.One) if whole else (sympy.Integer(size.p), sympy.Integer(size.q))


def _with_sums(factors: Sequence[Expr]) -> list[Expr]:
    """`D*Mean(u)` is a sum, and is written as one."""
    rest = list(factors)
    if not has_sum(rest):
        return rest
    mean = next(factor for factor in rest if isinstance(factor, Mean))
    features = next(factor for factor in rest if factor.as_base_exp()[0] == D)
    left = [] if features == D else [features / D]
    return [*left, *(FeatureSum(f.args[0]) if f is mean else f for f in rest if f is not features)]


def _sign(term: Expr) -> tuple[bool, Expr]:
    coefficient, _ = term.as_coeff_Mul()
    return (True, -term) if coefficient.is_negative else (False, term)


def _term_place(term: Expr, number_first: bool) -> int:
    varies = axes(term)
    if term.is_number:
        return 0 if term.is_Integer and number_first else 5
    if varies.features:
        # A mean beside row values comes after them.
        return 3 if term.atoms(Reduction, SumRows) else (1 if varies.rows else 2)
    return 3 if varies.rows else 4


def _term_length(term: Expr) -> tuple[int, int]:
    return len(term.atoms(Reduction, SumRows)), _size(term)


def _met(term: Expr, order: Order) -> tuple[int, ...]:
    return tuple(sorted(order.index(s.name) if s.name in order else len(order) for s in term.free_symbols))


def _factor_key(factor: Expr) -> tuple[int, int, int, str]:
    base = factor.base if isinstance(factor, Pow) else factor
    if isinstance(base, TypedSymbol) or base.is_number:
        shape = 0
    elif isinstance(base, (Reduction, SumRows)):
        shape = 2
    else:
        shape = 3 if isinstance(base, Add) else 1
    varies = axes(base)
    rank = 0 if base.is_number else 1 + 2 * varies.features + varies.rows
    return shape, rank, _size(base), _text(factor)


def _size(expression: Expr) -> int:
    # A symbol is as short as any other, whatever its name.
    return 0 if isinstance(expression, TypedSymbol) else operation_count(expression)


@lru_cache(maxsize=_KEPT)
def _text(expression: Expr) -> str:
    return expression.name if isinstance(expression, TypedSymbol) else str(sympy.sstr(expression, order="lex"))
