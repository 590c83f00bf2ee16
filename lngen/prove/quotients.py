"""Difference quotients: each gradient beside the definition itself, moved by a little, in many digits.

The definition as written is evaluated a step to both sides of a point, along a random direction of one input. What it
changes by, over both steps, is the derivative to fifty digits, and the gradient says it as a sum of products. No
derivative of a function is asked, no rule for means and no algebra of the proofs, so that a fault of these is seen.

Values that no gradient flows through stay as they are at the point. Nothing is claimed where the definition is not
finite, and no point is drawn on a kink.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import mpmath
import numpy as np

from lngen.algebra.numeric import Arithmetic, Environment, evaluate_equations, evaluate_expression
from lngen.algebra.symbols import StopGradient, TypedSymbol
from lngen.derivation.derivation import FIFTY, NONE, QUOTIENTS, Derivation, Proof
from lngen.prove.digits import DIGITS, REQUIRED, agreement, direction, input_point, is_finite, rests_on_rounding

SIZES = 4
"""Number of D that are tried, from the smallest on."""

_WORKED = 180
_STEP = mpmath.mpf(10) ** -60
_SMALLEST = mpmath.mpf(10) ** -40
"""Least size of a change, beside 1 and the value that changes, of which the digits are no rounding."""

_RANGES = ((-1, 1), (1, 2), (-2, -1))


def quotient_proofs(derivation: Derivation) -> Iterator[Proof]:
    """Yield a proof for each gradient: to how many digits it is the difference quotient, at which D."""
    smallest = derivation.definition.minimum_features
    every = range(smallest, smallest + SIZES)
    found: dict[TypedSymbol, dict[int, int]] = {symbol: {} for symbol, _ in derivation.gradients}
    with mpmath.workdps(_WORKED):
        for features in every:
            for low, high in _RANGES:
                point = input_point(derivation, features, random.Random(f"{features} {low}"), low, high)
                for symbol, digits in _compared(derivation, features, point):
                    found[symbol][features] = min(digits, found[symbol].get(features, DIGITS))
    for symbol, gradient in derivation.gradients:
        sizes, about = found[symbol], partial(Proof, about=QUOTIENTS)
        wrong = next((features for features, digits in sizes.items() if digits < REQUIRED), None)
        if wrong is not None:
            text = f"{gradient.name} differs from the difference quotient of the definition at D = {wrong}"
            yield about(FIFTY, text, passed=False)
        elif sizes:
            at, digits = ", ".join(map(str, sizes)), min(sizes.values())
            text = f"{gradient.name}: difference quotients of the definition agree to {digits} digits, D = {at}"
            yield about(FIFTY, text, passed=True)
        else:
            text = f"{gradient.name}: the definition has no difference quotient at any point that was tried"
            yield about(NONE, text, passed=True)


def _compared(derivation: Derivation, features: int, point: Environment) -> Iterator[tuple[TypedSymbol, int]]:
    """Yield the digits to which each gradient says how the definition changes; nothing where it is not finite."""
    arithmetic, moved = Arithmetic(_WORKED), _LossNearby(derivation, point)
    values = evaluate_equations(derivation.forward.equations, point, arithmetic)
    values = evaluate_equations(derivation.backward, values, arithmetic)
    for symbol, gradient in derivation.gradients:
        along = direction(symbol, features)
        there, back = (moved.loss(symbol, sign * _STEP * along) for sign in (1, -1))
        parts = np.ravel(np.asarray(values[gradient] * along, dtype=object))
        if not all(map(is_finite, (parts, there, back))):
            continue
        least = max(mpmath.fsum(map(abs, parts)), _SMALLEST * (1 + abs(there) + abs(back)))
        digits = agreement(mpmath.fsum(parts), (there - back) / (2 * _STEP), DIGITS, least=least)
        if digits >= REQUIRED or not rests_on_rounding(derivation, moved.values):
            yield symbol, digits


class _LossNearby:
    """The sum of the outputs of a definition, each entry times its cotangent, at a point with one input moved."""

    def __init__(self, derivation: Derivation, point: Environment) -> None:
        self.derivation, self.point, self.arithmetic = derivation, point, Arithmetic(_WORKED)
        self.equations = derivation.written.equations
        self.values = evaluate_equations(self.equations, point, self.arithmetic)
        self.held = {q.symbol: self.values[q.symbol] for q in self.equations if q.stopped}
        for node in {node for q in self.equations for node in q.expression.atoms(StopGradient)}:
            self.held[node] = evaluate_expression(node.args[0], self.values, self.arithmetic)

    def loss(self, symbol: TypedSymbol, step: Any) -> Any:
        """The sum where an input is moved by a step, which moves the values that are computed from it."""
        values, moved = {**self.values, **self.held, symbol: self.point[symbol] + step}, {symbol}
        for q in self.equations:
            if q.symbol not in self.held and not moved.isdisjoint(q.expression.free_symbols):
                values[q.symbol] = evaluate_expression(q.expression, values, self.arithmetic)
                moved.add(q.symbol)
        ends = zip(self.derivation.written.outputs, self.derivation.adjoint.cotangents, strict=True)
        every = (np.ravel(np.asarray(values[output] * values[cotangent], dtype=object)) for output, cotangent in ends)
        return mpmath.fsum(np.concatenate([*every]))
