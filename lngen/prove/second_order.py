"""Dot test of a JVP and its VJP in 50-digit arithmetic.

For every direction v and every cotangent u, `<J v, u> = <v, J^T u>`. The two sides come from different equations: the
JVP from the tangents of the normal form, the VJP from its own derivation. For the double backward J is the derivative
of the gradients, taken line by line and not simplified.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import mpmath
import numpy as np

from lngen.algebra.numeric import Arithmetic, Environment, evaluate_equations, evaluate_expression
from lngen.algebra.symbols import TypedSymbol
from lngen.derivation.derivation import FIFTY, NONE, Derivation, Derivative
from lngen.derivation.double_backward import backward_as_forward
from lngen.derivation.jvp import tangent
from lngen.derivation.short_lines import in_short_lines
from lngen.prove.digits import REQUIRED, Sides, at_every_size, direction, shape_of


def second_order_proof(
    derivation: Derivation, function: str, most: int | None = None, required: int = REQUIRED
) -> tuple[str, str, bool]:
    """Return the grade of the dot test of the JVP or of the double backward, its statement, and its outcome.

    `most` limits the number of sizes, the smallest first. `required` are the digits to which both sides have to agree.
    """
    seed, at = (200, _jvp_sides) if function == "jvp" else (300, _double_sides)
    found = at_every_size(derivation, seed, partial(at, derivation, getattr(derivation, function)), most)
    if not found:
        return NONE, f"{function}: it has no finite value at any point that was tried", True
    worst, said = min(agreed for *_, agreed in found), ", ".join(str(features) for features, *_ in found)
    return FIFTY, f"{function}: <J v, u> = <v, J^T u> to {worst} digits, D = {said}", worst >= required


def _jvp_sides(
    derivation: Derivation, jvp: Derivative, features: int, point: Environment, arithmetic: Arithmetic
) -> Sides:
    point = evaluate_equations(derivation.written.equations, point, arithmetic)
    point = evaluate_equations(derivation.forward.equations, point, arithmetic)
    gradients = evaluate_equations(derivation.backward, point, arithmetic)
    moved = evaluate_equations(jvp.equations, _with_directions(point, jvp.arguments, features), arithmetic)
    forward = zip((symbol for _, symbol in jvp.results), derivation.adjoint.cotangents, strict=True)
    backward = zip(jvp.arguments, (gradient for _, gradient in derivation.gradients), strict=True)
    left = _dot(((moved[a], point[u], u) for a, u in forward), features)
    return _finite_pair(left, _dot(((moved[v], gradients[g], v) for v, g in backward), features))


def _double_sides(
    derivation: Derivation, double: Derivative, features: int, point: Environment, arithmetic: Arithmetic
) -> Sides:
    point = evaluate_equations(derivation.written.equations, point, arithmetic)
    cotangents = derivation.adjoint.cotangents
    whole = backward_as_forward(derivation.forward, cotangents, derivation.backward, derivation.gradients)
    # Not simplified, but in lines short enough to differentiate.
    forward = in_short_lines(whole.forward)
    along = tangent(forward)
    point = evaluate_equations(forward.equations, point, arithmetic)
    point = _with_directions(point, double.arguments, features)
    moved = evaluate_equations(along.equations, _with_directions(point, along.arguments, features), arithmetic)
    result = evaluate_equations(double.equations, point, arithmetic)
    of_gradients = [evaluate_expression(value, moved, arithmetic) for _, value in along.results]
    left = _dot(((a, point[w], w) for a, w in zip(of_gradients, double.arguments, strict=True)), features)
    pairs = zip(along.arguments, double.results, strict=True)
    return _finite_pair(left, _dot(((moved[v], result[symbol], v) for v, (_, symbol) in pairs), features))


def _finite_pair(left: Any, right: Any) -> Sides:
    return [("", left, right)] if mpmath.isfinite(left) and mpmath.isfinite(right) else []


def _with_directions(point: Environment, symbols: Sequence[TypedSymbol], features: int) -> Environment:
    """The point with a direction for some symbols.

    Were two directions the same, faults of one sign and of the other would cancel in `<J v, u> = <v, J^T u>`.
    """
    return point | {symbol: direction(symbol, features) for symbol in symbols}


def _dot(triples: Iterator[tuple[Any, Any, TypedSymbol]], features: int) -> Any:
    """The sum over everything of a*b, each as wide as its symbol says."""
    total = mpmath.mpf(0)
    for a, b, symbol in triples:
        product = np.broadcast_to(np.asarray(a * b, dtype=object), shape_of(symbol, features))
        total += sum(product.flat, mpmath.mpf(0))
    return total
