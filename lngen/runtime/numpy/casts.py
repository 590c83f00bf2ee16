# SPDX-License-Identifier: MIT
"""Outputs rounded to a type: to the nearest value, of two equally near ones to the even one, and saturated."""

from typing import Any

import numpy as np

from ..protocol.casts import TARGETS, dtype


def cast(values: Any, name: str) -> Any:
    """Return values in the type of a name.

    A larger value than its largest finite one, infinity too, becomes that one. NaN stays NaN, and is 0 in an
    integer type. Raises ImportError if the type comes from ml_dtypes, which is not installed.

    >>> cast(np.array([2.5, -1e9, np.nan]), "int8")
    array([   2, -128,    0], dtype=int8)
    """
    target = TARGETS[name]
    with np.errstate(all="ignore"):
        inside = np.clip(values, target.lowest, target.highest)
        if not target.digits:
            rounded = np.rint(inside)
            return np.where(np.isnan(rounded), 0, rounded).astype(name)
        if inside.dtype.itemsize > 4 and target.itemsize < 4:
            # By way of float32 it would be rounded twice.
            inside = _on_grid(inside, target.digits, target.exponent)
        return inside.astype(dtype(name))


def _on_grid(values: Any, digits: int, least: int) -> Any:
    """The nearest numbers of so many digits whose exponents are at least `least`, in the type of the values."""
    exponent = np.maximum(np.frexp(values)[1] - 1, least) + (1 - digits)
    return np.ldexp(np.rint(np.ldexp(values, -exponent)), exponent)
