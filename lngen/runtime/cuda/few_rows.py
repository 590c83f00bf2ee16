# SPDX-License-Identifier: MIT
"""Few rows: calls whose sums over rows are ended by the kernel of the rows, so that no second one is launched.

One block has all rows, or the blocks of one cluster (few_rows.cuh). That takes longer than the same work on all
multiprocessors, and is over sooner than the start of another kernel, up to a bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from .arrays import BYTES

if TYPE_CHECKING:
    from .calls import DeviceLayer, KernelKey
    from .devices import Device
    from .ready import TargetDevice

FEW_ROWS = "LNGEN_FEW_ROWS"
"""Macro of the kernel for few rows: the blocks that have them all."""

ENTRIES_OF_BLOCK = 16384
"""Entries of rows that a block reads and writes at the most.

Simulated, layer norm's backward takes 400 cycles more for each row of 1024 after the first one of a block. A second
kernel whose blocks run all at once takes 1000, and its start is taken to last as long. With the bound, a block has five
such rows. No GPU has been timed, and no cluster simulated.
"""

ROWS_OF_BLOCK = 32
"""Rows of a block at the most, however short: a trip over 16 of them takes 800 cycles."""

SHARE_OF_SUMS = 3
"""The sums over rows take at most one part in so many of a block's shared memory, beside what rows take there."""


def has_kernel_of_few(layer: DeviceLayer, wanted: KernelKey, device: Device | TargetDevice) -> bool:
    """Test whether there is a kernel for few rows: some sum over them is wanted, and all have room in a block's shared
    memory.

    Sums over runs of rows, into results whose rows share a place, are ended by a kernel of their own.
    """
    table = layer.directions[wanted.direction]
    ends = [each.split(", ") for each in [*table.kernels.values()][1:]]
    if not device.ends_few_rows or wanted.summed or not any(ends_sums(each, wanted.without) for each in ends):
        return False
    computed = layer.computed(wanted.row_type, wanted.parameter_type)
    return have_room(table.sums[0], wanted.features, BYTES[computed], device.block_shared)


def have_room(sums: int, features: int, itemsize: int, block_shared: int) -> bool:
    """Test whether a block has room for so many sums over rows of each column."""
    return SHARE_OF_SUMS * sums * features * itemsize <= block_shared


def ends_sums(parts: Iterable[str], without: Sequence[str]) -> bool:
    """Test whether a kernel that takes these values writes a sum over rows; all may belong to absent inputs."""
    results = [part.removeprefix("out ") for part in parts if part.startswith("out ")]
    return any(name.removeprefix("d") not in without for name in results)


def are_few(rows: int, features: int, tensors: int, computed: str, blocks: int) -> bool:
    """Test whether rows are few enough for so many blocks, given the tensors of rows that are read and written.

    A block with one row takes as long as any other. Of doubles it has no more: some devices have few units for them.

    >>> are_few(42, 1024, 3, "f32", 8), are_few(43, 1024, 3, "f32", 8), are_few(8, 100_000, 3, "f64", 8)
    (True, False, True)
    """
    if rows <= blocks or computed == "f64":
        return rows <= blocks
    return rows <= ROWS_OF_BLOCK * blocks and rows * features * tensors <= ENTRIES_OF_BLOCK * blocks
