# SPDX-License-Identifier: MIT
"""Calls of compiled kernels, each of which is a C function of pointers, numbers and sizes:

void kernel(void* const* arrays, const double* numbers, const long long* sizes);
"""

import ctypes
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .extensions import extension

Call = Callable[..., None]

_KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def step(address: int, arrays: Sequence[int], numbers: Sequence[int]) -> bytes:
    """Return a kernel as `call` takes it: its address, and the places of its arrays and of its numbers."""
    return np.array([address, len(arrays), *arrays, len(numbers), *numbers], np.int64).tobytes()


def steps_in(steps: bytes) -> Iterator[tuple[int, list[int], list[int]]]:
    """Return the kernels in the steps of a call.

    >>> list(steps_in(step(4096, [0, 2], []) + step(8192, [1], [0])))
    [(4096, [0, 2], []), (8192, [1], [0])]
    """
    words = iter(np.frombuffer(steps, np.int64).tolist())
    for address in words:
        yield address, [next(words) for _ in range(next(words))], [next(words) for _ in range(next(words))]


def by_ctypes(
    steps: bytes,
    arrays: tuple[Any, ...],
    numbers: tuple[float, ...],
    sizes: tuple[int, ...],
    strides: tuple[int, ...] = (),
    first: int = 0,
    end: int = 1,
) -> None:
    """Call kernels by ctypes, as `call` does where there is no extension."""
    if not strides and not all(array is None or array.flags.c_contiguous for array in arrays):
        raise ValueError("an array is not C-contiguous")
    starts = [array if array is None else array.ctypes.data for array in arrays]
    strides = strides or (0,) * len(arrays)
    whole = (ctypes.c_longlong * len(sizes))(*sizes)
    for sample in range(first, end):
        here = [start and start + sample * stride for start, stride in zip(starts, strides, strict=True)]
        for address, own, constants in steps_in(steps):
            pointers = (ctypes.c_void_p * len(own))(*[here[place] for place in own])
            doubles = (ctypes.c_double * len(constants))(*[numbers[place] for place in constants])
            _kernel(address)(pointers, doubles, whole)


@lru_cache(maxsize=256)
def _kernel(address: int) -> Callable[..., None]:
    return _KERNEL(address)


@lru_cache(maxsize=1)
def _chosen() -> Call:
    return extension("binding") or by_ctypes


def is_extension() -> bool:
    """Test whether calls go through the compiled extension; by ctypes, each takes some ten microseconds more."""
    return _chosen() is not by_ctypes


def _first(*arguments: Any) -> None:
    """Run the kernels of `steps` and return when they are done.

    The arguments are as those of `by_ctypes`. `arrays` are NumPy's, which may be read-only, or None for a null pointer.
    The kernel's text says which arrays it writes, and their types and sizes; they are not checked here. With `strides`,
    kernels run on samples, from `first` up to before `end`; each array lies so many bytes apart from sample to sample.
    Raises ValueError for an array that is not contiguous, if there are no samples. Other threads of Python run
    meanwhile, unless the arrays are too small for that to pay.
    """
    global call
    call = _chosen()
    call(*arguments)


call: Call = _first
