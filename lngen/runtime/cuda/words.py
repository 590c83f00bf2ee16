# SPDX-License-Identifier: MIT
"""Launches as words, by which PyTorch's calls launch kernels without Python (native/launches.h)."""

from collections.abc import Callable
from typing import Any

PASSED = {"q": -1, "f": -2, "d": -3, "i": -4}
"""Kinds of arguments of a kernel that are no arrays, as launches.h has them, by their letters in `struct`."""


def words_of(launches: Any, function: Callable[[Any], int]) -> list[int]:
    """Return the launches of a plan, given the address of a kernel."""
    words: list[int] = []
    end = launches.plan.rows.place
    for kernel, blocks, _ in launches.steps:
        words += [function(kernel), blocks, kernel.threads, kernel.shared_bytes, kernel.launch.cluster]
        words.append(len(kernel.letters))
        for value in kernel.values:
            if value.place >= end:
                words += [PASSED[value.letter], launches.counts[value.place - end]]
            else:
                words += [value.place, 0] if value.letter == "P" else [PASSED[value.letter], value.place]
    return words
