"""Linear means, common factors, counts: each rule from text to text, and at random values."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import sympy

from lngen.numeric import Arithmetic, evaluate_expression
from lngen.simplify.linear import (
    MAXIMUM_TERMS,
    TooManyTermsError,
    common_factors,
    divides,
    expand_linear,
    hide_sums,
    multiply_out,
    reductions_in,
    show_sums,
    split_means,
    split_rows_sum,
    stages_in,
    terms_bound,
)
from lngen.symbolic import (
    D,
    FeatureSum,
    FeatureSymbol,
    Mean,
    RowMax,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    SumRows,
    Where,
    operation_count,
)

x, t, g = RowSymbol("x"), RowSymbol("t"), RowSymbol("g")
mu, r = RowScalarSymbol("mu"), RowScalarSymbol("r", positive=True)
w, alpha = FeatureSymbol("w"), ScalarSymbol("alpha")

Rule = Callable[[sympy.Expr], sympy.Expr]

RULES: list[tuple[Rule, sympy.Expr, str]] = [
    # products and powers of sums, also inside factors
    (multiply_out, (x + mu) * (x - mu), "-mu**2 + x**2"),
    (multiply_out, g * (x + mu) ** 2, "2*mu*g*x + mu**2*g + g*x**2"),
    # not inside functions, and not under a fraction line
    (multiply_out, sympy.tanh(mu * (x + 1)), "tanh(mu*(x + 1))"),
    (multiply_out, g * (x + mu) ** -2, "g/(mu + x)**2"),
    # a mean splits and lets go of what does not vary over features
    (split_means, Mean(2 * mu * x + r), "2*mu*Mean(x) + r"),
    (split_means, Mean(w * x * alpha), "alpha*Mean(w*x)"),
    # a mean of a mean
    (split_means, Mean(x - Mean(x)), "0"),
    # the largest entry is no linear reduction
    (split_means, RowMax(2 * x), "RowMax(2*x)"),
    # nor does a mean look into a select
    (split_means, Mean(Where(x > mu, mu * x, 0)), "Mean(Where(x > mu, mu*x, 0))"),
    (expand_linear, Mean((mu + t / r) * g) - mu * Mean(g), "Mean(g*t)/r"),
    # a factor that all terms share
    (common_factors, r * g - r * t * Mean(g * t), "r*(g - t*Mean(g*t))"),
    (common_factors, g / r + t / r, "(g + t)/r"),
    # the smaller power where all are of one sign, none where they are not
    (common_factors, r**3 * g + r * t, "r*(r**2*g + t)"),
    (common_factors, r * g + t / r, "r*g + t/r"),
    # what divides by a factor meets it: by one power less, whatever else is in between
    (common_factors, r**2 * (g + t / r**5), "g*r**2 + t/r**3"),
    (common_factors, r * (g + x * (t + g / r**2)), "g*r + x*(r*t + g/r)"),
    (common_factors, mu * r * (mu * g + t / r), "mu*(mu*g*r + t)"),
    # a row scalar that some terms share, if that saves an operation
    (common_factors, g + r * t - r * mu, "g + r*(-mu + t)"),
    # sums as sums, and back
    (show_sums, D * Mean(x) - 2 * D * Mean(g * x) / alpha, "FeatureSum(x) - 2*FeatureSum(g*x)/alpha"),
    (show_sums, Mean(x) * r, "r*Mean(x)"),
    (hide_sums, FeatureSum(x) / 2, "D*Mean(x)/2"),
    # one sum over rows, and outside what does not vary over rows
    (split_rows_sum, SumRows(g) + SumRows(x), "SumRows(g + x)"),
    (split_rows_sum, SumRows(w * g / alpha), "w*SumRows(g)/alpha"),
    (split_rows_sum, SumRows(D * Mean(alpha * g)) + alpha, "alpha + alpha*SumRows(D*Mean(g))"),
    (split_rows_sum, w * SumRows(2 * g) + SumRows(x), "2*w*SumRows(g) + SumRows(x)"),
    (split_rows_sum, sympy.Integer(0), "0"),
]


@pytest.mark.parametrize(("rule", "before", "after"), RULES, ids=[f"{f.__name__}: {e}" for f, e, _ in RULES])
def test_rule(rule: Rule, before: sympy.Expr, after: str) -> None:
    found = rule(before)
    names = {str(s): s for s in (x, t, g, mu, r, w, alpha)} | {
        k.__name__: k for k in (Mean, RowMax, FeatureSum, SumRows, Where)
    }
    assert found == sympy.sympify(after, locals=names | {"D": D})
    rng = np.random.default_rng(1)
    point = {s: rng.standard_normal((3, 5)) for s in (x, t, g)}
    point |= {mu: rng.standard_normal((3, 1)), r: rng.random((3, 1)) + 0.5}
    point |= {w: rng.standard_normal(5), alpha: 1.7, D: 5}
    values = [np.asarray(evaluate_expression(e, point, Arithmetic()), float) for e in (before, found)]
    np.testing.assert_allclose(*np.broadcast_arrays(*values), rtol=1e-12, atol=1e-13)


def test_expressions_that_would_be_too_long_are_not_multiplied_out() -> None:
    many = sympy.Mul(*(x + sympy.Integer(n) * mu + g for n in range(1, 9)))
    assert terms_bound(many) == 3**8 > MAXIMUM_TERMS
    with pytest.raises(TooManyTermsError):
        multiply_out(many)
    with pytest.raises(TooManyTermsError):
        multiply_out(1 / (many + 1))
    with pytest.raises(TooManyTermsError):
        expand_linear(Mean((x - mu) ** 64 * (g + mu) ** 64))


@pytest.mark.parametrize(
    ("expression", "terms"),
    [(x, 1), (x + g, 2), ((x + g) * (x + g + 1), 6), ((x + g + 1) ** 4, 15), (1 / (x + g), 1), (Mean(x + g), 1)],
)
def test_terms_bound(expression: sympy.Expr, terms: int) -> None:
    assert terms_bound(expression) == terms
    if not expression.atoms(Mean) and not expression.is_Pow:
        assert len(sympy.Add.make_args(sympy.expand(expression))) <= terms


def test_counts() -> None:
    gradient = r * (g - Mean(g) - t * Mean(g * t))
    assert operation_count(gradient) == 7
    assert reductions_in(gradient) == 2
    assert reductions_in(Mean(x) * Mean(x) + RowMax(x)) == 2
    assert stages_in(gradient) == 1
    assert stages_in(Mean((x - Mean(x)) ** 2)) == 2
    assert stages_in(x) == 0


def test_exponentials_of_d_that_cancel_divide_nothing_else() -> None:
    """Their power is 0 in one form, and a number for no comparison in the other."""
    x = RowSymbol("x")
    assert not divides(sympy.exp(D) * x, x**2 * sympy.exp(-D))
    assert divides(sympy.Mul(sympy.exp(D), sympy.exp(-D), x, evaluate=False), x**2)
