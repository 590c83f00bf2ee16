"""Arguments of a launch: NumPy arrays and numbers in the form of the kernel's parameters.

Each array has a place of its own in the device's memory, between two guard bands of one byte. A band that has changed
after the launch was written out of bounds.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lngen.errors import LngenError
from lngen.extensions.simt.report import Finding, written_beyond

POISON = 0xFF
"""The byte that poison is made of: a NaN in every floating-point type, and -1."""

_IN_BANDS = 0x7B
"""The byte of the bands: a large number in every type, since a NaN computed from poison may be the poison itself."""

_ALIGNMENT = 256
_BAND = 1024

_INTEGERS = {
    ("i", 4): "i",
    ("i", 8): "q",
    ("u", 4): "I",
    ("u", 8): "Q",
    ("i", 2): "h",
    ("i", 1): "b",
    ("u", 2): "H",
    ("u", 1): "B",
}
_FLOATS = {"f4": "f", "f8": "d", "h2": "e"}
_DTYPES = {"f4": "float32", "f8": "float64", "h2": "float16", "b2": "bfloat16", "?1": "bool"}


class Uninitialised:
    """Array that a kernel may read only after it, or an earlier kernel, has written it.

    Its memory is poisoned at once. Checked launches keep track of writes, so that a workspace can go from the kernel
    that fills it to the one that reads it.
    """

    def __init__(self, array: NDArray[Any]) -> None:
        self.array = array
        # A view as bytes, since NumPy has no all-bits-set number of every dtype.
        _bytes_of(array)[:] = POISON
        self.written = np.zeros(array.size, np.uint8)


@dataclass(frozen=True)
class Window:
    """Piece of a larger array, of which no other piece exists: `array` stands at entry `start` of it.

    With a choice of blocks it tests offsets beyond 2**31, on machines of any size.
    """

    array: NDArray[Any]
    start: int


@dataclass(frozen=True)
class KernelParameter:
    """A parameter of a kernel: its name, and its type as the module says it."""

    name: str
    kind: str
    pointer: bool
    constant: bool

    @staticmethod
    def parse(name: str, word: str) -> KernelParameter:
        """Parse a word of a signature.

        >>> KernelParameter.parse("x", "*cf4")
        KernelParameter(name='x', kind='f4', pointer=True, constant=True)
        >>> KernelParameter.parse("rows", "i8")
        KernelParameter(name='rows', kind='i8', pointer=False, constant=False)
        """
        kind = word.removeprefix("*").removeprefix("c") if word.startswith("*") else word
        return KernelParameter(name, kind, word.startswith("*"), word.startswith("*c"))

    def __str__(self) -> str:
        return f"{self.name} ({'an array of ' if self.pointer else ''}{self._type()})"

    def _type(self) -> str:
        """The type in words; a structure has its size and its alignment."""
        letter, size = self.kind[0], int(self.kind[1:].partition("/")[0])
        if letter == "s":
            return f"structure of {size} bytes"
        return _DTYPES.get(self.kind) or f"{'u' * (letter == 'u')}int{8 * size}"


@dataclass(frozen=True)
class MappedArray:
    """An array's place: its data are `bytes` at `offset`, and `flags`, if not None, is where its written cells are."""

    name: str
    array: NDArray[Any]
    source: Uninitialised | None
    writable: bool
    offset: int
    flags: int | None


@dataclass(frozen=True)
class MemoryLayout:
    """Layout of a launch's memory: the buffers, the argument words for the worker, the number of bytes."""

    buffers: tuple[MappedArray, ...]
    words: tuple[str, ...]
    bytes: int


def lay_out(kernel: str, parameters: Sequence[KernelParameter], arguments: Sequence[object]) -> MemoryLayout:
    """Give each array a place and each number its bytes. Raises LngenError for an argument that does not fit."""
    if len(arguments) != len(parameters):
        wanted = ", ".join(parameter.name for parameter in parameters)
        raise LngenError(f"{kernel} takes {len(parameters)} arguments ({wanted}), and was given {len(arguments)}")
    words: list[str] = []
    buffers: dict[tuple[int, int], MappedArray] = {}
    end = 0
    for parameter, argument in zip(parameters, arguments, strict=True):
        if not parameter.pointer:
            words.append("v " + _number(kernel, parameter, argument).hex())
            continue
        if argument is None:
            words.append("n")
            continue
        array, source, start = _array(kernel, parameter, argument)
        key = (array.__array_interface__["data"][0], array.nbytes)
        # An array that is passed twice is one buffer; arrays of no bytes share nothing.
        known = buffers.get(key) if array.nbytes else None
        if known is None:
            offset = _aligned(end + _BAND)
            end = offset + array.nbytes + _BAND
            flags = None
            if source is not None:
                flags = end
                end += source.written.nbytes
            buffer = MappedArray(parameter.name, array, source, not parameter.constant, offset, flags)
        else:
            buffer = known
            if not parameter.constant:
                buffer = MappedArray(known.name, known.array, known.source, True, known.offset, known.flags)
        buffers[key if array.nbytes else (id(parameter), 0)] = buffer
        words.append(f"p {buffer.offset - start * array.itemsize}")
    _no_overlap(kernel, list(buffers.values()))
    return MemoryLayout(tuple(buffers.values()), tuple(words), end)


def write(layout: MemoryLayout, memory: NDArray[np.uint8]) -> None:
    """Put the arrays into the device's memory, and bands around them."""
    memory[: layout.bytes] = _IN_BANDS
    for buffer in layout.buffers:
        memory[buffer.offset :][: buffer.array.nbytes] = _bytes_of(buffer.array)
        if buffer.source is not None and buffer.flags is not None:
            memory[buffer.flags :][: buffer.source.written.size] = buffer.source.written


def read_back(layout: MemoryLayout, memory: NDArray[np.uint8], checked: bool) -> None:
    """Copy the kernel's results from the device's memory."""
    for buffer in layout.buffers:
        if not buffer.writable:
            continue
        _bytes_of(buffer.array)[:] = memory[buffer.offset :][: buffer.array.nbytes]
        if buffer.source is not None and buffer.flags is not None:
            # Without the checker nobody knows what was written, so nothing is held against later reads.
            size = buffer.source.written.size
            buffer.source.written[:] = memory[buffer.flags :][:size] if checked else 1


def overruns(layout: MemoryLayout, memory: NDArray[np.uint8]) -> tuple[Finding, ...]:
    """A finding for each buffer in whose bands something was written."""
    found = []
    for buffer in layout.buffers:
        first, last = buffer.offset - _BAND, buffer.offset + buffer.array.nbytes
        for start in (first, last):
            changed = np.flatnonzero(memory[start : start + _BAND] != _IN_BANDS)
            if changed.size:
                at = start + int(changed[0]) - buffer.offset
                found.append(written_beyond(buffer.name, at, buffer.array.nbytes))
    return tuple(found)


def region_words(layout: MemoryLayout) -> tuple[str, ...]:
    """The words that tell the worker which memory the kernel may touch."""
    return tuple(
        f"{b.offset} {b.array.nbytes} {b.array.itemsize} {-1 if b.flags is None else b.flags} {b.name.encode().hex()}"
        for b in layout.buffers
    )


def _array(kernel: str, parameter: KernelParameter, argument: object) -> tuple[NDArray[Any], Uninitialised | None, int]:
    source = argument if isinstance(argument, Uninitialised) else None
    start = argument.start if isinstance(argument, Window) else 0
    array = argument.array if isinstance(argument, (Uninitialised, Window)) else argument
    if not isinstance(array, np.ndarray):
        raise LngenError(f"{kernel}: {parameter} was given a {type(argument).__name__}; pass a NumPy array")
    if not _fits(array.dtype, parameter.kind):
        raise LngenError(f"{kernel}: {parameter} was given an array of {array.dtype}")
    if not array.flags.c_contiguous:
        raise LngenError(f"{kernel}: {parameter} was given an array that is not contiguous; pass a copy")
    if not parameter.constant and not array.flags.writeable:
        raise LngenError(f"{kernel}: {parameter} is written by the kernel, and the array is read-only")
    return array, source, start


def _fits(dtype: np.dtype[Any], kind: str) -> bool:
    """Types of two bytes may come as integers of that size; void* and pointers to structs take anything."""
    if kind[0] in "vs" or dtype.name == _DTYPES.get(kind):
        return True
    if kind in ("h2", "b2"):
        return dtype in (np.dtype(np.uint16), np.dtype(np.int16))
    return dtype.kind in "iu" and dtype.kind + str(dtype.itemsize) == kind


def _number(kernel: str, parameter: KernelParameter, argument: object) -> bytes:
    fault = LngenError(f"{kernel}: {parameter} cannot be {argument!r}")
    try:
        if parameter.kind in ("b2", "h2") and isinstance(argument, np.generic) and argument.dtype.itemsize == 2:
            return argument.tobytes()
        if parameter.kind in _FLOATS:
            return struct.pack(_FLOATS[parameter.kind], float(argument))  # type: ignore[arg-type]
        if parameter.kind == "?1":
            return struct.pack("?", bool(argument))
        code = _INTEGERS.get((parameter.kind[0], int(parameter.kind[1:])))
        if code is not None and isinstance(argument, (int, np.integer)):
            return struct.pack(code, int(argument))
    except (TypeError, ValueError, OverflowError, struct.error):
        raise fault from None
    raise fault


def _bytes_of(array: NDArray[Any]) -> NDArray[np.uint8]:
    return array.reshape(-1).view(np.uint8)


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNMENT) * _ALIGNMENT


def _no_overlap(kernel: str, buffers: Sequence[MappedArray]) -> None:
    ends = [(b.array.__array_interface__["data"][0], b) for b in buffers if b.array.nbytes]
    ends.sort(key=lambda pair: pair[0])
    for (address, one), (following, other) in itertools.pairwise(ends):
        if following < address + one.array.nbytes:
            raise LngenError(
                f"{kernel}: the arrays of {one.name} and {other.name} overlap; pass one array, or two apart"
            )
