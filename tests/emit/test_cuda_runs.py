"""Rows that share an entry in each run, through `cuda_backend.py`: on the GPU where there is one, else on
the emulator, which watches every access to memory and runs threads in other orders.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator
from math import gcd
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lngen.extensions.simt import driver
from tests.requirements import has_gpu, needs_gxx, needs_pycuda
from tests.tiers import sample

pytestmark = [pytest.mark.cuda, needs_pycuda, *([] if has_gpu() else [needs_gxx])]

BF16 = ml_dtypes.bfloat16
ROUNDING = 2.0**-24

Shape = tuple[int, ...]


class Runs:
    """An array whose last axis has an entry for each run of a row, with strides in entries."""

    def __init__(self, cuda: Any, base: Any, shape: Shape, strides: Shape, run: int) -> None:
        self.base = cuda.gpuarray.to_gpu(base)
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": "<V2" if base.dtype == BF16 else base.dtype.str,
            "data": (int(self.base.gpudata), False),
            "strides": tuple(stride * base.itemsize for stride in strides),
            "version": 2,
            "run": run,
        }

    def get(self) -> Any:
        return self.base.get()


def cuda_of(name: str) -> Any:
    return importlib.import_module(f"generated.{name}.cuda_backend")


def normal(shape: Shape, dtype: Any = np.float32, seed: int = 0) -> Any:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@contextlib.contextmanager
def watched(schedule: Any) -> Iterator[None]:
    with driver.using(schedule=schedule, seed=1, check=True) if not has_gpu() else contextlib.nullcontext():
        yield


@contextlib.contextmanager
def changed(layer: Any, monkeypatch: pytest.MonkeyPatch, was: str, becomes: str) -> Iterator[None]:
    """Compile kernels with a mistake in a header."""
    compilers = importlib.import_module("generated._runtime.cuda.compilers")
    inlined: Callable[..., str] = compilers.inlined

    def with_mistake(source: Any) -> str:
        text = inlined(source)
        if text.count(was) != 1:
            raise LookupError(was)
        return text.replace(was, becomes)

    with monkeypatch.context() as patch:
        patch.setattr(compilers, "inlined", with_mistake)
        _forget(layer)
        yield
    _forget(layer)


def _forget(layer: Any) -> None:
    layer._LAYER.plans.clear()
    for device in layer._launcher.devices.DEVICES.values():
        device.modules.clear()


def _vectors(layer: Any) -> set[int]:
    """Entries of an access in kernels of rows with runs."""
    modules = [each for device in layer._launcher.devices.DEVICES.values() for each in device.modules.items()]
    return {module.vector for (_, wanted, *_), module in modules if wanted.run}


class GroupNorm:
    """Group norm whose scale and shift have an entry for each run, with all results, also written out."""

    def __init__(self, cuda: Any, dtype: Any, shape: tuple[int, int, int, int]) -> None:
        self.cuda, self.layer, self.shape, self.dtype = cuda, cuda_of("group_norm"), shape, dtype
        count, groups, runs, length = shape
        self.rows = count, groups, runs * length
        self.x, self.dy = (cuda.gpuarray.to_gpu(normal(self.rows, dtype, seed)) for seed in range(2))
        self.parameters = [normal((groups, runs), dtype, seed) for seed in (2, 3)]

    def written_out(self) -> tuple[Any, list[Any]]:
        full = [np.repeat(each, self.shape[-1], -1) for each in self.parameters]
        given = [self.cuda.gpuarray.to_gpu(np.ascontiguousarray(np.broadcast_to(each, self.rows))) for each in full]
        y, saved = self.layer.forward(self.x, *given)
        return y.get(), [each.get() for each in self.layer.backward(saved, self.dy)]

    def sums(self) -> Runs:
        count, groups, runs, length = self.shape
        made = np.full((count, groups, runs), np.nan, np.float32)
        return Runs(self.cuda, made, made.shape, (groups * runs, runs, 1), length)

    def in_runs(self, out: Any = None) -> tuple[Any, list[Any]]:
        strides = 0, self.shape[2], 1
        given = [Runs(self.cuda, each, self.shape[:3], strides, self.shape[3]) for each in self.parameters]
        y, saved = self.layer.forward(self.x, *given)
        return y.get(), [each.get() for each in self.layer.backward(saved, self.dy, out=out or self.outs())]

    def outs(self) -> tuple[Any, Any, Any]:
        return None, self.sums(), self.sums()

    def check(self, found: tuple[Any, list[Any]], expected: tuple[Any, list[Any]]) -> None:
        """Compare with what is written out. Sums over rows of another layout differ by their last bits."""
        stored = 2.0**-8 if self.dtype == BF16 else 0
        (y, (dx, *sums)), (y_known, (dx_known, *rows)) = found, expected
        for one, other in ((y, y_known), (dx, dx_known)):
            one, other = (np.asarray(each, np.float64) for each in (one, other))
            assert np.abs(one - other).max() <= (450 * ROUNDING + stored) * max(1, np.abs(other).max())
        # A thread adds what it has of a chunk, a warp its threads', then its chunks', and one thread those of 32 warps.
        chunks = -(-self.rows[-1] // 256)
        additions = 8 + 5 + chunks + 32
        for made, of_rows in zip(sums, rows, strict=True):
            terms = of_rows.astype(np.float64).reshape(self.shape)
            size = np.abs(terms).sum(-1)
            bound = (additions * ROUNDING + stored) * size + 450 * ROUNDING * self.shape[-1]
            assert np.all(np.abs(made - terms.sum(-1)) <= bound)


SHAPES = {
    "entries of 1, over chunks": ((3, 2, 5, 49), np.float32, "reverse"),
    "several runs a warp, several rows a block": ((5, 3, 4, 16), BF16, "random"),
    "long rows": ((1, 1, 3, 20000), np.float32, "random"),
    "a run a row": ((2, 2, 1, 36), BF16, "forward"),
    "an access a run": ((2, 2, 64, 4), np.float32, "random"),
    "warps share runs": ((1, 2, 7, 196), np.float32, "reverse"),
}


@pytest.mark.parametrize("name", sample(SHAPES, (), [*SHAPES][:2]))
def test_gradients_of_shared_features_are_sums_by_run(cuda: Any, name: str) -> None:
    """The same bits in each order of threads."""
    shape, dtype, schedule = SHAPES[name]
    norm = GroupNorm(cuda, dtype, shape)
    _forget(norm.layer)
    expected, found = norm.written_out(), norm.in_runs()
    norm.check(found, expected)
    assert _vectors(norm.layer) == {gcd(shape[-1], 16 // np.dtype(dtype).itemsize)}
    with watched(schedule):
        again = norm.in_runs()
    assert all(one.tobytes() == other.tobytes() for one, other in zip(found[1], again[1], strict=True))


MISTAKES = {
    "parts that are not cleared": ("if (nth < PARTS) part = sum[0];", "if (nth < 0) part = sum[0];"),
    "a run too few": ("run < RUNS && here.live", "run < RUNS - 1 && here.live"),
    "a lane of the next run": ("&& before + offset < ACCESSES) sum", "&& before + offset <= ACCESSES) sum"),
    "a vote of those that have entries": (
        "all_have ? found[k].is_used : __any_sync",
        "true ? found[k].is_used : __any_sync",
    ),
}


@pytest.mark.parametrize("name", sample(MISTAKES, (), [*MISTAKES][:2]))
def test_a_mistake_is_seen(cuda: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    norm = GroupNorm(cuda, np.float32, (40, 5, 5, 49))
    expected = norm.written_out()
    seen = pytest.raises((AssertionError, norm.layer._launcher.driver.DriverError))
    with changed(norm.layer, monkeypatch, *MISTAKES[name]), watched("forward"), seen:
        norm.check(norm.in_runs(), expected)
    norm.check(norm.in_runs(), expected)


@pytest.mark.ci
def test_what_kernels_cannot_do_with_runs_is_refused(cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    norm = GroupNorm(cuda, np.float32, (2, 3, 4, 12))
    gamma, beta = (Runs(cuda, each, (2, 3, 4), (0, 4, 1), 12) for each in norm.parameters)
    others = Runs(cuda, norm.parameters[0], (2, 3, 8), (0, 1, 1), 6)
    with pytest.raises(ValueError, match="gamma has runs of 12 entries and beta of 6; pass both in runs of one"):
        norm.layer.forward(norm.x, gamma, others)
    with pytest.raises(ValueError, match="out for y has one entry for each run, and only gradients"):
        norm.layer.forward(norm.x, gamma, beta, out=norm.sums())
    with pytest.raises(ValueError, match="gamma has an entry for each run, which is for rows"):
        cuda_of("layer_norm").forward(norm.x, gamma, None)
    _, saved = norm.layer.forward(norm.x, gamma, beta)
    (device,) = [each for each in norm.layer._launcher.devices.DEVICES.values() if each.modules]
    monkeypatch.setattr(device, "block_shared", 64)
    with pytest.raises(ValueError, match="backward keeps sums of runs of 12 entries in 64 bytes of shared memory"):
        norm.layer.backward(saved, norm.dy, out=norm.outs())
