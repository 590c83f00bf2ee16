"""The steps of a derivation, as they are taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from sympy import Expr

from lngen.derivation.derivation import Step
from lngen.expressions.equations import Equation
from lngen.expressions.reductions import show_sums
from lngen.expressions.symbols import TypedSymbol, operation_count, whole

UNSIMPLIFIED = "unsimplified"
"""The rule of a step that gives up: right, only longer. The audit lists them."""


class Trail:
    """Collects steps and numbers them."""

    def __init__(self, first: int = 1) -> None:
        self.steps: list[Step] = []
        self._first = first

    def add(self, part: str, rule: str, target: TypedSymbol, before: Expr | None, after: Expr, reason: str) -> None:
        """Append a step, unless it changed nothing."""
        if before is not None and before == after:
            return
        shown = None if before is None else show_sums(whole(before))
        after = show_sums(whole(after))
        if shown == after:
            return
        self.steps.append(
            Step(
                self._first + len(self.steps),
                part,  # type: ignore[arg-type]
                rule,
                target,
                shown,
                after,
                reason,
                None if shown is None else operation_count(shown),
                operation_count(after),
            )
        )

    def rewritten(
        self, rule: str, reason: str, equations: Iterable[Equation], change: Callable[[Expr], Expr]
    ) -> tuple[Equation, ...]:
        """Equations of the gradients with their right-hand sides changed, a step for each that is another one now."""
        result = []
        for equation in equations:
            after = change(equation.expression)
            self.add("backward", rule, equation.symbol, equation.expression, after, reason)
            result.append(replace(equation, expression=after))
        return tuple(result)
