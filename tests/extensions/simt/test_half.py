"""f16 and bf16: conversions are those of NumPy and ml_dtypes, bit for bit."""

import ml_dtypes
import numpy as np
import pytest

from lngen.extensions import simt
from tests.requirements import needs_gxx

pytestmark = [needs_gxx, pytest.mark.cuda]

SOURCE = r"""
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define EACH const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; if (i < n)
extern "C" {
__global__ void widen_f16(const __half* in, float* out, long long n) { EACH out[i] = __half2float(in[i]); }
__global__ void widen_bf16(const __nv_bfloat16* in, float* out, long long n) { EACH out[i] = __bfloat162float(in[i]); }
__global__ void narrow_f16(const float* in, __half* out, long long n) { EACH out[i] = __float2half_rn(in[i]); }
__global__ void narrow_bf16(const float* in, __nv_bfloat16* out, long long n) {
  EACH out[i] = __float2bfloat16_rn(in[i]);
}
__global__ void from_double_f16(const double* in, __half* out, long long n) { EACH out[i] = __double2half(in[i]); }
__global__ void from_double_bf16(const double* in, __nv_bfloat16* out, long long n) {
  EACH out[i] = __double2bfloat16(in[i]);
}
}
"""

TYPES = {"f16": np.dtype(np.float16), "bf16": np.dtype(ml_dtypes.bfloat16)}


@pytest.fixture(scope="module")
def kernels():
    return simt.build(SOURCE)


def run(kernels, name, values, dtype, n=None):
    n = values.size if n is None else n
    out = simt.Uninitialised(np.empty(n, dtype))
    kernels[name](-(-n // 1024), 1024, 0, values, out, n)
    return out.array


@pytest.mark.parametrize("name", TYPES)
def test_widening_every_number(kernels, name):
    every = np.arange(1 << 16, dtype=np.uint16)
    wide = run(kernels, f"widen_{name}", every, np.float32)
    assert np.array_equal(wide, every.view(TYPES[name]).astype(np.float32), equal_nan=True)


def hard_numbers():
    """Numbers at, and beside, the middle between two neighbours, of all magnitudes, and random bits."""
    every = np.arange(1 << 16, dtype=np.uint16)
    found = []
    for dtype in TYPES.values():
        with np.errstate(invalid="ignore"):
            exact = every.view(dtype).astype(np.float64)
        exact = np.sort(exact[np.isfinite(exact)])
        middle = (exact[1:] + exact[:-1]) / 2
        found += [exact, middle, np.nextafter(middle, np.inf), np.nextafter(middle, -np.inf)]
    with np.errstate(over="ignore"):
        single = np.concatenate(found).astype(np.float32)
    near = [np.nextafter(single, np.float32(np.inf)), np.nextafter(single, np.float32(-np.inf))]
    bits = np.random.default_rng(0).integers(0, 1 << 32, 1 << 16, dtype=np.uint32).view(np.float32)
    special = np.array([np.inf, -np.inf, 0.0, -0.0, 65519.99, 65520, 1e-45], np.float32)
    return np.concatenate([single, *near, bits, special]), np.concatenate(found)


@pytest.mark.parametrize("name", TYPES)
def test_narrowing_rounds_to_nearest_even(kernels, name):
    singles, doubles = hard_numbers()
    for kernel, values in ((f"narrow_{name}", singles), (f"from_double_{name}", doubles)):
        values = values[~np.isnan(values)]
        narrowed = run(kernels, kernel, values, TYPES[name])
        with np.errstate(over="ignore"):
            expected = values.astype(TYPES[name])
        if values.dtype == np.float64 and name == "bf16":
            # ml_dtypes rounds a double to single first; the nearest of both neighbours is looked for instead.
            expected = nearest(values, expected)
        assert np.array_equal(narrowed.view(np.uint16), expected.view(np.uint16)), kernel


def nearest(values, guess):
    """The nearest bf16, ties to even, from a guess that is it or beside it."""
    bits = guess.view(np.int16).astype(np.int32)
    candidates = np.stack([bits - 1, bits, bits + 1]).astype(np.int16).view(ml_dtypes.bfloat16)
    with np.errstate(invalid="ignore"):
        away = np.abs(candidates.astype(np.float64) - values)
    away = np.where(np.isnan(away), np.inf, away)
    odd = candidates.view(np.int16) & 1
    order = np.lexsort((odd, away), axis=0)[0]
    chosen = np.take_along_axis(candidates, order[None], 0)[0]
    return np.where(np.isinf(guess) | (values == 0), guess, chosen)
