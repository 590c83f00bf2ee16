"""Thresholds of Triton kernels: the sizes of a launch by the length of a row, and programs that take further rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from functools import partial
from inspect import getsource
from typing import Any

import numpy as np

from lngen.checks.layer import Checkable
from lngen.checks.thresholds.side import ThresholdSide, lowered

_FEW, _SHORT, _LONGEST = 2, 33, 1 << 15
_COMPUTED = ("float64", "float32")


def sides(layer: Checkable, dtypes: tuple[str, ...], thorough: bool) -> Iterator[ThresholdSide]:
    """Rows that fit in a tile and rows that do not, by each launch; a row more than the programs of a GPU take."""
    on: Any = layer.module
    launches = [
        tuple(map(int, each)) for each in re.findall(r"sizes\(D, kind\.itemsize, (\d+), (\d+)\)", getsource(on.module))
    ]
    for dtype in _COMPUTED:
        size = np.dtype(dtype).itemsize
        longest = {next(D for D in _lengths() if not on.gpu.sizes(D + 1, size, *each).WHOLE) for each in launches}
        for features in sorted(longest):
            yield ThresholdSide("the longest row of one tile", (_FEW, features), (dtype,))
            yield ThresholdSide("the shortest row of several tiles", (_FEW, features + 1), (dtype,))
        of = [on.gpu.sizes(_SHORT, size, *each) for each in launches]
        one = partial(_one_processor, on.gpu)
        for count in sorted({each.ROWS * each.programs for each in of}):
            yield ThresholdSide("a row more than programs take at once", (count + 1, _SHORT), (dtype,), meanwhile=one)


def _lengths() -> list[int]:
    return [1 << power for power in range(_LONGEST.bit_length())]


def _one_processor(gpu: Any) -> AbstractContextManager[None]:
    return lowered(gpu, _processors=lambda device: 1)
