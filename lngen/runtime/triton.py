# SPDX-License-Identifier: MIT
"""Sizes of Triton kernels: rows and entries of a tile, warps of a program, programs of a multiprocessor.

They depend on the length of a row, the type that is computed in and the arrays of the kernel, never on the number of
rows: the bits of a row do not depend on the rows beside it. Nothing is tuned as it runs, which would move bits.
"""

from functools import cache
from typing import NamedTuple


class Sizes(NamedTuple):
    """Sizes of a kernel; with `WHOLE` a tile has all entries of a row."""

    ROWS: int
    TILE: int
    WHOLE: bool
    num_warps: int
    programs: int


@cache
def sizes(D: int, itemsize: int, held: int, sums: int, lanes: int = 32) -> Sizes:
    """Return the sizes for rows of D entries, computed in numbers of so many bytes.

    A program reads and writes `held` arrays of rows, and keeps `sums` over rows. A thread has 16 entries, or
    8 of many arrays, and a program 2048 or a row.

    >>> sizes(1024, 4, 2, 0)
    Sizes(ROWS=2, TILE=1024, WHOLE=True, num_warps=4, programs=16)
    >>> sizes(40000, 4, 3, 2)
    Sizes(ROWS=4, TILE=512, WHOLE=False, num_warps=8, programs=4)
    """
    row, many = max(4, 1 << (D - 1).bit_length()), held + sums > 5
    # Words of 32 bits that registers have room for, beside what is computed of them.
    if row * (held + sums) * itemsize > (24 if many else 40) * 4096 or row > 16384:
        # Sums lie in memory, which several rows at a time are added to at once.
        return Sizes(4, 512, False, 256 // lanes, 4) if sums else Sizes(1, 2048, False, 256 // lanes, 8)
    rows = max(1, 2048 // row)
    threads = max(128, rows * row // (8 if many else 16))
    return Sizes(rows, row, True, threads // lanes, max(1, 8192 // (rows * row)) if sums else 2048 // threads)
