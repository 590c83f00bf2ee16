# SPDX-License-Identifier: MIT
# mypy: disable-error-code="import-untyped,import-not-found"
"""Functions of the CUDA driver that PyCUDA lacks, as NVIDIA's `cuda.bindings` has them.

PyCUDA takes streams and contexts of its own alone, and does not tell the handle of a kernel.
"""

import ctypes
import struct
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

import numpy as np

from .compilers import MachineCode

MOST_SHARED = 48 * 1024
"""Bytes of shared memory that a block may have without being asked for."""

MOST_BLOCKS_OF_CLUSTER = 8
"""The most blocks of a cluster on any device that has clusters."""

_SINCE = 12000
"""The version of CUDA whose functions compiled code calls."""

_NO_BINDINGS = (
    "the CUDA backend needs NVIDIA's cuda.bindings beside PyCUDA: pip install cuda-bindings; "
    "without a GPU, the NumPy backend beside this file has the same functions"
)


class DriverError(RuntimeError):
    """Error for a call that the driver refuses, with its words."""


@cache
def bindings() -> Any:
    """Return the functions of the driver; raises ImportError without the package."""
    try:
        from cuda.bindings import driver
    except ImportError as error:
        raise ImportError(_NO_BINDINGS) from error
    return driver


def call(function: str, *arguments: Any) -> Any:
    """Return the result of a function of the driver, a tuple of several; raises DriverError if it fails."""
    code, *found = getattr(bindings(), function)(*arguments)
    if code:
        raise _failure(function, code)
    return found[0] if len(found) == 1 else tuple(found)


def _failure(function: str, code: Any) -> DriverError:
    words = (bindings().cuGetErrorString(code)[1] or b"unknown error").decode()
    return DriverError(f"{function} failed with error {int(code)}: {words}")


def address(function: str) -> int:
    """Return the address of a driver function, for compiled code; raises RuntimeError if there is none."""
    found, status = call("cuGetProcAddress", function.encode(), _SINCE, 0)
    if status:
        raise RuntimeError(f"the CUDA driver has no {function}")
    return int(found)


# ---- contexts and streams


def shared_context(addresses: Iterable[int]) -> int | None:
    """Return the handle of the context that the memory at all addresses is of; None if there is no such one.

    One thread at a time may ask. Without an address, there is none.
    """
    ask, context_of, pointer, found, there = _question()
    first: int | None = None
    for pointer.value in addresses:
        if ask(there, context_of, pointer):
            return None
        if found.value != first:
            if first is not None:
                return None
            first = found.value
    return first


@cache
def _question() -> tuple[Any, ...]:
    """Return the driver's function, what it is asked, and where it answers.

    It is asked about each array of each call. As a function of `cuda.bindings` it would take twice as long, and a call
    a third longer; so it is called by its address.
    """
    ask = ctypes.CFUNCTYPE(ctypes.c_int)(address("cuPointerGetAttribute"))
    context_of = ctypes.c_int(bindings().CUpointer_attribute.CU_POINTER_ATTRIBUTE_CONTEXT)
    found = ctypes.c_void_p()
    return ask, context_of, ctypes.c_uint64(), found, ctypes.byref(found)


def current_context() -> int:
    """Return the handle of the current context, whoever made it current; 0 if there is none."""
    return int(bindings().cuCtxGetCurrent()[1])


def place_of(context: int) -> tuple[int, Any]:
    """Return a context with its number, which no later one has, unlike its handle."""
    return context, bindings().cuCtxGetId(context)


def wait_for(streams: Sequence[int], handle: int) -> None:
    """Wait for the streams on which arrays are written, except the stream of the launch."""
    for stream in streams:
        if stream != (handle or 1):
            call("cuStreamSynchronize", stream)


def follow(stream: int, handle: int) -> None:
    """Let a stream wait for the present work of another one."""
    if stream == (handle or 1):
        return
    event = call("cuEventCreate", bindings().CUevent_flags.CU_EVENT_DISABLE_TIMING)
    try:
        call("cuEventRecord", event, handle)
        call("cuStreamWaitEvent", stream, event, 0)
    finally:
        call("cuEventDestroy", event)


def is_captured(handle: int) -> bool:
    """Test whether the work of a stream becomes a graph instead of being done."""
    return int(call("cuStreamIsCapturing", handle)) != 0


def write(pointer: int, data: bytes, handle: int) -> None:
    """Write a number of 1, 2, 4 or 8 bytes in the order of a stream: the driver keeps it, so that nobody waits."""
    width = min(len(data), 4)
    for start in range(0, len(data), width):
        word = int.from_bytes(data[start : start + width], "little")
        call(f"cuMemsetD{8 * width}Async", pointer + start, word, 1, handle)


# ---- memory and code


class Owned:
    """Part of the current context that is given back with this object, on any thread, unless the context has ended.

    `place` is the `place_of` the context, where it is known.
    """

    driver_is_there = True
    given_back_by: str

    def __init__(self, handle: Any, place: tuple[int, Any] | None = None) -> None:
        self.handle, (self.context, self.number) = handle, place or place_of(current_context())

    def __del__(self) -> None:
        if not Owned.driver_is_there or not hasattr(self, "number"):
            return
        cuda = bindings()
        # The driver may abort where a context is made current that has ended, and a later one may have its handle.
        if cuda.cuCtxGetId(self.context) == self.number and not cuda.cuCtxPushCurrent(self.context)[0]:
            self.give_back(cuda)
            cuda.cuCtxPopCurrent()

    def give_back(self, cuda: Any) -> None:
        """Give it back, in its context."""
        getattr(cuda, self.given_back_by)(self.handle)


class Allocation(Owned):
    """Device memory that is freed with this object."""

    given_back_by = "cuMemFree"

    def __init__(self, size: int, place: tuple[int, Any] | None = None) -> None:
        super().__init__(call("cuMemAlloc", size), place)
        self.pointer, self.size = int(self.handle), size


class StreamEvent(Owned):
    """Event behind the present work of a stream."""

    given_back_by = "cuEventDestroy"

    def __init__(self, handle: int) -> None:
        super().__init__(call("cuEventCreate", bindings().CUevent_flags.CU_EVENT_DISABLE_TIMING))
        call("cuEventRecord", self.handle, handle)


class LoadedCode(Owned):
    """Compiled kernels, loaded into the current context."""

    given_back_by = "cuModuleUnload"

    def __init__(self, cubin: MachineCode) -> None:
        super().__init__(call("cuModuleLoadData", cubin))
        self.cubin = cubin

    def integers(self, name: str) -> list[int]:
        """Return the content of a global array of `int`."""
        start, size = call("cuModuleGetGlobal", self.handle, name.encode())
        found = np.empty(size // 4, np.int32)
        call("cuMemcpyDtoH", found.ctypes.data, start, size)
        return [int(number) for number in found]

    def attribute(self, kernel: str, name: str) -> int:
        """Return an attribute of a kernel, by its name in CUDA without the prefix."""
        attribute = getattr(bindings().CUfunction_attribute, f"CU_FUNC_ATTRIBUTE_{name}")
        return int(call("cuFuncGetAttribute", attribute, call("cuModuleGetFunction", self.handle, kernel.encode())))


class Launcher:
    """Kernel of loaded code that is ready to launch, on a stream of any library.

    `letters` are the types of its arguments, as `struct` has them, and `threads` the threads of a block. `cluster`
    blocks are launched together, each of which reaches the shared memory of the others.
    """

    def __init__(
        self,
        code: LoadedCode,
        name: str,
        letters: str,
        threads: int,
        shared_bytes: int,
        cluster: int = 1,
    ) -> None:
        cuda, self.cluster = bindings(), cluster
        # The handle is of the code, which is not unloaded before this object is gone.
        self._code, self._function = code, call("cuModuleGetFunction", code.handle, name.encode())
        if shared_bytes > MOST_SHARED:
            most = cuda.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            call("cuFuncSetAttribute", self._function, most, shared_bytes)
        self._how = how = cuda.CUlaunchConfig()
        how.gridDimY = how.gridDimZ = how.blockDimY = how.blockDimZ = 1
        how.blockDimX, how.sharedMemBytes = threads, shared_bytes
        if cluster > 1:
            attribute = cuda.CUlaunchAttribute()
            attribute.id = cuda.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
            size = attribute.value.clusterDim
            size.x, size.y, size.z = cluster, 1, 1
            how.attrs, how.numAttrs = [attribute], 1
        # The driver is told where the arguments are, and how long they are; it has read them when a launch returns.
        layout = struct.Struct(letters)
        self._pack, self._packed, size = layout.pack_into, bytearray(layout.size), np.array([layout.size], np.uintp)
        packed = np.frombuffer(self._packed, np.uint8)
        extra = np.array([1, packed.ctypes.data, 2, size.ctypes.data, 0], np.uintp)
        self._kept, self._where, self._launch = (packed, size, extra), extra.ctypes.data, cuda.cuLaunchKernelEx

    @property
    def function(self) -> int:
        """The handle of the kernel."""
        return int(self._function)

    def resident(self) -> int:
        """Return the number of blocks that a multiprocessor holds at a time."""
        threads, shared = self._how.blockDimX, self._how.sharedMemBytes
        return int(call("cuOccupancyMaxActiveBlocksPerMultiprocessor", self._function, threads, shared))

    def clusters(self) -> int:
        """Return the number of clusters that the device holds at a time: their blocks have to be neighbours."""
        self._how.gridDimX = self.cluster
        try:
            return int(call("cuOccupancyMaxActiveClusters", self._function, self._how))
        except DriverError:
            return 0

    def __call__(self, blocks: int, arguments: Sequence[Any], stream: int) -> None:
        """Launch; raises DriverError if it fails. One thread at a time may do so."""
        self._pack(self._packed, 0, *arguments)
        how = self._how
        how.gridDimX, how.hStream = blocks, stream
        (code,) = self._launch(how, self._function, 0, self._where)
        if code:
            raise _failure("cuLaunchKernelEx", code)
