"""The device that is measured: that bytes are moved, that wrong results are not timed, that all kernels compile."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from benchmarks import comparators, grid, layers, measure
from benchmarks.device import Device, opened
from lngen.toolchain import nvrtc
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
    device.two_reads(one.ptr, other.ptr, target.ptr, size)
    wanted = one.get().view(np.uint32) ^ other.get().view(np.uint32)
    np.testing.assert_array_equal(target.get().view(np.uint32)[: size // 4], wanted[: size // 4])


@needs_device
def test_buffers_hold_normal_deviates_to_their_end(device: Device) -> None:
    values = device.filled((3, 2**18 + 5), np.dtype(np.float32), 0).get()
    assert np.isfinite(values).all()
    assert abs(values.std() - 1) < 0.01
    assert values[-1, -5:].std() > 0


@needs_device
def test_a_layer_is_measured(device: Device) -> None:
    found = measure.layer("rms_norm", grid.Case("f32", 64, 6), device, rounds=2)
    assert set(found["sections"]) == {*measure.COPIES, "two reads, one write", "forward", "backward"}
    assert found["sections"]["backward"]["bytes"] == 3 * 6 * 64 * 4
    assert 0 < found["error_over_bound"] < 1


@needs_device
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.ci
def test_a_layer_is_measured_beside_torch(compiled: bool, device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch is made up here; it is the order of the calls that is looked at, and what is recorded of them."""
    torch = MagicMock()
    torch.compile.side_effect = lambda function, **_: function
    config = SimpleNamespace(donated_buffer=True)
    monkeypatch.setitem(sys.modules, "torch._functorch.config", config)
    name = next(iter(comparators.FUNCTIONS))
    found = measure.layer(name, grid.Case("bf16", 64, 6), device, rounds=2, torch=torch, compiled=compiled)
    prefix = "torch compiled" if compiled else "torch"
    assert {f"{prefix} forward", f"{prefix} backward"} < set(found["sections"])
    forward, theirs = found["sections"]["forward"], found["sections"][f"{prefix} forward"]
    assert forward["bytes"] == theirs["bytes"] == 2 * 6 * 64 * 2
    assert torch.compile.called is compiled
    assert config.donated_buffer is not compiled
    # Once on each set of buffers, then two rounds to warm up and two that count.
    assert torch.autograd.grad.call_count == found["sets"] + 4


@needs_device
@pytest.mark.ci
def test_a_wrong_result_is_not_timed(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    (name, *_) = layers.names()
    calls = layers.Calls(name, grid.Case("f32", 64, 6), device)
    right = calls.forward

    def wrong(chosen: int) -> None:
        right(chosen)
        output = next(iter(calls.sets[chosen].outputs.values()))
        device.cuda.memset_d32(output.ptr, 0, 64)

    monkeypatch.setattr(calls, "forward", wrong)
    with pytest.raises(layers.WrongResult, match=r"y of .* times the error that is allowed"):
        calls.verify()


@needs_device
def test_the_host_time_of_a_call(device: Device) -> None:
    (name, *_) = layers.names()
    found = measure.overhead(name, grid.Case("f32", 64, 2), device, calls=3)
    assert [entry["call"] for entry in found] == ["forward", "backward"]
    assert all(entry["microseconds"][1] > 0 for entry in found)


@needs_nvrtc
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90", "sm_100"])
def test_the_kernels_compile_for_a_gpu_and_spill_nothing(architecture: str) -> None:
    built = nvrtc.compile(SOURCE.read_text(encoding="utf-8"), architecture)
    assert set(built.resources) == {"copy", "two_reads", "hold"}
    assert all((used.spill_stores, used.spill_loads, used.stack) == (0, 0, 0) for used in built.resources.values())
