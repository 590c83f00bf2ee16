"""Clusters: blocks that meet at a barrier and write into each other's shared memory, and what the checker says."""

from pathlib import Path

import numpy as np
import pytest

from lngen import runtime
from lngen.errors import LngenError
from lngen.extensions import simt
from lngen.runtime.includes import inlined
from tests.requirements import needs_gxx

FOLDER = Path(next(iter(runtime.__path__))) / "cuda"
BLOCKS = 4

# Each block writes its entry into every block of its cluster, which adds them up.
SOURCE = r"""
#include "copies.cuh"
using namespace lngen;

template <bool OPENS, bool CLOSES> __device__ void sums(const float* x, float* y) {
  extern __shared__ float parts[];
  if (OPENS) cluster_barrier();
  if (threadIdx.x < 4) store_in_block(int(threadIdx.x), parts + blockIdx.x % 4, x[blockIdx.x]);  // store
  if (CLOSES) cluster_barrier();
  else __syncthreads();
  if (threadIdx.x == 33) y[blockIdx.x] = parts[0] + parts[1] + parts[2] + parts[3];  // sum
}

extern "C" {
__global__ void right(const float* x, float* y) { sums<true, true>(x, y); }
__global__ void not_begun(const float* x, float* y) { sums<false, true>(x, y); }
__global__ void not_closed(const float* x, float* y) { sums<true, false>(x, y); }

__global__ void ends(const float* x, float* y) {
  extern __shared__ float parts[];
  cluster_barrier();
  if (blockIdx.x % 4 == 3) return;
  if (threadIdx.x == 0) store_in_block(3, parts, x[blockIdx.x]);  // into what may have ended
}
__global__ void too_soon(const float* x, float* y) {
  extern __shared__ float parts[];
  cluster_barrier();
  for (int turn = 0; turn < 2; ++turn) {
    if (threadIdx.x == 0) store_in_block(int(blockIdx.x + 1) % 4, parts, x[blockIdx.x]);  // again
    cluster_barrier();
    if (threadIdx.x == 32) y[blockIdx.x] = parts[0];  // read that is overwritten
  }
}
__global__ void waits(const float* x, float* y) {
  if (blockIdx.x % 4 == 2 && threadIdx.x < 32) __syncthreads();
  else cluster_barrier();
}
__global__ void no_such_block(const float* x, float* y) {
  extern __shared__ float parts[];
  cluster_barrier();
  store_in_block(int(threadIdx.x) / 8, parts, x[0]);
}
__global__ void other_size(const float* x, float* y) { expect_cluster<2>(); }
}
"""

X = np.arange(1, 9, dtype=np.float32)


@pytest.fixture(scope="module")
def kernels() -> simt.EmulatedKernels:
    return simt.build(inlined(FOLDER / "kernels.cu", SOURCE), check=True)


def run(kernels: simt.EmulatedKernels, name: str, **how: object) -> np.ndarray:
    y = np.zeros(8, np.float32)
    kernels[name](8, 64, 16, X, y, **({"cluster": BLOCKS, "check": True} | how))
    return y


@needs_gxx
@pytest.mark.parametrize("schedule", ["forward", "reverse", "random"])
@pytest.mark.parametrize("check", [False, True])
def test_blocks_of_a_cluster_share_memory(kernels: simt.EmulatedKernels, schedule: str, check: bool) -> None:
    y = run(kernels, "right", schedule=schedule, seed=3, check=check)
    assert y.tolist() == [10.0] * 4 + [26.0] * 4


FAULTS = {
    "not_begun": ("absent block", "in block . of the cluster, which need not have begun"),
    "ends": ("absent block", "block 3 of the cluster, which (has ended|ends without a barrier)"),
    "too_soon": ("data race", "unordered with a read by a thread of block"),
    "waits": ("divergent barrier", "of 256 threads wait at the barrier of the cluster, for threads that never come"),
    "no_such_block": ("out of bounds", "there is no block [4-7] in the cluster"),
    "other_size": ("crash", "a trap"),
}


@needs_gxx
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("schedule", ["forward", "reverse"])
def test_faults_of_clusters_are_found(kernels: simt.EmulatedKernels, fault: str, schedule: str) -> None:
    kind, message = FAULTS[fault]
    with pytest.raises(simt.KernelFault, match=message) as caught:
        run(kernels, fault, schedule=schedule)
    assert kind in {finding.kind for finding in caught.value.findings}


@needs_gxx
def test_a_barrier_of_a_block_is_none_of_the_cluster(kernels: simt.EmulatedKernels) -> None:
    """One schedule or the other reads what was not written yet, and both are refused."""
    for schedule in ("forward", "reverse"):
        with pytest.raises(simt.KernelFault) as caught:
            run(kernels, "not_closed", schedule=schedule)
        assert {each.kind for each in caught.value.findings} & {"data race", "uninitialised read"}


@needs_gxx
@pytest.mark.parametrize(
    ("grid", "block", "cluster", "message"),
    [(6, 64, 4, "not of whole clusters"), (8, 48, 4, "whole warps"), (16, 64, 16, "at most 8 blocks")],
)
def test_clusters_that_cannot_be_launched(
    kernels: simt.EmulatedKernels, grid: int, block: int, cluster: int, message: str
) -> None:
    with pytest.raises(LngenError, match=message):
        kernels["right"](grid, block, 16, X, np.zeros(8, np.float32), cluster=cluster)
