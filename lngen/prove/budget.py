"""Budget of work that a proof may take, and the errors that end a proof."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_WORK = 50_000
_LEAST = 500
"""Work that a question may take, whatever those before it took: what is short is shown in a long derivation too."""


class TooLargeError(Exception):
    """Error for a question with too many sign regions, terms or polynomials; the message says which."""


class UndefinedError(Exception):
    """Error for a divisor that is zero, whatever the values of its symbols."""


class Budget:
    """Work that may still be done, in terms multiplied; shared by the proofs of one derivation."""

    def __init__(self, work: int = _WORK) -> None:
        self.left = work

    def spend(self, work: int) -> None:
        """Take note of work; raises TooLargeError when it has become too much."""
        self.left -= work
        if self.left < 0:
            raise TooLargeError("too many terms")

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
