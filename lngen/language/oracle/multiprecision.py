"""Number types of mpmath, of any number of digits.

Their arrays hold objects. An undefined value (a division by zero, the root of a negative number) is a NaN, so that
`where` may leave it unchosen.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from lngen.errors import LngenError
from lngen.language import FUNCTIONS
from lngen.language.functions import in_mpmath
from lngen.language.oracle.arithmetic import Array, Numbers

# Past it, exp(-u**2/2) has more than 10**11 zeros, and mpmath's erfc overflows on its way.
_ALL_TAIL = 10**6

# Binary digits before the point, past which an exponential is 0 or infinite beside anything else, and a sine has no
# digit: mpmath would take as many digits as that.
_LONGEST_EXPONENT = 10_000


class Multiprecision(Numbers):
    """Numbers of mpmath, in a context that is shared by number types of equal digits."""

    def __init__(self, digits: int) -> None:
        super().__init__(f"mp_numbers({digits})", object)
        self.context = _context(digits)
        self.functions = Functions(self.context)

    def array(self, value: Any) -> Array:
        given = np.asarray(value)
        if given.dtype.kind == "V":  # a float type that NumPy does not know, such as bfloat16
            given = given.astype(np.float64)
        return each(self.number, given)

    def constant(self, value: Fraction) -> Array:
        return wrapped(self.context.mpf(value.numerator) / value.denominator)

    def pi(self) -> Array:
        return wrapped(+self.context.pi)

    def combine(self, sign: str, left: Array, right: Array) -> Array:
        if sign == "/":
            return each(lambda a, b: self.context.nan if b == 0 else a / b, left, right)
        return super().combine(sign, left, right)

    def power(self, base: Array, exponent: Fraction) -> Array:
        whole = exponent.denominator == 1
        number = exponent.numerator if whole else self.context.mpf(exponent.numerator) / exponent.denominator

        def one(value: Any) -> Any:
            if (value == 0 and exponent < 0) or (value < 0 and not whole):
                return self.context.nan
            return value**number

        return each(one, base)

    def raised(self, base: Array, exponent: Array) -> Array:
        return each(self.functions.raised, base, exponent)

    def function(self, name: str, operand: Array) -> Array:
        return each(getattr(self.functions, name), operand)

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

    def number(self, value: Any) -> Any:
        """The number nearest to one of another type."""
        if hasattr(value, "_mpf_"):
            return self.context.make_mpf(value._mpf_)
        if isinstance(value, float):
            return self.context.mpf(value)
        top, bottom = self.ratio(value)
        return self.context.mpf(top) / bottom

    def ratio(self, value: Any) -> tuple[int, int]:
        """A float of any width, an integer or a fraction as two integers."""
        try:
            top, bottom = value.as_integer_ratio()
        except (AttributeError, TypeError, ValueError, OverflowError):
            raise LngenError(f"{value!r} is not a {self.name} number. Pass finite real numbers.") from None
        return int(top), int(bottom)


@cache
def _context(digits: int) -> Any:
    import mpmath

    context = mpmath.MPContext()
    context.dps = digits
    return context


class Functions:
    """Functions of a context by name: those of the table, and the context's own, for arguments of any size."""

    def __init__(self, mp: Any) -> None:
        self.mp = mp

    def exp(self, u: Any) -> Any:
        # It takes as many digits of log(2) as its argument has before the point.
        if self.mp.mag(u) > _LONGEST_EXPONENT:
            return self.mp.inf if u > 0 else self.mp.zero
        return self.mp.exp(u)

    def expm1(self, u: Any) -> Any:
        return self.exp(u) - 1 if self.mp.mag(u) > _LONGEST_EXPONENT else self.mp.expm1(u)

    def tanh(self, u: Any) -> Any:
        return self.mp.sign(u) if self.mp.mag(u) > _LONGEST_EXPONENT else self.mp.tanh(u)

    def erf(self, u: Any) -> Any:
        return self.mp.sign(u) if self.mp.mag(u) > _LONGEST_EXPONENT else self.mp.erf(u)

    def sin(self, u: Any) -> Any:
        return self.mp.nan if self.mp.mag(u) > _LONGEST_EXPONENT else self.mp.sin(u)

    def cos(self, u: Any) -> Any:
        return self.mp.nan if self.mp.mag(u) > _LONGEST_EXPONENT else self.mp.cos(u)

    def gelu(self, u: Any) -> Any:
        if not abs(u) < _ALL_TAIL:
            return u if not u < 0 else self.mp.zero
        # In the tail, erfc multiplies the rounding of its argument by the square of it.
        with self.mp.extraprec(10 + 2 * max(0, self.mp.mag(u))):
            value = in_mpmath(FUNCTIONS["gelu"], self)(u)
        return +value

    def raised(self, base: Any, exponent: Any) -> Any:
        if base > 0:
            size = exponent * self.mp.log(base)
            # The exponential multiplies the rounding of its argument by the size of it.
            with self.mp.extraprec(10 + int(max(0, self.mp.mag(size))) if self.mp.isfinite(size) else 0):
                value = self.exp(exponent * self.mp.log(base)) if exponent else self.mp.one
            return +value
        if base == 0:
            return self.mp.inf if exponent < 0 else self.mp.mpf(int(exponent == 0)) if exponent >= 0 else self.mp.nan
        return base ** int(exponent) if self.mp.isint(exponent) else self.mp.nan

    def __getattr__(self, name: str) -> Any:
        return real(self.mp, in_mpmath(FUNCTIONS[name], self)) if name in FUNCTIONS else getattr(self.mp, name)


def real(mp: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function with a NaN where IEEE arithmetic has one: there mpmath raises, or leaves the reals."""

    def of(*arguments: Any) -> Any:
        try:
            value = function(*arguments)
        except (ValueError, ZeroDivisionError):
            return mp.nan
        return mp.nan if isinstance(value, mp.mpc) else mp.convert(value)

    return of


def each(function: Callable[..., Any], *operands: Array) -> Array:
    """The values of a function at entries of arrays of objects."""
    return wrapped(np.frompyfunc(function, len(operands), 1)(*operands))


def wrapped(value: Any) -> Array:
    """An object, or an array of them, as an array."""
    made = np.empty(np.shape(value), object)
    made[...] = value
    return made


@cache
def mp_numbers(digits: int) -> Numbers:
    """Numbers of mpmath with so many decimal digits."""
    return Multiprecision(digits)
