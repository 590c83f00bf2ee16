"""The complex step against derivatives that are known."""

import numpy as np
import pytest

from lngen.checks import complex_step, inputs, reference
from lngen.checks.complex_step import gradient, rows_are_independent
from lngen.checks.evidence import metric_error
from lngen.checks.layer import Case
from lngen.language.parsing import load, parse
from tests.shipped import ROOT

CENTRED = load(ROOT / "derive" / "layer_norm.py")
MIXED = parse(
    "def mixed(x: Row, s: RowScalar, w: Feature, a: Scalar, eps: Constant = 1e-2):\n"
    "    m = mean(w * x)\n"
    "    y = tanh(a * x) * s + m * mean(w) / (eps + sum(x**2))\n"
    "    return y, m\n"
)


def test_a_polynomial_gives_its_derivative_exactly():
    cube = parse("def cube(x: Row): return x**3")
    case = Case("cube", 2, 2, {"x": np.array([[1.0, -2.0], [0.5, 4.0]])}, {"y": np.array([[1.0, 2.0], [4.0, -1.0]])})
    expected = 3 * case.inputs["x"] ** 2 * case.cotangents["y"]
    assert np.array_equal(gradient(cube, case)["x"], expected)


@pytest.mark.parametrize("definition", [CENTRED, MIXED], ids=lambda d: d.name)
@pytest.mark.parametrize("shape", [(1, 1), (3, 4)])
def test_every_kind_of_input_agrees_with_80_digits(definition, shape):
    case = inputs.ordinary(definition, *shape, seed=1)
    exact = reference.derivatives(definition, case)
    found = gradient(definition, case)
    assert found.keys() == exact.keys()
    for name, value in found.items():
        assert value.shape == exact[name].shape
        assert metric_error(value, exact[name]) < 4e-15, name


def test_directions_at_large_sizes_include_one_that_avoids_the_null_space():
    case = inputs.ordinary(CENTRED, 2, 257, seed=7)
    probes = complex_step.directions(case, CENTRED.input("x"), seed=8)
    assert list(probes) == ["signed", "positive", "null-space-orthogonal"]
    assert np.all(probes["positive"] >= 0)
    away = probes["null-space-orthogonal"]
    x = case.inputs["x"]
    for null in (np.ones_like(x), x - x.mean(-1, keepdims=True)):
        cosine = (away * null).sum(-1) / np.linalg.norm(away, axis=-1) / np.linalg.norm(null, axis=-1)
        assert np.all(np.abs(cosine) < 1e-2)


def test_sampled_columns_are_those_of_the_whole():
    case = inputs.ordinary(MIXED, 3, 9, seed=2)
    whole, some = gradient(MIXED, case), gradient(MIXED, case, [1, 7])
    assert np.array_equal(some["x"], whole["x"][:, [1, 7]])
    assert np.array_equal(some["w"], whole["w"][[1, 7]])
    assert np.array_equal(some["a"], whole["a"])


def test_many_rows_are_worked_on_in_blocks(monkeypatch):
    case = inputs.ordinary(MIXED, 5, 6, seed=3)
    whole = gradient(MIXED, case)
    monkeypatch.setattr("lngen.checks.rows._BLOCK_ENTRIES", 7)
    for name, value in gradient(MIXED, case).items():
        assert metric_error(value, whole[name]) < 1e-15


def test_stop_gradient_has_no_derivative():
    stopped = parse("def stopped(x: Row): return x * stop_gradient(x)")
    case = inputs.ordinary(stopped, 2, 3, seed=0)
    assert np.allclose(gradient(stopped, case)["x"], case.inputs["x"] * case.cotangents["y"], rtol=1e-15)


def test_rows_of_the_evaluator_are_independent():
    assert rows_are_independent(MIXED, inputs.ordinary(MIXED, 4, 5, seed=0))


def test_dependent_rows_are_noticed(monkeypatch):
    mixing = {"y": lambda x: x + x.sum(0, keepdims=True)}
    monkeypatch.setattr(
        complex_step,
        "evaluate",
        lambda definition, values, numbers: {n: f(values["x"]) for n, f in mixing.items()},
    )
    definition = parse("def plain(x: Row): return 2*x")
    assert not rows_are_independent(definition, inputs.ordinary(definition, 3, 2, seed=0))


def test_the_derivative_by_a_constant():
    ridge = parse("def ridge(x: Row, eps: Constant = 0.5): return x / (1 + eps)")
    case = inputs.ordinary(ridge, 3, 4, seed=0)
    found = complex_step.directional(ridge, case, "eps", 1.0)
    expected = -(case.inputs["x"] * case.cotangents["y"]).sum(-1) / (1 + case.inputs["eps"]) ** 2
    assert np.allclose(np.asarray(found, float), expected, rtol=1e-14)
