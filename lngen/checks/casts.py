"""Claims about outputs that are cast: what the value before it, known within a bound, may round to."""

from __future__ import annotations

from typing import Any

import numpy as np

from lngen.checks.layer import Array
from lngen.language.oracle.evaluate import rounded
from lngen.runtime.protocol.casts import TARGETS


def claimed(found: Any, exact: Array, bound: Array | float, target: str) -> tuple[Array, Array]:
    """The reference rounded to a type, and the distance from it that a result may have.

    Rounding is monotone: a value within the bound of the exact one rounds to something between what the two ends of
    the bound round to. So the result has to be exact where no tie is within the bound, and elsewhere may be the
    neighbour beyond the tie. No claim is made where there is no bound.

    >>> exact = np.array([0.4, 0.49, 0.51], np.longdouble)
    >>> claimed([1.0, 1.0, 1.0], exact, 0.02, "int8")[1].astype(float).tolist()
    [0.0, 1.0, 1.0]
    """
    reference = rounded(exact, target)
    with np.errstate(invalid="ignore"):
        low, high = rounded(exact - bound, target), rounded(exact + bound, target)
        above = np.asarray(found).astype(exact.dtype) > reference
        reach = np.where(above, high - reference, reference - low)
    return reference, np.where(np.isfinite(bound), reach, np.inf)


def unit(values: Any, target: str) -> Array:
    """The distance between neighbours of a type at some of its values, or more: two roundings move two results by that.

    >>> unit([16.0, 0.0], "float8_e4m3fn").tolist()
    [2.001953125, 0.001953125]
    """
    _, _, _, digits, least = TARGETS[target]
    sizes = np.abs(np.asarray(values).astype(np.float64))
    return sizes * 2.0 ** (1 - digits) + 2.0 ** (least + 1 - digits) if digits else np.ones_like(sizes)
