"""Rows with an entry for each run, as the interface of an array says it, and the memory that their sums take."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lngen.runtime.cuda.arrays import array, facts_of, memory, result
from lngen.runtime.cuda.places import bytes_by_run, places

SIZE = 4


def given(shape: tuple[int, ...], strides: tuple[int, ...] | None, typestr: str = "<f4", **others: Any) -> Any:
    """An array at some address, with strides in bytes, whose rows have runs of 5 entries."""
    interface = {"shape": shape, "typestr": typestr, "data": (256, False), "strides": strides, "run": 5}
    return SimpleNamespace(__cuda_array_interface__=interface | others)


@pytest.mark.parametrize(
    ("shape", "strides", "whole", "steps", "entries"),
    [
        ((3, 2), None, (3, 10), (2, 1), 6),
        ((3, 2), (12, 4), (3, 10), (3, 1), 8),
        ((3, 2), (0, 4), (3, 10), (0, 1), 2),
        ((2,), None, (10,), (1,), 2),
        ((0, 2), None, (0, 10), (2, 1), 0),
    ],
)
def test_a_row_counts_all_entries_of_its_runs(shape: Any, strides: Any, whole: Any, steps: Any, entries: int) -> None:
    found = memory("x", given(shape, strides), 1)
    assert (found.shape, found.steps, found.run, found.nbytes) == (whole, steps, 5, entries * SIZE)
    assert memory("x", given(shape, strides, run=1), 1).run == 1


@pytest.mark.parametrize(
    ("shape", "strides", "row_axes", "message"),
    [
        ((3, 2), (16, 8), 1, "kernels take dense rows"),
        ((3, 2), (-8, 4), 1, "kernels take dense rows"),
        ((3, 2), (8, 4), 0, "x has an entry for each run, which is for rows"),
        ((2,), (4,), None, "x has an entry for each run, which is for rows"),
    ],
)
def test_other_strides_are_refused(shape: Any, strides: Any, row_axes: int | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        memory("x", given(shape, strides), row_axes)


def test_integers_have_no_runs() -> None:
    with pytest.raises(ValueError, match="label has an entry for each run, which is for rows of floats"):
        array("label", given((3, 2), None, "<i4"), of_integers=True, row_axes=1)


def test_results_that_overlap_or_are_of_another_type_are_refused() -> None:
    """Sums of runs are of the compute type; where there are no sums, a row has all of its entries."""
    half, single = np.dtype(np.float16), np.dtype(np.float32)
    sums = given((3, 2), (8, 4))
    assert result("dgamma", sums, (3, 10), half, 1, single) is not None
    with pytest.raises(ValueError, match=r"of shape \(3, 10\) and type float64"):
        result("dgamma", sums, (3, 10), half, 1, np.dtype(np.float64))
    with pytest.raises(ValueError, match="only gradients are added up; pass one with all"):
        result("y", sums, (3, 10), single, 1)
    for strides in ((4, 4), (0, 4)):
        with pytest.raises(ValueError, match="its rows overlap"):
            result("dx", given((3, 2), strides), (3, 10), single, 1, single)


def test_calls_with_and_without_runs_have_plans_of_their_own() -> None:
    facts = [facts_of(given((3, 2), None, run=length))[1] for length in (5, 1)]
    assert facts[0] != facts[1]


def test_one_row_with_runs_has_an_axis() -> None:
    found = places((10,), {"x": memory("x", given((2,), None), 1)})
    assert found is not None
    assert (found.sizes, found.apart["x"]) == ((1,), (0,))


def test_memory_for_sums_is_as_much_as_lanes_meet_runs() -> None:
    """Counted: the sets of 32 accesses that meet a run, or the warps of a row."""
    for accesses in (1, 3, 4, 32, 33, 49, 96, 1000, 5000):
        met = max(((each + 1) * accesses - 1) // 32 - each * accesses // 32 + 1 for each in range(64))
        assert bytes_by_run(64 * accesses * 4, accesses * 4, 1, 4, 8) == 64 * 8 * min(met, 32)
