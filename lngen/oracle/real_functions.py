"""The functions of the language on arrays of real floats, and the slopes that the complex step needs.

Every formula is stable: nothing overflows on the way to a finite result, and the result is within a few
units in the last place. The slopes belong to the oracle alone; differentiation has its derivatives from
SymPy, and a test compares the slopes with numerical differentiation at 50 digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = Any
_Function: TypeAlias = Callable[[Array], Array]

# mpmath digits for what NumPy lacks in extended precision, which has 19 digits, or 34 on some machines. The
# tail of erfc takes up to 8 of them, down to where it underflows.
_EXTENDED_DIGITS = 45


def _by_element(function: Callable[[float], float]) -> _Function:
    vectorized = np.frompyfunc(function, 1, 1)
    return lambda u: np.asarray(vectorized(u)).astype(np.float64)


def _by_mpmath(function: Callable[[Any, Any], Any]) -> _Function:
    """A function of an mpmath context and a number there, on an array of longdouble."""

    def on_array(u: Array) -> Array:
        import mpmath

        context = mpmath.MPContext()
        context.dps = _EXTENDED_DIGITS

        def one(value: Any) -> Any:
            if np.isnan(value):
                return value
            exact = context.mpf(float(value))
            if np.isfinite(value):
                top, bottom = value.as_integer_ratio()
                exact = context.mpf(top) / bottom
            result = function(context, exact)
            if abs(result) < tiny:  # NumPy warns of an underflow when it reads text
                return np.longdouble(0)
            return np.longdouble(mpmath.nstr(result, _EXTENDED_DIGITS))

        tiny = context.mpf(10) ** (int(np.log10(np.finfo(np.longdouble).smallest_subnormal)) + 1)
        return np.asarray(np.frompyfunc(one, 1, 1)(u)).astype(np.longdouble)

    return on_array


_erf_double, _erfc_double = _by_element(math.erf), _by_element(math.erfc)
_erf_extended = _by_mpmath(lambda mp, u: mp.erf(u))
_normal_cdf_extended = _by_mpmath(lambda mp, u: mp.erfc(-u / mp.sqrt(2)) / 2)


def _sigmoid(u: Array) -> Array:
    e = np.exp(-np.abs(u))
    return np.where(u >= 0, 1 / (1 + e), e / (1 + e))


def _softplus(u: Array) -> Array:
    return np.where(u > 0, u, 0) + np.log1p(np.exp(-np.abs(u)))


def _erf(u: Array) -> Array:
    return _erf_extended(u) if u.dtype == np.longdouble else _erf_double(u)


def _normal_cdf(u: Array) -> Array:
    """The distribution function of the standard normal, with full relative accuracy in the lower tail."""
    if u.dtype == np.longdouble:
        return _normal_cdf_extended(u)
    scaled = -u.astype(np.longdouble) / np.sqrt(np.longdouble(2))
    z = scaled.astype(np.float64)
    # erfc is so steep in its tail that the rounding of its argument would show.
    rounding = np.where(np.isfinite(z), scaled - z, 0).astype(np.float64)
    slope = 2 / math.sqrt(math.pi) * np.exp(-z * z)
    return (_erfc_double(z) - slope * rounding) / 2


def _gelu(u: Array) -> Array:
    return _times(u, _normal_cdf(u))


def _times(u: Array, weight: Array) -> Array:
    """u*weight, where a weight of zero wins over an infinite u."""
    return np.where(weight == 0, 0 * np.sign(u), u * weight).astype(u.dtype)


FUNCTIONS: Mapping[str, _Function] = MappingProxyType(
    {
        "sqrt": np.sqrt,
        "rsqrt": lambda u: 1 / np.sqrt(u),
        "exp": np.exp,
        "log": np.log,
        "log1p": np.log1p,
        "expm1": np.expm1,
        "sin": np.sin,
        "cos": np.cos,
        "tanh": np.tanh,
        "sigmoid": _sigmoid,
        "softplus": _softplus,
        "relu": lambda u: np.where((u > 0) | np.isnan(u), u, 0).astype(u.dtype),
        "silu": lambda u: _times(u, _sigmoid(u)),
        "gelu": _gelu,
        "erf": _erf,
        "abs": np.abs,
        "sign": np.sign,
        "stop_gradient": lambda u: u,
    }
)
"""Each function of one argument, on an array of float64 or longdouble."""


def _sigmoid_slope(u: Array) -> Array:
    e = np.exp(-np.abs(u))
    return e / (1 + e) ** 2


def _tanh_slope(u: Array) -> Array:
    return 4 * _sigmoid_slope(2 * u)


def _exp_of_minus_square(u: Array) -> Array:
    # In float64 the rounding of u*u would be multiplied by u*u.
    wide = u.astype(np.longdouble)
    return np.exp(-wide * wide).astype(np.float64)


def _gelu_slope(u: Array) -> Array:
    density = _exp_of_minus_square(u.astype(np.longdouble) / np.sqrt(np.longdouble(2))) / math.sqrt(2 * math.pi)
    return _normal_cdf(u) + _times(u, density)


def _silu_slope(u: Array) -> Array:
    return _sigmoid(u) + _times(u, _sigmoid_slope(u))


SLOPES: Mapping[str, _Function] = MappingProxyType(
    {
        "sqrt": lambda u: 0.5 / np.sqrt(u),
        "rsqrt": lambda u: -0.5 / (u * np.sqrt(u)),
        "exp": np.exp,
        "log": lambda u: 1 / u,
        "log1p": lambda u: 1 / (1 + u),
        "expm1": np.exp,
        "sin": np.cos,
        "cos": lambda u: -np.sin(u),
        "tanh": _tanh_slope,
        "sigmoid": _sigmoid_slope,
        "softplus": _sigmoid,
        "relu": lambda u: (u > 0).astype(np.float64),
        "silu": _silu_slope,
        "gelu": _gelu_slope,
        "erf": lambda u: 2 / math.sqrt(math.pi) * _exp_of_minus_square(u),
        "abs": np.sign,
        "sign": np.zeros_like,
        "stop_gradient": np.zeros_like,
    }
)
"""The derivative of each function of one argument, on an array of float64."""
