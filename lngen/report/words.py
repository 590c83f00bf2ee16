"""Clauses that every format of the report has: where a hazard is, how a term comes, what a rewriting kept."""

from __future__ import annotations

from lngen.derivation.derivation import Step
from lngen.report.audit import Hazard
from lngen.report.formulas import Formula

NONE_ASKED = "None was asked for."
PASSES = (
    "Lines that a pass rewrote after the derivation. They are part of the emitted programs, which "
    "are shown to be equal to the derivation; code names them by their numbers."
)


def place(hazard: Hazard) -> str:
    """The direction, the step and the name of what a hazard is of."""
    where = hazard.where
    return f"{where.direction}, {f'step {where.step}, ' if where.step else ''}{where.name}"


def way(sent: Formula) -> str:
    """Path of a contribution; one that has a name already is an output's own cotangent, or from an earlier step."""
    return f"through {sent.name}" if sent.name else "as above" if sent.step else "as an output"


def rewrite(step: Step) -> str:
    """A step that keeps digits."""
    return f"step {step.number}, {step.rule}: {step.reason}"
