"""Arguments of a kernel that are accepted, and the refusals of others."""

import ml_dtypes
import numpy as np
import pytest

from lngen.errors import LngenError
from lngen.extensions import simt
from tests.requirements import needs_gxx

pytestmark = [needs_gxx, pytest.mark.cuda]

SOURCE = r"""
struct Pair { float first, second; };
extern "C" {
__global__ void numbers(double* out, int i, long long l, unsigned u, float f, double d, bool b, __half h,
                        __nv_bfloat16 w) {
  const double all[] = {double(i), double(l), double(u), double(f), d, double(b), double(__half2float(h)),
                        double(__bfloat162float(w))};
  for (int k = 0; k < 8; ++k) out[k] = all[k];
}
__global__ void copy_f16(const __half* in, __half* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void copy_bf16(const __nv_bfloat16* in, __nv_bfloat16* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void copy_f32(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void add_to(const float* in, float* out) { out[threadIdx.x] = in[threadIdx.x] + out[threadIdx.x]; }
__global__ void anything(const void* in, Pair* out) { out[0].second = static_cast<const float*>(in)[1]; }
__global__ void of_pair(Pair pair, float* out) { out[0] = pair.second; }
__global__ void is_null(const float* in, int* out) { out[0] = in == nullptr; }
}
"""


@pytest.fixture(scope="module")
def kernels():
    return simt.build(SOURCE)


def test_numbers_have_the_types_of_the_parameters(kernels):
    out = np.zeros(8)
    bf16 = ml_dtypes.bfloat16(0.1)
    kernels["numbers"](1, 1, 0, out, -7, 2**40, np.uint32(2**32 - 1), 0.1, 0.1, True, np.float16(0.1), bf16)
    assert out.tolist() == [-7, 2**40, 2**32 - 1, float(np.float32(0.1)), 0.1, 1, float(np.float16(0.1)), float(bf16)]


@pytest.mark.parametrize(
    ("kernel", "dtypes"),
    [("f16", ("f2", "u2", "i2")), ("bf16", (ml_dtypes.bfloat16, "u2")), ("f32", ("f4",))],
)
def test_arrays_of_the_parameters_types(kernels, kernel, dtypes):
    for dtype in map(np.dtype, dtypes):
        values = np.arange(8).astype(dtype)
        out = np.zeros_like(values)
        kernels[f"copy_{kernel}"](1, 8, 0, values, out)
        assert np.array_equal(out, values)


def test_a_structure_by_value_is_refused_in_words(kernels):
    with pytest.raises(LngenError, match=r"pair \(structure of 8 bytes\) cannot be 1"):
        kernels["of_pair"](1, 1, 0, 1, np.zeros(1, np.float32))


def test_one_array_may_be_given_twice(kernels):
    values = np.arange(8, dtype=np.float32)
    kernels["add_to"](1, 8, 0, values, values, check=True)
    assert np.array_equal(values, 2 * np.arange(8))


def test_pointers_without_a_type(kernels):
    out = np.zeros(2, np.float32)
    kernels["anything"](1, 1, 0, np.array([1, 2], np.float32), out)
    assert out.tolist() == [0, 2]


def test_a_null_pointer_and_an_array_of_no_entries(kernels):
    out = np.zeros(1, np.int32)
    kernels["is_null"](1, 1, 0, None, out)
    assert out[0] == 1
    kernels["is_null"](1, 1, 0, np.zeros(0, np.float32), out)
    assert out[0] == 0


def test_inputs_are_not_written_to(kernels):
    values = np.arange(8, dtype=np.float32)
    values.flags.writeable = False
    out = np.zeros(8, np.float32)
    kernels["copy_f32"](1, 8, 0, values, out)
    assert np.array_equal(out, values)


FOUR, EIGHT = np.zeros(4, np.float32), np.zeros(8, np.float32)
READ_ONLY = np.zeros(4, np.float32)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((FOUR,), r"takes 2 arguments \(in, out\), and was given 1"),
        ((FOUR, [1.0]), r"out \(an array of float32\) was given a list; pass a NumPy array"),
        ((FOUR, np.zeros(4)), r"out \(an array of float32\) was given an array of float64"),
        ((EIGHT[::2], FOUR), "in .* not contiguous"),
        ((FOUR, READ_ONLY), "out .* is written by the kernel, and the array is read-only"),
        ((EIGHT[:5], EIGHT[4:]), "the arrays of in and out overlap"),
    ],
)
def test_arrays_that_do_not_fit(kernels, arguments, message):
    with pytest.raises(LngenError, match=message):
        kernels["copy_f32"](1, 4, 0, *arguments)


@pytest.mark.parametrize(("place", "value"), [(0, 2**31), (0, 1.5), (2, -1), (3, "x"), (4, 1j)])
def test_numbers_that_do_not_fit(kernels, place, value):
    numbers = [1, 1, 1, 1.0, 1.0, True, 1.0, np.float16(1)]
    numbers[7] = ml_dtypes.bfloat16(1)
    numbers[place] = value
    name = "iluf d"[place] if place < 4 else "d"
    with pytest.raises(LngenError, match=rf"numbers: {name} \(\w+\) cannot be"):
        kernels["numbers"](1, 1, 0, np.zeros(8), *numbers)


@pytest.mark.parametrize(
    ("grid", "block", "shared", "how", "message"),
    [
        (0, 1, 0, {}, "grid 0; give one to three positive integers"),
        ((1, 1, 1, 1), 1, 0, {}, "grid .* give one to three"),
        (1, 1025, 0, {}, "a block has 1 to 1024 threads"),
        (1, (1, 1, 65), 0, {}, "at most 64 along z"),
        ((1, 1 << 17), 1, 0, {}, "65535 along y and z"),
        (1, 1, 232449, {}, "at most 232448 bytes of shared memory"),
        (1, 1, -1, {}, "count from 0"),
        (1, 1, 0, {"schedule": "fast"}, "schedule 'fast'; choose one of forward, reverse, random"),
        (1, 1, 0, {"blocks": range(3)}, "the chosen blocks are not all in the grid"),
        (1, 1, 0, {"blocks": range(0, 4, 2)}, "give a range"),
        (1, 1, 0, {"seconds": 0}, "seconds is a positive number"),
    ],
)
def test_launches_that_no_device_takes(kernels, grid, block, shared, how, message):
    with pytest.raises(LngenError, match=message) as caught:
        kernels["is_null"](grid, block, shared, None, np.zeros(1, np.int32), **how)
    assert not isinstance(caught.value, simt.KernelFault)


def test_no_blocks_do_nothing(kernels):
    out = np.zeros(1, np.int32)
    kernels["is_null"](1, 1, 0, None, out, blocks=range(0))
    assert out[0] == 0


def test_after_a_fault_arrays_are_as_they_were(kernels):
    out = np.full(4, 3, np.float32)
    with pytest.raises(simt.KernelFault):
        kernels["copy_f32"](1, 5, 0, np.zeros(5, np.float32), out)
    assert (out == 3).all()


def test_poison_is_no_number(kernels):
    for dtype in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64):
        assert np.isnan(simt.Uninitialised(np.empty(3, dtype)).array.astype(np.float64)).all()
