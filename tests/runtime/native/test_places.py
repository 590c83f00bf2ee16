"""Rows that kernels use where they lie: strided ones, those in segments, and results that many rows share."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lngen.check.named_axes import named_axes
from lngen.runtime.numpy.blocks import Work
from tests import compiled
from tests.beyond_rows import AXES
from tests.requirements import needs_gxx
from tests.tiers import sample

pytestmark = needs_gxx

ROWS, SEGMENTS, LENGTH = (3, 5), 4, 21
"""Sizes of rows whose lanes lie in two segments."""

LAYOUTS = {
    "rows apart": lambda value: np.repeat(value[..., None, :], 2, -2)[..., 0, :],
    "rows backwards": lambda value: np.ascontiguousarray(value[::-1])[::-1],
    "rows in another order": lambda value: np.ascontiguousarray(value.swapaxes(0, 1)).swapaxes(0, 1),
    "entries apart": lambda value: np.repeat(value, 2, -1)[..., ::2],
}


def kernels(direction: str) -> Any:
    """The kernels of a layer whose parameters are rows."""
    return compiled.layer(AXES["ada_layer_norm"]).cpu._KERNELS.kernels[direction]


def drawn(shape: tuple[int, ...], dtype: Any, seed: int) -> Any:
    return np.random.default_rng(seed).uniform(0.5, 1.5, shape).astype(dtype)


def backward(shape: tuple[int, ...], dtype: Any) -> tuple[Any, list[Any], list[Any]]:
    """The kernels of backward, with arrays that they read and that they make."""
    of = kernels("backward")
    sizes = {1: shape, 0: shape[:-1]}
    computed = np.float32 if np.dtype(dtype).itemsize < 4 else dtype
    kinds = [dtype if axes else computed for axes in of.row_axes]
    made = [drawn(sizes[axes], kind, place) for place, (axes, kind) in enumerate(zip(of.row_axes, kinds, strict=True))]
    return of, made[: of.first_made], [np.full_like(value, np.nan) for value in made[of.first_made :]]


def call(of: Any, given: list[Any], made: list[Any], shape: tuple[int, ...], threads: int = 1) -> list[Any]:
    computed = np.result_type(np.float32, *[value.dtype for value in made if value.dtype.itemsize > 2])
    of.any([*given, *made], Work(shape, np.dtype(computed), threads))
    return made


@pytest.mark.parametrize("dtype", [np.float32, np.float64, ml_dtypes.bfloat16])
def test_rows_have_the_same_bits_wherever_they_lie(dtype: Any) -> None:
    shape = (*ROWS, SEGMENTS * LENGTH)
    of, given, made = backward(shape, dtype)
    expected = call(of, given, made, shape)
    for name, layout in LAYOUTS.items():
        moved = [layout(value) if value.ndim == len(shape) else value for value in given]
        results = [layout(np.empty_like(value)) for value in made]
        assert any(not value.flags.c_contiguous for value in moved), name
        for one, other in zip(expected, call(of, moved, results, shape), strict=True):
            assert np.array_equal(one, other), name


@pytest.mark.parametrize("length", [LENGTH, 16, 1500])
def test_rows_in_segments_have_the_same_bits(length: int) -> None:
    """A parameter has one entry for each, and gaps are between them."""
    shape = (*ROWS, SEGMENTS * length)
    of, given, made = backward(shape, np.float32)
    of_segment = given[2][..., :SEGMENTS]  # the scale
    given[2] = np.repeat(of_segment, length, -1)
    expected = call(of, given, made, shape)
    apart = np.repeat(given[1].reshape(*ROWS, 1, SEGMENTS, length), 2, 2).swapaxes(2, 3)[..., 0, :]
    scale = np.broadcast_to(of_segment[..., None], (*ROWS, SEGMENTS, length))
    rows = [given[0], apart, scale, *given[3:]]
    for one, other in zip(expected, call(of, rows, [np.empty_like(value) for value in made], shape), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("over", [(0,), (1,), (0, 1), ()])
@pytest.mark.parametrize("length", [19, 64, 133, 2050])
def test_results_in_one_place_are_sums(over: tuple[int, ...], length: int) -> None:
    """Gradients, in the compute type, beside the sums of those of the rows; the bits are those of any threads.

    They are sums over segments too, if those are long.
    """
    rows = (70, 40) if length < 2050 else (7, 9)
    shape = (*rows, SEGMENTS * length)
    of, given, made = backward(shape, np.float32)
    expected = call(of, given, made, shape)
    lacks = {*over} if length < 64 else {*over, 3}
    sizes = (*rows, SEGMENTS, length)
    found = []
    for threads in (1, 2):
        sums = [np.full([1 if axis in lacks else n for axis, n in enumerate(sizes)], np.nan, np.float32) for _ in "ab"]
        steps = [[0 if axis in lacks else step for axis, step in enumerate(each.strides)] for each in sums]
        views = [np.lib.stride_tricks.as_strided(*each) for each in zip(sums, [sizes] * 2, steps, strict=True)]
        dx = call(of, given, [np.empty_like(made[0]), *views], shape, threads)[0]
        assert np.array_equal(dx, expected[0])
        found.append(sums)
    assert all(np.array_equal(one, other) for one, other in zip(*found, strict=True))
    for each, exact in zip(found[0], expected[1:], strict=True):
        wide = exact.reshape(sizes).astype(np.float64)
        count = np.prod([sizes[axis] for axis in lacks]) if lacks else 1
        bound = (count - 1) * np.finfo(np.float32).eps * np.abs(wide).sum(tuple(lacks), keepdims=True)
        assert (np.abs(each - wide.sum(tuple(lacks), keepdims=True)) <= bound).all()


# ---- planted mistakes, which the check of named axes refuses


def _next_row(places: Any, axes: Any) -> tuple[Any, str, Any]:
    return places, "_table", lambda *of: np.append(made(places)(*of)[:1], np.roll(made(places)(*of)[1:], -1))


def made(places: Any) -> Any:
    return places._kept.__wrapped__


def _segments_in_one_place(places: Any, axes: Any) -> tuple[Any, str, Any]:
    return places, "_table", lambda apart, sizes, steps: made(places)(0, sizes, steps)


def _one_run_alone(places: Any, axes: Any) -> tuple[Any, str, Any]:
    def total(self: Any, sums: Any) -> Any:
        return old(self, sums if self.length is None else sums.take([0], self.over[-1]))

    old = axes.Runs.total
    return axes.Runs, "total", total


def _sums_over_other_rows(places: Any, axes: Any) -> tuple[Any, str, Any]:
    return axes.Runs, "shape", lambda self, shape: tuple(shape)


MISTAKES = (
    ("ada_layer_norm", _next_row),
    ("group_norm", _segments_in_one_place),
    ("head_rms_norm", _one_run_alone),
    ("head_rms_norm", _sums_over_other_rows),
)


@pytest.mark.parametrize(("name", "mistake"), sample(MISTAKES, MISTAKES[:1], MISTAKES))
def test_a_planted_mistake_is_refused(name: str, mistake: Any) -> None:
    layer = compiled.layer(AXES[name])
    package = f"{layer.cpu.__package__.rpartition('.')[0]}._runtime.native"
    places, axes = [importlib.import_module(f"{package}.{each}") for each in ("places", "axes")]
    of, attribute, wrong = mistake(places, axes)
    old = getattr(of, attribute)
    try:
        setattr(of, attribute, wrong)
        places._kept.cache_clear()
        failed = [each.what for each in named_axes(layer.definition, layer.cpu, 0) if not each.passed]
    except (IndexError, ValueError) as error:
        failed = [str(error)]
    finally:
        setattr(of, attribute, old)
        places._kept.cache_clear()
    assert failed
    assert sys.modules[package]
