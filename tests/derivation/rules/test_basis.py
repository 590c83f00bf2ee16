"""Change of basis: row classes, the identities that hold in a basis, and what a change must not do."""

from __future__ import annotations

import pytest
import sympy

from lngen.algebra.equations import Forward
from lngen.algebra.symbols import Mean
from lngen.derivation.from_definition import translate
from lngen.derivation.gradients import derive
from lngen.derivation.rules.basis import bases
from lngen.derivation.rules.row_classes import row_classes
from lngen.language.parsing import parse
from tests.corpus import definition, text_of
from tests.derivation.rules.written import normal_form

EPS = "eps: Constant = 1e-5"
CENTRED = f"def f(x: Row, {EPS}): return (x - mean(x))*rsqrt(mean((x - mean(x))**2) + eps)"


def normal(text: str) -> Forward:
    return normal_form(translate(parse(text)))


def classes(text: str) -> list[list[str]]:
    return [[symbol.name for symbol in found.symbols] for found in row_classes(normal(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # affine in each other: one class
        (CENTRED, [["x", "x_centred", "y"]]),
        # a weight of the features, a gate, a function: a new class
        (f"def f(x: Row, w: Feature, {EPS}): return w*x*rsqrt(mean(x**2) + eps)", [["x", "xhat"], ["y"]]),
        ("def f(x: Row, z: Row): return x*z", [["x"], ["z"], ["y"]]),
        ("def f(x: Row): return tanh(x)", [["x"], ["y"]]),
        # a learned scalar may be zero, and so may a row scalar of the user's
        ("def f(x: Row, alpha: Scalar): return alpha*x", [["x"], ["y"]]),
        ("def f(x: Row, a: RowScalar): return a*x", [["x"], ["y"]]),
        # nor is anything divided by what may underflow
        ("def f(x: Row): return x*sigmoid(mean(x))", [["x"], ["y"]]),
        # the derivative of x + sign(x) is 1, and yet it is not affine; nor is a stopped gradient
        ("def f(x: Row): return x + sign(x)", [["x"], ["y"]]),
        ("def f(x: Row): return x + stop_gradient(x)", [["x"], ["y"]]),
    ],
)
def test_row_classes(text: str, expected: list[list[str]]) -> None:
    assert classes(text) == expected


@pytest.mark.parametrize(
    ("text", "member", "identities"),
    [
        (CENTRED, "y", {"Mean(y)": "0", "Mean(y**2)": "-eps*rstd**2 + 1"}),
        (f"def f(x: Row, {EPS}): return x*rsqrt(mean(x**2) + eps)", "y", {"Mean(y**2)": "-eps*rstd**2 + 1"}),
        (f"def f(x: Row, {EPS}): return x/(mean(x**4) + eps)**0.25", "y", {"Mean(y**4)": "-eps*scale**4 + 1"}),
        (f"def f(x: Row, {EPS}): return x/(mean(abs(x)) + eps)", "y", {"Mean(Abs(y))": "mean_abs_x*scale"}),
        (
            f"def f(x: Row, w: Feature, {EPS}): return x*rsqrt(mean(w*x**2) + eps)",
            "y",
            {"Mean(w*y**2)": "-eps*rstd**2 + 1"},
        ),
        # What the means before it say of a mean, without rows: what is computed is that but for rounding.
        ("def f(x: Row):\n    p = x/sum(x)\n    return p - mean(p)", "p", {"mu": "1/D"}),
        ("def f(x: Row): y = x*rsqrt(mean(x**2)); m = mean(y**2); return y, m", "y", {"Mean(y**2)": "1", "m": "1"}),
    ],
)
def test_identities(text: str, member: str, identities: dict[str, str]) -> None:
    forward = normal(text)
    basis = next(b for c in row_classes(forward) for b in bases(c) if b.symbol.name == member)
    found = dict(basis.identities)
    names = {s.name: s for equation in forward.equations for s in (equation.symbol, *equation.expression.free_symbols)}
    for left, right in identities.items():
        key = sympy.sympify(left, locals=names | {"Mean": Mean})
        assert sympy.expand(found[key] - sympy.sympify(right, locals=names)) == 0


def test_a_condition_keeps_its_own_arithmetic() -> None:
    # Written in xhat, `x > 0` would be `mu + xhat/rstd > 0`, which is something else where x is exactly zero.
    text = f"""
def f(x: Row, {EPS}):
    xhat = (x - mean(x))*rsqrt(mean((x - mean(x))**2) + eps)
    y = xhat + where(x > 0, x, 0)
    return y
"""
    (dx,) = (q.expression for q in derive(parse(text)).backward if q.symbol.name == "dx")
    conditions = {str(where.args[0]) for where in dx.atoms(sympy.Function) if where.func.__name__ == "Where"}
    assert conditions == {"x > 0"}


@pytest.mark.ci
def test_a_gradient_has_the_value_of_a_mean_that_is_known() -> None:
    text = """
def f(x: Row):
    p = exp(x)/sum(exp(x))
    n = mean((p - mean(p))*rsqrt(mean(p**2) + 1))
    return n, p
"""
    assert text_of(derive(parse(text)).backward) == ["dx = p*(dp - FeatureSum(dp*p))"]


def test_what_a_centred_row_measures_is_not_written_in_the_uncentred_one() -> None:
    made = derive(definition("range_of_normalized"))
    (x,) = made.forward.differentiable
    assert x not in made.bases
    text = "def f(x: Row): return (x - mean(x))*rsqrt(mean((x - mean(x))**2) + 1)"
    assert {basis.symbol.name for basis in bases(row_classes(normal(text))[0])} == {"x_centred", "y"}
    # A mean alone says nothing against x.
    (centred,) = row_classes(normal("def f(x: Row): return x - mean(x)"))
    assert "x" in {basis.symbol.name for basis in bases(centred)}
