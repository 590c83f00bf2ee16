"""The smallest number of features that a definition allows.

A divisor such as `D - 1` is zero for D = 1, so 2 is the smallest legal D; a larger one must be legal too.
Divisors, and arguments of roots and logarithms, are looked at where they are made of D and numbers alone.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any, TypeAlias

from lngen.language.definition import Statement
from lngen.language.parsing.folding import Fault, Value, fold
from lngen.language.syntax import Binary, Call, Compare, Expression, FeatureCount, Name, Negate, Number, render, walk

_LARGEST_D = 2**31
_MAXIMUM_DEGREE = 16
_MAXIMUM_CONDITIONS = 32
_MAXIMUM_BITS = 4096
_SCANNED = 16

_Polynomial: TypeAlias = tuple[Fraction, ...]
"""Coefficients in D, lowest first; the last is not zero, so zero is ()."""

_Ratio: TypeAlias = tuple[_Polynomial, _Polynomial]
"""A numerator and a denominator."""


class _Need(enum.Enum):
    """Conditions on an operand."""

    NONZERO = "other than zero"
    POSITIVE = "positive"
    NOT_NEGATIVE = "not negative"

    def met(self, value: Any) -> bool:
        if self is _Need.NONZERO:
            return bool(value != 0)
        return bool(value > 0 or (value == 0 and self is _Need.NOT_NEGATIVE))


@dataclass(frozen=True)
class _Known:
    """Statements so far that are made of D and numbers alone.

    `ratios` holds those that are rational in D, and `values` the finite ones for each of the first few D.
    """

    names: set[str] = field(default_factory=set)
    ratios: dict[str, _Ratio] = field(default_factory=dict)
    values: dict[int, dict[str, Value]] = field(
        default_factory=lambda: {features: {} for features in range(1, _SCANNED + 1)}
    )

    def add(self, statement: Statement) -> None:
        """Take note of a statement."""
        self.names.add(statement.name)
        # A fault is for the condition to report that the statement breaks, if any does.
        with suppress(Fault):
            ratio = _ratio(statement.expression, self)
            if ratio is not None:
                self.ratios[statement.name] = ratio
        for features, values in self.values.items():
            with suppress(Fault):
                value = fold(statement.expression, features, values)
                if value is not None:
                    values[statement.name] = value


def minimum_features(statements: Iterable[Statement]) -> int:
    """The smallest D from which every divisor made of D and numbers is nonzero and every root of one is real.

    Raises Fault if there is no such D up to 2**31, if such a divisor is of a degree above 16 in D, or if
    there are more than 32 different ones: each takes some milliseconds.

    >>> from lngen.language.parsing import parse
    >>> minimum_features(parse("def f(x: Row): return x / (D - 1) / (4 - D**2)").statements)
    3
    """
    known = _Known()
    seen: set[tuple[str, _Need]] = set()
    smallest = 1
    for statement in statements:
        for node in walk(statement.expression):
            for operand, need in _conditions(node):
                if not _is_of_features(operand, known):
                    continue
                condition = render(operand), need
                if condition not in seen:
                    seen.add(condition)
                    if len(seen) > _MAXIMUM_CONDITIONS:
                        raise Fault(operand, "divisor-count", most=_MAXIMUM_CONDITIONS)
                    smallest = max(smallest, _first_met(operand, need, known))
        if not statement.kind.over_rows and _is_closed(statement.expression, known):
            known.add(statement)
    return smallest


def _conditions(node: Expression) -> Iterator[tuple[Expression, _Need]]:
    match node:
        case Binary("/", _, right):
            yield from ((factor, _Need.NONZERO) for factor in _factors(right))
        case Binary("**", left, Number(exponent)) if exponent.denominator != 1:
            yield left, _Need.NOT_NEGATIVE if exponent > 0 else _Need.POSITIVE
        case Binary("**", left, Number(exponent)) if exponent < 0:
            yield from ((factor, _Need.NONZERO) for factor in _factors(left))
        case Binary("**", argument, exponent) if not isinstance(exponent, Number):
            yield argument, _Need.NOT_NEGATIVE
        case Call("sqrt", (argument,)):
            yield argument, _Need.NOT_NEGATIVE
        case Call("rsqrt" | "log", (argument,)):
            yield argument, _Need.POSITIVE
        case Call("log1p", (argument,)):
            one = Number(Fraction(1), argument.kind, argument.span)
            yield Binary("+", one, argument, argument.kind, argument.span), _Need.POSITIVE


def _factors(expression: Expression) -> Iterator[Expression]:
    """Yield expressions of which one is zero exactly where this one is."""
    match expression:
        case Binary("*", left, right):
            yield from _factors(left)
            yield from _factors(right)
        case Binary("/", operand, _) | Negate(operand) | Call("sqrt" | "abs" | "stop_gradient", (operand,)):
            yield from _factors(operand)
        case Binary("**", base, Number(exponent)) if exponent > 0:
            yield from _factors(base)
        case _:
            yield expression


def _is_closed(expression: Expression, known: _Known) -> bool:
    return all(
        part.name in known.names if isinstance(part, Name) else not isinstance(part, Compare)
        for part in walk(expression)
    )


def _is_of_features(expression: Expression, known: _Known) -> bool:
    """Test whether an expression is made of D and numbers, and not of numbers alone, which `fold` handles."""
    named = any(isinstance(part, FeatureCount | Name) for part in walk(expression))
    return named and _is_closed(expression, known)


def _first_met(expression: Expression, need: _Need, known: _Known) -> int:
    ratio = _ratio(expression, known)
    if ratio is None:
        return _scan(expression, need, known)
    numerator, denominator = ratio
    if not denominator or (not numerator and need is not _Need.NOT_NEGATIVE):
        raise _never(expression, need)

    def met(features: int) -> bool:
        # The sign is all that counts, and where the denominator is zero another condition says so.
        return need.met(_at(numerator, features) * _at(denominator, features))

    # Only at a break, or from one break to the next, does the sign change: one D stands for each stretch.
    above = _LARGEST_D + 1
    for at in sorted(_breaks(numerator) | _breaks(denominator), reverse=True):
        if at + 1 < above and not met(at + 1):
            break
        if at >= 1 and not met(at):
            above = at + 1
            break
        above = at
    else:
        return 1 if above <= 1 or met(1) else _below(above, expression, need)
    return _below(above, expression, need)


def _below(features: int, expression: Expression, need: _Need) -> int:
    if features > _LARGEST_D:
        raise _never(expression, need)
    return features


def _never(expression: Expression, need: _Need) -> Fault:
    return Fault(expression, "every-d", need=need.value)


def _scan(expression: Expression, need: _Need, known: _Known) -> int:
    """Return the smallest D by evaluating the first few D, for an expression such as log(D) that is not rational in
    D.
    """
    smallest = 1
    for features, values in known.values.items():
        try:
            value = fold(expression, features, values)
        except Fault:  # a divisor or a root inside, which has a condition of its own
            continue
        if value is not None and not need.met(value):
            smallest = features + 1
    if smallest > _SCANNED:
        raise _never(expression, need)
    return smallest


def _ratio(expression: Expression, known: _Known) -> _Ratio | None:
    """The numerator and denominator of an expression in D; None if it is not rational in D."""
    match expression:
        case Number(value):
            return _trimmed((value,)), (Fraction(1),)
        case Name(name):
            return known.ratios.get(name)
        case FeatureCount():
            return (Fraction(0), Fraction(1)), (Fraction(1),)
        case Negate(operand) | Call("stop_gradient", (operand,)):
            inner = _ratio(operand, known)
            if inner is None or not isinstance(expression, Negate):
                return inner
            return tuple(-coefficient for coefficient in inner[0]), inner[1]
        case Binary("**", base, Number(exponent)) if exponent.denominator == 1:
            inner = _ratio(base, known)
            if inner is None:
                return None
            numerator, denominator = inner if exponent >= 0 else inner[::-1]
            times = abs(exponent.numerator)
            return _power(numerator, times, expression), _power(denominator, times, expression)
        case Binary("+" | "-" | "*" | "/" as operator, left, right):
            first, second = _ratio(left, known), _ratio(right, known)
            if first is None or second is None:
                return None
            if operator == "/":
                second = second[::-1]
            if operator in "*/":
                return (
                    _product(first[0], second[0], expression),
                    _product(first[1], second[1], expression),
                )
            sign = 1 if operator == "+" else -1
            crossed = _product(second[0], first[1], expression)
            numerator = _sum(_product(first[0], second[1], expression), crossed, sign)
            return numerator, _product(first[1], second[1], expression)
        case _:
            return None


def _trimmed(coefficients: tuple[Fraction, ...]) -> _Polynomial:
    end = len(coefficients)
    while end and coefficients[end - 1] == 0:
        end -= 1
    return coefficients[:end]


def _sum(left: _Polynomial, right: _Polynomial, sign: int) -> _Polynomial:
    size = max(len(left), len(right))
    padded = (p + (Fraction(0),) * (size - len(p)) for p in (left, right))
    return _trimmed(tuple(a + sign * b for a, b in zip(*padded, strict=True)))


def _product(left: _Polynomial, right: _Polynomial, whole: Expression) -> _Polynomial:
    if len(left) + len(right) - 2 > _MAXIMUM_DEGREE:
        raise _too_complex(whole)
    result = [Fraction(0)] * max(0, len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            result[i + j] += a * b
    if any(max(c.numerator.bit_length(), c.denominator.bit_length()) > _MAXIMUM_BITS for c in result):
        raise _too_complex(whole)
    return _trimmed(tuple(result))


def _power(base: _Polynomial, exponent: int, whole: Expression) -> _Polynomial:
    result: _Polynomial = (Fraction(1),)
    for _ in range(exponent):
        result = _product(result, base, whole)
    return result


def _too_complex(expression: Expression) -> Fault:
    return Fault(expression, "divisor-degree", most=_MAXIMUM_DEGREE)


def _at(polynomial: _Polynomial, features: int) -> Fraction:
    value = Fraction(0)
    for coefficient in reversed(polynomial):
        value = value * features + coefficient
    return value


def _breaks(polynomial: _Polynomial) -> frozenset[int]:
    """Integers b from 0 to 2**31 such that each root in that range lies in [b, b + 1) for one of them."""
    if len(polynomial) <= 1:
        return frozenset()
    turns = _breaks(tuple(i * coefficient for i, coefficient in enumerate(polynomial))[1:])
    # Between turning points the polynomial is monotonic, so bisection finds the only root.
    points = sorted({0, _LARGEST_D, *turns, *(turn + 1 for turn in turns)})
    found = set(turns)
    for low, high in pairwise(points):
        start, end = _at(polynomial, low), _at(polynomial, high)
        if start * end > 0:
            continue
        while high - low > 1 and start != 0:
            middle = (low + high) // 2
            if _at(polynomial, middle) * start > 0:
                low = middle
            else:
                high = middle
        found.add(low)
        if _at(polynomial, high) == 0:
            found.add(high)
    return frozenset(found)
