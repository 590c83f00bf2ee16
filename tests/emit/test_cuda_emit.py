"""The text of kernels.cu: plain C++, deterministic, readable, and as its contracts say."""

import functools
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from lngen.emit import Notes
from lngen.emit.cuda import contracts, emit
from lngen.errors import LngenError
from lngen.pipeline.files import manifest
from lngen.pipeline.stages import derived
from tests import corpus
from tests.requirements import gxx, needs_gxx
from tests.shipped import NAMES, ROOT, whole
from tests.tiers import sample

LAYERS = ("layer_norm", "add_rms_norm", "dynamic_tanh", "layer_norm_gelu", "sine", "range_of_normalized", "modulated")
"""Between them: each kind of input, several outputs, sums of each kind, an extreme, and functions of several kinds."""
NOTES = Notes("demo", "Ends in a backslash \\", ("two\nlines",))


@functools.cache
def emitted(layer: str) -> dict[str, str]:
    """The files of a layer of the corpus; those of a shipped one are committed."""
    if layer in NAMES:
        return {path.name: path.read_text() for path in (ROOT / "generated" / layer).iterdir() if path.is_file()}
    return dict(derived(corpus.definition(layer), proved=False).files)


def source(layer: str) -> str:
    files = emitted(layer)
    return files["kernels.cu"].replace('#include "layer.h"\n', files["layer.h"])


@pytest.fixture(params=LAYERS)
def layer(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.ci
def test_no_header_but_those_of_half_precision(layer: str) -> None:
    assert re.findall(r"#\s*include\s*(\S+)", whole(emitted(layer))) == ["<cuda_bf16.h>", "<cuda_fp16.h>"]
    shared = [f'"../_runtime/{name}"' for name in manifest.runtime_files() if name.endswith((".cuh", ".h"))]
    assert {*re.findall(r"#\s*include\s*(\S+)", source(layer))} <= {*shared}


@pytest.mark.ci
def test_every_literal_of_a_stage_has_the_compute_type(layer: str) -> None:
    lines = [line.split("//")[0] for line in source(layer).splitlines() if "// step" in line]
    assert lines
    bare = re.compile(r"(?<![\w.(<\[{])(?<!A\()\d+\.?\d*(?![\w.]*[>\]])")
    for line in lines:
        assert not bare.search(re.sub(r"A\([^()]*\)", "c", line)), line


@pytest.mark.ci
def test_no_atomic_and_one_shared_buffer(layer: str) -> None:
    text = whole(emitted(layer))
    assert "atomic" not in re.sub(r"//.*", "", text)
    assert text.count("extern __shared__") == 1
    assert text.count("__shared__") == 1


@pytest.mark.ci
def test_streaming_sits_in_two_wrappers(layer: str) -> None:
    text = whole(emitted(layer))
    assert text.count("__ldcs") == 1
    assert text.count("__stcs") == 1
    # What has no function in CUDA C++ is in wrappers of the headers, each once.
    assert "asm" not in source(layer)
    assert sorted(re.findall(r'asm volatile\("([a-z][\w.]+)', text)) == [
        "barrier.cluster.arrive.aligned",
        *["cp.async.ca.shared.global"] * 2,  # of an access, and of the word of an entry
        "cp.async.cg.shared.global",
        "cp.async.commit_group",
        "cp.async.wait_group",
        *["mapa.shared"] * 2,  # a store of both types that are computed in
        "mov.u32",
        "trap",
    ]


def test_signatures_are_those_of_the_contracts(layer: str) -> None:
    text = emitted(layer)["kernels.cu"].replace("\\\n", "")
    plan = corpus.planned(layer)
    for contract in contracts(plan.forward, plan.backward):
        found = re.search(rf"LNGEN_KERNEL\({contract.kernel}_##TYPE, T, \S+\s+\(([^)]*)\),\s+\(([^)]*)\)\)", text)
        assert found is not None
        names = [argument.name for argument in contract.arguments]
        assert [argument.split()[-1] for argument in found[1].split(",")] == names
        assert found[2].split(", ") == names


def test_a_comment_stays_a_comment() -> None:
    plan = corpus.planned("layer_norm")
    text = emit((plan.forward, plan.backward), NOTES)["kernels.cu"]
    assert text.startswith("// Ends in a backslash \n// two lines\n")


def test_too_many_reductions_in_a_stage_are_refused() -> None:
    plan = corpus.planned("layer_norm")
    first = plan.forward.stages[0]
    crowd = replace(first, reductions=first.reductions * 65)
    with pytest.raises(LngenError, match="65 reductions"):
        emit((replace(plan.forward, stages=(crowd, *plan.forward.stages[1:])), plan.backward), NOTES)


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
float asinf(float); float acosf(float); float atanf(float);
float tanhf(float); float erff(float); float log1pf(float); float expm1f(float); float fabsf(float);
float exp2f(float); float copysignf(float, float);
double sqrt(double); double exp(double); double log(double); double sin(double); double cos(double);
double asin(double); double acos(double); double atan(double);
double tanh(double); double erf(double); double log1p(double); double expm1(double); double fabs(double);
float powf(float, float); double pow(double, double);
float fmaf(float, float, float); double fma(double, double, double);
}
void __syncthreads();
float __int_as_float(int); int __float_as_int(float);
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
@pytest.mark.parametrize("macros", [[], ["-DLNGEN_PARAMETERS=f32"]], ids=["usual", "parameters"])
@pytest.mark.parametrize("layer", sample(LAYERS, LAYERS[:2]))
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
        [*command, *allowed, "-DLNGEN_D=1000", *macros, f"-I{tmp_path}", str(tmp_path / "k.cc")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:3000]
