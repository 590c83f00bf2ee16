"""Machine code as `nvdisasm` lists it: instructions, basic blocks, and the loops that they make.

Blocks that are reached only by a diverged warp (`BRA.DIV`), or that call a function for an exceptional case (the slow
path of a division), are not counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_KERNEL = re.compile(r"\s*\.text\.([\w$]+):")
_LABEL = re.compile(r"\s*([.$\w]+):\s*$")
_LINE = re.compile(r"\s*/\*([0-9a-f]+)\*/\s+\{?\s*(?:(@!?U?P\w+)\s+)?([A-Z][\w.]*)\s*(.*?)\s*;")
_TARGET = re.compile(r"`\((.*?)\)")
_ENDS = ("BRA", "EXIT", "RET", "CALL", "BRX", "JMP")


@dataclass(frozen=True)
class Instruction:
    """An instruction: `opcode` such as `LDG`, its modifiers such as `E` and `128`, operands as they stand.

    `guard` is the predicate that it is executed under, `@P0` or `@!P0`, or nothing.
    """

    address: int
    guard: str
    opcode: str
    modifiers: tuple[str, ...]
    operands: tuple[str, ...]

    @property
    def bytes(self) -> int:
        """Return the bytes that an access moves for a thread."""
        if "128" in self.modifiers:
            return 16
        if "64" in self.modifiers:
            return 8
        return 1 if {"U8", "S8"} & {*self.modifiers} else 2 if {"U16", "S16"} & {*self.modifiers} else 4

    @property
    def target(self) -> str:
        """The label that a branch or a call goes to; empty if it has none."""
        found = _TARGET.search(" ".join(self.operands))
        return found[1] if found else ""


@dataclass(eq=False)
class Block:
    """Instructions that are executed one after the other, and the blocks that may come next."""

    instructions: list[Instruction]
    following: list[Block] = field(default_factory=list)

    @property
    def is_exceptional(self) -> bool:
        """Test whether the block ends in a function call: the compiler inlines the usual path."""
        return bool(self.instructions) and self.instructions[-1].opcode == "CALL"


@dataclass(eq=False)
class Loop:
    """Loop with its body: blocks and inner loops, in their order in the code."""

    parts: list[Block | Loop]

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of the loop and of its inner loops."""
        for part in self.parts:
            if isinstance(part, Block):
                yield part
            else:
                yield from part.blocks()

    def loops(self) -> Iterator[Loop]:
        """Yield the loop and its inner loops."""
        yield self
        for part in self.parts:
            if isinstance(part, Loop):
                yield from part.loops()


def kernels(listing: str) -> dict[str, Loop]:
    """The code of each kernel in a listing, as a loop that is gone through once.

    >>> code = kernels('''
    ... .text.scale_f32:
    ...         /*0000*/                   S2R R0, SR_TID.X ;
    ... .L_x_1:
    ...         /*0010*/                   LDG.E.128 R4, desc[UR4][R2.64] ;
    ...         /*0020*/               @P0 BRA `(.L_x_1) ;
    ...         /*0030*/                   EXIT ;
    ... ''')["scale_f32"]
    >>> [type(part).__name__ for part in code.parts]
    ['Block', 'Loop', 'Block']
    """
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in listing.splitlines():
        if named := _KERNEL.match(line):
            lines = found.setdefault(named[1], [])
        else:
            lines.append(line)
    return {name: _nested(_blocks(lines)) for name, lines in found.items()}


def parsed(line: str) -> Instruction | None:
    """The instruction of a line; None if it is no instruction."""
    found = _LINE.match(line)
    if found is None:
        return None
    name, *modifiers = found[3].split(".")
    operands = tuple(part.strip() for part in found[4].split(",")) if found[4] else ()
    return Instruction(int(found[1], 16), found[2] or "", name, tuple(modifiers), operands)


def _blocks(lines: Sequence[str]) -> list[Block]:
    """Return the blocks of a kernel in the order of the code, without those that are reached only exceptionally."""
    blocks: list[Block] = [Block([])]
    at: dict[str, Block] = {}
    for line in lines:
        if label := _LABEL.match(line):
            if blocks[-1].instructions:
                blocks.append(Block([]))
            at[label[1]] = blocks[-1]
        elif instruction := parsed(line):
            blocks[-1].instructions.append(instruction)
            if instruction.opcode in _ENDS:
                blocks.append(Block([]))
    for block, after in zip(blocks, [*blocks[1:], None], strict=True):
        block.following = list(_after(block, after, at))
    reached: set[int] = set()
    waiting = blocks[:1]
    while waiting:
        block = waiting.pop()
        if id(block) not in reached:
            reached.add(id(block))
            waiting += block.following
    return [block for block in blocks if id(block) in reached]


def _after(block: Block, after: Block | None, at: dict[str, Block]) -> Iterator[Block]:
    last = block.instructions[-1] if block.instructions else None
    leaves = last is not None and last.opcode in ("EXIT", "RET", "JMP", "BRX")
    jumps = last is not None and last.opcode == "BRA"
    is_certain = last is not None and not last.guard and not {"DIV", "CONV"} & {*last.modifiers}
    # `BRA UP0, label` and `BRA P0, label` have their condition among the operands.
    conditional = jumps and last is not None and len(last.operands) > 1
    if after is not None and not ((leaves or (jumps and not conditional)) and is_certain):
        yield after
    if jumps and last is not None and "DIV" not in last.modifiers and (target := at.get(last.target)) is not None:
        yield target


def _nested(blocks: Sequence[Block]) -> Loop:
    """Nest the blocks in their loops: natural loops, found by dominators."""
    place = {id(block): number for number, block in enumerate(blocks)}
    follows = [[place[id(after)] for after in block.following if id(after) in place] for block in blocks]
    before: list[list[int]] = [[] for _ in blocks]
    for number, after in enumerate(follows):
        for other in after:
            before[other].append(number)
    dominators = _dominators(follows, before)
    bodies: dict[int, set[int]] = {}
    for number, after in enumerate(follows):
        for head in after:
            if head in dominators[number]:
                bodies.setdefault(head, {head}).update(_body(head, number, before))
    return Loop(_parts(blocks, range(len(blocks)), bodies))


def _dominators(follows: Sequence[Sequence[int]], before: Sequence[Sequence[int]]) -> list[set[int]]:
    """Return the dominators of each block: the blocks on every path to it, and itself."""
    everything = set(range(len(follows)))
    found = [everything if number else {0} for number in range(len(follows))]
    changed = True
    while changed:
        changed = False
        for number in range(1, len(follows)):
            ways = [found[other] for other in before[number]]
            now = {number} | (set.intersection(*ways) if ways else set())
            if now != found[number]:
                found[number], changed = now, True
    return found


def _body(head: int, tail: int, before: Sequence[Sequence[int]]) -> set[int]:
    body, waiting = {head}, [tail]
    while waiting:
        number = waiting.pop()
        if number not in body:
            body.add(number)
            waiting += before[number]
    return body


def _parts(blocks: Sequence[Block], numbers: Sequence[int], bodies: dict[int, set[int]]) -> list[Block | Loop]:
    parts: list[Block | Loop] = []
    done: set[int] = set()
    for number in numbers:
        if number in done:
            continue
        inside = [head for head, body in bodies.items() if number in body and body <= {*numbers}]
        if not inside:
            parts.append(blocks[number])
            continue
        outermost = max(inside, key=lambda head: len(bodies[head]))
        body = bodies[outermost]
        rest = {head: other for head, other in bodies.items() if head != outermost and other <= body}
        parts.append(Loop(_parts(blocks, sorted(body), rest)))
        done |= body
    return parts
