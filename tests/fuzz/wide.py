"""Emitted code with the digits of a float type and the exponents of long double.

A result that is wrong in the type and right here has an intermediate past the range of the type, and a right formula.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from types import ModuleType
from typing import Any

import numpy as np

WIDE: Any = np.longdouble
_COMPUTING = ("np", "_rows", "_functions")
"""Modules by whose functions emitted mathematics computes; an operator there has operands that these rounded."""


def with_digits(module: ModuleType, dtype: Any) -> ModuleType:
    """Let a module of emitted code, which is changed, round what each function gives it in long double."""
    for name in (name for name in _COMPUTING if name in vars(module)):
        setattr(module, name, _Rounded(vars(module)[name], dtype))
    return module


def rounded(dtype: Any, values: Any) -> Any:
    """Numbers of long double to the digits of a type, in place if they are an array; their exponents are kept.

    >>> below = np.longdouble(2) ** -200
    >>> rounded(np.float32, np.array([1 + below, below])) == [1, below]
    array([ True,  True])
    """
    writeable = np.ndim(values) and values.flags.writeable
    if getattr(values, "dtype", None) != WIDE or (np.ndim(values) and not writeable):
        return values
    digits, exponent = np.frexp(values)
    return np.ldexp(digits.astype(dtype).astype(WIDE), exponent, out=values if writeable else None)


class _Rounded:
    """A module whose functions give numbers with the digits of a float type."""

    def __init__(self, module: ModuleType, dtype: Any) -> None:
        self._module = module
        self._dtype = dtype

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        return found if isinstance(found, type) or not callable(found) else _rounding(found, self._dtype)


def _rounding(function: Callable[..., Any], dtype: Any) -> Callable[..., Any]:
    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        made = function(*arguments, **options)
        return tuple(map(partial(rounded, dtype), made)) if isinstance(made, tuple) else rounded(dtype, made)

    return call
