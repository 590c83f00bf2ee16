"""Plain differentiation: each function of its table, its noise, and the magnitudes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lngen.checks.layer import Case
from lngen.language import FUNCTIONS
from lngen.language.parsing import parse
from tests.fuzz.answers import GRADIENT, OUTPUT, SECOND, TANGENT, Point, Results
from tests.fuzz.hyperdual import Hyperdual, Magnitudes, RoundingSizes
from tests.fuzz.plain import differentiated, in_rows

FORMS = (
    *(f"{name}(x{'/2' * bool(entry.highest)})*r" for name, entry in sorted(FUNCTIONS.items()) if entry.slope),
    *("x/(r + w)", "x - s*w", "-x*x", "x**3", "x**(-1)", "x**0.25", "x*stop_gradient(x)", "sum(w**2)*x"),
    *("x*mean(x*w)", "x/sum(x)", "x*max(x*w)", "min(w/x)*x", "maximum(x, w)*x", "minimum(x, 1)**2"),
    *("where(x > 0, x**2, log(-x))", "where(x <= s, exp(x), w)*x"),
)


def _point(rows: int = 2, features: int = 3) -> Point:
    generator = np.random.default_rng(0)

    def drawn(*shape: int) -> Any:
        return generator.uniform(0.3, 1.7, shape)

    inputs = {"x": drawn(rows, features), "r": drawn(rows), "w": drawn(features), "s": drawn()}
    directions = {"x": drawn(rows, features) - 1, "w": drawn(features) - 1, "r": drawn(rows) - 1}
    return Point(Case("", rows, features, inputs, {"y": drawn(rows, features) - 1}), directions)


def _found(body: str, numbers: Hyperdual, point: Point | None = None) -> Results:
    text = f"def f(x: Row, r: RowScalar, w: Feature, s: Scalar):\n    y = ({body}) + 0*(r + w + s)\n    return y"
    return differentiated(parse(text), in_rows(text), point or _point(), numbers)


@pytest.mark.parametrize("body", FORMS)
def test_nothing_is_larger_than_its_magnitudes(body: str) -> None:
    exact, sizes = (_found(body, numbers) for numbers in (Hyperdual(np.longdouble), Magnitudes()))
    for result, value in exact.items():
        if result[0] != OUTPUT:
            assert (np.abs(value) <= sizes[result] * (1 + 1e-15)).all(), result


def test_magnitudes_do_not_cancel() -> None:
    gradient = _found("x - x", Magnitudes())[GRADIENT, "x"]
    np.testing.assert_allclose(gradient.astype(float), 2 * np.abs(_point().case.cotangents["y"]))


def test_sizes_of_roundings_add_up() -> None:
    still = Point(_point().case, {"x": 0.0})
    size = _found("(x + s)*x", RoundingSizes(), still)[TANGENT, "y"]
    x, s = (still.case.inputs[name] for name in ("x", "s"))
    # x + s, its product with x, and y as a sum with 0: what is 0 rounds to itself.
    np.testing.assert_allclose(size.astype(float), 3 * np.abs((x + s) * x))


def test_noise_leaves_what_is_exact_and_moves_the_rest_both_ways() -> None:
    def values(body: str, *noise: Any) -> Any:
        return _found(body, Hyperdual(np.float32, *noise), _point().astype(np.float32))[OUTPUT, "y"]

    assert (values("2*x", 0) == values("2*x")).all()
    moved = np.stack([values("x*x", 0, flipped) for flipped in (False, True)])
    assert ((moved == values("x*x")).sum(0) == 1).all()
    assert (np.abs(np.diff(moved, axis=0)) <= np.spacing(moved.max(0))).all()


def test_a_row_with_a_reduction_of_what_is_infinite_is_void() -> None:
    point = _point()
    point.case.inputs["x"][1, 0] = 1e3  # type: ignore[index]
    numbers = Hyperdual(np.float32)
    found = _found("where(x > 5, x, 1/sum(exp(x)))", numbers, point)
    assert numbers.void.tolist() == [False, True]
    assert np.isfinite(found[OUTPUT, "y"]).all()
    assert (SECOND, "x") in found
