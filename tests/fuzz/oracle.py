"""The derivatives of a definition by differences of the evaluator, at 60 digits.

A central difference with h = 1e-20 cuts off 1e-40 of a derivative and cancels 20 of the 60 digits, so about 38 are
right wherever the definition is smooth within h; of what gradients move by, a difference of differences, 20 are. That
is looked at, not hoped for: every comparison, `max`, `abs` and the like report how far they are from switching, and a
point within 1e-6 of a switch is refused. A tie that stays a tie under every step (`maximum(x, x)`, two features that
`relu` set to 0) is no switch: both sides have the same slope.

A root of what is 0 switches without a comparison, so the slopes on both sides have to be the same, too. A step of an
input does not always reach the edge of a domain that the point stands on: one feature less its mean is 0
whatever the feature is, and its root is 0, and has no slope; nor has that of a product of two zeros. So the results of
sums, differences and products are moved too, by 1e-30, and a definition that loses its value by that has no derivative
there.

What `stop_gradient` sees at the point is what it returns at the steps, which is what it means.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np

from lngen.language.definition import Definition, Input
from lngen.language.oracle.evaluate import evaluate, mp_numbers
from lngen.language.syntax import Kind
from tests.fuzz.answers import GRADIENT, OUTPUT, SECOND, SECOND_OF_COTANGENT, TANGENT, Point, Results

DIGITS = 60
STEP = mpmath.mpf(10) ** -20
NEAREST_SWITCH = mpmath.mpf(10) ** -6
NEAREST_EDGE = mpmath.mpf(10) ** -30

# Past these a float64 has no digits left, or no exponents.
_LARGEST = mpmath.mpf(10) ** 40
_LARGEST_EXPONENT = 300
_LARGEST_ANGLE = 10**6

# Which way a difference goes is by chance: that it goes down in none of four has a chance of 1 in 16.
_MOVES = 4


class Unfit(Exception):
    """A point at which the definition has no derivative, or none that float64 could be held to."""


class _Watched(type(mp_numbers(DIGITS))):  # type: ignore[misc]
    """mpmath's numbers, taking down every decision and how far it is from another one."""

    def __init__(self, stopped: list[Any] | None = None) -> None:
        super().__init__(DIGITS)
        self.decisions: list[tuple[Any, Any]] = []
        self.stopped: list[Any] = []
        self.replayed = None if stopped is None else iter(stopped)

    def compare(self, sign: str, left: Any, right: Any) -> Any:
        holds = super().compare(sign, left, right)
        self._decide(holds, left - right)
        return holds

    def pick(self, name: str, row: Any) -> Any:
        best = super().pick(name, row)
        gaps = np.sort(np.abs(row - best), axis=-1)
        first = np.argmax(row == best, axis=-1)
        self._decide(first, gaps[..., 1] if row.shape[-1] > 1 else gaps[..., 0] + 1)
        return best

    def function(self, name: str, operand: Any) -> Any:
        if name == "stop_gradient":
            self.stopped.append(operand)
            return operand if self.replayed is None else next(self.replayed)
        if name in ("abs", "sign", "relu"):
            self._decide(operand > 0, operand)
        limit = {"exp": _LARGEST_EXPONENT, "expm1": _LARGEST_EXPONENT, "sin": _LARGEST_ANGLE, "cos": _LARGEST_ANGLE}
        self._within(operand, limit.get(name, _LARGEST))
        return self._within(super().function(name, operand), _LARGEST)

    def combine(self, sign: str, left: Any, right: Any) -> Any:
        return self._within(super().combine(sign, left, right), _LARGEST)

    def power(self, base: Any, exponent: Fraction) -> Any:
        return self._within(super().power(base, exponent), _LARGEST)

    def _decide(self, outcome: Any, margin: Any) -> None:
        self.decisions.append((np.asarray(outcome), np.asarray(np.abs(margin))))

    def _within(self, values: Any, limit: Any) -> Any:
        # A NaN is let pass: it may be what a `where` does not choose.
        if bool(np.any(np.abs(values) > limit)):
            raise Unfit("a value that leaves no room for float64")
        return values


class _Moved(type(mp_numbers(DIGITS))):  # type: ignore[misc]
    """mpmath's numbers, every sum, difference and product a little larger or smaller, by a seeded choice."""

    def __init__(self, seed: int) -> None:
        super().__init__(DIGITS)
        self.random = random.Random(seed)

    def combine(self, sign: str, left: Any, right: Any) -> Any:
        return super().combine(sign, left, right) + (self.random.choice((-1, 1)) * NEAREST_EDGE if sign in "+-*" else 0)


def exact(definition: Definition, point: Point) -> Results:
    """Outputs and gradients at a point, and what both move by along its directions, as arrays of mpf.

    The inputs of the point are float64 arrays, those of rows (rows, D) or (rows,); None is left out.

    Raises Unfit for a point too near a switch, outside of a domain, or past what a float64 can hold.
    """
    with mpmath.workdps(DIGITS):
        base = _Watched()
        lifted = {
            name: value if value is None or definition.input(name).kind.is_integer else base.array(value)
            for name, value in point.case.inputs.items()
        }
        outputs = evaluate(definition, lifted, base)
        _require_finite(outputs, "no finite value")
        for seed in range(_MOVES):
            _require_finite(evaluate(definition, lifted, _Moved(seed)), "the edge of a domain")
        for _, margin in base.decisions:
            near = (margin < NEAREST_SWITCH) & (margin > 0)
            if bool(np.any(near)):
                raise Unfit("a switch is near")
        weights = {name: base.array(value) for name, value in point.case.cotangents.items() if value is not None}
        results: Results = {(OUTPUT, name): value for name, value in outputs.items()}
        results |= _gradients(definition, lifted, weights, base)
        if point.directions:
            results |= _moved_along(definition, lifted, point.directions, weights, base)
        _require_finite(results, "no finite value")
    return results


def _moved_along(
    definition: Definition, inputs: Mapping[str, Any], directions: Mapping[str, Any], weights: Any, base: _Watched
) -> Results:
    """Return the derivatives of outputs and gradients along the directions.

    A difference of differences has 20 digits left.
    """
    sides = []
    for sign in (1, -1):
        steps = {name: sign * STEP * base.array(direction) for name, direction in directions.items()}
        moved = {**inputs, **{name: np.asarray(inputs[name] + step) for name, step in steps.items()}}
        outputs = {(TANGENT, name): value for name, value in _outputs(definition, moved, base).items()}
        gradients = _gradients(definition, moved, weights, base)
        sides.append(outputs | {(SECOND, name): value for (_, name), value in gradients.items()})
    results = {result: (sides[0][result] - sides[1][result]) / (2 * STEP) for result in sides[0]}
    return results | {(SECOND_OF_COTANGENT, name): results[TANGENT, name] for name in weights}


def _gradients(definition: Definition, inputs: Mapping[str, Any], weights: Any, base: _Watched) -> Results:
    middle = _losses(_outputs(definition, inputs, base), weights)
    return {
        (GRADIENT, entry.name): _gradient(definition, entry, inputs, weights, base, middle)
        for entry in definition.differentiable
        if inputs.get(entry.name) is not None
    }


def _gradient(
    definition: Definition, entry: Input, inputs: Mapping[str, Any], weights: Any, base: _Watched, middle: Any
) -> Any:
    """The gradient of an input; `middle` is the loss of each row at the point."""
    value = inputs[entry.name]
    gradient = np.empty(value.shape, object)
    places: list[Any] = [()] if entry.kind in (Kind.SCALAR, Kind.ROW_SCALAR) else list(range(value.shape[-1]))
    for place in places:
        # Rows do not see each other, so one step serves all of them.
        index = (..., place) if entry.kind.over_features else ...
        sides = []
        for sign in (1, -1):
            moved = value.copy()
            moved[index] = moved[index] + sign * STEP
            sides.append(_losses(_outputs(definition, {**inputs, entry.name: moved}, base), weights))
        slopes = (sides[0] - sides[1]) / (2 * STEP)
        if bool(np.any(np.abs(sides[0] + sides[1] - 2 * middle) > NEAREST_SWITCH * STEP * (1 + np.abs(slopes)))):
            raise Unfit("another slope on each side")
        gradient[index] = slopes if entry.kind.over_rows else np.sum(slopes)
    return gradient


def _outputs(definition: Definition, inputs: Mapping[str, Any], base: _Watched) -> dict[str, Any]:
    """The outputs near the point; Unfit where something is decided otherwise."""
    numbers = _Watched(base.stopped)
    outputs = evaluate(definition, inputs, numbers)
    for (was, margin), (is_now, now) in zip(base.decisions, numbers.decisions, strict=True):
        if np.any(was != is_now) or np.any((margin == 0) & (now != 0)):
            raise Unfit("a tie that a step breaks")
    return outputs


def _losses(outputs: Mapping[str, Any], weights: Mapping[str, Any]) -> Any:
    """<cotangents, outputs> of each row."""
    rows = next(iter(outputs.values())).shape[0]
    total = np.full(rows, mpmath.mpf(0), object)
    for name, weight in weights.items():
        terms = outputs[name] * weight
        total = total + (terms.sum(-1) if terms.ndim == 2 else terms)
    return total


def _require_finite(values: Mapping[Any, Any], otherwise: str) -> None:
    for value in values.values():
        if not all(mpmath.isfinite(number) for number in np.asarray(value, object).flat):
            raise Unfit(otherwise)
