"""A claim that can be tried on every backend, and how results are compared to see whether it holds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lngen.checks.casts import unit
from lngen.checks.evidence import Evidence, verdict
from lngen.checks.layer import Array, Case, Checkable, Run, present, run
from lngen.runtime.protocol.casts import dtype

ROWS, FEATURES = 5, 7
"""The shape that claims are tried at, unless they need another."""


class NotRun(Exception):
    """Reason why a claim cannot be tried on this machine."""


@dataclass(frozen=True)
class Claim:
    """Statement about a layer on a backend, and what it does with them.

    `trouble` describes the fault and returns nothing if there is none, or raises. `{on}` in the statement is the
    adapter of the backend. A backend that cannot be asked what the claim `needs` makes no such claim. With
    `each_type` it is tried in each storage type, in short rows and long ones. With `several_outputs` it is one about
    such definitions. With `differences` it holds for definitions without `stop_gradient` alone, since a difference sees
    through the stop. With `no_casts` it holds for definitions without casts alone, and with `every_direction` for those
    whose directions are all derived.
    """

    statement: str
    trouble: Callable[[Any], str | None]
    needs: str = ""
    rows: int = ROWS
    features: int = FEATURES
    each_type: bool = False
    several_outputs: bool = False
    differences: bool = False
    no_casts: bool = False
    every_direction: bool = False

    def evidence(self, kind: str, on: Any, subject: Any, shape: tuple[int, int], dtype: str = "float64") -> Evidence:
        """Try it."""
        trouble, silence = "", ""
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")  # frameworks warn of what they themselves do
                trouble = self.trouble(subject) or ""
        except NotRun as reason:
            silence = f"not run: {reason}"
        except Exception as error:  # whatever the layer or a framework raises speaks against the layer
            trouble = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        found = verdict(kind, self.statement.format(on=on), trouble, shape, dtype, silence)
        return replace(found, claimed=not silence)


def results(answer: Run) -> dict[str, Array | None]:
    """Outputs and gradients by name."""
    return {**answer.outputs, **{f"d{name}": value for name, value in answer.gradients.items()}}


def row_results(layer: Checkable) -> list[str]:
    """The names of the results that each row has its own part of."""
    definition = layer.definition
    return [*definition.outputs, *(f"d{entry.name}" for entry in definition.differentiable if entry.kind.over_rows)]


def cut(layer: Checkable, case: Case, rows: slice) -> Case:
    """Return a case with some of its rows."""
    per_row = {entry.name for entry in layer.definition.passed if entry.kind.over_rows}
    inputs = {n: v[rows] if n in per_row and v is not None else v for n, v in case.inputs.items()}
    cotangents = {name: value[rows] for name, value in case.cotangents.items()}
    count = len(range(*rows.indices(case.rows)))
    return replace(case, rows=count, inputs=inputs, cotangents=cotangents)


def same(a: Any, b: Any) -> bool:
    """Test whether two results have one type, one shape and the same numbers; NaN equals NaN."""
    if a is None or b is None:
        return a is b
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(_comparable(a), _comparable(b), equal_nan=True)


def _comparable(array: Array) -> Array:
    # NumPy does not know that bfloat16 has a NaN.
    return array.astype(np.float32) if array.dtype.kind == "V" else array


def mistyped(layer: Checkable, case: Case, rows: np.dtype[Any]) -> str:
    """Describe the first result of the wrong type or shape; empty if there is none.

    Outputs have the type of `rows` or that of their cast, gradients the type and shape of their inputs.
    """
    answer, casts = run(layer, case), dict(layer.definition.casts)
    for name, value in answer.outputs.items():
        if value.dtype != (dtype(casts[name]) if name in casts else rows) or value.shape != case.cotangents[name].shape:
            return f"{name}: {value.dtype}{value.shape} for rows of {rows}"
    for entry in present(layer, case):
        given, gradient = np.asarray(case.inputs[entry.name]), answer.gradients[entry.name]
        if gradient is None or gradient.dtype != given.dtype or gradient.shape != given.shape:
            return f"d{entry.name}: not of the dtype and shape of {entry.name}"
    return ""


def different(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    """The names of results that are not the same."""
    return [name for name, value in a.items() if not same(value, b[name])]


def beyond(layer: Checkable, a: Mapping[str, Any], b: Mapping[str, Any], bounds: Mapping[str, Array] | None) -> str:
    """Results that are further apart than two results within their error bounds can be."""
    bad, casts = [], dict(layer.definition.casts)
    for name, value in a.items():
        if value is None or b[name] is None:
            continue
        # Without a derived bound the two have to be the same.
        limit = 2 * np.asarray(bounds[name]) if bounds is not None else np.zeros(())
        one, other = np.asarray(value), np.asarray(b[name])
        if name in casts:
            limit = limit + unit(one, casts[name])
            one, other = one.astype(np.float64), other.astype(np.float64)
        if one.shape != other.shape or not np.all(np.abs(one - other) <= limit):
            bad.append(name)
    return listed(bad, "further apart than rounding")


def listed(names: Sequence[str], problem: str) -> str:
    """Describe the fault of some results; empty if there are none."""
    return f"{', '.join(names)}: {problem}" if names else ""
