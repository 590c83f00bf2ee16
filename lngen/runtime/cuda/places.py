# SPDX-License-Identifier: MIT
"""Places of rows in device memory, for kernels that read rows where they lie: places.cuh has them on the device."""

from collections.abc import Mapping
from math import prod
from typing import NamedTuple

from ..protocol.calls import Shape
from .arrays import Memory


class RowPlaces(NamedTuple):
    """Axes that number the rows of a call: their sizes, and how many entries apart rows are along each, by array.

    `rows` and `numbers` are for arrays without gaps: of entries of rows, and of a number a row.
    """

    sizes: Shape
    apart: Mapping[str, Shape]
    rows: Shape
    numbers: Shape


def places(shape: Shape, arrays: Mapping[str, Memory]) -> RowPlaces | None:
    """Return the places of rows of a shape, or None if the rows of each array are one behind the other.

    `arrays` have entries of rows, or a number a row. Neighbouring axes are one where they are for each array.

    >>> whole = Memory(None, 0, (2, 3, 5), "<f4", steps=(60, 20, 1))
    >>> shared = Memory(None, 0, (2, 3, 5), "<f4", steps=(5, 0, 1))
    >>> places((2, 3, 5), {"x": whole}).sizes, places((2, 3, 5), {"x": whole, "scale": shared}).sizes
    ((6,), (2, 3))
    """
    steps = {name: each.steps for name, each in arrays.items() if each.steps is not None}
    if not steps:
        return None
    steps[""] = tuple([prod(shape[axis + 1 : -1]) for axis in range(len(shape) - 1)])
    axes: list[int] = []
    sizes: list[int] = []
    for axis in reversed(range(len(shape) - 1)):
        if axes and all(each[axis] == sizes[-1] * each[axes[-1]] for each in steps.values()):
            sizes[-1] *= shape[axis]
        elif shape[axis] > 1:
            axes.append(axis)
            sizes.append(shape[axis])
    axes.reverse()
    sizes.reverse()
    apart = {name: tuple([each[axis] for axis in axes]) for name, each in steps.items()}
    numbers = apart.pop("")
    return RowPlaces(tuple(sizes), apart, tuple([shape[-1] * number for number in numbers]), numbers)
