"""Calls of kernels, by the extension and by ctypes: what they are given, what is refused, and that nothing is kept."""

import gc
import sys
import sysconfig
import threading
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from lngen.runtime.native import binding, extensions
from lngen.runtime.native import compiler as host_compiler
from tests.requirements import needs_gxx
from tests.runtime.native import host_kernels

pytestmark = needs_gxx
HEADERS = (Path(sysconfig.get_path("include")) / "Python.h").exists()


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> host_compiler.Library:
    return host_compiler.library(host_kernels.written(tmp_path_factory.mktemp("kernels")), [])


@pytest.fixture(
    params=[pytest.param("extension", marks=pytest.mark.skipif(not HEADERS, reason="no headers of Python")), "ctypes"]
)
def call(request: pytest.FixtureRequest) -> binding.Call:
    return binding.by_ctypes if request.param == "ctypes" else extension()


def extension() -> binding.Call:
    found: binding.Call = extensions.extension("binding")
    assert found is not None
    return found


def test_pointers_numbers_and_sizes(call: binding.Call, library: host_compiler.Library) -> None:
    x, y = np.arange(6, dtype=np.float32), np.zeros(6, np.float32)
    x.flags.writeable = False
    call(binding.step(library.address("axpy"), [0, 1], [0]), (x, y), (0.5,), (2, 6))
    assert y.tolist() == [0, 0, 1, 1.5, 2, 2.5]


@pytest.mark.parametrize("count", [4, 33, 40])
def test_what_is_not_there_and_any_number_of_each(
    call: binding.Call, library: host_compiler.Library, count: int
) -> None:
    found = np.zeros(3)
    empty, half = np.empty((0, 3)), np.ones(2, ml_dtypes.bfloat16)
    swapped, odd = np.ones(3, ">f4"), np.zeros(9, np.uint8)[1:].view(np.float64)
    arrays: list[Any] = [found, None, half, swapped, odd, np.zeros(8, np.uint8), np.zeros(3, np.int8), None, empty]
    arrays = arrays[:count] + [None, half] * ((count - 8) // 2)
    numbers, sizes = (0.0,) * (count - 1) + (2.5,), (len(arrays), count, count) + (0,) * (count - 4) + (2**53,)
    steps = binding.step(library.address("given"), range(len(arrays)), range(len(numbers)))
    call(steps, tuple(arrays), numbers, sizes)
    bits = sum(1 << i for i, array in enumerate(arrays) if array is not None and array is not empty)
    assert int(found[0]) & ~(1 << 8) == bits
    assert found[1:].tolist() == [2.5, 2.0**53]


def test_several_kernels_on_some_of_several_samples(call: binding.Call, library: host_compiler.Library) -> None:
    shared, own = np.arange(3, dtype=np.float32), np.zeros((4, 3), np.float32)
    shared_by_all = np.broadcast_to(shared, own.shape)
    axpy = library.address("axpy")
    steps = binding.step(axpy, [0, 2], [1]) + binding.step(axpy, [2, 2], [0])
    call(steps, (shared_by_all, None, own), (1.0, 2.0), (0, 3), (0, 0, own.strides[0]), 1, 3)
    assert own.tolist() == [[0.0] * 3, [0, 4, 8], [0, 4, 8], [0.0] * 3]


@pytest.mark.parametrize("array", [np.ones(4)[::2], np.ones((3, 4)).T])
def test_arrays_that_are_refused(call: binding.Call, library: host_compiler.Library, array: Any) -> None:
    first = np.zeros(8)
    with pytest.raises(ValueError, match="not C-contiguous"):
        call(binding.step(library.address("axpy"), [0, 1], [0]), (first, array, first), (1.0,), (0, 0))


@pytest.mark.parametrize(("steps", "numbers", "sizes"), [(b"", ("a",), ()), (b"", (), (1.5,)), ("a", (), ())])
def test_arguments_that_are_refused(
    call: binding.Call, library: host_compiler.Library, steps: Any, numbers: Any, sizes: Any
) -> None:
    kernel = binding.step(library.address("axpy"), [], [0])
    with pytest.raises(TypeError):
        call(steps if isinstance(steps, str) else kernel, (), numbers, sizes)


@pytest.mark.ci
def test_nothing_is_kept_of_a_call(call: binding.Call, library: host_compiler.Library) -> None:
    x, y, view = np.ones(4, np.float32), np.zeros(4, np.float32), np.zeros(16, np.uint8)
    arrays, numbers, sizes = (x, y, view, None), (1.5,), (0, 4)
    bad = (x, view, np.ones(4)[::2])
    steps = binding.step(library.address("axpy"), [0, 1], [0])

    def counts() -> list[int]:
        gc.collect()
        return [sys.getrefcount(value) for value in (x, y, view, None, arrays, numbers[0], steps, TypeError)]

    before, blocks = counts(), sys.getallocatedblocks()
    for _ in range(10_000):
        call(steps, arrays, numbers, sizes)
    for _ in range(1000):
        with pytest.raises(ValueError, match="contiguous"):
            call(steps, bad, numbers, sizes)
    assert y.tolist() == [15000.0] * 4
    assert all(abs(after - first) < 50 for after, first in zip(counts(), before, strict=True))
    assert sys.getallocatedblocks() - blocks < 500


def test_other_threads_go_on_during_a_large_call(call: binding.Call, library: host_compiler.Library) -> None:
    flag = np.zeros(2**16, np.float32)
    other = threading.Timer(0.02, flag.fill, [1.0])
    other.start()
    call(binding.step(library.address("wait"), [0], []), (flag,), (), ())
    other.join()
    assert flag[1] == 1
