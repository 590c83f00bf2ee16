"""Number types for the evaluator: floats, and the complex step.

A number type defines how its values are stored in arrays, how each operation of the language rounds, and how a row is
reduced. `lngen.language.oracle.multiprecision` has types with more digits than a float.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from lngen.errors import LngenError
from lngen.language.oracle.real_functions import function, slope

Array: TypeAlias = Any

ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
}

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}

_PI = np.longdouble("3.14159265358979323846264338327950288")


class Numbers:
    """A number type. Arrays are NumPy's; reductions are over the last axis and keep it.

    Ties are the language's for every type: `maximum` and `minimum` take their second argument, and a
    reduction the first entry that attains the largest or smallest value.
    """

    def __init__(self, name: str, dtype: Any) -> None:
        self.name = name
        self.dtype = np.dtype(dtype)

    def __repr__(self) -> str:
        return self.name

    def array(self, value: Any) -> Array:
        """The value as an array of this type; LngenError if it is not of numbers."""
        try:
            given = np.asarray(value)
            if given.dtype.kind == "c" and self.dtype.kind != "c":
                raise TypeError("complex values")
            # NumPy would read text as numbers, and None as a NaN.
            if given.dtype.kind in "USMm":
                raise TypeError("text or dates")
            if given.dtype == object and any(isinstance(entry, str | None) for entry in given.flat):
                raise TypeError("text or None")
            return given.astype(self.dtype)
        except (TypeError, ValueError) as error:
            raise LngenError(f"not an array of {self.name} numbers: {error}. Pass real numbers.") from None

    def constant(self, value: Fraction) -> Array:
        """The nearest number to a fraction, as a 0-d array."""
        return np.asarray(_float(value)).astype(self.dtype)

    def pi(self) -> Array:
        """The nearest number to pi, as a 0-d array."""
        return np.asarray(_PI).astype(self.dtype)

    def negate(self, operand: Array) -> Array:
        """-operand."""
        return np.asarray(-operand)

    def combine(self, sign: str, left: Array, right: Array) -> Array:
        """left sign right, with one of + - * /."""
        return np.asarray(ARITHMETIC[sign](left, right))

    def power(self, base: Array, exponent: Fraction) -> Array:
        """base**exponent."""
        return np.power(base, self.constant(exponent))

    def raised(self, base: Array, exponent: Array) -> Array:
        """base**exponent, defined for a base that is not negative."""
        return np.power(base, exponent)

    def function(self, name: str, operand: Array) -> Array:
        """A function of one argument."""
        return function(name)(operand)

    def compare(self, sign: str, left: Array, right: Array) -> Array:
        """Truth values of a comparison."""
        return COMPARISONS[sign](self.order(left), self.order(right))

    def truth(self, sign: str, left: Array, right: Array) -> Array:
        """Truth values of a comparison that a definition makes."""
        return self.compare(sign, left, right)

    def choose(self, condition: Array, chosen: Array, otherwise: Array) -> Array:
        """One of two values, by a comparison or several."""
        return np.where(condition, chosen, otherwise)

    def order(self, values: Array) -> Array:
        """Return the values that comparisons use."""
        return values

    def undefined(self, values: Array) -> Array:
        """Return a mask of the values that are not numbers."""
        return np.isnan(self.order(values))

    def extreme(self, name: str, left: Array, right: Array) -> Array:
        """maximum or minimum of two arrays; NaN if either is."""
        first = self.compare(">" if name == "maximum" else "<", left, right)
        return np.where(first | self.undefined(left), left, right)

    def pick(self, name: str, row: Array) -> Array:
        """The entry that max or min takes from each row."""
        find = np.argmax if name == "max" else np.argmin
        return np.take_along_axis(row, find(self.order(row), axis=-1, keepdims=True), axis=-1)

    def sum(self, row: Array) -> Array:
        """The sum of each row."""
        return np.sum(row, axis=-1, keepdims=True)

    def mean(self, row: Array) -> Array:
        """The mean of each row."""
        return self.combine("/", self.sum(row), self.constant(Fraction(row.shape[-1])))


def _float(value: Fraction) -> float:
    """The nearest float64 to a fraction."""
    return value.numerator / value.denominator


class _Double(Numbers):
    """float64; sums are made in extended precision and rounded once."""

    def sum(self, row: Array) -> Array:
        return np.sum(row, axis=-1, keepdims=True, dtype=np.longdouble).astype(np.float64)

    def mean(self, row: Array) -> Array:
        total = np.sum(row, axis=-1, keepdims=True, dtype=np.longdouble)
        return (total / row.shape[-1]).astype(np.float64)


class _Extended(Numbers):
    """The platform's longdouble."""

    def constant(self, value: Fraction) -> Array:
        # Through text: an integer past 2**53 would go through a float64.
        return np.asarray(np.longdouble(str(value.numerator)) / np.longdouble(str(value.denominator)))


class _Complex(Numbers):
    """Complex numbers for the complex step, to first order in the imaginary part.

    If one input has an imaginary part h, that of an output is h times the derivative. The real part equals that of
    FLOAT64, bit for bit: terms of second order in the imaginary parts are dropped. With h = 1e-30 full complex
    arithmetic does not see them either, except for values near 0, where `x**2` would turn negative and a comparison
    would go wrong. Comparisons, max, min and sign use real parts, and `abs` is continued as z*sign(re z).
    `stop_gradient` drops the imaginary part, and so the derivative.
    """

    def constant(self, value: Fraction) -> Array:
        return np.asarray(complex(_float(value)))

    def order(self, values: Array) -> Array:
        return values.real

    def combine(self, sign: str, left: Array, right: Array) -> Array:
        if sign in "+-":
            return np.asarray(ARITHMETIC[sign](left, right))
        if sign == "*":
            slope = _scaled(left.imag, right.real) + _scaled(right.imag, left.real)
            return _complex(left.real * right.real, slope)
        quotient = left.real / right.real
        slope = _scaled(left.imag, 1 / right.real) - _scaled(right.imag, quotient / right.real)
        return _complex(quotient, slope)

    def power(self, base: Array, exponent: Fraction) -> Array:
        value = np.power(base.real, _float(exponent))
        slope = _float(exponent) * np.power(base.real, _float(exponent - 1))
        return _complex(value, _scaled(base.imag, slope))

    def raised(self, base: Array, exponent: Array) -> Array:
        a, p = base.real, exponent.real
        value = np.power(a, p)
        slope = np.where(p == 0, 0.0, p * np.power(a, p - 1))
        growth = np.where(a == 0, 0.0, value * np.log(a))
        return _complex(value, _scaled(base.imag, slope) + _scaled(exponent.imag, growth))

    def function(self, name: str, operand: Array) -> Array:
        value = function(name)(operand.real)
        return _complex(value, _scaled(operand.imag, slope(name)(operand.real)))

    def sum(self, row: Array) -> Array:
        return _complex(FLOAT64.sum(row.real), FLOAT64.sum(row.imag))

    def mean(self, row: Array) -> Array:
        return _complex(FLOAT64.mean(row.real), FLOAT64.mean(row.imag))


def _complex(real: Array, imaginary: Array) -> Array:
    # Not real + 1j*imaginary, which makes a NaN of an infinite part.
    result = np.empty(np.broadcast_shapes(np.shape(real), np.shape(imaginary)), np.complex128)
    result.real, result.imag = real, imaginary
    return result


def _scaled(imaginary: Array, slope: Array) -> Array:
    """imaginary*slope, and 0 where the argument does not vary, however steep the slope."""
    return np.where(imaginary == 0, 0.0, imaginary * slope)


FLOAT64: Numbers = _Double("FLOAT64", np.float64)
LONGDOUBLE: Numbers = _Extended("LONGDOUBLE", np.longdouble)
COMPLEX128: Numbers = _Complex("COMPLEX128", np.complex128)
