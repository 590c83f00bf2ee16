"""Architectures of the model, each represented by one device, with sources.

Bandwidths and numbers of multiprocessors are from NVIDIA's data sheets and white papers: A100 Tensor Core GPU
Architecture (A100 80GB SXM), H200 Tensor Core GPU (SXM; the H100 SXM has the same multiprocessors and 3.35 TB/s),
Blackwell B200 (of HGX B200), GeForce RTX 5090. The CUDA C++ Programming Guide has the sizes of registers, shared
memory, threads and blocks in "Technical specifications per compute capability". Its "Throughput of native arithmetic
instructions" has the rates of double precision.

The latency is that of a load while the memory is busy: 600 ns on HBM. Microbenchmarks of a memory at rest find 466
clocks on A100 and 479 on H100 (Luo et al., 2024, arXiv:2402.13499). The rest is the delay in the memory's queues at
nine tenths of its bandwidth.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass

from lngen.errors import LngenError, printable
from lngen.extensions.inspection.multiprocessors import MULTIPROCESSORS, Multiprocessor
from lngen.runtime.cuda.driver import MOST_BLOCKS_OF_CLUSTER
from lngen.runtime.cuda.macros import FEWEST_SHARED

REACHED = 0.92
"""The share of its bandwidth on paper that a memory gives to a copy."""


@dataclass(frozen=True)
class Architecture:
    """An architecture and a device of it.

    `bandwidth` is in bytes a second on paper, `latency` in seconds, `clock` in Hz. `doubles` are the results of double
    precision that a multiprocessor gives in a clock.
    """

    name: str
    device: str
    processors: int
    clock: float
    bandwidth: float
    latency: float
    multiprocessor: Multiprocessor
    doubles: float

    @property
    def block_shared(self) -> int:
        """Bytes of shared memory that a block may take."""
        return self.multiprocessor.block_shared

    def blocks_per_row(self, features: int) -> int:
        """Return the most blocks that share a row of so many entries, as a cluster."""
        has_clusters = int(self.name.removeprefix("sm_")) >= 90
        return MOST_BLOCKS_OF_CLUSTER if has_clusters and features >= FEWEST_SHARED else 1

    @property
    def bytes_a_clock(self) -> float:
        """Bytes that a copy moves in a clock for one multiprocessor."""
        return REACHED * self.bandwidth / self.processors / self.clock

    @property
    def latency_clocks(self) -> float:
        """The latency of a load, in clocks."""
        return self.latency * self.clock

    @property
    def bytes_wanted(self) -> float:
        """Bytes in flight that keep the memory busy, for one multiprocessor, by Little's law.

        The bytes in flight are the rate times the time of each byte: bandwidth * latency, over the multiprocessors.

        >>> round(architecture("sm_90").bytes_wanted)
        21818
        """
        return self.bandwidth * self.latency / self.processors


_FOUND = {
    name: Architecture(name, device, processors, clock, bandwidth, latency, MULTIPROCESSORS[name], doubles)
    for name, device, processors, clock, bandwidth, latency, doubles in (
        ("sm_80", "A100 80GB", 108, 1.41e9, 2.039e12, 600e-9, 32),
        ("sm_90", "H200", 132, 1.98e9, 4.8e12, 600e-9, 64),
        ("sm_100", "B200", 148, 1.965e9, 8.0e12, 700e-9, 64),
        ("sm_120", "RTX 5090", 170, 2.407e9, 1.792e12, 500e-9, 2),
    )
}

NAMES = tuple(_FOUND)
"""The architectures that the model knows."""


def architecture(name: str) -> Architecture:
    """An architecture by its name, such as `sm_90`. Raises LngenError for another.

    >>> architecture("sm_100").device
    'B200'
    """
    found = _FOUND.get(name.strip().lower())
    if found is None:
        near = difflib.get_close_matches(name, NAMES, n=1)
        suggestion = f" Did you mean {near[0]}?" if near else ""
        raise LngenError(f"--arch {printable(name)!r} is not known; it is one of {', '.join(NAMES)}.{suggestion}")
    return found
