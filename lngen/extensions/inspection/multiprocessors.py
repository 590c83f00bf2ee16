"""Multiprocessors of architectures, and how many blocks of a kernel one holds, for machines without the device."""

from __future__ import annotations

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
