"""Many inputs that may be left out: 2**k sets of them, of which none may be listed on the way."""

from __future__ import annotations

import numpy as np
import pytest

from lngen.checks import complex_step
from lngen.checks.layer import Case
from lngen.language.oracle.evaluate import evaluate
from lngen.language.parsing import parse
from tests import derivatives
from tests.tiers import sample

ROWS, FEATURES = 5, 4


def text(count):
    """A norm followed by so many gains and shifts in turn, each with its neutral value, and now and then a function."""
    inputs = ", ".join(f"w{n}: Feature = {1 - n % 2}" for n in range(count))
    steps = "".join(
        f"    h{n} = {'tanh' if n % 4 == 3 else ''}(h{n - 1} {'+' if n % 2 else '*'} w{n})\n" for n in range(count)
    ).replace("h-1", "h")
    return (
        f"def many(x: Row, {inputs}):\n"
        "    h = (x - mean(x)) * rsqrt(mean((x - mean(x)) ** 2) + 1e-5)\n"
        f"{steps}    return h{count - 1}\n"
    )


def layer(count):
    return parse(text(count)), derivatives.module(text(count))


@pytest.mark.ci
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("count", sample([12, 20], [12]))
@pytest.mark.parametrize("rows", [ROWS, 400])
def test_gradients_are_right_whichever_are_left_out(count, dtype, rows):
    definition, module = layer(count)
    rng = np.random.default_rng(count)
    bound = 1e-12 if dtype == np.float64 else 1e-4
    for there in [np.zeros(count, bool), np.ones(count, bool), *(rng.random((6, count)) < 0.5)]:
        x, dy = rng.standard_normal((2, rows, FEATURES)).astype(dtype)
        weights = {f"w{n}": (rng.uniform(0.5, 1.5, FEATURES)).astype(dtype) if there[n] else None for n in range(count)}
        y, saved = module.forward(x, **weights)
        gradients = module.backward(saved, dy)
        case = Case("random", rows, FEATURES, {"x": x, **weights}, {definition.outputs[0]: dy})
        np.testing.assert_allclose(y, evaluate(definition, case.inputs)[definition.outputs[0]], atol=bound, rtol=bound)
        expected = complex_step.gradient(definition, case)
        assert {name for name in ["x", *weights] if getattr(gradients, f"d{name}") is not None} == set(expected)
        for name, value in expected.items():
            scale = max(1, np.abs(value).max())
            np.testing.assert_allclose(getattr(gradients, f"d{name}") / scale, value / scale, atol=bound, rtol=0)


@pytest.mark.ci
def test_directions_beyond_backward_take_them_too():
    """The Hessian of <dy, y> is symmetric: the tangent of dx along a direction, both ways round."""
    definition, module = layer(12)
    rng = np.random.default_rng(1)
    there = rng.random(12) < 0.5
    x, dy, dx = rng.standard_normal((3, ROWS, FEATURES))
    weights = {f"w{n}": rng.uniform(0.5, 1.5, FEATURES) if there[n] else None for n in range(12)}
    _, saved = module.forward(x, **weights)
    tangents = [dx, *(None if weight is None else rng.standard_normal(FEATURES) for weight in weights.values())]
    along = dict(zip(["x", *weights], tangents, strict=True))
    moved = {name: None if value is None else value + 1e-6 * along[name] for name, value in {"x": x, **weights}.items()}
    back = {name: None if value is None else value - 1e-6 * along[name] for name, value in {"x": x, **weights}.items()}
    (name,) = definition.outputs
    slope = (evaluate(definition, moved)[name] - evaluate(definition, back)[name]) / 2e-6
    np.testing.assert_allclose(module.jvp(saved, *tangents), slope, atol=1e-8)
    second = module.backward_backward(saved, dy, *tangents)
    np.testing.assert_allclose(second[-1], slope, atol=1e-8)  # the gradient of <dx, tangent> with respect to dy
