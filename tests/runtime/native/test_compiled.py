"""Kernels called by ctypes with addresses: arguments, chunks, the workspace, and other threads of Python."""

from __future__ import annotations

import gc
import struct
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lngen.runtime.native import compiled
from lngen.runtime.native.compiled import CompiledDirection, CompiledKernels
from lngen.runtime.native.compiler import library
from tests.requirements import needs_gxx

pytestmark = needs_gxx

# `rows` notes the sizes that it is passed for each chunk, leaves the chunk's number in the workspace, and `ends` adds
# these up. The sizes are the rows, D, the number of chunks, the first one, the one to stop before, if results are
# streamed, and the length of runs.
TEXT = """\
#include <ctime>

static double* space(void* from) { return (double*)(((unsigned long long)from + 127) / 128 * 128); }

extern "C" void rows(void* const* arrays, const double* numbers, const long long* sizes) {
  double* to = (double*)arrays[0];
  for (long long chunk = sizes[3]; chunk < sizes[4]; ++chunk) {
    to[8 * chunk] = arrays[1] ? 1 : 0;
    to[8 * chunk + 1] = numbers[0];
    for (int i = 0; i < 6; ++i) to[8 * chunk + 2 + i] = sizes[i < 3 ? i : i + 1];
#ifndef ALONE
    space(arrays[2])[chunk] = chunk + 1;
#endif
  }
}
extern "C" void ends(void* const* arrays, const double* numbers, const long long* sizes) {
  double* to = (double*)arrays[1];
  to[0] = to[1] = 0;
  for (long long chunk = 0; chunk < sizes[2]; ++chunk) to[0] += space(arrays[0])[chunk];
  to[1] = numbers[0];
#ifdef LNGEN_WITHOUT_gamma
  to[1] = -1;
#endif
}
// Waits for another thread to write, for a second at most; the second entry then tells whether one did.
extern "C" void wait(void* const* arrays, const double*, const long long*) {
  volatile float* flag = (float*)arrays[0];
  const std::clock_t begin = std::clock();
  while (!flag[0] && std::clock() - begin < CLOCKS_PER_SEC) {}
  flag[1] = flag[0];
}
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compiled") / "small.cpp"
    path.write_text(TEXT)
    return path


def called(kernels: Any, rows: int, D: int, threads: int = 1, **ends: Any) -> list[list[float]]:
    """Return what each chunk of a call was passed: a flag for the second array, a number, and sizes."""
    found = np.full((compiled.CHUNKS, 8), -1.0)
    kernels((found.ctypes.data, 0), (2.5,), rows, D, threads, **ends)
    return [row for row in found.tolist() if row[1] != -1]


@pytest.fixture
def alone(source: Path) -> Any:
    direction = CompiledDirection(str(source), "small", "rows")
    return direction.compiled(("LNGEN_ROWS=f32", "LNGEN_COMPUTED=f32", "ALONE")).call


@pytest.fixture
def summed(source: Path) -> CompiledDirection:
    return CompiledDirection(str(source), "small", "rows", "ends", optional=["gamma"], sums=(2, 1))


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize(
    ("rows", "D", "chunks"),
    [(1, 7, 1), (0, 7, 1), (3, 0, 1), (32, 1024, 1), (64, 1024, 2), (1, 2**20, 1), (4096, 1024, 16), (3, 2**16, 3)],
)
def test_call_any_shape_cuts_rows_into_the_same_chunks(alone, rows, D, chunks, threads):
    streams = float(rows * D * 4 >= compiled.STREAMED_BYTES)
    found = called(alone, rows, D, threads)
    assert len(found) == chunks
    assert [row[:5] for row in found] == [[0, 2.5, rows, D, chunks]] * chunks
    assert [row[6] for row in found] == [streams] * chunks


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(("rows", "D", "chunks"), [(1, 8, 1), (64, 1024, 2), (200, 1024, 6), (100, 4096, 4)])
def test_call_sums_over_rows_are_ended_once(summed, rows, D, chunks, threads):
    total = np.zeros(2)
    assert len(called(summed["f64", False], rows, D, threads, ends=(total.ctypes.data,))) == chunks
    assert total.tolist() == [chunks * (chunks + 1) / 2, 2.5]


def test_direction_of_left_out_value_compiles_it_away(summed):
    total = np.zeros(2)
    called(summed["f64", True], 1, 8, ends=(total.ctypes.data,))
    assert total.tolist() == [1, -1]
    for key in (("f64", True, False), ("f8", True)):
        with pytest.raises((ValueError, KeyError)):
            summed[key]


def test_direction_called_again_does_not_compile(summed, monkeypatch):
    first = summed["f32", False]
    monkeypatch.setattr(compiled.host_compiler, "library", lambda *given: pytest.fail("compiled again"))
    assert summed["f32", False] is first


def test_call_more_features_than_an_int_counts_is_refused(alone):
    for rows in (0, 1):
        with pytest.raises(ValueError, match=r"2\*\*30 at most; numpy_backend takes any"):
            alone((0, 0), (1.0,), rows, 2**30 + 1)


@pytest.mark.parametrize("arrays", [(None, 0), (1.5, 0), ("x", 0)])
def test_call_with_other_addresses_is_refused(alone, arrays: Sequence[Any]):
    with pytest.raises(struct.error):
        alone(arrays, (1.0,), 1, 8)


def test_call_keeps_nothing(summed):
    found, total = np.zeros((16, 8)), np.zeros(2)
    kernels, arrays, ends = summed["f64", False], (found.ctypes.data, 0), (total.ctypes.data,)
    for _ in range(10):
        kernels(arrays, (1.5,), 4, 8, ends=ends)
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(5000):
        kernels(arrays, (1.5,), 4, 8, ends=ends)
    assert sys.getallocatedblocks() - before < 500


@pytest.mark.parametrize(("rows", "goes_on"), [(compiled.HELD_ENTRIES, 0), (compiled.HELD_ENTRIES + 1, 1)])
def test_other_threads_go_on_during_a_large_call_alone(source, rows, goes_on):
    flag = np.zeros(2, np.float32)
    kernels = CompiledKernels([library(source, []).address("wait")], (0, 0), 4, 4)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1.0)  # the other thread has no turn between two lines of Python
    try:
        other = threading.Timer(0.02, flag[:1].fill, [1.0])
        other.start()
        kernels.call((flag.ctypes.data,), (), rows, 1)
    finally:
        sys.setswitchinterval(interval)
    other.join()
    assert flag[1] == goes_on
