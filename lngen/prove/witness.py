"""A point at which two expressions differ: an identity is refuted by one, and by nothing less.

The algebra calls an expression zero only if it is. That it cannot show it to be zero may also mean that it took two
forms of one sign, or of one function, for independent of each other; at a point both are numbers.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import mpmath
import numpy as np
from sympy import Expr, Symbol

from lngen.algebra.numeric import Arithmetic, evaluate_expression
from lngen.prove.digits import uniform

_DIGITS = 50
_POINTS = 80
_APART = mpmath.mpf(10) ** -20

# Each is drawn from in turn: a root or a logarithm may ask for one, and the other side of a switch for another.
_RANGES = ((-1, 1), (0, 1), (-3, 3), (1, 2), (-1, 0), (-8, 8), (-2, -1), (-40, 40))


def differ(left: Expr, right: Expr, not_negative: Iterable[Expr] = ()) -> bool:
    """Test whether two expressions in explicit symbols differ at one of a few seeded points.

    Only points at which the expressions `not_negative` are not negative count: they lie in the region that the two are
    for.

    >>> x = Symbol("x", real=True)
    >>> differ(abs(x), x), differ(abs(x), x, [x]), differ((x + 1)**2, x**2 + 2*x + 1)
    (True, False, False)
    """
    conditions = list(not_negative)
    symbols: set[Any] = set().union(*(e.free_symbols for e in (left, right, *conditions)))
    ordered = sorted(symbols, key=lambda symbol: str(symbol.name))
    generator = random.Random(0)
    with mpmath.workdps(_DIGITS), np.errstate(all="ignore"):
        arithmetic = Arithmetic(_DIGITS)
        for number in range(_POINTS):
            low, high = _RANGES[number % len(_RANGES)]
            point = {symbol: _drawn(symbol, generator, low, high) for symbol in ordered}
            if not all(evaluate_expression(e, point, arithmetic) >= 0 for e in conditions):
                continue
            # A select of numbers is an array without axes.
            a, b = (np.asarray(evaluate_expression(side, point, arithmetic)).item() for side in (left, right))
            if mpmath.isfinite(a) and mpmath.isfinite(b) and abs(a - b) > _APART * (1 + abs(a) + abs(b)):
                return True
    return False


def _drawn(symbol: Symbol, generator: random.Random, low: int, high: int) -> Any:
    value = uniform(generator, low, high)
    return abs(value) + mpmath.mpf(10) ** -6 if symbol.is_positive else value
