"""Refusal of neutral values that make a result infinite: a left-out input *is* its neutral value."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr

from lngen.emit.numpy.graph import NumberNode
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
            if not cases or not isinstance(form.value, NumberNode) or _can_be_written(form.value.value):
                continue
            absent = [name for name in _fewest_absent(cases) if name in neutral]
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


def _can_be_written(number: Expr) -> bool:
    return bool(number.is_Boolean or (number.is_real and number.is_finite))


def _fewest_absent(cases: Condition) -> list[str]:
    """Return the absent arguments of a case with the fewest of them."""
    found = ([name for name, there in term if not there] for term in cases.products())
    return min(found, key=len)
