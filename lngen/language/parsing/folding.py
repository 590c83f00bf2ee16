"""Fold the constants of an expression: compute its number, or find its failure as D varies.

`fold` gives the value of an expression made of numbers alone: an exact fraction, or 50 digits where a root
or another function makes it irrational. Nothing is computed before its size is known to be small.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeAlias

from lngen.language import FUNCTIONS
from lngen.language.functions import FunctionEntry, Named, in_mpmath
from lngen.language.syntax import Binary, Call, Expression, FeatureCount, Name, Negate, Number, Pi

MAXIMUM_EXPONENT = 64
_LARGEST = Fraction(10) ** 300
_SMALLEST = 1 / _LARGEST
# The same two as powers of two, for what is not a fraction.
_LARGEST_MAGNITUDE, _SMALLEST_MAGNITUDE = 997, -996
_MAXIMUM_BITS = 4096
_DIGITS = 50
# Cancellation of so many bits, 40 of the 50 digits, is taken for exact.
_CANCELLED_BITS = 133
_EXP_LIMIT = 690

Value: TypeAlias = Any
"""A Fraction, or an mpf where the value is irrational; None where there is no value."""

_NO_NAMES: Mapping[str, Value] = MappingProxyType({})


class Fault(Exception):
    """An expression of numbers that has no finite real value: a refusal, by its stable name and the values of it."""

    def __init__(self, expression: Expression, code: str, **values: Any) -> None:
        super().__init__(code)
        self.expression = expression
        self.code = code
        self.values = values


def fold(expression: Expression, features: int | None = None, names: Mapping[str, Value] = _NO_NAMES) -> Value:
    """Return the value of an expression of numbers; None if it is not one.

    `features` is the value of D, and `names` are values of names; the result is None if one of those it needs is
    missing. Raises Fault if there is no finite real value.

    >>> from lngen.language.parsing import parse
    >>> fold(parse("def f(x: Row): return x * (1/3 - 1/12)").statements[0].expression.right)
    Fraction(1, 4)
    """
    match expression:
        case Number(value):
            return value
        case FeatureCount():
            return None if features is None else Fraction(features)
        case Pi():
            return +_context().pi
        case Name(name):
            return names.get(name)
        case Negate(operand):
            value = fold(operand, features, names)
            return None if value is None else -value
        case Binary(_, left, right):
            return combine(expression, fold(left, features, names), fold(right, features, names))
        case Call(_, arguments):
            return call(expression, [fold(argument, features, names) for argument in arguments])
        case _:
            return None


def combine(expression: Binary, left: Value, right: Value) -> Value:
    """The value of an operator on folded operands (None: not a number), None if it is not a number itself."""
    operator = expression.operator
    if operator == "/" and right is not None and right == 0:
        raise Fault(expression.right, "zero-divisor")
    if left is None or right is None:
        return None
    exact = isinstance(left, Fraction) and isinstance(right, Fraction)
    if operator == "**":
        return _power(expression, left, right)
    if not exact:
        left, right = _mpf(left), _mpf(right)
    if operator in "+-":
        value = left + right if operator == "+" else left - right
        if not exact and (value == 0 or _cancelled_bits(value, left, right) > _CANCELLED_BITS):
            return Fraction(0)
    else:
        value = left * right if operator == "*" else left / right
    return _bounded(expression, value)


def _cancelled_bits(value: Any, left: Any, right: Any) -> int:
    mag = _context().mag
    return int(max(mag(left), mag(right)) - mag(value))


def _power(expression: Binary, base: Value, exponent: Value) -> Value:
    if base == 0 and exponent < 0:
        raise Fault(expression.left, "zero-divisor")
    if abs(exponent) > MAXIMUM_EXPONENT:  # of a statement's number, or of D
        return None
    whole = isinstance(exponent, Fraction) and exponent.denominator == 1
    if whole and isinstance(base, Fraction):
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if bits * abs(exponent.numerator) > 2 * _MAXIMUM_BITS:
            raise Fault(expression, "number-digits")
        return _bounded(expression, base**exponent.numerator)
    if base < 0 and not whole:
        raise Fault(expression, "negative-base")
    if base == 0:
        return Fraction(1 if exponent == 0 else 0)
    return _bounded(expression, _mpf(base) ** _mpf(exponent))


def call(expression: Call, values: Sequence[Value]) -> Value:
    """The value of a function of folded arguments, None if they are not all numbers."""
    entry = FUNCTIONS[expression.function]
    if any(value is None for value in values) or entry.role not in ("elementwise", "stop"):
        return None
    value = _value(expression, entry, values)
    if value == 0 or isinstance(value, int):
        return Fraction(int(value))
    return value if entry.keeps_fractions else _bounded(expression, value)


def _value(expression: Call, entry: FunctionEntry, values: Sequence[Value]) -> Value:
    _check_domain(expression, entry, values[0])
    if entry.far and abs(values[0]) > _EXP_LIMIT:
        if entry.far == "sign":
            return Fraction(1 if values[0] > 0 else -1)
        raise _too_large(expression)
    exact = entry.keeps_fractions and all(isinstance(value, Fraction) for value in values)
    return in_mpmath(entry, Named(partial(_named, expression)))(*(values if exact else map(_mpf, values)))


def _named(expression: Call, name: str) -> Any:
    """Return the function that a formula calls by this name."""
    if name in FUNCTIONS:
        return lambda *values: _mpf(_value(expression, FUNCTIONS[name], values))
    return _context() if name == "mp" else getattr(_context(), name)


def _check_domain(expression: Call, entry: FunctionEntry, value: Value) -> None:
    """Raise Fault if the function has no finite real value there."""
    if not entry.holds(value):
        domain = entry.domain.partition(";")[0]
        raise Fault(expression.arguments[0], "domain", name=entry.name, domain=domain, value=_shown(value))


@cache
def _context() -> Any:
    # Few definitions need it, and it takes longer to import than they take to parse.
    context = import_module("mpmath").MPContext()
    context.dps = _DIGITS
    return context


def _mpf(value: Value) -> Any:
    context = _context()
    return context.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else context.mpf(value)


def in_range(value: Fraction) -> bool:
    """Test whether a number is small enough to compute with, and zero or no smaller than the smallest float."""
    return value == 0 or _SMALLEST <= abs(value) <= _LARGEST


def _bounded(expression: Expression, value: Value) -> Value:
    if isinstance(value, Fraction):
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MAXIMUM_BITS:
            raise Fault(expression, "number-digits")
        small_enough = in_range(value)
    else:
        small_enough = value == 0 or _SMALLEST_MAGNITUDE <= _context().mag(value) <= _LARGEST_MAGNITUDE
    if not small_enough:
        raise _too_large(expression)
    return value


def _too_large(expression: Expression) -> Fault:
    return Fault(expression, "number-size", found="this expression of numbers has a value that no float holds")


def _shown(value: Value) -> str:
    return str(value) if isinstance(value, Fraction) and value.denominator == 1 else f"{float(value):.6g}"
