# SPDX-License-Identifier: MIT
"""Layers whose axes have names, on NumPy: arrays are arranged as rows, and gradients of rows are summed.

The mathematics of such a layer is that of one whose arrays are rows.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import isqrt, prod
from typing import Any

import numpy as np

from ..protocol.axes import Arranged, Arrangement, Sizes, without_axes
from ..protocol.calls import COMPUTED, Array, DType, Shape
from ..protocol.directions import CONSTANT, FEATURE, NUMBER, ROW, ROW_SCALAR, Entry, LayerProtocol
from ..protocol.interface import Interface
from .blocks import ArrayFunction, Work, round_to

Empty = Callable[[Shape, DType], Array]

_TOGETHER = 32
"""Entries that lie apart and are added one by one, if there are few."""


class NamedAxes:
    """The axes of a layer's arrays by name, and how its values lie beside rows."""

    def __init__(self, interface: Interface) -> None:
        self.arrangement, self.minimum_features = Arrangement(interface), interface["minimum_features"]
        self.names = [each["name"] for each in interface["inputs"]]
        self.directions = of_rows = LayerProtocol(interface).directions
        self.has_parts = bool(self.arrangement.counts)
        if self.has_parts:
            of_rows = LayerProtocol(without_axes(interface)).directions
        self.of_rows = of_rows

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

    def arranged(self, each: Entry, sizes: Sizes) -> Arranged:
        """Return how a value is arranged."""
        return self.arrangement.arranged(self._pattern(each), sizes)

    def _pattern(self, each: Entry) -> list[list[str]]:
        while each.owner is not None:
            each = each.owner
        return self.arrangement.computed if each.kind == "Computed" else self.arrangement.patterns[each.name]

    # ---- parts

    def cut(self, values: Sequence[Any], entries: Sequence[Entry], sizes: Sizes) -> list[Any]:
        """Return values as those of the layer on rows: of an array in parts a view of each."""
        found: list[Any] = []
        for value, each in zip(values, entries, strict=True):
            if each.parts:
                found += [value if value is None else self._part(value, each, place, sizes) for place in each.parts]
            else:
                found.append(value)
        return found

    def _part(self, value: Array, each: Entry, place: int, sizes: Sizes) -> Array:
        """A view of a part, with an axis a name."""
        split, axis = self.arrangement.cut(self._pattern(each), sizes)
        where: Any = (*[slice(None)] * axis, place)
        view: Array = value.reshape(split)[where]
        return view

    def _clear(self, made: Sequence[Any], entries: Sequence[Entry], sizes: Sizes) -> None:
        """Set the gradients of parts that nothing reads to 0."""
        for value, each in zip(made, entries, strict=True):
            if each.parts and value is not None:
                (count,) = self.arrangement.counts[self.arrangement.counted(self._pattern(each))]
                for place in {*range(count)} - {*each.parts}:
                    self._part(value, each, place, sizes)[...] = 0

    # ---- values as rows

    def fill(
        self, by: ArrayFunction, direction: str, made: Sequence[Any], sizes: Sizes, work: Work, *values: Sequence[Any]
    ) -> None:
        """Compute a direction into the arrays of its results; `values` are those that it reads, in groups.

        A function that `takes_runs` is passed parameters that are constant in runs with an axis of these, and one of
        their entries, which are one; so are their gradients, to which the entries add.
        """
        own, of_rows, empty = self.directions[direction], self.of_rows[direction], by.empty
        given: Sequence[Any] = [value for group in values for value in group]
        if self.has_parts:
            self._clear(made, own.makes, sizes)
            given = self.cut(given, own.reads, sizes)
            made = self.cut(made, own.makes, sizes)
        numbering = self.arrangement.numbering(sizes) if by.takes_runs and work.dtype in COMPUTED else None
        rows = [
            self._read(each, value, sizes, work, numbering, empty)
            for each, value in zip(of_rows.reads, given, strict=True)
        ]
        targets = [
            self._target(each, value, sizes, work, numbering, empty)
            for each, value in zip(of_rows.makes, made, strict=True)
        ]
        first = len(of_rows.arguments)
        groups = (rows,) if of_rows.is_forward else (rows[:first], rows[first:])
        results = by.compute(*groups, targets, work)
        found = targets if results is None else results
        for each, value, rows_made in zip(of_rows.makes, made, found, strict=False):
            self._store(each, value, rows_made, sizes, numbering)

    def _read(self, each: Entry, value: Any, sizes: Sizes, call: Work, numbering: int | None, empty: Empty) -> Any:
        """Return a value as the mathematics of rows takes it: rows, or a parameter that is converted."""
        if value is None or each.part == CONSTANT:
            return value
        if each.part == NUMBER:
            return np.asarray(value, np.int64 if each.is_integer else call.dtype)
        how = self.arranged(each, sizes)
        if each.part == FEATURE:
            kind = np.int64 if each.is_integer else call.dtype
            return np.ascontiguousarray(spread(value, how), kind).reshape(-1)
        if not how.lacks and how.features:
            own = value.reshape(how.split).transpose(how.order)
            return own.reshape(call.shape) if _is_in_rows(own, len(how.rows)) else _copied(own, call.shape, empty)
        if not _has_runs(each, how, numbering):
            return written_out(value, how)
        found = written_out(value, how, numbering)
        return np.broadcast_to(found[..., np.newaxis], (*found.shape, prod(how.features[numbering:])))

    def _target(self, each: Entry, value: Any, sizes: Sizes, call: Work, numbering: int | None, empty: Empty) -> Any:
        """Return the array that the mathematics of rows writes a result into: its memory, or some that is summed."""
        if value is None or each.part not in (ROW, ROW_SCALAR, FEATURE):
            return value
        how = self.arranged(each, sizes)
        if each.part == FEATURE:
            is_in_order = not how.lacks and [*how.order] == sorted(how.order) and value.flags.c_contiguous
            return value.reshape(-1) if is_in_order else np.empty(prod(how.features), call.dtype)
        if _has_runs(each, how, numbering):
            runs = np.empty((*how.rows, prod(how.features[:numbering])), call.dtype)
            shape = (*runs.shape, prod(how.features[numbering:]))
            return np.lib.stride_tricks.as_strided(runs, shape, (*runs.strides, 0))
        if how.lacks:
            return empty(call.shape if how.features else how.rows, call.dtype)
        own = value.reshape(how.split).transpose(how.order)
        if not how.features:
            return own
        return own.reshape(call.shape) if _is_in_rows(own, len(how.rows)) else empty(call.shape, value.dtype)

    def _store(self, each: Entry, value: Any, found: Any, sizes: Sizes, numbering: int | None) -> None:
        """Write what a function made into a result that it is not the memory of: sums over the axes that it lacks."""
        if value is None or found is None or found is value:
            return
        if each.part not in (ROW, ROW_SCALAR, FEATURE):
            round_to(value, ..., found)
        elif not np.may_share_memory(value, found):
            how = self.arranged(each, sizes)
            shape, lacks = how.shape, how.lacks
            if _has_runs(each, how, numbering):
                found, shape = found[..., 0], (*how.rows, *how.features[:numbering])
                lacks = tuple([axis for axis in lacks if axis < len(shape)])
            found = np.broadcast_to(found, (*how.rows, *found.shape[len(how.rows) :])).reshape(shape)
            for axis in reversed(lacks):
                found = _total(found, axis)
            round_to(value.reshape(how.split).transpose(how.order), ..., found)


def _has_runs(each: Entry, how: Arranged, numbering: int | None) -> bool:
    """Test whether a value is constant in the runs of a call, if there are some."""
    is_row = each.part == ROW and not each.is_integer
    return is_row and how.has_runs(numbering)


def _is_in_rows(array: Array, rows: int) -> bool:
    """Test whether one stride reaches the entries of each row: those along the axes from `rows` on."""
    axes = [each for each in zip(array.shape[rows:], array.strides[rows:], strict=True) if each[0] != 1]
    return all(outer == size * inner for (_, outer), (size, inner) in pairwise(axes))


def _copied(array: Array, shape: Shape, empty: Empty) -> Array:
    made = empty(array.shape, array.dtype)
    made[...] = array
    return made.reshape(shape)


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
