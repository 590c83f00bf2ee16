"""Every printed line of a derivation is shown, and a change of any of them is seen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from sympy import Expr

from lngen.algebra.equations import Equation
from lngen.derivation.derivation import EVERY_D, FIFTY, Derivation, Derivative, Step
from lngen.derivation.second_order import with_second_order
from lngen.prove import every_size, prove
from lngen.prove.printed import claims
from tests.corpus import FILES, derivation
from tests.tiers import sample

Change = Callable[[Expr], Expr]
Mutant = tuple[str, Derivation]

CHANGES: dict[str, Change] = {"one more": lambda e: e + 1, "twice": lambda e: 2 * e if e != 0 else e + 1}


def mutants(made: Derivation, change: Change) -> Iterator[Mutant]:
    """The derivation with one printed or emitted expression changed, each in turn, and where that is."""
    yield from _with_equations(made, "forward", made.forward.equations, change, _forward)
    yield from _with_equations(made, "backward", made.backward, change, lambda d, lines: replace(d, backward=lines))
    for place, (symbol, left, right) in enumerate(made.identities):
        changed = (*made.identities[:place], (symbol, left, change(right)), *made.identities[place + 1 :])
        yield f"identity {left}", replace(made, identities=changed)
    for place, step in enumerate(made.steps):
        for what, mutant in _steps(step, change):
            yield what, replace(made, steps=(*made.steps[:place], mutant, *made.steps[place + 1 :]))
    for name in ("jvp", "backward_backward"):
        found: Derivative = getattr(made, name)
        for place, step in enumerate(found.steps):
            for what, mutant in _steps(step, change):
                steps = (*found.steps[:place], mutant, *found.steps[place + 1 :])
                yield f"{name}: {what}", replace(made, **{name: replace(found, steps=steps)})
        for what, lines in _lines(found.equations, change):
            yield f"{name}: {what}", replace(made, **{name: replace(found, equations=lines)})


def _forward(made: Derivation, lines: tuple[Equation, ...]) -> Derivation:
    return replace(made, forward=replace(made.forward, equations=lines))


def _with_equations(
    made: Derivation,
    where: str,
    lines: tuple[Equation, ...],
    change: Change,
    put: Callable[[Derivation, tuple[Equation, ...]], Derivation],
) -> Iterator[Mutant]:
    for what, changed in _lines(lines, change):
        yield f"{where}: {what}", put(made, changed)


def _lines(lines: tuple[Equation, ...], change: Change) -> Iterator[tuple[str, tuple[Equation, ...]]]:
    for place, line in enumerate(lines):
        mutant = replace(line, expression=change(line.expression))
        yield f"line {line.symbol}", (*lines[:place], mutant, *lines[place + 1 :])


def _steps(step: Step, change: Change) -> Iterator[tuple[str, Step]]:
    where = f"step {step.number}, {step.rule} of {step.target}"
    yield f"{where}: after", replace(step, after=change(step.after))
    if step.before is not None:
        yield f"{where}: before", replace(step, before=change(step.before))
        yield f"{where}: both sides", replace(step, before=change(step.before), after=change(step.after))
    for place, sent in enumerate(step.contributions):
        mutant = replace(sent, expression=change(sent.expression))
        rest = (*step.contributions[:place], mutant, *step.contributions[place + 1 :])
        yield f"{where}: through {sent.source}", replace(step, contributions=rest)
        total = step.after - sent.expression + mutant.expression
        yield f"{where}: through {sent.source}, and the sum", replace(step, contributions=rest, after=total)
        if len(step.contributions) > 1:
            without = (*step.contributions[:place], *step.contributions[place + 1 :])
            left = step.after - sent.expression
            yield f"{where}: without {sent.source}", replace(step, contributions=without, after=left)
    for place, (left, right) in enumerate(step.uses):
        uses = (*step.uses[:place], (left, change(right)), *step.uses[place + 1 :])
        yield f"{where}: uses {left}", replace(step, uses=uses)


@pytest.mark.parametrize(
    ("name", "change", "every"),
    [
        pytest.param("softmax", "one more", 40, marks=pytest.mark.ci),
        pytest.param("rms_norm_gated", "one more", 30, marks=pytest.mark.exhaustive),
        *(pytest.param(name, "twice", 1, marks=pytest.mark.exhaustive) for name in ("layer_norm", "cross_entropy")),
    ],
)
def test_prove_changed_line_is_refused(name: str, change: str, every: int) -> None:
    made = with_second_order(derivation(name))
    found = [*mutants(made, CHANGES[change])]
    assert len(found) > 100
    passed = [where for where, mutant in found[::every] if all(proof.passed for proof in prove(mutant).proofs)]
    assert passed == []


@pytest.mark.parametrize("name", sample(FILES, ("softmax",), ("log_softmax", "add_layer_norm", "standardize")))
def test_claims_of_each_contribution_are_shown(name: str) -> None:
    made = with_second_order(derivation(name))
    steps = [step for derivative in made.derivatives().values() for step in derivative.steps]
    about = {(claim.step, claim.says) for claim in claims(made)}
    for step in steps:
        for sent in step.contributions:
            if sent.source != sent.target:
                assert (step.number, f"through {sent.source}") in about
    assert {p.kind for p in prove(made).proofs if p.about in ("given equations", "outputs", "identities")} == {EVERY_D}


@pytest.mark.ci
def test_claims_step_that_begins_elsewhere_is_refused() -> None:
    """Sides of a step may be equal, and yet differ from the line before."""
    made = with_second_order(derivation("layer_norm"))
    step = next(step for step in made.steps[::-1] if step.before is not None)
    assert step.before is not None
    moved = replace(step, before=step.before + step.target, after=step.after + step.target)
    failed = [p for p in prove(_with_step(made, moved)).proofs if not p.passed]
    assert any("it goes on" in proof.statement for proof in failed)


@pytest.mark.ci
def test_claims_output_that_is_off_by_one_is_refused() -> None:
    made = with_second_order(derivation("layer_norm"))
    last = made.forward.equations[-1]
    lines = (*made.forward.equations[:-1], replace(last, expression=last.expression + 1))
    failed = [p for p in prove(_forward(made, lines)).proofs if not p.passed]
    assert "outputs" in {proof.about for proof in failed}


@pytest.mark.parametrize("name", sample(("softmax", "layer_norm", "mean_abs_norm"), (), ("softmax",)))
def test_claims_that_the_algebra_has_no_work_left_for_have_digits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise every_size.NotShownError("no work is left")

    monkeypatch.setattr(every_size.EverySize, "claim", refused)
    made = with_second_order(derivation(name))
    proofs = prove(made).proofs
    assert {proof.kind for proof in proofs if proof.about in ("outputs", "given equations", "identities")} == {FIFTY}
    assert all(proof.passed for proof in proofs)
    for where, mutant in [*mutants(made, CHANGES["one more"])][::60]:
        assert not all(proof.passed for proof in prove(mutant).proofs), where


def _with_step(made: Derivation, step: Step) -> Derivation:
    return replace(made, steps=tuple(step if s.number == step.number else s for s in made.steps))
