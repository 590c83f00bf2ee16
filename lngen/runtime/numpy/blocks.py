# SPDX-License-Identifier: MIT
"""Rows taken block by block or at once: the rows of a block, its thread, and the reading and writing of blocks.

No sum over rows depends on the number of threads.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from itertools import pairwise
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..protocol.calls import is_integer
from . import rows as _rows

Array = npt.NDArray[Any]
INTEGER = np.dtype(np.int64)
"""The type that integers are computed in."""

Block: TypeAlias = tuple[int, slice]
"""The number of the chunk that a block is in, and its rows."""


def partition(count: int, row_bytes: int, least_rows: int) -> tuple[int, list[list[Block]]]:
    """The rows of a block, and all blocks as (chunk, span), chunk by chunk.

    Neither depends on the thread count, so no sum does. Long rows have fewer chunks where each has sums of its own.
    """
    height = max(least_rows, _rows.BLOCK_BYTES // row_bytes)
    height -= height % _rows.ROWS_TOGETHER if height > _rows.ROWS_TOGETHER else 0
    if 0 < count <= height:
        return count, [[(0, slice(0, count))]]
    height = min(height, max(count, 1))
    spans = [slice(i, min(i + height, count)) for i in range(0, count, height)]
    fewer = _rows.CHUNKS if least_rows == 1 else min(_rows.CHUNKS, max(2, _rows.BLOCK_BYTES // row_bytes))
    together = max(1, -(-len(spans) // fewer))
    runs = [spans[i : i + together] for i in range(0, len(spans), together)]
    return height, [[(chunk, span) for span in run] for chunk, run in enumerate(runs)]


class Work(NamedTuple):
    """Properties that all rows of a call share: their shape, the compute type, and the number of threads."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    threads: int

    @property
    def features(self) -> int:
        """The entries of a row."""
        return self.shape[-1]


class ArrayFunction(NamedTuple):
    """Function that computes a direction on arrays of rows, and the memory that its results should have.

    `compute(values, results, work)` computes forward, `compute(arguments, fields, results, work)` another direction. It
    writes to the results, or returns others that are to be written there. One that `takes_runs` is passed parameters
    that are constant in runs as such.
    """

    compute: Callable[..., Sequence[Any] | None]
    empty: Callable[[tuple[int, ...], np.dtype[Any]], Array] = np.empty
    takes_runs: bool = False

    def fill(self, results: Sequence[Any], work: Work, *values: Sequence[Any]) -> None:
        """Compute the results into their arrays."""
        stored(results, self.compute(*values, results, work))


def each_block(
    block: Callable[..., Sequence[Any]],
    call: Work,
    rows: Sequence["Array | Scattered | None"] = (),
    row_scalars: Sequence[Any] = (),
    features: Sequence[Array | None] = (),
    into: Sequence["Array | Scattered | None"] = (),
    into_row_scalars: Sequence["Array | Scattered | None"] = (),
    *,
    buffers: int = 0,
    row_scalar_buffers: int = 0,
    feature_sums: int = 0,
    sums: int = 0,
) -> Sequence[Any]:
    """Take the rows block by block, each thread a share of them, and return the results and the sums over all rows.

    The arguments of `block` are, in this order: the rows and row scalars that it reads; parameters with a value per
    feature, which may be repeated for several rows; memory for the rows of each result `into`, and scratch, a tuple for
    each kind that is used: rows and row scalars. Few rows are taken at once where they lie, and NumPy makes the
    scratch. It returns the rows of each result, its row scalars, and the sums over its rows: `feature_sums` with
    a value per feature, then the others. What it did not write to the memory that it was given is copied there, by the
    caller where rows are taken at once.
    """
    shape, dtype, threads = call
    row_bytes = shape[-1] * dtype.itemsize
    count = prod(shape[:-1])
    if 0 < count * row_bytes <= _rows.FAST_PATH_BYTES and _are_ready(call, (*rows, *row_scalars, *into)):
        given = *rows, *[each if each is None else each[..., None] for each in row_scalars], *features, *into
        is_long = count > 1 and row_bytes >= _rows.LONG_ROW
        return _rows.with_small_buffer(block, *given) if is_long else block(*given)
    height, chunks = partition(count, row_bytes, 4 if feature_sums else 1)
    totals = [np.zeros((len(chunks), shape[-1]), dtype) for _ in range(feature_sums)]
    totals += [np.zeros(len(chunks), dtype) for _ in range(sums)]
    wide = [_rows.repeated(values) for values in features]
    wanted = (
        (buffers, shape[-1], dtype),
        (row_scalar_buffers, 1, dtype),
    )

    def work(share: list[list[Block]]) -> None:
        reads = [reader(array, call, height) for array in (*rows, *row_scalars)]
        writes = [writer(array, call, height) for array in into]
        keeps = [keep for _, keep, _ in writes] + [keeper(array, call) for array in into_row_scalars]
        places, are_there = [place for place, *_ in writes], all(is_there for *_, is_there in writes)
        scratch = [np.empty((number, height, width), kind) for number, width, kind in wanted if number]
        whole = [tuple(several) for several in scratch]
        nothing = (None,) * len(keeps)
        for run in share:
            for chunk, span in run:
                size = span.stop - span.start
                memory = [place(span) for place in places]
                parts = whole if size == height else [tuple(several[:, :size]) for several in scratch]
                made = block(*[read(span) for read in reads], *wide, *memory, *parts)
                there = (*memory, *nothing[len(memory) :]) if are_there else nothing
                for keep, own, value in zip(keeps, there, made, strict=False):
                    if value is not own:
                        keep(span, value)
                for slot, total in enumerate(totals, len(keeps)):
                    if made[slot] is not None:
                        total[chunk, ...] += made[slot]

    shares = [chunks[i::threads] for i in range(min(threads, len(chunks)))] if threads > 1 else [chunks]
    work_on = work if row_bytes < _rows.LONG_ROW else partial(_rows.with_small_buffer, work)
    if len(shares) == 1:
        work_on(shares[0])
    elif shares:
        with ThreadPoolExecutor(len(shares)) as pool:
            tasks = [pool.submit(copy_context().run, work_on, share) for share in shares]
        for task in tasks:
            task.result()
    return [*into, *into_row_scalars, *(np.add.reduce(total, axis=0) for total in totals)]


def stored(results: Sequence[Any], made: Sequence[Any] | None) -> None:
    """Write what a function returned into the results that it is not in yet; it may be None for one not wanted."""
    for result, value in zip(results, made or (), strict=False):
        if value is result or value is None:
            continue
        if result is not None and result.dtype == value.dtype:
            result[...] = value
        else:
            round_to(result, ..., value)


def or_zeros(value: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Return a value, or zeros to be read, which take no memory, for None."""
    return np.broadcast_to(dtype.type(0), shape) if value is None else value


# ---- reading and writing a block


def _are_ready(call: Work, arrays: Sequence["Array | Scattered | None"]) -> bool:
    """Test whether arrays are of the types that are computed in, without gaps."""
    for array in arrays:
        if array is None:
            continue
        if array.dtype is not call.dtype and array.dtype != _kind(array, call):
            return False
        if not isinstance(array, np.ndarray) or not array.flags.c_contiguous or not array.flags.aligned:
            return False
    return True


class Scattered:
    """The rows of an array that no single stride reaches, by their number; its last axis is a row."""

    def __init__(self, array: Array) -> None:
        self.array, self.dtype, self.rows = array, array.dtype, array.shape[:-1]

    def _index(self, span: slice) -> tuple[Array, ...]:
        return np.unravel_index(np.arange(span.start, span.stop), self.rows)

    def __getitem__(self, span: slice) -> Array:
        return self.array[self._index(span)]

    def __setitem__(self, span: slice, value: Array) -> None:
        self.array[self._index(span)] = value


def _is_a_row_scalar(array: Array | Scattered, call: Work) -> bool:
    """Test whether an array has a number per row, and no feature axis."""
    return not isinstance(array, Scattered) and array.ndim < len(call.shape)


def _scratch(array: Array | Scattered, call: Work, height: int, kind: np.dtype[Any]) -> Array:
    """Allocate memory for a block of an array in some type."""
    return np.empty((height, 1 if _is_a_row_scalar(array, call) else call.features), kind)


def _kind(array: Array | Scattered, call: Work) -> np.dtype[Any]:
    """The type that an array is computed in: integers are exact."""
    return INTEGER if is_integer(array.dtype) else call.dtype


def _as_rows(array: Array | Scattered, call: Work) -> tuple[Any, bool]:
    """An array as a list of rows, never copied, and whether blocks do as they are."""
    if isinstance(array, Scattered):
        return array, False
    ready = bool(array.dtype == _kind(array, call) and array.flags.aligned)
    row_scalars = _is_a_row_scalar(array, call)
    if array.flags.c_contiguous:
        return array.reshape(-1, 1 if row_scalars else array.shape[-1]), ready
    if row_scalars:
        array = array[..., np.newaxis]
    steps = [step for step in zip(array.shape[:-1], array.strides[:-1], strict=True) if step[0] != 1]
    if array.size and any(a[1] != b[1] * b[0] for a, b in pairwise(steps)):
        return Scattered(array), False
    width = array.shape[-1]
    listed = array.reshape(-1, width)
    plain = width == 1 or array.strides[-1] == array.itemsize
    # A product of rows that lie backwards or in one place is added up in another order.
    apart = len(listed) < 2 or listed.strides[0] >= width * array.itemsize
    return listed, plain and apart and ready


def reader(array: Array | Scattered | None, call: Work, height: int) -> Callable[[slice], Array | None]:
    """Return a function that reads a block of rows in the compute type, and integers in that of 64 bits.

    It returns a view where the array has this type, else a copy of the block. For an absent array it returns None.
    """
    if array is None:
        return lambda span: None
    listed, direct = _as_rows(array, call)
    if direct:
        return listed.__getitem__  # type: ignore[no-any-return]
    scratch = _scratch(array, call, height, _kind(array, call))

    def read(span: slice) -> Array:
        copy = scratch[: span.stop - span.start]
        copy[...] = listed[span]
        return copy

    return read


def writer(
    array: Array | Scattered | None, call: Work, height: int
) -> tuple[Callable[[slice], Array | None], Callable[[slice, Any], None], bool]:
    """Return a function that gives the memory for a block of a result, one that stores the block, and if it is there.

    The memory is the result's own where it has the compute type.
    """
    keep = keeper(array, call)
    if array is None:
        return (lambda span: None), keep, True
    listed, direct = _as_rows(array, call)
    if direct:
        return listed.__getitem__, keep, True
    scratch = _scratch(array, call, height, call.dtype)  # also of an integer, to which a cast rounds it
    return (lambda span: scratch[: span.stop - span.start]), keep, False


def keeper(array: Array | Scattered | None, call: Work) -> Callable[[slice, Any], None]:
    """Return a function that stores a block of a result; nothing where there is no result."""
    if array is None:
        return lambda span, value: None
    listed, _ = _as_rows(array, call)
    is_row_scalar = _is_a_row_scalar(array, call)
    if is_row_scalar and isinstance(listed, np.ndarray):
        listed, is_row_scalar = listed[:, 0], False
    keep = listed.__setitem__ if array.dtype == call.dtype else partial(round_to, listed)
    return (lambda span, value: keep(span, value[:, None])) if is_row_scalar else keep


def round_to(result: Any, where: Any, value: Any) -> None:
    """Write a value in a result's own type, in which one that is too small is 0; nothing where there is no result."""
    if result is None:
        return
    with np.errstate(under="ignore"):
        result[where] = value
