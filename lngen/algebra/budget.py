"""Budget of work that a search for a short form or a proof may take, as a count and not a time.

The same definition therefore gives the same result on every machine. A unit is a term or a factor made by multiplying
out, or a node of an expression in a search. If no work is left, formulas stay as the chain rule gives them, and a proof
is left open.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

_WORK = 50_000
_LEAST = 500
"""Work that a question may take, whatever those before it took: what is short is shown in a long derivation too."""


class TooLargeError(Exception):
    """Error for a question that takes too much work; the message says of what: sign regions, terms or polynomials."""


class Budget:
    """Work that may still be done, shared by all that is given it; `error` is raised when nothing is left.

    >>> budget = Budget(10)
    >>> budget.spend(4)
    >>> budget.left, budget.spent
    (6, 4)
    """

    def __init__(self, work: float = _WORK, error: type[Exception] = TooLargeError) -> None:
        self.left = work
        self.spent = 0
        self.error = error

    def spend(self, work: int) -> None:
        """Take note of work; raises `error` when it has become too much."""
        self.spent += work
        self.left -= work
        if self.left < 0:
            raise self.error("too many terms")

    @contextmanager
    def limited(self, work: int) -> Iterator[None]:
        """Limit the work inside a `with` statement to this much, or to the rest of the budget if that is less.

        A small part of it is granted when nothing is left.

        >>> budget = Budget(10)
        >>> with budget.limited(5):
        ...     budget.spend(4)
        >>> budget.left
        6
        """
        before, self.left = self.left, min(work, max(self.left, _LEAST))
        granted = self.left
        try:
            yield
        finally:
            self.left = before - (granted - max(self.left, 0))


_Measure: TypeAlias = ContextVar[Budget | None]

WORK: _Measure = ContextVar("work", default=None)
"""The budget of the derivation that is being made."""

NODES: _Measure = ContextVar("nodes", default=None)
"""The budget of one form that is tried, in nodes visited by multiplying out."""


@contextmanager
def limited_work(
    work: float = math.inf, error: type[Exception] = TooLargeError, measure: _Measure = WORK
) -> Iterator[Budget]:
    """Give what `spend` counts inside a `with` statement a budget of its own.

    Work inside does not count outside. A value that is computed once and cached, such as the bases of a row class, is
    counted by itself and charged at every use. Otherwise the first definition of a process would pay for the next.

    >>> with limited_work(3) as budget:
    ...     spend(2)
    >>> budget.spent
    2
    """
    budget = Budget(work, error)
    token = measure.set(budget)
    try:
        yield budget
    finally:
        measure.reset(token)


def spend(work: int, measure: _Measure = WORK) -> None:
    """Count work in the budget that `limited_work` gave, if it did.

    >>> with limited_work(3):
    ...     spend(4)
    Traceback (most recent call last):
    ...
    lngen.algebra.budget.TooLargeError: too many terms
    """
    budget = measure.get()
    if budget is not None:
        budget.spend(work)
