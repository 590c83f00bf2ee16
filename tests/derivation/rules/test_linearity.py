"""Linear means and counts: each rule from text to text, and at random values."""

from __future__ import annotations

import pytest
import sympy

from lngen.algebra.reductions import show_sums
from lngen.algebra.symbols import (
    D,
    Mean,
    RowMax,
    SumRows,
    Where,
)
from lngen.derivation.rules.linearity import (
    MAXIMUM_TERMS,
    TooManyTermsError,
    expand_linear,
    multiply_out,
    split_means,
    split_rows_sum,
    terms_bound,
)
from tests.derivation.rules.written import Function, alpha, assert_rewrites, g, mu, r, t, w, x

RULES: list[tuple[Function, sympy.Expr, str]] = [
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
    # sums as sums, and back
    (show_sums, D * Mean(x) - 2 * D * Mean(g * x) / alpha, "FeatureSum(x) - 2*FeatureSum(g*x)/alpha"),
    (show_sums, Mean(x) * r, "r*Mean(x)"),
    # one sum over rows, and outside what does not vary over rows
    (split_rows_sum, SumRows(g) + SumRows(x), "SumRows(g + x)"),
    (split_rows_sum, SumRows(w * g / alpha), "w*SumRows(g)/alpha"),
    (split_rows_sum, SumRows(D * Mean(alpha * g)) + alpha, "alpha + alpha*SumRows(D*Mean(g))"),
    (split_rows_sum, w * SumRows(2 * g) + SumRows(x), "2*w*SumRows(g) + SumRows(x)"),
    (split_rows_sum, sympy.Integer(0), "0"),
]


@pytest.mark.parametrize(("rule", "before", "after"), RULES, ids=[f"{f.__name__}: {e}" for f, e, _ in RULES])
def test_rule(rule: Function, before: sympy.Expr, after: str) -> None:
    assert_rewrites(rule, before, after)


def test_expressions_that_would_be_too_long_are_not_multiplied_out() -> None:
    many = sympy.Mul(*(x + sympy.Integer(n) * mu + g for n in range(1, 9)))
    assert terms_bound(many) == 3**8 > MAXIMUM_TERMS
    with pytest.raises(TooManyTermsError):
        multiply_out(many)
    with pytest.raises(TooManyTermsError):
        multiply_out(1 / (many + 1))
    with pytest.raises(TooManyTermsError):
        expand_linear(Mean((x - mu) ** 64 * (g + mu) ** 64))
