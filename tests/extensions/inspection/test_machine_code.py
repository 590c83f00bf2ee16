"""Kernels compiled for an architecture, and kept."""

import os
from pathlib import Path

import pytest

from lngen.checks.toolchain import nvrtc
from lngen.checks.toolchain.nvrtc import NvrtcMissing, Resources
from lngen.errors import CompileError
from lngen.extensions.inspection import machine_code as module
from lngen.extensions.inspection.machine_code import machine_code
from lngen.extensions.simt.driver import script
from lngen.runtime.cuda import compilers
from tests.requirements import needs_nvrtc

SCALE = 'extern "C" __global__ void scale(float* x) { x[threadIdx.x] *= FACTOR; }'
CROWDED = """extern "C" __global__ void __launch_bounds__(1024, 2) crowded(float* x) {{
{loads}
  __syncthreads();
  x[threadIdx.x] = {total};
}}""".format(
    loads="\n".join(f"  const float a{i} = x[threadIdx.x + {i}];" for i in range(60)),
    total=" + ".join(f"x[int(a{i})] * a{59 - i}" for i in range(60)),
)


@pytest.fixture(autouse=True)
def by_nvrtc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LNGEN_COMPILER", "nvrtc")
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path))


@needs_nvrtc
@pytest.mark.cuda
def test_what_was_compiled_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    first = machine_code(SCALE, "sm_90", ["-DFACTOR=2"])
    assert set(first.resources) == {"scale"}
    assert first.resources["scale"].faults() == []
    monkeypatch.setattr(module.nvrtc, "compile", lambda *arguments: pytest.fail("it was compiled again"))
    assert machine_code(SCALE, "sm_90", ["-DFACTOR=2"]) == first


@needs_nvrtc
@pytest.mark.cuda
def test_another_architecture_is_other_code() -> None:
    texts = {machine_code(SCALE, arch, ["-DFACTOR=2"]).cubin for arch in ("sm_80", "sm_90")}
    assert len(texts) == 2


@needs_nvrtc
@pytest.mark.cuda
def test_spills_are_found() -> None:
    spilled, stack = machine_code(CROWDED, "sm_90").resources["crowded"].faults()
    assert "spills" in spilled
    assert "a stack frame" in stack


NVCC = """#!/bin/sh
case "$*" in
  *--version*) echo "release 13.0" ;;
  *-DFACTOR=2*)
    for last; do :; done
    printf '\\177ELF %s' "$1" > "$last"
    echo "ptxas info    : Compiling entry function 'scale' for 'sm_90'" >&2
    echo "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads" >&2
    echo "ptxas info    : Used 8 registers" >&2 ;;
  *) echo "$PWD/nothing.cu(1): error: FACTOR is undefined" >&2; exit 2 ;;
esac
"""


def test_nvcc_is_asked_for_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    nvcc = tmp_path / "nvcc"
    nvcc.write_text(NVCC)
    nvcc.chmod(0o755)
    monkeypatch.setenv("LNGEN_COMPILER", "nvcc")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    made = machine_code(SCALE, "sm_90", ["-DFACTOR=2"])
    assert made.cubin == b"\x7fELF -arch=sm_90"
    assert made.resources == {"scale": Resources(8, 0, 0, 0, 0)}
    with pytest.raises(CompileError, match=r"for sm_80, .*nvcc refused kernels\.cu:\n.*FACTOR is undefined"):
        machine_code(SCALE, "sm_80")


@needs_nvrtc
@pytest.mark.cuda
def test_the_emulators_nvcc_is_passed_by(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LNGEN_COMPILER", raising=False)
    monkeypatch.setenv("PATH", str(script.write().parent), prepend=os.pathsep)
    assert machine_code(SCALE, "sm_90", ["-DFACTOR=5"]).cubin.startswith(b"\x7fELF")
    monkeypatch.setattr(compilers, "find_nvrtcs", list)
    with pytest.raises(NvrtcMissing, match="nvcc is the emulator's stand-in here"):
        machine_code(SCALE, "sm_90", ["-DFACTOR=6"])


def test_an_unknown_compiler_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LNGEN_COMPILER", "clang")
    with pytest.raises(NvrtcMissing, match='set it to "nvcc" or "nvrtc"'):
        machine_code(SCALE, "sm_90")


def test_nvdisasm_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nvrtc.shutil, "which", lambda name: None)
    monkeypatch.setattr(nvrtc.sys, "path", [])
    with pytest.raises(NvrtcMissing, match="pip install nvidia-cuda-nvdisasm"):
        nvrtc.disassembler()
