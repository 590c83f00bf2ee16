"""Summary of a long run, as the tables of a page."""

from __future__ import annotations

import ast
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from lngen.language import FUNCTIONS
from tests.fuzz.campaign import Campaign
from tests.fuzz.failure import FAILURES, NO_POINT, REFUSED, RIGHT
from tests.fuzz.points import ENDS
from tests.fuzz.tree import function_of


def summary(campaign: Campaign, verdicts: Mapping[int, Mapping[str, Any]]) -> str:
    """The tables of `docs/fuzz.md`."""
    outcomes = Counter(entry["outcome"] for entry in verdicts.values())
    lines = [
        *("| outcome | definitions |", "|---|---:|"),
        *(f"| {name} | {outcomes[name]:,} |" for name in (RIGHT, REFUSED, NO_POINT, *FAILURES)),
        "",
        *_table("why refused", verdicts, REFUSED),
        *_failures(verdicts),
        *_times(verdicts),
        "",
        *_covered(campaign, verdicts),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _table(title: str, verdicts: Mapping[int, Mapping[str, Any]], *outcomes: str) -> Iterator[str]:
    keys = Counter(
        entry["key"] if len(outcomes) == 1 else f"{entry['outcome']}: {entry['key']}"
        for entry in verdicts.values()
        if entry["outcome"] in outcomes
    )
    if keys:
        yield from (f"| {title} | definitions |", "|---|---:|")
        yield from (
            f"| {key} | {number:,} |" for key, number in sorted(keys.items(), key=lambda item: (-item[1], item))
        )
        yield ""


def _failures(verdicts: Mapping[int, Mapping[str, Any]]) -> Iterator[str]:
    """A table of failures for each float type that the judge's key names, and one of those that have none."""
    failed = {number: entry for number, entry in verdicts.items() if entry["outcome"] in FAILURES}
    for dtype in (np.dtype(dtype).name for dtype in ENDS):
        typed = {number: entry for number, entry in failed.items() if dtype in entry["key"]}
        failed = {number: entry for number, entry in failed.items() if number not in typed}
        yield from _table(f"failure in {dtype}", typed, *FAILURES)
    yield from _table("other failure", failed, *FAILURES)


def _times(verdicts: Mapping[int, Mapping[str, Any]]) -> Iterator[str]:
    seconds = sorted(entry["derive_seconds"] for entry in verdicts.values() if entry["outcome"] == RIGHT)
    if seconds:
        last = seconds[int(0.99 * (len(seconds) - 1))]
        yield from ("| derivation and emission | seconds of one core |", "|---|---:|")
        yield f"| median | {statistics.median(seconds):.2f} |"
        yield f"| 99 % below | {last:.1f} |"
        yield f"| longest | {seconds[-1]:.1f} |"


def _covered(campaign: Campaign, verdicts: Mapping[int, Mapping[str, Any]]) -> Iterator[str]:
    """Yield the number of right definitions that use each function, and each kind of input."""
    uses: Counter[str] = Counter()
    for number, entry in verdicts.items():
        if entry["outcome"] == RIGHT:
            function = function_of(ast.parse(campaign.text(number)))
            uses.update({node.id for node in ast.walk(function) if isinstance(node, ast.Name)})
    names = [*FUNCTIONS, "D", "Row", "RowScalar", "Feature", "Scalar", "Data", "Constant"]
    yield from ("| used in | definitions that are right |", "|---|---:|")
    yield from (f"| `{name}` | {uses[name]:,} |" for name in names)
