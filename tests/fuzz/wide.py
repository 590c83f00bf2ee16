"""Emitted code with the digits of a float type and the exponents of long double.

A result that is wrong in the type and right here has an intermediate past the range of the type, and a right formula.
"""

from __future__ import annotations

from functools import partial
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
    """A module, or a function of one, whose results have the digits of a float type; `np.add.reduce` is one, too."""

    def __init__(self, of: Any, dtype: Any) -> None:
        self._of = of
        self._dtype = dtype

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._of, name)
        return found if isinstance(found, type) or not callable(found) else _Rounded(found, self._dtype)

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        made, one = self._of(*arguments, **options), partial(rounded, self._dtype)
        return tuple(map(one, made)) if isinstance(made, tuple) else one(made)
