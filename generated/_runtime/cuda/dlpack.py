# SPDX-License-Identifier: MIT
"""Arrays that libraries exchange by DLPack without a copy: arrays that kernels read, and results.

An array is described by a C structure, in a capsule that goes from its producer to its consumer. The consumer calls the
structure's deleter when done, and the memory is valid until then.
"""

import ctypes
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

NO_WAIT = -1
"""Stream for a consumer that does not read the array yet."""

HOST, CUDA, CUDA_MANAGED = 1, 2, 13
"""Device types in DLPack."""

_DEFAULT_STREAM = 1
_READ_ONLY, _COPIED = 1, 2
_FLOAT, _BFLOAT = 2, 4
_TYPES = {"f16": (_FLOAT, 16), "bf16": (_BFLOAT, 16), "f32": (_FLOAT, 32), "f64": (_FLOAT, 64)}
_TYPES |= {"float8_e4m3fn": (10, 8), "float8_e5m2": (12, 8), "int8": (0, 8), "uint8": (1, 8)}
_LETTERS = {0: "<i", 1: "<u", _FLOAT: "<f", 5: "<c", 6: "|b"}

_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Tensor(ctypes.Structure):
    """DLTensor: strides count entries, and are null for a dense array."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_kind", ctypes.c_int32),
        ("device_number", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    """DLManagedTensor, as before version 1."""

    _fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _DELETER)]
    flags = 0
    major = 0


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", _DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_NAMES: dict[type[_Managed | _Versioned], tuple[bytes, bytes]] = {
    _Managed: (b"dltensor", b"used_dltensor"),
    _Versioned: (b"dltensor_versioned", b"used_dltensor_versioned"),
}
"""Names of a capsule, before and after its array was taken."""


def _function(name: str, result: Any, *arguments: Any) -> Any:
    return ctypes.PYFUNCTYPE(result, *arguments)((name, ctypes.pythonapi))


# A capsule that is about to go is known by its address alone: as an object it would be held again.
_is_valid = _function("PyCapsule_IsValid", ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)
_pointer = _function("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
_rename = _function("PyCapsule_SetName", ctypes.c_int, ctypes.py_object, ctypes.c_char_p)
_new = _function("PyCapsule_New", ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_keep = _function("Py_IncRef", None, ctypes.py_object)


# ---- arrays of other libraries


def device_of(value: Any) -> tuple[int, int] | None:
    """Return the kind and the number of an array's device; None for an object without DLPack."""
    where = getattr(value, "__dlpack_device__", None)
    if where is None or not hasattr(value, "__dlpack__"):
        return None
    kind, number = where()
    return int(kind), int(number)


def imported(value: Any, stream: int) -> "Imported | None":
    """Return an array of another library, ready to be read on a stream; None if it is not in CUDA memory.

    Raises BufferError if its library cannot export it.
    """
    where = device_of(value)
    if where is None or where[0] not in (CUDA, CUDA_MANAGED):
        return None
    stream = stream or _DEFAULT_STREAM
    try:
        capsule = value.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:  # it is of a time before versions
        capsule = value.__dlpack__(stream=stream)
    return Imported(value, capsule)


class Imported:
    """An array that came in a capsule, held until this object goes; `owner` is the array as its library has it."""

    def __init__(self, owner: Any, capsule: Any) -> None:
        self.owner, self.dtype = owner, getattr(owner, "dtype", None)
        found = [kind for kind, (name, _) in _NAMES.items() if _is_valid(id(capsule), name)]
        if not found:
            raise BufferError(
                f"__dlpack__ of {type(owner).__name__} returned a capsule without an array, or a used one"
            )
        name, used = _NAMES[found[0]]
        self._address: int = _pointer(id(capsule), name)
        self._managed: Any = found[0].from_address(self._address)
        _rename(capsule, used)
        if self._managed.major > 1:
            raise BufferError(
                f"{type(owner).__name__} has version {self._managed.major} of DLPack; version 1 is supported"
            )
        tensor: Any = self._managed.tensor
        shape = tuple(tensor.shape[: tensor.ndim])
        size = tensor.bits * tensor.lanes // 8
        strides = tuple(step * size for step in tensor.strides[: tensor.ndim]) if tensor.strides else None
        read_only = bool(self._managed.flags & (_READ_ONLY | _COPIED))
        self.__cuda_array_interface__: dict[str, Any] = {
            "shape": shape,
            "typestr": _typestr(tensor, size),
            "strides": strides,
            "data": ((tensor.data or 0) + tensor.byte_offset, read_only),
            "version": 3,
        }

    def __del__(self) -> None:
        managed = getattr(self, "_managed", None)
        if managed is not None and managed.deleter:
            managed.deleter(self._address)


def _typestr(tensor: Any, size: int) -> str:
    """Return the type in NumPy's notation; types that kernels cannot read only have to differ from theirs."""
    if (tensor.code, tensor.lanes) == (_BFLOAT, 1):
        return "<V2"
    letter = _LETTERS.get(tensor.code) if tensor.lanes == 1 else None
    return f"{letter if size > 1 or letter is None else '|' + letter[1]}{size}" if letter else f"|V{size}"


# ---- results


def taker(like: Any) -> "Callable[[Exported], Any] | None":
    """Return a function that makes arrays of a library, from the library or one of its arrays.

    Returns None for PyCUDA, whose arrays need no conversion. Raises TypeError for an unknown library, or one whose
    arrays are in host memory.
    """
    if like is None:
        return None
    root = (like.__name__ if isinstance(like, ModuleType) else type(like).__module__).partition(".")[0]
    if root == "pycuda":
        return None
    found = getattr(like, "from_dlpack", None)
    if found is None:
        namespace = getattr(like, "__array_namespace__", None)
        found = getattr(namespace() if namespace else sys.modules.get(root), "from_dlpack", None)
    if found is np.from_dlpack:
        raise TypeError("like is NumPy, whose arrays are in host memory; omit like, and call .get() on the results")
    if not callable(found):
        kind = getattr(like, "__name__", type(like).__name__)
        raise TypeError(
            f"like is {kind}, which has no from_dlpack; pass an array of CuPy, PyTorch or JAX, or a module such as cupy"
        )
    taken: Callable[[Exported], Any] = found
    return taken


class Exported:
    """Array that `from_dlpack` of other libraries takes.

    It begins at the address `pointer`, which is valid while `owner` exists. `kind` is its type, as in "f32", `device`
    the kind and the number of its device, and `wait` makes a stream wait for the work that writes to it.
    """

    def __init__(
        self,
        owner: Any,
        pointer: int,
        shape: tuple[int, ...],
        kind: str,
        device: tuple[int, int],
        wait: Callable[[int], None],
    ) -> None:
        self.owner, self.pointer, self.shape = owner, pointer, shape
        self.kind, self.device, self.wait = kind, device, wait

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        if copy or (dl_device is not None and tuple(dl_device) != self.device):
            raise BufferError("results are passed on without a copy, on their own device; copy them afterwards")
        if stream != NO_WAIT and self.device[0] != HOST:
            self.wait(stream or _DEFAULT_STREAM)
        count, code, bits = len(self.shape), *_TYPES[self.kind]
        steps = [1] * count
        for axis in range(count - 1, 0, -1):
            steps[axis - 1] = steps[axis] * max(self.shape[axis], 1)
        sizes = (ctypes.c_int64 * count)(*self.shape)
        strides = (ctypes.c_int64 * count)(*steps)
        tensor = _Tensor(self.pointer or None, *self.device, count, code, bits, 1, sizes, strides, 0)
        managed: _Managed | _Versioned
        if max_version is not None and max_version[0] >= 1:
            managed = _Versioned(1, 0, None, _delete, 0, tensor)
        else:
            managed = _Managed(tensor, None, _delete)
        address = ctypes.addressof(managed)
        _held[address] = managed, sizes, strides, self.owner
        return _new(address, _NAMES[type(managed)][0], ctypes.cast(_destroy, ctypes.c_void_p))


_held: dict[int, Any] = {}
"""Exported objects in use, by the address of their structure."""


def _let_go(address: int, held: dict[int, Any] = _held) -> None:
    held.pop(address, None)


def _unused(capsule: int, known: Any = (_NAMES, _is_valid, _pointer, _let_go)) -> None:
    """Free the content of a deleted capsule if it has its first name, since no consumer has taken it."""
    names, is_valid, pointer, let_go = known
    for name, _ in names.values():
        if is_valid(capsule, name):
            let_go(pointer(capsule, name))


_delete = _DELETER(_let_go)
_destroy = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_unused)

# Other libraries may be done with an array after this module has been cleared away.
for _lasting in (_delete, _destroy, _NAMES):
    _keep(_lasting)
