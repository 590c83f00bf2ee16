# SPDX-License-Identifier: MIT
"""Launches by functions of the driver that PyCUDA lacks."""

import ctypes

from . import devices

MOST_SHARED = 48 * 1024
"""Bytes of shared memory that a block may have without being asked for."""

_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
_PROGRAMMATIC_STREAM_SERIALIZATION = 6


class DriverFunction:
    """Kernel with its driver handle, in a module of its own, since PyCUDA does not give the handle.

    `block` are the threads of a block along each axis, `shared_bytes` is the shared memory of a block.
    """

    def __init__(self, cubin: bytes, name: str, block: tuple[int, int, int], shared_bytes: int) -> None:
        self.block, self.shared_bytes = block, shared_bytes
        module, self.handle = ctypes.c_void_p(), ctypes.c_void_p()
        devices.call("cuModuleLoadData", ctypes.byref(module), cubin)
        devices.call("cuModuleGetFunction", ctypes.byref(self.handle), module, name.encode())
        if shared_bytes > MOST_SHARED:
            devices.call("cuFuncSetAttribute", self.handle, _MAX_DYNAMIC_SHARED_SIZE_BYTES, ctypes.c_int(shared_bytes))
        self.early = _Attribute(_PROGRAMMATIC_STREAM_SERIALIZATION, 0, 1)

    def launch(self, grid: tuple[int, int, int], packed: bytes, stream: int) -> None:
        """Launch on a stream, which may be another library's."""
        place = (*grid, *self.block, self.shared_bytes)
        devices.call("cuLaunchKernel", self.handle, *place, ctypes.c_void_p(stream), None, _arguments(packed))

    def launch_early(self, grid: tuple[int, int, int], packed: bytes, stream: int) -> None:
        """Launch on a stream while the kernel before it still runs: programmatic dependent launch.

        It is for a kernel that waits by itself (`await_launch_before` of kernels.cuh) on a device that knows how to.
        """
        how = _Config(*grid, *self.block, self.shared_bytes, stream, ctypes.pointer(self.early), 1)
        devices.call("cuLaunchKernelEx", ctypes.byref(how), self.handle, None, _arguments(packed))


def _arguments(packed: bytes) -> object:
    return ctypes.byref(_Extra(1, packed, 2, ctypes.pointer(ctypes.c_size_t(len(packed))), 0))


class _Extra(ctypes.Structure):
    """cuLaunchKernel's list of extras: where the arguments are, and how long they are."""

    _fields_ = [
        ("buffer_is_next", ctypes.c_void_p),
        ("buffer", ctypes.c_char_p),
        ("size_is_next", ctypes.c_void_p),
        ("size", ctypes.POINTER(ctypes.c_size_t)),
        ("end", ctypes.c_void_p),
    ]


class _Attribute(ctypes.Structure):
    """Structure CUlaunchAttribute, with a number as its value."""

    _fields_ = [
        ("number", ctypes.c_uint),
        ("padding", ctypes.c_uint),
        ("value", ctypes.c_int),
        ("rest", ctypes.c_char * 60),
    ]


class _Config(ctypes.Structure):
    """CUlaunchConfig."""

    _fields_ = [
        *((f"grid_{axis}", ctypes.c_uint) for axis in "xyz"),
        *((f"block_{axis}", ctypes.c_uint) for axis in "xyz"),
        ("shared_bytes", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(_Attribute)),
        ("attribute_count", ctypes.c_uint),
    ]
