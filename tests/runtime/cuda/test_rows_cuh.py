"""The CUDA C++ that layers share: alone, on the emulator and to a compiler."""

import re
from pathlib import Path

import mpmath
import numpy as np
import pytest

from lngen import runtime
from lngen.check.toolchain import nvrtc
from lngen.emit.cuda import DTYPES, LAUNCH_FIELDS
from lngen.extensions import simt
from lngen.runtime.includes import inlined
from tests.requirements import needs_gxx, needs_nvrtc

FOLDER = Path(next(iter(runtime.__path__))) / "cuda"
HEADERS = sorted(path.name for path in FOLDER.glob("*.cuh"))
ROWS = (FOLDER / "rows.cuh").read_text(encoding="utf-8")


def including(header: str, code: str) -> str:
    return inlined(FOLDER / "test.cu", f'#include "{header}"\n{code}')


def test_the_fields_of_a_launch_are_told_in_their_order() -> None:
    told = ROWS.partition("its entries are\n")[2].partition(".\n")[0]
    assert tuple(re.findall(r"\w+", told)) == LAUNCH_FIELDS


@needs_nvrtc
@pytest.mark.cuda
@pytest.mark.parametrize("macros", [(), ("-DLNGEN_COMPUTE=double", "-DLNGEN_PARAMETERS=f32")])
@pytest.mark.parametrize("header", HEADERS)
def test_each_compiles_alone_and_twice(header: str, macros: tuple[str, ...]) -> None:
    assert (
        nvrtc.compile(including(header, f'#include "{header}"\n'), "compute_90", ["-DLNGEN_D=64", *macros]).log.strip()
        == ""
    )


CHECKS = """
using namespace lngen;
template <class X, class Y> constexpr bool same = false;
template <class X> constexpr bool same<X, X> = true;
static_assert(same<Computed<f16>, {least}> && same<Computed<f32>, {least}> && same<Computed<f64>, double>);
static_assert(same<Wider<f32, f64>, double>);

extern "C" __global__ void functions(const float* u, float* y, int n) {{
  const int i = threadIdx.x;
  if (i >= n) return;
  y[i] = math::softplus(u[i]);
  y[n + i] = math::sigmoid(u[i]);
  y[2 * n + i] = math::power<5>(u[i]);
  y[3 * n + i] = math::sign(u[i]);
  y[4 * n + i] = larger(u[i], 1.0f);
  y[5 * n + i] = smaller(u[i], 1.0f);
}}
"""


@pytest.mark.ci
@needs_gxx
@pytest.mark.cuda
@pytest.mark.parametrize("least", ["float", "double"])
def test_types_and_functions(least: str) -> None:
    kernels = simt.build(including("rows.cuh", CHECKS.format(least=least)), {"LNGEN_COMPUTE": least, "LNGEN_D": 64})
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
      double* slots = reinterpret_cast<double*>(lngen::shared_memory());
      int turn = 0;
      for (int stage = 0; stage < 3; ++stage) {
        double values[3] = {x[threadIdx.x], x[threadIdx.x], x[threadIdx.x]};
        lngen::reduce_row<Block, 7, 2, 4>(values, slots, turn);
        for (int i = 0; i < 3; ++i) y[(stage * 3 + i) * THREADS_OF_BLOCK + threadIdx.x] = values[i];
      }
    }
    """
    macros = {"LNGEN_D": threads, "THREADS_OF_A_ROW": threads, "THREADS_OF_BLOCK": block}
    kernels = simt.build(including("reductions.cuh", code), macros, check=True)
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
      lngen::store_once(y, lngen::load_once<2>(x));
      y[2] = lngen::narrow<lngen::{0}>(lngen::widen<lngen::Computed<lngen::{0}>>(x[2]));
    }}
    """
    kernels = simt.build(including("rows.cuh", "".join(map(kernel.format, DTYPES))))
    for dtype in DTYPES:
        stored = {"f32": np.float32, "f64": np.float64}.get(dtype, np.uint16)
        x, y = np.array([3, 1, 2], stored), np.zeros(3, stored)
        kernels[dtype](1, 1, 0, x, y)
        assert (x == y).all()
