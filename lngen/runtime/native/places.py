# SPDX-License-Identifier: MIT
"""Tables of the starts of rows, for kernels that use rows where they lie: host_places.h reads them.

A row that is constant in runs of equal length has two axes of features, the second with a stride of 0.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

from ..protocol.calls import Array, Shape
from .compiled import KEPT_ROWS, row_starts


class Places(NamedTuple):
    """Tables of the starts of rows, one for each array or None for rows that are one behind the other.

    Arrays at the places `of_runs` have one entry for each `run` of so many; without any it is None. Results at the
    places `wide` are in the compute type, and so are those of runs.
    """

    tables: tuple[Array | None, ...]
    run: int | None
    of_runs: tuple[int, ...]
    wide: tuple[int, ...]

    @property
    def plan(self) -> tuple[Any, ...]:
        """Return the part that kernels are compiled for."""
        return self.of_runs, self.wide


def is_in_rows(array: Array, features: int) -> bool:
    """Test whether the rows of an array can be used where they lie: the entries of each are one behind the other.

    `features` is the number of axes that a row has: 0 for a row scalar, and 2 for a row that is constant in runs.

    >>> import numpy as np
    >>> whole = np.zeros((4, 6))
    >>> is_in_rows(whole[:, :3], 1), is_in_rows(whole[:, ::2], 1), is_in_rows(whole[:, 0], 0)
    (True, False, True)
    """
    size = array.itemsize
    if not array.flags.aligned or any(stride % size for stride in array.strides):
        return False
    return not features or array.shape[-1] == 1 or array.strides[-1] == size or features == 2


def placed(given: Sequence[Any], features: Sequence[int | None], wide: Sequence[int], rows: int) -> Places | None:
    """Return where the rows of arrays start, or None if the rows of each are one behind the other in one type.

    `features` is for each array the number of axes that its row has, or None for one without rows; the first axes, so
    many, number the `rows`.
    """
    arrays: list[Any] = [None if count is None else value for count, value in zip(features, given, strict=True)]
    if not wide and all(value is None or value.flags.c_contiguous for value in arrays):
        return None
    of_runs = tuple([place for place, count in enumerate(features) if count == 2 and given[place] is not None])
    tables = [
        None
        if value is None or value.flags.c_contiguous
        else _table(value.shape[:rows], tuple([stride // value.itemsize for stride in value.strides[:rows]]))
        for value in arrays
    ]
    return Places(tuple(tables), given[of_runs[0]].shape[-1] if of_runs else None, of_runs, tuple(wide))


def _table(sizes: Shape, steps: Shape) -> Array:
    return (_kept if prod(sizes) <= KEPT_ROWS else row_starts)(sizes, steps)


_kept = lru_cache(maxsize=64)(row_starts)
