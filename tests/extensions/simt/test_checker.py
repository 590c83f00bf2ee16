"""Planted bugs: what each schedule and the checker say of them.

The two-stage sum over a row is that of a normalization layer; each bug is one that such a kernel has had.
"""

import dataclasses

import numpy as np
import pytest

from lngen.extensions import simt
from tests.requirements import needs_gxx

pytestmark = [needs_gxx, pytest.mark.cuda]

ROW_SUM = r"""
__device__ float warp_sum(float v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}
__device__ float block_sum(float v, float* cells) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  v = warp_sum(v);
#ifndef MISSING_SYNC_BEFORE_REUSE
  __syncthreads();
#endif
  if (lane == 0) cells[warp] = v;  // WRITE
#ifndef MISSING_SYNC
  __syncthreads();
#endif
  v = lane < warps ? cells[lane] : 0.f;  // READ
  return warp_sum(v);
}
extern "C" __global__ void centre(const float* x, float* y, float* totals, int D) {
  extern __shared__ __align__(16) unsigned char shared[];
  float* cells = reinterpret_cast<float*>(shared);
  float* columns = cells + 32;
#ifndef UNINITIALISED_SHARED
  for (int i = threadIdx.x; i < D; i += blockDim.x) columns[i] = 0;
#endif
#ifdef SHARED_OVERRUN
  if (threadIdx.x == 0) columns[D] = 0;  // OVERRUN
#endif
  __syncthreads();
  for (int row = blockIdx.x; row < 8; row += gridDim.x) {
    float sum = 0, square = 0;
#ifdef PAST_THE_ROW
    for (int i = threadIdx.x; i <= D; i += blockDim.x) sum += x[row * D + i];  // PAST
#else
    for (int i = threadIdx.x; i < D; i += blockDim.x) sum += x[row * D + i];
#endif
    const float mean = block_sum(sum, cells) / D;
    for (int i = threadIdx.x; i < D; i += blockDim.x) square += (x[row * D + i] - mean) * (x[row * D + i] - mean);
    const float deviation = sqrtf(block_sum(square, cells) / D);
    for (int i = threadIdx.x; i < D; i += blockDim.x) {
      y[row * D + i] = (x[row * D + i] - mean) / deviation;
      columns[i] += y[row * D + i];  // GATHER
    }
  }
  for (int i = threadIdx.x; i < D; i += blockDim.x) totals[blockIdx.x * D + i] = columns[i];
}
"""

D = 512


def centre(macro, schedule="forward", seed=0, check=False):
    """Test whether the planted kernel gives a wrong result; raises if there is a fault."""
    kernels = simt.build(ROW_SUM, {macro: None} if macro else {}, check=check)
    x = np.random.default_rng(0).normal(size=(8, D)).astype(np.float32)
    y = simt.Uninitialised(np.empty_like(x))
    totals = simt.Uninitialised(np.empty((4, D), np.float32))
    kernels["centre"](4, 128, 4 * (32 + D), x, y, totals, D, schedule=schedule, seed=seed, check=check)
    exact = x.astype(np.float64)
    exact = (exact - exact.mean(1, keepdims=True)) / exact.std(1, keepdims=True)
    sums = np.array([exact[block::4].sum(0) for block in range(4)])
    return not (np.abs(y.array - exact).max() < 1e-5 and np.abs(totals.array - sums).max() < 1e-4)


@dataclasses.dataclass(frozen=True)
class Planted:
    macro: str
    kind: str
    marked: str  # what stands on the line that is reported


PLANTED = [
    Planted("MISSING_SYNC", "uninitialised read", "READ"),
    Planted("MISSING_SYNC_BEFORE_REUSE", "data race", "WRITE"),
    Planted("UNINITIALISED_SHARED", "uninitialised read", "GATHER"),
    Planted("PAST_THE_ROW", "out of bounds", "PAST"),
    Planted("SHARED_OVERRUN", "out of bounds", "OVERRUN"),
]


@pytest.mark.parametrize("schedule", ["forward", "reverse", "random"])
def test_the_right_kernel_has_no_finding(schedule):
    assert not centre(None, schedule)
    assert not centre(None, schedule, check=True)


@pytest.mark.parametrize("schedule", ["forward", "reverse", "random"])
@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.macro)
def test_a_planted_bug_is_reported_with_its_line(planted, schedule):
    with pytest.raises(simt.KernelFault, match=planted.kind) as caught:
        centre(planted.macro, schedule, check=True)
    marked = line_of(ROW_SUM, f"// {planted.marked}")
    kinds = {(finding.kind, finding.line) for finding in caught.value.findings}
    if planted.macro == "MISSING_SYNC_BEFORE_REUSE":
        # Both sides of the race stand in the report; which comes second is up to the schedule.
        lines = {(f.line, f.other_line) for f in caught.value.findings if f.kind == planted.kind}
        assert lines & {(marked, marked + 4), (marked + 4, marked)}
    else:
        assert (planted.kind, marked) in kinds
    assert all(finding.block is not None for finding in caught.value.findings)


SMALL = r"""
extern "C" {
__global__ void branch_barrier(float* x) {
  if (threadIdx.x < 16) { __syncthreads(); x[0] = 1; }
  else { x[1] = 2;
    __syncthreads(); }  // branch_barrier
}
__global__ void half_barrier(float* x) {
  if (threadIdx.x < 16) __syncthreads();  // half_barrier
  for (int i = 0; i < 2; ++i) __syncwarp();
  x[threadIdx.x] = 1;
}
__global__ void shuffle_in_branch(float* x) {
  if (threadIdx.x < 16) x[threadIdx.x] = __shfl_xor_sync(0xffffffffu, 1.f, 1);  // shuffle_in_branch
  else __syncthreads();
}
__global__ void exited_lane(float* x) {
  if (threadIdx.x >= 20) return;
  x[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[threadIdx.x], 16);  // exited_lane
}
__global__ void lane_not_in_mask(float* x) { x[threadIdx.x] = __shfl_sync(0x0000ffffu, 1.f, 0); }  // lane_not_in_mask
__global__ void two_operations(float* x) {
  if (threadIdx.x < 16) x[0] = __shfl_sync(0xffffffffu, 1.f, 0);
  else x[1] = __any_sync(0xffffffffu, 1);  // two_operations
}
__global__ void no_syncwarp(float* x) {
  extern __shared__ float cells[];
  cells[threadIdx.x] = threadIdx.x;
  x[threadIdx.x] = cells[threadIdx.x ^ 1];  // no_syncwarp
}
__global__ void half_syncwarp(float* x) {
  extern __shared__ float cells[];
  cells[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 16) __syncwarp(0x0000ffffu);
  else __syncwarp(0xffff0000u);
  x[threadIdx.x] = cells[31 - threadIdx.x];  // half_syncwarp
}
__global__ void misaligned(float* x) {
  const float4 v = *reinterpret_cast<float4*>(x + 1);  // misaligned
  x[0] = v.x + v.y + v.z + v.w;
}
__global__ void misaligned_streaming(float* x) {
  const float4 v = __ldcs(reinterpret_cast<const float4*>(x + 2));  // misaligned_streaming
  x[0] = v.x + v.y + v.z + v.w;
}
__global__ void all_add(float* x) { x[0] += 1.f; }  // all_add
__global__ void blocks_meet(float* x) { x[0] = blockIdx.x; }  // blocks_meet
__global__ void read_of_another_block(float* x) {
  x[blockIdx.x] = 1;
  if (blockIdx.x) x[32 + blockIdx.x] = x[blockIdx.x - 1];  // read_of_another_block
}
__global__ void unwritten(float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x]; }  // unwritten
__global__ void before_the_start(float* x) { x[0] = x[int(threadIdx.x) - 1]; }  // before_the_start
__global__ void far_away(float* x) { x[1ll << 40] = 1; }  // far_away
__global__ void beyond_an_array(float* x, int n) {
  float kept[4] = {};
  for (int i = 0; i < n; ++i) kept[i] = i;  // beyond_an_array
  x[0] = kept[0] + kept[1] + kept[2] + kept[3];
}
__global__ void divides_by_zero(int* x) { x[0] = 7 / x[1]; }  // divides_by_zero
__global__ void ramp(float* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void shared_ramp() {
  extern __shared__ float cells[];
  cells[threadIdx.x] = threadIdx.x;
}
__global__ void reads_are_free(const float* x, float* y) {
  extern __shared__ float cells[];
  if (threadIdx.x == 0) cells[0] = x[0];
  __syncthreads();
  y[threadIdx.x] = cells[0] + x[1];
  __syncwarp();
  __syncthreads();
  if (threadIdx.x == 40) cells[0] = 2;
}
__global__ void reads_then_syncwarp(const float* x, float* y) {
  extern __shared__ float cells[];
  cells[threadIdx.x] = 1;
  __syncwarp();
  y[threadIdx.x] = cells[0];
  __syncwarp();
  if (threadIdx.x == 7) cells[0] = y[7];
}
}
"""

FAULTS = [
    ("branch_barrier", "divergent barrier", 1, 32),
    ("half_barrier", "divergent barrier", 1, 32),
    ("shuffle_in_branch", "divergent", 1, 32),
    ("exited_lane", "divergent warp operation", 1, 32),
    ("lane_not_in_mask", "divergent warp operation", 1, 32),
    ("two_operations", "divergent warp operation", 1, 32),
]
CHECKED_FAULTS = [
    *FAULTS,
    ("no_syncwarp", "uninitialised read", 1, 32),
    ("half_syncwarp", "data race", 1, 32),
    ("misaligned", "misaligned access", 1, 1),
    ("misaligned_streaming", "misaligned access", 1, 1),
    ("all_add", "data race", 1, 32),
    ("blocks_meet", "data race", 4, 1),
    ("read_of_another_block", "data race", 4, 1),
    ("before_the_start", "out of bounds", 1, 32),
    ("far_away", "out of bounds", 1, 1),
]


@pytest.fixture(scope="module")
def small():
    return simt.build(SMALL)


@pytest.mark.parametrize(("name", "kind", "grid", "block"), FAULTS)
@pytest.mark.parametrize("schedule", ["forward", "reverse", "random"])
def test_divergence_is_reported_without_the_checker(small, name, kind, grid, block, schedule):
    with pytest.raises(simt.KernelFault, match=kind):
        small[name](grid, block, 128, np.zeros(64, np.float32), schedule=schedule)


@pytest.mark.parametrize(("name", "kind", "grid", "block"), CHECKED_FAULTS)
def test_faults_of_small_kernels(small, name, kind, grid, block):
    array = np.zeros(64, np.float32)
    with pytest.raises(simt.KernelFault, match=kind) as caught:
        small[name](grid, block, 128, array, check=True)
    marked = line_of(SMALL, f"// {name}")
    assert any(marked in (f.line, f.other_line) for f in caught.value.findings)
    assert not array.any()


@pytest.mark.parametrize("name", ["reads_are_free", "reads_then_syncwarp"])
@pytest.mark.parametrize("schedule", ["forward", "reverse", "random"])
def test_what_is_ordered_is_no_race(small, name, schedule):
    block = 64 if name == "reads_are_free" else 32
    out = simt.Uninitialised(np.empty(64, np.float32))
    small[name](3, block, 256, np.ones(2, np.float32), out, check=True, schedule=schedule, blocks=range(1))


def test_a_buffer_that_nobody_wrote(small):
    read, written = simt.Uninitialised(np.empty(32, np.float32)), np.zeros(32, np.float32)
    with pytest.raises(simt.KernelFault, match="uninitialised read: read of 4 bytes at byte 0 of x") as caught:
        small["unwritten"](1, 32, 0, read, written, check=True)
    finding = caught.value.findings[0]
    assert (finding.line, finding.buffer) == (line_of(SMALL, "// unwritten"), "x")
    assert (finding.block, finding.thread) == ((0, 0, 0), (0, 0, 0))
    small["unwritten"](1, 32, 0, read, written)
    assert np.isnan(written).all()


def test_what_one_kernel_wrote_another_may_read(small):
    workspace, out = simt.Uninitialised(np.empty(64, np.float32)), np.zeros(64, np.float32)
    small["reads_are_free"](1, 64, 256, np.ones(2, np.float32), workspace, check=True)
    small["unwritten"](1, 64, 0, workspace, out, check=True)
    assert (out == 2).all()


def test_an_index_of_a_local_array(small):
    with pytest.raises(simt.KernelFault, match="out of bounds: index 4 of an array") as caught:
        small["beyond_an_array"](1, 1, 0, np.zeros(1, np.float32), 5, check=True)
    assert caught.value.findings[0].line == line_of(SMALL, "// beyond_an_array")


def test_integers_divided_by_zero(small):
    with pytest.raises(simt.KernelFault, match="divided by zero"):
        small["divides_by_zero"](1, 1, 0, np.zeros(2, np.int32), check=True)


def test_a_write_beside_a_buffer_is_found_without_the_checker(small):
    with pytest.raises(simt.KernelFault, match="out of bounds: write at byte 64 of x, which has 64"):
        small["ramp"](1, 32, 0, np.zeros(16, np.float32))
    with pytest.raises(simt.KernelFault, match="write at byte 128 of shared memory, which has 128"):
        small["shared_ramp"](1, 33, 128)


def line_of(source, text):
    lines = [number for number, line in enumerate(source.splitlines(), 1) if line.endswith(text)]
    assert len(lines) == 1, text
    return lines[0]
