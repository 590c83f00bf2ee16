"""The largest exponent is taken out of sums of exponentials, and normalized exponentials are recognized by form."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from lngen.algebra.numeric import Arithmetic, evaluate_equations
from lngen.algebra.symbols import D, Mean, RowMax, Where
from lngen.derivation.gradients import derive
from lngen.derivation.rules import RULE_OF
from lngen.derivation.second_order import with_second_order
from lngen.language.parsing import parse
from lngen.plan.planner import plan
from lngen.prove import prove
from lngen.report import formulas
from tests.derivation.rules.written import applied, assert_same_outputs, random_point

SHIFT = [RULE_OF["largest exponent taken out"]]

SHIFTS = [
    # under a name, and without
    "def f(x: Row): return exp(x)/sum(exp(x))",
    "def f(x: Row):\n    z = exp(x)\n    s = sum(z)\n    return z/s",
    # a logarithm takes the factor out as a term
    "def f(x: Row): return x - log(sum(exp(x)))",
    "def f(x: Row): return log(mean(exp(x)))*x",
    # several sums, powers of one exponential, exponents that are multiples
    "def f(x: Row, w: Feature): return sum(w*exp(x))/sum(exp(x))*x",
    "def f(x: Row): return exp(x)/sqrt(sum(exp(2*x)))",
    "def f(x: Row): return exp(x)**4/sum(exp(x))**4",
    # largest and smallest of what has the factor
    "def f(x: Row): return x*max(exp(x))/sum(exp(x))",
    # a weight in the exponent
    "def f(x: Row, w: Feature): return exp(w*x)/sum(exp(w*x))",
    # what the user shifted by something else
    "def f(x: Row): return exp(x - mean(x))/sum(exp(x - mean(x)))",
]


MORE_SHIFTS = [
    # beside what is no exponential, or another one
    "def f(x: Row): return x/(1 + sum(exp(x)))",
    "def f(x: Row, s: RowScalar): return exp(x)/(exp(s) + sum(exp(x)))",
    "def f(x: Row, s: Scalar):\n    e = exp(x)\n    k = exp(s)\n    return e/(2*k + sum(e) + 1e-6)",
    "def f(x: Row): return log(1 + sum(exp(x)))*x",
    "def f(x: Row): return log1p(sum(exp(x)))*x",
    "def f(x: Row, z: Row): return sum(exp(z))/(sum(exp(x)) + sum(exp(z)))*x",
    # each sum with its own
    "def f(x: Row, z: Row): return x*(log(sum(exp(x)) + sum(exp(z))) - log(sum(exp(z))))",
    "def f(x: Row):\n    e = exp(x)\n    p = e/sum(e)\n    y = e/(1 + sum(e))\n    return y, p",
    # an entry at a time
    "def f(x: Row): return log(1 + exp(x))",
    "def f(x: Row, z: Row): return exp(x)/(exp(x) + exp(z))",
    "def f(x: Row): return x/(1 + exp(-3*x))",
    "def f(x: Row): return (exp(x) - exp(-x))/(exp(x) + exp(-x))",
    "def f(x: Row, a: RowScalar): return x/(1 + exp(a))",
    # selects
    "def f(x: Row, m: Row): return where(m > -9, exp(x), 0)/sum(where(m > -9, exp(x), 0))",
    "def f(x: Row, m: Row):\n    e = exp(x)\n    k = where(m > 0, e, 0)\n    return k/(1 + sum(k))",
    "def f(x: Row, m: Row): return where(m > 0, exp(x)/sum(exp(x)), 0)",
    # the same for all rows
    "def f(x: Row, w: Feature): return x*exp(w)/sum(exp(w))",
]


@pytest.mark.parametrize("text", [*SHIFTS, *MORE_SHIFTS])
def test_exponentials_under_a_sum_are_shifted(text: str) -> None:
    before, after, trail = applied(SHIFT, text)
    assert {step.rule for step in trail.steps} == {"largest exponent taken out"}
    shifts = [q.expression for q in after.equations if q.stopped]
    assert len(shifts) == len(trail.steps)
    assert all(isinstance(shift, (RowMax, Where)) for shift in shifts)
    assert len(shifts) == 1 or text in MORE_SHIFTS
    assert_same_outputs(before, after)
    # Nothing overflows where the exponent is 1e4.
    point = random_point(before, scale=1e4)
    with np.errstate(all="ignore"):
        values = evaluate_equations(after.equations, point, Arithmetic())
    assert all(np.all(np.isfinite(np.asarray(values[output], float))) for output in after.outputs)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x: Row): return exp(x)*x",  # no sum
        "def f(x: Row): return x*sum(exp(x))",  # the output keeps the factor
        "def f(x: Row): return tanh(sum(exp(x)))*x",  # a function that the factor does not leave
        "def f(x: Row): return exp(x)/stop_gradient(sum(exp(x)))",  # here the shift would need a gradient
        "def f(x: Row): return exp(x - max(x))/sum(exp(x - max(x)))",  # shifted already
        "def f(x: Row): return x/(1 + sum(exp(-x**2)))",  # never large
        "def f(x: Row, z: Row): return exp(z)/(1 + sum(exp(x)))",  # the output has another exponential
        "def f(x: Row): return x*exp(mean(x))/mean(x*exp(x))",  # what may be below 0 has no logarithm
        # what is divided by would be 0 where none of the largest is in it
        "def f(x: Row, m: Row): return x*mean(exp(x))/sum(where(m > 0, exp(x), 0))",
    ],
)
def test_other_exponentials_stay(text: str) -> None:
    before, after, trail = applied(SHIFT, text)
    assert after.equations == before.equations
    assert not trail.steps


def test_a_masked_sum_is_not_made_worse() -> None:
    made = derive(parse("def f(x: Row, m: Row): return where(m > 0, exp(x), 0)/sum(where(m > 0, exp(x), 0))"))
    x, m = made.forward.symbols
    point = {x: np.array([[0.0, 1.0, 1e4]]), m: np.array([[1.0, 1.0, -1.0]]), D: 3.0}
    with np.errstate(all="ignore"):
        values = evaluate_equations(made.forward.equations, point, Arithmetic())
    np.testing.assert_allclose(values[made.forward.outputs[0]], [[1 / (1 + np.e), np.e / (1 + np.e), 0]])


# ---- normalized exponentials

_LOGP = "x - log(sum(exp(x)))"
_DIVERGENCE = f"""
def f(x: Row, t: Row):
    logp = {_LOGP}
    logq = t - log(sum(exp(t)))
    y = sum(exp(logq)*(logq - logp))
    return y
"""


def lines(text: str) -> dict[str, list[str]]:
    return {direction: [*found] for direction, found in formulas(plan(with_second_order(derive(parse(text))))).items()}


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
    assert all(proof.passed for proof in prove(with_second_order(derive(parse(text)))).proofs)


def test_an_exponential_over_another_sum_is_none() -> None:
    found = lines("def f(x: Row, t: Row): return exp(x)/(1 + sum(exp(x)*t))")
    assert not any(line.startswith("p ") for each in found.values() for line in each)


def test_what_is_computed_meets_the_sum_once_a_row() -> None:
    program = plan(derive(parse(f"def f(x: Row, t: Row): return -sum(t*({_LOGP}))"))).backward
    assert "p" not in {line.symbol.name for line in program.lines()}


@pytest.mark.parametrize(
    "text",
    [
        # An exponent of its own, of which the logarithm of the sum is taken off, and its reciprocal.
        "def f(x: Row, i: Int['...'], old: Data['...']): return exp(pick(x, i) - log(sum(exp(x))) - old)",
        "def f(x: Row, i: Int['...'], old: Data['...']): return exp(old - pick(x, i) + log(sum(exp(x))))",
        # Large where each exponential is small.
        "def f(x: Row): return x/sum(exp(x))*exp(mean(x))",
        # A quotient beside logarithms of both sums, with exponents that have names.
        """
def f(x: Row, t: Data, tau: Constant = 2):
    u = x/tau
    v = t/tau
    logq = u - log(sum(exp(u)))
    logp = v - log(sum(exp(v)))
    y = sum(exp(logp)*(logp - logq))
    return y
""",
    ],
)
def test_no_sum_of_exponentials_is_left_to_overflow(text: str) -> None:
    forward = derive(parse(text)).forward
    values = {q.symbol: q.expression for q in forward.equations}
    summed = [q.expression.atoms(Mean).pop().args[0] for q in forward.equations if q.expression.has(Mean)]
    exponents = [values.get(body, body).args[0] for body in summed if values.get(body, body).func == sympy.exp]
    assert exponents
    assert all(
        values.get(each, each).free_symbols & {s for s, e in values.items() if e.has(RowMax)} for each in exponents
    )
