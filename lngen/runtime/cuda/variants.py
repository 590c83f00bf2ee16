# SPDX-License-Identifier: MIT
"""Kernels that keep ever less in registers, of which the first that spills nothing is taken."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from .compilers import MachineCode

Made = TypeVar("Made")

VARIANTS: tuple[tuple[str, ...], ...] = (
    (),
    *(("LNGEN_RESIDENT=512", f"LNGEN_ROOM={room}") for room in (100, 75, 50, 25)),
)
"""Macros of layouts with ever fewer registers in use, tried in this order until a compiler has enough of them."""

_SHARE_OF_512 = 65536 // 512


def without_spills(
    made: Callable[[Sequence[str]], Made],
    spilled: Callable[[Made], int],
    registers: Callable[[Made], int] = lambda made: 0,
) -> Made:
    """Return the first variant that spills no register, or else the variant that spills least.

    Where a compiler has fewer registers than the geometry expects, entries would go through memory; the next variant
    keeps less in registers. `registers` are those of a thread. If they are the share of one of 512 threads, the second
    variant is the first one, and is not made.

    >>> without_spills(lambda macros: macros, lambda macros: 8 if len(macros) < 2 else 0)
    ('LNGEN_RESIDENT=512', 'LNGEN_ROOM=100')
    >>> without_spills(lambda macros: macros, lambda macros: 8 if len(macros) < 2 else 0, lambda macros: 128)
    ('LNGEN_RESIDENT=512', 'LNGEN_ROOM=75')
    """
    found: list[Made] = []
    for number, variant in enumerate(VARIANTS):
        if number == 1 and registers(found[0]) >= _SHARE_OF_512:
            continue
        found.append(made(variant))
        if not spilled(found[-1]):
            break
    return min(found, key=spilled)


def spilled_of(code: MachineCode, in_memory: int) -> int:
    """Return the spilled bytes among those that kernels keep in memory; all of them if the compiler does not tell."""
    return in_memory if code.spilled is None or not in_memory else code.spilled
