"""Questions to the algebra: whether two values that a text and its program compute are one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import sympy
from sympy import Expr

from lngen.algebra.symbols import stand_in
from lngen.prove.budget import Budget, TooLargeError, UndefinedError
from lngen.prove.exact import ExplicitAlgebra


class OutOfWorkError(Exception):
    """Error for a validation that has taken all of its work."""


def within(done: int, cases: int) -> str:
    """Return words for the cases that were within the budget of work; none if all were.

    >>> within(5, 9), within(9, 9)
    (', 5 of 9 cases within the budget of work', '')
    """
    return "" if done == cases else f", {done} of {cases} cases within the budget of work"


class Questions:
    """Questions whether a difference is zero, each of which is asked once: rows, entries and calls are often alike.

    `work` is what the validation may take in all, in terms multiplied; None is no limit.

    >>> x, y = sympy.symbols("x y", real=True)
    >>> questions = Questions()
    >>> [questions.vanishes((e + 1)**2 - e**2 - 2*e - 1, str) for e in (x, y)], questions.asked
    ([True, True], 1)
    """

    def __init__(self, work: int | None = None) -> None:
        self.work, self.spent = work, 0
        self._answers: dict[Expr, bool | None] = {}

    @property
    def asked(self) -> int:
        """Questions that differ in more than names."""
        return len(self._answers)

    def vanishes(self, difference: Expr, order: Callable[[Expr], object]) -> bool | None:
        """Test whether a difference is shown to be zero; None if it is too long for the algebra.

        `order` is a key of symbols, in whose order they are named anew. Raises OutOfWorkError.
        """
        symbols = sorted(difference.free_symbols, key=order)  # type: ignore[arg-type]
        question = difference.xreplace({s: _named(n, s.is_positive) for n, s in enumerate(symbols)})
        if question not in self._answers:
            self._answers[question] = self._answer(question)
        return self._answers[question]

    def _answer(self, question: Expr) -> bool | None:
        budget = Budget()
        before = budget.left
        try:
            return ExplicitAlgebra(budget).vanishes(question)
        except (TooLargeError, UndefinedError):
            return None
        finally:
            self.spend(before - budget.left)

    def spend(self, work: int) -> None:
        """Take note of work; raises OutOfWorkError when it has become too much."""
        self.spent += work
        if self.work is not None and self.spent > self.work:
            raise OutOfWorkError


@cache
def _named(number: int, is_positive: bool | None) -> Expr:
    return stand_in(f"asked {number}", sympy.S.One, **({"positive": True} if is_positive else {}))
