# SPDX-License-Identifier: MIT
"""Random numbers of rows, made where they are read, by Philox 4x32-10 (Salmon et al., 2011).

The number of a row among all rows of a call and the place of an entry give the number of the entry, whatever block or
thread it is in.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from .blocks import Scattered

Array = npt.NDArray[Any]
Words = npt.NDArray[np.uint64]

_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)
_FACTORS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_STEPS = 0x9E3779B9, 0xBB67AE85
_ROUNDS = 10
_DIGITS = 24


def philox(counter: tuple[Words, Words, Words, Words], key: tuple[int, int]) -> tuple[Words, Words, Words, Words]:
    """Return four words for each counter and a key; a word of 32 bits stands in one of 64.

    >>> zero = np.zeros((), np.uint64)
    >>> [f"{word:08x}" for word in philox((zero,) * 4, (0, 0))]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    a, b, c, d = counter
    for turn in range(_ROUNDS):
        first, second = (np.uint64((word + turn * step) & 0xFFFFFFFF) for word, step in zip(key, _STEPS, strict=True))
        left, right = a * _FACTORS[0], c * _FACTORS[1]
        a, b, c, d = right >> _HALF ^ b ^ first, right & _LOW, left >> _HALF ^ d ^ second, left & _LOW
    return a, b, c, d


def bits_of(seed: Any, stream: int, rows: slice, entries: slice) -> Words:
    """Return the bits of random numbers, 24 each, of some rows and some entries of each."""
    key = int(seed) & 0xFFFFFFFF, stream
    row = np.arange(rows.start, rows.stop, dtype=np.uint64)[:, np.newaxis]
    first = entries.start // 4
    fours = np.arange(first, max(first, -(-entries.stop // 4)), dtype=np.uint64)
    words = philox((row & _LOW, row >> _HALF, fours, np.zeros(1, np.uint64)), key)
    made = np.stack(np.broadcast_arrays(*words), axis=-1) >> np.uint64(32 - _DIGITS)
    return made.reshape(len(row), -1)[:, entries.start - 4 * first : entries.stop - 4 * first]


class RandomRows(Scattered):
    """Random numbers in [0, 1), read as an array of rows is."""

    def __init__(self, seed: Any, stream: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.seed, self.stream = seed, stream
        self.width, self.dtype = shape[-1], dtype

    def __getitem__(self, span: slice) -> Array:
        made = bits_of(self.seed, self.stream, span, slice(0, self.width)).astype(self.dtype)
        made *= self.dtype.type(2.0**-_DIGITS)
        return made


def uniform(seed: Any, stream: int, call: tuple[tuple[int, ...], np.dtype[Any], int]) -> Any:
    """Return the random numbers of the rows of a call."""
    return RandomRows(seed, stream, *call[:2])
