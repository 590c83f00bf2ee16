"""NVRTC, NVIDIA's run-time compiler: CUDA C++ to a cubin without toolkit, driver or GPU.

It is found as the kernels' launcher finds it. `compile` returns the machine code and the output of ptxas about each
kernel; `disassemble` returns its instructions if `nvdisasm` is found.
"""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from lngen.errors import CompileError, LngenError
from lngen.runtime.cuda.compilers import REPORT, Nvrtc, find_nvrtcs
from lngen.runtime.cuda.variants import without_spills


class NvrtcMissing(LngenError):
    """Error for a missing NVRTC or a tool of it; the message says what to install."""


@dataclass(frozen=True)
class Resources:
    """Resources of one kernel, from the log of ptxas: registers per thread, the rest in bytes."""

    registers: int
    stack: int
    spill_stores: int
    spill_loads: int
    shared: int

    def faults(self) -> list[str]:
        """Describe the memory used for lack of registers; empty if there is none."""
        found = []
        if self.spill_stores or self.spill_loads:
            found.append(f"spills {self.spill_stores} + {self.spill_loads} bytes")
        if self.stack:
            found.append(f"a stack frame of {self.stack} bytes")
        return found


class _HasResources(Protocol):
    @property
    def resources(self) -> Mapping[str, Resources]: ...


Built = TypeVar("Built", bound=_HasResources)


@dataclass(frozen=True)
class Compiled:
    """A compiled source: `cubin` for a real architecture, `ptx` for a virtual one; the other is empty.

    `options` are those that it was compiled with.
    """

    cubin: bytes
    ptx: str
    log: str
    resources: dict[str, Resources]
    options: tuple[str, ...]


_WHEELS = "pip install nvidia-cuda-nvrtc nvidia-cuda-runtime"


def available() -> bool:
    """Test whether `compile` will find NVRTC."""
    try:
        _nvrtc()
    except NvrtcMissing:
        return False
    return True


def version() -> tuple[int, int]:
    """The version of NVRTC, such as (13, 0). Raises NvrtcMissing."""
    return _nvrtc().version()


def compile(source: str, arch: str, options: Sequence[str] = ()) -> Compiled:
    """Compile CUDA C++ for `arch`: `sm_90` gives a cubin, `compute_90` gives PTX.

    `options` are added to the command line as they are (`-DLNGEN_D=1024`). Raises NvrtcMissing, or CompileError with
    the compiler's log, which calls the source `kernels.cu`.
    """
    line = ("--std=c++17", REPORT, *options)
    try:
        code, log = _nvrtc().compile(Path("kernels.cu"), source, arch, line)
    except RuntimeError as error:
        raise CompileError(f"for {arch}, {error}") from error
    if arch.startswith("compute_"):
        return Compiled(b"", code.rstrip(b"\0").decode(), log, {}, (*options,))
    return Compiled(code, "", log, parse_resources(log), (*options,))


def compile_as_launched(source: str, arch: str, options: Sequence[str] = ()) -> Compiled:
    """The same of the variant that the launcher takes: with as much in registers as spills nothing."""
    return as_launched(functools.partial(compile, source, arch), options)


def as_launched(build: Callable[[Sequence[str]], Built], options: Sequence[str]) -> Built:
    """Build with some options, in the variant that the launcher takes."""
    return without_spills(
        lambda variant: build((*options, *(f"-D{macro}" for macro in variant))),
        lambda built: sum(used.spill_stores for used in built.resources.values()),
    )


def disassemble(cubin: bytes) -> str:
    """The instructions of a cubin, by nvdisasm from the wheel or the toolkit. Raises NvrtcMissing."""
    tool = disassembler()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kernels.cubin"
        path.write_bytes(cubin)
        done = subprocess.run([tool, "-c", str(path)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise LngenError(f"nvdisasm failed: {done.stderr.strip()}")
    return done.stdout


def instructions(listing: str) -> dict[str, list[str]]:
    """The instructions of each kernel in a listing by `disassemble`, without addresses and predicates.

    >>> instructions('''
    ... .text.scale_f32:
    ...         /*0000*/                   LDC R1, c[0x0][0x37c] ;
    ...         /*0010*/              @!P0 EXIT ;
    ... ''')
    {'scale_f32': ['LDC R1, c[0x0][0x37c]', 'EXIT']}
    """
    kernels: dict[str, list[str]] = {}
    current: list[str] = []
    for line in listing.splitlines():
        if label := re.match(r"\s*\.text\.([\w$]+):", line):
            current = kernels.setdefault(label[1], [])
        elif found := re.match(r"\s*/\*[0-9a-f]+\*/\s+(?:\{\s*)?(?:@!?\w+\s+)?(.*?)\s*;", line):
            current.append(found[1])
    return kernels


def parse_resources(log: str) -> dict[str, Resources]:
    """Return the resources of each kernel, from the output of `--ptxas-options=-v`.

    >>> parse_resources('''ptxas info    : Compiling entry function 'f' for 'sm_90'
    ... ptxas info    : Function properties for f
    ... ptxas         .     8 bytes stack frame, 4 bytes spill stores, 2 bytes spill loads
    ... ptxas info    : Used 22 registers, used 1 barriers, 16 bytes smem''')
    {'f': Resources(registers=22, stack=8, spill_stores=4, spill_loads=2, shared=16)}
    """
    found: dict[str, Resources] = {}
    for chunk in re.split(r"Compiling entry function '", log)[1:]:
        name = chunk.split("'", 1)[0]
        frame = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", chunk)
        used = re.search(r"Used (\d+) registers", chunk)
        shared = re.search(r"(\d+) bytes smem", chunk)
        if frame is None or used is None:
            raise LngenError(f"the log of ptxas has no resource usage of {name}; its form may have changed:\n{log}")
        stack, stores, loads = (int(number) for number in frame.groups())
        found[name] = Resources(int(used[1]), stack, stores, loads, int(shared[1]) if shared else 0)
    return found


@functools.cache
def _nvrtc() -> Nvrtc:
    found = find_nvrtcs()
    if not found:
        raise NvrtcMissing(f"no NVRTC: {_WHEELS}")
    nvrtc = Nvrtc(*found[0])
    try:
        nvrtc.version()
    except OSError as error:
        raise NvrtcMissing(f"NVRTC is installed but cannot be loaded ({error}); try: {_WHEELS}") from error
    return nvrtc


def disassembler() -> str:
    """The path of nvdisasm, of the PATH or a wheel. Raises NvrtcMissing."""
    wheels = (found for folder in sys.path for found in sorted(Path(folder or ".").glob("nvidia/*/bin/nvdisasm")))
    tool = shutil.which("nvdisasm") or next(map(str, wheels), None)
    if tool is None:
        raise NvrtcMissing("no nvdisasm: pip install nvidia-cuda-nvdisasm")
    return tool
