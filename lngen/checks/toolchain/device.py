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

from lngen.checks import emulator
from lngen.checks.toolchain import nvrtc
from lngen.checks.toolchain.item import Item
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


def _item(name: str, purpose: str, found: str, remedy: str, missing: str = "none") -> Item:
    """The item by the version or the name that was `found`, empty where it is `missing` for a reason."""
    return Item(name, bool(found), found or missing, purpose, "" if found else remedy)


def _gpu(found: Driver) -> Item:
    remedy = "nothing to install: the emulator takes its place"
    return _item("GPU", "runs kernels at speed", ", ".join(found.devices), remedy)


def _driver_item(found: Driver) -> Item:
    version = f"for CUDA {shown(found.version)}" if found.version else ""
    remedy = "install NVIDIA's driver" if gpu.has_device_files() else "of use with a GPU only"
    return _item("driver", "the GPU's libcuda.so.1", version, remedy, found.fault or "none")


def _pycuda(found: Driver) -> Item:
    purpose, version = "cuda_backend, on a GPU and on the emulator", _version("pycuda")
    # It is built against one version of CUDA's headers, and an older driver lacks functions that it calls.
    if version and found.version and (fault := _fails("import pycuda.driver")):
        remedy = "build it with the headers of the driver's CUDA"
        return Item("PyCUDA", False, f"{version}, but: {fault}", purpose, remedy)
    return _item("PyCUDA", purpose, version, gpu.NO_PYCUDA.partition(": ")[2])


def _bindings() -> Item:
    purpose = "cuda_backend: what PyCUDA lacks of the driver"
    return _item("cuda.bindings", purpose, _version("cuda-bindings"), "pip install cuda-bindings")


def _version(distribution: str) -> str:
    """The version of a distribution; empty where it is not installed."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _nvcc(found: Driver) -> Item:
    purpose = "compiles kernels for a GPU"
    release = _program_version("nvcc", "--version", r"release (\d+\.\d+)")
    if "." in release:
        return _for_driver("nvcc", release, purpose, found)
    return _item("nvcc", purpose, "", "a CUDA toolkit; NVRTC does as well")


def _nvrtc(found: Driver) -> Item:
    purpose = "compiles kernels for a GPU, and shows registers and spills without one"
    try:
        return _for_driver("NVRTC", ".".join(map(str, nvrtc.version())), purpose, found)
    except LngenError:
        return _item("NVRTC", purpose, "", "pip install nvidia-cuda-nvrtc nvidia-cuda-runtime")


def _for_driver(name: str, version: str, purpose: str, found: Driver) -> Item:
    """The item of a compiler, which is of no use if its code is too new for the driver."""
    major, minor = map(int, version.split("."))
    if remedy := too_new((major, minor), found.version):
        return Item(name, False, f"{version}, newer than the driver's CUDA {shown(found.version)}", purpose, remedy)
    return Item(name, True, version, purpose)


def _gxx() -> Item:
    version = _program_version("g++", "-dumpfullversion", r"(\S.*)")
    return _item("g++", "compiles kernels for the emulator, and PyCUDA", version, "Debian, Ubuntu: apt-get install g++")


def _sanitizer() -> Item:
    version = _program_version("compute-sanitizer", "--version", r"version (\S+)")
    remedy = "it comes with a CUDA toolkit; of use with a GPU only"
    return _item("compute-sanitizer", "finds faults of kernels on a GPU", version, remedy)


def _program_version(name: str, option: str, pattern: str) -> str:
    """The version that a program tells of itself; empty where there is no such program."""
    program = shutil.which(name)
    found = re.search(pattern, _output([program, option]) if program else "", re.IGNORECASE)
    return found[1] if found else "unknown version" * (program is not None)


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
    purpose = "torch_backend: calls in C; each takes some tens of microseconds without"
    version = platform.python_version() if extensions.headers() else ""
    return _item("Python.h", purpose, version, "Debian, Ubuntu: apt-get install python3-dev")


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
