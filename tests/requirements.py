"""Requirements of tests that a machine may lack, with one reason for each.

Use them as marks: `@needs_gxx`. Where `LNGEN_CI` is set, a test that is skipped for another reason than "no GPU" fails
the run (tests/conftest.py).
"""

import ctypes
import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sysconfig
from pathlib import Path

import pytest

NO_GPU = "no GPU"
NO_INSTRUCTIONS = "this processor has no"
NO_GXX = "no g++: install it with the system's package manager"
NO_PYCUDA = "no PyCUDA: make pycuda"
CROSS_GXX = "aarch64-linux-gnu-g++"
NO_CROSS_GXX = f"no {CROSS_GXX}: apt-get install g++-aarch64-linux-gnu"
NO_QEMU = "no qemu-aarch64: apt-get install qemu-user"
NO_NVRTC = "no NVRTC: it comes with the test extra on Linux, x86-64 and aarch64"
NO_MKDOCS = "no mkdocs-material: make docs"
NO_RUFF = "no ruff: pip install ruff"
NO_SIMULATOR = f"{NO_GPU} simulator: LNGEN_GPUSIM names no folder with a measure.py"
NO_NVCC = "no nvcc: it comes with the test extra on Linux, x86-64 and aarch64"
NO_NVDISASM = "no nvdisasm: it comes with the test extra on Linux, x86-64 and aarch64"

NO_TORCH = "no PyTorch: pip install torch"
NO_TRITON = "no Triton, or no PyTorch: pip install torch triton"
NO_MODELS = "no transformers and timm: make frameworks"
NO_DASK = "no Dask: pip install 'dask[array]'"
NO_JAX = "no JAX: pip install jax"
NO_GPU_IN_TORCH = f"{NO_GPU} in this PyTorch: install one that is built for CUDA"
NO_GPU_IN_JAX = f"{NO_GPU} in this JAX: pip install 'jax[cuda13]'"
NO_BROWSER = "no browser: apt-get install chromium, and make browser"


def gxx() -> str | None:
    """The C++ compiler that the emulator is built with, or None."""
    return shutil.which("g++")


def has_pycuda() -> bool:
    """Test whether PyCUDA is installed, without loading a driver."""
    return importlib.util.find_spec("pycuda") is not None


def browser() -> str | None:
    """The Chromium that pages are tested in, if there is what drives one, or None."""
    drivers = ("playwright", "axe_playwright_python")
    if not all(map(importlib.util.find_spec, drivers)):
        return None
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def nvrtc() -> Path | None:
    """NVRTC's library as its wheel installs it, or None."""
    return _in_nvidia_wheels("lib/libnvrtc.so.*")


def nvdisasm() -> Path | None:
    """The disassembler as its wheel installs it, or None."""
    return _in_nvidia_wheels("bin/nvdisasm")


def _in_nvidia_wheels(pattern: str) -> Path | None:
    wheels = Path(sysconfig.get_path("purelib")) / "nvidia"
    return min(wheels.glob(f"*/{pattern}"), default=None)


def simulator() -> Path | None:
    """The folder of the timing simulator that `LNGEN_GPUSIM` names, or None."""
    folder = Path(os.environ.get("LNGEN_GPUSIM") or os.devnull)
    return folder.resolve() if (folder / "measure.py").is_file() else None


def has_gpu() -> bool:
    """Test whether the driver finds a device."""
    # The emulator can pose as the driver, so its device files are asked for first.
    if not any(map(os.path.exists, ("/dev/nvidiactl", "/dev/dxg"))):
        return False
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 and count.value > 0


NVCC = shutil.which("nvcc") or _in_nvidia_wheels("bin/nvcc")
"""NVIDIA's compiler as it is found before the emulator puts a stand-in for it there, or None."""

needs_gxx = pytest.mark.skipif(gxx() is None, reason=NO_GXX)
needs_qemu = pytest.mark.skipif(shutil.which("qemu-aarch64") is None, reason=NO_QEMU)
needs_cross_compiler = pytest.mark.skipif(
    shutil.which(CROSS_GXX) is None and platform.machine() != "aarch64", reason=NO_CROSS_GXX
)
needs_pycuda = pytest.mark.skipif(not has_pycuda(), reason=NO_PYCUDA)
needs_torch = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason=NO_TORCH)


def needs_release(package: str, least: str, why: str) -> pytest.MarkDecorator:
    """Skip a test where a package has not yet what the test is of."""
    found = importlib.metadata.version(package) if importlib.util.find_spec(package) else least
    numbers = [tuple(int(part) for part in version.split(".")[:2]) for version in (found, least)]
    return pytest.mark.skipif(numbers[0] < numbers[1], reason=f"{package} {found} {why}")


needs_compiled_operators = needs_release(
    "torch", "2.9", "does not say which program is exported, so that a compiled one has the decomposition"
)
needs_wrapped_interpreter = needs_release("torch", "2.13", "wraps no kernel that Triton interprets")
needs_words_of_compiled = needs_release("torch", "2.9", "says of what a compiled program refuses that it was refused")
needs_exchange = needs_release("torch", "2.10", "has no table by which C reads tensors")
needs_shard_map = needs_release("jax", "0.7", "has no shard_map of a function with a derivative of its own")
needs_triton = pytest.mark.skipif(not all(map(importlib.util.find_spec, ("torch", "triton"))), reason=NO_TRITON)
needs_models = pytest.mark.skipif(
    not all(map(importlib.util.find_spec, ("torch", "transformers", "timm"))), reason=NO_MODELS
)
needs_jax = pytest.mark.skipif(importlib.util.find_spec("jax") is None, reason=NO_JAX)
needs_browser = pytest.mark.skipif(browser() is None, reason=NO_BROWSER)
needs_nvrtc = pytest.mark.skipif(nvrtc() is None, reason=NO_NVRTC)
needs_nvcc = pytest.mark.skipif(NVCC is None, reason=NO_NVCC)
needs_nvdisasm = pytest.mark.skipif(nvdisasm() is None, reason=NO_NVDISASM)
needs_simulator = pytest.mark.skipif(simulator() is None, reason=NO_SIMULATOR)
needs_ruff = pytest.mark.skipif(importlib.util.find_spec("ruff") is None, reason=NO_RUFF)
needs_mkdocs = pytest.mark.skipif(importlib.util.find_spec("material") is None, reason=NO_MKDOCS)
