"""Number of executed instructions of a kernel for an entry of a row, by kind.

A kernel's code runs once before its rows, once for each trip of the loop over its rows, and once after. The loop over
the rows is recognized by the data that it moves. A loop inside it goes over the thread's part of a row, and makes as
many trips as the part needs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lngen.extensions.inspection.listing import Block, Instruction, Loop
from lngen.extensions.inspection.registers import used

KINDS = (
    "floating point",
    "double precision",
    "function",
    "conversion",
    "integer",
    "memory",
    "shuffle",
    "barrier",
    "control",
)
"""Kinds of instructions.

`function` is for the unit of roots, exponentials and the like. `conversion` includes packing and unpacking of halves,
in any unit.
"""

_CONTROL = ("BRA", "EXIT", "BSSY", "BSYNC", "WARPSYNC", "NOP", "CALL", "RET", "YIELD", "BRX", "JMP", "BREAK")
_BARRIERS = ("BAR", "SYNCS", "UCGABAR_ARV", "UCGABAR_WAIT", "DEPBAR", "MEMBAR", "ERRBAR", "FENCE", "LDGDEPBAR")
_MEMORY = ("LD", "ST", "ATOM", "RED", "ULDC", "UBLKCP", "CCTL")
_FLOATING = ("F", "HADD2", "HMUL2", "HFMA2", "HMNMX2", "HSET")
_CONVERSIONS = ("F2F", "F2FP", "F2I", "I2F", "I2FP", "F2IP", "FRND", "PRMT")


@dataclass(frozen=True)
class Access:
    """Accesses of an instruction such as `LDG` of so many bytes a thread."""

    opcode: str
    bytes: int


def kind(instruction: Instruction) -> str:
    """One of `KINDS`.

    >>> from lngen.extensions.inspection.listing import parsed
    >>> lines = ("FFMA R1, R2, R3, R4", "IMAD.U32 R1, R2, 0x10000, RZ", "BAR.SYNC 0x0")
    >>> [kind(parsed(f"/*0010*/ {line} ;")) for line in lines]
    ['floating point', 'conversion', 'barrier']
    """
    opcode = instruction.opcode
    if opcode == "MUFU":
        return "function"
    if opcode in _CONTROL:
        return "control"
    if opcode in _BARRIERS:
        return "barrier"
    if opcode.startswith(_MEMORY):
        return "memory"
    if opcode in ("SHFL", "REDUX", "CREDUX"):
        return "shuffle"
    if opcode in _CONVERSIONS or _moves_a_half(instruction):
        return "conversion"
    if opcode.startswith("D"):
        return "double precision"
    if opcode.startswith(_FLOATING):
        return "floating point"
    return "integer"


def _moves_a_half(instruction: Instruction) -> bool:
    """Test whether an instruction moves half a register to the upper half of a 32-bit number."""
    opcode, operands = instruction.opcode, instruction.operands
    if opcode == "HADD2":
        return "F32" in instruction.modifiers
    return (
        (opcode == "SHF" and operands[2:3] == ("0x10",))
        or (opcode == "IMAD" and "U32" in instruction.modifiers and "0x10000" in operands)
        or (opcode == "LOP3" and "0xffff0000" in operands)
    )


@dataclass(frozen=True)
class Trips:
    """Kernel cut into three parts: before its rows, a trip over rows, and after.

    `rows` is the number of rows of a block in a trip; a loop inside makes `inner(loop)` trips for a row.
    """

    before: tuple[Block | Loop, ...]
    trip: Loop
    after: tuple[Block | Loop, ...]
    entries: float
    itemsize: int

    def inner(self, loop: Loop) -> int:
        """Return the number of times that a loop inside a trip runs, for the thread's `entries` of a row."""
        together = _entries_at_a_time(loop, self.itemsize)
        return max(1, math.ceil(self.entries / together)) if together else 1

    def weighted(self, parts: tuple[Block | Loop, ...] | list[Block | Loop]) -> Iterator[tuple[Instruction, int]]:
        """The instructions of some parts, and how often each is executed."""
        for part in parts:
            if isinstance(part, Loop):
                times = self.inner(part)
                yield from ((instruction, times * count) for instruction, count in self.weighted(part.parts))
            elif not part.is_exceptional:
                yield from ((instruction, 1) for instruction in part.instructions)


def trips(code: Loop, entries: float, itemsize: int) -> Trips:
    """A kernel's code by trips. `entries` of a row are a thread's, each of `itemsize` bytes.

    Without a loop that moves anything, all of it is the trip.
    """
    loops = [(number, part) for number, part in enumerate(code.parts) if isinstance(part, Loop)]
    moving = [(_moved(part), number) for number, part in loops if _moved(part)]
    if not moving:
        return Trips((), code, (), entries, itemsize)
    _, chosen = max(moving)
    trip = code.parts[chosen]
    assert isinstance(trip, Loop)
    return Trips(tuple(code.parts[:chosen]), trip, tuple(code.parts[chosen + 1 :]), entries, itemsize)


def _moved(loop: Loop) -> int:
    """Bytes that come from memory, as rows do; a loop over rows may have loops inside, which count more."""
    own = sum(
        instruction.bytes
        for block in loop.blocks()
        for instruction in block.instructions
        if instruction.opcode in ("LDG", "LDGSTS")
    )
    return own * (1 + 8 * (sum(1 for _ in loop.loops()) - 1))


def _entries_at_a_time(loop: Loop, itemsize: int) -> int:
    """Return the entries of a row in a trip of a loop: the most that it moves by one address.

    A loop copies a single array, by as many addresses as it may be unrolled. Data that it both loads and stores are
    sums over rows, whose entries are not those of rows; if there are no other data, they count.
    """
    moved: Counter[tuple[str, str]] = Counter()
    values: Counter[str] = Counter()
    for block in loop.blocks():
        for instruction in block.instructions:
            if instruction.opcode in ("LDG", "STG", "LDS", "STS", "LDGSTS"):
                moved[_moving(instruction), _address(instruction, values)] += instruction.bytes
            values.update(used(instruction)[0])
    rows = [
        size
        for (opcode, address), size in moved.items()
        if not {(f"LD{opcode[2:]}", address), (f"ST{opcode[2:]}", address)} <= moved.keys()
    ]
    return max(rows or moved.values(), default=0) // itemsize


def _moving(instruction: Instruction) -> str:
    """Return a key of the accesses to one array.

    Parameters and read-only rows have another key than data that is updated.
    """
    return f"{instruction.opcode} constant" if "CONSTANT" in instruction.modifiers else instruction.opcode


def _address(instruction: Instruction, values: Mapping[str, int]) -> str:
    """Return a key of an access's address: a register and the number of its value; copies share one."""
    if instruction.opcode == "LDGSTS":
        return ""
    address = next((operand for operand in instruction.operands if "[" in operand), "")
    place = address.rpartition("[")[2].partition("+")[0].rstrip("]")
    return f"{place} {values.get(place.partition('.')[0], 0)}"


def accesses(instructions: Iterator[tuple[Instruction, int]]) -> dict[Access, int]:
    """The accesses of memory beyond the registers, by instruction and width."""
    found: Counter[Access] = Counter()
    for instruction, times in instructions:
        if instruction.opcode in ("LDG", "STG", "LDS", "STS", "LDGSTS", "LDL", "STL", "ATOM", "ATOMG", "RED"):
            found[Access(instruction.opcode, instruction.bytes)] += times
    return dict(sorted(found.items(), key=lambda item: (item[0].opcode, -item[0].bytes)))
