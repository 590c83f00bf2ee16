# SPDX-License-Identifier: MIT
"""Rows taken block by block: which rows a block has, how it is read and written, and sums in it and over all blocks.

No bit of a row depends on the other rows of its block, and no sum over rows on the number of threads.
"""

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache
from itertools import pairwise
from math import prod
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Block: TypeAlias = tuple[int, slice]
"""The number of the chunk that a block is in, and its rows."""

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
"""How many runs of blocks the rows are cut into, whatever the thread count."""

FEW_BYTES = 128 * 1024
"""The size up to which rows are taken at once, not block by block."""

ROWS_TOGETHER = 64
"""A block has a multiple of so many rows, where it has more."""

SHORT_ROW = 4096
"""The entries that a loop over features should have; shorter rows share one."""

PIECE = 1024
"""The entries of a row that are summed together; a longer row is summed in pieces."""

LONG_ROW = 2048
"""The bytes of a row from which a small ufunc buffer pays."""

UFUNC_BUFFER = 256
"""That buffer, in elements: NumPy expands broadcast operands into a larger one."""

COMPUTED = (np.dtype(np.float32), np.dtype(np.float64))
"""The types that rows are taken at once in."""


# ---- which rows a block has, and who works on it


def partition(rows: int, row_bytes: int, least_rows: int) -> tuple[int, list[list[Block]]]:
    """The rows of a block, and all blocks as (chunk, span), chunk by chunk.

    Neither depends on the thread count, so no sum does. Long rows have fewer chunks where each has sums of its own.
    """
    height = max(least_rows, BLOCK_BYTES // row_bytes)
    height -= height % ROWS_TOGETHER if height > ROWS_TOGETHER else 0
    height = min(height, max(rows, 1))
    spans = [slice(i, min(i + height, rows)) for i in range(0, rows, height)]
    fewer = CHUNKS if least_rows == 1 else min(CHUNKS, max(2, BLOCK_BYTES // row_bytes))
    together = max(1, -(-len(spans) // fewer))
    runs = [spans[i : i + together] for i in range(0, len(spans), together)]
    return height, [[(chunk, span) for span in run] for chunk, run in enumerate(runs)]


def run(sweep: Callable[[list[Block]], None], chunks: list[list[Block]], threads: int, row_bytes: int) -> None:
    """Sweep all chunks, each thread a share of them with scratch buffers of its own."""

    def work(share: list[list[Block]]) -> None:
        blocks = [block for chunk in share for block in chunk]
        if row_bytes < LONG_ROW:
            sweep(blocks)
        else:
            _with_small_buffer(sweep, blocks)

    shares = [chunks[i::threads] for i in range(min(threads, len(chunks)))]
    if len(shares) == 1:
        work(shares[0])
    elif shares:
        with ThreadPoolExecutor(len(shares)) as pool:
            tasks = [pool.submit(copy_context().run, work, share) for share in shares]
        for task in tasks:
            task.result()


def are_few(rows: Array, minimum_features: int) -> bool:
    """Whether they are few rows in an array of a type to compute in, without gaps."""
    return (
        type(rows) is np.ndarray
        and 0 < rows.nbytes <= FEW_BYTES
        and rows.dtype in COMPUTED
        and rows.ndim > 0
        and rows.shape[-1] >= minimum_features
        and rows.flags.c_contiguous
    )


def at_once(small: Callable[..., Result], *arguments: Any) -> Result:
    """Call what takes few rows, its last arguments their shape and type; with a small ufunc buffer where several are
    long.
    """
    shape, dtype = arguments[-2:]
    if shape[-1] * dtype.itemsize < LONG_ROW or prod(shape[:-1]) == 1:
        return small(*arguments)
    return _with_small_buffer(small, *arguments)


def _with_small_buffer(function: Callable[..., Result], *arguments: Any) -> Result:
    with np.errstate():  # puts the buffer size back too
        np.setbufsize(UFUNC_BUFFER)
        return function(*arguments)


# ---- reading and writing a block


class _Scattered:
    """The rows of an array that no single stride reaches, by their number."""

    def __init__(self, array: Array) -> None:
        self.array = array

    def _index(self, span: slice) -> tuple[Array, ...]:
        return np.unravel_index(np.arange(span.start, span.stop), self.array.shape[:-1])

    def __getitem__(self, span: slice) -> Array:
        return self.array[self._index(span)]

    def __setitem__(self, span: slice, value: Array) -> None:
        self.array[self._index(span)] = value


def _as_rows(array: Array, dtype: np.dtype[Any], row_scalars: bool) -> tuple[Any, bool]:
    """An array as a list of rows, never copied, and whether blocks do as they are."""
    ready = bool(array.dtype == dtype and array.flags.aligned)
    if array.flags.c_contiguous:
        return array.reshape(-1, 1 if row_scalars else array.shape[-1]), ready
    if row_scalars:
        array = array[..., np.newaxis]
    steps = [step for step in zip(array.shape[:-1], array.strides[:-1], strict=True) if step[0] != 1]
    if array.size and any(a[1] != b[1] * b[0] for a, b in pairwise(steps)):
        return _Scattered(array), False
    width = array.shape[-1]
    rows = array.reshape(-1, width)
    plain = width == 1 or array.strides[-1] == array.itemsize
    # A product of rows that lie backwards or in one place is added up in another order.
    apart = len(rows) < 2 or rows.strides[0] >= width * array.itemsize
    return rows, plain and apart and ready


def reader(
    array: Array | None, dtype: np.dtype[Any], height: int, row_scalars: bool = False
) -> Callable[[slice], Array | None]:
    """What reads a block of rows in the compute type: views where the array has it.

    Other arrays are copied block by block. Of one that is not there it reads None.
    """
    if array is None:
        return lambda span: None
    rows, direct = _as_rows(array, dtype, row_scalars)
    if direct:
        return rows.__getitem__  # type: ignore[no-any-return]
    scratch = np.empty((height, 1 if row_scalars else array.shape[-1]), dtype)

    def read(span: slice) -> Array:
        copy = scratch[: span.stop - span.start]
        copy[...] = rows[span]
        return copy

    return read


def writer(
    arrays: Iterable[Array | None], dtype: np.dtype[Any], height: int, row_scalars: bool = False
) -> tuple[Callable[[slice], Array | None], Callable[[slice], None]]:
    """What gives the place to compute a block of a result in, and what hands it on.

    The place is the result's own memory where that has the compute type. Of several arrays that hold the same result,
    those after the first are copied to.
    """
    distinct = list({id(a): a for a in arrays if a is not None}.values())
    if not distinct:
        return (lambda span: None), (lambda span: None)
    rows = [_as_rows(array, dtype, row_scalars) for array in distinct]
    first, direct = rows[0]
    others = [other for other, _ in (rows[1:] if direct else rows)]
    if direct and not others:
        return first.__getitem__, (lambda span: None)
    width = 1 if row_scalars else distinct[0].shape[-1]
    scratch = first if direct else np.empty((height, width), dtype)

    def place(span: slice) -> Array:
        return first[span] if direct else scratch[: span.stop - span.start]

    def hand_on(span: slice) -> None:
        computed = place(span)
        for other in others:
            round_to(other, span, computed)

    return place, hand_on


def round_to(result: Any, where: Any, value: Any) -> None:
    """Write a value in a result's own type, in which one that is too small is 0."""
    with np.errstate(under="ignore"):
        result[where] = value


# ---- sums and means over features


def row_sum(a: Array, b: Array, out: Array) -> Array:
    """The sum of a*b over each row, with no buffer for the products."""
    vecdot = np.vecdot if a.shape[-1] <= 2 * PIECE else vecdot_in_pieces
    vecdot(a, b, out=out[..., 0])
    return out


def vecdot_in_pieces(a: Array, b: Array, out: Array | None = None) -> Array:
    """np.vecdot of long rows, summed in pieces, and the pieces in pairs.

    Running sums over all of a row would lose digits.
    """
    left = a.shape[-1] % PIECE
    end = None
    if left:
        end = np.vecdot(a[..., -left:], b[..., -left:])
        a, b = a[..., :-left], b[..., :-left]
    pieces = np.vecdot(a.reshape(*a.shape[:-1], -1, PIECE), b.reshape(*b.shape[:-1], -1, PIECE))
    total = np.add.reduce(pieces, axis=-1, out=out)
    if end is not None:
        total += end
    return total


def row_mean(a: Array, b: Array, D: Array, out: Array) -> Array:
    """The mean of a*b over each row."""
    return np.divide(row_sum(a, b, out), D, out=out)


@lru_cache(maxsize=8)
def equal_weights(count: int, weight: float, dtype: np.dtype[Any]) -> Array:
    """A weight for each of `count` entries; what was made last is kept."""
    weights = np.full(count, weight, dtype)
    weights.flags.writeable = False
    return weights


def residual(
    shifted: Array,
    mean: Array,
    spread: Array,
    divisor: Any,
    far_from: Array,
    one_over_D: Array,
    out: Array | None = None,
) -> Array:
    """The mean that rounding has left in a row, where it may matter; elsewhere 0.

    That is where the mean lay more than so many deviations from zero: `far_from` times the root of `spread`, the sum of
    the squares of `shifted` over `divisor`. There it is taken off `shifted`, and `spread` is put right.
    """
    out = np.sqrt(spread, out=out)
    far = np.greater(np.absolute(mean), np.multiply(out, far_from, out=out))
    out.fill(0.0)
    if np.count_nonzero(far):
        these: Any = ... if far.all() else far[..., 0]
        rows = shifted[these]  # of all rows they are themselves, of some a copy
        left = row_sum(rows, one_over_D, out=np.empty_like(spread[these]))
        np.subtract(rows, left, out=rows)
        out[these] = left
        spread[these] = row_sum(rows, rows, out=left) / divisor
        if these is not ...:
            shifted[these] = rows
    return out


def less_residual(shifted: Array, left: Array) -> Array:
    """The rows less what rounding has left of their mean, which is 0 for most."""
    if np.count_nonzero(left):
        np.subtract(shifted, left, out=shifted)
    return shifted


# ---- sums over rows


def sum_of_rows(weights: Array, block: Array, out: Array | None = None) -> Array:
    """The sum of the rows of a block, each times its weight."""
    if len(block) == 1:
        # A product of one row is slow in matmul, and 0 * infinity is 0 in dot.
        out = np.multiply(weights, block[0], out=out)
        return np.add(out, 0.0, out=out)  # no sum is -0
    if out is None:
        return weights.dot(block)  # type: ignore[no-any-return]  # sooner there than matmul
    return np.matmul(weights, block, out=out)


def add_rows(block: Array, weights: Array, sums: Array, column: Array) -> None:
    """Add the rows of a block, each times its weight, to running sums."""
    sum_of_rows(weights[: len(block), 0], block, out=column)
    np.add(sums, column, out=sums)


# ---- ufuncs on a block


def by_row(ufunc: np.ufunc, block: Array, values: Array, out: Array) -> Array:
    """A ufunc of rows and one value a row, written to memory that is neither's.

    Short rows are filled with their values first: that, and a ufunc of two full blocks, takes less time than a loop for
    each row.
    """
    if block.shape[-1] * block.itemsize < LONG_ROW:
        np.copyto(out, values)
        values = out
    return ufunc(block, values, out=out)  # type: ignore[no-any-return]


def repeated(values: Array) -> Array:
    """One value a feature, repeated for several rows where they are short."""
    together = SHORT_ROW // len(values)
    if together < 2:
        return values
    together = 1 << min(together, ROWS_TOGETHER).bit_length() - 1
    wide = np.empty((together, len(values)), values.dtype)
    wide[...] = values
    return wide.reshape(-1)


def by_feature(ufunc: np.ufunc, block: Array, wide: Array, out: Array) -> Array:
    """A ufunc of rows and one value a feature, on as many rows as `wide` is for."""
    features = block.shape[-1]
    if wide.size == features:
        return ufunc(block, wide, out=out)  # type: ignore[no-any-return]
    plain = block.flags.c_contiguous and out.flags.c_contiguous
    if block.size % wide.size or not plain:
        return ufunc(block, wide[:features], out=out)  # type: ignore[no-any-return]
    ufunc(block.reshape(-1, wide.size), wide, out=out.reshape(-1, wide.size))
    return out


def filled(value: Any, out: Array) -> Array:
    """A value that does not vary, written out."""
    out[...] = value
    return out


def select(condition: Any, chosen: Any, otherwise: Any, out: Array) -> Array:
    """`chosen` where the condition holds; only `otherwise` may be `out` itself."""
    if otherwise is not out:
        np.copyto(out, otherwise)
    np.copyto(out, chosen, where=condition)
    return out


def attains_first(entries: Array, extreme: Array, out: Array | None = None) -> Array:
    """1 at the first entry of each row that is nearest to its extreme, 0 elsewhere."""
    with np.errstate(invalid="ignore"):  # an infinite extreme minus itself: argmin finds it
        gap = np.subtract(entries, extreme, out=out)
    place = np.argmin(np.absolute(gap, out=gap), axis=-1, keepdims=True)
    gap[...] = 0.0
    np.put_along_axis(gap, place, 1.0, axis=-1)
    return gap
