"""Softmaxes are recognized by their form, with or without a line of the definition for them."""

import pytest

from lngen.derivation.simplify import derive
from lngen.derivation.simplify.second_order import second_order
from lngen.language.parsing import parse
from lngen.plan.planner import plan
from lngen.prove import prove
from lngen.report import formulas

_LOGP = "x - log(sum(exp(x)))"
_DIVERGENCE = f"""
def f(x: Row, t: Row):
    logp = {_LOGP}
    logq = t - log(sum(exp(t)))
    y = sum(exp(logq)*(logq - logp))
    return y
"""


def lines(text: str) -> dict[str, list[str]]:
    return {direction: [*found] for direction, found in formulas(plan(second_order(derive(parse(text))))).items()}


@pytest.mark.ci
@pytest.mark.parametrize(
    ("text", "backward"),
    [
        (f"def f(x: Row, t: Row): return -sum(t*({_LOGP}))", ["dx = dy*(p*sum(t) - t)"]),
        (f"def f(x: Row): return {_LOGP}", ["dx = dy - p*sum(dy)"]),
        ("def f(x: Row): return log(sum(exp(x)))", ["dx = dy*p"]),
        (_DIVERGENCE, ["dx = dy*(p - exp_shifted_2_scaled)"]),
    ],
)
def test_gradients_are_written_in_the_softmax(text: str, backward: list[str]) -> None:
    found = lines(text)["backward"]
    assert "p = exp_shifted/Z" in found
    assert set(backward) <= set(found)
    assert all(proof.passed for proof in prove(second_order(derive(parse(text)))).proofs)


def test_an_exponential_over_another_sum_is_none() -> None:
    found = lines("def f(x: Row, t: Row): return exp(x)/(1 + sum(exp(x)*t))")
    assert not any(line.startswith("p ") for each in found.values() for line in each)


def test_what_is_computed_meets_the_sum_once_a_row() -> None:
    program = plan(derive(parse(f"def f(x: Row, t: Row): return -sum(t*({_LOGP}))"))).backward
    assert "p" not in {line.symbol.name for line in program.lines()}
