"""Values of expressions at a point, entry by entry: shares nothing with the prover, nor with what computes in arrays.

Numbers are fractions as long as they can be, so that ties and zeros are exact; else they have 40 digits. What is not
defined stays so: a quotient by zero, a root or a logarithm of what is negative, whatever it is multiplied by. Of a
select only the branch that is taken counts.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import sympy
from sympy import Expr

from lngen.algebra.normal import NormalDensity, Phi
from lngen.algebra.symbols import (
    PLACE,
    Acos,
    Asin,
    Atan,
    AttainsFirst,
    Complement,
    D,
    Expm1,
    FeatureSum,
    Log1p,
    Mean,
    Power,
    RowMax,
    RowMin,
    Sigmoid,
    Softplus,
    StopGradient,
    SumRows,
    TypedSymbol,
    Where,
)

ROWS = 2
_DIGITS = 40
_ALIKE = mpmath.mpf(10) ** -20
_LARGE = 10**6


class UndefinedError(Exception):
    """No value here, or none that 40 digits can tell."""


@dataclass(frozen=True)
class Point:
    """The number of features, and a value for each row and feature of each symbol."""

    features: int
    values: Mapping[TypedSymbol, Sequence[Sequence[Fraction]]]

    def __str__(self) -> str:
        said = (f"{symbol} = {[list(map(str, row)) for row in rows]}" for symbol, rows in self.values.items())
        return f"D = {self.features}, {', '.join(said)}"


def points(symbols: Sequence[TypedSymbol], generator: random.Random, count: int) -> Iterator[Point]:
    """Points of small numbers, with many zeros and ties; all rows equal, and all of one sign, now and then."""
    for number in range(count):
        features = number % 6 + 1
        pool = ((-2, -1, 0, 0, 0, 1, 2), (0, 0, 1), (-1, 1), (1, 2, 3), (-3, -1, 0), (-1, 0, 1, 2))[number // 6 % 6]
        values = {}
        for symbol in symbols:
            by_row, by_feature = symbol.varies
            whole = generator.random() < 0.3

            def drawn(positive: bool = bool(symbol.is_positive), pool: Sequence[int] = pool) -> Fraction:
                if positive:
                    return Fraction(generator.choice((1, 1, 2, 4, 9)), generator.choice((1, 1, 2, 4)))
                return Fraction(generator.choice(pool), generator.choice((1, 1, 1, 2)))

            rows = [[drawn() for _ in range(features if by_feature and not whole else 1)] for _ in range(ROWS)]
            values[symbol] = [
                (row * features)[:features] if len(row) < features else row
                for row in (rows if by_row else rows[:1] * ROWS)
            ]
        yield Point(features, values)


class Evaluator:
    """Values at one point, with names for other expressions."""

    def __init__(self, point: Point, names: Mapping[TypedSymbol, Expr] | None = None) -> None:
        self._point = point
        self._names = names or {}
        self._known: dict[tuple[Any, int, int], Any] = {}

    def entries(self, e: Expr) -> list[Any]:
        """The value for each row and feature; None where there is none."""
        return [self._or_none(e, row, j) for row in range(ROWS) for j in range(self._point.features)]

    def _or_none(self, e: Expr, row: int, j: int) -> Any:
        try:
            return self.value(e, row, j)
        except UndefinedError:
            return None

    def value(self, e: Any, row: int, j: int) -> Any:
        """A fraction, or a number of 40 digits. Raises UndefinedError."""
        key = (e, row, j)
        if key not in self._known:
            try:
                self._known[key] = self._value(e, row, j)
            except UndefinedError:
                self._known[key] = None
        if self._known[key] is None:
            raise UndefinedError
        return self._known[key]

    def _value(self, e: Any, row: int, j: int) -> Any:
        def at(part: Any) -> Any:
            return self.value(part, row, j)

        def each(part: Any) -> list[Any]:
            return [self.value(part, row, k) for k in range(self._point.features)]

        if e == D:
            return Fraction(self._point.features)
        if e == PLACE:
            return Fraction(j)
        if isinstance(e, TypedSymbol):
            return at(self._names[e]) if e in self._names else self._point.values[e][row][j]
        if e.is_Rational:
            return Fraction(int(e.p), int(e.q))
        if e.is_number and not e.args:
            return +getattr(mpmath.mp, {"Pi": "pi", "Exp1": "e"}[type(e).__name__])
        if isinstance(e, sympy.Add):
            return _sum([at(part) for part in e.args])
        if isinstance(e, sympy.Mul):
            return _product([at(part) for part in e.args])
        if isinstance(e, (sympy.Pow, Power)):
            return power(at(e.base), at(e.exp))
        if isinstance(e, (Mean, FeatureSum)):
            total = _sum(each(e.args[0]))
            return total / self._point.features if isinstance(e, Mean) else total
        if isinstance(e, SumRows):
            return _sum([self.value(e.args[0], r, j) for r in range(ROWS)])
        if isinstance(e, (RowMax, RowMin)):
            found = each(e.args[0])
            best = found[0]
            for other in found[1:]:
                best = other if (compare(other, best) > 0) == isinstance(e, RowMax) else best
            return best
        if isinstance(e, AttainsFirst):
            there = [compare(self.value(e.args[0], row, k), self.value(e.args[1], row, k)) == 0 for k in range(j + 1)]
            return Fraction(there[j] and not any(there[:j]))
        if isinstance(e, StopGradient):
            return at(e.args[0])
        if isinstance(e, Where):
            condition, chosen, otherwise = e.args
            return at(chosen if self._holds(condition, row, j) else otherwise)
        return FUNCTIONS[type(e)](at(e.args[0]))

    def _holds(self, condition: Any, row: int, j: int) -> bool:
        if condition in (sympy.true, sympy.false):
            return bool(condition)
        sign = compare(self.value(condition.lhs, row, j), self.value(condition.rhs, row, j))
        return {
            ">": sign > 0,
            "<": sign < 0,
            ">=": sign >= 0,
            "<=": sign <= 0,
            "==": sign == 0,
            "!=": sign != 0,
        }[condition.rel_op]


def _float(value: Any) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def _sum(parts: list[Any]) -> Any:
    if all(isinstance(part, Fraction) for part in parts):
        return sum(parts, Fraction(0))
    return sum(map(_float, parts), mpmath.mpf(0))


def _product(parts: list[Any]) -> Any:
    exact = all(isinstance(part, Fraction) for part in parts)
    if any(isinstance(part, Fraction) and part == 0 for part in parts):
        return Fraction(0)
    result = Fraction(1) if exact else mpmath.mpf(1)
    for part in parts:
        result = result * (part if exact else _float(part))
    return result


def compare(a: Any, b: Any) -> int:
    """The sign of the difference. Raises UndefinedError where 40 digits do not tell."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return (a > b) - (a < b)
    a, b = _float(a), _float(b)
    if abs(a - b) <= _ALIKE * (1 + abs(a) + abs(b)):
        raise UndefinedError
    return 1 if a > b else -1


def power(base: Any, exponent: Any) -> Any:
    """Real powers: none of a negative number to what is no whole one, none of zero to what is not positive."""
    if not isinstance(base, Fraction) and abs(base) < _ALIKE:
        raise UndefinedError
    if isinstance(exponent, Fraction) and exponent.denominator == 1 and abs(exponent) < _LARGE:
        if exponent < 0 and base == 0:
            raise UndefinedError
        return base ** int(exponent)
    if base < 0 or (base == 0 and exponent <= 0):
        raise UndefinedError
    if base == 0:
        return Fraction(0)
    if isinstance(base, Fraction) and isinstance(exponent, Fraction):
        q = exponent.denominator
        rooted = [round(mpmath.root(part, q)) for part in (base.numerator, base.denominator)]
        if rooted[0] ** q == base.numerator and rooted[1] ** q == base.denominator:
            return Fraction(*rooted) ** exponent.numerator
    return _float(base) ** _float(exponent)


def _of_float(function: Callable[[Any], Any], at_zero: int | None = None) -> Callable[[Any], Any]:
    def value(u: Any) -> Any:
        if isinstance(u, Fraction) and u == 0 and at_zero is not None:
            return Fraction(at_zero)
        if abs(u) > _LARGE:
            raise UndefinedError
        return function(_float(u))

    return value


def _arc(function: Callable[[Any], Any], at_zero: int | None = None) -> Callable[[Any], Any]:
    def value(u: Any) -> Any:
        if abs(u) > 1:
            raise UndefinedError
        return _of_float(function, at_zero)(u)

    return value


def _log(u: Any) -> Any:
    if u <= 0:
        raise UndefinedError
    return Fraction(0) if u == 1 else mpmath.log(_float(u))


def _sign(u: Any) -> Any:
    return Fraction(compare(u, Fraction(0)))


FUNCTIONS: dict[Any, Callable[[Any], Any]] = {
    sympy.exp: _of_float(mpmath.exp, 1),
    sympy.log: _log,
    sympy.sin: _of_float(mpmath.sin, 0),
    sympy.cos: _of_float(mpmath.cos, 1),
    sympy.tan: _of_float(mpmath.tan, 0),
    sympy.tanh: _of_float(mpmath.tanh, 0),
    sympy.erf: _of_float(mpmath.erf, 0),
    sympy.Abs: abs,
    sympy.sign: _sign,
    Sigmoid: _of_float(lambda u: 1 / (1 + mpmath.exp(-u))),
    Softplus: _of_float(lambda u: mpmath.log(1 + mpmath.exp(u))),
    Log1p: lambda u: _log(1 + u),
    Expm1: _of_float(mpmath.expm1, 0),
    Phi: _of_float(mpmath.ncdf),
    NormalDensity: _of_float(mpmath.npdf),
    Complement: lambda u: 1 - u,
    Asin: _arc(mpmath.asin, 0),
    Acos: _arc(mpmath.acos),
    Atan: _of_float(mpmath.atan, 0),
}


def refuting(
    left: Expr, right: Expr, at: Sequence[Point], names: Mapping[TypedSymbol, Expr] | None = None
) -> tuple[Point | None, int]:
    """The first point at which two expressions have values that differ, and how many values were compared."""
    compared = 0
    with mpmath.workdps(_DIGITS):
        for point in at:
            evaluator = Evaluator(point, names)
            for a, b in zip(evaluator.entries(left), evaluator.entries(right), strict=True):
                if a is None or b is None:
                    continue
                compared += 1
                if abs(_float(a) - _float(b)) > _ALIKE * (1 + abs(_float(a)) + abs(_float(b))):
                    return point, compared
    return None, compared
