"""The JVP and the double backward in their shortest form."""

from dataclasses import replace

import pytest
import sympy

from lngen.algebra.symbols import SumRows
from lngen.derivation.derivation import EVERY_D, FIFTY
from lngen.derivation.differential import Differential
from lngen.derivation.gradients import derive
from lngen.derivation.second_order import with_second_order
from lngen.language.parsing import parse
from lngen.prove import prove
from lngen.prove.second_order import second_order_proof
from tests import corpus
from tests.tiers import sample
from tests.work import calls_of

CHAINS = {
    "norms": ("(A - mean(A))*rsqrt(mean((A - mean(A))**2) + 1)", 10),
    "rms": ("A*rsqrt(mean(A**2) + 1)", 16),
    "meanch": ("A - mean(A*A)", 30),
    "squares": ("A*A + 1", 40),
    "sines": ("sin(A)*A + cos(A)", 20),
}
NOTES = {"norms": "line by line: writing it out in a basis would be longer"}
"""Notes of the chains whose search ends before its budget does."""


def _chain(line, count):
    lines = [f"    a{n} = {line.replace('A', f'a{n - 1}' if n else 'x')}" for n in range(count)]
    return "\n".join(["def f(x: Row):", *lines, f"    return a{count - 1}"])


@pytest.mark.parametrize(
    "name",
    [
        *(pytest.param(name, marks=pytest.mark.ci) for name in ("norms", "rms")),
        *(pytest.param(name, marks=pytest.mark.matrix) for name in ("meanch", "sines", "squares")),
    ],
)
def test_a_chain_ends_after_bounded_work_and_holds(name):
    derivation = derive(parse(_chain(*CHAINS[name])))
    found, calls = calls_of(with_second_order, derivation)
    # Twice what the longest takes.
    assert calls < 35_000_000
    assert NOTES.get(name, "units of work") in found.jvp.note + found.backward_backward.note
    assert all(_holds(found))


def _holds(derivation):
    sides = ("jvp", "backward_backward")
    return [second_order_proof(derivation, function)[2] for function in sides]


def test_faults_of_one_sign_and_of_the_other_do_not_cancel_in_the_dot_test():
    """Draw directions apart: of one for tangents and cotangents, `ddgamma*x_dot - gamma_dot*ddx` would be 0."""
    right = with_second_order(derive(parse("def scaled(x: Row, gamma: Feature): return gamma*x*rsqrt(mean(x**2) + 1)")))
    double = right.backward_backward
    given = {symbol.name: symbol for symbol in double.arguments}
    of = {symbol: name for name, symbol in double.results}
    added = {"dx": given["ddgamma"], "dgamma": -SumRows(given["ddx"])}
    wrong = [replace(q, expression=q.expression + added.get(of.get(q.symbol), 0)) for q in double.equations]
    assert len({*wrong} - {*double.equations}) == 2
    assert second_order_proof(right, "backward_backward", 3)[2]
    planted = replace(right, backward_backward=replace(double, equations=tuple(wrong)))
    assert not second_order_proof(planted, "backward_backward", 3)[2]


@pytest.mark.ci
def test_a_square_of_a_sum_that_may_cancel_is_not_multiplied_out():
    """Keep a square whole: near 0 it is as small as its base, and `4*z**2 + 4*z*sum(z) + sum(z)**2` is rounding."""
    line = "mean(0.25/((z + (minimum(sum(z), mean(z)) + z))**2 + 0.5))"
    gradients = with_second_order(derive(parse(f"def f(z: Row): return {line}"))).backward_backward
    squares = [q.expression.atoms(sympy.Pow) for q in gradients.equations]
    assert {len(p.base.args) for found in squares for p in found if p.base.has(sympy.Pow)} == {2}


def _derived(name):
    return corpus.derivation(name)


def _formulas(derivative):
    return {q.symbol.name: str(q.expression) for q in derivative.equations}


@pytest.mark.parametrize(
    ("name", "formula"),
    [
        ("layer_norm", "beta_dot + gamma*rstd*(x_dot - xhat*Mean(x_dot*xhat) - Mean(x_dot)) + gamma_dot*xhat"),
        ("one_line", "beta_dot + gamma*rstd*(x_dot - xhat*Mean(x_dot*xhat) - Mean(x_dot)) + gamma_dot*xhat"),
        ("rms_norm", "gamma*rstd*(x_dot - xhat*Mean(x_dot*xhat)) + gamma_dot*xhat"),
        ("soft_max", "y*(x_dot - D*Mean(x_dot*y))"),
        ("rectified", "Where(x <= 0, 0, gamma*x_dot + gamma_dot*x)"),
    ],
)
def test_the_tangent_ends_at_the_textbook_form(name, formula):
    assert _formulas(_derived(name).jvp) == {"y_dot": formula}


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm", "soft_max", "norm_of_norm"])
def test_the_gradient_of_a_cotangent_is_the_tangent(name):
    """The VJP is linear in the cotangent, so its transpose there is the JVP, at the directions that were given."""
    derivation = _derived(name)
    read = [q.expression.free_symbols for q in derivation.backward_backward.equations if q.symbol.name == "ddy"]
    assert not any(symbol.name == "dy" for symbols in read for symbol in symbols)


def test_arguments_and_results_have_the_names_of_the_interface():
    derivation = _derived("residual_add")
    inputs = [entry.name for entry in derivation.definition.differentiable]
    outputs = list(derivation.definition.outputs)
    assert [symbol.name for symbol in derivation.jvp.arguments] == [f"{name}_dot" for name in inputs]
    assert [symbol.name for _, symbol in derivation.jvp.results] == [f"{name}_dot" for name in outputs]
    assert [name for name, _ in derivation.jvp.results] == [f"{name}_dot" for name in outputs]
    double = derivation.backward_backward
    assert [symbol.name for symbol in double.arguments] == [f"dd{name}" for name in inputs]
    assert [name for name, _ in double.results] == [f"d{name}" for name in inputs] + [f"dd{name}" for name in outputs]
    assert [s.name for _, s in double.results] == [f"d2{name}" for name in inputs] + [f"dd{name}" for name in outputs]


def test_a_name_of_the_definition_makes_room_for_that_of_a_gradient():
    derivation = with_second_order(derive(parse("def f(x: Row, ddx: Feature): return x**2*ddx")))
    assert derivation.definition.renamed == (("ddx_2", "ddx"),)
    assert [symbol.name for symbol in derivation.backward_backward.arguments] == ["ddx", "ddddx_2"]


@pytest.mark.parametrize("name", sample(["layer_norm", "soft_max"], ["soft_max"]))
def test_a_wrong_rule_of_differentiation_is_refuted_by_the_other_direction(name, monkeypatch):
    """Plant a rule that is wrong in both sides of the equality, which holds; the gradients say that it is wrong."""
    right = Differential.pushed
    monkeypatch.setattr(Differential, "pushed", lambda rule, moved: right(rule, moved) * (2 if rule.over else 1))
    proofs = prove(with_second_order(derive(corpus.definition(name)))).proofs
    said = {(proof.kind, proof.about): proof.passed for proof in proofs if proof.about == "tangents"}
    assert said == {(EVERY_D, "tangents"): True, (FIFTY, "tangents"): False}
