"""Reference of casts: values of a type by their bits, and what inputs round to, with ml_dtypes and integers alone."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np

from lngen.runtime.protocol.casts import TARGETS

FLOATS = tuple(name for name, target in TARGETS.items() if target.digits)
INTEGERS = tuple(name for name in TARGETS if name not in FLOATS)

Array = Any


def dtype(name: str) -> np.dtype[Any]:
    """NumPy's type of a name."""
    return np.dtype(getattr(ml_dtypes, name, name))


def in_type(values: Array, kind: Any) -> Array:
    """Values in another type, signalling NaN among them."""
    with np.errstate(invalid="ignore"):
        return values.astype(kind)


def every(name: str, kind: Any) -> Array:
    """Every value of a 16-bit type, all 65,536 of them, in a wider type."""
    return in_type(np.arange(2**16, dtype=np.uint16).view(dtype(name)), kind)


def expected(values: Array, name: str) -> Array:
    """Round values that float32 holds exactly: by ml_dtypes within the range, and saturated."""
    wide = in_type(values, np.float64)
    if name in INTEGERS:
        lowest, highest = TARGETS[name][1:3]
        found = [0 if v != v else round(min(max(v, lowest), highest)) for v in wide.ravel().tolist()]
        return np.array(found, name).reshape(values.shape)
    largest = float(ml_dtypes.finfo(dtype(name)).max)
    return in_type(in_type(np.clip(wide, -largest, largest), np.float32), dtype(name))


def neighbours(name: str) -> tuple[Array, Array, Array]:
    """Pairs of finite neighbours, low and high, of the types with at most 16 bits, and the one that a tie goes to."""
    if name in INTEGERS:
        low = np.arange(TARGETS[name].lowest, TARGETS[name].highest)
        return low, low + 1, np.where(low % 2 == 0, low, low + 1)
    bits = np.arange(2 ** (8 * TARGETS[name].itemsize - 1), dtype=f"u{TARGETS[name].itemsize}")
    values = in_type(bits.view(dtype(name)), np.float64)
    finite = values[np.isfinite(values)]
    low, high = finite[:-1], finite[1:]
    even = np.where(np.arange(len(low)) % 2 == 0, low, high)
    return np.concatenate([low, -high]), np.concatenate([high, -low]), np.concatenate([even, -even])


def ties(name: str, kind: Any) -> tuple[Array, Array]:
    """Ties of a type in a wider one, and their nearest neighbours there on both sides, with what they round to."""
    low, high, even = (values.astype(kind) for values in neighbours(name))
    middle = low + (high - low) / 2
    some = (values[:99].astype(float).tolist() for values in (middle, low, high))
    assert all(2 * Fraction(m) == Fraction(a) + Fraction(b) for m, a, b in zip(*some, strict=True))
    below, above = np.nextafter(middle, -np.inf, dtype=kind), np.nextafter(middle, np.inf, dtype=kind)
    return np.concatenate([middle, below, above]), np.concatenate([even, low, high])


def same(found: Array, wanted: Array) -> bool:
    """Test whether arrays have the same values bit by bit, where every NaN is one."""
    nan = np.isnan(in_type(wanted, np.float64))
    bits = f"u{wanted.dtype.itemsize}"
    return (
        found.dtype == wanted.dtype
        and np.array_equal(np.isnan(in_type(found, np.float64)), nan)
        and np.array_equal(found.view(bits)[~nan], wanted.view(bits)[~nan])
    )
