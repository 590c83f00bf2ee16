"""What can be known of an expression before the layer runs: its number, or where it fails as D varies.

`fold` gives the value of an expression made of numbers alone: an exact fraction, or 50 digits where a root
or another function makes it irrational. Nothing is computed before its size is known to be small.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from types import MappingProxyType
from typing import Any, TypeAlias

from lngen.definition import Binary, Call, Expression, FeatureCount, Name, Negate, Number

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
    """An expression of numbers that has no finite real value, with the place and the remedy."""

    def __init__(self, expression: Expression, message: str, remedy: str) -> None:
        super().__init__(message)
        self.expression = expression
        self.message = message
        self.remedy = remedy


def fold(expression: Expression, features: int | None = None, names: Mapping[str, Value] = _NO_NAMES) -> Value:
    """The value of an expression of numbers; None if it is not one.

    `features` is the value of D and `names` has those of names; what is not given makes the result None.
    Raises Fault where there is no finite real value.

    >>> from lngen.definition import parse
    >>> fold(parse("def f(x: Row): return x * (1/3 - 1/12)").statements[0].expression.right)
    Fraction(1, 4)
    """
    match expression:
        case Number(value):
            return value
        case FeatureCount():
            return None if features is None else Fraction(features)
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
        raise Fault(expression.right, "the divisor is zero", "divide by something that is not zero")
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


def _power(expression: Binary, base: Value, exponent: Fraction) -> Value:
    if base == 0 and exponent < 0:
        raise Fault(expression.left, "the divisor is zero", "divide by something that is not zero")
    if exponent.denominator == 1 and isinstance(base, Fraction):
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if bits * abs(exponent.numerator) > 2 * _MAXIMUM_BITS:
            raise _too_long(expression)
        return _bounded(expression, base**exponent.numerator)
    if base < 0 and exponent.denominator != 1:
        raise Fault(
            expression,
            "the base is negative and the exponent not an integer",
            "write a base that is not negative",
        )
    if base == 0:
        return Fraction(1 if exponent == 0 else 0)
    return _bounded(expression, _mpf(base) ** _mpf(exponent))


def call(expression: Call, values: Sequence[Value]) -> Value:
    """The value of a function of folded arguments, None if they are not all numbers."""
    function = expression.function
    if any(value is None for value in values) or function not in _EXACT.keys() | _INEXACT.keys():
        return None
    _check_domain(expression, values[0])
    if function in _EXACT:
        exact = all(isinstance(value, Fraction) for value in values)
        return _EXACT[function](*(values if exact else map(_mpf, values)))
    if function in ("exp", "expm1", "softplus", "silu", "sigmoid", "gelu") and abs(values[0]) > _EXP_LIMIT:
        raise _too_large(expression)
    if function in ("tanh", "erf") and abs(values[0]) > _EXP_LIMIT:
        return _EXACT["sign"](values[0])
    value = _INEXACT[function](_context(), _mpf(values[0]))
    return Fraction(0) if value == 0 else _bounded(expression, value)


def _check_domain(expression: Call, value: Value) -> None:
    """Raise Fault if the function has no finite real value there."""
    function = expression.function
    below = {"sqrt": "u >= 0", "rsqrt": "u > 0", "log": "u > 0", "log1p": "u > -1"}.get(function)
    edge = -1 if function == "log1p" else 0
    if below is not None and (value < edge or (value == edge and function != "sqrt")):
        raise Fault(
            expression.arguments[0],
            f"{function}(u) needs {below}, and here u is {_shown(value)}",
            f"give {function} an argument with {below}",
        )


_EXACT: dict[str, Callable[..., Value]] = {
    "abs": abs,
    "sign": lambda u: Fraction((u > 0) - (u < 0)),
    "relu": lambda u: u if u > 0 else Fraction(0),
    "maximum": lambda a, b: a if a > b else b,
    "minimum": lambda a, b: a if a < b else b,
    "stop_gradient": lambda u: u,
}

_INEXACT: dict[str, Callable[[Any, Any], Any]] = {
    "sqrt": lambda mp, u: mp.sqrt(u),
    "rsqrt": lambda mp, u: 1 / mp.sqrt(u),
    "exp": lambda mp, u: mp.exp(u),
    "log": lambda mp, u: mp.log(u),
    "log1p": lambda mp, u: mp.log1p(u),
    "expm1": lambda mp, u: mp.expm1(u),
    "sin": lambda mp, u: mp.sin(u),
    "cos": lambda mp, u: mp.cos(u),
    "tanh": lambda mp, u: mp.tanh(u),
    "sigmoid": lambda mp, u: 1 / (1 + mp.exp(-u)),
    "softplus": lambda mp, u: mp.log1p(mp.exp(u)),
    "silu": lambda mp, u: u / (1 + mp.exp(-u)),
    "gelu": lambda mp, u: u * mp.erfc(-u / mp.sqrt(2)) / 2,
    "erf": lambda mp, u: mp.erf(u),
}


@cache
def _context() -> Any:
    # Few definitions need it, and it takes longer to import than they take to parse.
    import mpmath

    context = mpmath.MPContext()
    context.dps = _DIGITS
    return context


def _mpf(value: Value) -> Any:
    context = _context()
    return context.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else context.mpf(value)


def in_range(value: Fraction) -> bool:
    """Whether a number is small enough to go on with, and not closer to zero than a float can be."""
    return value == 0 or _SMALLEST <= abs(value) <= _LARGEST


def _bounded(expression: Expression, value: Value) -> Value:
    if isinstance(value, Fraction):
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MAXIMUM_BITS:
            raise _too_long(expression)
        small_enough = in_range(value)
    else:
        small_enough = value == 0 or _SMALLEST_MAGNITUDE <= _context().mag(value) <= _LARGEST_MAGNITUDE
    if not small_enough:
        raise _too_large(expression)
    return value


def _too_long(expression: Expression) -> Fault:
    return Fault(
        expression,
        "this expression of numbers has a value of too many digits",
        "write the value itself, to the digits that matter",
    )


def _too_large(expression: Expression) -> Fault:
    return Fault(
        expression,
        "this expression of numbers has a value that no float holds",
        "keep numbers between 1e-300 and 1e300 in magnitude",
    )


def _shown(value: Value) -> str:
    return str(value) if isinstance(value, Fraction) and value.denominator == 1 else f"{float(value):.6g}"
