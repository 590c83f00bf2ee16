"""Number type of Python's `decimal`, for many digits at a tenth of the time that sums and products of mpmath take.

Functions are mpmath's. An undefined value is a NaN, as in numbers of mpmath. It may stand for an infinity of either
sign: a comparison with it is open, and what `where` chooses by that is a NaN too.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from lngen.language.oracle.arithmetic import ARITHMETIC, Array
from lngen.language.oracle.multiprecision import Multiprecision, each, wrapped

_NAN = np.array(Decimal("NaN"), object)

_OPEN = 0.5
"""The truth value of a comparison with what is undefined, between those of false and true."""

# A power of ten is quicker as an integer than as a number, unless it is a long one.
_NEAR = 1_000

_OWN: Mapping[str, Callable[[Decimal], Decimal]] = {"abs": abs, "sqrt": Decimal.sqrt}


class DecimalNumbers(Multiprecision):
    """Decimal numbers, which are computed with where `context` is the current one, as in `with numbers.here():`.

    >>> numbers = DecimalNumbers(30)
    >>> with numbers.here():
    ...     print(numbers.combine("/", numbers.array([1.0, 1.0]), numbers.array([3.0, 0.0])))
    [Decimal('0.333333333333333333333333333333') Decimal('NaN')]
    """

    def __init__(self, digits: int) -> None:
        super().__init__(digits)
        self.name = f"decimals({digits})"
        self._digits = decimal.Context(digits, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, traps=[])

    def here(self) -> Any:
        """Return a context manager in which these numbers are rounded to their digits."""
        return decimal.localcontext(self._digits)

    def constant(self, value: Fraction) -> Array:
        return wrapped(Decimal(value.numerator) / value.denominator)

    def pi(self) -> Array:
        return wrapped(self._from_mpmath(+self.context.pi))

    def combine(self, sign: str, left: Array, right: Array) -> Array:
        divisor = np.where(right == 0, _NAN, right) if sign == "/" else right
        return np.asarray(ARITHMETIC[sign](left, divisor), object)

    def power(self, base: Array, exponent: Fraction) -> Array:
        base = np.where(base == 0, _NAN, base) if exponent < 0 else base
        if exponent.denominator == 2:
            return np.asarray(each(Decimal.sqrt, base) ** exponent.numerator, object)
        whole = exponent.denominator == 1
        return np.asarray(base ** (exponent.numerator if whole else self.constant(exponent)), object)

    def raised(self, base: Array, exponent: Array) -> Array:
        return each(self._by_mpmath(self.functions.raised), base, exponent)

    def truth(self, sign: str, left: Array, right: Array) -> Array:
        is_open = self.undefined(left) | self.undefined(right)
        return np.where(is_open, _OPEN, self.compare(sign, left, right))

    def choose(self, condition: Array, chosen: Array, otherwise: Array) -> Array:
        return np.where(condition == _OPEN, _NAN, np.where(condition, chosen, otherwise))

    def function(self, name: str, operand: Array) -> Array:
        return each(_OWN.get(name) or self._by_mpmath(getattr(self.functions, name)), operand)

    def sum(self, row: Array) -> Array:
        return np.asarray(np.sum(row, axis=-1, keepdims=True), object)

    def number(self, value: Any) -> Any:
        """The number nearest to one of another type."""
        if isinstance(value, Decimal):
            return value
        if isinstance(value, float):
            return Decimal(value)
        top, bottom = self.ratio(value)
        return Decimal(top) / bottom

    def _by_mpmath(self, function: Callable[..., Any]) -> Callable[..., Decimal]:
        return lambda *arguments: self._from_mpmath(function(*map(self._to_mpmath, arguments)))

    def _to_mpmath(self, value: Decimal) -> Any:
        if not value or not value.is_finite():
            return self.context.mpf(float(value))
        shift = self._digits.prec - 1 - value.adjusted()
        mantissa = self.context.mpf(int(value.scaleb(shift)))
        return mantissa / 10**shift if 0 <= shift < _NEAR else mantissa * self.context.mpf(10) ** -shift

    def _from_mpmath(self, value: Any) -> Decimal:
        sign, mantissa, exponent, _ = value._mpf_
        if not mantissa:
            return Decimal(float(value))  # zero, or infinite, or a NaN
        return Decimal(-mantissa if sign else mantissa) * Decimal(2) ** Decimal(exponent)
