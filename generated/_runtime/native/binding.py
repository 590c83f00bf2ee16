# SPDX-License-Identifier: MIT
"""Calls of compiled kernels, each of which is a C function of pointers, numbers and sizes:

void kernel(void* const* arrays, const double* numbers, const long long* sizes);
"""

import ctypes
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from .extensions import extension

__all__ = ["call", "is_extension"]

Call = Callable[[int, tuple[Any, ...], tuple[float, ...], tuple[int, ...]], None]

_KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def by_ctypes(address: int, arrays: tuple[Any, ...], numbers: tuple[float, ...], sizes: tuple[int, ...]) -> None:
    """Call a kernel by ctypes, as `call` does where there is no extension."""
    pointers = (ctypes.c_void_p * len(arrays))(*map(_pointer, range(len(arrays)), arrays))
    doubles = (ctypes.c_double * len(numbers))(*numbers)
    whole = (ctypes.c_longlong * len(sizes))(*sizes)
    if not address:
        raise ValueError("there is no kernel at address 0")
    _kernel(address)(pointers, doubles, whole)


@lru_cache(maxsize=256)
def _kernel(address: int) -> Callable[..., None]:
    return _KERNEL(address)


def _pointer(number: int, array: Any) -> int | None:
    if array is None:
        return None
    if not isinstance(array, np.ndarray):
        try:
            view = memoryview(array)
        except TypeError:
            raise TypeError(f"array {number} is of type {type(array).__name__}, which has no buffer") from None
        if not view.c_contiguous:
            raise ValueError(f"array {number} is not C-contiguous")
        array = np.frombuffer(view.cast("B") if view.nbytes else b"", np.uint8)
    elif not array.flags.c_contiguous:
        raise ValueError(f"array {number} is not C-contiguous")
    address: int = array.__array_interface__["data"][0]
    return address


@lru_cache(maxsize=1)
def _chosen() -> Call:
    return extension("binding") or by_ctypes


def is_extension() -> bool:
    """Test whether calls go through the compiled extension; by ctypes, each takes some ten microseconds more."""
    return _chosen() is not by_ctypes


def _first(address: int, arrays: tuple[Any, ...], numbers: tuple[float, ...], sizes: tuple[int, ...]) -> None:
    """Run the kernel at an address (`Library.address`) and return when it is done.

    `arrays` have C-contiguous buffers, which may be read-only, or are None for a null pointer. The kernel's text says
    which arrays it writes, and their types and sizes; they are not checked here. Raises ValueError for an array that is
    not contiguous, and TypeError for an object without a buffer. Other threads of Python run meanwhile, unless the
    arrays are too small for that to pay.
    """
    global call
    call = _chosen()
    call(address, arrays, numbers, sizes)


call: Call = _first
