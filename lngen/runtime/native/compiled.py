# SPDX-License-Identifier: MIT
"""Compiled kernels of a direction, called by ctypes with the addresses of arrays, whatever library these are of.

A kernel is a C function:

    void kernel(void* const* arrays, const double* numbers, const long long* sizes);

It works on some of the chunks that rows are cut into. How many there are goes by the shape alone, so that results have
the same bits for any number of threads.
"""

import ctypes
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from struct import Struct
from typing import Any

import numpy as np
import numpy.typing as npt

from . import compiler as host_compiler
from . import threads as host_threads
from .memory import room

COMPUTED = {"f16": "f32", "bf16": "f32", "f32": "f32", "f64": "f64"}
"""The compute type of rows by the type that they are stored in. Parameters have it too, or else the type of rows of 16
bits: such rows are called "f16_f16" and "bf16_bf16".
"""

CHUNKS = 16
"""Largest number of chunks of the rows, which threads share."""

CHUNK_ENTRIES = 1 << 15
"""Smallest number of entries in a chunk; for fewer, one thread is as fast as two."""

CHUNK_ROWS, FEW_CHUNKS = 32, 4
"""Smallest number of rows in a chunk that has partial sums over rows, if there are more than FEW_CHUNKS."""

LINE = 16
"""Entries that the arrays of a workspace are a multiple of: as in host_rows.h."""

MOST_FEATURES = 1 << 30
"""Largest number of entries of a row: kernels count columns by `int`, a piece of a row beyond the last one."""

STREAMED_BYTES = 1 << 25
"""The size of a result from which it bypasses the cache, which would not keep it."""

KEPT_ROWS = 1 << 16
"""The most rows whose starts are kept from call to call."""

HELD_ENTRIES = 1 << 13
"""Most entries of rows during which other threads of Python wait: they would begin when such a call is done, and to get
the interpreter back from one that computes takes five milliseconds.
"""

_BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8}
_POINTERS = ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p
_HELD, _RELEASED = ctypes.PYFUNCTYPE(None, *_POINTERS), ctypes.CFUNCTYPE(None, *_POINTERS)
_sizes = Struct("7q").pack

Call = Callable[..., None]


@lru_cache(maxsize=256)
def _packer(kind: str, count: int) -> Callable[..., bytes]:
    return Struct(f"{count}{kind}").pack


class CompiledDirection(dict[tuple[Any, ...], "CompiledKernels"]):
    """Kernels of a direction: one that works on rows, and `ends`, which adds up the `sums` over rows that it leaves.

    `self[stored, *is_absent]` are those for rows of a type ("f32", "f64", "bf16", "f16", or one with the type of
    parameters, as in `COMPUTED`) and a flag for each value in `optional`, True if it is left out; a tuple of further
    macros may follow. Kernels are compiled on first use, with these `macros` besides. `file` is one beside the source;
    `sums` counts those with a value per feature, and the others.
    """

    def __init__(
        self,
        file: str,
        source: str,
        kernel: str,
        ends: str = "",
        *,
        optional: Sequence[str] = (),
        sums: tuple[int, int] = (0, 0),
        macros: Sequence[str] = (),
    ) -> None:
        self.own = macros
        self.source, self.names = Path(file).parent / f"{source}.cpp", [kernel, *filter(None, [ends])]
        self.optional, self.sums, self.has_sums = optional, sums, any(sums)

    def __missing__(self, key: tuple[Any, ...]) -> "CompiledKernels":
        stored, *is_absent = key
        macros: Sequence[str] = is_absent.pop() if is_absent and isinstance(is_absent[-1], tuple) else ()
        absent = [name for name, is_left_out in zip(self.optional, is_absent, strict=True) if is_left_out]
        found = self[key] = self.compiled((*self.macros(stored, absent), *macros))
        return found

    def macros(self, stored: str, absent: Iterable[str] = ()) -> tuple[str, ...]:
        """Return the macros of the source, for rows of a type and values that are left out.

        >>> CompiledDirection("cpu_backend.py", "kernels", "rms_forward").macros("bf16", ["beta"])
        ('LNGEN_ROWS=bf16', 'LNGEN_COMPUTED=f32', 'LNGEN_WITHOUT_beta')
        """
        rows, _, parameters = stored.partition("_")
        without = [f"LNGEN_WITHOUT_{name}" for name in sorted(absent)]
        others = [f"LNGEN_PARAMETERS={parameters}"] if parameters else []
        return f"LNGEN_ROWS={rows}", f"LNGEN_COMPUTED={COMPUTED[rows]}", *others, *without, *self.own

    def compiled(self, macros: Sequence[str]) -> "CompiledKernels":
        """Return the kernels with some macros, the first two of which are the types of `macros`."""
        library = host_compiler.library(self.source, macros)
        stored, computed = (macro.partition("=")[2] for macro in macros[:2])
        addresses = [library.address(name) for name in self.names]
        return CompiledKernels(addresses, self.sums, _BYTES[stored], _BYTES[computed])


class CompiledKernels:
    """Loaded kernels, for rows stored in `stored` bytes an entry and computed in `computed`."""

    def __init__(self, addresses: Sequence[int], sums: tuple[int, int], stored: int, computed: int) -> None:
        self.held = [_HELD(address) for address in addresses]
        self.released = [_RELEASED(address) for address in addresses]
        self.has_sums, self.columns, self.scalars = any(sums), 2 * sums[0], sums[1]
        self.stored, self.computed = stored, computed
        own = self.has_sums, self.columns, self.scalars, computed
        rule = CHUNKS, FEW_CHUNKS, CHUNK_ROWS, CHUNK_ENTRIES, HELD_ENTRIES, LINE
        self.native = Struct("2P10q").pack(*(*addresses, 0)[:2], *own, *rule)  # `struct kernels` of addresses.c

    def call(
        self,
        arrays: Sequence[int],
        numbers: Sequence[float],
        rows: int,
        D: int,
        threads: int = 1,
        ends: Sequence[int] = (),
        tables: Sequence[int] = (),
        run: int = 0,
    ) -> None:
        """Compute, with arrays by their addresses, 0 for one that is left out.

        `arrays` and `numbers` are those of the kernel that works on rows, in its order. `ends` are the arrays of the
        one that ends the sums; both get the workspace besides. host_places.h says what `tables` and `run` are.
        """
        chunks = 1 if rows * D <= CHUNK_ENTRIES >= D else self.chunks(rows, D)
        kernels = self.held if rows * D <= HELD_ENTRIES else self.released
        streams = rows * D * self.stored >= STREAMED_BYTES
        constants, sizes = _packer("d", len(numbers))(*numbers), _sizes(rows, D, chunks, 0, chunks, streams, run)
        if len(kernels) > 1:
            _memory, workspace = room(self.workspace(D, chunks) * self.computed)  # a name keeps it until the end
            arrays, ends = (*arrays, workspace) if self.has_sums else arrays, (workspace, *ends)
        pointers = _packer("P", len(arrays) + len(tables))(*arrays, *tables)
        if threads == 1 or chunks == 1:
            kernels[0](pointers, constants, sizes)
        else:

            def part(first: int, end: int) -> None:
                kernels[0](pointers, constants, _sizes(rows, D, chunks, first, end, streams, run))

            host_threads.run(part, chunks, threads)
        if len(kernels) > 1:
            # A kernel that was compiled for tables is passed those of all its arrays.
            ends = (*ends, *[0] * len(ends)) if tables else ends
            kernels[1](_packer("P", len(ends))(*ends), constants, sizes)

    __call__ = call

    def chunks(self, rows: int, D: int) -> int:
        """Return the number of chunks of the rows of a call."""
        if D > MOST_FEATURES:
            raise ValueError(f"rows have {D} entries, and kernels take 2**30 at most; numpy_backend takes any")
        most = max(FEW_CHUNKS, rows // CHUNK_ROWS) if self.has_sums else CHUNKS
        return max(1, min(CHUNKS, most, rows, rows * D // CHUNK_ENTRIES))

    def workspace(self, D: int, chunks: int) -> int:
        """Return the entries of memory for the sums of chunks: as in host_rows.h."""
        return chunks * (self.columns * (_in_lines(D) + LINE) + _in_lines(self.scalars)) + LINE


def row_starts(sizes: Sequence[int], steps: Sequence[int]) -> npt.NDArray[Any]:
    """Return the places at which rows start, along axes of some sizes, so many entries apart.

    >>> row_starts((2, 3), (6, 1))
    array([0, 1, 2, 6, 7, 8])
    """
    found = np.zeros(1, np.int64)
    for size, step in zip(sizes, steps, strict=True):
        found = np.add.outer(found, step * np.arange(size, dtype=np.int64)).reshape(-1)
    return found


def _in_lines(entries: int) -> int:
    """Round a number of entries up to whole cache lines."""
    return -(-entries // LINE) * LINE
