"""Expressions in floating point: the order of terms and factors, and the text of numbers.

SymPy's sums and products have no order. Rounding has one, so both backends take it from here. It depends on the
expression alone, never on a hash seed.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import sympy
from sympy import Add, Expr, Mul, Pow, Rational, S

from lngen.algebra.notation import order as notation
from lngen.algebra.notation.order import Term
from lngen.algebra.notation.plain import Text
from lngen.algebra.symbols import TypedSymbol, axes, operation_count
from lngen.emit.spelling import reading
from lngen.errors import LngenError


class Product(NamedTuple):
    """`coefficient * product(numerator) / product(denominator)`; the coefficient is an exact number."""

    coefficient: Expr
    numerator: tuple[Expr, ...]
    denominator: tuple[Expr, ...]


def rank(expression: Expr) -> int:
    """The axes of a value as an order: 0 for a row value, then row scalar, Feature, Scalar."""
    varies = axes(expression)
    return 2 * (not varies.rows) + (not varies.features) if varies.rows else 3 - varies.features


def terms_in_order(expression: Expr) -> list[tuple[int, Expr]]:
    """Return the terms of a sum as (sign, magnitude): added terms first, then subtracted ones.

    In both groups, row values stand before row scalars before parameters, and short terms before long ones, so that `x
    - mu` is computed before a product is subtracted. An expression that is not a sum is its only term.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> g, xhat = RowSymbol("g"), RowSymbol("xhat")
    >>> m, p = RowScalarSymbol("m"), RowScalarSymbol("p")
    >>> terms_in_order(g - xhat * p - m)
    [(1, g), (-1, m), (-1, p*xhat)]

    What is the same in every row comes last where something is taken off: `largest - smallest` is exact where it is
    small, and `(largest + 1) - smallest` is not. (A number in a row stays where it is: it spares a buffer.)

    >>> terms_in_order(m - p + 1)
    [(1, m), (-1, p), (1, 1)]
    """
    signed = [_split_sign(term) for term in Add.make_args(expression)]
    leading = sorted((term for sign, term in signed if sign > 0), key=_leading_key)
    taken_off = sorted((term for sign, term in signed if sign < 0), key=_following_key)
    early = [term for term in leading if axes(term).rows or (term.is_number and axes(expression).features)]
    if not (early and taken_off):
        early = leading
    late = [term for term in leading if term not in early]
    return [(1, term) for term in early] + [(-1, term) for term in taken_off] + [(1, term) for term in late]


def factors_in_order(expression: Expr) -> Product:
    """Return the factors of a product: its number, its numerator and its denominator.

    Row values stand first and Scalars last.

    >>> from lngen.algebra.symbols import FeatureSymbol, RowScalarSymbol, RowSymbol
    >>> x, gamma, s = RowSymbol("x"), FeatureSymbol("gamma"), RowScalarSymbol("s", positive=True)
    >>> factors_in_order(-2 * gamma * x / (3 * sympy.sqrt(s)))
    Product(coefficient=-2/3, numerator=(x, gamma), denominator=(sqrt(s),))
    """
    coefficient: Expr = S.One
    numerator: list[Expr] = []
    denominator: list[Expr] = []
    for factor in Mul.make_args(expression):
        if factor.is_number:
            coefficient = coefficient * factor
        elif isinstance(factor, Pow) and _is_negative_number(factor.exp):
            denominator.append(Pow(factor.base, -factor.exp))
        else:
            numerator.append(factor)
    return Product(coefficient, tuple(sorted(numerator, key=_factor_key)), tuple(sorted(denominator, key=_factor_key)))


def decimal(number: Expr, digits: int = 40) -> str:
    """An exact number as a decimal, correctly rounded to so many significant digits.

    >>> decimal(Rational(1, 3), 10)
    '0.3333333333'
    >>> decimal(sympy.sqrt(sympy.pi), 10)
    '1.772453851'
    """
    if not (number.is_number and number.is_real and number.is_finite):
        raise LngenError(f"{number} is not a finite real number, so no backend can write it down")
    mantissa, _, exponent = str(sympy.Float(number.evalf(digits + 5), digits)).partition("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa


def is_short(number: Expr) -> bool:
    """Test whether a number is exact in every floating-point type, of which half precision is the narrowest.

    >>> [is_short(Rational(*pair)) for pair in ((1, 2), (3, 1), (1, 3), (4097, 1))]
    [True, True, False, False]
    """
    if not isinstance(number, Rational):
        return False
    p, q = abs(int(number.p)), int(number.q)
    if q & (q - 1):
        return False
    odd = p // (p & -p) if p else 0
    return odd.bit_length() <= 11 and p < 2**14 * q and q <= 2**14


def number_of(value: Fraction) -> Rational:
    """A Fraction as SymPy's exact number."""
    return Rational(value.numerator, value.denominator)


def power_chain(exponent: int) -> tuple[bool, ...]:
    """Return the steps to a positive integer power by multiplication.

    A step is False to square, and True to multiply by the base.

    >>> power_chain(1), power_chain(2), power_chain(6)
    ((), (False,), (False, True, False))
    """
    steps: list[bool] = []
    for bit in bin(exponent)[3:]:
        steps.append(False)
        if bit == "1":
            steps.append(True)
    return tuple(steps)


class _Computed(Text):
    """The text of an expression, its terms and factors in the order in which they are computed."""

    def terms(self, e: Expr) -> list[Term]:
        return [Term(sign < 0, magnitude) for sign, magnitude in terms_in_order(e)]

    def fraction(self, e: Expr) -> notation.Fraction:
        return notation.fraction(e) if e.is_number else notation.with_number(*factors_in_order(e))


@lru_cache(maxsize=20_000)
def formula(expression: Expr) -> str:
    """An expression as text, its terms in the order in which a backend takes them.

    >>> from lngen.algebra.symbols import FeatureSymbol, Mean, RowScalarSymbol, RowSymbol
    >>> x, mu, s = RowSymbol("x"), RowScalarSymbol("mu"), RowScalarSymbol("s", positive=True)
    >>> formula((x - mu) / sympy.sqrt(s)), formula(Mean(-2 * x * FeatureSymbol("w")))
    ('(x - mu)/sqrt(s)', 'mean(-2*x*w)')
    """
    return _Computed().of(expression)


def _split_sign(term: Expr) -> tuple[int, Expr]:
    coefficient, rest = term.as_coeff_Mul()
    return (-1, -coefficient * rest) if coefficient.is_negative else (1, term)


def _is_negative_number(exponent: Expr) -> bool:
    return bool(exponent.is_number and exponent.is_negative)


def _leading_key(term: Expr) -> tuple[int, int, str]:
    return rank(term), operation_count(term), _text(term)


def _following_key(term: Expr) -> tuple[int, int, str]:
    return operation_count(term), rank(term), _text(term)


def _factor_key(factor: Expr) -> tuple[int, str]:
    return rank(factor), _text(factor)


@lru_cache(maxsize=20_000)
def _text(expression: Expr) -> str:
    return reading(expression.name if isinstance(expression, TypedSymbol) else sympy.sstr(expression))
