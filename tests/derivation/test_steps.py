"""Properties of every derivation, in every direction: steps are justified, distinct and named."""

from collections.abc import Iterable

import pytest

from lngen.algebra.equations import Equation
from lngen.algebra.reductions import show_sums
from lngen.algebra.symbols import operation_count, whole
from lngen.derivation.derivation import Derivation, Step
from lngen.derivation.rules import RULES
from tests.corpus import NAMES, SOME, derivation
from tests.tiers import sample


def parts(made: Derivation) -> Iterable[tuple[tuple[Step, ...], set[str], tuple[Equation, ...]]]:
    """The steps of each part, the names that are given before it, and the equations that it ends at."""
    given = {"D", *(s.name for s in made.forward.symbols), *(q.symbol.name for q in made.written.equations if q.named)}
    cotangents = {cotangent.name for cotangent in made.adjoint.cotangents}
    yield made.steps, given | cotangents, (*made.forward.equations, *made.backward)
    given |= {equation.symbol.name for equation in made.forward.equations}
    for derivative, more in ((made.jvp, set[str]()), (made.backward_backward, cotangents)):
        assert derivative is not None
        yield derivative.steps, given | more | {a.name for a in derivative.arguments}, derivative.equations


@pytest.mark.parametrize("name", sample(NAMES, SOME))
def test_every_name_is_defined_before_its_first_use(name: str) -> None:
    for steps, known, _ in parts(derivation(name)):
        for step in steps:
            used = {symbol.name for symbol in step.read}
            used |= {s.name for left, right in step.uses for s in (left.free_symbols | right.free_symbols)}
            assert used - {step.target.name} <= known, step
            assert step.before is not None or step.target not in step.after.free_symbols, step
            known.add(step.target.name)


@pytest.mark.parametrize("name", sample(NAMES, SOME))
def test_each_step_goes_on_where_the_last_one_of_its_value_ended(name: str) -> None:
    for steps, _, _ in parts(derivation(name)):
        last: dict[str, Step] = {}
        for step in steps:
            before = last.get(step.target.name)
            if before is not None:
                assert step.before == before.after, step
            elif step.part != "forward":
                assert step.before is None, step
            last[step.target.name] = step


@pytest.mark.parametrize("name", sample(NAMES, SOME))
def test_the_last_step_of_a_value_is_what_is_emitted(name: str) -> None:
    for steps, _, equations in parts(derivation(name)):
        last = {step.target: step.after for step in steps}
        for equation in equations:
            assert last[equation.symbol] == show_sums(whole(equation.expression)), equation


@pytest.mark.parametrize("name", sample(NAMES, SOME))
def test_steps_are_numbered_through_and_no_two_are_the_same_line(name: str) -> None:
    every = [step for steps, _, _ in parts(derivation(name)) for step in steps]
    assert [step.number for step in every] == list(range(1, len(every) + 1))
    lines = [(step.part, step.target, step.before, step.after) for step in every]
    assert len(set(lines)) == len(lines)
    for step in every:
        assert step.before != step.after, step
        assert step.rule in RULES, step
        assert step.reason, step
        assert step.operations_after == operation_count(step.after)


@pytest.mark.parametrize("name", sample(NAMES, SOME))
def test_a_step_of_the_chain_rule_is_the_sum_of_its_contributions(name: str) -> None:
    for steps, _, _ in parts(derivation(name)):
        for step in steps:
            assert not step.contributions or step.before is None
            if step.contributions:
                assert show_sums(whole(sum(c.expression for c in step.contributions))) == step.after, step
