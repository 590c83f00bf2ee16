"""A definition as equations: reductions on their own lines, names that nothing else has, errors with a place."""

from __future__ import annotations

import pytest

from lngen.derivation.from_definition import translate
from lngen.errors import DefinitionError
from lngen.language.parsing import parse


def equations(text: str) -> list[str]:
    return [f"{q.symbol} = {q.expression}" for q in translate(parse(text)).equations]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # a reduction inside an expression gets a line of its own, each only once
        ("def f(x: Row): return (x - mean(x))*mean(x)", ["mu = Mean(x)", "y = mu*(-mu + x)"]),
        # innermost first
        ("def f(x: Row): return x*mean((x - mean(x))**2)", ["mu = Mean(x)", "var = Mean((-mu + x)**2)", "y = var*x"]),
        # a statement that is a reduction stays one
        ("def f(x: Row):\n    m = sum(x**2)\n    y = x*m\n    return y, m", ["m = D*Mean(x**2)", "y = m*x"]),
        # a sum is kept whole
        ("def f(x: Row): return exp(x)/sum(exp(x))", ["sum_exp_x = D*Mean(exp(x))", "y = exp(x)/sum_exp_x"]),
        # a sum over the number of features is a mean
        ("def f(x: Row): return x - sum(x)/D", ["mu = Mean(x)", "y = -mu + x"]),
        # the user's names are kept, and not taken
        ("def f(mu: Row): return mu*mean(mu)*mean(mu**2)", ["mu_2 = Mean(mu)", "ms = Mean(mu**2)", "y = ms*mu_2*mu"]),
        # minimum and maximum are selects, the first where it is strictly ahead
        ("def f(x: Row): return maximum(x, 1) + minimum(x, 2)", ["y = Where(x >= 2, 2, x) + Where(x <= 1, 1, x)"]),
    ],
)
def test_equations(text: str, expected: list[str]) -> None:
    assert equations(text) == expected


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("def f(x: Row): return x/(x - x)", "1:23", "infinite"),
        ("def f(x: Row): return sqrt(-x**2)", "1:23", "not a real number"),
        ("def f(x: Row): return maximum(log(x - x), x)", "1:23", "not a real number"),
        ("def f(x: Row): return where(1/(x - x) > x, x, 1)", "1:23", "not a real number"),
        ("def f(x: Row, eps: Constant = 1):\n    y = where(eps > 0, x, -x)\n    return y", "2:15", "always true"),
        ("def f(x: Row, eps: Constant = 1): return x*maximum(0, eps)", "1:44", "always false"),
        ("def f(x: Row, eps: Constant = 1): return x*relu(eps)", "1:44", "always true"),
    ],
)
def test_refused(text: str, place: str, message: str) -> None:
    with pytest.raises(DefinitionError, match=message) as caught:
        translate(parse(text, "f.py"))
    assert str(caught.value).startswith(f"f.py:{place}: ")
    assert "remedy: " in str(caught.value)
