"""Operations of a warp against a model of them in NumPy."""

import numpy as np
import pytest

from lngen.extensions import simt
from tests.requirements import needs_gxx

pytestmark = [needs_gxx, pytest.mark.cuda]

ALL = 0xFFFFFFFF

SOURCE = r"""
template <class T> __device__ void shuffles(const T* in, T* out, unsigned amount, int width) {
  const int t = threadIdx.x, n = blockDim.x;
  out[t] = __shfl_xor_sync(0xffffffffu, in[t], amount, width);
  out[n + t] = __shfl_down_sync(0xffffffffu, in[t], amount, width);
  out[2 * n + t] = __shfl_sync(0xffffffffu, in[t], amount, width);
}
#define SHUFFLES(name, T) \
  extern "C" __global__ void name(const T* in, T* out, unsigned amount, int width) { shuffles(in, out, amount, width); }
SHUFFLES(shuffles_f64, double)
SHUFFLES(shuffles_f32, float)
SHUFFLES(shuffles_f16, __half)
SHUFFLES(shuffles_i32, int)
SHUFFLES(shuffles_i64, long long)

extern "C" __global__ void votes(const int* predicate, int* any, unsigned mask) {
  const int t = threadIdx.x;
  if (!(mask >> (t & 31) & 1)) return;
  any[t] = __any_sync(mask, predicate[t]);
}

extern "C" __global__ void halves(int* out) {
  const int t = threadIdx.x;
  if (t < 16) {
    out[t] = __shfl_xor_sync(0x0000ffffu, t, 1);
  } else {
    out[t] = __shfl_xor_sync(0xffff0000u, t, 2);
  }
  __syncwarp();
  out[32 + t] = __shfl_sync(0xffffffffu, t, 5);
}

extern "C" __global__ void exchange_through_memory(int* out) {
  extern __shared__ int cell[];
  const int t = threadIdx.x;
  cell[t] = t;
  __syncwarp();
  out[t] = cell[t ^ 1];
}
"""


@pytest.fixture(scope="module")
def kernels():
    return simt.build(SOURCE)


def shuffled(values, amount, width):
    """The three shuffles, lane by lane, as the CUDA programming guide defines them."""
    n = len(values)
    lane = np.arange(n) % 32
    start, end = lane // width * width, lane // width * width + width
    warp = np.arange(n) - lane
    sources = (
        np.where(lane ^ amount < end, lane ^ amount, lane),
        np.where(lane + amount < end, lane + amount, lane),
        start + amount % width,
    )
    return np.concatenate([values[warp + source] for source in sources])


@pytest.mark.parametrize("schedule", ["forward", "reverse", "random"])
@pytest.mark.parametrize(("dtype", "name"), [("f8", "f64"), ("f4", "f32"), ("f2", "f16"), ("i4", "i32"), ("i8", "i64")])
def test_shuffles(kernels, dtype, name, schedule):
    values = (np.arange(64) * 3 - 20).astype(dtype)
    for width in (2, 8, 32):
        for amount in (0, 1, 3, 5, 16, 31):
            out = simt.Uninitialised(np.empty(3 * 64, dtype))
            kernels[f"shuffles_{name}"](1, 64, 0, values, out, amount, width, schedule=schedule)
            assert np.array_equal(out.array, shuffled(values, amount, width)), (width, amount)


@pytest.mark.parametrize("mask", [ALL, 0x0000FFFF, 0x80000001, 0x12345678])
def test_votes(kernels, mask):
    rng = np.random.default_rng(mask)
    there = np.flatnonzero((mask >> np.arange(32)) & 1)
    for predicate in (rng.integers(0, 3, 32), np.zeros(32), np.ones(32)):
        flags = predicate.astype(np.int32)
        found = np.full(32, -1, np.int32)
        kernels["votes"](1, 32, 0, flags, found, mask)
        assert set(found[there].tolist()) == {int(flags[there].any())}


@pytest.mark.parametrize("schedule", ["forward", "reverse", "random"])
def test_parts_of_a_warp_meet_apart(kernels, schedule):
    out = np.zeros(64, np.int32)
    kernels["halves"](1, 32, 0, out, schedule=schedule)
    lane = np.arange(32)
    assert np.array_equal(out[:32], np.where(lane < 16, lane ^ 1, lane ^ 2))
    assert set(out[32:].tolist()) == {5}


def test_the_last_warp_may_be_short(kernels):
    values = np.arange(40, dtype=np.int32)
    out = np.zeros(120, np.int32)
    kernels["shuffles_i32"](1, 40, 0, values, out, 1, 2)
    assert np.array_equal(out, shuffled(values, 1, 2))


@pytest.mark.parametrize("check", [False, True])
def test_syncwarp_orders_memory(kernels, check):
    out = np.zeros(32, np.int32)
    kernels["exchange_through_memory"](1, 32, 128, out, check=check)
    assert np.array_equal(out, np.arange(32) ^ 1)
