"""Functions in emitted NumPy code beyond their values, which are in test_every_function: accuracy, ends, and masks."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import mpmath
import numpy as np
import pytest

from lngen.emit.numpy.presence import Cases
from lngen.plan.presence import all_of, any_of
from tests.derivatives import module


@pytest.mark.ci
@pytest.mark.parametrize(("dtype", "ulps"), [(np.float32, 2), (np.float64, 2)])
def test_erf(dtype: Any, ulps: float) -> None:
    layer = module("def f(x: Row): return erf(x)")
    rng = np.random.default_rng(5)
    parts = (
        rng.uniform(-1.7, 1.7, 3000),
        rng.uniform(-7, 7, 2000),
        10.0 ** rng.uniform(-30, 0, 500),
        [0.0, 1.5, -1.5, float(np.nextafter(dtype(1.5), dtype(2)))],
    )
    points = np.concatenate(parts).astype(dtype)
    got = layer.forward(points)[0]
    with mpmath.workdps(30):
        exact = [mpmath.erf(mpmath.mpf(float(u))) for u in points]
        spacing = np.spacing(np.asarray([float(abs(value)) for value in exact], dtype))
        error = [
            abs(mpmath.mpf(float(g)) - e) / mpmath.mpf(float(s)) for g, e, s in zip(got, exact, spacing, strict=True)
        ]
    assert max(error) < ulps
    extremes = np.asarray([np.inf, -np.inf, np.nan, 1e30, -1e30], dtype)
    np.testing.assert_array_equal(layer.forward(extremes)[0], np.asarray([1, -1, np.nan, 1, -1], dtype))
    assert np.signbit(layer.forward(np.asarray([-0.0], dtype))[0][0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extremes_without_warnings(dtype: Any) -> None:
    points = np.asarray([-1e4, -800, -90, 0, 90, 800, 1e4], dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sigmoid = module("def f(x: Row): return sigmoid(x)").forward(points)[0]
        softplus = module("def f(x: Row): return softplus(x)").forward(points)[0]
    assert sigmoid[0] == 0
    assert sigmoid[3] == 0.5
    assert sigmoid[-1] == 1
    np.testing.assert_allclose(softplus[3:], [np.log(2), 90, 800, 1e4], rtol=1e-6)
    assert softplus[0] == 0


def test_a_quotient_of_the_side_not_taken_does_not_complain() -> None:
    layer = module("def f(x: Row): return where(x > 0, x, 3/(1 - x))")
    points = np.asarray([[-3.0, 0.0, 1.0, 4.0, 1e4], [-700.0, 1e-300, 1.0, 1.0, -1.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got, saved = layer.forward(points)
        layer.backward(saved, points)
    with np.errstate(all="ignore"):
        exact = np.where(points > 0, points, 3 / (1 - points))
    np.testing.assert_allclose(got, exact, rtol=1e-14)


def test_a_quotient_outside_of_a_select_complains() -> None:
    layer = module("def f(x: Row): return 3/(1 - x) + where(x > 0, x, 2)")
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        layer.forward(np.asarray([[1.0, 2.0]]))


@pytest.mark.ci
def test_a_root_of_another_shape_than_the_select() -> None:
    layer = module("def f(x: Row, w: Feature): return where(x > 0, x*sqrt(w), x/w)")
    points, weights = np.asarray([[1.0, -2.0, 3.0]]), np.asarray([4.0, 9.0, 16.0])
    np.testing.assert_array_equal(layer.forward(points, weights)[0], [[2.0, -2 / 9, 12.0]])
    layer = module("def f(x: Row, q: RowScalar): return where(x > 0, x*sqrt(q), x)")
    y, saved = layer.forward(points, np.asarray([4.0]))
    np.testing.assert_array_equal(y, [[2.0, -2.0, 6.0]])
    gradients = layer.backward(saved, points)
    np.testing.assert_array_equal(gradients.dx, [[2.0, -2.0, 6.0]])
    np.testing.assert_array_equal(gradients.dq, [2.5])


def test_conditions_are_minimal_and_exact() -> None:
    cases = Cases(("a", "b", "c"))
    a, b, c = (cases.present(name) for name in cases.names)
    assert cases.condition(a & b | a & ~b & cases.everything) == "a is not None"
    assert cases.condition(a | b) == "a is not None or b is not None"
    products = [
        all_of(one if there else ~one for one, there in zip((a, b, c), signs, strict=True))
        for signs in itertools.product((False, True), repeat=3)
    ]
    for wanted in range(1, 255):
        text = cases.condition(any_of(product for number, product in enumerate(products) if wanted >> number & 1))
        for number, signs in enumerate(itertools.product((False, True), repeat=3)):
            values = {name: 1 if there else None for name, there in zip(cases.names, signs, strict=True)}
            assert bool(eval(text or "True", {}, values)) == bool(wanted >> number & 1)
    dont_care = Cases(("dy", "dh"), groups=(("dy", "dh"),))
    assert dont_care.condition(dont_care.everything) == ""
    assert dont_care.condition(dont_care.everything & ~dont_care.present("dy")) == "dy is None"
    assert a & b & c


def test_of_many_arguments_a_condition_names_those_that_decide() -> None:
    cases = Cases(tuple(f"w{n}" for n in range(40)))
    present = [cases.present(name) for name in cases.names]
    text = cases.condition(present[7] & any_of(present[20:23]))
    assert text == "w7 is not None and (w20 is not None or w21 is not None or w22 is not None)"
    assert cases.condition(all_of(~one for one in present)).count(" is None") == 40
