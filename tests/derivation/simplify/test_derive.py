"""The derivation as a whole: its steps, its length, its names, and that it is the same on every machine."""

from __future__ import annotations

import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import sympy

from lngen.algebra.reductions import show_sums
from lngen.algebra.symbols import TypedSymbol, operation_count
from lngen.derivation.simplify import derive
from lngen.derivation.simplify.linear import reductions_in
from lngen.derivation.simplify.trail import UNSIMPLIFIED
from lngen.language import names as reserved
from lngen.language.parsing import parse
from lngen.plan.planner import plan
from lngen.prove import prove
from lngen.report.audit import audit
from tests.corpus import NAMES, SAMPLED, backward, definition, derivation
from tests.tiers import sample
from tests.work import calls_of

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", SAMPLED)
def test_steps(name: str) -> None:
    made = derivation(name)
    assert [step.number for step in made.steps] == list(range(1, len(made.steps) + 1))
    for step in made.steps:
        assert step.before is None or step.before != step.after, step
        assert step.reason
        assert step.rule
        assert step.operations_after == operation_count(step.after)
        assert "_x" not in step.reason.split()


@pytest.mark.parametrize("name", SAMPLED)
def test_the_last_step_of_a_quantity_is_what_is_emitted(name: str) -> None:
    made = derivation(name)
    last = {step.target: step.after for step in made.steps}
    for equation in (*made.forward.equations, *made.backward):
        if equation.symbol in last:
            assert last[equation.symbol] == show_sums(equation.expression), equation
        else:
            # A gradient that is another one, or zero, or a cotangent as it came, needs no step.
            assert isinstance(equation.expression, TypedSymbol) or equation.expression == 0, equation


@pytest.mark.parametrize("name", SAMPLED)
def test_each_equation_uses_only_earlier_ones(name: str) -> None:
    made = derivation(name)
    known = {*made.forward.symbols, *made.adjoint.cotangents, sympy.Symbol("D")}
    for equation in (*made.forward.equations, *made.backward):
        assert {s.name for s in equation.expression.free_symbols} <= {s.name for s in known}, equation
        known.add(equation.symbol)


@pytest.mark.parametrize("name", SAMPLED)
def test_one_name_one_value(name: str) -> None:
    made = derivation(name)
    symbols = [*made.forward.symbols, *made.adjoint.cotangents]
    symbols += [q.symbol for q in (*made.forward.equations, *made.backward)]
    assert len({s.name for s in symbols}) == len(symbols)
    assert not [s.name for s in symbols if reserved.fault(s.name)]
    # No expression holds two symbols of one name, equal to the eye and different to SymPy.
    for equation in (*made.forward.equations, *made.backward):
        used = [s.name for s in equation.expression.free_symbols]
        assert len(used) == len(set(used))


OPERATIONS = {
    # (operations, reductions) of each gradient: they do not silently grow
    "layer_norm": {"dx": (7, 2), "dgamma": (2, 0), "dbeta": (1, 0)},
    "rms_norm": {"dx": (5, 1), "dgamma": (2, 0)},
    "soft_max": {"dx": (4, 1)},
    "residual_add": {"dx": (8, 2), "dr": (0, 0), "dgamma": (2, 0), "dbeta": (1, 0)},
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation_counts(name: str) -> None:
    made = derivation(name)
    value = {q.symbol: show_sums(q.expression) for q in made.backward}
    found = {d.name: (operation_count(value[d]), reductions_in(value[d])) for _, d in made.gradients}
    assert found == OPERATIONS[name]


def test_the_unsimplified_adjoint_is_longer() -> None:
    made = derivation("layer_norm")
    long = sum(operation_count(q.expression) for q in made.adjoint.equations)
    short = sum(operation_count(q.expression) for q in made.backward)
    assert long > 2 * short


def test_six_lines_and_one_give_one_derivation() -> None:
    assert backward("layer_norm") == backward("one_line") == backward("naive_variance")
    six, one = derivation("layer_norm"), derivation("one_line")
    assert six.forward.equations == one.forward.equations or [str(q) for q in six.forward.equations]
    assert [q.expression for q in six.forward.equations] == [q.expression for q in one.forward.equations]


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
    monkeypatch.setattr(sys.modules["lngen.derivation.simplify.derive"], "_MOST_WORK", 300)
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


def test_an_exponent_that_is_too_long_to_be_multiplied_out_is_derived_in_a_moment() -> None:
    text = "def f(x: Row, z: Row, w: Feature, s: Scalar): return exp((x + z + w + s)**30)/sum(exp((x + z + w + s)**30))"
    made, calls = calls_of(derive, parse(text))
    assert calls < 1_000_000
    assert "largest exponent taken out" in {step.rule for step in made.steps}


@pytest.mark.ci
def test_a_reason_is_written_as_the_report_writes() -> None:
    for name in NAMES:
        for step in derivation(name).steps:
            assert not re.search(r"Mean\(|FeatureSum\(|RowMax\(|Where\(", step.reason), step


def test_a_reason_speaks_of_what_is_there() -> None:
    text = "def f(x: Row, w: Feature): return x*tanh(x*w*rsqrt(mean(x**2) + 1))"
    made = derive(parse(text))
    known = {s.name for s in made.forward.symbols} | {q.symbol.name for q in made.forward.equations}
    known |= {step.target.name for step in made.steps} | {s.name for s in made.adjoint.cotangents}
    for step in made.steps:
        spoken = re.match(r"the cotangent of (\w+)|(\w+) is used only here", step.reason)
        assert spoken is None or (spoken[1] or spoken[2]) in known, step


@pytest.mark.ci
def test_derived_in_a_moment() -> None:
    assert calls_of(derive, definition("layer_norm"))[1] < 1_000_000
