"""Contracts of `jvp` and `backward_backward` in emitted NumPy code."""

import numpy as np
import pytest

from tests.derivatives import module

ROWS, FEATURES = 5, 7


def normal(*shape, dtype=np.float64, seed=0):
    return np.random.default_rng([seed, *shape]).standard_normal(shape).astype(dtype)


@pytest.fixture
def layer():
    return module("layer_norm")


@pytest.fixture
def saved(layer):
    return layer.forward(normal(ROWS, FEATURES), normal(FEATURES, seed=1), normal(FEATURES, seed=2))[1]


def test_zero_is_none(layer, saved):
    dx, dgamma = normal(ROWS, FEATURES, seed=3), normal(FEATURES, seed=4)
    zeros = np.zeros(FEATURES)
    np.testing.assert_allclose(layer.jvp(saved, dx, None, None), layer.jvp(saved, dx, zeros, zeros), rtol=1e-15)
    np.testing.assert_allclose(layer.jvp(saved, None, dgamma), layer.jvp(saved, 0 * dx, dgamma, zeros), rtol=1e-15)
    dy = normal(ROWS, FEATURES, seed=5)
    for given, full in (((dx,), (dx, zeros, zeros)), ((None, dgamma), (0 * dx, dgamma, zeros))):
        for one, other in zip(
            layer.backward_backward(saved, dy, *given), layer.backward_backward(saved, dy, *full), strict=True
        ):
            np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-15)


def test_any_argument_may_be_left_out(layer, saved):
    dgamma, dy = normal(FEATURES, seed=4), normal(ROWS, FEATURES, seed=5)
    np.testing.assert_array_equal(layer.jvp(saved, gamma_dot=dgamma), layer.jvp(saved, None, dgamma))
    full = layer.backward_backward(saved, dy, None, dgamma)
    for one, other in zip(layer.backward_backward(saved, dy, ddgamma=dgamma), full, strict=True):
        np.testing.assert_array_equal(one, other)


def test_an_input_that_was_left_out_does_not_move(layer):
    x = normal(ROWS, FEATURES)
    _, fewer = layer.forward(x)
    _, full = layer.forward(x, np.ones(FEATURES), np.zeros(FEATURES))
    np.testing.assert_array_equal(layer.jvp(fewer, x), layer.jvp(full, x))
    result = layer.backward_backward(fewer, x, x)
    assert result.dgamma is None
    assert result.dbeta is None
    np.testing.assert_allclose(result.dx, layer.backward_backward(full, x, x).dx, rtol=1e-14, atol=1e-15)


def test_out_threads_and_read_only_arguments(layer, saved):
    dx = normal(ROWS, FEATURES, seed=3)
    dx.flags.writeable = False
    out = np.empty((ROWS, FEATURES))
    assert layer.jvp(saved, dx, out=out) is out
    np.testing.assert_array_equal(out, layer.jvp(saved, dx, threads=3))
    plain = layer.backward_backward(saved, dx, dx)
    places = tuple(np.empty_like(value) for value in plain)
    for place, value, other in zip(places, layer.backward_backward(saved, dx, dx, out=places), plain, strict=True):
        assert value is place
        np.testing.assert_array_equal(value, other)
    with pytest.raises(ValueError, match="out for y_dot overlaps x_dot; pass another array"):
        layer.jvp(saved, out, out=out)


def test_several_outputs():
    several = module("residual_add")
    x = normal(ROWS, FEATURES)
    (y, _), saved = several.forward(x, normal(ROWS, FEATURES, seed=1))
    moved = several.jvp(saved, x, None)
    assert type(moved) is several.Outputs
    np.testing.assert_array_equal(moved[list(several.Outputs._fields).index("h")], x)
    fields = several.SecondGradients._fields
    assert fields == ("dx", "dr", "dgamma", "dbeta", *(f"dd{name}" for name in several.Outputs._fields))
    result = several.backward_backward(saved, (y, None), x)
    assert result.dgamma is None
    assert getattr(result, fields[-1]) is None
    assert not np.shares_memory(result.dx, result.dr)
    np.testing.assert_array_equal(result.dx, result.dr)
    with pytest.raises(TypeError, match="cotangents is of type ndarray; pass all of them as a tuple, \\(d"):
        several.backward_backward(saved, y, x)
    with pytest.raises(ValueError, match="cotangents has 1 entries; pass 2, for"):
        several.backward_backward(saved, (y,), x)


@pytest.mark.parametrize("sequence", [tuple, list])
def test_cotangents_may_come_in_a_tuple_or_a_list(layer, saved, sequence):
    dy = normal(ROWS, FEATURES, seed=6)
    alone = layer.backward_backward(saved, dy, dy)
    for one, other in zip(alone, layer.backward_backward(saved, sequence([dy]), dy), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.ci
def test_many_arguments_that_may_be_none():
    """Beyond the cases that have code of their own, absent arguments are filled with zeros."""
    names = "abcdeg"
    inputs = ", ".join(f"{name}: Feature = 1" for name in names)
    many = module(f"def f(x: Row, {inputs}, s: Scalar = 1): return s*x*{'*'.join(names)}")
    x, w = normal(ROWS, FEATURES), [normal(FEATURES, seed=k) for k in range(len(names))]
    saved = many.forward(x, *w, 2.0)[1]
    expected = 2 * x * np.prod(w[:-1], axis=0)
    np.testing.assert_allclose(many.jvp(saved, None, *[None] * 5, np.ones(FEATURES)), expected)
    result = many.backward_backward(saved, x, None, *[None] * 5, np.ones(FEATURES))
    np.testing.assert_allclose(result.ddy, expected)
    fewer = many.forward(x)[1]
    np.testing.assert_array_equal(many.jvp(fewer, x), x)
