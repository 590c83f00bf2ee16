"""Barriers with a number, of some warps of a block: who waits for whom, and what that orders."""

from pathlib import Path

import numpy as np
import pytest

from lngen import runtime
from lngen.extensions import simt
from lngen.runtime.includes import inlined
from tests.requirements import needs_gxx
from tests.tiers import sample

pytestmark = [needs_gxx, pytest.mark.cuda]

FOLDER = Path(next(iter(runtime.__path__))) / "cuda"

SOURCE = r"""
#include "copies.cuh"
using namespace lngen;

extern "C" {
// A row has two warps and a barrier of its own; rows do not take the same number of steps.
__global__ void rows(const float* x, float* y, int steps) {
  extern __shared__ float cells[];
  const int row = threadIdx.x / 64, t = threadIdx.x % 64;
  float* mine = cells + 64 * row;
  float value = x[threadIdx.x];
  for (int step = 0; step < steps + row; ++step) {
    mine[t] = value;
    barrier<64>(row + 1);
    value = mine[(t + 1) % 64];
    barrier<64>(row + 1);
  }
  y[threadIdx.x] = value;
}
__global__ void then_all(float* y) {
  extern __shared__ float cells[];
  const int row = threadIdx.x / 64;
  cells[threadIdx.x] = threadIdx.x;
  barrier<64>(row + 1);
  cells[threadIdx.x ^ 32] += 1;
  __syncthreads();
  y[threadIdx.x] = cells[blockDim.x - 1 - threadIdx.x];
  __syncthreads();
  barrier<64>(2 - row);  // the rows have changed their numbers
  cells[threadIdx.x] = 0;
}
// What reaches a warp by way of another: 0 meets 1, and then 1 meets 2.
__global__ void in_a_chain(float* y) {
  extern __shared__ float cells[];
  const int warp = threadIdx.x / 32;
  if (warp == 0) cells[threadIdx.x] = threadIdx.x;
  if (warp <= 1) barrier<64>(1);
  if (warp >= 1) barrier<64>(2);
  if (warp == 2) y[threadIdx.x] = cells[threadIdx.x - 64];
}
__global__ void read_by_many(float* y, int meet) {
  extern __shared__ float cells[];
  const int warp = threadIdx.x / 32;
  if (threadIdx.x == 0) cells[0] = 1;
  __syncthreads();
  y[threadIdx.x] = cells[0];
  if (warp < 2) barrier<64>(1);
  if (meet) __syncthreads();
  if (threadIdx.x == 40) cells[0] = 2;  // read_by_many
}

__global__ void another_row(float* y) {
  extern __shared__ float cells[];
  cells[threadIdx.x] = threadIdx.x;
  barrier<64>(threadIdx.x / 64 + 1);
  y[threadIdx.x] = cells[threadIdx.x ^ 64];  // another_row
}
__global__ void not_met_yet(float* y) {
  extern __shared__ float cells[];
  const int warp = threadIdx.x / 32;
  if (warp <= 1) barrier<64>(1);
  if (warp == 0) cells[threadIdx.x] = threadIdx.x;
  if (warp == 1 || warp == 2) barrier<64>(2);
  barrier<128>(3);
  if (warp == 0) cells[threadIdx.x] = -1;  // not_met_yet
  if (warp == 2) y[threadIdx.x] = cells[threadIdx.x - 64];
}
__global__ void too_few(float*) {
  if (threadIdx.x < 32) barrier<64>(3);  // too_few
}
__global__ void exits(float*) {
  if (threadIdx.x == 63) return;
  barrier<128>(3);  // exits
}
__global__ void too_many(float*) { barrier<64>(3); }  // too_many
__global__ void half_a_warp(float*) {
  if (threadIdx.x % 32 < 16) barrier<64>(3);  // half_a_warp
}
__global__ void two_counts(float*) {
  if (threadIdx.x < 64) barrier<64>(3);
  else barrier<128>(3);  // two_counts
}
__global__ void number_of_all(float*) {
  if (threadIdx.x < 64) barrier<128>(0);  // number_of_all
  else __syncthreads();
}
__global__ void no_such_number(float*) { barrier<128>(16); }  // no_such_number
__global__ void no_whole_warps(float*) { simt_numbered_barrier(1, 40); }  // no_whole_warps
}
"""

SCHEDULES = [("forward", 0), ("reverse", 0), *(("random", seed) for seed in range(4))]


@pytest.fixture(scope="module")
def kernels():
    return simt.build(inlined(FOLDER / "kernels.cu", SOURCE), check=True)


@pytest.mark.parametrize("check", sample([False, True], [True]))
@pytest.mark.parametrize(("schedule", "seed"), SCHEDULES)
def test_each_row_has_its_own_barrier(kernels, schedule, seed, check):
    x, y = np.arange(256, dtype=np.float32), np.zeros(256, np.float32)
    kernels["rows"](1, 256, 1024, x, y, 3, check=check, schedule=schedule, seed=seed)
    assert np.array_equal(y.reshape(4, 64), [np.roll(row, -3 - i) for i, row in enumerate(x.reshape(4, 64))])


@pytest.mark.parametrize(("schedule", "seed"), SCHEDULES)
def test_the_barrier_of_all_orders_what_those_of_rows_do_not(kernels, schedule, seed):
    y = np.zeros(128, np.float32)
    kernels["then_all"](1, 128, 512, y, check=True, schedule=schedule, seed=seed)
    assert np.array_equal(y, 128 - np.arange(128))


@pytest.mark.parametrize(("schedule", "seed"), SCHEDULES)
def test_order_is_passed_on(kernels, schedule, seed):
    y = np.zeros(96, np.float32)
    kernels["in_a_chain"](1, 96, 128, y, check=True, schedule=schedule, seed=seed)
    assert np.array_equal(y[64:], np.arange(32))


@pytest.mark.parametrize(("schedule", "seed"), SCHEDULES)
def test_a_write_comes_after_the_reads_of_all_warps_or_races(kernels, schedule, seed):
    y = np.zeros(256, np.float32)
    with pytest.raises(simt.KernelFault, match="data race") as caught:
        kernels["read_by_many"](1, 256, 4, y, 0, check=True, schedule=schedule, seed=seed)
    assert line_of("read_by_many") in (caught.value.findings[0].line, caught.value.findings[0].other_line)
    kernels["read_by_many"](1, 256, 4, y, 1, check=True, schedule=schedule, seed=seed)
    assert (y == 1).all()


@pytest.mark.parametrize(("schedule", "seed"), SCHEDULES)
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("another_row", "data race|uninitialised read"),
        ("not_met_yet", "data race"),
        ("too_few", "divergent barrier: 32 of 128 threads wait at barrier 3, for threads that never come"),
        ("exits", "divergent barrier: 127 of 128 threads wait at barrier 3, for threads that never come"),
        ("too_many", "divergent barrier: (warp .* has met others, and nothing orders|.* more threads arrive than)"),
        ("half_a_warp", "divergent barrier: barrier 3 has its 64 threads, and of warp . only 16"),
        ("two_counts", "barrier 3 waits for (64|128) threads here, and for (64|128) threads where|nothing orders"),
        ("number_of_all", "barrier 0 waits for (128|all) threads .*, and for (128|all) threads "),
        ("no_such_number", "divergent barrier: there is no barrier 16, but those of 0 to 15"),
        ("no_whole_warps", "divergent barrier: a barrier of 40 threads, which are no whole warps"),
    ],
)
def test_faults_at_barriers(kernels, name, message, schedule, seed):
    with pytest.raises(simt.KernelFault, match=message) as caught:
        kernels[name](1, 128, 512, np.zeros(128, np.float32), check=True, schedule=schedule, seed=seed)
    finding = caught.value.findings[0]
    assert line_of(name) in (finding.line, finding.other_line, *finding.callers) or f" {line_of(name)})" in str(finding)


@pytest.mark.ci
def test_divergence_is_reported_without_the_checker(kernels):
    for name in ("too_few", "too_many", "two_counts"):
        with pytest.raises(simt.KernelFault, match="divergent barrier"):
            kernels[name](1, 128, 512, np.zeros(128, np.float32), check=False)


def line_of(text):
    lines = [number for number, line in enumerate(SOURCE.splitlines(), 1) if line.endswith(f"// {text}")]
    assert len(lines) == 1, text
    return lines[0]
