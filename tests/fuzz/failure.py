"""Outcomes of a definition, and descriptions of wrong results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mpmath
import numpy as np

from lngen.checks.layer import Case

RIGHT, REFUSED, NO_POINT = "right", "refused", "no point"
WRONG, NOT_FINITE, IMPRECISE, RANGE = "wrong", "not finite", "imprecise", "range"
TRACEBACK, HANG, UNPROVED, BLAMED, BY_NAME = "traceback", "hang", "unproved", "blamed on lngen", "refused by name"
FAILURES = (WRONG, NOT_FINITE, IMPRECISE, RANGE, TRACEBACK, HANG, UNPROVED, BLAMED, BY_NAME)


class Failure(Exception):
    """A result that is not what it should be. `key` tells kinds of failures apart, `detail` is for the reader."""

    def __init__(self, outcome: str, key: str, detail: str) -> None:
        super().__init__(f"{outcome}: {key}")
        self.found = outcome, key, detail


def failure(
    outcome: str, key: str, note: str, case: Case, directions: Mapping[str, Any], value: Any, wanted: Any
) -> Failure:
    """A failure at a case, with all that is needed to see it again."""
    given = {
        **case.inputs,
        **{f"cotangent of {name}": value for name, value in case.cotangents.items()},
        **{f"direction of {name}": value for name, value in directions.items()},
    }
    lines = [
        note,
        f"rows {case.rows}, D {case.features}, {case.name}",
        *(f"{name} = {None if array is None else np.asarray(array).tolist()}" for name, array in given.items()),
        f"expected {_shown(wanted)}",
        f"found    {_shown(value)}",
    ]
    return Failure(outcome, key, "\n".join(lines))


def _shown(numbers: Any) -> str:
    if numbers is None:
        return "None"
    array = np.asarray(numbers)
    array = array if array.dtype == object else array.astype(np.float64).astype(object)
    with np.errstate(all="ignore"):
        return repr(np.asarray(np.frompyfunc(_digits, 1, 1)(array)).tolist())


def _digits(number: Any) -> str:
    """A number with the digits of a double; of one whose exponent is itself long, the power of 2."""
    number = mpmath.mpmathify(number)
    magnitude = mpmath.mag(number)
    return f"2**{magnitude}" if mpmath.isfinite(magnitude) and abs(magnitude) > 10**6 else mpmath.nstr(number, 17)
