# SPDX-License-Identifier: MIT
"""Launches as words, by which PyTorch's calls launch kernels without Python (native/launches.h)."""

from collections.abc import Callable, Sequence
from typing import Any

PASSED = {"q": -1, "f": -2, "d": -3, "i": -4}
"""Kinds of arguments of a kernel that are no arrays, as launches.h has them, by their letters in `struct`."""


def words_of(launches: Any, place: Callable[[str], int], function: Callable[[Any], int]) -> list[int]:
    """Return the launches of a plan, given the place of an array or a Constant and the address of a kernel."""
    words: list[int] = []
    for kernel, blocks, _ in launches.steps:
        passed: list[tuple[int, int]] = []
        for part, letter in zip(kernel.parts, kernel.letters, strict=True):
            if part in launches.numbers:
                passed.append((PASSED[letter], launches.numbers[part]))
            elif letter == "P":
                passed.append((place(part), 0))
            else:
                passed.append((PASSED[letter], place(part)))
        words += launch_words(kernel, blocks, passed, function(kernel))
    return words


def launch_words(kernel: Any, blocks: int, passed: Sequence[tuple[int, int]], function: int) -> list[int]:
    """Return the launch of a kernel; `passed` has two words for each of its arguments."""
    words = [function, blocks, kernel.threads, kernel.shared_bytes, kernel.launch.cluster]
    return [*words, len(passed), *[word for each in passed for word in each]]
