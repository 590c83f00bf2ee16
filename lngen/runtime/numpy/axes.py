# SPDX-License-Identifier: MIT
"""Layers whose axes have names, on NumPy: arrays are arranged as rows, and gradients of rows are summed.

The mathematics of such a layer is that of one whose arrays are rows.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import isqrt, prod
from typing import Any

import numpy as np

from ..protocol.axes import Arranged, Arrangement, Sizes
from ..protocol.calls import COMPUTED, Array, Shape, is_integer
from ..protocol.interface import Interface
from .blocks import ArrayFunction, Work, round_to

_TOGETHER = 32
"""Entries that lie apart and are added one by one, if there are few."""


class NamedAxes:
    """The axes of a layer's arrays by name, and how its values lie beside rows."""

    def __init__(self, interface: Interface) -> None:
        self.arrangement, self.minimum_features = Arrangement(interface), interface["minimum_features"]
        self.names = [each["name"] for each in interface["inputs"]]

    def sizes(self, values: Sequence[Any], given: Sequence[Any] = ()) -> Sizes:
        """Return the sizes of axes from the inputs; `given` are the sizes that are arguments.

        Raises TypeError or ValueError for a wrong shape or size.
        """
        of, pairs = self.arrangement, zip(self.names, values, strict=True)
        shapes = {name: value.shape for name, value in pairs if name in of.patterns and value is not None}
        return of.sizes(shapes, dict(zip(of.sizes_given, given, strict=True)))

    def row_shape(self, sizes: Sizes) -> Shape:
        """Return the shape of the rows. Raises ValueError if a row has too few entries."""
        shape = self.arrangement.row_shape(sizes)
        if shape[-1] < self.minimum_features:
            row = " ".join(self.arrangement.features)
            raise ValueError(f"a row ({row}) has {shape[-1]} entries; pass {self.minimum_features} or more")
        return shape

    def flat(self, sizes: Sizes) -> Shape:
        """Return the sizes of the axes of the rows, one a name, as `Saved` has them."""
        return self.arrangement.flat(sizes)

    def sizes_of(self, flat: Sequence[int]) -> Sizes:
        """Return the sizes of axes from those of the rows."""
        return self.arrangement.sizes_of(flat)

    def shape(self, name: str, sizes: Sizes) -> Shape:
        """Return the shape of an input or an output."""
        return self.arrangement.shape(self.arrangement.patterns[name], sizes)

    def arranged(self, by: ArrayFunction, sizes: Sizes, work: Work) -> "ArrangedArrays":
        """Return what makes rows of arrays of these sizes, for a function of rows."""
        return ArrangedArrays(self.arrangement, by, sizes, work)


class ArrangedArrays:
    """Arrays of a call as rows of its `work`, which a function of rows is passed.

    One that `takes_runs` is passed rows that are constant in runs with an axis of these, and one of their entries,
    which are one; so are their gradients, to which the entries add. Arrays go by the `name` of the input or output
    whose axes they have. Of one that is taken in parts, `part` is the number of one.
    """

    def __init__(self, arrangement: Arrangement, by: ArrayFunction, sizes: Sizes, work: Work) -> None:
        self.arrangement, self.empty, self.sizes, self.work = arrangement, by.empty, sizes, work
        self.numbering = arrangement.numbering(sizes) if by.takes_runs and work.dtype in COMPUTED else None

    def rows(self, name: str, value: Any, part: int | None = None) -> Any:
        """Return the rows, or row scalars, of an array; None stays None."""
        if value is None:
            return None
        value, how = self._arranged(name, value, part)
        if not how.lacks and how.features:
            own = value.reshape(how.split).transpose(how.order)
            return own.reshape(self.work.shape) if _is_in_rows(own, len(how.rows)) else self._copied(own)
        if not self._has_runs(how, value):
            return written_out(value, how)
        found = written_out(value, how, self.numbering)
        return np.broadcast_to(found[..., np.newaxis], (*found.shape, prod(how.features[self.numbering :])))

    def feature(self, name: str, value: Any, part: int | None = None) -> Any:
        """Return a parameter with a value per feature in the type that is computed in; None stays None."""
        if value is None:
            return None
        value, how = self._arranged(name, value, part)
        kind = np.int64 if is_integer(value.dtype) else self.work.dtype
        return np.ascontiguousarray(spread(value, how), kind).reshape(-1)

    def target(self, name: str, value: Any, part: int | None = None) -> Any:
        """Return the rows to write a result to: its own memory, or some that `write` sums; None stays None."""
        if value is None:
            return None
        (value, how), dtype = self._arranged(name, value, part), self.work.dtype
        if self._has_runs(how, value):
            runs = np.empty((*how.rows, prod(how.features[: self.numbering])), dtype)
            shape = (*runs.shape, prod(how.features[self.numbering :]))
            return np.lib.stride_tricks.as_strided(runs, shape, (*runs.strides, 0))
        if how.lacks:
            return self.empty(self.work.shape if how.features else how.rows, dtype)
        own = value.reshape(how.split).transpose(how.order)
        if not how.features:
            return own
        shape = self.work.shape
        return own.reshape(shape) if _is_in_rows(own, len(how.rows)) else self.empty(shape, value.dtype)

    def target_feature(self, name: str, value: Any, part: int | None = None) -> Any:
        """Return the memory to write a result with a value per feature to; None stays None."""
        if value is None:
            return None
        value, how = self._arranged(name, value, part)
        is_in_order = not how.lacks and [*how.order] == sorted(how.order) and value.flags.c_contiguous
        return value.reshape(-1) if is_in_order else np.empty(prod(how.features), self.work.dtype)

    def write(self, name: str, value: Any, made: Any, part: int | None = None) -> None:
        """Write what was made into a result that it is not the memory of: sums over the axes that it lacks."""
        if value is None or np.may_share_memory(value, made):
            return
        value, how = self._arranged(name, value, part)
        shape, lacks = how.shape, how.lacks
        if self._has_runs(how, value):
            made, shape = made[..., 0], (*how.rows, *how.features[: self.numbering])
            lacks = tuple([axis for axis in lacks if axis < len(shape)])
        made = np.broadcast_to(made, (*how.rows, *made.shape[len(how.rows) :])).reshape(shape)
        for axis in reversed(lacks):
            made = _total(made, axis)
        round_to(value.reshape(how.split).transpose(how.order), ..., made)

    def clear(self, name: str, value: Any, part: int) -> None:
        """Set the gradient of a part that nothing reads to 0."""
        if value is not None:
            self._arranged(name, value, part)[0][...] = 0

    def _arranged(self, name: str, value: Array, part: int | None) -> tuple[Array, Arranged]:
        """Return an array, or a view of its part with an axis a name, and how it is arranged."""
        pattern = self.arrangement.patterns[name]
        if part is None:
            return value, self.arrangement.arranged(pattern, self.sizes)
        split, axis = self.arrangement.cut(pattern, self.sizes)
        where: Any = (*[slice(None)] * axis, part)
        how = self.arrangement.arranged(self.arrangement.of_part(pattern), self.sizes)
        return value.reshape(split)[where], how

    def _has_runs(self, how: Arranged, value: Array) -> bool:
        """Test whether rows are constant in the runs of the call, if there are some."""
        return not is_integer(value.dtype) and how.has_runs(self.numbering)

    def _copied(self, array: Array) -> Array:
        made = self.empty(array.shape, array.dtype)
        made[...] = array
        return made.reshape(self.work.shape)


def _is_in_rows(array: Array, rows: int) -> bool:
    """Test whether one stride reaches the entries of each row: those along the axes from `rows` on."""
    axes = [each for each in zip(array.shape[rows:], array.strides[rows:], strict=True) if each[0] != 1]
    return all(outer == size * inner for (_, outer), (size, inner) in pairwise(axes))


def _total(values: Array, axis: int) -> Array:
    """Return sums along an axis; many entries that lie apart are added up in parts, or the sums would lose digits."""
    size, before = values.shape[axis], (slice(None),) * axis
    if axis == values.ndim - 1 or size <= _TOGETHER:
        return np.asarray(np.add.reduce(values, axis=axis))
    step = max(_TOGETHER, isqrt(size))
    parts = [np.add.reduce(values[(*before, slice(i, i + step))], axis=axis) for i in range(0, size, step)]
    return np.asarray(np.add.reduce(parts, axis=0))


def written_out(value: Array, how: Arranged, numbering: int | None = None) -> Array:
    """Return an array as rows; features are written out at most once for rows that share them.

    With `numbering` it is constant in runs that so many axes of the features number, and has an entry for each.
    """
    moved = value.reshape(how.split).transpose(how.order).reshape(how.spread)
    if not how.features:
        return np.broadcast_to(moved, how.rows)
    once, features = how.spread[: len(how.rows)], how.features[:numbering]
    moved = np.broadcast_to(moved.reshape(how.spread[: len(once) + len(features)]), (*once, *features))
    return np.broadcast_to(moved.reshape(*once, prod(features)), (*how.rows, prod(features)))


def spread(value: Array, how: Arranged) -> Array:
    """An array whose axes are those of rows and features, broadcast over those that it lacks."""
    moved = value.reshape(how.split).transpose(how.order)
    return np.broadcast_to(moved.reshape(how.spread), how.shape) if how.lacks else moved
