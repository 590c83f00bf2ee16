"""The thresholds of NumPy code, read from the `_runtime` that the code imports."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from lngen.checks.layer import Checkable
from lngen.checks.thresholds.side import ThresholdSide, lowered
from lngen.plan.program import FAR

_FEW, _SHORT = 2, 33
_COMPUTED = ("float64", "float32")
_NEAR = (0.0, 0.9 * FAR, 1.1 * FAR)
"""Means of rows near zero, and on either side of where a mean is looked at once more, in deviations."""
_FAR = 0.01
"""The mean of rows far from zero, times the roundoff of their type: a hundredth of a deviation is rounded off."""


def sides(layer: Checkable, dtypes: tuple[str, ...], thorough: bool) -> Iterator[ThresholdSide]:
    """Rows of one piece and of several, in one block and in several, near zero and far from it; long and short ones."""
    package: Any = layer.module.__package__  # type: ignore[attr-defined]
    rows = importlib.import_module(".._runtime.numpy.rows", package)
    yield from _rows(rows, "at once", FAST_PATH_BYTES=2**62)
    yield from _rows(rows, "in blocks", FAST_PATH_BYTES=0)
    for dtype in _COMPUTED:
        yield from _blocks(rows, dtype, 8)
    yield from _blocks(rows, _COMPUTED[0], rows.ROWS_TOGETHER + 5)
    for dtype in _COMPUTED:
        most = 8 * _SHORT * np.dtype(dtype).itemsize
        here = partial(lowered, rows, FAST_PATH_BYTES=most)
        for count, how in ((8, "as many rows as are taken at once"), (9, "one more, taken in blocks")):
            yield ThresholdSide(how, (count, _SHORT), (dtype,), meanwhile=here)


def _rows(rows: Any, way: str, **numbers: int) -> Iterator[ThresholdSide]:
    """Rows of any length, in one of the two ways that NumPy code has."""
    whole, piece, short = rows.WHOLE_ROW, rows.PIECE, rows.SHORT_ROW // 2
    lengths = {
        short: "the longest that parameters are repeated for",
        short + 1: "the shortest that they are not repeated for",
        whole: "the longest that is summed in one piece",
        whole + 1: "the shortest that is summed in pieces",
        whole + piece: "whole pieces",
        whole + piece // 2 + 1: "pieces and a part of one",
    }
    here = partial(lowered, rows, **numbers)
    for features, how in lengths.items():
        yield ThresholdSide(f"rows {way}, {how}", (_FEW, features), meanwhile=here)
    for dtype in _COMPUTED:
        far = _FAR / float(np.finfo(dtype).eps)
        for means, how in (((*_NEAR, far), "near zero and far from it"), ((far,), "all far from zero")):
            yield ThresholdSide(f"rows {way}, {how}", (len(means) + 1, 7), (dtype,), means=means, meanwhile=here)
    for dtype in _COMPUTED:
        long = rows.LONG_ROW // np.dtype(dtype).itemsize
        for features, how in ((long - 1, "the longest that are filled"), (long, "the shortest that are not filled")):
            what = f"rows {way}, {how}"
            yield ThresholdSide(what, (_FEW, features), (dtype,), meanwhile=here)


def _blocks(rows: Any, dtype: str, height: int) -> Iterator[ThresholdSide]:
    """Rows of one block, of two, and of more than the chunks of a call, on one thread and on two."""
    size = height * _SHORT * np.dtype(dtype).itemsize
    here = partial(lowered, rows, FAST_PATH_BYTES=0, BLOCK_BYTES=size)
    # Blocks of many rows have a multiple of those that parameters are repeated for.
    block = height - height % rows.ROWS_TOGETHER if height > rows.ROWS_TOGETHER else height
    counts = {block: "one block", block + 1: "a block and one row", 2 * block: "two blocks"}
    if height < rows.ROWS_TOGETHER:
        counts[rows.CHUNKS * block + 1] = "a block more than there are chunks"
    for count, how in counts.items():
        yield ThresholdSide(f"rows of {how}", (count, _SHORT), (dtype,), meanwhile=here)
    yield ThresholdSide(
        "rows of several blocks on two threads", (3 * block + 1, _SHORT), (dtype,), {"threads": 2}, meanwhile=here
    )
