"""A table of DLPack's C functions as PyTorch's, but whose new tensors lie in memory of the emulator.

Structures are those of dlpack.h 1.3, as far as they are used.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from math import prod
from typing import Any


class _Version(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32)]


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("id", ctypes.c_int32),
        ("dimensions", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
    ]  # fmt: skip


class _Managed(ctypes.Structure):
    _fields_ = [
        ("version", _Version), ("manager", ctypes.c_void_p), ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]  # fmt: skip


_ALLOCATE = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(_Tensor), ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p, ctypes.c_void_p
)
_STREAM = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))


class _Exchange(ctypes.Structure):
    _fields_ = [
        ("version", _Version), ("before", ctypes.c_void_p), ("allocate", ctypes.c_void_p),
        ("managed_of", ctypes.c_void_p), ("object_of", ctypes.c_void_p), ("tensor_of", ctypes.c_void_p),
        ("stream", ctypes.c_void_p),
    ]  # fmt: skip


# Functions of `ctypes.pythonapi` are shared, and others declare their arguments in other words.
_python = ctypes.PyDLL(None)
_capsule = _python.PyCapsule_New
_capsule.restype, _capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_pointer = _python.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_NAME = b"dlpack_exchange_api"


class Table:
    """The table as a `capsule`; `sizes` has the bytes of each tensor that was made by it."""

    def __init__(self, own: Any, memory: Callable[[int], int]) -> None:
        self.memory, self.sizes, self.kept = memory, [], []
        table = _Exchange.from_buffer_copy(ctypes.string_at(_pointer(own, _NAME), ctypes.sizeof(_Exchange)))
        allocate, stream = _ALLOCATE(self._allocate), _STREAM(self._stream)
        table.allocate, table.stream = (ctypes.cast(each, ctypes.c_void_p).value for each in (allocate, stream))
        self.kept += [table, allocate, stream]
        self.capsule = _capsule(ctypes.addressof(table), _NAME, None)

    def _allocate(self, like: Any, to: Any, *_: Any) -> int:
        tensor = like.contents
        size = prod(tensor.shape[: tensor.dimensions]) * tensor.bits // 8
        self.sizes.append(size)
        made = _Managed(version=_Version(1, 1), tensor=_Tensor.from_buffer_copy(tensor))
        shape = (ctypes.c_int64 * max(tensor.dimensions, 1))(*tensor.shape[: tensor.dimensions])
        steps = [prod(shape[axis + 1 : tensor.dimensions]) for axis in range(tensor.dimensions)]
        strides = (ctypes.c_int64 * max(tensor.dimensions, 1))(*steps)
        made.tensor.shape, made.tensor.strides, made.tensor.data = shape, strides, self.memory(size)
        self.kept.append((made, shape, strides))
        to[0] = ctypes.addressof(made)
        return 0

    def _stream(self, *given: Any) -> int:
        given[2][0] = None
        return 0
