"""Rounding errors of references in long double, read off the same computation in float64.

An emitted result may be nearer to the truth than a reference is. The weighted variance of one entry is exactly 0, and
the definition as written leaves the rounding of two equal terms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from lngen.checks.layer import Case
from lngen.language.definition import Definition
from lngen.language.oracle.evaluate import FLOAT64, LONGDOUBLE, evaluate

_UNIT = float(np.finfo(np.float64).eps)
_RATIO = float(np.finfo(np.longdouble).eps) / _UNIT
_SAFE = 4.0
_NEARBY = 256  # entries
_APART = 2.0**-20


def rounding(definition: Definition, case: Case, compute: Callable[[Case], Mapping[str, Any]]) -> dict[str, float]:
    """Estimate the error of each result of `compute`, which computes in the type of a case, in long double.

    It is the difference of the same in float64, in the ratio of the two units. The largest of all entries counts. In
    few entries it may be small by luck, so rows nearby are computed beside them. At most one unit of float64 beside 1
    is returned, as ordinary values are of order one: where a comparison comes out otherwise, the two are far apart.

    >>> from lngen.language.parsing import parse
    >>> layer = parse("def f(x: Row): return x/7 - x*(1/7)")
    >>> case = Case("", 1, 1, {"x": np.array([[3.0]])}, {})
    >>> 0 < rounding(layer, case, lambda given: outputs(layer, given))["y"] < 1e-18
    True
    """
    several = _with_rows_nearby(definition, case.astype(np.float64))
    with np.errstate(all="ignore"):
        rough, wide = compute(several), compute(several.exact())
        found = {name: np.abs(np.asarray(value) - np.asarray(rough[name])) for name, value in wide.items()}
    largest = {n: float(np.max(apart, initial=0.0, where=np.isfinite(apart))) for n, apart in found.items()}
    return {name: min(_SAFE * _RATIO * apart, _UNIT) for name, apart in largest.items()}


def outputs(definition: Definition, case: Case) -> dict[str, Any]:
    """Outputs by the evaluator, in the type of the inputs: float64 or long double."""
    wide = np.asarray(case.inputs[definition.rows[0].name]).dtype == np.longdouble
    return {**evaluate(definition, case.inputs, LONGDOUBLE if wide else FLOAT64)}


def _with_rows_nearby(definition: Definition, case: Case) -> Case:
    times = 1 + _NEARBY // max(case.rows * case.features, 1)
    rng = np.random.default_rng(0)

    def several(name: str, value: Any) -> Any:
        if value is None or not definition.input(name).kind.over_rows:
            return value
        many = np.tile(value, (times, *[1] * (np.ndim(value) - 1)))
        if definition.input(name).kind.is_integer:
            return many
        apart = rng.uniform(-_APART, _APART, many.shape)
        apart[: case.rows] = 0
        return many * (1 + apart)

    cotangents = {
        n: None if v is None else np.tile(v, (times, *[1] * (np.ndim(v) - 1))) for n, v in case.cotangents.items()
    }
    inputs = {name: several(name, value) for name, value in case.inputs.items()}
    return replace(case, rows=times * case.rows, inputs=inputs, cotangents=cotangents)
