"""NVRTC by ctypes: what it compiles, what it reports, and what is said where it is missing."""

import pytest

from lngen.checks.toolchain import nvrtc
from lngen.errors import CompileError, LngenError
from tests.requirements import needs_nvdisasm, needs_nvrtc

pytestmark = pytest.mark.cuda

SCALE = """
#include <cuda_fp16.h>
extern "C" __global__ void scale_f32(float* x) {
  __shared__ float first[32];
  first[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = 2.0f * first[31 - threadIdx.x];
}
extern "C" __global__ void scale_f16(__half* x) {
  x[threadIdx.x] = __float2half(2.0f * __half2float(x[threadIdx.x]));
}
"""


@needs_nvrtc
def test_a_cubin_and_what_its_kernels_take() -> None:
    compiled = nvrtc.compile(SCALE, "sm_90")
    assert compiled.cubin.startswith(b"\x7fELF")
    assert not compiled.ptx
    assert set(compiled.resources) == {"scale_f32", "scale_f16"}
    scale = compiled.resources["scale_f32"]
    assert scale.shared == 128
    assert (scale.stack, scale.spill_stores, scale.spill_loads) == (0, 0, 0)
    assert 0 < scale.registers < 64


@needs_nvrtc
def test_a_virtual_architecture_gives_ptx() -> None:
    compiled = nvrtc.compile(SCALE, "compute_90")
    assert ".entry scale_f32" in compiled.ptx
    assert not compiled.cubin


@needs_nvrtc
def test_options_reach_the_compiler() -> None:
    source = 'extern "C" __global__ void named(int* x) { *x = WIDTH; }'
    with pytest.raises(CompileError, match="WIDTH"):
        nvrtc.compile(source, "sm_90")
    assert "named" in nvrtc.compile(source, "sm_90", ["-DWIDTH=3"]).resources


@needs_nvrtc
def test_an_error_has_file_and_line() -> None:
    with pytest.raises(CompileError, match=r"kernels\.cu\(2\): error"):
        nvrtc.compile("\n__global__ void broken() { missing; }", "sm_90")


@needs_nvrtc
def test_the_version_is_known() -> None:
    assert nvrtc.available()
    assert nvrtc.version() >= (11, 0)


@needs_nvrtc
@needs_nvdisasm
def test_instructions_by_kernel() -> None:
    listing = nvrtc.disassemble(nvrtc.compile(SCALE, "sm_90").cubin)
    kernels = nvrtc.instructions(listing)
    assert set(kernels) == {"scale_f32", "scale_f16"}
    assert any(line.startswith("BAR.SYNC") for line in kernels["scale_f32"])
    assert not any(line.startswith("BAR.SYNC") for line in kernels["scale_f16"])


@needs_nvrtc
@needs_nvdisasm
def test_what_is_no_cubin_is_refused() -> None:
    with pytest.raises(LngenError, match="nvdisasm failed"):
        nvrtc.disassemble(b"not a cubin")


@pytest.mark.ci
def test_a_log_of_another_form_is_refused() -> None:
    with pytest.raises(LngenError, match="no resource usage of f"):
        nvrtc.parse_resources("Compiling entry function 'f' for 'sm_90'\nregisters: few")
