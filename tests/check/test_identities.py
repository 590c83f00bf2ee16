"""Identities found from symmetries."""

import pytest

from lngen.check.identities import discover
from lngen.language.parsing import parse
from tests.check.layers import CENTRED


def _found(text):
    return [identity.describe() for identity in discover(parse(text))]


def test_the_symmetries_of_a_centred_norm():
    assert _found(CENTRED.read_text()) == [
        "sum(dx) = 0",
        "sum(x*dx) + 2*sum(eps*deps) = 0",
        "sum(gamma*dgamma) + sum(beta*dbeta) - L = 0",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def f(x: Row): return x / sum(x**2)", ["sum(x*dx) + L = 0"]),
        ("def f(x: Row, a: Scalar): return tanh(a * x)", ["sum(x*dx) - sum(a*da) = 0"]),
        ("def f(x: Row): return exp(x) / sum(exp(x))", ["sum(dx) = 0"]),
        ("def f(x: Row): return x**2 + x", []),
        ("def f(x: Row, r: Row): return (x + r)**2", ["sum(dx) - sum(dr) = 0", "sum(x*dx) + sum(r*dr) - 2*L = 0"]),
        ("def f(x: Row, e: Constant = 1): return x / (e + mean(x**4))**0.25", ["sum(x*dx) + 4*sum(e*de) = 0"]),
    ],
)
def test_degrees_are_found_and_nothing_is_invented(text, expected):
    assert _found(text) == expected


def test_each_output_has_its_own_symmetries():
    text = "def f(x: Row, r: Row):\n h = x + r\n y = h - mean(h)\n return y, h\n"
    found = discover(parse(text))
    assert {identity.outputs for identity in found} == {("y",), ("h",), ("y", "h")}
    assert "sum(dx) = 0" in [i.describe() for i in found if i.outputs == ("y",)]
    assert "sum(dx) = 0" not in [i.describe() for i in found if i.outputs == ("h",)]
