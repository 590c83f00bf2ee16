"""The number types of mpmath, of any number of digits.

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

# Past it, exp(-u**2/2) has more than 10**11 zeros, and mpmath's erfc overflows on its way.
_ALL_TAIL = 10**6

# Binary digits before the point, past which an exponential is 0 or infinite beside anything else.
_LONGEST_EXPONENT = 10_000


class _Multiprecision(Numbers):
    """mpmath's numbers, in a context that those of as many digits share."""

    def __init__(self, digits: int) -> None:
        super().__init__(f"mp_numbers({digits})", object)
        self.context = _context(digits)
        self._functions = _functions(self.context)

    def array(self, value: Any) -> Array:
        given = np.asarray(value)
        if given.dtype.kind == "V":  # a float type that NumPy does not know, such as bfloat16
            given = given.astype(np.float64)
        return _each(self._number, given)

    def constant(self, value: Fraction) -> Array:
        return _object(self.context.mpf(value.numerator) / value.denominator)

    def combine(self, sign: str, left: Array, right: Array) -> Array:
        if sign == "/":
            return _each(lambda a, b: self.context.nan if b == 0 else a / b, left, right)
        return super().combine(sign, left, right)

    def power(self, base: Array, exponent: Fraction) -> Array:
        whole = exponent.denominator == 1
        number = exponent.numerator if whole else self.context.mpf(exponent.numerator) / exponent.denominator

        def one(value: Any) -> Any:
            if (value == 0 and exponent < 0) or (value < 0 and not whole):
                return self.context.nan
            return value**number

        return _each(one, base)

    def function(self, name: str, operand: Array) -> Array:
        return _each(self._functions[name], operand)

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

    def sum(self, row: Array) -> Array:
        total = np.empty((*row.shape[:-1], 1), object)
        for index in np.ndindex(row.shape[:-1]):
            total[(*index, 0)] = self.context.fsum(row[index])
        return total

    def _number(self, value: Any) -> Any:
        if isinstance(value, float) or hasattr(value, "_mpf_"):
            return self.context.mpf(value)
        try:
            top, bottom = value.as_integer_ratio()  # a float of any width, an integer or a fraction
        except (AttributeError, TypeError, ValueError, OverflowError):
            raise LngenError(f"{value!r} is not a {self.name} number. Pass finite real numbers.") from None
        return self.context.mpf(int(top)) / int(bottom)


@cache
def _context(digits: int) -> Any:
    import mpmath

    context = mpmath.MPContext()
    context.dps = digits
    return context


def _functions(mp: Any) -> dict[str, Callable[[Any], Any]]:
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


def _each(function: Callable[..., Any], *operands: Array) -> Array:
    return _object(np.frompyfunc(function, len(operands), 1)(*operands))


def _object(value: Any) -> Array:
    wrapped = np.empty(np.shape(value), object)
    wrapped[...] = value
    return wrapped


@cache
def mp_numbers(digits: int) -> Numbers:
    """Numbers of mpmath with so many decimal digits."""
    return _Multiprecision(digits)
