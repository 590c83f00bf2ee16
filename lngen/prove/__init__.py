"""Evidence for a derivation, found without running any emitted code.

Takes: a `Derivation` and the programs that backends are handed.
Gives: which steps, results and programs hold for every D.
Knows nothing of: the simplifier: it shares no rewriting with `derivation`.

Each statement has the strongest grade that was reached (`lngen.derivation.derivation`). Every rewrite, and every result
beside the chain rule's on the definition as written, is shown in the algebra of row expressions, for every D. If that
fails, both sides are computed to 50 digits. In addition, the gradients are compared with difference quotients of the
definition, which use no derivative and no algebra of ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from lngen.derivation.derivation import EVERY_D, FIFTY, NONE, Derivation, Proof, Step, StepEvidence
from lngen.prove.digits import DIGITS, MOST_FEATURES, REQUIRED, digits_of_claims, has_values, second_derivation
from lngen.prove.every_size import Equality, EverySize, NotShownError
from lngen.prove.printed import PrintedEquality, claims
from lngen.prove.quotients import quotient_proofs
from lngen.prove.second_order import second_order_proof
from lngen.prove.statement import Verdict, equal


def prove(derivation: Derivation) -> Derivation:
    """The derivation with evidence for each step and its proofs filled in; a failed one is recorded, not raised."""
    smallest = derivation.definition.minimum_features
    if smallest > MOST_FEATURES:
        reason = f"nothing was tried: the smallest D is {smallest}, and evidence is computed for D <= {MOST_FEATURES}"
        return replace(
            derivation,
            proofs=tuple(
                Proof(NONE, f"{g.name}: {reason}", passed=True, about="gradients") for _, g in derivation.gradients
            ),
        )
    every = EverySize(derivation)
    checked, lines = _with_evidence(derivation, every)
    proofs = [*lines, *_gradients(derivation, every), *quotient_proofs(derivation)]
    for about, function, equalities in (
        ("tangents", "jvp", every.tangents),
        ("second-order gradients", "backward_backward", every.double_backward),
    ):
        if getattr(derivation, function) is not None:
            proofs += _beyond(derivation, about, function, equalities)
    return replace(checked, proofs=tuple(proofs))


# ---- lines


def _with_evidence(derivation: Derivation, every: EverySize) -> tuple[Derivation, tuple[Proof, ...]]:
    """Return the derivation with evidence for each line with a claim, and the proofs of all of them."""
    steps = [step for derivative in derivation.derivatives().values() for step in derivative.steps]
    found = _shown(derivation, [step for step in steps if step.before is not None], every)
    of_steps: dict[int, list[StepEvidence]] = {}
    apart: dict[str, list[tuple[str, StepEvidence]]] = {"outputs": [], "identities": []}
    for claim, evidence in found:
        if claim.step:
            of_steps.setdefault(claim.step, []).append(evidence)
        else:
            apart[claim.about].append((claim.says, evidence))
    weakest = {number: min(evidence, key=_strength) for number, evidence in of_steps.items()}

    def given(steps: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(replace(step, evidence=weakest.get(step.number)) for step in steps)

    jvp, double = derivation.jvp, derivation.backward_backward
    checked = replace(
        derivation,
        steps=given(derivation.steps),
        jvp=None if jvp is None else replace(jvp, steps=given(jvp.steps)),
        backward_backward=None if double is None else replace(double, steps=given(double.steps)),
    )
    lines = [(step, f"step {step.number}, {step.rule}") for step in steps if step.number in weakest]
    first = [(where, weakest[step.number]) for step, where in lines if step.before is None]
    rewrites = [(where, weakest[step.number]) for step, where in lines if step.before is not None]
    return checked, (
        *_graded("outputs", "forward returns what the definition says: {names}", apart["outputs"]),
        *_graded("steps", "steps whose two sides are equal: {count}", rewrites),
        *_graded("given equations", "equations that the definition or the chain rule gives: {count}", first),
        *_graded("identities", "identities of the definition that hold: {count}", apart["identities"]),
    )


def _shown(
    derivation: Derivation, rewrites: Iterable[Step], every: EverySize
) -> list[tuple[PrintedEquality, StepEvidence]]:
    """Return each claim of a derivation with its evidence; the claim of a rewrite is that its sides are equal."""
    found: list[tuple[PrintedEquality, StepEvidence]] = []
    open_: list[tuple[PrintedEquality, str]] = []
    for step in rewrites:
        assert step.before is not None
        claim = PrintedEquality(step.number, step.part, "", step.after, step.before)
        try:
            found.append((claim, StepEvidence(EVERY_D, tuple(symbol.name for symbol in every.step(step)))))
        except NotShownError as error:
            open_.append((claim, str(error)))
    for claim in claims(derivation):
        try:
            every.claim(claim)
            found.append((claim, StepEvidence(EVERY_D)))
        except NotShownError as error:
            open_.append((claim, f"{claim.says}: {error}" if claim.step else str(error)))
    agreed = digits_of_claims(derivation, [claim for claim, _ in open_]) if open_ else []
    for (claim, reason), digits in zip(open_, agreed, strict=True):
        found.append((claim, StepEvidence(NONE if digits is None else FIFTY, digits=digits, reason=reason)))
    return found


def _strength(evidence: StepEvidence) -> float:
    """Return a sort key of evidence, the weakest first: few digits, more digits, no finite value, exact at every D."""
    if evidence.digits is not None:
        return evidence.digits
    return DIGITS + (2 if evidence.grade == EVERY_D else 1)


def _graded(about: str, text: str, found: Sequence[tuple[str, StepEvidence]]) -> Iterator[Proof]:
    exact = [where for where, evidence in found if evidence.grade == EVERY_D]
    if exact:
        yield Proof(EVERY_D, text.format(count=len(exact), names=", ".join(exact)), True, about, len(exact))
    for where, evidence in found:
        if evidence.grade == EVERY_D:
            continue
        if evidence.digits is None:
            yield Proof(NONE, f"{where}: {evidence.reason}, and no finite value was found", True, about)
            continue
        agree = f"{where}: both sides agree to {evidence.digits} digits ({evidence.reason})"
        yield Proof(FIFTY, agree, evidence.digits >= REQUIRED, about)


# ---- results

_BESIDE_AN_EQUALITY = (3, 10)
"""The sizes and the digits of the dot test where equality is shown for every D.

Digits are lost where nothing is wrong: the exponential of a mask of -1e30 has 20 of 50. A wrong rule agrees to none.
"""


def _equalities(ask: Callable[[], Iterator[Equality]]) -> tuple[list[str], dict[str, str]]:
    """The results that are shown to be right for every D, and why the others are not."""
    shown: list[str] = []
    open_: dict[str, str] = {}
    try:
        for equality in ask():
            try:
                equality.show()
                shown.append(equality.name)
            except NotShownError as error:
                open_[equality.name] = str(error)
    except NotShownError as error:
        open_[""] = str(error)
    return shown, open_


def _gradients(derivation: Derivation, every: EverySize) -> Iterator[Proof]:
    shown, open_ = _equalities(every.gradients)
    for name in shown:
        yield Proof(EVERY_D, f"{name} is the adjoint of the definition as written", True, "gradients")
    if not open_:
        return
    for name, digits, sizes in second_derivation(derivation):
        if name in shown:
            continue
        why = open_.get(name) or open_[""]
        if not sizes:
            reason = f"the unsimplified adjoint has no finite value at any point that was tried ({why})"
            yield Proof(NONE, f"{name}: {reason}", True, "gradients")
            continue
        at = ", ".join(map(str, sizes))
        text = f"{name}: the unsimplified adjoint agrees to {digits} digits, D = {at} ({why})"
        yield Proof(FIFTY, text, digits >= REQUIRED, "gradients")


def _beyond(
    derivation: Derivation, about: str, function: str, equalities: Callable[[], Iterator[Equality]]
) -> Iterator[Proof]:
    shown, open_ = _equalities(equalities)
    results = [name for name, _ in getattr(derivation, function).results]
    if not open_:
        beside = "tangent of the definition as written" if function == "jvp" else "adjoint's adjoint"
        text = f"{function}: {', '.join(shown)}: each is the {beside}"
        yield Proof(EVERY_D, text, True, about, len(shown))
        # Both sides were differentiated by the same rules: a wrong rule is refuted by the other direction's.
        kind, text, passed = _dot_test(derivation, function, *_BESIDE_AN_EQUALITY)
        if not passed:
            yield Proof(kind, text, False, about)
        return
    if shown:
        yield Proof(EVERY_D, f"{function}: {', '.join(shown)}", True, about, len(shown))
    kind, text, passed = _dot_test(derivation, function)
    reasons = "; ".join(dict.fromkeys(open_.values()))
    yield Proof(kind, f"{text} ({reasons})", passed, about, len(results) - len(shown))


def _dot_test(derivation: Derivation, function: str, *limits: int) -> tuple[str, str, bool]:
    """The same as `second_order_proof`, and a failure where an expression has no number."""
    try:
        return second_order_proof(derivation, function, *limits)
    except TypeError as error:
        return NONE, f"{function}: {error}", False


__all__ = ["DIGITS", "MOST_FEATURES", "REQUIRED", "Verdict", "equal", "has_values", "prove"]
