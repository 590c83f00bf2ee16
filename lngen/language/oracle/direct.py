"""Functions of the language on arrays, for a definition that is imported and called, as in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from lngen.language.functions import TABLE, not_run
from lngen.language.oracle.arithmetic import FLOAT64

_OF_ROWS: Mapping[str, Callable[[Any], Any]] = {
    "mean": FLOAT64.mean,
    "sum": FLOAT64.sum,
    "max": partial(FLOAT64.pick, "max"),
    "min": partial(FLOAT64.pick, "min"),
}
_OF_SEVERAL: Mapping[str, Callable[..., Any]] = {
    "where": np.where,
    "maximum": partial(FLOAT64.extreme, "maximum"),
    "minimum": partial(FLOAT64.extreme, "minimum"),
    "clip": lambda u, low, high: np.minimum(np.maximum(u, low), high),
}


def applied(name: str, arguments: tuple[Any, ...]) -> Any:
    """Return a function of arrays in float64; rows are along the last axis, which reductions keep.

    Raises TypeError for a function that needs the definition as a whole, and LngenError for what holds no numbers.

    >>> applied("mean", ([[1.0, 2.0, 6.0]],))
    array([[3.]])
    """
    taken = TABLE[name].arity
    if len(arguments) != taken or (taken > 1 and name not in _OF_SEVERAL) or not taken:
        not_run(name)
    if name in _OF_SEVERAL:
        return _OF_SEVERAL[name](*arguments)
    operand = FLOAT64.array(arguments[0])
    if name in _OF_ROWS:
        return _OF_ROWS[name](operand) if operand.ndim else operand
    return FLOAT64.function(name, operand)
