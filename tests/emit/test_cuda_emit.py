"""The text of kernels.cu: plain C++, deterministic, readable, and as its contracts say."""

import functools
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import sympy

from lngen.algebra.symbols import FeatureSymbol, RowSymbol
from lngen.emit import Notes
from lngen.emit.cuda import contracts, emit
from lngen.errors import LngenError
from lngen.pipeline.files import manifest
from lngen.plan.program import Assignment, RowProgram, Stage
from tests import programs
from tests.emit.cuda_programs import EXTREMES, HEADS, SINK, WAVES
from tests.requirements import gxx, needs_gxx
from tests.shipped import whole

ROOT = Path(__file__).parents[2]

LAYERS = {
    "centred": (programs.CENTRED_FORWARD, programs.CENTRED_BACKWARD),
    "tanh": (programs.TANH_FORWARD, programs.TANH_BACKWARD),
    "residual": (programs.RESIDUAL_FORWARD, programs.RESIDUAL_BACKWARD),
    "heads": HEADS,
    "waves": WAVES,
    "extremes": EXTREMES,
    "sink": SINK,
}
NOTES = Notes(
    "demo", "A demonstration.", ("printed by a test",), {"forward": ("y = f(x)",), "backward": ("dx = g(x)",)}
)


@functools.cache
def source(layer: str) -> str:
    files = emitted(layer)
    return files["kernels.cu"].replace('#include "layer.h"\n', files["layer.h"])


def emitted(layer: str) -> dict[str, str]:
    return emit(LAYERS[layer], NOTES)


@pytest.fixture(params=LAYERS)
def layer(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_no_header_but_those_of_half_precision(layer: str) -> None:
    assert re.findall(r"#\s*include\s*(\S+)", whole(emitted(layer))) == ["<cuda_bf16.h>", "<cuda_fp16.h>"]
    shared = [f'"../_runtime/{name}"' for name in manifest.runtime_files() if name.endswith((".cuh", ".h"))]
    assert {*re.findall(r"#\s*include\s*(\S+)", source(layer))} <= {*shared}


def test_every_literal_of_a_stage_has_the_compute_type(layer: str) -> None:
    lines = [line.split("//")[0] for line in source(layer).splitlines() if "// step" in line]
    assert lines
    bare = re.compile(r"(?<![\w.(<\[{])(?<!A\()\d+\.?\d*(?![\w.]*[>\]])")
    for line in lines:
        assert not bare.search(re.sub(r"A\([^()]*\)", "c", line)), line


def test_no_atomic_and_one_shared_buffer(layer: str) -> None:
    text = whole(emitted(layer))
    assert "atomic" not in re.sub(r"//.*", "", text)
    assert text.count("extern __shared__") == 1
    assert text.count("__shared__") == 1


def test_streaming_sits_in_two_wrappers(layer: str) -> None:
    text = whole(emitted(layer))
    assert text.count("__ldcs") == 1
    assert text.count("__stcs") == 1
    # What has no function in CUDA C++ is in wrappers of the headers, each once.
    assert "asm" not in source(layer)
    assert sorted(re.findall(r'asm volatile\("([a-z][\w.]+)', text)) == [
        "bar.sync",
        "cp.async.ca.shared.global",
        "cp.async.cg.shared.global",
        "cp.async.commit_group",
        "cp.async.wait_group",
        "griddepcontrol.launch_dependents",
        "griddepcontrol.wait",
    ]


def test_the_derivation_is_there_line_by_line() -> None:
    text = source("centred")
    assert "const auto mu = get<0>(stage_1);  // step 1: mean(x)" in text
    assert "const auto xhat = x_centred*rstd;  // step 5" in text
    assert "const auto rstd = math::rsqrt(var + row(EPS));  // step 4" in text
    assert "//     y = f(x)" in text


def test_signatures_are_those_of_the_contracts(layer: str) -> None:
    text = emit(LAYERS[layer], NOTES)["kernels.cu"].replace("\\\n", "")
    for contract in contracts(*LAYERS[layer]):
        found = re.search(rf"LNGEN_KERNEL\({contract.kernel}_##TYPE, T, \S+\s+\(([^)]*)\),\s+\(([^)]*)\)\)", text)
        assert found is not None
        names = [argument.name for argument in contract.arguments]
        assert [argument.split()[-1] for argument in found[1].split(",")] == names
        assert found[2].split(", ") == names


def test_contracts_name_what_a_launcher_passes() -> None:
    forward, backward, columns = contracts(*LAYERS["sink"])
    assert [a.name for a in forward.arguments if a.role == "save"] == ["save_scale", "save_average"]
    by_name = {argument.name: argument for argument in backward.arguments}
    assert [by_name[f"out_{name}"].part for name in ("dx", "dr")] == ["out dx", "out dr"]
    assert by_name["out_ds"].absent == "LNGEN_WITHOUT_s"
    assert by_name["dz"].absent == "LNGEN_WITHOUT_dz"
    assert by_name["eps"].pointer is False
    assert (backward.column_sums, backward.scalar_sums) == (2, 1)
    assert [a.name for a in columns.arguments if a.writes] == ["workspace", "out_dw", "out_dv", "out_dalpha"]


def test_without_sums_over_rows_there_is_no_second_kernel() -> None:
    assert [contract.kernel for contract in contracts(*HEADS)] == ["forward", "backward"]
    assert "WORKSPACE" not in source("heads")


def test_names_that_the_text_uses_itself_are_moved_away() -> None:
    text = source("sink")
    assert "const auto row_ = " in text
    assert "work(const Row& row)" in text


def test_a_comment_stays_a_comment() -> None:
    notes = Notes("demo", "Ends in a backslash \\", ("two\nlines",))
    text = emit(LAYERS["centred"], notes)["kernels.cu"]
    assert text.startswith("// Ends in a backslash \n// two lines\n")


def test_an_unknown_function_is_one_clear_error() -> None:
    forward, backward = LAYERS["centred"]
    x, y = RowSymbol("x"), RowSymbol("y")
    strange = Stage(temps=(Assignment(y, sympy.zeta(x), 1),), stores=forward.stages[-1].stores)
    with pytest.raises(LngenError, match="cannot write zeta"):
        emit((replace(forward, stages=(strange,)), backward), NOTES)


def test_an_undefined_symbol_is_one_clear_error() -> None:
    forward, backward = LAYERS["centred"]
    y = RowSymbol("y")
    lost = Stage(temps=(Assignment(y, FeatureSymbol("nowhere") + 1, 1),), stores=forward.stages[-1].stores)
    with pytest.raises(LngenError, match="nowhere, which nothing defines"):
        emit((replace(forward, stages=(lost,)), backward), NOTES)


def test_too_many_reductions_in_a_stage_are_refused() -> None:
    forward, backward = LAYERS["centred"]
    first = forward.stages[0]
    crowd = replace(first, reductions=first.reductions * 65)
    with pytest.raises(LngenError, match="65 reductions"):
        emit((replace(forward, stages=(crowd, *forward.stages[1:])), backward), NOTES)


# Enough of CUDA for a host compiler to read a kernel: all that is not plain C++ is declared here.
STUB = """
#pragma once
#define __host__
#define __device__
#define __global__
#define __shared__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
struct uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct Dim { unsigned x, y, z; };
extern Dim threadIdx, blockIdx, blockDim, gridDim;
extern "C" {
float sqrtf(float); float expf(float); float logf(float); float sinf(float); float cosf(float); float rsqrtf(float);
float tanhf(float); float erff(float); float log1pf(float); float expm1f(float); float fabsf(float);
float exp2f(float); float copysignf(float, float);
double sqrt(double); double exp(double); double log(double); double sin(double); double cos(double);
double tanh(double); double erf(double); double log1p(double); double expm1(double); double fabs(double);
float powf(float, float); double pow(double, double);
float fmaf(float, float, float); double fma(double, double, double);
}
void __syncthreads();
float __int_as_float(int);
unsigned long __cvta_generic_to_shared(const void*);
template <class T> T __shfl_xor_sync(unsigned, T, int);
template <class T> T __ldcs(const T*);
template <class T> void __stcs(T*, T);
"""
FP16 = """
#include "stub.h"
struct __half { unsigned short bits; };
float __half2float(__half); __half __float2half_rn(float); __half __double2half(double);
"""
BF16 = """
#include "stub.h"
struct __nv_bfloat16 { unsigned short bits; };
float __bfloat162float(__nv_bfloat16); __nv_bfloat16 __float2bfloat16_rn(float);
__nv_bfloat16 __double2bfloat16(double);
"""


@needs_gxx
@pytest.mark.parametrize("macros", [[], ["-DLNGEN_D=1000", "-DLNGEN_PARAMETERS=f32"]], ids=["any D", "D=1000"])
def test_all_but_the_builtins_is_plain_cpp(layer: str, macros: list[str], tmp_path: Path) -> None:
    for name, text in (
        ("stub.h", STUB),
        ("cuda_fp16.h", FP16),
        ("cuda_bf16.h", BF16),
        ("k.cc", whole(emitted(layer))),
    ):
        (tmp_path / name).write_text(text)
    # `extern __shared__` declares an array of no known size in a function, which only CUDA gives storage.
    command = [
        str(gxx()),
        "-std=c++17",
        "-fsyntax-only",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-Wno-unknown-pragmas",
    ]
    allowed = ["-Wno-unused-variable", "-Wno-unused-parameter", "-Wno-unused-but-set-variable"]
    done = subprocess.run(
        [*command, *allowed, *macros, f"-I{tmp_path}", str(tmp_path / "k.cc")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:3000]


def test_the_programs_are_those_of_the_interface() -> None:
    for forward, backward in LAYERS.values():
        assert isinstance(forward, RowProgram)
        assert (forward.direction, backward.direction) == ("forward", "backward")


def test_what_is_kept_of_functions_counts_and_instructions_do_not() -> None:
    x, y = RowSymbol("x"), RowSymbol("y")

    def calls(expression: sympy.Expr) -> int:
        stage = Stage((Assignment(y, expression, 1),), (), ())
        forward = replace(programs.TANH_FORWARD, stages=(stage,))
        text = emit((forward, programs.TANH_BACKWARD), NOTES)["layer.h"]
        found = re.search(r"Direction<Given, decltype\(over_rows\(\)\), \d+, (\d+),", text)
        assert found
        return int(found[1])

    assert calls(sympy.exp(x) * sympy.erf(x)) == 2
    assert calls(sympy.Abs(x) + sympy.sign(x) * sympy.sqrt(x)) == 0
