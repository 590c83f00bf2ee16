# SPDX-License-Identifier: MIT
# mypy: disable-error-code="import-untyped,import-not-found"
"""Arrays in device memory, from any library, and checks that kernels can read them.

Each message names the argument, its fault, and what to pass instead.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from math import prod
from typing import Any, Protocol, TypeAlias

import numpy as np

from ..protocol.calls import DType, Shape, axes_overlap, constant
from . import libraries

ROW, ROW_SCALAR, FEATURE, NUMBER, CONSTANT = range(5)
"""Numbers of the shapes of values."""

KINDS = {"<f2": "f16", "<V2": "bf16", "|V2": "bf16", "<f4": "f32", "<f8": "f64"}
"""Names of types in kernels, by `typestr`."""

INTEGER_KINDS = {"|b1": "u8"} | {
    np.dtype(f"{sign}{size}").str: f"{sign}{8 * size}" for sign in "iu" for size in (1, 2, 4, 8)
}
"""The same of integers; a truth value is one of them."""

ALL_KINDS = KINDS | INTEGER_KINDS

TYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
TYPES |= {kind: np.dtype(typestr).name for typestr, kind in INTEGER_KINDS.items()}
BYTES = {kind: 2 if kind == "bf16" else np.dtype(name).itemsize for kind, name in TYPES.items()}

MOST_FEATURES = 2**30
"""Entries of a row, as `shapes.cuh` has it: kernels count columns by `int`, and go a trip beyond the last one."""


class CudaArray(Protocol):
    """An array in device memory that says where: PyCUDA's `GPUArray`, one of PyTorch, CuPy, Numba."""

    @property
    def __cuda_array_interface__(self) -> Mapping[str, Any]: ...


class DLPackArray(Protocol):
    """An array that says it by DLPack; where the kind of a device is no Enum, as in NumPy, it is always the host."""

    def __dlpack__(self, *, stream: Any = ...) -> Any: ...

    def __dlpack_device__(self) -> tuple[Enum, int]: ...


DeviceArray: TypeAlias = CudaArray | DLPackArray


class Memory:
    """Memory on a device; `owner` is the object that came with it.

    It is dense if there are no `steps`: how many entries apart neighbours along each axis are. It reaches over so many
    `nbytes`. Without an owner it is a result that is not yet allocated, of type `dtype`.
    """

    def __init__(
        self,
        owner: Any,
        pointer: int,
        shape: Shape,
        typestr: str,
        read_only: bool = False,
        dtype: DType | None = None,
        steps: Shape | None = None,
    ) -> None:
        self.owner, self.pointer, self.shape, self.steps = owner, pointer, shape, steps
        self.itemsize = int(typestr[2:])
        entries = prod(shape)
        if steps is not None and entries:
            entries = 1 + sum((size - 1) * step for size, step in self.axes)
        self.nbytes = entries * self.itemsize
        self.typestr, self.read_only, self.own_dtype = typestr, read_only, dtype

    @property
    def axes(self) -> list[tuple[int, int]]:
        """Size and step of each axis; none if the memory is dense."""
        return list(zip(self.shape, self.steps or (), strict=False))

    @property
    def kind(self) -> str:
        return ALL_KINDS[self.typestr]

    @property
    def dtype(self) -> DType:
        """The type as NumPy's, in the words of the owner."""
        return dtype_of(self.kind) if self.own_dtype is None else self.own_dtype


def dtype_of(kind: str) -> DType:
    """NumPy's type of a kind; bfloat16 is raw where ml_dtypes is not installed."""
    if kind != "bf16":
        return np.dtype(TYPES[kind])
    try:
        from ml_dtypes import bfloat16
    except ImportError:
        return np.dtype("<V2")
    found: DType = np.dtype(bfloat16)
    return found


def own_dtype(value: Any) -> DType | None:
    """The type that an array says it is of, if it says so in the words of NumPy."""
    own = getattr(value, "dtype", None)
    return own if isinstance(own, np.dtype) else None


# ---- arguments


def memory(name: str, value: Any, row_axes: int | None = None) -> Memory:
    """Return the device memory of an object, read from `__cuda_array_interface__` or DLPack.

    It is dense; with `row_axes` only the last axes are, so many of them. Raises ValueError if it is not.
    """
    interface = getattr(value, "__cuda_array_interface__", None)
    if not isinstance(interface, dict):
        value = _from_dlpack(name, value)
        interface = value.__cuda_array_interface__
    shape, typestr = tuple(interface["shape"]), interface["typestr"]
    strides, steps = interface.get("strides"), None
    if strides is not None and not _is_dense(shape, strides, int(typestr[2:])):
        steps = _steps(shape, strides, int(typestr[2:]), row_axes)
        if steps is None:
            raise ValueError(
                f"{name} has strides {tuple(strides)} for shape {shape}, and kernels "
                "take dense rows; pass a contiguous copy"
            )
    if interface.get("mask") is not None:
        raise TypeError(f"{name} has a mask; pass an array without one")
    pointer, read_only = interface["data"]
    found = Memory(value, pointer or 0, shape, typestr, read_only, own_dtype(value), steps)
    if found.nbytes and not pointer:
        raise ValueError(f"{name} has shape {shape} and no memory; pass an array in use")
    return found


def facts_of(value: Any) -> tuple[int, Any, int | None]:
    """Return the address of an array, all properties that a plan depends on, and the stream that it is written on."""
    interface = value.__cuda_array_interface__
    start, read_only = interface["data"]
    strides = interface.get("strides")
    facts = (
        own_dtype(value),
        interface["typestr"],
        tuple(interface["shape"]),
        None if strides is None else tuple(strides),
        start % 16 if start else None,
        bool(read_only),
        interface.get("mask") is None,
    )
    return start or 0, facts, interface.get("stream")


def _is_dense(shape: Shape, strides: Sequence[int], step: int) -> bool:
    if 0 in shape:
        return True
    for length, stride in zip(reversed(shape), reversed(strides), strict=True):
        if length > 1 and stride != step:
            return False
        step *= length
    return True


def _steps(shape: Shape, strides: Sequence[int], size: int, row_axes: int | None) -> Shape | None:
    """Return strides in entries, or None if kernels cannot step so: back, or by parts of an entry, or within rows."""
    if row_axes is None or any(stride < 0 or stride % size for stride in strides):
        return None
    rows = len(shape) - row_axes
    return tuple([stride // size for stride in strides]) if _is_dense(shape[rows:], strides[rows:], size) else None


def _from_dlpack(name: str, value: Any) -> libraries.Imported:
    where = libraries.device_of(value)
    if where is not None and where[0] not in (libraries.HOST, libraries.CUDA, libraries.CUDA_MANAGED):
        raise TypeError(f"{name} is on DLPack device {where}, which is not a CUDA device; pass an array on one")
    found = libraries.imported(value)
    kind = type(value).__name__
    if found is None and where is not None and where[0] != libraries.HOST:
        raise ImportError(
            f"{name} is of type {kind}, which has DLPack alone, and PyTorch or CuPy take that: import one that sees "
            "the GPU, or pass an array with __cuda_array_interface__"
        )
    if found is None:
        raise TypeError(
            f"{name} is of type {kind}, not an array in device memory; pass a GPUArray, "
            f"such as pycuda.gpuarray.to_gpu({name}), or use numpy_backend"
        )
    return found


def array(name: str, value: Any, of_integers: bool = False, row_axes: int | None = None) -> Memory:
    """An array of a type that kernels read, from an address that they can read it at; see `memory`."""
    if value is None:
        raise TypeError(f"{name} is None; pass an array of {'integers' if of_integers else 'floats'}")
    found = memory(name, value, row_axes)
    if of_integers and found.typestr not in INTEGER_KINDS:
        raise TypeError(f"{name} is of type {found.typestr}, not integers; pass int8 to int64, or unsigned")
    if not of_integers and found.typestr not in KINDS:
        raise TypeError(
            f"{name} is of type {found.typestr}, not floating point; pass float16, "
            "bfloat16 (as ml_dtypes has it, or raw as V2), float32 or float64"
        )
    if found.nbytes and found.pointer % BYTES[found.kind]:
        raise ValueError(
            f"{name} starts at address {found.pointer:#x}, which is not aligned for "
            f"{TYPES[found.kind]}; pass a copy, which is aligned"
        )
    return found


def number_or_array(name: str, value: Any, of_integers: bool = False) -> float | Memory:
    """A Scalar: a number, or a 0-d array."""
    if type(value) is int or (type(value) is float and not of_integers):
        return float(value)
    found = array(name, value, of_integers)
    if found.shape:
        raise ValueError(f"{name} has shape {found.shape}; pass a number or a 0-d one")
    return found


def finite(name: str, value: Any, signed: bool = True) -> float:
    """A finite real number as a float; not a negative one where it is taken to be positive."""
    return float(constant(name, value, signed))


def row_shape(name: str, rows: Memory, minimum_features: int) -> Shape:
    """The shape of the rows, which have so many features at least."""
    shape = rows.shape
    if not shape or shape[-1] < minimum_features:
        raise ValueError(f"{name} has shape {shape}; pass (..., D) with D of {minimum_features} or more")
    if shape[-1] > MOST_FEATURES:
        raise ValueError(f"{name} has shape {shape}; pass rows of at most 2**30 entries; numpy_backend takes any")
    return shape


def shape_of(part: int, shape: Shape) -> Shape:
    """Return the shape of a value by its number, for rows of a shape."""
    return (shape, shape[:-1], shape[-1:], ())[part]


def computed(*kinds: str) -> str:
    """Return the compute type: the widest of some types, and float32 at least."""
    return "f64" if "f64" in kinds else "f32"


def check_shape(name: str, value: Any, shape: Shape, meaning: str) -> None:
    """Refuse an array of another shape."""
    if isinstance(value, Memory) and value.shape != shape:
        raise ValueError(f"{name} has shape {value.shape}; pass {meaning}, which is {shape}")


def check_type(name: str, value: Any, kind: str, other: str) -> None:
    """Refuse an array of another type: kernels read all rows in one type, all parameters and all integers in one."""
    if isinstance(value, Memory) and value.kind != kind:
        raise TypeError(
            f"{name} is of type {TYPES[value.kind]} and {other} of type {TYPES[kind]}; pass {name} in {TYPES[kind]}"
        )


def check_writable(name: str, value: Memory) -> None:
    """Refuse an array that its library does not let be written to."""
    if value.read_only:
        raise ValueError(f"{name} is read-only; pass a writable array")


def stream_handle(stream: Any) -> int:
    """Return the handle of a stream from any library."""
    if stream is None:
        return 0
    for attribute in ("cuda_stream", "handle", "ptr"):
        stream = getattr(stream, attribute, stream)
    if hasattr(stream, "__cuda_stream__"):
        stream = stream.__cuda_stream__()[1]
    if isinstance(stream, bool) or not isinstance(stream, int):
        raise TypeError(
            f"stream is of type {type(stream).__name__}; pass a stream of PyCUDA, PyTorch or CuPy, or a handle"
        )
    return stream


# ---- results


def result(
    name: str,
    out: Any,
    shape: Shape,
    dtype: DType | None,
    row_axes: int | None = None,
) -> Memory | None:
    """The memory of a result: the caller's own, or some that is yet to be allocated.

    None if there is no such result: `dtype` is None then. With `row_axes` only the last axes need to be dense, so many
    of them.
    """
    if dtype is None:
        if out is not None:
            raise ValueError(f"out for {name}: its input was left out, so pass None")
        return None
    if out is None:
        return Memory(None, 0, shape, dtype.str, dtype=dtype)
    words = f"out for {name}"
    found = array(words, out, row_axes=row_axes) if dtype.str in KINDS else memory(words, out, row_axes)
    if found.shape != shape or not _is_of(found, dtype):
        own, wanted = (TYPES[KINDS[each]] if each in KINDS else each for each in (found.typestr, dtype.str))
        wanted = wanted if dtype.str in KINDS else dtype.name
        raise ValueError(
            f"out for {name} has shape {found.shape} and type {own}; pass one of shape {shape} and type {wanted}"
        )
    check_writable(words, found)
    if axes_overlap(((step, size) for size, step in found.axes), 1):
        raise ValueError(f"{words} has strides {found.steps} in entries, with which its rows overlap; pass another one")
    return found


def _is_of(found: Memory, dtype: DType) -> bool:
    """Test whether the entries of some memory are of a type; a float of 8 bits may be raw."""
    if dtype.str in KINDS:
        return found.kind == KINDS[dtype.str]
    return found.typestr[1:] in ("V1", dtype.str[1:]) if found.own_dtype is None else found.own_dtype == dtype
