"""Indices, threads that exit, 64-bit offsets, and what schedules may and may not change."""

import numpy as np
import pytest

from lngen.errors import LngenError
from lngen.extensions import simt
from tests.requirements import needs_gxx

pytestmark = [needs_gxx, pytest.mark.cuda]

SOURCE = r"""
extern "C" {
__device__ int limits[] = {3, -1, 4};

__global__ void indices(int* out) {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = 1000 * block + thread;
}

__global__ void some_leave(int* out) {
  if (threadIdx.x >= 40) return;
  __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void order(int* next, int* place) { place[blockIdx.x * blockDim.x + threadIdx.x] = (*next)++; }

__global__ void far(const double* in, double* out, long long rows, int D) {
  const long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) out[row * D] = 2 * in[row * D];
}

__global__ void narrow_offset(double* out, int D) { out[int(blockIdx.x) * D] = 1; }

}
"""


@pytest.fixture(scope="module")
def kernels():
    return simt.build(SOURCE)


def test_indices_in_three_dimensions(kernels):
    out = np.zeros(2 * 3 * 2 * 24, np.int32)
    kernels["indices"]((2, 3, 2), (4, 3, 2), 0, out)
    blocks, threads = np.divmod(np.arange(out.size), 24)
    assert np.array_equal(out, 1000 * blocks + threads)


def test_threads_that_exit_are_not_waited_for(kernels):
    out = np.zeros(64, np.int32)
    kernels["some_leave"](1, 64, 0, out)
    assert out.tolist() == [1] * 40 + [0] * 24


def place_of(kernels, schedule, seed=0):
    place = np.zeros(4 * 64, np.int32)
    kernels["order"](4, 64, 0, np.zeros(1, np.int32), place, schedule=schedule, seed=seed)
    return place


def test_schedules_order_blocks_and_threads(kernels):
    forward = place_of(kernels, "forward")
    assert np.array_equal(forward, np.arange(256))
    assert np.array_equal(place_of(kernels, "reverse"), 255 - np.arange(256))


def test_random_schedules_differ_and_come_again(kernels):
    orders = {place_of(kernels, "random", seed).tobytes() for seed in range(8)}
    assert len(orders) == 8
    for seed in range(3):
        assert np.array_equal(place_of(kernels, "random", seed), place_of(kernels, "random", seed))
        assert np.array_equal(np.sort(place_of(kernels, "random", seed)), np.arange(256))


def test_offsets_of_64_bits(kernels):
    D, rows = 1024, 2**31 + 100
    first = 2**31 + 64
    piece, out = 1 + np.arange(36 * D, dtype=np.float64), np.zeros(36 * D)
    blocks = range(first // 32, -(-rows // 32))
    kernels["far"](
        -(-rows // 32), 32, 0, simt.Window(piece, first * D), simt.Window(out, first * D), rows, D,
        blocks=blocks, check=True,
    )  # fmt: skip
    assert np.array_equal(out[::D], 2 * piece[::D])
    assert np.count_nonzero(out) == 36


def test_an_offset_of_32_bits_is_found(kernels):
    with pytest.raises(simt.KernelFault, match="a product of integers overflows") as caught:
        kernels["narrow_offset"](2**22, 1, 0, np.zeros(8), 1024, blocks=range(2**21, 2**21 + 1), check=True)
    assert caught.value.findings[0].line == line_of("narrow_offset")


def test_variables_of_the_source(kernels):
    assert np.frombuffer(kernels.symbol("limits"), np.int32).tolist() == [3, -1, 4]
    with pytest.raises(LngenError, match="no variable limit "):
        kernels.symbol("limit")


def test_kernels_are_listed_in_order(kernels):
    assert list(kernels)[:3] == ["indices", "some_leave", "order"]
    assert [str(p) for p in kernels["far"].parameters] == [
        "in (an array of float64)",
        "out (an array of float64)",
        "rows (int64)",
        "D (int32)",
    ]
    with pytest.raises(KeyError):
        kernels["none"]


def line_of(text):
    return next(number for number, line in enumerate(SOURCE.splitlines(), 1) if text in line)
