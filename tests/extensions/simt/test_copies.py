"""Copies that a thread starts and awaits later: what arrives when, and what the checker says of who is too early."""

from pathlib import Path

import numpy as np
import pytest

from lngen import runtime
from lngen.extensions import simt
from lngen.runtime.includes import inlined
from tests.requirements import needs_gxx
from tests.tiers import sample

pytestmark = pytest.mark.cuda

FOLDER = Path(next(iter(runtime.__path__))) / "cuda"

# Each thread keeps `AHEAD` entries of its own on the way through a ring of slots.
SOURCE = r"""
#include "copies.cuh"
#include "rows.cuh"
using namespace lngen;

template <int PENDING, int SLOTS> __device__ void through_a_ring(const float* x, float* y, int n) {
  extern __shared__ float cells[];
  float* ring = cells + threadIdx.x;
  for (int i = 0; i < SLOTS - 1; ++i) {
    if (i < n) copy_async<4>(ring + i * blockDim.x, x + i * blockDim.x + threadIdx.x);
    close_copies();
  }
  for (int i = 0; i < n; ++i) {
    const int ahead = i + SLOTS - 1;
    if (ahead < n) copy_async<4>(ring + ahead % SLOTS * blockDim.x, x + ahead * blockDim.x + threadIdx.x);
    close_copies();
    await_copies<PENDING>();
    y[i * blockDim.x + threadIdx.x] = ring[i % SLOTS * blockDim.x];  // ring
  }
}
template <int BYTES> __device__ void reversed(const char* x, char* y) {
  extern __shared__ __align__(16) char bytes[];
  copy_async<BYTES>(bytes + BYTES * threadIdx.x, x + BYTES * threadIdx.x);
  close_copies();
  await_copies<0>();
  __syncthreads();
  for (int i = 0; i < BYTES; ++i) y[BYTES * threadIdx.x + i] = bytes[BYTES * (blockDim.x - 1 - threadIdx.x) + i];
}
template <int MORE> __device__ void entries_in_words(const half* x, half* y, int n) {
  extern __shared__ __align__(4) unsigned char bytes[];
  const half* own = x + threadIdx.x;
  unsigned char* words = bytes + 4 * threadIdx.x;
  for (int i = 0; i < n; ++i) copy_entry_async(words + 4 * i * blockDim.x, own, i * blockDim.x + MORE);
  close_copies();
  await_copies<0>();
  for (int i = 0; i < n; ++i) y[i * blockDim.x + threadIdx.x] = *entry_copied(words + 4 * i * blockDim.x, own);
}

extern "C" {
__global__ void entries(const half* x, half* y, int n) { entries_in_words<0>(x, y, n); }
__global__ void entries_past_the_source(const half* x, half* y, int n) { entries_in_words<2>(x, y, n); }

__global__ void ring(const float* x, float* y, int n) { through_a_ring<2, 3>(x, y, n); }
__global__ void ring_too_early(const float* x, float* y, int n) { through_a_ring<3, 3>(x, y, n); }

__global__ void reversed_4(const char* x, char* y) { reversed<4>(x, y); }
__global__ void reversed_8(const char* x, char* y) { reversed<8>(x, y); }
__global__ void reversed_16(const char* x, char* y) { reversed<16>(x, y); }

#define ONE_CELL                                                      \
  extern __shared__ float cells[];                                    \
  const int t = threadIdx.x, other = (t + 1) % blockDim.x;            \
  cells[t] = -1;                                                      \
  __syncthreads();

__global__ void never_closed(const float* x, float* y) {
  ONE_CELL
  copy_async<4>(cells + t, x + t);  // started never_closed
  await_copies<0>();
  y[t] = cells[t];  // never_closed
}
__global__ void never_awaited(const float* x, float* y) {
  ONE_CELL
  copy_async<4>(cells + t, x + t);  // started never_awaited
  close_copies();
  __syncthreads();
  y[t] = cells[other];  // never_awaited
}
__global__ void awaited_after_the_barrier(const float* x, float* y) {
  ONE_CELL
  copy_async<4>(cells + t, x + t);  // started awaited_after_the_barrier
  close_copies();
  __syncthreads();
  await_copies<0>();
  y[t] = cells[other];  // awaited_after_the_barrier
}
__global__ void no_barrier(const float* x, float* y) {
  ONE_CELL
  copy_async<4>(cells + t, x + t);  // started no_barrier
  close_copies();
  await_copies<0>();
  y[t] = cells[other];  // no_barrier
}
__global__ void written_meanwhile(const float* x, float* y) {
  ONE_CELL
  copy_async<4>(cells + t, x + t);  // started written_meanwhile
  close_copies();
  cells[t] = 3;  // written_meanwhile
  await_copies<0>();
}
__global__ void started_twice(const float* x, float* y) {
  ONE_CELL
  for (int i = 0; i < 2; ++i) copy_async<4>(cells + t, x + t);  // started started_twice
  close_copies();
  await_copies<0>();
}
__global__ void over_what_is_read(const float* x, float* y) {
  ONE_CELL
  y[t] = cells[other];  // over_what_is_read
  copy_async<4>(cells + t, x + t);  // started over_what_is_read
  close_copies();
  await_copies<0>();
}
__global__ void started_before_the_barrier(const float* x, float* y) {
  ONE_CELL
  if (t == 0) y[t] = cells[1];  // started_before_the_barrier
  if (t == 1) copy_async<4>(cells + t, x + t);  // started started_before_the_barrier
  close_copies();
  __syncthreads();
  await_copies<0>();
}
__global__ void past_the_source(const float* x, float* y) {
  ONE_CELL
  copy_async<4>(cells + t, x + t + 1);  // past_the_source
  close_copies();
  await_copies<0>();
}
__global__ void past_shared_memory(const float* x, float* y) {
  ONE_CELL
  copy_async<4>(cells + t + 1, x + t);  // past_shared_memory
}
__global__ void unaligned_source(const float* x, float* y) {
  ONE_CELL
  if (t < 4) copy_async<16>(cells + 4 * t, x + 4 * t + 1);  // unaligned_source
}
__global__ void unaligned_place(const float* x, float* y) {
  ONE_CELL
  if (t < 4) copy_async<8>(cells + 2 * t + 1, x + 2 * t);  // unaligned_place
}
__global__ void from_shared_memory(const float* x, float* y) {
  ONE_CELL
  copy_async<4>(cells + t, cells + other);  // from_shared_memory
}
__global__ void unwritten_source(const float* x, float* y) {
  ONE_CELL
  copy_async<4>(cells + t, y + t);  // unwritten_source
}
__global__ void left_behind(const float* x, float* y) {
  ONE_CELL
  copy_async<4>(cells + t, x + t);
  close_copies();
  await_copies<1>();
}
}
"""

THREADS = 64


@pytest.fixture(scope="module")
def kernels():
    return simt.build(inlined(FOLDER / "kernels.cu", SOURCE), check=True)


@needs_gxx
@pytest.mark.parametrize("check", sample([False, True], [True]))
@pytest.mark.parametrize("schedule", ["forward", "reverse", "random"])
def test_a_ring_of_copies(kernels, schedule, check):
    x = np.random.default_rng(0).normal(size=(7, THREADS)).astype(np.float32)
    y = simt.Uninitialised(np.empty_like(x))
    kernels["ring"](1, THREADS, 12 * THREADS, x, y, 7, schedule=schedule, check=check)
    assert np.array_equal(y.array, x)


@needs_gxx
@pytest.mark.parametrize("size", [4, 8, 16])
def test_what_a_copy_brings_others_read_after_a_barrier(kernels, size):
    x = np.random.default_rng(0).integers(-128, 128, (THREADS, size)).astype(np.int8)
    y = np.zeros_like(x)
    kernels[f"reversed_{size}"](3, THREADS, size * THREADS, x, y, check=True, blocks=range(1))
    assert np.array_equal(y, x[::-1])


@needs_gxx
@pytest.mark.parametrize("begins", [0, 1])
def test_a_copy_of_an_entry_takes_nothing_from_beyond_it(kernels, begins):
    """The array begins within a word of memory, or ends there."""
    x = np.random.default_rng(0).normal(size=3 * THREADS + begins).astype(np.float16)[begins:]
    y = simt.Uninitialised(np.empty_like(x))
    kernels["entries"](1, THREADS, 12 * THREADS, x, y, 3, check=True)
    assert np.array_equal(y.array, x)
    with pytest.raises(simt.KernelFault, match="read of 2 bytes at byte 384 of x, which has 384"):
        kernels["entries_past_the_source"](1, THREADS, 12 * THREADS, x, y, 3, check=True)


@needs_gxx
@pytest.mark.ci
def test_without_the_checker_what_is_read_too_early_is_what_was_there(kernels):
    x, y = np.arange(7 * THREADS, dtype=np.float32).reshape(7, THREADS), np.zeros((7, THREADS), np.float32)
    kernels["ring_too_early"](1, THREADS, 12 * THREADS, x, y, 7, check=False)
    assert np.isnan(y[:3]).all()
    assert np.array_equal(y[3:], x[:4])  # of the last time around
    for name in ("never_closed", "never_awaited"):
        kernels[name](1, THREADS, 4 * THREADS, x, y, check=False)
        assert (y[0] == -1).all()


@needs_gxx
def test_copies_that_nobody_reads_need_not_be_awaited(kernels):
    kernels["left_behind"](2, THREADS, 4 * THREADS, np.ones(64, np.float32), np.zeros(64, np.float32), check=True)


TOO_EARLY = ["never_closed", "never_awaited", "written_meanwhile", "started_twice"]


@needs_gxx
@pytest.mark.parametrize("schedule", ["forward", "reverse", "random"])
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "copy in flight") for name in TOO_EARLY),
        ("no_barrier", "data race"),
        ("over_what_is_read", "data race"),
    ],
)
def test_who_comes_between_start_and_arrival(kernels, name, kind, schedule):
    finding = fault(kernels, name, kind, schedule)
    assert (finding.kind, finding.buffer) == (kind, "shared memory")
    assert f"copies.cuh (called from {line_of(f'// started {name}')})" in str(finding)
    if name != "started_twice":
        assert f"line {line_of(f'// {name}')}" in str(finding)


@needs_gxx
@pytest.mark.parametrize("schedule", ["forward", "reverse", "random"])
@pytest.mark.parametrize("name", ["awaited_after_the_barrier", "started_before_the_barrier"])
def test_a_barrier_orders_what_is_awaited_before_it_and_started_after_it(kernels, name, schedule):
    """The finding depends on whether the copy is started or awaited when the other thread reads."""
    finding = fault(kernels, name, "copy in flight|data race", schedule)
    assert f"line {line_of(f'// {name}')}" in str(finding)


@needs_gxx
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("past_the_source", "out of bounds: read of 4 bytes at byte 256 of x, which has 256"),
        ("past_shared_memory", "out of bounds: a copy of 4 bytes to an address outside shared memory"),
        ("unaligned_source", "misaligned access: a copy of 16 bytes from an address that is 4 past a multiple of 16"),
        ("unaligned_place", "misaligned access: a copy of 8 bytes to an address that is 4 past a multiple of 8"),
        ("from_shared_memory", "out of bounds: a copy of 4 bytes from an address outside global memory"),
        ("unwritten_source", "uninitialised read: read of 4 bytes at byte 0 of y, which has 256"),
    ],
)
def test_a_copy_of_what_is_not_there(kernels, name, message):
    assert line_of(f"// {name}") in fault(kernels, name, message).callers


def fault(kernels, name, message, schedule="forward"):
    x, y = np.ones(THREADS, np.float32), simt.Uninitialised(np.empty(THREADS, np.float32))
    with pytest.raises(simt.KernelFault, match=message) as caught:
        kernels[name](1, THREADS, 4 * THREADS, x, y, check=True, schedule=schedule)
    return caught.value.findings[0]


def line_of(text):
    lines = [number for number, line in enumerate(SOURCE.splitlines(), 1) if line.endswith(text)]
    assert len(lines) == 1, text
    return lines[0]
