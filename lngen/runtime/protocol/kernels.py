# SPDX-License-Identifier: MIT
"""Kernels of a direction and the values that they take, on a GPU and on the processor alike."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, eq=False)
class KernelTable:
    """Kernels of a direction, which are in a file of the name `source`, with the suffix of each device.

    `kernels` lists the values that each kernel takes: a name, "out" and a result that it writes, "saved" and a row
    scalar, or "the rows". The results in `zeros` are always zero. `sums` counts the partial sums over rows that a block
    leaves, of columns and of scalars.
    """

    source: str
    kernels: Mapping[str, str]
    zeros: tuple[str, ...] = ()
    sums: tuple[int, int] = (0, 0)
