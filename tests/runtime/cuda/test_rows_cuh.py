"""The CUDA C++ that layers share: alone, on the emulator and to a compiler."""

import re
from pathlib import Path

import mpmath
import numpy as np
import pytest

from lngen import runtime
from lngen.checks.toolchain import nvrtc
from lngen.emit.cpp.contract import DTYPES, LAUNCH_FIELDS
from lngen.extensions import simt
from lngen.runtime.includes import inlined
from tests.requirements import needs_gxx, needs_nvrtc

FOLDER = Path(next(iter(runtime.__path__))) / "cuda"
OF_ALL_LAYERS = ("copies.cuh", "cpp.cuh", "rows.cuh", "shapes.cuh")
ROWS = (FOLDER / "rows.cuh").read_text(encoding="utf-8")


def including(header: str, code: str) -> str:
    return inlined(FOLDER / "test.cu", f'#include "{header}"\n{code}')


def test_the_fields_of_a_launch_are_told_in_their_order() -> None:
    told = ROWS.partition("its entries are\n")[2].partition(".\n")[0]
    assert tuple(re.findall(r"\w+", told)) == LAUNCH_FIELDS


@needs_nvrtc
@pytest.mark.cuda
@pytest.mark.parametrize("header", OF_ALL_LAYERS)
def test_what_all_layers_share_compiles_alone_and_twice(header: str) -> None:
    assert nvrtc.compile(including(header, f'#include "{header}"\n'), "compute_90").log.strip() == ""


TWICE = """
#define LNGEN_SPACE first
#include "layer_rows.cuh"
#undef LNGEN_D
#undef LNGEN_PARAMETERS
#undef LNGEN_SPACE
#define LNGEN_D 100
#define LNGEN_SPACE second
#include "layer_rows.cuh"
static_assert(lngen::first::Here::D == 64 && lngen::second::Here::D == 100);
static_assert(sizeof(lngen::first::Parameter<lngen::f64>) == 4 && sizeof(lngen::second::Parameter<lngen::f64>) == 8);
"""


@needs_nvrtc
@pytest.mark.cuda
def test_what_depends_on_macros_compiles_for_two_layers() -> None:
    text = inlined(FOLDER / "test.cu", TWICE)
    assert nvrtc.compile(text, "compute_90", ["-DLNGEN_D=64", "-DLNGEN_PARAMETERS=f32"]).log.strip() == ""


CHECKS = """
using namespace lngen;
using namespace lngen::LNGEN_SPACE;
template <class X, class Y> constexpr bool same = false;
template <class X> constexpr bool same<X, X> = true;
static_assert(same<Computed<f16>, float> && same<Computed<f32>, float> && same<Computed<f64>, double>);
static_assert(same<Wider<f32, f64>, double>);

constexpr Shape shape(int D, int row, int features, int sums) {
  return shape_of(D, Asked{4, 4, 4, row, features, sums, 0, 0, 0}, LIMITS);
}
constexpr int entries(Shape s) { return s.threads_per_row * s.chunks * s.vector; }
// Every entry has a thread, and accesses divide the row.
static_assert(entries(shape(1, 2, 1, 2)) >= 1);
static_assert(entries(shape(1000, 2, 1, 2)) >= 1000 && entries(shape(1025, 2, 1, 2)) >= 1025);
static_assert(shape(1024, 1, 0, 0).vector == 4 && shape(1026, 1, 0, 0).vector == 2 && shape(1025, 1, 0, 0).vector == 1);
// Short rows have no more threads than accesses.
static_assert(shape(4, 1, 0, 0).threads_per_row == 1 && shape(12, 1, 0, 0).threads_per_row == 4);
static_assert(shape(32, 1, 0, 0).threads_per_row == 8 && shape(256, 1, 0, 0).threads_per_row == 8);
// What a longer row gives up first is the Features, then the sums over rows, then registers, then shared memory.
static_assert(shape(1024, 2, 1, 2).holds_features && shape(1024, 2, 1, 2).sums == IN_REGISTERS);
static_assert(!shape(8192, 2, 1, 2).holds_features && shape(8192, 2, 1, 2).row == WIDENED);
static_assert(shape(10240, 2, 1, 2).sums == IN_SHARED_MEMORY && shape(10240, 2, 1, 2).row == WIDENED);
constexpr Shape long_row = shape_of(20480, Asked{2, 2, 4, 2, 1, 2, 0, 0, 0}, LIMITS);
static_assert(long_row.row == READ_AGAIN && long_row.rows_copied == 1);
static_assert(shape(1 << 20, 2, 1, 2).row == READ_AGAIN && shape(1 << 20, 2, 1, 2).rows_copied == 0);
static_assert(shape(1 << 20, 2, 1, 2).sums == IN_WORKSPACE && shape(1 << 20, 2, 1, 0).sums == IN_REGISTERS);
// Entries of 2 bytes are copied in words. Copies keep the memory busy, in no more room
// than a multiprocessor has.
static_assert(shape_of(1025, Asked{2, 2, 4, 1, 0, 0, 0, 0, 0}, LIMITS).rows_copied >= 1);
static_assert(shape(1024, 1, 0, 0).rows_copied >= 1 && shape(64, 1, 0, 0).rows_copied <= MOST_ROWS_COPIED);
// In 16 bits, what does not fit widened is kept as it is stored.
static_assert(shape_of(1024, Asked{2, 2, 4, 2, 1, 2, 0, 0, 0}, LIMITS).row == WIDENED);
static_assert(shape_of(10240, Asked{2, 2, 4, 2, 1, 2, 0, 0, 0}, LIMITS).row == PACKED);

extern "C" __global__ void functions(const float* u, float* y, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  y[i] = math::softplus(u[i]);
  y[n + i] = math::sigmoid(u[i]);
  y[2 * n + i] = math::power<5>(u[i]);
  y[3 * n + i] = math::sign(u[i]);
  y[4 * n + i] = larger(u[i], 1.0f);
  y[5 * n + i] = smaller(u[i], 1.0f);
}
"""


@pytest.mark.ci
@needs_gxx
@pytest.mark.cuda
def test_types_shapes_and_functions() -> None:
    kernels = simt.build(including("layer_rows.cuh", CHECKS), {"LNGEN_D": 64})
    u = np.array([-np.inf, -200, -1, 0, 1, 200, np.nan], np.float32)
    y = np.zeros((6, len(u)), np.float32)
    kernels["functions"](1, 32, 0, u, y, len(u))
    with np.errstate(over="ignore", invalid="ignore"):
        wanted = [np.logaddexp(0, u), 1 / (1 + np.exp(-u)), u**5, np.sign(u), np.maximum(u, 1), np.minimum(u, 1)]
    np.testing.assert_allclose(y, wanted, rtol=1e-6)


@pytest.mark.ci
@needs_gxx
@pytest.mark.cuda
def test_erf_is_off_by_less_than_two_units_in_the_last_place() -> None:
    """Half a unit by the last rounding, half by those of q where 1 - 2**-q is 0.8, and what a GPU's exp2 adds."""
    code = """
    extern "C" __global__ void of(const float* u, float* y, int n) {
      for (int i = threadIdx.x; i < n; i += 32) y[i] = lngen::math::erf(u[i]);
    }
    """
    kernels = simt.build(including("rows.cuh", code))
    rng = np.random.default_rng(0)
    u = np.concatenate(
        [
            np.linspace(4.2, 0, 1000, endpoint=False),
            rng.uniform(0.94, 0.96, 200),
            10 ** rng.uniform(-9, 0.7, 500),
            [8, np.inf, np.nan],
        ]
    ).astype(np.float32)
    y, mirrored = np.zeros_like(u), np.zeros_like(u)
    kernels["of"](1, 32, 0, u, y, len(u))
    kernels["of"](1, 32, 0, -u, mirrored, len(u))
    assert np.isnan(y[-1])
    np.testing.assert_array_equal(y, -mirrored)
    wanted = np.array([float(mpmath.erf(float(value))) for value in u[:-1]])
    assert (np.abs(y[:-1] - wanted) < 1.25 * np.spacing(wanted.astype(np.float32))).all()


@pytest.mark.ci
@needs_gxx
@pytest.mark.cuda
@pytest.mark.parametrize(("threads", "block"), [(8, 128), (32, 128), (128, 128), (96, 96), (160, 160), (384, 384)])
def test_every_thread_of_a_row_has_its_reductions(threads: int, block: int) -> None:
    """A sum, a maximum and a minimum at once, of a row that one warp, a part of one, or several have."""
    code = """
    struct Block {
      static constexpr int THREADS_PER_ROW = THREADS_OF_A_ROW, BLOCKS_PER_ROW = 1, ALL_THREADS = THREADS_PER_ROW,
                           WARPS = THREADS_OF_BLOCK / 32, ALL_WARPS = WARPS, HALF = 3 * WARPS;
      static constexpr bool OF_WARPS = THREADS_OF_A_ROW == THREADS_OF_BLOCK;
    };
    extern "C" __global__ void reduced(const double* x, double* y) {
      double* slots = reinterpret_cast<double*>(lngen::LNGEN_SPACE::shared_memory());
      int turn = 0;
      for (int stage = 0; stage < 3; ++stage) {
        double values[3] = {x[threadIdx.x], x[threadIdx.x], x[threadIdx.x]};
        lngen::LNGEN_SPACE::reduce_row<Block, 7, 2, 4>(values, slots, turn);
        for (int i = 0; i < 3; ++i) y[(stage * 3 + i) * THREADS_OF_BLOCK + threadIdx.x] = values[i];
      }
    }
    """
    macros = {"LNGEN_D": threads, "THREADS_OF_A_ROW": threads, "THREADS_OF_BLOCK": block}
    kernels = simt.build(including("layer_rows.cuh", code), macros, check=True)
    # All have a sign, so that what is no part of the row would show.
    for signed in (1, -1):
        x = signed * np.random.default_rng(0).integers(1, 99, block).astype(np.float64)
        y = np.zeros((3, 3, block))
        kernels["reduced"](1, block, 2 * 3 * block // 32 * 8, x, y)
        rows = x.reshape(-1, threads)
        wanted = [np.repeat(values, threads) for values in (rows.sum(1), rows.max(1), rows.min(1))]
        assert (y == wanted).all()


@pytest.mark.ci
@needs_gxx
@pytest.mark.cuda
def test_storage_types_go_to_the_compute_type_and_back() -> None:
    kernel = """
    extern "C" __global__ void {0}(const lngen::{0}* x, lngen::{0}* y) {{
      lngen::store<true>(y, lngen::load<2, true>(x));
      y[2] = lngen::narrow<lngen::{0}>(lngen::widen<typename lngen::Wide<lngen::{0}>::type>(x[2]));
    }}
    """
    kernels = simt.build(including("rows.cuh", "".join(map(kernel.format, DTYPES))))
    for dtype in DTYPES:
        stored = {"f32": np.float32, "f64": np.float64}.get(dtype, np.uint16)
        x, y = np.array([3, 1, 2], stored), np.zeros(3, stored)
        kernels[dtype](1, 1, 0, x, y)
        assert (x == y).all()
