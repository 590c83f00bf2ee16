"""A point at which two expressions differ, with the names that are not opened as unknowns.

Most sets of opened names are too few for an equality, and numbers say so in a fraction of the time that forms take. A
proof never rests on it: a point only says where to look for none. Where the sides have no numbers, nothing is said.

What the algebra has shown is tried again at small whole numbers, zeros, ties and rows of one sign, where a rule that
forgets a select's condition is seen.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

import mpmath
import numpy as np
import sympy
from sympy import Expr
from sympy.core.relational import Relational

from lngen.algebra.numeric import Arithmetic, evaluate_expression
from lngen.algebra.symbols import AttainsFirst, D, TypedSymbol
from lngen.prove.digits import agreement, chosen, drawn, is_finite

_DIGITS = 100
"""Digits of the values, far more than a cancellation takes, so that what is left of it is no difference."""

_ALIKE = 10
"""Digits to which two values agree that are not taken to be different."""

_TIE = mpmath.mpf(10) ** -50
"""Largest difference of two compared values that may be rounding alone, and decides nothing."""

_TIE_OF_FLOATS = 1e-9
"""The same of floats, in which 0 may be rounding too."""

_SAME, _APART = 1e-11, 1e-5
"""Differences of two floats, to the larger or to 1, up to which they are the same, and from which on they differ;
between them more digits are looked at."""

_RANGES = ((-1, 1), (1, 2))
"""Ranges of the unknowns: the second where the sides are not finite in the first."""

_SPECIAL = ("-2 -1 0 0 1 2", "0", "-3 -2 -1", "1 2", "1", "-1 0")
"""Numbers of the unknowns at more points, where ties, zeros and kinks are, for D from the smallest on."""

_MORE_FEATURES = 2
_NO_NUMBERS = (ArithmeticError, AttributeError, RecursionError, TypeError, ValueError)

Opened = frozenset[TypedSymbol]


class Refuter:
    """Values of expressions at a point, each worked out once for the names in it that are opened.

    `reached` tells the symbols that an expression depends on, and `sign` what the algebra knows of a name's sign.
    """

    def __init__(
        self,
        meaning: Mapping[TypedSymbol, Expr],
        reached: Callable[[Expr], Opened],
        sign: Callable[[Expr], int | None],
        minimum_features: int,
    ) -> None:
        self._meaning, self._reached, self._sign, self._smallest = meaning, reached, sign, minimum_features
        self._unknowns: dict[tuple[str, str, int], Any] = {}
        self._values: dict[tuple[Expr, Opened, int, int | None], Any] = {}
        self._needs: dict[Expr, tuple[set[Any], list[Expr]]] = {}

    def share(self, other: Refuter) -> None:
        """Give another one, of the same names, the values that were worked out."""
        other._unknowns, other._values, other._needs = self._unknowns.copy(), self._values.copy(), self._needs

    def differ_at_random_points(self, left: Expr, right: Expr, opened: Opened) -> bool:
        """Test whether both sides are finite at a point, and differ there.

        >>> from lngen.algebra.equations import Equation
        >>> from lngen.algebra.symbols import Mean, RowScalarSymbol, RowSymbol
        >>> from lngen.algebra.budget import Budget
        >>> from lngen.prove.names import Meanings
        >>> from lngen.prove.row_algebra import RowAlgebra
        >>> x, mu = RowSymbol("x"), RowScalarSymbol("mu")
        >>> names = Meanings(RowAlgebra(Budget()))
        >>> names.give([Equation(mu, Mean(x))])
        >>> sides = Mean((x - mu)**2), Mean(x**2) - mu**2
        >>> names.differ_at_random_points(*sides, frozenset()), names.differ_at_random_points(*sides, frozenset({mu}))
        (True, False)
        """
        if left == right:
            return False
        with mpmath.workdps(_DIGITS):
            for turn in range(len(_RANGES)):
                apart = self._floats_apart(left, right, opened, turn)
                if apart <= _SAME or apart >= _APART:
                    return apart >= _APART
                with suppress(*_NO_NUMBERS):
                    a, b = (self._value(side, opened, turn) for side in (left, right))
                    if is_finite(a) and is_finite(b):
                        return agreement(a, b, _DIGITS, least=1) < _ALIKE
        return False

    def differ_at_whole_numbers(self, left: Expr, right: Expr, opened: Opened) -> bool:
        """Test whether an entry of both sides is finite, and differs, at a point of small whole numbers."""
        if left == right:
            return False
        with mpmath.workdps(_DIGITS):
            for turn in range(len(_RANGES), len(_RANGES) + len(_SPECIAL)):
                if self._floats_apart(left, right, opened, turn) <= _SAME:
                    continue
                try:
                    sides = (self._value(side, opened, turn) for side in (left, right))
                    a, b = (each.ravel() for each in np.broadcast_arrays(*(np.asarray(v, dtype=object) for v in sides)))
                except _NO_NUMBERS:
                    continue
                found = [pair for pair in zip(a, b, strict=True) if all(map(mpmath.isfinite, pair))]
                if any(agreement(*pair, _DIGITS, least=1) < _ALIKE for pair in found):
                    return True
        return False

    def _floats_apart(self, left: Expr, right: Expr, opened: Opened, turn: int) -> float:
        """The largest difference of both sides in float64, which takes less time than many digits; NaN for none."""
        try:
            a, b = (np.asarray(self._value(side, opened, turn, None), np.float64) for side in (left, right))
        except _NO_NUMBERS:
            return np.nan
        with np.errstate(all="ignore"):
            return float(np.max(np.abs(a - b) / np.maximum(1, np.maximum(np.abs(a), np.abs(b)))))

    def _value(self, e: Expr, opened: Opened, turn: int, digits: int | None = _DIGITS) -> Any:
        key = e, opened & self._reached(e), turn, digits
        if key not in self._values:
            self._values[key] = self._worked_out(e, key[1], turn, digits)
        return self._values[key]

    def _worked_out(self, e: Expr, opened: Opened, turn: int, digits: int | None) -> Any:
        if e == D:
            return mpmath.mpf(self._size(turn)) if digits else float(self._size(turn))
        if not isinstance(e, TypedSymbol):
            found = self._needs.get(e) or (e.free_symbols | {D}, [*e.atoms(Relational, AttainsFirst, sympy.sign)])
            symbols, jumps = self._needs.setdefault(e, found)
            given = {symbol: self._value(symbol, opened, turn, digits) for symbol in symbols}
            arithmetic = Arithmetic(digits)
            for jump in jumps:
                _require_decided(*(evaluate_expression(side, given, arithmetic) for side in jump.args[:2]))
            return evaluate_expression(e, given, arithmetic)
        if e in opened:
            return self._value(self._meaning[e], opened, turn, digits)
        # As the algebra has it, a name and its kind are one unknown.
        key = type(e).__name__, e.name, turn
        if key not in self._unknowns:
            self._unknowns[key] = self._drawn(e, turn)
        return self._unknowns[key] if digits else np.asarray(self._unknowns[key], np.float64)

    def _size(self, turn: int) -> int:
        return self._smallest + (_MORE_FEATURES if turn < len(_RANGES) else turn - len(_RANGES))

    def _drawn(self, symbol: TypedSymbol, turn: int) -> Any:
        value, sign = _value_of(symbol, self._size(turn), turn), self._sign(symbol)
        return value if sign is None else abs(value) + (mpmath.mpf(sign) / 10 if not symbol.is_integer else sign)


@lru_cache(maxsize=1 << 12)
def _value_of(symbol: TypedSymbol, features: int, turn: int) -> Any:
    """The value of an unknown at a point, which depends on its name."""
    generator = random.Random(f"{symbol.name} {turn}")
    if turn < len(_RANGES):
        return drawn(symbol, features, generator, *_RANGES[turn])
    return chosen(symbol, features, generator, _SPECIAL[turn - len(_RANGES)].split())


def _require_decided(value: Any, other: Any = 0) -> None:
    """Raise ArithmeticError where two values may be equal but for rounding, or floats have none."""
    with np.errstate(all="ignore"):
        apart = np.ravel(abs(np.asarray(value) - other))
    are_floats = apart.dtype != object
    if not np.all(apart >= _TIE_OF_FLOATS) if are_floats else any(0 < entry < _TIE for entry in apart):
        raise ArithmeticError("rounding decides a comparison")
