"""Budget of work for a search for shorter forms, as a count and not a time.

The same definition therefore gives the same result on every machine. A unit is a term or a factor made by multiplying
out, or a node of an expression in a search. If a definition exceeds its budget, the search is given up as a whole, and
the unsimplified formulas stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias


class TooMuchWorkError(Exception):
    """The units of the innermost `limited_work` are spent."""


class Meter:
    """Meter of the units spent, and of their limit."""

    def __init__(self, limit: int | None, error: type[Exception]) -> None:
        self.spent = 0
        self.limit = limit
        self.error = error


_Measure: TypeAlias = ContextVar[Meter | None]

WORK: _Measure = ContextVar("work", default=None)
NODES: _Measure = ContextVar("nodes", default=None)
"""Nodes visited by multiplying out: a measure of its own, for one form that is tried."""


@contextmanager
def limited_work(
    limit: int | None, error: type[Exception] = TooMuchWorkError, measure: _Measure = WORK
) -> Iterator[Meter]:
    """Limit the work inside a `with` statement: `spend` raises `error` beyond `limit` units; None only counts.

    Work inside does not count outside. A value that is computed once and cached, such as the bases of a row class, is
    metered by itself and charged at every use. Otherwise the first definition of a process would pay for the next.

    >>> with limited_work(3) as meter:
    ...     spend(2)
    >>> meter.spent
    2
    """
    meter = Meter(limit, error)
    token = measure.set(meter)
    try:
        yield meter
    finally:
        measure.reset(token)


def spend(units: int, measure: _Measure = WORK) -> None:
    """Count units of work. Raises TooMuchWorkError where they are more than may be spent.

    >>> with limited_work(3):
    ...     spend(4)
    Traceback (most recent call last):
    ...
    lngen.algebra.budget.TooMuchWorkError
    """
    meter = measure.get()
    if meter is None:
        return
    meter.spent += units
    if meter.limit is not None and meter.spent > meter.limit:
        raise meter.error
