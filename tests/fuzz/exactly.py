"""Emitted code beside what is exact at a small point.

Agreement to 1e-10 of the largest entry, or of 1, is right; a wrong gradient is off by far more. An output or a gradient
that is further off is held against the derivation evaluated at 60 digits. If that is off too, the gradient is wrong. If
it is not, digits were lost in float64, and the question is whether the definition made that unavoidable: the error has
to be inside the bound of `lngen.checks.bounds`, or within 1000 times what the unsimplified adjoint loses at the same
point.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from lngen.algebra.numeric import Arithmetic, evaluate_equations
from lngen.algebra.symbols import D
from lngen.checks import bounds
from lngen.checks.layer import Case, Checkable
from lngen.errors import LngenError
from lngen.language.syntax import Kind
from lngen.pipeline.stages import Derived
from tests.fuzz import oracle
from tests.fuzz.answers import GRADIENT, OUTPUT, Point, Results, kind_of
from tests.fuzz.casts import before_cast
from tests.fuzz.failure import IMPRECISE, NOT_FINITE, WRONG, failure

_AGREES = 1e-10
# A formula that is right agrees to some 38 digits less what the point is sensitive by.
_SAME_FORMULA = 1e-15
_LOST_BY_ADJOINT = 1000.0


def compare(backend: str, made: Derived, layer: Checkable, point: Point, found: Results, wanted: Results) -> None:
    """Raise Failure for the first result that is missing, of a wrong shape, or an output or gradient that is off."""
    case = point.case

    def fails(outcome: str, key: str, result: tuple[str, str], note: str) -> Exception:
        note = f"{backend}: {' '.join(result)}: {note}"
        return failure(outcome, key, note, case, point.directions, found.get(result), wanted.get(result))

    for result in sorted(found.keys() | wanted.keys()):
        if (result in found) != (result in wanted):
            raise fails(WRONG, f"{backend}: {result[0]}", result, "an array and None are mixed up")
        if found[result].shape != np.shape(wanted[result]):
            raise fails(WRONG, f"{backend}: {result[0]}", result, "the shape is wrong")
    for result, value in found.items():
        what = result[0]
        if what not in (OUTPUT, GRADIENT):
            continue
        value = before_cast(layer.definition, result, value, wanted[result])
        error = _error(value, wanted[result])
        if error <= _AGREES:
            continue
        formula = _error(_by_formula(made, case)[result], wanted[result])
        if not formula <= _SAME_FORMULA:
            note = f"off by {error:.3g}; the derivation at 60 digits is off by {formula:.3g}"
            raise fails(WRONG, f"{backend}, by formula: {what}", result, note)
        if not np.isfinite(value).all():
            raise fails(NOT_FINITE, f"{backend}: {what}", result, "the formula is right")
        allowed, lost = _allowed(made, layer, case, result, wanted[result], backend)
        if not error <= max(allowed, _LOST_BY_ADJOINT * lost):
            note = f"off by {error:.3g}; bound {allowed:.3g}; the unsimplified adjoint loses {lost:.3g}"
            raise fails(WRONG if error > 1e-3 else IMPRECISE, f"{backend}, formula right: {what}", result, note)


def _error(value: Any, wanted: Any) -> float:
    """max|a - b| / max(1, max|b|); infinite where a is not finite."""
    with mpmath.workdps(oracle.DIGITS):
        left, right = np.broadcast_arrays(np.asarray(value, object), np.asarray(wanted, object))
        if not all(mpmath.isfinite(number) for number in left.flat):
            return float("inf")
        gap = max((abs(mpmath.mpf(a) - b) for a, b in zip(left.flat, right.flat, strict=True)), default=mpmath.mpf(0))
        return float(gap / max([mpmath.mpf(1), *(abs(b) for b in right.flat)]))


def _by_formula(made: Derived, case: Case) -> Results:
    """Outputs and gradients by the derivation's own formulas, at 60 digits."""
    derivation = made.plan.derivation
    definition = derivation.definition
    with mpmath.workdps(oracle.DIGITS):
        environment: dict[Any, Any] = {D: mpmath.mpf(case.features)}
        for entry, symbol in zip(derivation.forward.inputs, derivation.forward.symbols, strict=True):
            given = case.inputs.get(entry.name)
            value: Any = entry.default if given is None else given
            environment[symbol] = _lifted(value, entry.kind, case)
        for name, symbol in zip(definition.outputs, derivation.adjoint.cotangents, strict=True):
            given = case.cotangents.get(name)
            environment[symbol] = _lifted(0.0 if given is None else given, definition.output_kind(name), case)
        arithmetic = Arithmetic(oracle.DIGITS)
        values = evaluate_equations(derivation.forward.equations, environment, arithmetic)
        values = evaluate_equations(derivation.backward, values, arithmetic)
        by_result = {(OUTPUT, symbol.name): values[symbol] for symbol in derivation.forward.outputs}
        by_result |= {(GRADIENT, symbol.name): values[gradient] for symbol, gradient in derivation.gradients}
        return {result: _public(value, kind_of(definition, result), case) for result, value in by_result.items()}


def _lifted(value: Any, kind: Kind, case: Case) -> Any:
    lifted = np.frompyfunc(lambda number: mpmath.mpf(number.numerator) / number.denominator, 1, 1)(
        np.frompyfunc(Fraction, 1, 1)(np.asarray(value, object))
    )
    stored = _stored(kind, case)
    array = np.empty(stored, object)
    array[...] = lifted[:, None] if Kind.join(kind) is Kind.ROW_SCALAR and np.ndim(lifted) else lifted
    return array if stored else array[()]


def _stored(kind: Kind, case: Case) -> tuple[int, ...]:
    if kind.over_rows:
        return (case.rows, case.features if kind.over_features else 1)
    return (case.features,) if kind.over_features else ()


def _public(value: Any, kind: Kind, case: Case) -> Any:
    full = np.empty(_stored(kind, case), object)
    full[...] = value
    return full[:, 0] if Kind.join(kind) is Kind.ROW_SCALAR else full


def _allowed(
    made: Derived, layer: Checkable, case: Case, result: tuple[str, str], wanted: Any, backend: str
) -> tuple[float, float]:
    """The derived error bound of a result, and what the unsimplified adjoint loses; in the metric of `_error`."""
    what, name = result
    scale = max([1.0, *(abs(float(number)) for number in np.asarray(wanted, object).flat)])
    arithmetic = bounds.NUMPY if backend == "numpy" else bounds.CUDA
    try:
        both = bounds.error_bounds(made.plan.forward, made.plan.backward, case, "float64", arithmetic)
        bound = both[name if what == OUTPUT else f"d{name}"]
        allowed = float(np.max(bound)) / scale
    except LngenError:
        allowed = 0.0
    # An infinite bound says nothing; the other yardstick has to do.
    allowed = allowed if np.isfinite(allowed) else 0.0
    if what == OUTPUT or layer.adjoint is None:
        return allowed, 1e-12
    adjoint: Mapping[str, Any] = layer.adjoint(case.inputs, case.cotangents)
    lost = _error(adjoint[name], wanted)
    return allowed, lost if np.isfinite(lost) else 0.0
