# SPDX-License-Identifier: MIT
"""Sums over features and over rows, and ufuncs, on a block of rows or on few rows at once, whose memory NumPy makes.

The bits of a row do not depend on the other rows.
"""

import os
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Result = TypeVar("Result")


def _second_level_cache() -> int:
    """The size of a core's second-level cache; 1 MiB where the system does not tell."""
    try:
        return os.sysconf("SC_LEVEL2_CACHE_SIZE") or 2**20
    except (AttributeError, ValueError, OSError):
        return 2**20


BLOCK_BYTES = min(max(_second_level_cache() // 2, 384 * 1024), 1024 * 1024)
"""The size of a block of rows: it and its scratch buffers stay in the cache."""

CHUNKS = 16
"""Number of runs of blocks, whatever the thread count."""

FAST_PATH_BYTES = 128 * 1024
"""The size up to which rows are taken at once, not block by block."""

ROWS_TOGETHER = 64
"""A block has a multiple of so many rows, where it has more."""

SHORT_ROW = 4096
"""The entries that a loop over features should have; shorter rows share one."""

PIECE = 1024
"""The entries that are summed together of a row that is summed in pieces."""

WHOLE_ROW = 2 * PIECE
"""The entries of the longest row that is summed in one piece."""

LONG_ROW = 2048
"""The bytes of a row from which a small ufunc buffer pays."""

UFUNC_BUFFER = 256
"""Size of a small ufunc buffer, in elements: NumPy expands broadcast operands into a larger one."""


# ---- how rows are taken


def with_small_buffer(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call a function in which NumPy expands broadcast operands into a small buffer."""
    with np.errstate():  # puts the buffer size back too
        np.setbufsize(UFUNC_BUFFER)
        return function(*arguments)


# ---- sums and means over features


def row_dot(a: Array, b: Array) -> Array:
    """The sum of a*b over each row, with no buffer for the products."""
    vecdot: Any = np.vecdot if a.shape[-1] <= WHOLE_ROW else vecdot_in_pieces
    return vecdot(a, b, keepdims=True)  # type: ignore[no-any-return]


def vecdot_in_pieces(a: Array, b: Array, keepdims: Any = False) -> Array:
    """np.vecdot of long rows, summed in pieces, and the pieces in pairs.

    Running sums over all of a row would lose digits.
    """
    vecdot: Any = np.vecdot
    left = a.shape[-1] % PIECE
    end = None
    if left:
        end = vecdot(a[..., -left:], b[..., -left:], keepdims=keepdims)
        a, b = a[..., :-left], b[..., :-left]
    pieces = np.vecdot(a.reshape(*a.shape[:-1], -1, PIECE), b.reshape(*b.shape[:-1], -1, PIECE))
    total: Array = np.add.reduce(pieces, axis=-1, keepdims=keepdims)
    if end is not None:
        total += end
    return total


@lru_cache(maxsize=8)
def equal_weights(count: int, weight: float, dtype: np.dtype[Any]) -> Array:
    """Return a weight for each of `count` entries; recent results are cached."""
    weights = np.full(count, weight, dtype)
    weights.flags.writeable = False
    return weights


@lru_cache(maxsize=32)
def number(value: float, dtype: np.dtype[Any]) -> Array:
    """Return a number as a 0-d array, which is faster in a ufunc than a Python number; recent results are cached."""
    made = np.asarray(value, dtype)
    made.flags.writeable = False
    return made


def residual(shifted: Array, mean: Array, spread: Array, divisor: Any, far_from: Array, one_over_D: Array) -> Array:
    """The mean that rounding has left in a row, where it may matter; elsewhere 0.

    That is where the mean lay more than so many deviations from zero: `far_from` times the root of `spread`, the sum of
    the squares of `shifted` over `divisor`. There it is taken off `shifted`, and `spread` is put right.
    """
    out: Array = np.sqrt(spread)
    far = np.absolute(mean) > np.multiply(out, far_from, out)
    out.fill(0.0)
    if np.count_nonzero(far):
        these: Any = ... if far.all() else far[..., 0]
        rows = shifted[these]  # of all rows they are themselves, of some a copy
        left = row_dot(rows, one_over_D)
        np.subtract(rows, left, out=rows)
        out[these] = left
        spread[these] = row_dot(rows, rows) / divisor
        if these is not ...:
            shifted[these] = rows
    return out


def less_residual(shifted: Array, left: Array) -> Array:
    """Subtract the residual of the mean from the rows, in place; it is 0 for most."""
    if np.count_nonzero(left):
        np.subtract(shifted, left, out=shifted)
    return shifted


def entry(block: Array, places: Any) -> Array:
    """The entry of each row at a place, and 0 where the row has no such place.

    >>> entry(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1], [-1]])).tolist()
    [[2.0], [0.0]]
    """
    wanted = np.broadcast_to(np.asarray(places, np.int64), (*block.shape[:-1], 1))
    there = (wanted >= 0) & (wanted < block.shape[-1])
    found: Array = np.take_along_axis(block, np.where(there, wanted, 0), axis=-1)
    found[~there] = 0
    return found


# ---- sums over rows


def sum_of_rows(weights: Array, block: Array) -> Array:
    """The sum of the rows of a block, each times its weight."""
    if len(block) > 1:
        return weights.dot(block)  # type: ignore[no-any-return]  # faster here than matmul
    # A product of one row is slow in matmul, and 0 * infinity is 0 in dot.
    out: Array = np.multiply(weights, block[0])
    return np.add(out, 0.0, out=out)  # no sum is -0


def sum_rows(block: Array, weights: Array | None = None) -> Array:
    """The sum of rows, each times its weight if it has one; rows may have any number of axes."""
    rows = block.reshape(-1, block.shape[-1])
    if weights is None:
        return sum_of_rows(equal_weights(len(rows), 1.0, rows.dtype), rows)
    return sum_of_rows(weights.reshape(-1), rows)


# ---- ufuncs on a block


def by_row(ufunc: np.ufunc, block: Array, values: Array, out: Array | None) -> Array:
    """A ufunc of rows and one value per row, written to memory that is neither's, if there is any.

    Short rows are filled with their values first: that, and a ufunc of two full blocks, takes less time than a loop for
    each row.
    """
    if out is None:
        return ufunc(block, values)  # type: ignore[no-any-return]
    if block.shape[-1] * block.itemsize < LONG_ROW:
        np.copyto(out, values)
        values = out
    return ufunc(block, values, out=out)  # type: ignore[no-any-return]


def repeated(values: Any) -> Any:
    """Repeat one value per feature for several rows if they are short; a number or None stays as it is."""
    if not isinstance(values, np.ndarray):
        return values
    together = SHORT_ROW // len(values)
    if together < 2:
        return values
    together = 1 << min(together, ROWS_TOGETHER).bit_length() - 1
    wide = np.empty((together, len(values)), values.dtype)
    wide[...] = values
    return wide.reshape(-1)


def by_feature(ufunc: np.ufunc, block: Array, wide: Array, out: Array | None) -> Array:
    """A ufunc of rows and one value per feature, on as many rows as `wide` is for."""
    if out is None:
        return ufunc(block, wide)  # type: ignore[no-any-return]
    features = block.shape[-1]
    if wide.size == features:
        return ufunc(block, wide, out=out)  # type: ignore[no-any-return]
    plain = block.flags.c_contiguous and out.flags.c_contiguous
    if block.size % wide.size or not plain:
        return ufunc(block, wide[:features], out=out)  # type: ignore[no-any-return]
    ufunc(block.reshape(-1, wide.size), wide, out=out.reshape(-1, wide.size))
    return out


def memory(own: Array | None, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """Memory that is given, or else new memory."""
    return np.empty(shape, dtype) if own is None else own


def filled(value: Any, own: Array | None, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """A value written out in memory that is given, or else in new memory."""
    out = memory(own, shape, dtype)
    out[...] = value
    return out


def select(condition: Any, chosen: Any, otherwise: Any, out: Array) -> Array:
    """`chosen` where the condition holds; either value may be `out` itself.

    >>> row = np.array([1.0, 2.0])
    >>> select(row > 1, row, 0.0, out=row)
    array([0., 2.])
    """
    there, where = (otherwise, ~condition) if chosen is out else (chosen, condition)
    if chosen is not out and otherwise is not out:
        np.copyto(out, otherwise)
    np.copyto(out, there, where=where)
    return out


def shift(block: Array) -> Array:
    """Shift of each row's exponents: its largest entry, and 0 where that is infinite.

    >>> shift(np.array([[1.0, 3.0], [1.0, np.inf], [-np.inf, -np.inf]])).T
    array([[3., 0., 0.]])
    """
    largest: Array = np.maximum.reduce(block, axis=-1, keepdims=True)
    infinite = np.isinf(largest)
    if np.count_nonzero(infinite):
        np.copyto(largest, 0, where=infinite)
    return largest


def attains_first(entries: Array, extreme: Array, out: Array | None = None) -> Array:
    """1 at the first entry of each row that is nearest to its extreme, 0 elsewhere."""
    with np.errstate(invalid="ignore"):  # an infinite extreme minus itself: argmin finds it
        gap = np.subtract(entries, extreme, out=out)
    place = np.argmin(np.absolute(gap, out=gap), axis=-1, keepdims=True)
    gap[...] = 0.0
    np.put_along_axis(gap, place, 1.0, axis=-1)
    return gap
