"""Number types that do not round to floats: mpmath's to any number of digits, and fractions.

Their arrays hold objects. What is undefined (a division by zero, the root of a negative number) is a NaN,
so that `where` can leave it unchosen.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from lngen.errors import LngenError
from lngen.oracle.arithmetic import Array, Numbers

_NAN = float("nan")

# Past it, exp(-u**2/2) has more than 10**11 zeros, and mpmath's erfc overflows on its way.
_ALL_TAIL = 10**6

# Binary digits before the point, past which an exponential is 0 or infinite beside anything else.
_LONGEST_EXPONENT = 10_000


class _Objects(Numbers):
    """Arrays of objects with arithmetic of their own."""

    def __init__(self, name: str) -> None:
        super().__init__(name, object)

    def array(self, value: Any) -> Array:
        given = np.asarray(value)
        if given.dtype.kind == "V":  # a float type that NumPy does not know, such as bfloat16
            given = given.astype(np.float64)
        return self._each(self._exact, given)

    def combine(self, sign: str, left: Array, right: Array) -> Array:
        if sign == "/":
            return self._each(self._divided, left, right)
        return super().combine(sign, left, right)

    def compare(self, sign: str, left: Array, right: Array) -> Array:
        return np.asarray(super().compare(sign, left, right)).astype(bool)

    def undefined(self, values: Array) -> Array:
        return np.asarray(values != values).astype(bool)

    def pick(self, name: str, row: Array) -> Array:
        # argmax of objects needs an order, which a NaN does not have; so it is made from comparisons.
        best = row[..., :1]
        for column in range(1, row.shape[-1]):
            entry = row[..., column : column + 1]
            better = self.compare(">" if name == "max" else "<", entry, best) & ~self.undefined(best)
            best = np.where(better | self.undefined(entry), entry, best)
        return best

    def _each(self, function: Callable[..., Any], *operands: Array) -> Array:
        result = np.frompyfunc(function, len(operands), 1)(*operands)
        wrapped = np.empty(np.shape(result), object)
        wrapped[...] = result
        return wrapped

    def _exact(self, value: Any) -> Any:
        raise NotImplementedError

    def _divided(self, left: Any, right: Any) -> Any:
        raise NotImplementedError


def _fraction(value: Any, numbers: str) -> Fraction:
    try:
        if isinstance(value, Fraction | int):
            return Fraction(value)
        top, bottom = value.as_integer_ratio()  # a float of any width
        return Fraction(int(top), int(bottom))
    except (AttributeError, TypeError, ValueError, OverflowError):
        raise LngenError(f"{value!r} is not a {numbers} number. Pass finite real numbers.") from None


class _Fractions(_Objects):
    """Exact fractions; for definitions without roots and other functions that leave them."""

    def constant(self, value: Fraction) -> Array:
        return _object(value)

    def power(self, base: Array, exponent: Fraction) -> Array:
        if exponent.denominator != 1:
            raise self._irrational(f"a power with exponent {exponent}")

        def one(value: Any) -> Any:
            return _NAN if value == 0 and exponent < 0 else value**exponent.numerator

        return self._each(one, base)

    def function(self, name: str, operand: Array) -> Array:
        if name not in _RATIONAL:
            raise self._irrational(name)
        return self._each(_RATIONAL[name], operand)

    def finish(self, values: Array) -> Array:
        if any(isinstance(value, float) for value in values.flat):
            raise LngenError("a fraction has the divisor zero. Choose inputs for which no divisor is zero.")
        return values

    def sum(self, row: Array) -> Array:
        return np.add.reduce(row, axis=-1, keepdims=True)

    def _exact(self, value: Any) -> Any:
        return _fraction(value, self.name)

    def _divided(self, left: Any, right: Any) -> Any:
        return _NAN if right == 0 else left / right

    def _irrational(self, what: str) -> LngenError:
        return LngenError(f"{what} leaves the fractions. Evaluate with FLOAT64 or mp_numbers(digits).")


_RATIONAL: dict[str, Callable[[Any], Any]] = {
    "abs": abs,
    "sign": lambda u: u if u != u else Fraction((u > 0) - (u < 0)),
    "relu": lambda u: u if u > 0 or u != u else Fraction(0),
    "stop_gradient": lambda u: u,
}


class _Multiprecision(_Objects):
    """mpmath's numbers, in a context that those of as many digits share."""

    def __init__(self, digits: int) -> None:
        super().__init__(f"mp_numbers({digits})")
        self.context = _context(digits)
        self._functions = _multiprecision_functions(self.context)

    def constant(self, value: Fraction) -> Array:
        return _object(self.context.mpf(value.numerator) / value.denominator)

    def power(self, base: Array, exponent: Fraction) -> Array:
        whole = exponent.denominator == 1
        number = exponent.numerator if whole else self.context.mpf(exponent.numerator) / exponent.denominator

        def one(value: Any) -> Any:
            if (value == 0 and exponent < 0) or (value < 0 and not whole):
                return self.context.nan
            return value**number

        return self._each(one, base)

    def function(self, name: str, operand: Array) -> Array:
        return self._each(self._functions[name], operand)

    def sum(self, row: Array) -> Array:
        total = np.empty((*row.shape[:-1], 1), object)
        for index in np.ndindex(row.shape[:-1]):
            total[(*index, 0)] = self.context.fsum(row[index])
        return total

    def _exact(self, value: Any) -> Any:
        if isinstance(value, float) or hasattr(value, "_mpf_"):
            return self.context.mpf(value)
        exact = _fraction(value, self.name)
        return self.context.mpf(exact.numerator) / exact.denominator

    def _divided(self, left: Any, right: Any) -> Any:
        return self.context.nan if right == 0 else left / right


@cache
def _context(digits: int) -> Any:
    import mpmath

    context = mpmath.MPContext()
    context.dps = digits
    return context


def _multiprecision_functions(mp: Any) -> dict[str, Callable[[Any], Any]]:
    def exp(u: Any) -> Any:
        # It takes as many digits of log(2) as its argument has before the point.
        if mp.mag(u) > _LONGEST_EXPONENT:
            return mp.inf if u > 0 else mp.zero
        return mp.exp(u)

    def sigmoid(u: Any) -> Any:
        e = exp(-abs(u))
        return 1 / (1 + e) if u >= 0 else e / (1 + e)

    def gelu(u: Any) -> Any:
        if not abs(u) < _ALL_TAIL:
            return u if not u < 0 else mp.zero
        # In the tail, erfc multiplies the rounding of its argument by the square of it.
        with mp.extraprec(10 + 2 * max(0, mp.mag(u))):
            value = u * mp.erfc(-u / mp.sqrt(2)) / 2
        return +value

    return {
        "sqrt": lambda u: mp.sqrt(u) if u >= 0 else mp.nan,
        "rsqrt": lambda u: 1 / mp.sqrt(u) if u > 0 else (mp.inf if u == 0 else mp.nan),
        "exp": exp,
        "log": lambda u: mp.log(u) if u > 0 else (-mp.inf if u == 0 else mp.nan),
        "log1p": lambda u: mp.log1p(u) if u > -1 else (-mp.inf if u == -1 else mp.nan),
        "expm1": lambda u: exp(u) - 1 if mp.mag(u) > _LONGEST_EXPONENT else mp.expm1(u),
        "sin": mp.sin,
        "cos": mp.cos,
        "tanh": mp.tanh,
        "sigmoid": sigmoid,
        "softplus": lambda u: (u if u > 0 else mp.zero) + mp.log1p(exp(-abs(u))),
        "relu": lambda u: u if u > 0 or u != u else mp.zero,
        "silu": lambda u: u * sigmoid(u),
        "gelu": gelu,
        "erf": mp.erf,
        "abs": abs,
        "sign": mp.sign,
        "stop_gradient": lambda u: u,
    }


def _object(value: Any) -> Array:
    wrapped = np.empty((), object)
    wrapped[()] = value
    return wrapped


@cache
def mp_numbers(digits: int) -> Numbers:
    """Numbers of mpmath with so many decimal digits."""
    return _Multiprecision(digits)


FRACTION: Numbers = _Fractions("FRACTION")
