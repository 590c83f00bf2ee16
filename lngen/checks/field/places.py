"""Layouts of the rows of a call: apart, in another order, several at one place, in runs; and memory about them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from lngen.checks.field.calls import memory
from lngen.checks.field.values import shape_of
from lngen.runtime.protocol.casts import dtype as cast_type
from lngen.runtime.protocol.directions import ROW, Entry

Shape = tuple[int, ...]

_UNWRITTEN = 2**63 - 1
"""Bits of no residue."""

_OTHER = 0x123456789ABCDEF
_MARGIN = 16
_APART = 3


@dataclass(frozen=True)
class Lying:
    """Layout of rows, which number along `outer` and an inner axis; each array is chosen a place of its own.

    Some `are_apart` or in another order. Along the axis `shared` some arguments are one. If a row has so many `runs`,
    some arguments are one along each, and some results are sums of each.
    """

    outer: int = 1
    are_apart: bool = False
    shared: int | None = None
    runs: int = 0

    @property
    def words(self) -> str:
        """Describe how rows lie."""
        found = ["apart"] * self.are_apart + [f"in {self.runs} runs"] * bool(self.runs)
        return ", ".join([*found, *([] if self.shared is None else [f"shared along axis {self.shared} of two"])])


DENSE = Lying()


@dataclass(frozen=True)
class ArrayLayout:
    """Layout of an array: its `shape`, and the axes along which its entries are `one`.

    `rows_shape` is the shape of its values beside rows without runs. The first two axes may be in another order,
    and rows lie `apart` by so many entries.
    """

    shape: Shape
    rows_shape: Shape
    one: Shape = ()
    is_swapped: bool = False
    apart: int = 0

    @classmethod
    def of(cls, lying: Lying, each: Entry, rows: int, features: int, direction: str = "") -> ArrayLayout:
        """Choose a place for an argument, or for a result of a direction."""
        rows_shape = shape_of(each, rows, features)
        if not each.is_per_row:
            return cls(rows_shape, rows_shape)
        is_row = each.part == ROW
        draw = np.random.default_rng([*f"{direction} {each.symbol}".encode(), rows, features])
        is_swapped, is_apart, is_one, is_of_runs = draw.random(4) < (0.5, 0.6, 0.7, 0.5)
        one = () if lying.shared is None or direction or not is_one else (lying.shared,)
        entries: Shape = (features,)
        if lying.runs and is_row and is_of_runs and not each.is_integer and not each.cast:
            one, entries = (*one, 3), (lying.runs, features // lying.runs)
        shape = (lying.outer, rows // lying.outer, *(entries if is_row else ()))
        # Runs are one behind the other.
        are_apart = lying.are_apart and not each.cast and 3 not in one
        return cls(shape, rows_shape, one, bool(are_apart and is_swapped), _APART * bool(are_apart and is_apart))

    def alike(self, values: Any) -> Any:
        """Return values of which those at one place are the same."""
        if not self.one or values is None:
            return values
        return np.broadcast_to(self.at_one(values.reshape(self.shape)), self.shape).reshape(self.rows_shape)

    def at_one(self, values: Any) -> Any:
        """Return each value at one place once."""
        return values[tuple([slice(0, 1) if axis in self.one else slice(None) for axis in range(values.ndim)])]

    def summed(self, values: Any) -> Any:
        """Return the sums of values at one place."""
        return np.add.reduce(values.reshape(self.shape), axis=self.one, keepdims=True) if self.one else values

    def room(self, dtype: Any, filled: int) -> LayoutMemory:
        """Return memory for the array, with more about it."""
        sizes = [1 if axis in self.one else size for axis, size in enumerate(self.shape)]
        order = [1, 0, *range(2, len(sizes))] if self.is_swapped else [*range(len(sizes))]
        padded = [sizes[axis] for axis in order]
        if sizes:
            padded[-1] += 0 if len(sizes) - 1 in self.one else self.apart
        whole = np.full(prod(padded) + 2 * _MARGIN, filled, np.int64).view(np.float64)
        whole = whole if dtype is None else np.zeros(len(whole), dtype)
        view = whole[_MARGIN : len(whole) - _MARGIN].reshape(padded).transpose(order)
        view = view[tuple(map(slice, sizes))] if sizes else view
        strides = [0 if axis in self.one else step for axis, step in enumerate(view.strides)]
        return LayoutMemory(self, whole, np.lib.stride_tricks.as_strided(view, self.shape, strides))


@dataclass(frozen=True)
class LayoutMemory:
    """Memory of an array: the `whole` of it, and the `array` in it, whose entries may be one."""

    place: ArrayLayout
    whole: Any
    array: Any

    def filled(self, values: Any) -> Any:
        """Return the array, with values in it."""
        self.array[...] = memory(values).reshape(self.place.shape)
        return self.array

    def made(self) -> Any:
        """Return what was written, each entry at one place once."""
        return (self.place.at_one(self.array) if self.place.one else self.array.reshape(self.place.rows_shape)).copy()

    def written_beyond(self) -> int:
        """Count the entries about the array that were written to; its own are cleared for that."""
        if self.array.dtype != np.float64:
            return 0
        self.array.view(np.int64)[...] = _UNWRITTEN
        return int(np.count_nonzero(self.whole.view(np.int64) != _UNWRITTEN))


def argument(place: ArrayLayout | None, values: Any) -> Any:
    """Return the array of an argument at its place; a number, and None for one that is left out, have none."""
    if place is None or not isinstance(values, np.ndarray):
        return memory(values)
    return place.room(None if values.dtype == object else values.dtype, _OTHER).filled(values)


def result(place: ArrayLayout, each: Entry) -> LayoutMemory:
    """Return memory for a result."""
    return place.room(None if each.cast is None else cast_type(each.cast), _UNWRITTEN)
