"""Numbers for expressions: every construct, in float64 and in 50 digits, with the shapes that its axes call for."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from lngen.algebra.numeric import Arithmetic, evaluate_expression
from lngen.algebra.symbols import (
    AttainsFirst,
    D,
    Expm1,
    FeatureSum,
    FeatureSymbol,
    Log1p,
    Mean,
    RowMax,
    RowMin,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    Sigmoid,
    Softplus,
    StopGradient,
    SumRows,
    Where,
)

x, m, w, alpha = RowSymbol("x"), RowScalarSymbol("m"), FeatureSymbol("w"), ScalarSymbol("alpha")

X = np.array([[0.5, -1.25, 2.0], [0.25, 0.25, -3.0]])
M, W, ALPHA = np.array([[2.0], [-0.5]]), np.array([1.0, -2.0, 0.5]), 3.0

CASES: list[tuple[sympy.Expr, Any]] = [
    (x + m * w - alpha, X + M * W - ALPHA),
    (x**3 / w, X**3 / W),
    (sympy.sqrt(x**2 + 1), np.sqrt(X**2 + 1)),
    ((x**2 + 1) ** sympy.Rational(-3, 2), (X**2 + 1) ** -1.5),
    ((x**2 + 1) ** sympy.Rational(1, 3), (X**2 + 1) ** (1 / 3)),
    (sympy.exp(x) + sympy.log(x**2), np.exp(X) + np.log(X**2)),
    (sympy.sin(x) * sympy.cos(m) + sympy.tanh(w), np.sin(X) * np.cos(M) + np.tanh(W)),
    (sympy.Abs(x) * sympy.sign(x), X),
    (Sigmoid(x), 1 / (1 + np.exp(-X))),
    (Softplus(x), np.log(1 + np.exp(X))),
    (Log1p(x**2) + Expm1(m), np.log1p(X**2) + np.expm1(M)),
    (sympy.erf(alpha), np.array(float(mpmath.erf(3)))),
    (sympy.pi * x, np.pi * X),
    (Where(x > 0, x, w), np.where(X > 0, X, W)),
    (Where(m <= alpha, 1, 0), np.array([[1.0], [1.0]])),
    (StopGradient(x), X),
    (Mean(x), X.mean(-1, keepdims=True)),
    (Mean(w), W.mean()),
    (Mean(m * w), (M * W).mean(-1, keepdims=True)),
    (FeatureSum(x), X.sum(-1, keepdims=True)),
    (D * Mean(x), X.sum(-1, keepdims=True)),
    (RowMax(x) - RowMin(x), X.max(-1, keepdims=True) - X.min(-1, keepdims=True)),
    # On a tie the first feature alone.
    (AttainsFirst(x, RowMax(x)), np.array([[0, 0, 1], [1, 0, 0]])),
    (SumRows(x), X.sum(0)),
    (SumRows(m), M.sum()),
    (SumRows(Mean(x)), X.mean(-1).sum()),
]


@pytest.mark.parametrize(("expression", "expected"), CASES, ids=[str(e) for e, _ in CASES])
def test_value(expression: sympy.Expr, expected: Any) -> None:
    point = {x: X, m: M, w: W, alpha: ALPHA, D: 3}
    found = evaluate_expression(expression, point, Arithmetic())
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(np.asarray(found, float), expected, rtol=1e-14)
    with mpmath.workdps(50):
        lift = np.vectorize(mpmath.mpf, otypes=[object])
        exact = {x: lift(X), m: lift(M), w: lift(W), alpha: mpmath.mpf(3), D: mpmath.mpf(3)}
        many = evaluate_expression(expression, exact, Arithmetic(50))
        np.testing.assert_allclose(np.asarray(many, float), expected, rtol=1e-14)


def test_fifty_digits_are_fifty() -> None:
    with mpmath.workdps(50):
        third = evaluate_expression(sympy.Rational(1, 3) * alpha, {alpha: mpmath.mpf(1)}, Arithmetic(50))
        assert abs(third - mpmath.mpf(1) / 3) < mpmath.mpf(10) ** -49
        one = np.array([[mpmath.mpf(1), mpmath.mpf(2)]])
        # A position is a whole number, and a mean of whole numbers still has fifty digits.
        share = evaluate_expression(Mean(AttainsFirst(x, RowMax(x))) / 3, {x: one, D: mpmath.mpf(2)}, Arithmetic(50))
        assert abs(share[0, 0] - mpmath.mpf(1) / 6) < mpmath.mpf(10) ** -49


@pytest.mark.parametrize("expression", [sympy.log(x), sympy.sqrt(x), x ** sympy.Rational(1, 3), 1 / (x + 1)])
def test_outside_the_domain_is_no_number(expression: sympy.Expr) -> None:
    with mpmath.workdps(50):
        minus_one = np.array([[mpmath.mpf(-1)]])
        value = evaluate_expression(expression, {x: minus_one, D: mpmath.mpf(1)}, Arithmetic(50))
        assert mpmath.isnan(value[0, 0])


def test_nothing_is_guessed() -> None:
    with pytest.raises(TypeError, match="no numeric meaning for Derivative"):
        evaluate_expression(sympy.Derivative(sympy.Function("f")(x), x), {x: X}, Arithmetic())
