"""Functions of the language on arrays of real floats, and the slopes for the complex step.

Their formulas are in the table of `lngen.language`, and functions that need more than a formula are here. Every one is
stable: no intermediate overflows if the result is finite, and the result is within a few units in the last place.
Differentiation has its derivatives from SymPy and not from the slopes, and a test compares the slopes with numerical
differentiation at 50 digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from lngen.language import FUNCTIONS
from lngen.language.functions import Named

Array: TypeAlias = Any
_Function: TypeAlias = Callable[[Array], Array]


def _by_element(function: Callable[[float], float]) -> _Function:
    vectorized = np.frompyfunc(function, 1, 1)
    return lambda u: np.asarray(vectorized(u)).astype(np.float64)


_erf_double, _erfc_double = _by_element(math.erf), _by_element(math.erfc)


def _odd_series(u: Array, square: Array) -> Array:
    """The sum of u*(-square)**n/(n!*(2*n + 1)), for squares up to 1."""
    total, power, n = u.copy(), u, 0
    while math.factorial(n) < 1 / np.finfo(np.longdouble).eps:
        n += 1
        power = -power * square / n
        total = total + power / (2 * n + 1)
    return total


def _normal_tail(t: Array) -> Array:
    """Return the standard normal's probability of more than t, for t from 1 up, in long double.

    It is Laplace's continued fraction, evaluated from a converged depth. It needs no quotient t/sqrt(2), whose rounding
    would show in the tail. For the same reason exp gets an exact square, and its remainder separately.
    """
    t = np.minimum(t, 1024)
    terms = math.ceil((math.log(1 / float(np.finfo(np.longdouble).eps)) / 2) ** 2)
    ratio = t
    for k in range(terms, 0, -1):
        ratio = t + k / ratio
    coarse = np.floor(t * 2**16) / 2**16
    density = np.exp(-coarse * coarse / 2) * np.exp(-(t - coarse) * (t + coarse) / 2) / np.sqrt(8 * _ATAN_1)
    return density / ratio


_ATAN_1 = np.arctan(np.longdouble(1))


def _erf_extended(u: Array) -> Array:
    size = np.abs(u)
    near = np.minimum(size, 1)
    inside = _odd_series(near, near * near) / np.sqrt(_ATAN_1)
    outside = 1 - 2 * _normal_tail(np.maximum(size, 1) * np.sqrt(np.longdouble(2)))
    return np.copysign(np.where(size > 1, outside, inside), u)


def _normal_cdf_extended(u: Array) -> Array:
    size = np.abs(u)
    near = np.minimum(size, 1)
    inside = np.copysign(_odd_series(near, near * near / 2), u) / np.sqrt(8 * _ATAN_1)
    tail = _normal_tail(np.maximum(size, 1))
    return np.where(size > 1, np.where(u > 0, 1 - tail, tail), 0.5 + inside)


def sigmoid(u: Array) -> Array:
    e = np.exp(-np.abs(u))
    return np.where(u >= 0, 1 / (1 + e), e / (1 + e))


def erf(u: Array) -> Array:
    return _erf_extended(u) if u.dtype == np.longdouble else _erf_double(u)


def normal_cdf(u: Array) -> Array:
    """The distribution function of the standard normal, with full relative accuracy in the lower tail."""
    if u.dtype == np.longdouble:
        return _normal_cdf_extended(u)
    scaled = -u.astype(np.longdouble) / np.sqrt(np.longdouble(2))
    z = scaled.astype(np.float64)
    # erfc is so steep in its tail that the rounding of its argument would show.
    rounding = np.where(np.isfinite(z), scaled - z, 0).astype(np.float64)
    slope = 2 / math.sqrt(math.pi) * np.exp(-z * z)
    return (_erfc_double(z) - slope * rounding) / 2


def times(u: Array, weight: Array) -> Array:
    """u*weight, where a weight of zero wins over an infinite u."""
    return np.where(weight == 0, 0 * np.sign(u), u * weight).astype(u.dtype)


def sigmoid_slope(u: Array) -> Array:
    e = np.exp(-np.abs(u))
    return e / (1 + e) ** 2


def _exp_of_minus_square(u: Array) -> Array:
    # In float64 the rounding of u*u would be multiplied by u*u.
    wide = u.astype(np.longdouble)
    return np.exp(-wide * wide).astype(np.float64)


def normal_density(u: Array) -> Array:
    return _exp_of_minus_square(u.astype(np.longdouble) / np.sqrt(np.longdouble(2))) / math.sqrt(2 * math.pi)


def arc_curvature(v: Array, r: Array) -> Array:
    """A bound of |u|*(1 - u**2)**(-3/2) for u in [v - r, v + r]."""
    size = np.abs(v) + r
    return np.where(size < 1, size * np.abs((1 - size) * (1 + size)) ** -1.5, np.inf)


def erf_slope(u: Array) -> Array:
    return 2 / math.sqrt(math.pi) * _exp_of_minus_square(u)


def function(name: str) -> _Function:
    """A function of the language on an array of float64 or longdouble.

    >>> function("silu")(np.array([0.0, -1000.0]))
    array([ 0., -0.])
    """
    entry = FUNCTIONS[name]
    formula = entry.real or entry.written
    return getattr(np, name) if formula is None else partial(formula, _HERE)


def slope(name: str) -> _Function:
    """The derivative of a function of one argument, on an array of float64."""
    formula = FUNCTIONS[name].slope
    assert formula is not None, f"the entry of {name} has no slope"
    return partial(formula, _HERE)


def curvature(name: str) -> Callable[[Array, Array], Array]:
    """A bound of the second derivative of a function of one argument in [v - r, v + r], on arrays of float64."""
    bound = FUNCTIONS[name].curvature
    return partial(bound, _HERE) if callable(bound) else lambda v, r: np.full_like(v, bound)


_HERE = Named(lambda name: globals()[name] if name in globals() else function(name))
