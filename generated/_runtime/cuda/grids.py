# SPDX-License-Identifier: MIT
"""Grid sizes: as many blocks as a device holds at a time, each of which takes several runs of rows."""

from dataclasses import dataclass

_WARP = 32
_REGISTERS_AT_A_TIME = 256
"""A warp is given registers in units of so many."""
_QUARTERS = 4
"""Parts that a multiprocessor's registers and warps are split into."""


@dataclass(frozen=True)
class Multiprocessor:
    """Capacity of a multiprocessor: threads, registers of 4 bytes, bytes of shared memory, blocks.

    The system reserves `reserved` bytes of shared memory in each block. Defaults are those of compute capability 9.0.
    """

    threads: int = 2048
    registers: int = 65536
    shared: int = 228 * 1024
    blocks: int = 32
    reserved: int = 1024

    @property
    def block_shared(self) -> int:
        """Bytes of shared memory that a block may take."""
        return self.shared - self.reserved


_LARGE, _SMALL = Multiprocessor(), Multiprocessor(1536, 65536, 100 * 1024, 24)

MULTIPROCESSORS = {
    "sm_75": Multiprocessor(1024, 65536, 64 * 1024, 16, reserved=0),
    "sm_80": Multiprocessor(shared=164 * 1024),
    "sm_86": Multiprocessor(1536, 65536, 100 * 1024, 16),
    "sm_87": Multiprocessor(1536, 65536, 164 * 1024, 16),
    "sm_89": _SMALL,
    **dict.fromkeys(("sm_90", "sm_100", "sm_103"), _LARGE),
    "sm_110": Multiprocessor(threads=1536, blocks=24),
    **dict.fromkeys(("sm_120", "sm_121"), _SMALL),
}
"""Multiprocessors by architecture, for the architectures that kernels are compiled for."""


def resident(threads: int, registers: int, shared_bytes: int, multiprocessor: Multiprocessor) -> int:
    """Return the number of blocks of a kernel that a multiprocessor holds at a time; 0 if not even one.

    `threads` counts the threads of a block, `registers` the registers of a thread, `shared_bytes` the shared memory of
    a block.

    >>> resident(128, 40, 0, Multiprocessor()), resident(128, 80, 0, Multiprocessor())
    (12, 6)
    >>> resident(1024, 64, 100_000, Multiprocessor()), resident(1024, 65, 0, Multiprocessor())
    (1, 0)
    """
    warps = -(-threads // _WARP)
    of_a_warp = -(-max(registers, 1) * _WARP // _REGISTERS_AT_A_TIME) * _REGISTERS_AT_A_TIME
    if -(-warps // _QUARTERS) * _QUARTERS * of_a_warp > multiprocessor.registers:
        return 0
    return min(
        multiprocessor.blocks,
        multiprocessor.threads // (warps * _WARP),
        multiprocessor.registers // _QUARTERS // of_a_warp * _QUARTERS // warps,
        multiprocessor.shared // (shared_bytes + multiprocessor.reserved),
    )


def shared_percent(shared_bytes: int, resident: int, multiprocessor: Multiprocessor) -> int:
    """Return the percentage of a multiprocessor's shared memory that its blocks take.

    >>> shared_percent(100_000, 2, Multiprocessor()), shared_percent(232_448, 1, Multiprocessor())
    (87, 100)
    """
    return -(-100 * resident * (shared_bytes + multiprocessor.reserved) // multiprocessor.shared)


def grid(rows: int, rows_per_block: int, processors: int, resident: int) -> int:
    """Return the number of blocks for some rows: as many as a device holds, or fewer that take as many trips.

    A block takes `rows_per_block` rows in each trip until no rows are left. If the last trip would leave some blocks
    idle, fewer blocks are as fast and leave fewer partial sums.

    >>> grid(100, 1, 132, 6), grid(2000, 1, 132, 6), grid(2000, 4, 132, 6), grid(10**6, 1, 132, 6)
    (100, 667, 500, 792)
    """
    needed = -(-rows // rows_per_block)
    trips = -(-needed // (processors * max(resident, 1)))
    return -(-needed // max(trips, 1))


def fullest_grid(rows: int, rows_per_block: int, processors: int, resident: int) -> int:
    """Return the number of blocks for some rows, where blocks leave nothing behind: as many as a device holds.

    Multiprocessors then differ by a row or two, and not by the rows of a whole block.

    >>> fullest_grid(100, 1, 132, 6), fullest_grid(2000, 1, 132, 6), fullest_grid(2000, 4, 132, 6)
    (100, 792, 500)
    """
    return min(-(-rows // rows_per_block), processors * max(resident, 1))


def blocks_of_run(run: int, rows_per_block: int, runs: int, blocks: int) -> int:
    """Return the number of blocks that share a run of rows, where a device is to have so many blocks in all.

    >>> blocks_of_run(4096, 4, runs=32, blocks=660), blocks_of_run(16, 4, runs=8192, blocks=660)
    (21, 1)
    """
    return min(-(-run // rows_per_block), -(-blocks // runs))


def columns_grid(features: int, columns_per_block: int) -> int:
    """Return the number of blocks that end the sums over rows; if `columns_per_block` is 0, one takes all columns.

    >>> columns_grid(1000, 32), columns_grid(1000, 0)
    (32, 1)
    """
    return -(-features // columns_per_block) if columns_per_block else 1
