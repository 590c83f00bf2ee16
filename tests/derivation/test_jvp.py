"""The unsimplified tangent, and the VJP as a forward, held against differences and against the adjoint."""

import numpy as np
import pytest

from lngen.algebra.equations import Equation
from lngen.algebra.numeric import Arithmetic, evaluate_equations, evaluate_expression
from lngen.algebra.symbols import D, RowSymbol, Where, axes
from lngen.derivation.double_backward import backward_as_forward
from lngen.derivation.from_definition import translate
from lngen.derivation.jvp import moved_by, tangent
from lngen.derivation.vjp import adjoint
from lngen.language.parsing import parse
from tests.corpus import FILES, TEXTS

SMOOTH = ("layer_norm", "rms_norm", "softmax", "log_partition", "norm_of_norm", "weighted_mean_square", "feature_sum")
ROWS, FEATURES = 3, 4


def _point(symbols, seed):
    generator = np.random.default_rng(seed)

    def draw(symbol):
        varies = axes(symbol)
        shape = ((ROWS,) if varies.rows else ()) + ((FEATURES,) if varies.features else (1,) if varies.rows else ())
        return generator.uniform(0.2, 1.0, shape).astype(np.longdouble)

    return {D: FEATURES} | {symbol: draw(symbol) for symbol in symbols}


def _along(forward, found, point, directions):
    arithmetic = Arithmetic(dtype=np.longdouble)
    values = evaluate_equations(forward.equations, point, arithmetic)
    values |= dict(zip(found.arguments, directions, strict=True))
    values = evaluate_equations(found.equations, values, arithmetic)
    return [np.asarray(evaluate_expression(result, values, arithmetic)) for _, result in found.results]


def _differences(forward, point, directions, step=1e-4):
    arithmetic = Arithmetic(dtype=np.longdouble)

    def outputs(size):
        moved = dict(point)
        for symbol, direction in zip(forward.differentiable, directions, strict=True):
            moved[symbol] = point[symbol] + np.longdouble(size) * direction
        values = evaluate_equations(forward.equations, moved, arithmetic)
        return [np.asarray(values[output]) for output in forward.outputs]

    pairs = zip(outputs(step), outputs(-step), outputs(step / 2), outputs(-step / 2), strict=True)
    return [(4 * (c - d) / step - (a - b) / (2 * step)) / 3 for a, b, c, d in pairs]


def _agree(forward, seed):
    found = tangent(forward)
    point = _point(forward.symbols, seed)
    directions = [_point([symbol], seed + 1)[symbol] for symbol in forward.differentiable]
    for value, exact in zip(
        _along(forward, found, point, directions), _differences(forward, point, directions), strict=True
    ):
        assert np.max(np.abs(value - exact)) <= 1e-11 * max(1, np.max(np.abs(exact)))


@pytest.mark.parametrize("name", SMOOTH)
def test_the_tangent_is_the_derivative_along_a_direction(name):
    _agree(translate(parse({**FILES, **TEXTS}[name])), 1)


@pytest.mark.parametrize("name", SMOOTH)
def test_the_adjoint_of_the_gradients_is_the_transpose_of_their_tangent(name):
    forward = translate(parse({**FILES, **TEXTS}[name]))
    found = adjoint(forward)
    whole = backward_as_forward(forward, found.cotangents, found.equations, found.gradients).forward
    back, along = adjoint(whole), tangent(whole)
    arithmetic = Arithmetic(dtype=np.longdouble)
    point = evaluate_equations(whole.equations, _point(whole.symbols, 3), arithmetic)
    v = _point(along.arguments, 4)
    w = _point(back.cotangents, 5)
    moved = evaluate_equations(along.equations, point | v, arithmetic)
    result = evaluate_equations(back.equations, point | w, arithmetic)

    def dot(a, b, like):
        shape = np.shape(_point([like], 0)[like])
        return np.sum(np.broadcast_to(a * b, shape))

    left = sum(
        dot(evaluate_expression(value, moved, arithmetic), w[c], c)
        for (_, value), c in zip(along.results, back.cotangents, strict=True)
    )
    right = sum(dot(result[g], v[a], a) for (_, g), a in zip(back.gradients, along.arguments, strict=True))
    assert abs(left - right) <= 1e-15 * max(1, abs(left))


def test_selects_on_one_condition_are_added_up_inside_it():
    x, g, dx, dg = (RowSymbol(name) for name in ("x", "g", "dx", "dg"))
    moved = moved_by(Equation(RowSymbol("y"), Where(x > 0, g * x, 0)), {x: dx, g: dg})
    assert moved == Where(x > 0, g * dx + dg * x, 0)
