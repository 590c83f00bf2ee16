"""The device that is measured, through PyCUDA: a GPU, or the emulator to try the measurement itself out."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from lngen.checks.toolchain import nvrtc
from lngen.extensions.simt import driver as emulator

_SOURCE = Path(__file__).with_name("bandwidth.cu")
_THREADS = 256
_ENTRIES_A_BLOCK = 4 * _THREADS
_CYCLES_A_SECOND = 2e9
"""About what GPUs run at; `hold` needs no more than an order of magnitude."""


class Device:
    """A device in its primary context, which other libraries share, and the kernels that move bytes."""

    def __init__(self, cuda: Any, gpuarray: Any, *, emulated: bool) -> None:
        self.cuda, self.gpuarray, self.emulated = cuda, gpuarray, emulated
        self.device = cuda.Device(0)
        self.l2_bytes = self._attribute("L2_CACHE_SIZE")
        module = self._module(_SOURCE.read_text(encoding="utf-8"))
        self._copy = module.get_function("copy").prepare("PPq")
        self._triad = module.get_function("triad").prepare("PPPq")
        self._hold = None if emulated else module.get_function("hold").prepare("q")

    def copy(self, source: int, target: int, size: int) -> None:
        """Copy bytes by a kernel of 16-byte accesses; what is left of the last 16 bytes is left out."""
        self._copy.prepared_call((_blocks(size), 1), (_THREADS, 1, 1), source, target, size // 16)

    def copy_by_driver(self, source: int, target: int, size: int) -> None:
        """Copy bytes as the driver does it."""
        self.cuda.memcpy_dtod_async(target, source, size, None)

    def triad(self, one: int, other: int, target: int, size: int) -> None:
        """Read two arrays and write a third one, which is all that a triad is to the memory."""
        self._triad.prepared_call((_blocks(size), 1), (_THREADS, 1, 1), one, other, target, size // 16)

    def hold(self, seconds: float) -> None:
        """Keep the device busy for about so long, so that what is launched next waits in its queue."""
        if self._hold is not None:
            self._hold.prepared_call((1, 1), (1, 1, 1), int(seconds * _CYCLES_A_SECOND))

    def event(self) -> Any:
        """An event that is recorded now."""
        event = self.cuda.Event()
        event.record()
        return event

    def synchronize(self) -> None:
        """Wait for all that was launched."""
        self.cuda.Context.synchronize()

    def free_bytes(self) -> int:
        """Return the free bytes of the device's memory."""
        return int(self.cuda.mem_get_info()[0])

    def filled(self, shape: tuple[int, ...], dtype: Any, seed: int) -> Any:
        """A GPUArray of normal deviates: some MiB that are drawn, and copies of them."""
        array = self.gpuarray.empty(shape, dtype)
        total = array.nbytes
        drawn = np.random.default_rng(seed).standard_normal(min(array.size, 2**19), np.float32).astype(dtype)
        done = min(total, drawn.nbytes)
        if done:
            self.cuda.memcpy_htod(array.ptr, drawn.view(np.uint8)[:done])
        while done < total:
            step = min(done, total - done)
            self.cuda.memcpy_dtod(array.ptr + done, array.ptr, step)
            done += step
        return array

    def facts(self) -> dict[str, Any]:
        """Return the properties of the device that a reader of the figures needs."""
        major, minor = self.device.compute_capability()
        return {
            "name": self.device.name(),
            "compute_capability": f"{major}.{minor}",
            "multiprocessors": self._attribute("MULTIPROCESSOR_COUNT"),
            "memory_bytes": int(self.device.total_memory()),
            "l2_bytes": self.l2_bytes,
            "memory_clock_khz": self._attribute("MEMORY_CLOCK_RATE"),
            "memory_bus_bits": self._attribute("GLOBAL_MEMORY_BUS_WIDTH"),
            "driver_cuda": int(self.cuda.get_driver_version()),
        }

    def _attribute(self, name: str) -> int:
        """A property of the device, 0 where the driver does not say: clocks are no longer told by all."""
        try:
            return int(self.device.get_attribute(getattr(self.cuda.device_attribute, name)))
        except (AttributeError, self.cuda.Error):
            return 0

    def _module(self, source: str) -> Any:
        if self.emulated or shutil.which("nvcc"):
            from pycuda.compiler import SourceModule

            options = ["-DEMULATED"] if self.emulated else []
            return SourceModule(source, no_extern_c=True, options=options)
        architecture = "sm_{}{}".format(*self.device.compute_capability())
        return self.cuda.module_from_buffer(nvrtc.compile(source, architecture).cubin)


class NoDevice(Exception):
    """Error for a missing device or package; the message says which."""


@contextmanager
def opened(*, emulated: bool) -> Iterator[Device]:
    """The first device, current in this thread while the `with` statement lasts. Raises NoDevice."""
    try:
        if emulated:
            emulator.enable()
        import pycuda.driver
        import pycuda.gpuarray

        pycuda.driver.init()
        context = pycuda.driver.Device(0).retain_primary_context()
    except Exception as error:  # PyCUDA's own errors are known only where it can be imported
        words = f"{type(error).__name__}: {error}"
        remedy = "" if emulated else "; without a GPU, --emulator --quick tries it out"
        raise NoDevice(f"PyCUDA finds no device to run on ({words}){remedy}") from error
    context.push()
    try:
        yield Device(pycuda.driver, pycuda.gpuarray, emulated=emulator.enabled())
    finally:
        pycuda.driver.Context.pop()


def _blocks(size: int) -> int:
    return max(1, -(-(size // 16) // _ENTRIES_A_BLOCK))
