"""NVRTC, NVIDIA's run-time compiler, called by ctypes: CUDA C++ to a cubin without toolkit, driver or GPU.

It is found in the wheels `nvidia-cuda-nvrtc` and `nvidia-cuda-runtime` (for the two headers of half
precision), or in an installed toolkit. `compile` gives the machine code and what ptxas says of each kernel;
`disassemble` gives its instructions where `nvdisasm` is found.
"""

from __future__ import annotations

import ctypes
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lngen.errors import CompileError, LngenError


class NvrtcMissing(LngenError):
    """NVRTC or a tool that goes with it is not on this machine; the message says what to install."""


@dataclass(frozen=True)
class Resources:
    """What one kernel takes, from the log of ptxas: registers a thread, the rest in bytes."""

    registers: int
    stack: int
    spill_stores: int
    spill_loads: int
    shared: int


@dataclass(frozen=True)
class Compiled:
    """A compiled source: `cubin` for a real architecture, `ptx` for a virtual one; the other is empty."""

    cubin: bytes
    ptx: str
    log: str
    resources: dict[str, Resources]


@dataclass(frozen=True)
class _Installation:
    library: Path
    headers: Path
    tools: Path


_WHEELS = "pip install nvidia-cuda-nvrtc nvidia-cuda-runtime"


def available() -> bool:
    """Whether `compile` will find NVRTC."""
    try:
        _installation()
    except NvrtcMissing:
        return False
    return True


def version() -> tuple[int, int]:
    """The version of NVRTC, such as (13, 0). Raises NvrtcMissing."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
    return major.value, minor.value


def compile(source: str, arch: str, options: Sequence[str] = ()) -> Compiled:
    """Compile CUDA C++ for `arch`: `sm_90` gives a cubin, `compute_90` gives PTX.

    `options` are added to the command line as they are (`-DLNGEN_D=1024`). Raises NvrtcMissing, or CompileError with
    the compiler's log, which calls the source `kernels.cu`.
    """
    program = ctypes.c_void_p()
    _call("nvrtcCreateProgram", ctypes.byref(program), source.encode(), b"kernels.cu", 0, None, None)
    try:
        return _compile(program, arch, options)
    finally:
        _call("nvrtcDestroyProgram", ctypes.byref(program))


def disassemble(cubin: bytes) -> str:
    """The instructions of a cubin, by nvdisasm from the wheel or the toolkit. Raises NvrtcMissing."""
    tool = _nvdisasm()
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
    """The resources of each kernel, from what `--ptxas-options=-v` printed.

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


def _compile(program: ctypes.c_void_p, arch: str, options: Sequence[str]) -> Compiled:
    place = _installation()
    line = [f"--gpu-architecture={arch}", "--std=c++17", f"-I{place.headers}", "--ptxas-options=-v", *options]
    arguments = (ctypes.c_char_p * len(line))(*(word.encode() for word in line))
    failed = _library().nvrtcCompileProgram(program, len(line), arguments)
    log = _text(program, "ProgramLog")
    if failed:
        raise CompileError(f"NVRTC could not compile for {arch}:\n{log}")
    if arch.startswith("compute_"):
        return Compiled(b"", _text(program, "PTX"), log, {})
    return Compiled(_bytes(program, "CUBIN"), "", log, parse_resources(log))


def _bytes(program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    _call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    _call(f"nvrtcGet{what}", program, buffer)
    return buffer.raw


def _text(program: ctypes.c_void_p, what: str) -> str:
    return _bytes(program, what).rstrip(b"\0").decode(errors="replace")


def _call(function: str, *arguments: object) -> None:
    library = _library()
    code = getattr(library, function)(*arguments)
    if code:
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        raise LngenError(f"{function}: {library.nvrtcGetErrorString(code).decode()}")


@functools.cache
def _library() -> ctypes.CDLL:
    path = _installation().library
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise NvrtcMissing(f"NVRTC is installed but cannot be loaded ({error}); try: {_WHEELS}") from error


@functools.cache
def _installation() -> _Installation:
    for root in _roots():
        library = _first(root, "lib/libnvrtc.so*", "lib64/libnvrtc.so*", "cuda_nvrtc/lib/libnvrtc.so*")
        header = _first(root, "include/cuda_fp16.h", "cuda_runtime/include/cuda_fp16.h")
        if library and header:
            return _Installation(library, header.parent, root / "bin")
    raise NvrtcMissing(f"no NVRTC: {_WHEELS}")


def _roots() -> list[Path]:
    """Where NVRTC may be: the wheels of CUDA 13 (one folder), of CUDA 12 (a folder a wheel), a toolkit."""
    packages = [Path(entry) / "nvidia" for entry in sys.path if entry]
    wheels = [root for folder in packages for root in (*sorted(folder.glob("cu[0-9]*"), reverse=True), folder)]
    named = [os.environ[key] for key in ("CUDA_HOME", "CUDA_PATH") if os.environ.get(key)]
    nvcc = shutil.which("nvcc")
    beside = [str(Path(nvcc).resolve().parent.parent)] if nvcc else []
    return [*wheels, *map(Path, named), *map(Path, beside), Path("/usr/local/cuda")]


def _first(root: Path, *patterns: str) -> Path | None:
    return next((path for pattern in patterns for path in sorted(root.glob(pattern))), None)


def _nvdisasm() -> str:
    beside = _installation().tools / "nvdisasm"
    tool = str(beside) if beside.exists() else shutil.which("nvdisasm")
    if tool is None:
        raise NvrtcMissing("no nvdisasm: pip install nvidia-cuda-nvdisasm")
    return tool
