"""Registers and predicates that an instruction writes and reads, from its listing."""

from __future__ import annotations

import re
from functools import cache

from lngen.extensions.inspection.listing import Instruction

_REGISTER = re.compile(r"(?<![\w.])(U?R)(\d+)(\.64)?")
_PREDICATE = re.compile(r"(?<![\w.])U?P\d")
_WRITES_NOTHING = (
    "ST", "RED", "BAR", "BRA", "EXIT", "BSSY", "BSYNC", "WARPSYNC", "DEPBAR", "LDGDEPBAR", "LDGSTS", "MEMBAR", "NOP",
    "CCTL", "ERRBAR", "FENCE", "UBLKCP", "CALL", "RET", "YIELD", "NANOSLEEP",
)  # fmt: skip
_PAIRS = ("DADD", "DMUL", "DFMA", "FADD2", "FMUL2", "FFMA2")


@cache
def used(instruction: Instruction) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names that an instruction writes and those that it reads, such as `R4`, `UR5` and `P0`.

    >>> from lngen.extensions.inspection.listing import parsed
    >>> used(parsed("/*0010*/ LDG.E.64 R4, desc[UR4][R2.64] ;"))
    (('R4', 'R5'), ('R2', 'R3', 'UR4'))
    >>> used(parsed("/*0010*/ @!P1 ISETP.GT.AND P0, PT, R8, 0xfff, PT ;"))
    (('P0',), ('P1', 'R8'))
    """
    written: list[str] = []
    rest = list(instruction.operands)
    if not instruction.opcode.startswith(_WRITES_NOTHING):
        while rest and re.fullmatch(r"U?P[\dT]", rest[0]):
            written += _names(rest.pop(0), 1)
        compares = instruction.opcode.endswith("SETP") or instruction.opcode in ("PLOP3", "UPLOP3", "R2P")
        if rest and not compares and re.fullmatch(r"U?R(\d+|Z)[\w.]*", rest[0]):
            written += _names(rest.pop(0), _width(instruction))
            # The carry stands behind the sum.
            while len(rest) > 1 and re.fullmatch(r"U?P[\dT]", rest[0]):
                written += _names(rest.pop(0), 1)
    read = set(_names(instruction.guard, 1))
    width = instruction.bytes // 4 if instruction.opcode.startswith("ST") else 2 if instruction.opcode in _PAIRS else 1
    for operand in rest:
        inside = "[" in operand
        read |= set(_names(operand, 1 if inside else max(width, 1)))
    return tuple(written), tuple(sorted(read - {""}, key=_order))


def _order(name: str) -> tuple[str, int]:
    letters = name.rstrip("0123456789")
    return letters, int(name[len(letters) :] or 0)


def _width(instruction: Instruction) -> int:
    """The registers of a result."""
    opcode = instruction.opcode
    if opcode.startswith(("LD", "ULD")):
        return max(instruction.bytes // 4, 1)
    if opcode in _PAIRS or "WIDE" in instruction.modifiers or (opcode == "F2F" and "F64" in instruction.modifiers[:1]):
        return 2
    return 2 if "64" in instruction.modifiers else 1


def _names(text: str, width: int) -> list[str]:
    found: list[str] = list(_PREDICATE.findall(text))
    for kind, number, pair in _REGISTER.findall(text):
        found += [f"{kind}{int(number) + k}" for k in range(max(width, 2 if pair else 1))]
    return found
