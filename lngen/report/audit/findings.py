"""Findings of an audit: hazards, and the rewrites that remove some of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from lngen.derivation.derivation import Direction, Step

OVERFLOW = "exponential"
"""The kind of hazard that an exponential is."""

Status = Literal["removed", "beside the result", "beside its terms", "range", "open"]


@dataclass(frozen=True)
class Place:
    """Place of an expression: the line of a program that computes `name`, and the expression itself."""

    direction: Direction
    step: int
    name: str
    text: str


@dataclass(frozen=True)
class Hazard:
    """An operation in which digits can be lost.

    `status` says what is left of it:

    * "removed": the emitted form avoids the loss;
    * "beside the result": the error is a few roundings of the result, in a row of its largest entry;
    * "beside its terms": it is a few roundings of the largest term, and where terms nearly cancel the result has few
      digits or none;
    * "range": nothing is lost up to a size that is stated, which every value of that kind has;
    * "open": the input decides, and nothing bounds it.
    """

    kind: str
    where: Place
    danger: str
    remedy: str
    status: Status


@dataclass(frozen=True)
class Audit:
    """The hazards of a plan, and the steps of stability rules, which keep others from it."""

    hazards: tuple[Hazard, ...]
    rewrites: tuple[Step, ...]

    @property
    def warning(self) -> str:
        """Return a one-line warning of overflow in an intermediate though the result may not; empty if there is
        none.
        """
        return warning(self.hazards)


def warning(hazards: Iterable[Hazard]) -> str:
    """Say from which argument on the first exponential without protection overflows, and how many more there are."""
    found = [hazard.danger for hazard in hazards if hazard.kind == OVERFLOW and hazard.status == "open"]
    more = f", and {len(found) - 1} more of its kind" if len(found) > 1 else ""
    return f"open: {found[0]}{more}" if found else ""
