# SPDX-License-Identifier: MIT
# mypy: disable-error-code="import-untyped,import-not-found"
"""Devices through PyCUDA: which one a call is for, its context, memory on it."""

import atexit
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import driver
from .arrays import INTEGER_KINDS, TYPES

Spelled = Callable[[int], str]
"""Function from a slot to the name of its value in a message."""

DEVICES: dict[int | None, "Device"] = {}
"""Devices by the handle of their context."""

MOST_NUMBERS = 4096
BYTES_OF_NUMBER = 8
MOST_STREAMS = 32

gpu_array: Any = None
"""Class of PyCUDA's arrays, set when PyCUDA is imported."""

_lock = threading.RLock()

_NOT_INITIALIZED = 3
_CLUSTERS_SINCE = (9, 0)
_STREAM_OF_THREAD = 2

_NO_PYCUDA = (
    "the CUDA backend needs PyCUDA: pip install pycuda, with a CUDA toolkit at hand; "
    "without a GPU, the NumPy backend beside this file has the same functions"
)
_NO_DRIVER = (
    "PyCUDA is installed and finds no NVIDIA driver or GPU ({error}); install the driver, "
    "or use the NumPy backend beside this file, which has the same functions"
)
_NOT_CURRENT = (
    "{name} is of a context that is neither its device's primary one nor current; make it "
    "current, or allocate in the primary context"
)


# ---- the driver


def _pycuda() -> Any:
    """PyCUDA's driver module, with a driver under it and its bindings beside it."""
    global gpu_array
    try:
        import pycuda
    except ImportError as error:
        raise ImportError(_NO_PYCUDA) from error
    try:
        import pycuda.driver
    except ImportError as error:
        raise ImportError(_NO_DRIVER.format(error=error)) from error
    try:
        pycuda.driver.init()
    except pycuda.driver.Error as error:
        raise ImportError(_NO_DRIVER.format(error=error)) from error
    from pycuda.gpuarray import GPUArray

    driver.bindings()
    gpu_array = GPUArray
    return pycuda.driver


# ---- which device


class entered:
    """The device that the arrays of a call are on, its context current and no other call on its way.

    `resident` are the slots of arrays with entries, `values` the addresses in all slots.
    """

    __slots__ = ("device", "lock", "pushed", "resident", "spelled", "values")

    def __init__(self, resident: Sequence[int], values: Sequence[Any], spelled: Spelled) -> None:
        self.resident, self.values, self.spelled = resident, values, spelled

    def __enter__(self) -> "Device":
        self.lock = _lock
        self.lock.acquire()
        try:
            self.device = _device_of(self.resident, self.values, self.spelled)
            self.pushed = self.device.enter(self.resident, self.spelled)
        except BaseException:
            self.lock.release()
            raise
        return self.device

    def __exit__(self, *_: object) -> None:
        try:
            if self.pushed:
                self.device.leave()
        finally:
            self.lock.release()


def _device_of(resident: Sequence[int], values: Sequence[Any], spelled: Spelled) -> "Device":
    """The device of a call, in the context that its arrays are of.

    The driver is asked of each array whose context it is: memory may have been freed, and its address be another's
    since.
    """
    if not DEVICES:
        return _find_device(resident, values, spelled)
    context = driver.shared_context([values[slot] for slot in resident])
    return DEVICES.get(context) or _find_device(resident, values, spelled)


def _find_device(resident: Sequence[int], values: Sequence[Any], spelled: Spelled) -> "Device":
    """The same, device by device, with an error for arrays that do not go together."""
    pycuda = _pycuda()
    first: tuple[str, int, int | None] | None = None
    for slot in resident:
        found = (spelled(slot), *_place(spelled(slot), values[slot]))
        first = first or found
        if found[1] != first[1]:
            raise ValueError(
                f"{found[0]} is on device {found[1]} and {first[0]} on device {first[1]}; pass both on one"
            )
        if found[2] != first[2] and None not in (found[2], first[2]):
            raise ValueError(f"{found[0]} and {first[0]} belong to two CUDA contexts; allocate both in one")
        if first[2] is None:
            first = found
    name, ordinal, context = first or ("", *_current_place())
    primary = _primary(pycuda, ordinal)
    if context in (None, primary.handle):
        return primary
    if context not in DEVICES:
        if driver.current_context() != context:
            raise ValueError(_NOT_CURRENT.format(name=name))
        DEVICES[context] = Device(pycuda, ordinal, None, context)
    return DEVICES[context]


def _primary(pycuda: Any, ordinal: int) -> "Device":
    """A device in its primary context, which is retained from now on."""
    for device in DEVICES.values():
        if device.ordinal == ordinal and device.context is not None:
            return device
    context = pycuda.Device(ordinal).retain_primary_context()
    device = Device(pycuda, ordinal, context, context.handle)
    return DEVICES.setdefault(device.handle, device)


def _place(name: str, pointer: int) -> tuple[int, int | None]:
    """The device and the context of an address; None for memory of no single context."""
    cuda = driver.bindings()
    failed, ordinal = cuda.cuPointerGetAttribute(cuda.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer)
    if failed == _NOT_INITIALIZED:
        raise RuntimeError(
            "the CUDA driver does not work in a process that was forked after its parent used the "
            "driver; start processes with multiprocessing's spawn"
        )
    if failed:
        raise ValueError(f"{name} is at {pointer:#x}, which is not device memory; pass an array in device memory")
    failed, context = cuda.cuPointerGetAttribute(cuda.CUpointer_attribute.CU_POINTER_ATTRIBUTE_CONTEXT, pointer)
    return int(ordinal), None if failed else int(context) or None


def _current_place() -> tuple[int, int | None]:
    """Return the device and the context of arrays without entries: those of a new array."""
    context = driver.current_context()
    return (int(driver.call("cuCtxGetDevice")), context) if context else (0, None)


# ---- a device and its memory


class Device:
    """Device, in its primary context, or in the current one if arrays belong to that.

    PyTorch and CuPy use the primary context. If it is not current, it is made current during a call. `modules` are the
    loaded kernels, and `launches` their launches. Where it `has_clusters`, blocks may share a row. The driver is for a
    version of `cuda`, such as 13000.
    """

    def __init__(self, pycuda: Any, ordinal: int, context: Any, handle: int) -> None:
        self.pycuda, self.ordinal = pycuda, ordinal
        self.context, self.handle, self.place = context, handle, driver.place_of(handle)
        self.modules: dict[Any, Any] = {}
        self.launches: dict[Any, Any] = {}
        self.numbers: dict[bytes, NumberPlace] = {}
        self.of_graphs: list[NumberPlace] = []
        self.places: tuple[driver.Allocation, list[int]] | None = None
        self.scratch: dict[int, tuple[driver.Allocation, Any]] = {}
        device = pycuda.Device(ordinal)
        of = pycuda.device_attribute
        self.name: str = device.name()
        capability = device.compute_capability()
        self.architecture = "sm_{}{}".format(*capability)
        self.has_clusters = may_share_rows(capability)
        self.cuda = int(driver.call("cuDriverGetVersion"))
        self.processors: int = device.get_attribute(of.MULTIPROCESSOR_COUNT)
        self.block_shared: int = device.get_attribute(of.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)

    def enter(self, resident: Sequence[int], spelled: Spelled) -> bool:
        """Make the context current; whether there is something for `leave` to do."""
        if driver.current_context() == self.handle:
            return False
        if self.context is None:
            raise ValueError(_NOT_CURRENT.format(name=spelled(resident[0])))
        self.context.push()
        return True

    def leave(self) -> None:
        self.pycuda.Context.pop()

    def number(self, value: float, kind: str, handle: int) -> "NumberPlace":
        """Return a number in device memory, in some type, for work on a stream. It is written once, and not waited for.

        In a graph it is written by the graph. A number that was written before is there when a graph runs.
        """
        bits = entries(value, kind)
        found = self.numbers.get(bits)
        if found is None:
            found = self._new_number(bits, handle)
        elif (found.stream != handle or handle == _STREAM_OF_THREAD) and not driver.is_captured(handle):
            driver.call("cuStreamWaitEvent", handle, found.event.handle, 0)
        return found

    def _new_number(self, bits: bytes, handle: int) -> "NumberPlace":
        if self.places is None or not self.places[1]:
            self.numbers.clear()
            memory = driver.Allocation(MOST_NUMBERS * BYTES_OF_NUMBER)
            self.places = memory, [memory.pointer + BYTES_OF_NUMBER * place for place in range(MOST_NUMBERS)]
        memory, places = self.places
        pointer = places.pop()
        driver.write(pointer, bits, handle)
        found = NumberPlace(pointer, memory, handle, driver.StreamEvent(handle))
        if driver.is_captured(handle):
            self.of_graphs.append(found)
        else:
            self.numbers[bits] = found
        return found

    def scratch_for(self, stream: Any, handle: int, size: int) -> driver.Allocation:
        """Memory for partial sums that the calls on a stream share, one after the other.

        The stream is kept with it: its handle may not come to be another's meanwhile.
        """
        if handle == _STREAM_OF_THREAD:
            # One handle for a stream of each thread, so there is nothing to share.
            return driver.Allocation(size, self.place)
        memory, _ = self.scratch.pop(handle, (None, None))
        if memory is None or memory.size < size:
            memory = driver.Allocation(size, self.place)
        while len(self.scratch) >= MOST_STREAMS:
            # The one that was used longest ago; the driver waits for it before it frees.
            del self.scratch[next(iter(self.scratch))]
        self.scratch[handle] = memory, stream
        return memory


class NumberPlace(NamedTuple):
    """Number in device memory, the stream that it was written on, and the event behind that."""

    pointer: int
    memory: driver.Allocation
    stream: int
    event: driver.StreamEvent


def may_share_rows(capability: tuple[int, int]) -> bool:
    """Test whether blocks of a cluster may share a row, on devices of a compute capability.

    LNGEN_CLUSTERS=0 turns it off. Raises ValueError for another value of the variable than 0 or 1.
    """
    wanted = os.environ.get("LNGEN_CLUSTERS", "")
    if wanted not in ("", "0", "1"):
        raise ValueError(f"LNGEN_CLUSTERS is {wanted!r}; set it to 0 for no clusters, or to 1")
    return wanted != "0" and capability >= _CLUSTERS_SINCE


def entries(values: Any, kind: str) -> bytes:
    """The bytes of numbers in a type, rounded to nearest even; integers beyond 32 bits are the nearest."""
    if kind in INTEGER_KINDS.values():
        values = np.clip(values, -(2.0**31), 2.0**31 - 1)
    if kind != "bf16":
        return np.asarray(values).astype(TYPES[kind]).tobytes()
    wide = np.asarray(values, np.float32)
    bits = wide.view(np.uint32).astype(np.uint64)
    found = np.where(np.isnan(wide), 0x7FC0, (bits + 0x7FFF + (bits >> 16 & 1)) >> 16)
    return found.astype(np.uint16).tobytes()


@atexit.register
def _forget_devices() -> None:
    """Let go of contexts while PyCUDA is there; the driver frees what is left in them."""
    driver.Owned.driver_is_there = False
    DEVICES.clear()


def _new_lock() -> None:
    """A process that was forked has none of the threads that may have held the lock."""
    global _lock
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)
