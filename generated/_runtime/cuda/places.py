# SPDX-License-Identifier: MIT
"""Places of rows in device memory, for kernels that read rows where they lie: places.cuh has them on the device."""

from collections.abc import Iterable, Mapping, Sequence
from math import gcd, prod
from typing import NamedTuple

from ..protocol.calls import Shape
from ..protocol.directions import ROW, ROW_SCALAR, DirectionProtocol
from .arrays import Memory, RowSegments  # noqa: F401, the doctest

_LANES = 32


class RowPlaces(NamedTuple):
    """Axes that number the rows of a call: their sizes, and how many entries apart rows are along each, by array.

    `rows` and `numbers` are for arrays without gaps: of entries of rows, and of a number a row. Each `run` of rows is
    added up in the results `summed`. Rows may be cut into segments of so many entries, or 0; of arrays that have more
    than one entry from a segment to the next, or fewer, the entries are in `between`.
    """

    sizes: Shape
    apart: Mapping[str, Shape]
    rows: Shape
    numbers: Shape
    run: int = 1
    summed: tuple[str, ...] = ()
    segment: int = 0
    between: Mapping[str, int] = {}

    def of_kernel(self, names: Sequence[str], takes: DirectionProtocol) -> Shape:
        """Return the numbers that a kernel takes behind these values, in the order of places.cuh."""
        parts = {each.symbol: each.part for each in (*takes.reads, *takes.row_scalars)}
        parts |= {f"out {each.symbol}": each.part for each in takes.results}
        dense = {ROW: self.rows, ROW_SCALAR: self.numbers}
        placed = [name for name in names if parts.get(name) in dense]
        steps = [self.apart.get(name) or dense[parts[name]] for name in placed]
        segments = [self.between.get(name, self.segment) for name in placed] if self.segment else []
        runs = (*self.numbers, self.run) if self.summed else ()
        return (*self.sizes, *[step for each in steps for step in each], *segments, *runs)


def shared_axes(of: Memory) -> Shape:
    """Return the axes along which all entries of an array are one."""
    axes = enumerate(zip(of.shape, of.steps or of.shape, strict=True))
    return tuple([axis for axis, (size, step) in axes if size > 1 and step == 0])


def places(shape: Shape, arrays: Mapping[str, Memory], summed: Iterable[str] = ()) -> RowPlaces | None:
    """Return the places of rows of a shape, or None if the rows of each array are one behind the other.

    `arrays` have entries of rows, or a number a row. Neighbouring axes are one where they are for each array. Along the
    axes with a step of 0 in the arrays `summed`, which come last then, rows are added up.

    >>> whole = Memory(None, 0, (2, 3, 5), "<f4", steps=(60, 20, 1))
    >>> shared = Memory(None, 0, (2, 3, 5), "<f4", steps=(5, 0, 1))
    >>> places((2, 3, 5), {"x": whole}).sizes, places((2, 3, 5), {"x": whole, "scale": shared}).sizes
    ((6,), (2, 3))
    >>> sums = Memory(None, 0, (2, 3, 5), "<f4", steps=(0, 5, 1))
    >>> found = places((2, 3, 5), {"x": whole, "dscale": sums}, ["dscale"])
    >>> found.sizes, found.run, found.apart["x"], found.numbers
    ((3, 2), 2, (20, 60), (1, 3))
    >>> channels = Memory(None, 0, (3, 40), "<f4", steps=(20, 1), segments=RowSegments(20, 60, 1))
    >>> found = places((3, 40), {"x": channels})
    >>> found.sizes, found.apart["x"], found.segment, found.between["x"]
    ((3,), (20,), 20, 60)
    """
    steps = {name: each.steps for name, each in arrays.items() if each.steps is not None}
    if not steps:
        return None
    steps[""] = tuple([prod(shape[axis + 1 : -1]) for axis in range(len(shape) - 1)])
    over = next((shared_axes(arrays[name]) for name in summed), ())
    kept = [axis for axis in range(len(shape) - 1) if axis not in over]
    axes: list[int] = []
    sizes: list[int] = []
    for axis in reversed((*kept, *over)):
        is_one = axes and (axis in over) == (axes[-1] in over)
        if is_one and all(each[axis] == sizes[-1] * each[axes[-1]] for each in steps.values()):
            sizes[-1] *= shape[axis]
        elif shape[axis] > 1:
            axes.append(axis)
            sizes.append(shape[axis])
    segments = {name: each.segments for name, each in arrays.items() if each.segments}
    segment = next((each.length for each in segments.values()), 0)
    axes.reverse()
    sizes.reverse()
    apart = {name: tuple([each[axis] for axis in axes]) for name, each in steps.items()}
    numbers = apart.pop("")
    run = prod([shape[axis] for axis in over])
    rows = tuple([shape[-1] * number for number in numbers])
    between = {name: each.apart for name, each in segments.items()}
    found = RowPlaces(tuple(sizes), apart, rows, numbers, run, tuple(summed), segment, between)
    if segment and not sizes:  # kernels of rows in segments have an axis; here it has one row
        return found._replace(sizes=(1,), apart=dict.fromkeys(apart, (0,)), rows=(0,), numbers=(0,))
    return found


def bytes_by_segment(features: int, segment: int, sums: int, vector: int, size: int) -> int:
    """Return the bytes of shared memory at the most in which a row gathers sums by segment: shapes.cuh says how.

    Sums are of entries of `size` bytes, and accesses of `vector` entries, as many as divide a segment.

    >>> bytes_by_segment(65536, 4096, 2, 4, 4)
    4096
    """
    accesses = segment // vector
    sets = (accesses - gcd(accesses, _LANES) + _LANES - 1) // _LANES + 1
    return sums * (features // segment) * min(sets, _LANES) * size
