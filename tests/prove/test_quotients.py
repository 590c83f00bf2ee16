"""Difference quotients: they agree with every derivation, refute every planted fault, and say what they tried."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy

from lngen.algebra.symbols import Mean, Power, derivative
from lngen.derivation.derivation import FIFTY, NONE
from lngen.derivation.gradients import derive
from lngen.language.parsing import parse
from lngen.prove.quotients import quotient_proofs
from tests.corpus import PROVED, SOME, derivation
from tests.prove.planted import PLANTED, planted
from tests.tiers import sample
from tests.work import calls_of


def proofs(text: str) -> list[tuple[str, bool, str]]:
    return [(each.kind, each.passed, each.statement) for each in quotient_proofs(derive(parse(text)))]


@pytest.mark.parametrize("name", sample(PROVED, SOME))
def test_every_gradient_agrees(name: str) -> None:
    made = derivation(name)
    smallest = made.definition.minimum_features
    found = [*quotient_proofs(made)]
    assert len(found) == len(made.gradients)
    for proof, (_, gradient) in zip(found, made.gradients, strict=True):
        assert proof.passed, proof
        assert proof.kind == FIFTY
        assert proof.statement.startswith(f"{gradient.name}: difference quotients of the definition agree to 50 digits")
        # That of one feature may have no derivative.
        assert proof.statement.endswith(", ".join(str(smallest + step) for step in (1, 2, 3)))


@pytest.mark.parametrize("name", PLANTED)
def test_every_planted_fault_is_refuted(name: str) -> None:
    failed = [proof for proof in quotient_proofs(planted(name)) if not proof.passed]
    assert failed
    assert all("differs from the difference quotient of the definition at D = " in proof.statement for proof in failed)


def test_a_fault_in_one_gradient_leaves_the_others() -> None:
    by_name = {
        proof.statement.split()[0].strip(":"): proof.passed for proof in quotient_proofs(planted("dgamma without xhat"))
    }
    assert by_name == {"dx": True, "dgamma": False, "dbeta": True}


def test_a_wrong_derivative_of_a_function_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """SymPy asks the same class as the derivation, so that a comparison with it would agree."""
    right = Power.fdiff

    def forget() -> None:
        sympy.core.cache.clear_cache()
        derivative.cache_clear()

    monkeypatch.setattr(Power, "fdiff", lambda self, argindex=1: 2 * right(self, argindex))
    forget()
    try:
        found = proofs("def f(x: Row, p: Constant = 3): return (1 + x**2)**p")
    finally:
        monkeypatch.undo()
        forget()
    assert [passed for _, passed, _ in found] == [False]


def test_names_with_digits_are_not_entries_of_a_row() -> None:
    made = derivation("digits_in_names")
    dx = Mean(made.forward.symbols[0]) * made.adjoint.cotangents[0]
    wrong = replace(
        made,
        backward=tuple(replace(q, expression=dx) if q.symbol.name == "dx" else q for q in made.backward),
    )
    assert not all(proof.passed for proof in quotient_proofs(wrong))


@pytest.mark.parametrize(
    "body",
    [
        "x*(max(x) - min(x))",
        "x*stop_gradient(mean(x))",
        "where(x > mean(x), x**2, -x)",
        "exp(x - stop_gradient(max(x)))*x",
        "pick(x, 1)*x + index()",
    ],
)
def test_extremes_selects_and_what_no_gradient_flows_through(body: str) -> None:
    assert all(passed and kind == FIFTY for kind, passed, _ in proofs(f"def f(x: Row): return {body}"))


def test_a_gradient_that_flows_through_what_is_stopped_is_refuted() -> None:
    stopped, flowing = (derive(parse(f"def f(x: Row): return x*{of}")) for of in ("stop_gradient(mean(x))", "mean(x)"))
    assert not all(proof.passed for proof in quotient_proofs(replace(stopped, backward=flowing.backward)))


def test_a_definition_that_always_divides_by_zero_has_none() -> None:
    ((kind, passed, statement),) = proofs("def f(x: Row): return x / sum(x - mean(x))**2")
    assert (kind, passed) == (NONE, True)
    assert "no difference quotient at any point" in statement


def test_nothing_is_made_of_what_is_no_number_at_a_size() -> None:
    ((_, passed, statement),) = proofs("def f(x: Row): return sqrt(1 + sigmoid(1/(x - mean(x))))")
    assert passed
    assert statement.endswith("D = 2, 3, 4")


def test_deep_definitions_take_bounded_work() -> None:
    lines = "\n".join(f"    h{i} = tanh(h{i - 1})*rsqrt(mean(h{i - 1}**2) + eps)" for i in range(1, 8))
    made = derive(parse(f"def f(h0: Row, eps: Constant = 1e-5):\n{lines}\n    return h7"))
    found, calls = calls_of(lambda each: [*quotient_proofs(each)], made)
    assert calls < 2_000_000
    assert all(proof.passed for proof in found)
