"""Numbers modulo a prime, in the place of floating point: exact, in whatever order they are added up.

`numbers.h` has the same numbers for kernels. A function such as `exp` is any function: its values have nothing to do
with the argument, but are the same for the same.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

import numpy as np
import sympy
from sympy import Expr

from lngen.algebra.numeric import Arithmetic, Walk

P = 2**63 - 25
"""The prime; the bits of every positive float64 are below it."""

_MASK = 2**64 - 1
_LARGEST_EXACT = 2**53
_HUGE, _TINY = 2**113, 2**-60
"""Numbers that are the largest one in `numbers.h`, and those that are 0."""

_DIGITS = 40

FUNCTIONS = ("exp", "log", "sin", "cos", "asin", "acos", "atan", "tanh", "erf", "sqrt", "log1p", "expm1")


@lru_cache(maxsize=4096)
def modulo(value: float, prime: int) -> int:
    """Return the first convergent of a number that is rounded to it, modulo a prime: 1/100 for 0.01.

    >>> modulo(0.01, 7), 100 * modulo(0.01, P) % P
    (4, 1)
    """
    if math.isinf(value) or abs(value) >= _HUGE:  # the largest number, and its negative below the least
        return prime - 1 if value > 0 else 0 if math.isinf(value) else 1
    if math.isnan(value) or abs(value) < _TINY:
        return 0
    numerator, denominator = Fraction(abs(value)).as_integer_ratio()
    p, q, p_before, q_before = 1, 0, 0, 1
    while denominator:
        whole, rest = divmod(numerator, denominator)
        p, q, p_before, q_before = whole * p + p_before, whole * q + q_before, p, q
        if p / q == abs(value):
            break
        numerator, denominator = denominator, rest
    return (p if value > 0 else -p) * pow(q, prime - 2, prime) % prime


class Residue:
    """A number modulo the prime.

    >>> Residue.of(sympy.Rational(1, 3)) * 3 == Residue(1), Residue(0) - 1 == Residue(P - 1)
    (True, True)
    """

    __slots__ = ("v",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, v: int) -> None:
        self.v = v % P

    @classmethod
    def of(cls, value: Any) -> Residue:
        """Return an exact number, or the first convergent that is rounded to it."""
        if isinstance(value, Residue):
            return value
        if isinstance(value, (int, np.integer)) and abs(int(value)) < _LARGEST_EXACT:
            return cls(int(value))
        return cls(modulo(float(value), P))

    def _with(self, other: Any, made: Callable[[int, int], Any]) -> Any:
        """Apply an operator to two numbers; NumPy applies it to the entries of an array."""
        return NotImplemented if isinstance(other, np.ndarray) and other.ndim else made(self.v, Residue.of(other).v)

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Residue(a + b))

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Residue(a - b))

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Residue(b - a))

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Residue(a * b))

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Residue(a * pow(b, P - 2, P)))

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: Residue(b * pow(a, P - 2, P)))

    def __int__(self) -> int:
        return self.v

    def __pow__(self, exponent: int) -> Residue:
        return Residue(pow(self.v, exponent, P))

    def __neg__(self) -> Residue:
        return Residue(-self.v)

    def __lt__(self, other: Any) -> Any:
        return self._with(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        return self._with(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        return self._with(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        return self._with(other, operator.ge)

    def __eq__(self, other: object) -> Any:
        return self._with(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return self._with(other, operator.ne)

    __radd__, __rmul__ = __add__, __mul__


def _any(which: int, v: int) -> int:
    """Return what any function gives for a number, as `numbers.h` does."""
    z = (v + which * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return (z ^ (z >> 31)) % P


def _function(name: str, u: Residue) -> Residue:
    if name in FUNCTIONS:
        return Residue(_any(FUNCTIONS.index(name) + 1, u.v))
    match name:  # as the headers have them; no number is below zero
        case "abs":
            return u
        case "sign":
            return Residue(int(u.v > 0))
        case "sigmoid":
            return Residue(pow(_function("exp", -u).v + 1, P - 2, P))
        case "softplus":
            return Residue(u.v + _function("log1p", _function("exp", -u)).v)
    raise TypeError(f"{name} has no meaning modulo a prime")


def rounded(value: Expr) -> float:
    """Return the float64 that is nearest to an exact number."""
    return float(value if value.is_Rational else value.evalf(_DIGITS))


class ModularArithmetic(Arithmetic):
    """Arithmetic of residues."""

    def __init__(self) -> None:
        super().__init__(dtype=object)

    def number(self, value: Expr) -> Residue:
        """An exact constant, as the text rounds it."""
        return Residue.of(int(value) if value.is_Integer else rounded(value))

    def apply(self, name: str, *arguments: Any) -> Any:
        """An elementwise function of the language."""
        (argument,) = arguments
        return np.frompyfunc(lambda u: _function(name, Residue.of(u)), 1, 1)(argument)

    def is_constant(self, e: Expr) -> bool:
        """Test for a number, which the text has rounded."""
        return bool(e.is_number)

    def multiply(self, e: Expr, walk: Walk) -> Any:
        """The value of a product, whose numbers the text has as one."""
        numbers = [factor for factor in e.args if factor.is_number]
        others = [walk(factor) for factor in e.args if not factor.is_number]
        return reduce(operator.mul, [*others, *([self.number(sympy.Mul(*numbers))] if numbers else [])])

    def raised(self, base: Any, exponent: Any) -> Any:
        """A value to a power that is no number of the formula."""
        return np.frompyfunc(_raised, 2, 1)(base, exponent)

    def power(self, base: Any, exponent: Expr) -> Any:
        """A value to an exact power, as the printer writes it."""
        if exponent.is_negative:
            return 1 / np.asarray(self.power(base, -exponent))
        if exponent.is_Integer:
            return np.asarray(base) ** int(exponent)
        if exponent.q != 2:
            return self.raised(base, self.number(exponent))
        return np.asarray(base) ** (int(exponent.p) // 2) * self.apply("sqrt", base)


def _raised(base: Any, exponent: Any) -> Residue:
    return Residue(_any((13 + _any(14, Residue.of(exponent).v)) & _MASK, Residue.of(base).v))


class LongResidues:
    """Numbers of 63 bits, one by one."""

    arithmetic = ModularArithmetic()
    number = Residue.of

    @staticmethod
    def integers(values: Any) -> Any:
        """Return integers."""
        return values.astype(object)

    @staticmethod
    def drawn(draw: np.random.Generator, shape: tuple[int, ...]) -> Any:
        """Draw numbers."""
        return np.frompyfunc(lambda v: Residue(int(v)), 1, 1)(draw.integers(0, 0x7FE0000000000000, shape))

    @staticmethod
    def memory(values: Any) -> Any:
        """Return numbers as the memory of a kernel has them."""
        return bits(values)


# ---- arrays of bits: a residue is what the bits of a float64 are


def bits(values: Any) -> Any:
    """Return residues as the memory of a kernel has them."""
    of = np.frompyfunc(lambda u: Residue.of(u).v, 1, 1)(np.asarray(values, object))
    return np.asarray(of).astype(np.uint64).view(np.float64)
