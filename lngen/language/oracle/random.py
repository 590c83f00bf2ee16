"""Random numbers of a definition, by Philox 4x32-10 in the integers of Python.

Salmon, Moraes, Dror & Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011. A counter of four words of 32 bits and
a key of two give four words. The first published vector:

>>> [f"{word:08x}" for word in philox((0, 0, 0, 0), (0, 0))]
['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lngen.language.definition import Draw

_WORD = 2**32
_ROUNDS = 10
_DIGITS = 24


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return four words for a counter and a key."""
    c0, c1, c2, c3 = counter
    for turn in range(_ROUNDS):
        k0, k1 = (key[0] + turn * 0x9E3779B9) % _WORD, (key[1] + turn * 0xBB67AE85) % _WORD
        high0, low0 = divmod(c0 * 0xD2511F53, _WORD)
        high1, low1 = divmod(c2 * 0xCD9E8D57, _WORD)
        c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
    return c0, c1, c2, c3


@lru_cache(256)
def _row(seed: int, stream: int, row: int, features: int) -> tuple[float, ...]:
    counters = ((row % _WORD, row // _WORD, four, 0) for four in range(-(-features // 4)))
    words = [word for counter in counters for word in philox(counter, (seed % _WORD, stream))]
    return tuple((word >> (32 - _DIGITS)) / 2**_DIGITS for word in words[:features])


def drawn_from(draw: Draw, values: Mapping[str, Any], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the random numbers of rows of some shape; `values` has the seed."""
    seed, rows = int(values[draw.seed]), math.prod(shape[:-1])
    entries = [_row(seed, draw.stream, row, shape[-1]) for row in range(rows)]
    return np.array(entries, np.float64).reshape(shape)
