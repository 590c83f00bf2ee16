"""Losses and gates that users write: how long their gradients are, and how much work it takes to find them."""

from __future__ import annotations

import pytest

from lngen.algebra.notation import text
from lngen.algebra.symbols import operation_count
from lngen.derivation.derivation import Derivation
from lngen.derivation.gradients import derive
from lngen.derivation.second_order import with_second_order
from lngen.language.parsing import parse
from tests.tiers import sample
from tests.work import calls_of

DEFINITIONS = {
    "jensen_shannon": """
def jensen_shannon(a: Row, b: Row):
    p = exp(a)/sum(exp(a))
    q = exp(b)/sum(exp(b))
    m = (p + q)/2
    y = sum(p*(log(p) - log(m)) + q*(log(q) - log(m)))/2
    return y
""",
    "jensen_shannon_of_logarithms": """
def jensen_shannon(a: Row, b: Row):
    logp = a - log(sum(exp(a)))
    logq = b - log(sum(exp(b)))
    p = exp(logp)
    q = exp(logq)
    logm = log((p + q)/2)
    y = sum(p*(logp - logm))/2 + sum(q*(logq - logm))/2
    return y
""",
    "jensen_shannon_of_a_target": """
def jensen_shannon(x: Row, target: Row):
    p = exp(x)/sum(exp(x))
    m = 0.5*(p + target)
    y = 0.5*sum(p*(log(p) - log(m))) + 0.5*sum(target*(log(target) - log(m)))
    return y
""",
    "piecewise": "def piecewise(x: Row): return where(x > 1, x, where(x > 2, x**2, where(x < -1, -x, x**3)))",
    "grpo": """
def grpo(logp: Row, old: Row, ref: Row, advantage: RowScalar, mask: Data, width: Constant = 0.2, beta: Constant = 0.04):
    ratio = exp(logp - old)
    clipped = minimum(maximum(ratio, 1 - width), 1 + width)
    gain = minimum(ratio*advantage, clipped*advantage)
    kl = exp(ref - logp) - (ref - logp) - 1
    return -sum(mask*(gain - beta*kl))/sum(mask)
""",
    "clamped_swiglu": """
def clamped_swiglu(a: Row, b: Row, alpha: Constant = 1.702, limit: Constant = 7.0):
    gate = minimum(a, limit)
    up = minimum(maximum(b, -limit), limit)
    return (up + 1)*gate*sigmoid(alpha*gate)
""",
}


CALLS = {
    "jensen_shannon": 12_000_000,
    "jensen_shannon_of_logarithms": 12_000_000,
    "jensen_shannon_of_a_target": 8_000_000,
    "piecewise": 500_000,
    "grpo": 5_000_000,
    "clamped_swiglu": 3_000_000,
}
"""About twice the calls that the derivation takes, with the second order; six million are some three seconds."""


def derived(name: str) -> Derivation:
    return with_second_order(derive(parse(DEFINITIONS[name], f"{name}.py")))


@pytest.mark.parametrize("name", sample(DEFINITIONS, ["piecewise"]))
def test_derivation_of_a_loss_takes_bounded_work(name: str) -> None:
    derivation, calls = calls_of(derived, name)
    assert calls < CALLS[name]
    # A tangent takes hardly more than the value that it is the tangent of, also where no basis makes it short.
    assert derivation.jvp is not None
    forward, jvp = (
        sum(operation_count(q.expression) for q in each.equations) for each in (derivation.forward, derivation.jvp)
    )
    assert jvp < 2 * forward


@pytest.mark.parametrize(
    ("value", "form"),
    [
        # The inner condition holds for some of the values for which the outer one does not.
        ("where(x > 2, x, where(x > 1, x**2, 0))", "where(x > 2, dy, where(x > 1, 2*dy*x, 0))"),
        ("where(x > 1, x, where(x < 2, x**2, 0))", "where(x > 1, dy, where(x < 2, 2*dy*x, 0))"),
        # Where x > 1 does not hold x may be NaN, for which x <= 1 does not hold either.
        ("where(x > 1, x, where(x <= 1, x**2, 0))", "where(x > 1, dy, where(x <= 1, 2*dy*x, 0))"),
        ("where(x > 1, x, where(z > 2, x**2, 0))", "where(x > 1, dy, where(z > 2, 2*dy*x, 0))"),
        ("where(x > 1, where(x >= 1, x, 0), 0)", "where(x > 1, dy, 0)"),
        ("where(x > 1, x, where(x > 2, x**2, where(x < -1, -x, 1)))", "where(x > 1, dy, where(x < -1, -dy, 0))"),
    ],
)
def test_branch_goes_only_where_it_is_never_chosen(value: str, form: str) -> None:
    inputs = "x: Row, z: Row" if "z" in value else "x: Row"
    derivation = derive(parse(f"def f({inputs}):\n    y = {value}\n    return y"))
    assert text(next(q for q in derivation.backward if q.symbol.name == "dx").expression) == form
