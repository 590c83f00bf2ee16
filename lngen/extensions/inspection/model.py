"""Model of a kernel's speed, from its machine code and its launch: it ranks designs and predicts no time.

A multiprocessor holds some blocks at a time, and each makes trips over its rows. For a trip of all of them there are
three times, in clocks:

* **memory**: the bytes that have to move, over the bytes that a copy moves for a multiprocessor in a clock; bytes that
  go no further than the second cache count for a part;
* **issue**: the warp instructions, over the four that are issued in a clock, or those of a kind over the throughput of
  their unit, if that is more. (CUDA C++ Programming Guide, "Arithmetic instructions", throughput of native ones.)
* **latency**: the time of a trip of one block alone. It is the time of the loads, then of shuffles, barriers and chains
  of sums, then of its bytes, which arrive all at once. This is Little's law: bytes in flight over the time in which
  they are in flight, computing included.

The longest is the limit. Waiting for memory and using it overlap only in part, since the blocks of a multiprocessor run
in step: both times are added as a norm of order `ORDER`. Issuing overlaps with both, and counts where it takes longer.
`tests/extensions/inspection/test_model.py` compares the constants with a timing simulator, by the order in which both
rank its kernels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from lngen.extensions.inspection.architectures import Architecture

ISSUED_A_CLOCK = 4.0
"""Warp instructions that a multiprocessor issues in a clock: it has four schedulers."""

LANES_A_CLOCK: Mapping[str, float] = {
    "floating point": 128.0,
    "function": 16.0,
    "conversion": 64.0,
    "integer": 96.0,
    "memory": 32.0,
    "shuffle": 32.0,
}
"""Results of a multiprocessor's units in a clock; integer operations share two units.

Those of double precision are the architecture's.
"""

ORDER = 2.0
"""Order of the norm that adds waiting for memory to using it: 1 is their sum, infinity the longer of the two."""

IN_THE_WAY = 1.3
"""Factor by which other blocks slow down a trip."""

AT_ONCE = 20.0
"""Bytes that a multiprocessor moves in a clock for a block alone, whose accesses come all at once."""

BEYOND = 0.1
"""Cost of a byte that goes through the second cache only, relative to one of memory."""

LIMITS = ("memory", "issue", "latency")


@dataclass(frozen=True)
class KernelFacts:
    """Input of the model for a kernel.

    A multiprocessor holds `blocks` blocks of `threads` threads at a time. A trip of one block takes `entries` row
    entries. For each entry, `bytes` have to move, and `moved` do, caches included. `instructions` are a warp's in a
    trip, by kind. `once` are those before and after all trips, in which `moved_once` bytes move for a block. `trip` and
    `start` are the clocks of both for a block alone. `in_flight` are bytes that a thread loads before it waits.
    """

    threads: int
    blocks: int
    entries: float
    bytes: float
    moved: float
    instructions: Mapping[str, float]
    once: float
    moved_once: float
    trip: float
    start: float
    in_flight: float

    @property
    def warps(self) -> float:
        """The warps of a multiprocessor."""
        return self.threads * self.blocks / 32

    @property
    def bytes_in_flight(self) -> float:
        """Bytes of loads that a multiprocessor has in flight at most."""
        return self.in_flight * self.threads * self.blocks

    @property
    def an_entry(self) -> dict[str, float]:
        """Instructions for an entry of a row, by kind: a warp's count as 32."""
        return {kind: count * self.threads / self.entries for kind, count in self.instructions.items()}


@dataclass(frozen=True)
class Expectation:
    """Clocks of a trip of all blocks of a multiprocessor by each limit, and those of a copy of as many bytes.

    `idle` is the factor by which idle blocks in the last trip lengthen the whole: 1 if there are none.
    """

    copy: float
    memory: float
    issue: float
    latency: float
    idle: float

    @property
    def together(self) -> float:
        """The clocks that are expected."""
        waiting = math.pow(math.pow(self.memory, ORDER) + math.pow(self.latency, ORDER), 1 / ORDER)
        return self.idle * max(self.issue, waiting)

    @property
    def share(self) -> float:
        """The share of a copy's speed that is expected, at most 1."""
        return min(1.0, self.copy / self.together)

    @property
    def limit(self) -> str:
        """Return the name in `LIMITS` of the longest time."""
        return max(LIMITS, key=lambda name: float(getattr(self, name)))


def expected(facts: KernelFacts, architecture: Architecture, trips: float = math.inf) -> Expectation:
    """Return the expectation for a number of trips of each block; if infinite, work outside of trips does not count.

    >>> from lngen.extensions.inspection.architectures import architecture
    >>> facts = KernelFacts(128, 4, 4096, 4, 4, {"floating point": 100.0}, 0, 0, 2000, 0, 64)
    >>> found = expected(facts, architecture("sm_90"))
    >>> found.limit, round(found.issue)
    ('memory', 400)
    """
    whole = facts.blocks * facts.entries * facts.bytes
    beyond = facts.blocks * (facts.entries * (facts.moved - facts.bytes) + facts.moved_once / trips)
    lanes = {**LANES_A_CLOCK, "double precision": architecture.doubles}
    units = [facts.warps * 32 * facts.instructions.get(kind, 0.0) / each for kind, each in lanes.items()]
    issued = facts.warps * (math.fsum(facts.instructions.values()) + facts.once / trips) / ISSUED_A_CLOCK
    return Expectation(
        copy=whole / architecture.bytes_a_clock,
        memory=(whole + BEYOND * beyond) / architecture.bytes_a_clock,
        issue=max([issued, *units]),
        latency=IN_THE_WAY * (facts.trip + facts.start / trips) + facts.entries * facts.bytes / AT_ONCE,
        idle=math.ceil(trips) / trips if math.isfinite(trips) else 1.0,
    )
