"""Refusal of neutral values that make a result infinite: a left-out input *is* its neutral value."""

from __future__ import annotations

from collections.abc import Sequence

from lngen.emit.numpy.graph import ArrayValue
from lngen.emit.numpy.operations import Schedule
from lngen.emit.spelling import gradient, tangent
from lngen.errors import LngenError
from lngen.plan.presence import Condition


def require_finite(schedule: Schedule, need: Sequence[Condition]) -> None:
    """Raise LngenError if a value that is read is infinite, or not real, with left-out inputs.

    `need` has the cases in which each node is read. With `r: Feature = 0` and no `r` given, `x/mean(r)` divides by
    zero: forward would return a meaningless result, so the default is refused, by name.
    """
    program = schedule.program
    neutral = dict(program.optional)
    for node in schedule.graph.nodes:
        for form in node.forms:
            cases = need[node.index] & form.cases
            number = None if isinstance(form.value, ArrayValue) else form.value
            if not cases or number is None or number.is_Boolean or (number.is_real and number.is_finite):
                continue
            terms = ([name for name, there in term if not there] for term in cases.products())
            absent = [name for name in min(terms, key=len) if name in neutral]
            # The tangent of a left-out input is left out too; the fault is the input's.
            of_absent = {derivative for name in absent for derivative in (tangent(name), gradient(gradient(name)))}
            absent = [name for name in absent if name not in of_absent]
            if not absent:
                continue
            values = " and ".join(f"{name} = {neutral[name]}" for name in absent)
            raise LngenError(
                f"{program.layer}: with {values}, the value of an omitted input, "
                "it divides by zero or leaves the real numbers; choose another default, or none"
            )
