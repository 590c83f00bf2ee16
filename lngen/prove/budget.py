"""How much work a proof may take."""

from __future__ import annotations

_WORK = 50_000


class TooLargeError(Exception):
    """More sign regions, terms or polynomial work than an answer is worth; the message says which."""


class Budget:
    """Work that may still be done, in terms multiplied; shared by the proofs of one derivation."""

    def __init__(self) -> None:
        self.left = _WORK

    def spend(self, work: int) -> None:
        """Take note of work; raises TooLargeError when it has become too much."""
        self.left -= work
        if self.left < 0:
            raise TooLargeError("too many terms")
