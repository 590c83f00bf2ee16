"""Factors taken out of sums, one rule at a time."""

from __future__ import annotations

import pytest
import sympy

from lngen.algebra.symbols import D, Mean, RowSymbol
from lngen.derivation.rules.factors import common_factors, divides
from tests.derivation.rules.written import assert_rewrites, g, mu, r, t

COMMON_FACTORS = [
    # a factor that all terms share
    (r * g - r * t * Mean(g * t), "r*(g - t*Mean(g*t))"),
    (g / r + t / r, "(g + t)/r"),
    # the smaller power where all are of one sign, none where they are not
    (r**3 * g + r * t, "r*(r**2*g + t)"),
    (r * g + t / r, "r*g + t/r"),
    # a row scalar that some terms share, if that saves an operation
    (g + r * t - r * mu, "g + r*(-mu + t)"),
]


@pytest.mark.parametrize(("before", "after"), COMMON_FACTORS, ids=[str(before) for before, _ in COMMON_FACTORS])
def test_common_factors(before: sympy.Expr, after: str) -> None:
    assert_rewrites(common_factors, before, after)


def test_exponentials_of_d_that_cancel_divide_nothing_else() -> None:
    """The power of the exponentials is 0 in one form, and cannot be compared in the other."""
    x = RowSymbol("x")
    assert not divides(sympy.exp(D) * x, x**2 * sympy.exp(-D))
    assert divides(sympy.Mul(sympy.exp(D), sympy.exp(-D), x, evaluate=False), x**2)
