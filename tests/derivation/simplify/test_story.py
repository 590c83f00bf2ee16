"""Steps as they are read: in order, one idea each, and the maximum of a softmax explained."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import S

from lngen.algebra.notation import text
from lngen.derivation.derivation import Derivation, Step
from lngen.derivation.simplify import derive
from lngen.language.parsing import parse
from lngen.prove import prove
from tests.corpus import derivation

TWO_RESULTS = "def f(x: Row, t: Row): return sum(t*(x - log(sum(exp(x)))))"
GATE = "def f(x: Row, z: Row): return x*z*tanh(z)"
SHIFTED = "def f(x: Row, w: Feature): return log(sum(exp(x)))*w"
WEIGHTED = "def f(x: Row, w: Feature): return w*(x - mean(x))*rsqrt(mean((x - mean(x))**2) + 1)"


def made(name: str) -> Derivation:
    """A derivation of the corpus, or of the text of a definition."""
    return derive(parse(name)) if name.startswith("def ") else derivation(name)


def gradient_steps(name: str) -> list[Step]:
    return [step for step in made(name).steps if step.part == "backward"]


def lines(name: str, target: str) -> list[str]:
    return [text(step.after) for step in gradient_steps(name) if step.target.name == target]


@pytest.mark.parametrize("name", ["cross_entropy", "layer_norm_gelu", "rms_norm_gated", TWO_RESULTS, GATE])
def test_steps_of_one_value_stand_together(name: str) -> None:
    targets = [step.target for step in gradient_steps(name)]
    runs = [target for place, target in enumerate(targets) if place == 0 or targets[place - 1] != target]
    assert len(runs) == len(set(runs))


@pytest.mark.parametrize("name", ["cross_entropy", "rms_norm_gated", TWO_RESULTS])
def test_gradients_come_in_the_order_of_the_inputs(name: str) -> None:
    results = [result for _, result in made(name).gradients]
    targets = [step.target for step in gradient_steps(name) if step.target in results]
    assert list(dict.fromkeys(targets)) == results


@pytest.mark.parametrize("name", ["layer_norm", "cross_entropy", "rms_norm_gated", WEIGHTED])
def test_a_substitution_puts_in_one_name(name: str) -> None:
    """Find one name gone in each step; one that only stands for another, but for the sign, may go along."""
    value: dict[object, object] = {}
    found = 0
    for step in gradient_steps(name):
        if step.rule == "written out" and step.before is not None:
            gone = step.before.free_symbols - step.after.free_symbols
            assert len([s for s in gone if s in value]) <= 1, step
            found += 1
        value[step.target] = step.after
    assert found


def test_means_of_layer_norm_are_split_in_a_step_of_their_own() -> None:
    assert lines("layer_norm", "dx")[1:5] == [
        "dx_centred - mean(dx_centred)",
        "rstd*g + 2*dvar*x_centred/D - mean(rstd*g + 2*dvar*x_centred/D)",
        "rstd*g + 2*dvar*x_centred/D - rstd*mean(g) - 2*dvar*mean(x_centred)/D",
        "rstd*g + 2*dvar*x_centred/D - rstd*mean(g)",
    ]


@pytest.mark.parametrize("name", ["layer_norm", WEIGHTED])
def test_a_mean_that_is_zero_says_why(name: str) -> None:
    step = next(step for step in gradient_steps(name) if step.rule == "identities")
    assert "mu = mean(x) says of x_centred" in step.reason
    assert [(text(left), right) for left, right in step.uses] == [("mean(x_centred)", S.Zero)]


def test_a_factor_is_taken_out_once() -> None:
    assert lines("rms_norm_gated", "dz")[1:] == [
        "dsilu_z*sigmoid_z + dsilu_z*sigmoid_z*z*(1 - sigmoid_z)",
        "dh*sigmoid_z*x + dh*sigmoid_z*x*z*(1 - sigmoid_z)",
        "dh*sigmoid_z*x*(1 + z*(1 - sigmoid_z))",
    ]


@pytest.mark.ci
@pytest.mark.parametrize("name", ["softmax", "cross_entropy", SHIFTED])
def test_a_softmax_shows_that_its_maximum_gets_no_gradient(name: str) -> None:
    proved = prove(made(name))
    steps = [step for step in proved.steps if step.target.name == "dm"]
    assert steps[0].contributions
    assert steps[-1].after == 0
    assert steps[-1].rule == "a shift that cancels"
    assert all(step.evidence is not None and step.evidence.grade == "exact at every D" for step in steps)
    # The false case: half of what reaches it would not cancel.
    wrong = tuple(replace(s, after=S.One) if s is steps[-1] else s for s in proved.steps)
    assert not all(proof.passed for proof in prove(replace(proved, steps=wrong)).proofs)


def test_a_result_that_is_another_values_gradient_is_told_of_that() -> None:
    steps = {step.target.name: step for step in gradient_steps("softmax")}
    assert steps["dx_shifted"].after == steps["dx"].after
    first = next(step for step in gradient_steps("softmax") if step.target.name == "dx")
    assert first.reason == "the gradient of x"


@pytest.mark.parametrize(("name", "written"), [("cross_entropy", "p = exp_shifted/Z"), (SHIFTED, "p = exp_shifted/Z")])
def test_names_of_a_softmax_are_those_of_papers(name: str, written: str) -> None:
    found = [f"{step.target} = {text(step.after)}" for step in made(name).steps]
    assert written in found
    assert "m = max(x)" in found
    assert "Z = sum(exp_shifted)" in found


def test_a_name_that_the_definition_has_is_not_taken() -> None:
    found = {
        f"{q.symbol} = {text(q.expression)}"
        for q in made("def f(m: Row, Z: Row): return Z*log(sum(exp(m)))").forward.equations
    }
    assert "m_2 = max(m)" in found


@pytest.mark.parametrize("name", ["cross_entropy", "log_softmax", SHIFTED, TWO_RESULTS])
def test_g_is_no_part_of_a_gradient(name: str) -> None:
    for step in gradient_steps(name):
        assert not (step.target.name.startswith("g") and step.reason.startswith("the part of"))


@pytest.mark.parametrize(
    ("name", "says"), [("softmax", "sum(y) = 1"), ("def f(x: Row): return 2*x/sum(x**2 + 1)**0.5", "")]
)
def test_a_sum_of_the_definition_is_shown_as_a_sum(name: str, says: str) -> None:
    found = made(name)
    identities = [f"{text(left)} = {text(right)}" for _, left, right in found.identities]
    assert says in identities or not says
    for step in found.steps:
        for side in (step.before, step.after):
            assert side is None or "D*mean" not in text(side), step
