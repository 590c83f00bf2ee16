"""Philox in C++: the words that were published, on a processor and on the emulator, and lanes of random numbers."""

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

from lngen import runtime
from lngen.extensions import simt
from lngen.language.definition import Draw
from lngen.language.oracle.random import drawn_from
from lngen.runtime.includes import inlined
from tests.requirements import gxx, needs_gxx
from tests.runtime.native.test_simd import OPTIONS, unfit
from tests.test_random import PUBLISHED

FOLDER = Path(next(iter(runtime.__path__)))
INPUTS = np.array([[*counter, *key] for counter, key, _ in PUBLISHED], np.uint32)
WORDS = np.array([words for *_, words in PUBLISHED], np.uint32)

HOST = """
#include "simd_random.h"
extern "C" void words(const unsigned* in, unsigned* out) {
  const auto found = lngen::philox({{in[0], in[1], in[2], in[3]}}, {in[4], in[5]});
  for (int i = 0; i < 4; ++i) out[i] = found.of[i];
}
extern "C" void row(float* single, double* twice, long long row, int D, unsigned seed) {
  for (int i = 0; i < D; i += 16) lngen::random_lanes<float>(row, i, {seed, 6}).put(single + i);
  for (int i = 0; i < D; i += 8) lngen::random_lanes<double>(row, i, {seed, 6}).put(twice + i);
}
"""
DEVICE = """
extern "C" __global__ void words(const unsigned* in, unsigned* out) {
  const auto found = lngen::philox({{in[0], in[1], in[2], in[3]}}, {in[4], in[5]});
  out[threadIdx.x] = lngen::one_of(found, threadIdx.x);
}
"""


@needs_gxx
@pytest.mark.parametrize("arch", ["native", pytest.param("x86-64", marks=pytest.mark.ci)])
def test_words_and_lanes_of_a_processor(arch, tmp_path):
    if reason := unfit(arch):
        pytest.skip(reason)
    (tmp_path / "words.cpp").write_text(HOST)
    folder = f"-I{FOLDER / 'native'}"
    command = [gxx(), *OPTIONS, folder, f"-march={arch}", str(tmp_path / "words.cpp"), "-o", str(tmp_path / "words.so")]
    subprocess.run(command, check=True)
    library = ctypes.CDLL(str(tmp_path / "words.so"))
    found = np.zeros((3, 4), np.uint32)
    for given, made in zip(INPUTS, found, strict=True):
        library.words(*(ctypes.c_void_p(array.ctypes.data) for array in (given, made)))
    np.testing.assert_array_equal(found, WORDS)
    single, twice = np.zeros(48, np.float32), np.zeros(48)
    wanted = drawn_from(Draw("seed", 6), {"seed": -2}, (30, 48))[29]
    pointers = (ctypes.c_void_p(array.ctypes.data) for array in (single, twice))
    library.row(*pointers, ctypes.c_longlong(29), 48, ctypes.c_uint(2**32 - 2))
    np.testing.assert_array_equal(single, wanted.astype(np.float32))
    np.testing.assert_array_equal(twice, wanted)


@needs_gxx
@pytest.mark.ci
@pytest.mark.cuda
def test_words_of_a_gpu():
    kernels = simt.build(inlined(FOLDER / "cuda" / "test.cu", f'#include "layer_rows.cuh"\n{DEVICE}'), {"LNGEN_D": 4})
    found = np.zeros((3, 4), np.uint32)
    for given, made in zip(INPUTS, found, strict=True):
        kernels["words"](1, 4, 0, given, made)
    np.testing.assert_array_equal(found, WORDS)
