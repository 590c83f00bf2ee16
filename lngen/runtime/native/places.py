# SPDX-License-Identifier: MIT
"""Tables of the starts of rows, for kernels that use rows where they lie: host_places.h reads them.

A row may be cut into segments, as an image is into lines: arrays then have two axes of features, and one that lacks the
second has an entry for each segment. Along axes of stride 0, entries of a result are one, and get the sum of all.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..protocol.calls import Array, Shape

SHORTEST = 64
"""Entries of segments at the least that results sum over: SETS of floats in host_places.h."""

KEPT_ROWS = 1 << 16
"""The most rows whose tables are kept from call to call."""


class Places(NamedTuple):
    """Tables of the starts of rows, one for each array or None for rows that are one behind the other.

    `numbers` are those of the rows in the order in which they are worked on, None for their own. Each `run` of rows is
    added up in the results at the places `summed`. Arrays at the places `of_segment` have one entry for each `segment`
    of so many.
    """

    tables: tuple[Array | None, ...]
    numbers: Array | None
    run: int
    segment: int | None
    summed: tuple[int, ...]
    of_segment: tuple[int, ...]

    @property
    def plan(self) -> tuple[Any, ...]:
        """Return the part that kernels are compiled for."""
        return self.segment is not None, self.summed, self.of_segment


def is_in_rows(array: Array, features: int) -> bool:
    """Test whether the rows of an array can be used where they lie: the entries of each are one behind the other.

    `features` is the number of axes that a row has: 0 for a row scalar, and 2 for a row in segments.

    >>> whole = np.zeros((4, 6))
    >>> is_in_rows(whole[:, :3], 1), is_in_rows(whole[:, ::2], 1), is_in_rows(whole[:, 0], 0)
    (True, False, True)
    """
    size = array.itemsize
    if not array.flags.aligned or any(stride % size for stride in array.strides):
        return False
    return not features or array.shape[-1] == 1 or array.strides[-1] == size or is_of_segment(array, features)


def is_of_segment(array: Array, features: int) -> bool:
    """Test whether an array has one entry for each segment.

    >>> is_of_segment(np.broadcast_to(np.zeros((3, 1)), (4, 3, 5)), 2)
    True
    """
    return features == 2 and array.dtype.kind not in "iub" and array.shape[-1] > 1 and array.strides[-1] == 0


def sums_over(array: Array, rows: int) -> Shape:
    """Return the axes of the rows along which all entries of a result are one.

    >>> sums_over(np.broadcast_to(np.zeros((1, 3, 8)), (2, 3, 8)), 2)
    (0,)
    """
    return tuple([axis for axis in range(rows) if array.shape[axis] > 1 and array.strides[axis] == 0])


def placed(given: Sequence[Any], features: Sequence[int | None], first_made: int, shape: Shape) -> Places | None:
    """Return where the rows of arrays start, or None if the rows of each are one behind the other.

    `features` is for each array the number of axes that its row has, or None for one without rows; those from
    `first_made` on are results, of which all sum over the same axes, or none.
    """
    arrays: list[Any] = [None if count is None else value for count, value in zip(features, given, strict=True)]
    if all(value is None or value.flags.c_contiguous for value in arrays):
        return None
    rows = len(shape) - 1
    of_segment = [
        place for place, value in enumerate(arrays) if value is not None and is_of_segment(value, features[place] or 0)
    ]
    summed = {
        place: sums_over(value, rows)
        for place, value in enumerate(arrays)
        if place >= first_made and value is not None and (place in of_segment or sums_over(value, rows))
    }
    last = next(iter(summed.values()), ())
    order = (*[axis for axis in range(rows) if axis not in last], *last)
    is_moved = [*order] != sorted(order)
    sizes = tuple([shape[axis] for axis in order])

    def table(place: int, value: Any) -> Array | None:
        if value is None or (value.flags.c_contiguous and not is_moved):
            return None
        apart = 0
        if features[place] == 2:
            between, within = [stride // value.itemsize for stride in value.strides[-2:]]
            apart = between - value.shape[-1] * within if value.shape[-2] > 1 else 0
        return _table(apart, sizes, tuple([value.strides[axis] // value.itemsize for axis in order]))

    steps = tuple([prod(shape[axis + 1 : -1]) for axis in order])
    segment = next((value.shape[-1] for value, axes in zip(arrays, features, strict=True) if axes == 2), None)
    return Places(
        tuple([table(place, value) for place, value in enumerate(arrays)]),
        _table(0, sizes, steps) if is_moved else None,
        prod([shape[axis] for axis in last]),
        segment,
        tuple(summed),
        tuple(of_segment),
    )


def _table(apart: int, sizes: Shape, steps: Shape) -> Array:
    return (_kept if prod(sizes) <= KEPT_ROWS else _made)(apart, sizes, steps)


def _made(apart: int, sizes: Shape, steps: Shape) -> Array:
    """Return a table: how far segments are apart, and the places of rows along axes, so many entries apart."""
    found = np.zeros(1, np.int64)
    for size, step in zip(sizes, steps, strict=True):
        found = np.add.outer(found, step * np.arange(size, dtype=np.int64)).reshape(-1)
    return np.concatenate(([apart], found))


_kept = lru_cache(maxsize=64)(_made)
