"""Rows in segments, as the interface of an array says it, and the places that kernels are told."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lngen.runtime.cuda.arrays import Memory, RowSegments, array, memory, result
from lngen.runtime.cuda.places import bytes_by_segment, places
from lngen.runtime.cuda.plans import look

SIZE = 4


def given(shape: tuple[int, ...], strides: tuple[int, ...] | None, typestr: str = "<f4", **others: Any) -> Any:
    """An array at some address, with strides in bytes."""
    interface = {"shape": shape, "typestr": typestr, "data": (256, False), "strides": strides, "segments": True}
    return SimpleNamespace(__cuda_array_interface__=interface | others)


@pytest.mark.parametrize(
    ("shape", "strides", "joined", "steps", "segments", "entries"),
    [
        ((3, 2, 5), (20, 60, 4), (3, 10), (5, 1), RowSegments(5, 15, 1), 30),
        ((3, 2, 5), (8, 4, 0), (3, 10), (2, 1), RowSegments(5, 1, 0), 6),
        ((2, 5), (80, 4), (10,), (1,), RowSegments(5, 20, 1), 25),
        ((3, 4, 1), (4, 16, 4), (3, 4), (1, 1), RowSegments(1, 4, 1), 15),
        # Without gaps in a row there are no segments.
        ((3, 2, 5), (40, 20, 4), (3, 10), None, None, 30),
        ((3, 2, 5), (80, 20, 4), (3, 10), (20, 1), None, 50),
        ((3, 1, 5), (80, 7, 4), (3, 5), (20, 1), None, 45),
        ((3, 2, 5), None, (3, 10), None, None, 30),
        ((0, 2, 5), (8, 4, 0), (0, 10), (2, 1), RowSegments(5, 1, 0), 0),
    ],
)
def test_features_of_two_axes_are_one(
    shape: Any, strides: Any, joined: Any, steps: Any, segments: Any, entries: int
) -> None:
    found = memory("x", given(shape, strides), 1)
    assert (found.shape, found.steps, found.segments, found.nbytes) == (joined, steps, segments, entries * SIZE)


@pytest.mark.parametrize(
    ("shape", "strides", "row_axes", "message"),
    [
        ((3, 2, 5), (80, 40, 8), 1, "one behind the other, or as one; pass a contiguous copy"),
        ((3, 2, 5), (80, -20, 4), 1, "one behind the other, or as one"),
        ((3, 2, 5), (80, 22, 4), 1, "one behind the other, or as one"),
        ((3, 2, 5), (-80, 60, 4), 1, "kernels take dense rows"),
        ((3, 2, 5), (40, 20, 4), 0, "x is in segments, which is for rows"),
        ((10,), (4,), None, "x is in segments, which is for rows"),
    ],
)
def test_other_strides_are_refused(shape: Any, strides: Any, row_axes: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        memory("x", given(shape, strides), row_axes)


def test_integers_are_not_in_segments() -> None:
    with pytest.raises(ValueError, match="label is in segments, which is for rows of floats"):
        array("label", given((3, 2, 5), (20, 60, 4), "<i4"), of_integers=True, row_axes=1)
    assert array("label", given((3, 2, 5), None, "<i4"), of_integers=True, row_axes=1).shape == (3, 10)


def test_results_that_overlap_or_are_of_another_type_are_refused() -> None:
    """Sums of segments are of the compute type; where there are no sums, a segment has all of its entries."""
    half, single = np.dtype(np.float16), np.dtype(np.float32)
    sums = given((3, 2, 5), (8, 4, 0))
    assert result("dgamma", sums, (3, 10), half, 1, single) is not None
    with pytest.raises(ValueError, match=r"of shape \(3, 10\) and type float64"):
        result("dgamma", sums, (3, 10), half, 1, np.dtype(np.float64))
    with pytest.raises(ValueError, match="only gradients of rows are added up; pass one with all"):
        result("y", sums, (3, 10), single, 1)
    for strides in ((8, 60, 4), (20, 16, 4), (4, 4, 0)):
        with pytest.raises(ValueError, match="its rows overlap"):
            result("dx", given((3, 2, 5), strides), (3, 10), single, 1, single)


def test_calls_with_and_without_segments_have_plans_of_their_own() -> None:
    facts = [look([given((3, 2, 5), (20, 60, 4), segments=there)], 0)[2] for there in (True, False)]
    assert facts[0] != facts[1]


def test_one_row_in_segments_has_an_axis() -> None:
    row = Memory(None, 0, (10,), "<f4", steps=(1,), segments=RowSegments(5, 20, 1))
    found = places((10,), {"x": row})
    assert found is not None
    assert (found.sizes, found.apart["x"], found.segment, found.between) == ((1,), (0,), 5, {"x": 20})


def test_memory_for_sums_is_as_much_as_lanes_meet_segments() -> None:
    """Counted: the sets of 32 accesses that meet a segment, or the warps of a row."""
    for accesses in (1, 3, 4, 32, 33, 49, 96, 1000, 5000):
        met = max(((each + 1) * accesses - 1) // 32 - each * accesses // 32 + 1 for each in range(64))
        assert bytes_by_segment(64 * accesses * 4, accesses * 4, 1, 4, 8) == 64 * 8 * min(met, 32)
