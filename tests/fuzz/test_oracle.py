"""The 60-digit oracle of random definitions."""

from __future__ import annotations

import numpy as np
import pytest

from lngen.checks.layer import Case
from lngen.language.parsing import parse
from tests.fuzz import oracle
from tests.fuzz.answers import GRADIENT, SECOND, SECOND_OF_COTANGENT, TANGENT, Point


def _at(x: list[float], dy: list[float], direction: list[float] | None = None) -> Point:
    directions = {} if direction is None else {"x": np.array([direction])}
    return Point(Case("", 1, len(x), {"x": np.array([x])}, {"y": np.array([dy])}), directions)


def test_it_knows_stop_gradient() -> None:
    found = oracle.exact(parse("def f(x: Row): return x*stop_gradient(x)"), _at([3.0, 0.5], [1.0, 2.0]))
    assert [float(value) for value in found[GRADIENT, "x"][0]] == [3.0, 1.0]


def test_what_gradients_move_by() -> None:
    found = oracle.exact(parse("def f(x: Row): return x**3"), _at([2.0, -1.0], [1.0, 0.5], [1.0, 4.0]))
    for result, wanted in {
        (TANGENT, "y"): [12.0, 12.0],
        (SECOND, "x"): [12.0, -12.0],
        (SECOND_OF_COTANGENT, "y"): [12.0, 12.0],
    }.items():
        np.testing.assert_allclose(found[result][0].astype(float), wanted, rtol=1e-15)


def test_it_refuses_a_point_near_a_switch() -> None:
    with pytest.raises(oracle.Unfit, match="switch"):
        oracle.exact(parse("def f(x: Row): return relu(x)"), _at([1.0, 1e-7], [1.0, 1.0]))


def test_it_refuses_a_point_with_another_slope_on_each_side() -> None:
    for body in ("x + sqrt(abs(x))", "x + (x*x)**0.25"):
        with pytest.raises(oracle.Unfit, match=r"tie|slope|edge"):
            oracle.exact(parse(f"def f(x: Row): return {body}"), _at([1.0, 0.0], [1.0, 1.0]))


@pytest.mark.parametrize(
    ("body", "fit"),
    [("sqrt(x - mean(x))", False), ("sqrt(abs(x - mean(x)))", True), ("sqrt(mean((x - mean(x))**2))", True)],
)
def test_it_refuses_the_edge_of_a_domain(body: str, fit: bool) -> None:
    definition = parse(f"def f(x: Row): return {body} * x")
    if fit:
        assert oracle.exact(definition, _at([1.5], [1.0]))[GRADIENT, "x"] == 0
    else:
        with pytest.raises(oracle.Unfit, match="edge"):
            oracle.exact(definition, _at([1.5], [1.0]))
