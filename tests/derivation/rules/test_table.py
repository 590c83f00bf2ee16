"""The table of rules: the example of each is a step of its derivation, which is proved, and the words are there."""

from __future__ import annotations

import pytest

from lngen.algebra.notation import text
from lngen.derivation.derivation import Derivation, Step
from lngen.derivation.gradients import derive
from lngen.derivation.rules import RULES, Rule
from lngen.derivation.second_order import with_second_order
from lngen.language.parsing import parse
from lngen.prove import prove
from lngen.report.formulas import reading_order


def steps(made: Derivation) -> list[Step]:
    """The steps of all directions."""
    return [*made.steps, *(step for part in (made.jvp, made.backward_backward) if part for step in part.steps)]


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.example], ids=lambda rule: rule.name)
def test_the_example_of_a_rule_is_a_step_of_its_derivation(rule: Rule) -> None:
    assert rule.example is not None
    made = with_second_order(derive(parse(rule.example.definition)))
    order = reading_order(made)
    found = [
        ("" if step.before is None else text(step.before, order), text(step.after, order))
        for step in steps(made)
        if step.rule == rule.name
    ]
    assert (rule.example.before, rule.example.after) in found


@pytest.mark.ci
@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.example], ids=lambda rule: rule.name)
def test_the_derivation_of_an_example_is_proved(rule: Rule) -> None:
    assert rule.example is not None
    assert all(proof.passed for proof in prove(with_second_order(derive(parse(rule.example.definition)))).proofs)


def test_a_name_is_that_of_one_rule() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_what_a_rule_says_is_whole() -> None:
    for rule in RULES:
        assert rule.statement.endswith(".")
        assert rule.proof.endswith(".")
        assert rule.condition.endswith(".")
        assert rule.gains
