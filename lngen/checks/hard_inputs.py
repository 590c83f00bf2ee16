"""Inputs that break normalization layers: constants, zeros, outliers, offsets, values near a threshold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from lngen.checks import inputs, reference
from lngen.checks.checker import FUNCTION, Checker
from lngen.checks.evidence import Evidence, verdict
from lngen.checks.forms import FORMATS
from lngen.checks.layer import Array, Case, run
from lngen.language.oracle.evaluate import FLOAT64, LONGDOUBLE, evaluate
from lngen.runtime.protocol.casts import dtype as storage_dtype

# Times a normal deviate, below the normal numbers of the type; bfloat16 has the exponents of float32.
_TINY = {"float64": 1e-309, "float16": 2.0**-16}
_LOW = -1e5  # its exponential is no number of long double beside 1
_STAYS = 1e-6
_NORMAL = 2.0**-13  # above all that float16 has fewer digits for
# A result this large may be infinite on its way to being stored.
_LARGE = 1e300


def hard_inputs(checker: Checker, dtype: str) -> Iterator[Evidence]:
    """Yield evidence on hard inputs, small enough for references with 50 digits if float64 is checked."""
    features = checker.on.row_length(checker.definition, 7)
    offset = 1e8 if dtype == "float64" else 1e4
    for case in inputs.hard(checker.definition, features, checker.seed, offset, _TINY.get(dtype, 1e-39)):
        if checker.backend == FUNCTION and case.name == inputs.OUTSIDE:
            continue
        checker.tell(f"hard inputs, {case.name} in {dtype}")
        stored = checker.on.given(case).astype(storage_dtype(dtype))
        if not all(np.isfinite(np.asarray(v, np.float64)).all() for v in stored.inputs.values() if v is not None):
            continue  # the storage type does not hold these inputs
        bounds = checker.bounds(stored, dtype)
        if bounds is None:
            continue
        if dtype == "float64":
            outputs, gradients = to_50_digits(checker, stored)
            if case.plain:
                yield from finite(checker, stored, outputs, gradients)
        else:
            outputs, gradients = _references(checker, stored)
        bounds = {name: bound + reference.RESOLUTION for name, bound in bounds.items()}
        yield from checker.within("hard inputs", f"{case.name}: ", stored, dtype, bounds, outputs, gradients)
    yield from _minus_infinity(checker, dtype, features)


def _minus_infinity(checker: Checker, dtype: str, features: int) -> Iterator[Evidence]:
    """Yield evidence on rows with entries of -inf, beside references in which a low number stands for them.

    A reference that moves with that number is infinite, or no number.
    """
    case = inputs.masked(checker.definition, features, checker.seed, -np.inf)
    if case is None or checker.layer.adjoint is None:
        return
    stored = checker.on.given(case).astype(storage_dtype(dtype))
    at, lower = (stored.exact().mapped(partial(_raised, low=low)) for low in (_LOW, 2 * _LOW))
    bounds = checker.bounds(at.astype(np.float64), dtype)
    if bounds is None:
        return
    checker.tell(f"hard inputs, {case.name} in {dtype}")
    outputs, gradients = (
        {n: _that_stays(v, other[n]) for n, v in value.items()} for value, other in _pairs(checker, at, lower)
    )
    # A definition may multiply -inf by zero. Nothing is said of that, nor of the gradients of a row with such an output
    # or an infinite one, nor of those of parameters, which multiply -inf too.
    as_written = evaluate(checker.definition, stored.astype(np.float64).inputs, FLOAT64)
    outputs = {n: np.asarray(np.where(np.isnan(as_written[n]), np.nan, value)) for n, value in outputs.items()}
    lost = np.any([np.isnan(each.reshape(case.rows, -1)).any(1) for each in outputs.values()], 0)
    rows = {entry.name for entry in checker.definition.rows}
    gradients = {
        name: np.asarray(np.where(lost[:, None], np.nan, value)) for name, value in gradients.items() if name in rows
    }
    yield from finite(checker, stored, outputs, gradients, dtype)
    yield from checker.within("hard inputs", f"{case.name}: ", stored, dtype, bounds, outputs, gradients)


def _pairs(checker: Checker, at: Case, lower: Case) -> Iterator[tuple[Mapping[str, Array], Mapping[str, Array]]]:
    return zip(checker.exact(at), checker.exact(lower), strict=True)


def _raised(value: Any, low: float) -> Any:
    is_row = isinstance(value, np.ndarray) and value.dtype.kind == "f"
    return np.where(np.isneginf(value), np.longdouble(low), value) if is_row else value


def _that_stays(value: Array, other: Array) -> Array:
    moves = np.abs(other - value) > _STAYS * (1 + np.abs(value))
    return np.asarray(np.where(moves, np.nan, value))


def to_50_digits(checker: Checker, case: Case) -> tuple[Mapping[str, Array], Mapping[str, Array]]:
    """Outputs and gradients of a small case, where the evaluator in long double may have few digits left."""
    outputs: Mapping[str, Array] = checker.remembered(
        "outputs", case, partial(reference.outputs, checker.definition, case)
    )
    return outputs, _slopes(checker, case)


def _references(checker: Checker, stored: Case) -> tuple[Mapping[str, Array], Mapping[str, Array]]:
    """Outputs and gradients of hard inputs, good enough for a type narrower than float64.

    The definition is evaluated as it is written. In long double that may overflow where emitted code takes a stable
    path, or lose digits that it keeps; numbers of 80 digits do neither. Whether digits are lost is read off the same
    evaluation in float64.
    """
    outputs: Mapping[str, Array] = evaluate(checker.definition, stored.exact().inputs, LONGDOUBLE)
    rough = evaluate(checker.definition, stored.astype(np.float64).inputs, FLOAT64)
    if not _all_finite(outputs) or not all(_agree(outputs[name], rough[name]) for name in outputs):
        outputs = checker.remembered("outputs", stored, partial(reference.outputs, checker.definition, stored))
        if slopes := _slopes(checker, stored):
            return outputs, slopes
    gradients = checker.complex_gradient(stored) if stored.smooth else {}
    return outputs, gradients if _all_finite(gradients) else _slopes(checker, stored)


def _agree(wide: Array, rough: Array) -> bool:
    """Test whether float64 keeps half of its digits in every entry.

    If it does, long double is more exact than a narrow type. A zero counts as a failure: its terms may cancel by
    chance, and need not cancel in a gradient.
    """
    return bool(np.all(np.abs(wide - rough) < 2.0**-26 * np.abs(wide)))


def _slopes(checker: Checker, case: Case) -> Mapping[str, Array]:
    """Return gradients to 50 digits, NaN at kinks; none if a difference sees through a stopped gradient."""
    if not checker.differences:
        return {}
    return checker.remembered("gradients", case, partial(reference.derivatives, checker.definition, case))


def finite(
    checker: Checker,
    case: Case,
    outputs: Mapping[str, Array],
    gradients: Mapping[str, Array],
    dtype: str = "float64",
) -> Iterator[Evidence]:
    """Results are finite where the definition is, at kinks and zeros too, where no error bound may be known.

    Nor is the largest of them 0, as a number by an infinite one is.
    """
    try:
        answer = run(checker.layer, case)
    except Exception as error:  # whatever emitted code raises is its failure to report
        yield checker.broken("hard inputs", case, error, dtype)
        return
    exact = {**outputs, **{f"d{name}": value for name, value in gradients.items()}}
    results = {**answer.outputs, **{f"d{name}": value for name, value in answer.gradients.items()}}
    for name, wanted in exact.items():
        result = np.asarray(results[name], np.float64)
        if result.shape != wanted.shape:
            continue  # which other evidence reports
        there = np.isfinite(wanted) & (np.abs(wanted) < min(_LARGE, FORMATS[dtype].largest / 4))
        size = np.abs(wanted)
        largest = there & (size >= np.max(size, initial=_NORMAL, where=there))
        lost = there & ~np.isfinite(result) | largest & (result == 0)
        what = f"{case.name}: {name} is finite where the definition's is"
        trouble = f"{int(lost.sum())} of {lost.size} entries are not; {checker.command(case, dtype)}"
        yield verdict("hard inputs", what, trouble if lost.any() else "", case.shape, dtype)


def _all_finite(values: Mapping[str, Array]) -> bool:
    return all(bool(np.isfinite(np.asarray(value)).all()) for value in values.values())
