"""Summary for one screen: the gradients, the values that they are written in, and the evidence."""

from __future__ import annotations

from lngen.errors import counted
from lngen.layout import aligned, prose
from lngen.plan.planner import Plan
from lngen.report.content import content

WIDTH = 80
MOST_LINES = 18
"""Number of lines in a terminal of 24; the others name the written files, and hold the prompt."""


def brief(plan: Plan, width: int = WIDTH, most: int = MOST_LINES) -> list[str]:
    """The lines. Where there are too many, the last of what the gradients are written in are left out."""
    said = content(plan)
    head = prose(f"{said.name}: {said.citation[0]}" if said.citation else said.name, width)[:2]
    end = [*prose(said.verdict, width, "  "), *prose(said.saving, width, "  ")]
    room = most - len(head) - len(end) - 2
    lines = aligned(said.gradients, width, "  ")
    if said.atoms:
        lines += ["  where", *aligned(said.atoms, width, "    ")]
    if len(lines) > room:
        left_out = len(lines) - room + 1
        lines = [*lines[: room - 1], f"  ({counted(left_out, 'line')} more)"]
    return [*head, "", *lines, "", *end]
