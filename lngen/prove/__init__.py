"""Evidence for a derivation, found without running any emitted code.

Three kinds, strongest first: an exact proof for small D, agreement of both sides of every step in 50-digit arithmetic,
and agreement with the unsimplified adjoint.
"""

from __future__ import annotations

from dataclasses import replace

from lngen.derivation.derivation import Derivation, Proof
from lngen.prove.digits import MOST_FEATURES, has_values, second_derivation, steps_with_digits
from lngen.prove.exact import exact_proofs
from lngen.prove.second_order import second_order_proofs

DIGITS = 50
"""Decimal digits of the numeric evidence."""

REQUIRED = 40
"""Digits to which two sides of an equation have to agree. Fifty less what a few hundred operations and the cancellation
in a gradient can lose; a wrong formula agrees to none."""


def prove(derivation: Derivation) -> Derivation:
    """The derivation with the digits of each step and its proofs filled in; a failed one is recorded, not raised."""
    smallest = derivation.definition.minimum_features
    if smallest > MOST_FEATURES:
        reason = f"nothing was tried: the smallest D is {smallest}, and evidence is computed for D <= {MOST_FEATURES}"
        return replace(
            derivation,
            proofs=tuple(Proof("not proved", f"{g.name}: {reason}", passed=True) for _, g in derivation.gradients),
        )
    checked = replace(derivation, steps=steps_with_digits(derivation, DIGITS))
    agreed = [step.digits for step in checked.steps if step.digits is not None]
    worst = min(agreed, default=DIGITS)
    proofs = [
        *exact_proofs(derivation),
        Proof(
            "50 digits",
            f"both sides of {len(agreed)} steps agree to {worst} digits or more at random points, three D each",
            worst >= REQUIRED,
        ),
    ]
    for name, digits, sizes in second_derivation(derivation, DIGITS):
        if not sizes:
            reason = "the unsimplified adjoint has no finite value at any point that was tried"
            proofs.append(Proof("not proved", f"{name}: {reason}", passed=True))
            continue
        text = f"{name}: the unsimplified adjoint agrees to {digits} digits, D = {', '.join(map(str, sizes))}"
        proofs.append(Proof("second derivation", text, digits >= REQUIRED))
    proofs += second_order_proofs(derivation, DIGITS, REQUIRED)
    return replace(checked, proofs=tuple(proofs))


__all__ = ["DIGITS", "MOST_FEATURES", "REQUIRED", "has_values", "prove"]
