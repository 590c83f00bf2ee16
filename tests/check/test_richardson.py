"""Extrapolated differences: value, bar and order."""

import numpy as np
import pytest

from lngen.check import inputs, reference, richardson
from lngen.language.parsing import parse
from tests.check import standin

CENTRED = parse(standin.DEFINITION)


@pytest.mark.parametrize("shape", [(2, 1), (2, 2), (3, 7)])
def test_the_exact_gradient_lies_inside_the_bar(shape):
    case = inputs.ordinary(CENTRED, *shape, seed=4)
    exact = reference.derivatives(CENTRED, case)
    forward = richardson.oracle(CENTRED, case)
    for entry in CENTRED.differentiable:
        estimate = richardson.every_entry(forward, case, entry)
        gap = np.abs(estimate.value - exact[entry.name])
        assert estimate.value.shape == exact[entry.name].shape
        assert np.all(gap <= estimate.bar), entry.name
        assert estimate.order_is_two
        assert estimate.bar.max() < 1e-11


def test_the_order_of_a_smooth_function_is_two():
    case = inputs.ordinary(CENTRED, 3, 7, seed=5)
    estimate = richardson.every_entry(richardson.oracle(CENTRED, case), case, CENTRED.input("x"))
    assert estimate.order == pytest.approx(2, abs=0.05)


def test_a_kink_is_given_away_by_the_order_or_the_bar():
    kinked = parse("def kinked(x: Row): return abs(x)**1.5")
    case = inputs.ordinary(kinked, 1, 1, seed=0)
    case = inputs.replace(case, inputs={"x": np.zeros((1, 1))}, cotangents={"y": np.ones((1, 1))})
    at_the_side = inputs.replace(case, inputs={"x": np.full((1, 1), 1e-9)})
    estimate = richardson.every_entry(richardson.oracle(kinked, at_the_side), at_the_side, kinked.input("x"))
    assert not estimate.order_is_two or estimate.bar.max() > 1e-6


def test_the_bar_of_a_float64_forward_is_honest_and_wider():
    case = inputs.ordinary(CENTRED, 3, 7, seed=6)
    exact = reference.derivatives(CENTRED, case)["x"]

    def outputs(values):
        return {"y": standin.forward(values["x"], values["gamma"], values["beta"])[0]}

    oracle, emitted = richardson.oracle(CENTRED, case), richardson.emitted(CENTRED, outputs, case)
    entry = CENTRED.input("x")
    fine, coarse = (richardson.every_entry(forward, case, entry) for forward in (oracle, emitted))
    assert np.all(np.abs(coarse.value - exact) <= coarse.bar)
    assert coarse.bar.max() > 10 * fine.bar.max()


def test_directions_are_dyadic_and_one_avoids_the_null_space():
    case = inputs.ordinary(CENTRED, 2, 257, seed=7)
    probes = richardson.directions(case, CENTRED.input("x"), seed=8)
    assert list(probes) == ["signed", "positive", "null-space-orthogonal"]
    for probe in probes.values():
        assert np.array_equal(probe * 64, np.round(probe * 64))
    assert np.all(probes["positive"] >= 0)
    away = probes["null-space-orthogonal"]
    x = case.inputs["x"]
    for null in (np.ones_like(x), x - x.mean(-1, keepdims=True)):
        cosine = (away * null).sum(-1) / np.linalg.norm(away, axis=-1) / np.linalg.norm(null, axis=-1)
        assert np.all(np.abs(cosine) < 1e-2)
