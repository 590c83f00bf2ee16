"""Summary of a layer in a line of a table: its gradient."""

from __future__ import annotations

from lngen.algebra.equations import leading_to
from lngen.plan.planner import Plan
from lngen.report.formulas import formula, reading_order


def first_gradient(plan: Plan) -> list[str]:
    """The lines of backward that the gradient of the first input needs, in order of computation."""
    derivation = plan.derivation
    needed = leading_to([derivation.gradients[0][1]], derivation.backward)
    return [formula(q.symbol, q.expression, reading_order(derivation)).line for q in needed]
