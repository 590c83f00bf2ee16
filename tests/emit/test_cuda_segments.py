"""Rows in segments that lie apart or share an entry, through `cuda_backend.py`: on the GPU where there is one, else on
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


class Segments:
    """An array whose last two axes are the features of a row, with strides in entries."""

    def __init__(self, cuda: Any, base: Any, shape: Shape, strides: Shape) -> None:
        self.base = cuda.gpuarray.to_gpu(base)
        self.__cuda_array_interface__ = {
            "shape": shape,
            "typestr": "<V2" if base.dtype == BF16 else base.dtype.str,
            "data": (int(self.base.gpudata), False),
            "strides": tuple(stride * base.itemsize for stride in strides),
            "version": 2,
            "segments": True,
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
    """Entries of an access in kernels of rows in segments."""
    modules = [each for device in layer._launcher.devices.DEVICES.values() for each in device.modules.items()]
    return {module.vector for (_, wanted, *_), module in modules if wanted.segment}


def channels(cuda: Any, count: int, channels: int, length: int) -> tuple[Callable[..., Any], ...]:
    """Functions that put images of channels into rows, dense and where they lie, and get results of the latter."""

    def dense(image: Any) -> Any:
        return cuda.gpuarray.to_gpu(np.ascontiguousarray(image.transpose(1, 0, 2)).reshape(channels, count * length))

    def where_they_lie(image: Any) -> Any:
        return Segments(cuda, image, (channels, count, length), (length, channels * length, 1))

    def in_rows(found: Segments) -> Any:
        image = found.get().reshape(count, channels, length)
        return image.transpose(1, 0, 2).reshape(channels, count * length)

    return dense, where_they_lie, in_rows


IMAGES: dict[str, tuple[tuple[int, int, int], Any]] = {
    "of 16, in 4 accesses": ((3, 4, 16), np.float32),
    "of 49": ((3, 2, 49), BF16),
}


def of_channels(cuda: Any, dtype: Any, shape: tuple[int, int, int]) -> tuple[Any, Any]:
    """Results of batch norm on rows that are written out, and on rows where they lie."""
    layer = cuda_of("batch_norm")
    dense, where_they_lie, in_rows = channels(cuda, *shape)
    x, dy = (normal(shape, dtype, seed) for seed in range(2))
    gamma, beta = (cuda.gpuarray.to_gpu(normal(shape[1:2], dtype, seed)) for seed in (2, 3))
    outs, saved = layer.forward(dense(x), gamma, beta)
    expected = [each.get() for each in (*outs, *layer.backward(saved, dense(dy), None, None))]
    y, dx = (where_they_lie(np.full(shape, np.nan, dtype)) for _ in range(2))
    outs, saved = layer.forward(where_they_lie(x), gamma, beta, out=(y, None, None))
    gradients = layer.backward(saved, where_they_lie(dy), None, None, out=(dx, None, None))
    found = [in_rows(y), *(each.get() for each in outs[1:]), in_rows(dx), *(each.get() for each in gradients[1:])]
    return expected, found


@pytest.mark.parametrize("name", sample(IMAGES, (), ["of 16, in 4 accesses"]))
def test_features_are_read_where_they_lie(cuda: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Channels of images, to the bits; not if segments are taken to be one behind the other."""
    shape, dtype = IMAGES[name]
    with watched("reverse"):
        expected, found = of_channels(cuda, dtype, shape)
    assert all(one.tobytes() == other.tobytes() for one, other in zip(expected, found, strict=True))
    if dtype == BF16:
        return  # the mistake is seen in one type
    places = importlib.import_module("generated._runtime.cuda.places").RowPlaces
    of_kernel = places.of_kernel
    with monkeypatch.context() as patch:
        patch.setattr(places, "of_kernel", lambda self, *of: of_kernel(self._replace(between={}), *of))
        cuda_of("batch_norm")._LAYER.plans.clear()
        expected, found = of_channels(cuda, dtype, shape)
        assert not any(one.tobytes() == other.tobytes() for one, other in zip(expected, found, strict=True))
    cuda_of("batch_norm")._LAYER.plans.clear()


class GroupNorm:
    """Group norm whose scale and shift have an entry for each segment, with all results, also written out."""

    def __init__(self, cuda: Any, dtype: Any, shape: tuple[int, int, int, int]) -> None:
        self.cuda, self.layer, self.shape, self.dtype = cuda, cuda_of("group_norm"), shape, dtype
        count, groups, segments, length = shape
        self.rows = count, groups, segments * length
        self.x, self.dy = (cuda.gpuarray.to_gpu(normal(self.rows, dtype, seed)) for seed in range(2))
        self.parameters = [normal((groups, segments), dtype, seed) for seed in (2, 3)]

    def written_out(self) -> tuple[Any, list[Any]]:
        full = [np.repeat(each, self.shape[-1], -1) for each in self.parameters]
        given = [self.cuda.gpuarray.to_gpu(np.ascontiguousarray(np.broadcast_to(each, self.rows))) for each in full]
        y, saved = self.layer.forward(self.x, *given)
        return y.get(), [each.get() for each in self.layer.backward(saved, self.dy)]

    def sums(self) -> Segments:
        count, groups, segments, _ = self.shape
        made = np.full((count, groups, segments), np.nan, np.float32)
        return Segments(self.cuda, made, self.shape, (groups * segments, segments, 1, 0))

    def in_segments(self, out: Any = None) -> tuple[Any, list[Any]]:
        strides = 0, self.shape[2], 1, 0
        given = [Segments(self.cuda, each, self.shape, strides) for each in self.parameters]
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
    "several segments a warp, several rows a block": ((5, 3, 4, 16), BF16, "random"),
    "long rows": ((1, 1, 3, 20000), np.float32, "random"),
    "a segment a row": ((2, 2, 1, 36), BF16, "forward"),
    "an access a segment": ((2, 2, 64, 4), np.float32, "random"),
    "warps share segments": ((1, 2, 7, 196), np.float32, "reverse"),
}


@pytest.mark.parametrize("name", sample(SHAPES, (), [*SHAPES][:2]))
def test_gradients_of_shared_features_are_sums_by_segment(cuda: Any, name: str) -> None:
    """The same bits in each order of threads."""
    shape, dtype, schedule = SHAPES[name]
    norm = GroupNorm(cuda, dtype, shape)
    _forget(norm.layer)
    expected, found = norm.written_out(), norm.in_segments()
    norm.check(found, expected)
    assert _vectors(norm.layer) == {gcd(shape[-1], 16 // np.dtype(dtype).itemsize)}
    with watched(schedule):
        again = norm.in_segments()
    assert all(one.tobytes() == other.tobytes() for one, other in zip(found[1], again[1], strict=True))


MISTAKES = {
    "parts that are not cleared": ("if (nth < PARTS) part = sum[0];", "if (nth < 0) part = sum[0];"),
    "a segment too few": ("segment < SEGMENTS && here.live", "segment < SEGMENTS - 1 && here.live"),
    "a lane of the next segment": ("&& before + offset < ACCESSES) sum", "&& before + offset <= ACCESSES) sum"),
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
        norm.check(norm.in_segments(), expected)
    norm.check(norm.in_segments(), expected)


@pytest.mark.ci
def test_sums_by_segment_beside_sums_over_rows(cuda: Any) -> None:
    """One gradient is added up in each segment of a row, another over samples."""
    norm = GroupNorm(cuda, np.float32, (5, 3, 4, 12))
    (y_known, (dx_known, dgamma_known, dbeta_known)), shape = norm.written_out(), norm.shape
    over_samples = Segments(cuda, np.full(shape[1:], np.nan, np.float32), shape, (0, 48, 12, 1))
    y, (dx, dgamma, dbeta) = norm.in_segments(out=(None, norm.sums(), over_samples))
    norm.check((y, [dx, dgamma]), (y_known, [dx_known, dgamma_known]))
    terms = dbeta_known.astype(np.float64).reshape(shape)
    assert np.all(np.abs(dbeta - terms.sum(0)) <= shape[0] * ROUNDING * np.abs(terms).sum(0))


@pytest.mark.ci
def test_what_kernels_cannot_do_with_segments_is_refused(cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    norm = GroupNorm(cuda, np.float32, (2, 3, 4, 12))
    gamma, beta = (Segments(cuda, each, norm.shape, (0, 4, 1, 0)) for each in norm.parameters)
    others = Segments(cuda, norm.parameters[0], (2, 3, 8, 6), (0, 1, 1, 0))
    with pytest.raises(
        ValueError, match="gamma has segments of 12 entries and beta of 6; pass both in segments of one"
    ):
        norm.layer.forward(norm.x, gamma, others)
    with pytest.raises(ValueError, match="out for y has one entry for each segment, and only gradients"):
        norm.layer.forward(norm.x, gamma, beta, out=norm.sums())
    with pytest.raises(ValueError, match="gamma is in segments, which is for rows"):
        cuda_of("layer_norm").forward(norm.x, gamma, None)
    _, saved = norm.layer.forward(norm.x, gamma, beta)
    both = Segments(cuda, norm.parameters[0], norm.shape, (0, 4, 1, 0))
    with pytest.raises(ValueError, match="out for dgamma has stride 0 along axis 0 and in its segments"):
        norm.layer.backward(saved, norm.dy, out=(None, both, None))
    (device,) = [each for each in norm.layer._launcher.devices.DEVICES.values() if each.modules]
    monkeypatch.setattr(device, "block_shared", 64)
    with pytest.raises(ValueError, match="backward keeps sums of segments of 12 entries in 64 bytes of shared memory"):
        norm.layer.backward(saved, norm.dy, out=norm.outs())
