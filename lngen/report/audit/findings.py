"""What an audit finds: hazards, and the rewriting that takes some of them away."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from lngen.derivation.derivation import Direction, Step
from lngen.report.audit.savings import Saving

OVERFLOW = "exponential"
"""The kind of hazard that an exponential is."""

Status = Literal["removed", "bounded", "open"]


@dataclass(frozen=True)
class Place:
    """Where something stands: the line of a program that computes `name`, and the expression itself."""

    direction: Direction
    step: int
    name: str
    text: str


@dataclass(frozen=True)
class Hazard:
    """An operation in which digits can be lost.

    `status` is "removed" where the emitted form avoids the loss, "bounded" where the error stays within a few
    roundings of the largest operand, and "open" where the input decides.
    """

    kind: str
    where: Place
    danger: str
    remedy: str
    status: Status


@dataclass(frozen=True)
class Rewrite:
    """A stability rule that was used: its step, and the bits that it saves on a stated example, if it was
    measured.
    """

    step: Step
    saving: Saving | None


@dataclass(frozen=True)
class Audit:
    """The hazards of a plan, and the rewrites that keep others from it."""

    hazards: tuple[Hazard, ...]
    rewrites: tuple[Rewrite, ...]

    @property
    def warning(self) -> str:
        """What overflows though a result may not, in one line for a headline; empty where nothing does."""
        return warning(self.hazards)


def warning(hazards: Iterable[Hazard]) -> str:
    """The exponentials of which no rule takes the largest exponent out, and from which argument on they overflow."""
    found = [hazard.danger for hazard in hazards if hazard.kind == OVERFLOW and hazard.status == "open"]
    more = f", and {len(found) - 1} more of its kind" if len(found) > 1 else ""
    return f"open: {found[0]}{more}" if found else ""
