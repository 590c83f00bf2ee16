"""Time of a warp for a trip over its rows, alone, and the loads that it has in flight.

Instructions are issued in order, one a clock, each when its operands are ready. The latencies are those of arithmetic,
shared memory and shuffles on sm_80 to sm_90 (Luo et al., 2024, arXiv:2402.13499, table of instruction latencies). A
barrier costs the time that a warp waits for the others of its block once all have come.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lngen.extensions.inspection.counting import Trips, kind
from lngen.extensions.inspection.listing import Block, Instruction, Loop
from lngen.extensions.inspection.registers import used

_CLOCKS = {
    "floating point": 4,
    "conversion": 5,
    "integer": 5,
    "function": 21,
    "shuffle": 24,
    "control": 1,
    "barrier": 1,
}
_SHARED = 29
_DOUBLE = 16
_BARRIER = 30
_CACHED = 250
"""Clocks of a load from a cache: parameters."""
_LONG = 100
"""A wait of so many clocks is one for memory."""
_TRIPS = 4
"""Trips until the overlap with the next one is steady."""


@dataclass
class _Warp:
    """Warp on its way: the clock at which each register is ready, the bytes in flight, and its progress.

    Bytes in flight were requested and not yet waited for: `flying` by the registers that loads write, `groups` of
    copies by the clock at which each is complete. A busy memory may take until then, even if one at rest would answer
    earlier.
    """

    latency: float
    beside: float
    clock: float = 0.0
    ready: dict[str, float] = field(default_factory=dict)
    flying: dict[tuple[str, ...], int] = field(default_factory=dict)
    open_group: int = 0
    groups: list[tuple[float, int]] = field(default_factory=list)
    most: int = 0
    issued: int = 0
    since: float = 0.0

    def step(self, instruction: Instruction) -> None:
        written, read = used(instruction)
        start = self.clock + 1
        for name in (*read, *written):
            start = max(start, self.ready.get(name, 0.0))
        if instruction.opcode == "DEPBAR" and "LE" in instruction.modifiers:
            still = int(instruction.operands[1], 0)
            done = max(len(self.groups) - still, 0)
            start = max([start, *(there for there, _ in self.groups[:done])])
            del self.groups[:done]
        if start - self.clock > _LONG:
            self.issued, self.since = 0, start
        self.clock = start
        self.issued += 1
        there = start + self._latency(instruction)
        for name in written:
            self.ready[name] = there
        touched = {*written, *read}
        self.flying = {names: size for names, size in self.flying.items() if touched.isdisjoint(names)}
        self._fly(instruction, written)
        if instruction.opcode == "BAR":
            self.arrive()
            self.clock += _BARRIER

    def arrive(self) -> None:
        """Wait for the other warps of the block, that the scheduler issues for in turn."""
        self.clock = max(self.clock, self.since + self.issued * self.beside)
        self.issued, self.since = 0, self.clock

    def _fly(self, instruction: Instruction, written: tuple[str, ...]) -> None:
        opcode = instruction.opcode
        if opcode == "LDGSTS":
            self.open_group += instruction.bytes
        elif opcode == "LDGDEPBAR":
            self.groups.append((self.clock + self.latency, self.open_group))
            self.open_group = 0
        elif opcode == "LDG":
            self.flying[written] = instruction.bytes
        if opcode in ("LDG", "LDGDEPBAR"):
            self.most = max(self.most, sum(self.flying.values()) + sum(size for _, size in self.groups))

    def _latency(self, instruction: Instruction) -> float:
        opcode = instruction.opcode
        if opcode in ("LDG", "LDGSTS", "ATOMG", "LD"):
            return _CACHED if "CONSTANT" in instruction.modifiers else self.latency
        if opcode in ("LDS", "LDL", "S2R", "S2UR", "LDC", "ULDC", "LDCU"):
            return _SHARED
        if opcode in ("DADD", "DMUL", "DFMA", "DSETP", "DMNMX"):
            return _DOUBLE
        return _CLOCKS.get(kind(instruction), 5)


@dataclass(frozen=True)
class Walk:
    """Clocks of a trip and of work that is done once, and the most bytes in flight of a thread, loads and copies."""

    trip: float
    once: float
    in_flight: int


def walk(work: Trips, latency: float, warps_of_a_block: int) -> Walk:
    """A warp's way through a kernel. `latency` of a load is in clocks."""
    warp = _Warp(latency, max(1.0, warps_of_a_block / 4))
    _through(warp, work, list(work.before))
    started = warp.clock
    times: list[float] = []
    for _ in range(_TRIPS):
        begun, warp.most = warp.clock, 0
        _through(warp, work, work.trip.parts)
        warp.arrive()
        times.append(warp.clock - begun)
    ended = warp.clock
    most = warp.most
    _through(warp, work, list(work.after))
    return Walk(times[-1], started + times[0] - times[-1] + warp.clock - ended, most)


def _through(warp: _Warp, work: Trips, parts: list[Block | Loop]) -> None:
    for part in parts:
        if isinstance(part, Loop):
            trips = work.inner(part)
            for _ in range(min(trips, 2)):
                begun, opened = warp.clock, warp.open_group
                _through(warp, work, part.parts)
            warp.clock += max(trips - 2, 0) * (warp.clock - begun)
            warp.open_group += max(trips - 2, 0) * (warp.open_group - opened)
        else:
            for instruction in _executed(part):
                warp.step(instruction)


def _executed(block: Block) -> Iterator[Instruction]:
    if not block.is_exceptional:
        yield from block.instructions
