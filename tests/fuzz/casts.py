"""Outputs that are cast, beside the values before their rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from lngen.language.definition import Definition
from lngen.language.oracle.evaluate import rounded
from lngen.runtime.protocol.casts import TARGETS
from tests.fuzz.answers import OUTPUT


def before_cast(definition: Definition, result: tuple[str, str], found: Any, wanted: Any) -> Any:
    """Values found of a result; of an output that is cast, they are `unrounded`."""
    what, name = result
    target = dict(definition.casts).get(name) if what == OUTPUT else None
    return found if target is None else unrounded(found, wanted, target)


def unrounded(found: Any, wanted: Any, target: str) -> Any:
    """The numbers nearest to those `wanted` that round to those found; NaN for what is no value of the type.

    `found` are float64, `wanted` longdouble or mpmath's.

    >>> unrounded(np.array([2.0, 2.0, 127.0, 2.5]), np.array([2.25, 4.0, 500.0, 2.5]), "int8").tolist()
    [2.25, 2.5, 500.0, nan]
    >>> unrounded(np.array([16.0, 16.0]), np.array([1.0, 20.0]), "float8_e4m3fn").tolist()
    [15.5, 17.0]
    """
    _, lowest, highest, digits, least = TARGETS[target]
    above = below = np.ones_like(found)
    if digits:
        part, exponent = np.frexp(np.abs(found))
        outwards = np.ldexp(1.0, np.maximum(exponent - 1, least) - (digits - 1))
        # Below a power of two the values are twice as dense.
        inwards = np.where((part == 0.5) & (exponent - 1 > least), outwards / 2, outwards)
        above, below = np.where(found < 0, inwards, outwards), np.where(found < 0, outwards, inwards)
    low = np.where(found == lowest, -np.inf, found - below / 2)
    high = np.where(found == highest, np.inf, found + above / 2)
    is_value = rounded(found, target) == found
    nearest = np.minimum(np.maximum(wanted, low), high)
    return np.where(is_value, nearest, np.nan)
