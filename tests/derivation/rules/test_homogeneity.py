"""A largest or smallest entry that cancels in every output needs no gradient."""

from __future__ import annotations

import pytest

from lngen.derivation.rules import RULE_OF
from tests.derivation.rules.written import applied

CANCELS = [RULE_OF["a shift that cancels"]]

CANCELLING = [
    "def f(x: Row):\n    m = max(x)\n    return x - m - log(sum(exp(x - m)))",
    "def f(x: Row):\n    m = min(x)\n    u = x - m\n    return u - log(mean(exp(u)))",
    "def f(x: Row):\n    m = max(x)\n    return m + log(sum(exp(x - m)))",
    "def f(x: Row, t: Row):\n    m = max(x)\n    return sum(t*(x - m - log(sum(exp(x - m)))))",
    "def f(x: Row, s: Scalar):\n    m = max(x)\n    return exp(s*(x - m))/sum(exp(s*(x - m)))",
    "def f(x: Row):\n    m = max(x)\n    return (x - m) - mean(x - m)",
]

STAYING = [
    # an output keeps it, in whatever disguise
    "def f(x: Row): return x - max(x)",
    "def f(x: Row):\n    m = max(x)\n    return m + 2*log(sum(exp(x - m)))",
    "def f(x: Row):\n    m = max(x)\n    return exp(x - m)/(1 + sum(exp(x - m)))",
    "def f(x: Row):\n    m = max(x)\n    y = exp(x - m)/sum(exp(x - m))\n    return y, m",
    "def f(x: Row):\n    m = max(x)\n    return where(x - m > -1, x, 0)",
]


@pytest.mark.parametrize("text", CANCELLING)
def test_an_extreme_that_cancels_needs_no_gradient(text: str) -> None:
    _, after, _ = applied(CANCELS, text)
    assert [q.symbol.name for q in after.equations if q.stopped] == ["m"]


@pytest.mark.parametrize("text", STAYING)
def test_an_extreme_that_reaches_an_output_needs_one(text: str) -> None:
    before, after, trail = applied(CANCELS, text)
    assert after == before
    assert not trail.steps
