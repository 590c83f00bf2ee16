"""Numbers modulo a prime, in the place of floating point: exact, in whatever order they are added up.

`numbers.h` has the same numbers for kernels. A function such as `exp` is any function: its values have nothing to do
with the argument, but are the same for the same.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
    fraction = first_convergent(value)
    return fraction.numerator * pow(fraction.denominator, prime - 2, prime) % prime


def first_convergent(value: float) -> Fraction:
    """Return the first convergent of a finite number that is rounded to it.

    >>> first_convergent(-0.01), first_convergent(0.3333333333333333)
    (Fraction(-1, 100), Fraction(1, 3))
    """
    numerator, denominator = Fraction(abs(value)).as_integer_ratio()
    p, q, p_before, q_before = 1, 0, 0, 1
    while denominator:
        whole, rest = divmod(numerator, denominator)
        p, q, p_before, q_before = whole * p + p_before, whole * q + q_before, p, q
        if p / q == abs(value):
            break
        numerator, denominator = denominator, rest
    return Fraction(p if value > 0 else -p, q)


def _operator(made: Callable[[int, int], Any]) -> Any:
    """Return the operator of two numbers that is `made` of their integers; NumPy applies it to entries of an array."""

    def applied(number: Residue, other: Any) -> Any:
        is_array = isinstance(other, np.ndarray) and other.ndim
        return NotImplemented if is_array else made(number.v, Residue.of(other).v)

    return applied


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

    __add__ = __radd__ = _operator(lambda a, b: Residue(a + b))
    __mul__ = __rmul__ = _operator(lambda a, b: Residue(a * b))
    __sub__ = _operator(lambda a, b: Residue(a - b))
    __rsub__ = _operator(lambda a, b: Residue(b - a))
    __truediv__ = _operator(lambda a, b: Residue(a * pow(b, P - 2, P)))
    __rtruediv__ = _operator(lambda a, b: Residue(b * pow(a, P - 2, P)))
    __lt__, __le__, __gt__, __ge__ = map(_operator, (operator.lt, operator.le, operator.gt, operator.ge))
    __eq__, __ne__ = map(_operator, (operator.eq, operator.ne))

    def __int__(self) -> int:
        return self.v

    def __pow__(self, exponent: int) -> Residue:
        return Residue(pow(self.v, exponent, P))

    def __neg__(self) -> Residue:
        return Residue(-self.v)


def _any(which: int, v: int) -> int:
    """Return what any function gives for a number, as `numbers.h` does."""
    z = (v + which * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return (z ^ (z >> 31)) % P


_WRITTEN: Mapping[str, Callable[[Residue], Residue]] = {
    "abs": lambda u: u,
    "sign": lambda u: Residue(int(u.v > 0)),
    "sigmoid": lambda u: 1 / (_function("exp", -u) + 1),
    "softplus": lambda u: u + _function("log1p", _function("exp", -u)),
}
"""Functions as the headers have them; no number is below zero."""


def _function(name: str, u: Residue) -> Residue:
    if name in _WRITTEN:
        return _WRITTEN[name](u)
    return Residue(_any(FUNCTIONS.index(name) + 1, u.v))


def rounded(value: Expr) -> float:
    """Return the float64 that is nearest to an exact number."""
    return float(value if value.is_Rational else value.evalf(_DIGITS))


class ResidueArithmetic(Arithmetic):
    """Arithmetic modulo a prime, of a formula as its text has it."""

    def is_constant(self, e: Expr) -> bool:
        """Test for a number, which the text has rounded."""
        return bool(e.is_number)

    def add(self, e: Expr, walk: Walk) -> Any:
        """The value of a sum, which the text has as one number where it is one."""
        return self.number(e) if e.is_number else super().add(e, walk)

    def multiply(self, e: Expr, walk: Walk) -> Any:
        """The value of a product, whose numbers the text has as one."""
        numbers = [factor for factor in e.args if factor.is_number]
        others = [walk(factor) for factor in e.args if not factor.is_number]
        return reduce(operator.mul, [*others, *([self.number(sympy.Mul(*numbers))] if numbers else [])])

    def power(self, base: Any, exponent: Expr) -> Any:
        """A value to an exact power, as the printer writes it."""
        if exponent.is_negative:
            return 1 / np.asanyarray(self.power(base, -exponent))
        if exponent.is_Integer:
            return np.asanyarray(base) ** int(exponent)
        if exponent.q != 2:
            return self.raised(base, self.number(exponent))
        root = self.apply("sqrt", base)
        return root if exponent.p == 1 else np.asanyarray(base) ** (int(exponent.p) // 2) * root


class ModularArithmetic(ResidueArithmetic):
    """Arithmetic of numbers of 63 bits."""

    def __init__(self) -> None:
        super().__init__(dtype=object)

    def number(self, value: Expr) -> Residue:
        """An exact constant, as the text rounds it."""
        return Residue.of(int(value) if value.is_Integer else rounded(value))

    def apply(self, name: str, *arguments: Any) -> Any:
        """An elementwise function of the language."""
        return np.frompyfunc(lambda u: _function(name, Residue.of(u)), 1, 1)(*arguments)

    def raised(self, base: Any, exponent: Any) -> Any:
        """A value to a power that is no number of the formula."""
        return np.frompyfunc(_raised, 2, 1)(base, exponent)


def _raised(base: Any, exponent: Any) -> Residue:
    return Residue(_any((13 + _any(14, Residue.of(exponent).v)) & _MASK, Residue.of(base).v))


@dataclass(frozen=True)
class PrimeField:
    """Numbers modulo a prime, as a check draws and compares them.

    `number` makes one, `integers` an array of them, and `drawn` draws some; `memory` returns them as a text has them in
    memory.
    """

    arithmetic: ResidueArithmetic
    number: Callable[[Any], Any]
    integers: Callable[[Any], Any]
    drawn: Callable[[np.random.Generator, tuple[int, ...]], Any]
    memory: Callable[[Any], Any]


# ---- arrays of bits: a residue is what the bits of a float64 are


def bits(values: Any) -> Any:
    """Return residues as the memory of a kernel has them."""
    of = np.frompyfunc(lambda u: Residue.of(u).v, 1, 1)(np.asarray(values, object))
    return np.asarray(of).astype(np.uint64).view(np.float64)


LONG = PrimeField(
    ModularArithmetic(),
    Residue.of,
    lambda values: values.astype(object),
    lambda draw, shape: np.frompyfunc(lambda v: Residue(int(v)), 1, 1)(draw.integers(0, 0x7FE0000000000000, shape)),
    bits,
)
"""Numbers of 63 bits, one by one."""
