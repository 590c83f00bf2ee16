# SPDX-License-Identifier: MIT
"""Layers whose axes have names, on kernels: which arrays are used where they lie, in segments, and as sums.

An array that lacks axes of the rows is not written out along them, and its gradient is added up by the kernels. The
features of a row may be axes that lie apart, or that an array lacks some of. Where one cut makes each array one run of
segments, with entries one behind the other or one for each segment, kernels take these. Other arrays are written out
along the features, once for all rows that share them.
"""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..numpy.blocks import Scattered, SummedRows, Work
from ..protocol.axes import one_step
from ..protocol.calls import Array, DType, Shape
from ..protocol.directions import COMPUTED, FEATURE, ROW, ROW_SCALAR, Entry
from .places import SHORTEST

Function = Callable[[list[Any], list[Any], Work], Any]

PAGE = 1 << 12
LEAST_ROWS, MOST_ROWS = 8, 32
"""Rows of a run, where the whole of an axis is not one."""

LEAST_SEGMENT = 16
"""Entries of a segment at the least; for shorter ones a written out row is as fast."""


def arranged(
    chunks: Callable[[Shape], int],
    function: Function,
    values: Sequence[Any],
    reads: Sequence[Entry],
    targets: Sequence[Any],
    makes: Sequence[Entry],
    call: Work,
) -> list[Any]:
    """Call kernels on values and results as rows, and return the results; those that are targets are done.

    Results are written into `targets`, or into memory of their own if those are no rows. `reads` and `makes` are the
    kinds of both. `chunks(shape)` is the number of parts that threads would share.
    """
    runs, cut = Runs(), None
    if call.dtype in COMPUTED:
        runs = Runs.of(targets, call, chunks(call.shape))
        cut = _cut(values, targets, runs)
    rows = [_rows(value, cut, call.shape) if isinstance(value, Scattered) else value for value in values]
    sums = [
        _sums(target, runs, cut, call) if _is_summed(target, each, runs, cut) else None
        for target, each in zip(targets, makes, strict=True)
    ]
    made = [
        target if target is None or own is not None else _result(target, each, cut, call)
        for target, own, each in zip(targets, sums, makes, strict=True)
    ]
    function(
        [runs.split(value, each) for value, each in zip(rows, reads, strict=True)],
        [
            runs.split(value, each) if own is None else own.rows
            for value, own, each in zip(made, sums, makes, strict=True)
        ],
        call._replace(shape=runs.shape(call.shape)),
    )
    for place, (target, own) in enumerate(zip(targets, sums, strict=True)):
        if own is not None and not own.is_result:
            target.finish_from(runs.total(own.sums), _is_by_segment(target, cut))
        elif isinstance(target, Scattered) and _in_segments(target, cut):
            made[place] = target
    return made


def _rows(value: Scattered, cut: int | None, shape: Shape) -> Array:
    """Rows in segments where they lie, or in memory of their own. Rows that lie at one place are written once."""
    count = len(shape) - 1
    if _in_segments(value, cut):
        return _segments(value, cut or 0)
    once = tuple([slice(0, 1) if stride == 0 else slice(None) for stride in value.array.strides[:count]])
    kept = value.array[once]
    return np.broadcast_to(kept.reshape(*kept.shape[:count], -1), shape)


def _segments(rows: Scattered, cut: int) -> Array:
    """Rows with two axes of features, in the memory of their own array."""
    sizes = rows.array.shape[len(rows.rows) :]
    return rows.array.reshape(*rows.rows, prod(sizes[:cut]), prod(sizes[cut:]))


def _result(target: Any, each: Entry, cut: int | None, call: Work) -> Array:
    """An array that kernels write a result into."""
    if each.part == FEATURE:
        is_row = target.shape == call.shape[-1:] and target.flags.c_contiguous
        return target if is_row else np.empty(call.shape[-1:], target.dtype)
    if not isinstance(target, Scattered):
        return target  # type: ignore[no-any-return]
    if _in_segments(target, cut):
        return _segments(target, cut or 0)
    shape = call.shape if each.part == ROW else call.shape[:-1]
    return np.empty(shape, target.target.dtype if isinstance(target, SummedRows) else target.dtype)


# ---- sums over rows


class Runs(NamedTuple):
    """The axes of rows that results are summed `over`, by kernels in whole or in runs of the last of them.

    One call of kernels sums over the same axes for each result, the first that lacks some; others are summed later.
    """

    over: Shape = ()
    length: int | None = None

    @classmethod
    def of(cls, targets: Sequence[Any], call: Work, chunks: int) -> "Runs":
        """Return the runs for some results: short ones where whole axes would leave threads fewer than their chunks.

        So it is also where rows that are added up lie so far apart that each is alone in its page of memory.
        """
        over = next((each.summed_rows for each in targets if isinstance(each, SummedRows) and each.summed_rows), ())
        if not over:
            return cls()
        rows, last = call.shape[:-1], over[-1]
        is_enough = prod(rows) // prod([rows[axis] for axis in over]) >= chunks
        is_apart = chunks > 1 and last + 1 < len(rows) and call.shape[-1] * call.dtype.itemsize < PAGE
        if not is_enough or is_apart:
            length = max(each for each in range(1, MOST_ROWS + 1) if rows[last] % each == 0)
            if length >= LEAST_ROWS:
                return cls(over, length)
        return cls(over) if is_enough else cls()

    def shape(self, shape: Shape) -> Shape:
        """Return a shape whose last axis of those is one of runs and one of the rows in each."""
        if self.length is None:
            return shape
        last = self.over[-1]
        return (*shape[:last], shape[last] // self.length, self.length, *shape[last + 1 :])

    def split(self, value: Any, each: Entry) -> Any:
        """Return an array of rows with that axis in runs."""
        if self.length is None or value is None or each.part not in (ROW, ROW_SCALAR):
            return value
        return value.reshape(self.shape(value.shape))

    def sums(self, shape: Shape, target: SummedRows, dtype: DType, by_segment: bool) -> "Sums":
        """Return memory for the sums over rows of a shape, and over the entries of each segment if `by_segment`.

        It is that of the target where these are all of its sums, in its type.
        """
        sizes = self.shape(shape)
        lacks = self.over if self.length is None else (self.over[-1] + 1,)
        lacks = (*lacks, len(sizes) - 1) if by_segment else lacks
        kept = [1 if axis in lacks else size for axis, size in enumerate(sizes)]
        own = target.target
        is_all = self.length is None and (by_segment or not target.lacks_features)
        is_result = is_all and own.dtype == dtype and own.flags.c_contiguous
        sums = own.reshape(kept) if is_result else np.empty(kept, dtype)
        steps = [0 if axis in lacks else step for axis, step in enumerate(sums.strides)]
        return Sums(sums, np.lib.stride_tricks.as_strided(sums, sizes, steps), is_result)

    def total(self, sums: Array) -> Array:
        """Return the sums over all axes of the rows, from those that kernels made."""
        axes = self.over if self.length is None else (*self.over, self.over[-1] + 1)
        total: Array = np.add.reduce(sums, axis=axes, dtype=np.float64 if self.length else None)
        return total


class Sums(NamedTuple):
    """Sums of rows, and the same memory as a result of rows, which all lie where their sum is.

    It `is_result` if nothing is left to be done.
    """

    sums: Array
    rows: Array
    is_result: bool


def _is_summed(target: Any, each: Entry, runs: Runs, cut: int | None) -> bool:
    """Test whether kernels add up a result."""
    if not isinstance(target, SummedRows) or each.part != ROW or target.summed_rows != runs.over:
        return False
    return bool(runs.over) or _is_by_segment(target, cut)


def _sums(target: SummedRows, runs: Runs, cut: int | None, call: Work) -> Sums:
    if not _is_by_segment(target, cut):
        return runs.sums(call.shape, target, call.dtype, by_segment=False)
    segments = prod(target.split[:cut]), prod(target.split[cut:])
    return runs.sums((*call.shape[:-1], *segments), target, call.dtype, by_segment=True)


# ---- segments


def _cut(values: Sequence[Any], targets: Sequence[Any], runs: Runs) -> int | None:
    """Return how many axes of the features number segments, or None for rows without segments.

    The order of sums over segments depends on no stride: they are segments by the axes that a result lacks. Otherwise
    the cut is one by which most arrays can be used where they lie; kernels add up rows in one order for any.
    """
    for each in targets:
        if isinstance(each, SummedRows) and each.summed_rows == runs.over:
            first = len(each.split) - len(each.lacks_features)
            if first > 0 and _is_by_segment(each, first):
                return first
    arrays = [each for each in (*values, *targets) if isinstance(each, Scattered) and each.features > 1]
    best, most = None, 0
    for cut in range(1, max((each.features for each in arrays), default=0)):
        usable = sum(_in_segments(each, cut) for each in arrays)
        if usable > most and prod(_sizes(arrays[0])[cut:]) >= LEAST_SEGMENT:
            best, most = cut, usable
    return best


def _sizes(rows: Scattered) -> Shape:
    """The sizes of the axes of the features."""
    return rows.split if isinstance(rows, SummedRows) else rows.array.shape[len(rows.rows) :]


def _in_segments(rows: Scattered, cut: int | None) -> bool:
    """Test whether rows are segments of which each has one entry, or entries one behind the other."""
    if cut is None or isinstance(rows, SummedRows):
        return False
    array, count = rows.array, len(rows.rows)
    axes = list(zip(array.shape[count:], array.strides[count:], strict=True))
    within, between = one_step(axes[cut:]), one_step(axes[:cut])
    return within in (0, array.itemsize) and between is not None and array.dtype.kind not in "iub"


def _is_by_segment(rows: SummedRows, cut: int | None) -> bool:
    """Test whether sums over features are those over long segments: over the axes of the second part, and no other."""
    axes = range(cut or 0, len(rows.split))
    is_over_segments = cut is not None and rows.lacks_features == tuple(axes)
    return is_over_segments and prod([rows.split[axis] for axis in axes]) >= SHORTEST
