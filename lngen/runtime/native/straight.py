# SPDX-License-Identifier: MIT
"""Checks of the straight way of a call on NumPy arrays: types and layouts as kernels take them, without a copy of rows.

They raise `Unusual` for other arguments, which take the long way (long.py): it converts what it can, and says what
is wrong with the rest.
"""

import ctypes
import sys
from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, TypeVar

import numpy as np

from ..protocol.calls import Array, DType, Shape, whole
from .compiled import COMPUTED
from .memory import empty

Made = TypeVar("Made", Array, Array | None)

TYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}
"""Names in kernels of the types that rows may be stored in."""

_DTYPES: dict[str, DType] = {"f32": np.dtype(np.float32), "f64": np.dtype(np.float64)}


class Unusual(Exception):
    """Signal that arguments take the long way."""


class _StorageTypes(dict[DType, tuple[str, DType]]):
    """Name of a type of rows in kernels, and its compute type, by the type; the name is empty if kernels take none."""

    def __missing__(self, dtype: DType) -> tuple[str, DType]:
        name = TYPES.get(dtype.name, "") if dtype.isnative else ""
        found = self[dtype] = name, _DTYPES[COMPUTED[name]] if name else dtype
        return found


STORAGE_TYPES = _StorageTypes()

Rows = tuple[Shape, int, int, str, DType, DType]
"""Rows of a call: their shape, their number, D, their type by its name in kernels, the same type, the compute type."""


def is_dense(value: Any) -> bool:
    """Test whether an array has no gaps, and begins where its type may."""
    flags = value.flags
    return bool(flags.c_contiguous and flags.aligned)


def rows(given: Any, least: int, threads: Any) -> Rows:
    """Return the rows of forward, given the first of them, which have `least` features or more."""
    if type(given) is not np.ndarray or type(threads) is not int or threads < 1:
        raise Unusual
    (name, dtype), shape = STORAGE_TYPES[given.dtype], given.shape
    if not name or not shape or shape[-1] < least or not is_dense(given):
        raise Unusual
    return shape, given.size // shape[-1], shape[-1], name, given.dtype, dtype


def kept(saved: Any, kind: type, required: tuple[bool, ...], places: tuple[int, ...], threads: Any) -> Rows:
    """Return the rows of forward as it saved them.

    The inputs at `places` have values of each row, which are of one type; those that are `required` are no None.
    """
    of: Any = type(saved)
    if of is not kind or type(threads) is not int or threads < 1:
        raise Unusual
    shape, computed, dtypes = saved[:3]
    if type(shape) is not tuple or not shape or type(dtypes) is not tuple:
        raise Unusual
    try:
        name, stored, dtype = _stored(dtypes, required, places)
    except TypeError:
        raise Unusual from None
    if type(computed) is not type(dtype) or computed != dtype:
        raise Unusual
    return shape, prod(shape[:-1]), shape[-1], name, stored, dtype


@lru_cache(maxsize=256)
def _stored(dtypes: tuple[Any, ...], required: tuple[bool, ...], places: tuple[int, ...]) -> tuple[str, DType, DType]:
    """Return the type of rows by its name in kernels, the same type, and the compute type, given those of inputs."""
    are_right = len(dtypes) == len(required) and all(
        isinstance(dtype, np.dtype) or (dtype is None and not is_required)
        for dtype, is_required in zip(dtypes, required, strict=True)
    )
    stored = {dtypes[place] for place in places if are_right and dtypes[place] is not None}
    if len(stored) != 1 or not STORAGE_TYPES[dtype := stored.pop()][0]:
        raise Unusual
    name, computed = STORAGE_TYPES[dtype]
    return name, dtype, computed


def dense(shape: Shape, dtype: DType, *values: Any) -> None:
    """Refuse values that are not arrays of a shape and a type without gaps."""
    for value in values:
        if type(value) is not np.ndarray or value.shape != shape or value.dtype != dtype:
            raise Unusual
        if not is_dense(value):
            raise Unusual


def parameter(shape: Shape, dtype: DType, value: Any) -> Array | None:
    """Return a parameter as kernels take it, an array in the compute type; None if it is left out."""
    if value is None:
        return None
    if type(value) is not np.ndarray or value.shape != shape:
        raise Unusual
    if value.dtype == dtype and is_dense(value):
        return value
    if not STORAGE_TYPES[value.dtype][0] or value.dtype.itemsize > dtype.itemsize:
        raise Unusual
    return np.require(value, dtype, ["C", "A"]).reshape(shape)


def number(dtype: DType, value: Any) -> Array | None:
    """Return a Python number, or an array of one, as an array in the compute type; None if it is left out."""
    return np.array(value, dtype) if type(value) is float else parameter((), dtype, value)


def integers(shape: Shape, value: Any) -> Array | None:
    """Return integers as kernels take them, of 32 bits, those beyond as the nearest; None if they are left out."""
    if value is None:
        return None
    if type(value) is not np.ndarray or value.shape != shape or value.dtype.kind not in "iub":
        raise Unusual
    return np.ascontiguousarray(whole(value)).reshape(shape)


def dtype_of(number: Any) -> DType:
    """Return the type of a Python number, or of an array of one."""
    found: DType = _DTYPES["f64"] if type(number) is float else number.dtype
    return found


def outs(out: Any, count: int) -> Sequence[Any]:
    """Return the caller's array for each of several results, or None."""
    if out is None:
        return (None,) * count
    if type(out) not in (tuple, list) or len(out) != count:
        raise Unusual
    found: Sequence[Any] = out
    return found


def result(own: Any, shape: Shape, dtype: DType, of: DType | None = None) -> Array:
    """Return memory for a result, the caller's own if there is some, of the type `of` a parameter."""
    if own is None:
        return empty(shape, dtype)
    dense(shape, dtype, own)
    if not own.flags.writeable or (of is not None and of != dtype):
        raise Unusual
    made: Array = own
    return made


def apart(own: Sequence[Any], results: Sequence[Array | None], *given: Any) -> None:
    """Refuse arrays of the caller that are no results, and those that may overlap another, or one that is given."""
    for place, (array, made) in enumerate(zip(own, results, strict=True)):
        if array is None:
            continue
        if array is not made:
            raise Unusual
        for other in (*given, *own[:place]):
            if isinstance(other, np.ndarray) and np.may_share_memory(array, other):
                raise Unusual


def rounded(made: Made, dtype: DType | None) -> Made:
    """Return a result in its own type, in which a number that is too small is 0; None stays None."""
    if made is None or made.dtype == dtype:
        return made
    with np.errstate(under="ignore"):
        return made.astype(dtype)


# The address of its entries is the first thing that an array of CPython holds, behind the head of every object.
_HEAD = object.__basicsize__
_IS_CPYTHON = sys.implementation.name == "cpython"
_at = ctypes.c_size_t.from_address


def addresses(*arrays: Array | None) -> list[int]:
    """Return the addresses of arrays, 0 for None. `array.ctypes` takes longer than the kernel of a short row.

    >>> array = np.ones(3)
    >>> addresses(array, None) == [array.ctypes.data, 0]
    True
    """
    if not _IS_CPYTHON:
        return [0 if array is None else array.ctypes.data for array in arrays]
    return [0 if array is None else _at(id(array) + _HEAD).value for array in arrays]
