"""Rows that kernels use where they lie: strided ones, and those with an entry for each run."""

from __future__ import annotations

import importlib
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lngen.checks.named_axes import named_axes
from lngen.runtime.numpy.blocks import Work
from lngen.runtime.protocol.axes import without_axes
from lngen.runtime.protocol.directions import ROW, ROW_SCALAR, DirectionProtocol, LayerProtocol
from tests import compiled
from tests.beyond_rows import AXES
from tests.hosts import on_kernels
from tests.requirements import needs_gxx
from tests.tiers import sample

pytestmark = needs_gxx

ROWS, RUNS, LENGTH = (3, 5), 4, 21
"""Sizes of rows whose lanes lie in two runs."""

LAYOUTS = {
    "rows apart": lambda value: np.repeat(value[..., None, :], 2, -2)[..., 0, :],
    "rows backwards": lambda value: np.ascontiguousarray(value[::-1])[::-1],
    "rows in another order": lambda value: np.ascontiguousarray(value.swapaxes(0, 1)).swapaxes(0, 1),
    "entries apart": lambda value: np.repeat(value, 2, -1)[..., ::2],
}


def drawn(shape: tuple[int, ...], dtype: Any, seed: int) -> Any:
    return np.random.default_rng(seed).uniform(0.5, 1.5, shape).astype(dtype)


def backward(shape: tuple[int, ...], dtype: Any) -> tuple[list[Any], list[Any]]:
    """Arrays that backward of a layer whose parameters are rows reads, and those that it makes."""
    sizes = {ROW: shape, ROW_SCALAR: shape[:-1]}
    computed = np.float32 if np.dtype(dtype).itemsize < 4 else dtype
    read, made = (
        [drawn(sizes[each.part], dtype if each.part == ROW else computed, place) for place, each in enumerate(group)]
        for group in (taken().reads, taken().makes)
    )
    return read, [np.full_like(value, np.nan) for value in made]


def taken() -> DirectionProtocol:
    """Values of backward, of the layer on rows."""
    return LayerProtocol(without_axes(compiled.layer(AXES["ada_layer_norm"]).cpu.INTERFACE)).directions["backward"]


def call(given: list[Any], made: list[Any], shape: tuple[int, ...], threads: int = 1) -> list[Any]:
    computed = np.result_type(np.float32, *[value.dtype for value in made if value.dtype.itemsize > 2])
    arguments = len(taken().arguments)
    backward = on_kernels(compiled.layer(AXES["ada_layer_norm"]).cpu, "backward")
    backward(given[:arguments], given[arguments:], made, Work(shape, np.dtype(computed), threads))
    return made


@pytest.mark.parametrize("dtype", [np.float32, np.float64, ml_dtypes.bfloat16])
def test_rows_have_the_same_bits_wherever_they_lie(dtype: Any) -> None:
    shape = (*ROWS, RUNS * LENGTH)
    given, made = backward(shape, dtype)
    expected = call(given, made, shape)
    for name, layout in LAYOUTS.items():
        moved = [layout(value) if value.ndim == len(shape) else value for value in given]
        results = [layout(np.empty_like(value)) for value in made]
        assert any(not value.flags.c_contiguous for value in moved), name
        for one, other in zip(expected, call(moved, results, shape), strict=True):
            assert np.array_equal(one, other), name


@pytest.mark.parametrize("dtype", [np.float32, ml_dtypes.bfloat16])
@pytest.mark.parametrize("length", [LENGTH, 1, 5, 16, 1500])
def test_runs_have_the_bits_of_rows_that_are_written_out(length: int, dtype: Any) -> None:
    """A parameter has one entry for each, and its gradient is the sum of each, in the compute type."""
    shape = (*ROWS, RUNS * length)
    given, made = backward(shape, dtype)
    of_runs = np.ascontiguousarray(given[2][..., :RUNS])  # the scale
    given[2] = np.repeat(of_runs, length, -1)
    expected = call(given, made, shape)
    runs = np.broadcast_to(of_runs[..., None], (*ROWS, RUNS, length))
    sums = [np.full((*ROWS, RUNS), np.nan, np.float32) for _ in "ab"]
    views = [np.lib.stride_tricks.as_strided(each, runs.shape, (*each.strides, 0)) for each in sums]
    dx, *_ = call([*given[:2], runs, *given[3:]], [np.empty_like(made[0]), *views], shape)
    assert np.array_equal(dx, expected[0])
    for found, exact in zip(sums, expected[1:], strict=True):
        wide = exact.reshape(runs.shape).astype(np.float64)
        stored = 0 if dtype == np.float32 else 2.0**-8
        bound = (length * np.finfo(np.float32).eps + stored) * np.abs(wide).sum(-1)
        assert (np.abs(found - wide.sum(-1)) <= bound).all()


def test_a_result_may_be_in_the_compute_type() -> None:
    """Gradients that are summed afterwards are not rounded before."""
    shape = (*ROWS, 43)
    given, made = backward(shape, ml_dtypes.bfloat16)
    expected = call(given, made, shape)
    wide = [np.full(shape, np.nan, np.float32) for _ in "ab"]
    dx, *found = call(given, [np.empty_like(made[0]), *wide], shape)
    assert np.array_equal(dx, expected[0])
    for one, other in zip(found, expected[1:], strict=True):
        assert np.array_equal(one.astype(ml_dtypes.bfloat16), other)


# ---- planted mistakes, which the check of named axes refuses


def _next_row(operands: Any) -> tuple[str, Any]:
    made = operands._table
    return "_table", lambda *of: np.roll(made(*of), -1)


def _one_run(operands: Any) -> tuple[str, Any]:
    """Every entry takes that of the first run; with more runs than there are, kernels would leave the arrays."""
    made = operands._places

    def places(self: Any, given: Any) -> Any:
        tables, run, macros = made(self, given)
        return tables, run and int(next(np.prod(each.array.shape[-2:]) for each in given if each.is_of_runs)), macros

    return "_places", places


MISTAKES = (("ada_layer_norm", _next_row), ("group_norm", _next_row), ("group_norm", _one_run))


@pytest.mark.parametrize(("name", "mistake"), sample(MISTAKES, MISTAKES[:1], MISTAKES))
def test_a_planted_mistake_is_refused(name: str, mistake: Any) -> None:
    layer = compiled.layer(AXES[name])
    long = importlib.import_module(f"{layer.cpu.__package__.rpartition('.')[0]}._runtime.native.long")
    attribute, wrong = mistake(long.RowOperands)
    old = getattr(long.RowOperands, attribute)
    try:
        setattr(long.RowOperands, attribute, wrong)
        failed = [each.what for each in named_axes(layer.definition, layer.cpu, 0) if not each.passed]
    except (IndexError, ValueError) as error:
        failed = [str(error)]
    finally:
        setattr(long.RowOperands, attribute, old)
    assert failed
