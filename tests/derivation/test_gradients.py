"""The derivation as a whole: its steps, its length, its names, and that it is the same on every machine."""

from __future__ import annotations

from itertools import pairwise

import pytest

from lngen.derivation import gradients
from lngen.derivation.gradients import derive
from lngen.derivation.trail import UNSIMPLIFIED
from lngen.language.parsing import parse
from lngen.plan.planner import plan
from lngen.prove import prove
from lngen.report.audit import audit
from tests.corpus import definition, derivation
from tests.tiers import sample
from tests.work import calls_of


@pytest.mark.ci
def test_a_definition_that_would_blow_up_is_derived_with_bounded_work_and_says_so() -> None:
    rows = ", ".join(f"r{i}: Row" for i in range(6))
    product = "*".join(f"(x - mean(x) + r{i}*mean(x))**8" for i in range(6))
    text = f"def f(x: Row, {rows}, eps: Constant = 1e-5): return (x - mean(x))*rsqrt(mean({product}) + eps)"
    made, calls = calls_of(derive, parse(text))
    assert calls < 3_000_000
    assert any("too long to be written out" in step.reason for step in made.steps)


LONG = {
    # a polynomial whose degree doubles with every line, for a row, a row scalar, a Feature
    "squares": ("x: Row", "x", "{0}*{0} + 1", "{0}"),
    "squares of a mean": ("x: Row", "mean(x)", "{0}*{0} + 1", "x*{0}"),
    "squares of a Feature": ("x: Row, w: Feature", "w", "{0}*{0} + 1", "x*{0}"),
    # values that are used twice in every line
    "functions": ("x: Row", "x", "sin({0})*{0} + cos({0})", "{0}"),
    "means": ("x: Row", "x", "{0} - mean({0}*{0})", "{0}"),
    "selects": ("x: Row", "x", "where({0} > 0, {0}*x, x)", "{0}"),
    # an extreme that is followed through every line
    "maxima": ("x: Row", "x", "{0} - max({0})*mean({0})", "{0}"),
    # a norm of a norm of a norm
    "norms": ("x: Row", "x", "({0} - mean({0}))*rsqrt(mean(({0} - mean({0}))**2) + 1)", "{0}"),
}


@pytest.mark.ci
@pytest.mark.parametrize("name", sample(LONG, ["maxima"]))
def test_a_definition_of_many_lines_takes_work_that_grows_with_its_lines(name: str) -> None:
    inputs, first, line, last = LONG[name]
    count = 12 if name == "norms" else 40
    values = [first, *(f"a{i}" for i in range(count))]
    lines = [f"    {new} = {line.format(old)}" for old, new in pairwise(values)]
    text = "\n".join([f"def f({inputs}):", *lines, f"    return {last.format(values[-1])}"])
    made, calls = calls_of(derive, parse(text))
    assert calls < 30_000_000
    assert [gradient.name for _, gradient in made.gradients] == [f"d{s.name}" for s in made.forward.differentiable]


@pytest.mark.ci
def test_a_definition_that_takes_more_work_than_it_may_keeps_the_adjoint_from_there_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = derivation("norm_of_norm")
    monkeypatch.setattr(gradients, "_MOST_WORK", 300)
    made = derive(definition("norm_of_norm"))
    given_up = [step for step in made.steps if step.rule == UNSIMPLIFIED]
    assert [step.target.name for step in given_up] == ["dx"]
    assert "no shorter form is looked for" in given_up[0].reason
    # What was done before the work was spent is as short as ever, and the whole is right.
    assert [str(q.expression) for q in made.backward if q.symbol.name != "dx"] == [
        str(q.expression) for q in whole.backward if q.symbol.name != "dx"
    ]
    assert all(proof.passed for proof in prove(made).proofs)
    assert [h.where.name for h in audit(plan(made)).hazards if h.kind == "unsimplified gradient"] == ["dx"]
