"""Symbols that know their axes, reductions that stay symbolic, and derivatives of real functions."""

from __future__ import annotations

import pytest
import sympy

from lngen.algebra.symbols import (
    AttainsFirst,
    Axes,
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
    axes,
    derivative,
)

x, z = RowSymbol("x"), RowSymbol("z")
m, s = RowScalarSymbol("m"), RowScalarSymbol("s", positive=True)
w, alpha = FeatureSymbol("w"), ScalarSymbol("alpha")


@pytest.mark.parametrize(
    ("expression", "rows", "features"),
    [
        (x * w, True, True),
        (m + w, True, True),  # a row scalar and a Feature make a row
        (m * alpha, True, False),
        (w / alpha, False, True),
        (D + 1, False, False),
        (Mean(x * w), True, False),
        (Mean(w), False, False),
        (RowMax(x) - RowMin(x), True, False),
        (SumRows(x), False, True),
        (SumRows(Mean(x)), False, False),
        (Where(x > 0, alpha, 0), True, True),  # what the condition varies over counts
        (AttainsFirst(x, m), True, True),
    ],
)
def test_axes(expression: sympy.Expr, rows: bool, features: bool) -> None:
    assert axes(expression) == Axes(rows, features)


@pytest.mark.parametrize(
    ("reduced", "value"),
    [
        (Mean(m), m),
        (Mean(sympy.Integer(0)), sympy.Integer(0)),
        (RowMax(2 * m), 2 * m),
        (RowMin(alpha), alpha),
        (FeatureSum(m), D * m),
        (Mean(x).xreplace({x: m}), m),  # also when it turns out later
    ],
)
def test_a_reduction_of_what_does_not_vary_over_features(reduced: sympy.Expr, value: sympy.Expr) -> None:
    assert reduced == value


def test_a_mean_of_squares_is_not_negative() -> None:
    assert Mean(x**2).is_nonnegative
    assert Mean(x).is_nonnegative is None


@pytest.mark.parametrize(
    ("select", "value"),
    [
        (Where(sympy.true, x, z), x),
        (Where(sympy.false, x, z), z),
        (Where(x > 0, z, z), z),
        (Where(x > 0, Where(x > 0, x, 1), z), Where(x > 0, x, z)),
        (Where(x > 0, x, z * Where(x > 0, x, m)), Where(x > 0, x, z * m)),
        # Under a mean the same condition is asked of other features.
        (Where(x > 0, Mean(Where(x > 0, x, 1)), 0), Where(x > 0, Mean(Where(x > 0, x, 1)), 0, evaluate=False)),
    ],
)
def test_select_is_decided_where_it_can_be(select: sympy.Expr, value: sympy.Expr) -> None:
    assert select == value


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (sympy.Abs(x), sympy.sign(x)),
        (sympy.sign(x) * x, sympy.sign(x)),  # no Dirac delta
        (
            sympy.Abs(sympy.sqrt(m) * x),
            sympy.sqrt(m) * sympy.sign(sympy.sqrt(m) * x),
        ),  # sqrt(m) is not known to be real
        (Sigmoid(x), Sigmoid(x) * (1 - Sigmoid(x))),
        (Softplus(2 * x), 2 * Sigmoid(2 * x)),
        (Log1p(x), 1 / (1 + x)),
        (Expm1(x), sympy.exp(x)),
        (StopGradient(x) * x, StopGradient(x)),
        (AttainsFirst(x, m) * x, AttainsFirst(x, m)),
        (Where(x > 0, sympy.Abs(x), x**2), Where(x > 0, sympy.sign(x), 2 * x)),
        (x**3 * w, 3 * w * x**2),
    ],
)
def test_derivative(function: sympy.Expr, slope: sympy.Expr) -> None:
    assert sympy.simplify(derivative(function, x) - slope) == 0
