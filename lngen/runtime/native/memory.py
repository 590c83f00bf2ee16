# SPDX-License-Identifier: MIT
"""Pool of memory for large results, which reuses the memory of freed ones.

The system clears each page before a process first touches it, which takes longer than a kernel takes to fill it. Large
results therefore get memory of their own, aligned for streaming stores, and in huge pages where available. The memory
returns to a short list when the result and all its views are gone.
"""

import ctypes
import mmap
import os
from _thread import allocate_lock
from collections import deque
from contextlib import suppress
from functools import lru_cache
from itertools import count
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

LARGE = 2**17
"""Bytes from which the memory of a result is reused.

From this size on glibc asks the system for memory. When several results are freed together, it soon returns larger free
parts of its heap.
"""

MOST_RESULTS = 16
"""Largest number of freed results whose memory is kept."""


def _physical_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 2**33


MOST_BYTES = min(2**30, _physical_memory() // 8)
"""Bytes that are kept at most."""

_HUGE = 2**21
_LINE = 64
_is_on = os.name != "nt" and os.environ.get("LNGEN_REUSE") != "0"

_numbers = count()
_kept: list["_HostMemory"] = []
"""Free memory, last freed at the end."""
_returned: "deque[_HostMemory]" = deque()
"""Memory freed and not yet in the list.

A result may be freed at any time, even while the list is being changed.
"""
_lock = allocate_lock()


class _HostMemory:
    """Memory of so many bytes, which the system takes back when this is gone."""

    __slots__ = ("address", "loan", "mapped", "size")

    def __init__(self, size: int) -> None:
        # Results that all began at a page, or a huge page, would share the same sets of the caches, and push each other
        # out. What is never touched takes no memory, so that room to begin elsewhere is free.
        is_huge = size >= 2 * _HUGE
        page, lines = (_HUGE, 2**13) if is_huge else (mmap.PAGESIZE, 2**8)
        self.mapped = mmap.mmap(-1, size + page + lines * _LINE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        begin = ctypes.addressof(ctypes.c_char.from_buffer(self.mapped))
        self.address = -(-begin // page) * page + next(_numbers) * 1117 % lines * _LINE
        self.size, self.loan = size, _loan(size)
        if is_huge and hasattr(mmap, "MADV_HUGEPAGE"):
            with suppress(OSError):  # a system without them
                self.mapped.madvise(mmap.MADV_HUGEPAGE)


@lru_cache(maxsize=64)
def _loan(size: int) -> Any:
    """Return a type that exports memory of a size to an array, and takes it back when the array and its views are
    gone.
    """
    return type("Loan", (ctypes.c_char * size,), {"__del__": _give_back})


def _give_back(loan: Any) -> None:
    _returned.append(loan.memory)
    _settle()


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return an uninitialized array for a result; a large one begins at a multiple of 64 bytes.

    It is an ordinary array that cannot be resized in place. With LNGEN_REUSE=0 in the environment, and on Windows, it
    comes from np.empty. Raises MemoryError if there is not enough memory.
    """
    size = prod(shape, start=dtype.itemsize)
    entries = None if size < LARGE else lent(size)
    return np.empty(shape, dtype) if entries is None else np.ndarray(shape, dtype, entries)


def lent(size: int) -> Any:
    """Return memory of so many bytes or more as an object with a buffer; None where the pool is not used."""
    if not _is_on:
        return None
    # Sizes are rounded, by an eighth at most, so that results of nearly the same size share memory.
    step = 1 << (size.bit_length() - 1) >> 3
    memory = _memory(-(-size // step) * step)
    entries = memory.loan.from_address(memory.address)
    entries.memory = memory
    return entries


@lru_cache(maxsize=256)
def _bytes(size: int) -> Any:
    return ctypes.c_char * size


def room(size: int) -> tuple[Any, int]:
    """Return memory of so many bytes for what a call computes, and its address; a large one is not cleared."""
    entries = None if size < LARGE else lent(size)
    made = _bytes(size)() if entries is None else _bytes(size).from_buffer(entries)
    return made, ctypes.addressof(made)


def _memory(size: int) -> _HostMemory:
    """Return memory of a size: the memory that was freed last, which may still be in the cache, or new memory."""
    if _returned:
        _settle()
    with _lock:
        for place in range(len(_kept) - 1, -1, -1):
            if _kept[place].size == size:
                return _kept.pop(place)
    try:
        return _HostMemory(size)
    except (OSError, OverflowError) as error:
        raise MemoryError(f"no memory for a result of {size} bytes") from error


def _settle() -> None:
    """Move returned memory to the list, and drop the memory that was freed first if the list is too long.

    If another thread does so already, this returns at once: code that the garbage collector calls must not wait.
    """
    while _returned and _lock.acquire(False):
        dropped = []
        try:
            while _returned:
                _kept.append(_returned.popleft())
            over = sum([memory.size for memory in _kept]) - MOST_BYTES
            while over > 0 or len(_kept) > MOST_RESULTS:
                dropped.append(_kept.pop(0))
                over -= dropped[-1].size
        finally:
            _lock.release()


def kept_bytes() -> int:
    """The bytes that are kept for the next results."""
    _settle()
    with _lock:
        return sum([memory.size for memory in _kept])


def release() -> None:
    """Return all free memory to the system."""
    _settle()
    with _lock:
        dropped, _kept[:] = _kept[:], []
    del dropped


def _new_lock() -> None:
    """A process that was forked has none of the threads that may have held the lock."""
    global _lock
    _lock = allocate_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_lock)
