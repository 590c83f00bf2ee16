"""The sections in words that follow the gradient: why it costs what it does, and where it is delicate.

Each is made from the plan and the derivation by rules that hold for every layer. What is measured is measured in an
arithmetic that is the same on every machine.
"""

from __future__ import annotations

from lngen.plan.planner import Plan
from lngen.report.audit import Audit
from lngen.report.explanation import complexity, danger, edges, kernel, reductions, saved
from lngen.report.formulas import reading_order
from lngen.report.section import Section

__all__ = ["explanation"]


def explanation(plan: Plan, audit: Audit) -> tuple[Section, ...]:
    """The sections of a plan, in the order in which they are read."""
    order = reading_order(plan.derivation)
    return (
        reductions.section(plan, order),
        saved.section(plan, order),
        complexity.section(plan),
        edges.section(plan, order),
        danger.section(plan, audit.hazards),
        kernel.section(plan, order),
    )
