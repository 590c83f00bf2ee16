# SPDX-License-Identifier: MIT
"""Calls of compiled kernels, each of which is a C function of pointers, numbers and sizes:

void kernel(void* const* arrays, const double* numbers, const long long* sizes);
"""

import ctypes
import sys
import sysconfig
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from .host_compiler import ahead_of_time, library, ready

__all__ = ["call", "compile_ahead", "headers", "is_extension"]

Call = Callable[[int, tuple[Any, ...], tuple[float, ...], tuple[int, ...]], None]

_SOURCE = Path(__file__).with_name("binding.c")
_KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def by_ctypes(address: int, arrays: tuple[Any, ...], numbers: tuple[float, ...], sizes: tuple[int, ...]) -> None:
    """What `call` does, where there is no extension for it."""
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
    return _extension() or by_ctypes


def _extension() -> Call | None:
    """`call` of binding.c, compiled for this Python; None where it has no headers, or nothing to compile with."""
    if sys.implementation.name != "cpython":
        return None
    try:
        includes = headers()
        found = library(_SOURCE, _of_this(), includes=includes) if includes else ready(_SOURCE, _of_this())
    except RuntimeError:
        return None
    if found is None:
        return None
    made: Call = found.python_object("binding")
    return made


def compile_ahead(source: Path, architecture: str) -> Path:
    """Compile a copy of binding.c for this Python and processors of an architecture, where `call` looks beside it.

    The place is returned. Raises RuntimeError without the headers of Python, and what `ahead_of_time` raises.
    """
    includes = headers()
    if not includes:
        raise RuntimeError("no headers of Python; install them (Debian, Ubuntu: apt-get install python3-dev)")
    return ahead_of_time(source, _of_this(), architecture, includes=includes)


def _of_this() -> list[str]:
    """The macro by which an extension for this Python differs from that for another."""
    name = f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}"
    return ["FOR_" + "".join(letter if letter.isalnum() else "_" for letter in name)]


def headers() -> list[Path]:
    """The folder of this Python's headers; none where they are not installed."""
    folder = Path(sysconfig.get_path("include"))
    return [folder] if (folder / "Python.h").exists() else []


def is_extension() -> bool:
    """Whether calls go through the compiled extension; by ctypes, each costs ten microseconds more."""
    return _chosen() is not by_ctypes


def _first(address: int, arrays: tuple[Any, ...], numbers: tuple[float, ...], sizes: tuple[int, ...]) -> None:
    """Run the kernel at an address (`Library.address`) and return when it is done.

    `arrays` have buffers (C-contiguous; read-only ones too) or are None, which is a null pointer. The kernel's text
    says which of them are written, and what type and size they have: nothing of that is looked at here. ValueError for
    an array that is not contiguous, TypeError for what has no buffer. Other threads of Python go on meanwhile, but for
    arrays so small that they would not have begun.
    """
    global call
    call = _chosen()
    call(address, arrays, numbers, sizes)


call: Call = _first
