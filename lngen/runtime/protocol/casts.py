# SPDX-License-Identifier: MIT
"""Types that an output may be cast to: the values of each, and NumPy's type for it."""

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np  # which takes longer to import than a definition to read


class Target(NamedTuple):
    """A type of outputs: its size in bytes, and its smallest and largest finite values.

    A float has so many `digits` of its significand in base 2, the first one included, and `exponent` is that of its
    smallest normal number. An integer has no digits.
    """

    itemsize: int
    lowest: float
    highest: float
    digits: int = 0
    exponent: int = 0


def _float(itemsize: int, highest: float, digits: int, exponent: int) -> Target:
    return Target(itemsize, -highest, highest, digits, exponent)


TARGETS = {
    "float8_e4m3fn": _float(1, 448.0, 4, -6),
    "float8_e5m2": _float(1, 57344.0, 3, -14),
    "int8": Target(1, -128.0, 127.0),
    "uint8": Target(1, 0.0, 255.0),
    "float16": _float(2, 65504.0, 11, -14),
    "bfloat16": _float(2, (2 - 2.0**-7) * 2.0**127, 8, -126),
    "float32": _float(4, (2 - 2.0**-23) * 2.0**127, 24, -126),
}
"""The types by their names in a definition, which are those of NumPy and of ml_dtypes."""

_FROM_ML_DTYPES = ("float8_e4m3fn", "float8_e5m2", "bfloat16")


def itemsize(name: str) -> int:
    """Return the bytes of a value of a type."""
    return TARGETS[name].itemsize


def dtype(name: str, output: str = "an output") -> "np.dtype[Any]":
    """Return NumPy's type of a name. Raises ImportError if it comes from ml_dtypes, which is not installed."""
    import numpy as np

    if name not in _FROM_ML_DTYPES:
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError as error:
        problem = f"{output} is of type {name}, which NumPy has from ml_dtypes: pip install ml_dtypes"
        raise ImportError(problem) from error
    found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return found
