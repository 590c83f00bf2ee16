"""Orders in which the emulator runs blocks, warps and lanes, which a GPU runs in any order."""

from typing import Literal, get_args

Schedule = Literal["forward", "reverse", "random"]
"""Blocks, warps and lanes by rising index, by falling index, or warps drawn at random, each run as far as it gets."""

SCHEDULES: tuple[Schedule, ...] = get_args(Schedule)
"""All of them; the runtime knows each by its place here."""
