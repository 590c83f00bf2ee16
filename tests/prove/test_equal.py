"""The grade of a user's own statement."""

from __future__ import annotations

from typing import Any

import pytest
import sympy

from lngen.algebra.equations import Equation
from lngen.algebra.symbols import FeatureSymbol, Mean, RowScalarSymbol, RowSymbol, SumRows
from lngen.derivation.derivation import EVERY_D, FIFTY, NONE
from lngen.errors import LngenError
from lngen.prove import equal

X, MU = RowSymbol("x"), RowScalarSymbol("mu")


@pytest.mark.parametrize(
    ("left", "right", "equations"),
    [
        ("mean((x - mu)**2)", "mean(x**2) - mu**2", ["mu = mean(x)"]),
        ("sum(p)", "1", {"m": "max(x)", "e": "exp(x - m)", "p": "e/sum(e)"}),
        ("rsqrt(mean(x**2) + eps)**2*(mean(x**2) + eps)", "1", ()),
        ("sqrt(x**2)", "abs(x)", ()),
        ("abs(max(x) - x)", "max(x) - x", ()),
        ("log(sigmoid(x))", "-softplus(-x)", ()),
        (Mean(X - MU), sympy.S.Zero, [Equation(MU, Mean(X))]),
        (Mean(X), MU, ["mu = mean(x)"]),
        (SumRows(X) * FeatureSymbol("g"), SumRows(X * FeatureSymbol("g")), ()),
    ],
)
def test_equal_of_a_true_statement_is_exact(left: Any, right: Any, equations: Any) -> None:
    found = equal(left, right, equations)
    assert (found.grade, found.refuted, found.reason) == (EVERY_D, False, "")


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ("mean(x*z)", "mean(x)*mean(z)", "D = 3, x = [-1, 0, 0], z = [0, 1, 0]: left is 0 and right is -0.111111"),
        ("where(x >= 0, exp(-x), 0)", "where(x > 0, exp(-x), 0)", ", feature "),
        ("sqrt(x**2)", "x", "x = ["),
        ("x", "x + 1e-30", "left is"),
        ("1e-50*x", "-7e-50*x", "left is"),
        ("mean(x) + where(D == 9, 1, 0)", "mean(x)", "refuted at D = 9, "),
        (SumRows(X), 2 * X, "x = [["),
    ],
)
def test_equal_of_a_false_statement_names_a_point(left: Any, right: Any, said: str) -> None:
    found = equal(left, right)
    assert (found.grade, found.refuted, found.digits) == (NONE, True, None)
    assert found.reason.startswith("refuted at D = ")
    assert said in found.reason


def test_equal_of_what_is_not_shown_says_the_digits() -> None:
    found = equal("abs(x**2 - 2*x + 2)", "x**2 - 2*x + 2")
    assert found.grade == FIFTY
    assert found.digits is not None
    assert found.digits >= 40
    assert "compared at D = 1 to 13" in found.reason


@pytest.mark.parametrize(
    ("left", "right"),
    [
        # Zero but for rounding: where its sign or its reciprocal is taken, no point says anything.
        ("where(log(sum(exp(x))) - log(exp(mean(x))*sum(exp(x - mean(x)))) > 0, 1, 0)", "0"),
        ("sign(sin(x)**2*sin(z)**2 + sin(x)**2*cos(z)**2 + cos(x)**2 - 1)*abs(z + 1e5)", "0"),
        ("log(-1 - x**2)", "0"),
    ],
)
def test_equal_is_not_refuted_by_rounding(left: str, right: str) -> None:
    assert not equal(left, right).refuted


def test_equal_takes_kinds_and_the_smallest_d() -> None:
    assert equal("mean(mu*x)", "mu*mean(x)").refuted
    assert equal("mean(mu*x)", "mu*mean(x)", kinds={"mu": "RowScalar"}).grade == EVERY_D
    assert equal("abs(D - 1)*x", "(D - 1)*x", (), 1).grade in (EVERY_D, FIFTY)
    assert equal("sign(D - 1)", "1").refuted
    assert equal("sign(D - 1)", "1", (), 2).grade == EVERY_D


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("x +", "x"), "left:1:"),
        (("x", "f(x)"), "there is no function 'f'"),
        (("x", "x; x"), "Write one expression"),
        (("x", "__import__('os')"), "there is no function '__import__'"),
        (("x", "x.y"), "right:1:"),
        (("x", "x", ["mu"]), 'Write one like "mu = mean(x)"'),
        (("x", "x", ["x = mean(z)", "x = z"]), "has been used already"),
        (("x", "x", ["D = mean(x)"]), "is the number of features"),
        (("x", "x", [3]), "equation 1 is a int"),
        (("x", None), "right is a NoneType"),
        ((sympy.Symbol("x"), "x"), "says not what it varies over"),
        (("x", "x", (), 0), "minimum_features is 0"),
        (("x", "x", (), 1.5), "minimum_features is 1.5"),
        (("x", "x", (), 1, {"x": "Matrix"}), "The kinds are Row"),
        (("x", "x", ["mu = mean(x)"], 1, {"mu": "Row"}), "Leave it out of the kinds"),
        (("x", "x", [Equation(MU, X)]), "varies over less"),
        (("where(eps > 0, x, 0)", "x"), "is always true"),
        (("x" * 100_000, "x"), "is longer than"),
        (("(" * 500 + "x" + ")" * 500, "x"), "nest"),
    ],
)
def test_equal_of_what_is_no_statement_is_refused(arguments: Any, said: str) -> None:
    with pytest.raises(LngenError) as caught:
        equal(*arguments)
    assert said in str(caught.value)
