"""Shared memory of multiprocessors, by the architectures that kernels are compiled for."""

from __future__ import annotations

from typing import NamedTuple


class Multiprocessor(NamedTuple):
    """Bytes of shared memory of a multiprocessor, of which the system reserves some in each block."""

    shared: int = 228 * 1024
    reserved: int = 1024

    @property
    def block_shared(self) -> int:
        """Bytes of shared memory that a block may take."""
        return self.shared - self.reserved


MULTIPROCESSORS = {
    "sm_75": Multiprocessor(64 * 1024, reserved=0),
    **dict.fromkeys(("sm_80", "sm_87"), Multiprocessor(164 * 1024)),
    **dict.fromkeys(("sm_86", "sm_89", "sm_120", "sm_121"), Multiprocessor(100 * 1024)),
    **dict.fromkeys(("sm_90", "sm_100", "sm_103", "sm_110"), Multiprocessor()),
}
