"""The device that is measured: that bytes are moved, and that the kernels of the roofs compile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.device import Device, opened
from lngen.checks.toolchain import nvrtc
from tests.requirements import has_gpu, needs_gxx, needs_nvrtc, needs_pycuda

pytestmark = pytest.mark.cuda
runs = [needs_pycuda, *([] if has_gpu() else [needs_gxx])]

SOURCE = Path(__file__).parents[2] / "benchmarks" / "bandwidth.cu"


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    with opened(emulated=not has_gpu()) as found:
        yield found


def needs_device(test: Any) -> Any:
    for mark in runs:
        test = mark(test)
    return test


@needs_device
@pytest.mark.parametrize("size", [16, 1024 * 16, 1024 * 16 + 16, 3 * 1024 * 16 - 16])
def test_every_byte_is_copied_and_none_besides(size: int, device: Device) -> None:
    one, other = (device.filled((size // 4 + 8,), np.dtype(np.float32), seed) for seed in (1, 2))
    target = device.filled((size // 4 + 8,), np.dtype(np.float32), 3)
    before = target.get().view(np.uint32)
    for copy in (device.copy, device.copy_by_driver):
        device.cuda.memcpy_dtod(target.ptr, other.ptr, size)
        copy(one.ptr, target.ptr, size)
        found = target.get().view(np.uint32)
        np.testing.assert_array_equal(found[: size // 4], one.get().view(np.uint32)[: size // 4])
        np.testing.assert_array_equal(found[size // 4 :], before[size // 4 :])
    device.triad(one.ptr, other.ptr, target.ptr, size)
    wanted = one.get().view(np.uint32) ^ other.get().view(np.uint32)
    np.testing.assert_array_equal(target.get().view(np.uint32)[: size // 4], wanted[: size // 4])


@needs_device
def test_buffers_hold_normal_deviates_to_their_end(device: Device) -> None:
    values = device.filled((3, 2**18 + 5), np.dtype(np.float32), 0).get()
    assert np.isfinite(values).all()
    assert abs(values.std() - 1) < 0.01
    assert values[-1, -5:].std() > 0


@needs_nvrtc
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100"])
def test_the_kernels_compile_for_a_gpu_and_spill_nothing(architecture: str) -> None:
    built = nvrtc.compile(SOURCE.read_text(encoding="utf-8"), architecture)
    assert set(built.resources) == {"copy", "triad", "hold"}
    assert all((used.spill_stores, used.spill_loads, used.stack) == (0, 0, 0) for used in built.resources.values())
