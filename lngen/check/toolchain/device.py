"""Survey of this machine's compilers and devices, for CUDA and for C++, and of the parts that are missing."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from typing import Literal

from lngen.check import emulator
from lngen.check.toolchain import nvrtc
from lngen.check.toolchain.item import Item
from lngen.errors import LngenError
from lngen.pipeline.files import gpu, processor
from lngen.runtime.cuda.compilers import too_new
from lngen.runtime.native import compiler as host_compiler
from lngen.runtime.native import extensions

Place = Literal["gpu", "emulator"]

_SECONDS = 60


@dataclass(frozen=True)
class Survey:
    """Survey of all items, and the place where kernels run with them.

    `pycuda_runs_on` is None if PyCUDA cannot be used. `summary` is a sentence, and `next_step` a remedy, empty if
    nothing is missing; both are about CUDA. `on_processor` is the choice of `backend="auto"` here.
    """

    items: tuple[Item, ...]
    pycuda_runs_on: Place | None
    summary: str
    next_step: str
    on_processor: str = ""

    def __getitem__(self, name: str) -> Item:
        return next(item for item in self.items if item.name == name)


@dataclass(frozen=True)
class Driver:
    """Driver of a GPU: the version of CUDA (13000 is 13.0), and the names of its devices."""

    version: int
    devices: tuple[str, ...]
    fault: str = ""


def survey() -> Survey:
    """Look at this machine. Loads no driver into this process, and compiles nothing."""
    found = _driver()
    items = (
        _gpu(found), _driver_item(found), _pycuda(found), _bindings(), _nvcc(found), _nvrtc(found), _gxx(),
        *emulator.items(), _sanitizer(), _host_compiler(), _python_headers(),
    )  # fmt: skip
    return replace(_concluded(items), on_processor=_on_processor(processor.chosen()))


def _on_processor(choice: processor.Choice) -> str:
    computed = {"cpu": "compiled", "numpy": "computed by NumPy"}[choice.backend]
    return f"On the processor, layers of backend 'auto' are {computed}: {choice.reason}."


def _concluded(items: tuple[Item, ...]) -> Survey:
    has = {item.name: item.found for item in items}
    remedy = {item.name: item.remedy for item in items}
    compiler = has["nvcc"] or has["NVRTC"]
    missing = next((name for name in ("PyCUDA", "cuda.bindings") if not has[name]), "" if compiler else "NVRTC")
    if has["GPU"] and not missing:
        return Survey(items, "gpu", "CUDA code runs on the GPU, through PyCUDA.", "")
    if has["GPU"]:
        return Survey(items, None, f"There is a GPU; to use it, {missing} is missing.", remedy[missing])
    if not has["emulator"]:
        summary = "CUDA code cannot be run: there is no GPU, and the emulator lacks a part."
        return Survey(items, None, summary, remedy["emulator"] if has["g++"] else remedy["g++"])
    if missing in ("PyCUDA", "cuda.bindings"):
        summary = f"Kernels run on the emulator from NumPy arrays; for cuda_backend, {missing} is missing."
        return Survey(items, None, summary, remedy[missing])
    summary = "CUDA code runs on the emulator, through PyCUDA; there is no GPU."
    return Survey(items, "emulator", summary, remedy[missing] if missing else "")


def _gpu(found: Driver) -> Item:
    purpose = "runs kernels at speed"
    if found.devices:
        return Item("GPU", True, ", ".join(found.devices), purpose)
    return Item("GPU", False, "none", purpose, "nothing to install: the emulator takes its place")


def _driver_item(found: Driver) -> Item:
    purpose = "the GPU's libcuda.so.1"
    if found.version:
        return Item("driver", True, f"for CUDA {shown(found.version)}", purpose)
    remedy = "install NVIDIA's driver" if gpu.has_device_files() else "of use with a GPU only"
    return Item("driver", False, found.fault or "none", purpose, remedy)


def _pycuda(found: Driver) -> Item:
    purpose = "cuda_backend, on a GPU and on the emulator"
    try:
        version = importlib.metadata.version("pycuda")
    except importlib.metadata.PackageNotFoundError:
        return Item("PyCUDA", False, "none", purpose, gpu.NO_PYCUDA.partition(": ")[2])
    # It is built against one version of CUDA's headers, and an older driver lacks functions that it calls.
    if found.version and (fault := _fails("import pycuda.driver")):
        return Item(
            "PyCUDA",
            False,
            f"{version}, but: {fault}",
            purpose,
            "build it with the headers of the driver's CUDA",
        )
    return Item("PyCUDA", True, version, purpose)


def _bindings() -> Item:
    purpose = "cuda_backend: what PyCUDA lacks of the driver"
    try:
        return Item("cuda.bindings", True, importlib.metadata.version("cuda-bindings"), purpose)
    except importlib.metadata.PackageNotFoundError:
        return Item("cuda.bindings", False, "none", purpose, "pip install cuda-bindings")


def _nvcc(found: Driver) -> Item:
    purpose = "compiles kernels for a GPU"
    program = shutil.which("nvcc")
    answer = _output([program, "--version"]) if program else ""
    release = re.search(r"release (\d+\.\d+)", answer)
    if release:
        return _for_driver("nvcc", release[1], purpose, found)
    return Item("nvcc", False, "none", purpose, "a CUDA toolkit; NVRTC does as well")


def _nvrtc(found: Driver) -> Item:
    purpose = "compiles kernels for a GPU, and shows registers and spills without one"
    try:
        return _for_driver("NVRTC", ".".join(map(str, nvrtc.version())), purpose, found)
    except LngenError:
        remedy = "pip install nvidia-cuda-nvrtc nvidia-cuda-runtime"
        return Item("NVRTC", False, "none", purpose, remedy)


def _for_driver(name: str, version: str, purpose: str, found: Driver) -> Item:
    """The item of a compiler, which is of no use if its code is too new for the driver."""
    major, minor = map(int, version.split("."))
    if remedy := too_new((major, minor), found.version):
        return Item(name, False, f"{version}, newer than the driver's CUDA {shown(found.version)}", purpose, remedy)
    return Item(name, True, version, purpose)


def _gxx() -> Item:
    purpose = "compiles kernels for the emulator, and PyCUDA"
    program = shutil.which("g++")
    if program is None:
        return Item("g++", False, "none", purpose, "Debian, Ubuntu: apt-get install g++")
    return Item("g++", True, _output([program, "-dumpfullversion"]) or "unknown version", purpose)


def _sanitizer() -> Item:
    purpose = "finds faults of kernels on a GPU"
    program = shutil.which("compute-sanitizer")
    if program is None:
        return Item(
            "compute-sanitizer",
            False,
            "none",
            purpose,
            "it comes with a CUDA toolkit; of use with a GPU only",
        )
    version = re.search(r"version (\S+)", _output([program, "--version"]), re.IGNORECASE)
    return Item("compute-sanitizer", True, version[1] if version else "unknown version", purpose)


def _host_compiler() -> Item:
    name, purpose = "C++ compiler", "cpu_backend: compiles layers for this processor"
    try:
        found = processor.compiler()
    except host_compiler.NoCompiler as error:
        return Item(name, False, "none" if error.reason == "no C++ compiler" else error.reason, purpose, error.remedy)
    words = host_compiler.compiler().words
    macros = _output([*words, "-march=native", "-dM", "-E", "-x", "c++", os.devnull])
    if not macros:
        return Item(name, False, f"{found} does not know -march=native", purpose, "set CXX to one that does")
    return Item(name, True, f"{found}, {_vectors(macros)}", purpose)


def _vectors(macros: str) -> str:
    """The instructions that kernels are made of, as simd.h tells them by a compiler's macros."""
    defined = set(re.findall(r"#define __(\w+?)__ ", macros))
    for name, needs in _VECTORS:
        if defined.issuperset(needs.split()):
            return name
    return "no vectors"


_VECTORS = (
    ("AVX-512", "AVX512F AVX512BW AVX512DQ AVX512VL"),
    ("AVX2", "AVX2"),
    ("SSE2", "SSE2"),
    ("NEON", "aarch64"),
)


def _python_headers() -> Item:
    purpose = "cpu_backend: calls in C; each takes some tens of microseconds without"
    if extensions.headers():
        return Item("Python.h", True, platform.python_version(), purpose)
    return Item("Python.h", False, "none", purpose, "Debian, Ubuntu: apt-get install python3-dev")


_ASK_DRIVER = """
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
number, device, text = ctypes.c_int(), ctypes.c_int(), ctypes.create_string_buffer(256)
cuda.cuDriverGetVersion(ctypes.byref(number))
print(number.value)
code = cuda.cuInit(0)
cuda.cuDeviceGetCount(ctypes.byref(number)) if code == 0 else setattr(number, "value", 0)
for ordinal in range(number.value):
    cuda.cuDeviceGet(ctypes.byref(device), ordinal)
    cuda.cuDeviceGetName(text, 256, device)
    print(text.value.decode())
"""


def _driver() -> Driver:
    """Ask the driver, in another process: one that is loaded here could not be replaced by the emulator's."""
    if not gpu.has_device_files():
        return Driver(0, ())
    lines = _output([sys.executable, "-c", _ASK_DRIVER]).splitlines()
    if not lines:
        return Driver(0, (), "libcuda.so.1 cannot be loaded")
    return Driver(int(lines[0]), tuple(lines[1:]))


def _fails(statement: str) -> str:
    """The last line that a statement prints where it fails, in another process; empty where it does not."""
    done = _run([sys.executable, "-c", statement])
    if done is None or done.returncode == 0:
        return ""
    return (done.stderr.strip().splitlines() or ["it fails"])[-1]


def _output(command: list[str]) -> str:
    done = _run(command)
    return done.stdout.strip() if done is not None and done.returncode == 0 else ""


def _run(command: list[str]) -> subprocess.CompletedProcess[str] | None:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return None


def shown(version: int) -> str:
    """Return a version of CUDA as people write it.

    >>> shown(13010)
    '13.1'
    """
    return f"{version // 1000}.{version % 1000 // 10}"
