"""Summary of a long run, as a page."""

from __future__ import annotations

import ast
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from lngen.language import FUNCTIONS
from tests.fuzz.batch import LARGE_MEAN
from tests.fuzz.campaign import AWKWARD_EVERY, CUDA_EVERY, PROVED_EVERY, Campaign
from tests.fuzz.failure import FAILURES, NO_POINT, REFUSED, RIGHT
from tests.fuzz.judge import SECONDS
from tests.fuzz.points import ENDS, LARGE, LARGEST_EXPONENT, TINY
from tests.fuzz.tree import function_of

_FARTHEST = max(deviation for _, deviation, _ in ENDS[np.float64])


def summary(campaign: Campaign, verdicts: Mapping[int, Mapping[str, Any]]) -> str:
    """The Markdown of `docs/fuzz.md`."""
    count = len(verdicts)
    outcomes = Counter(entry["outcome"] for entry in verdicts.values())
    lines = [
        "# Fuzzing: random definitions",
        "",
        f"`make fuzz N={count} SEED={campaign.seed}` generates {count:,} random well-typed definitions and derives and",
        "emits each. It checks outputs, `backward`, `jvp` and `backward_backward` of the emitted NumPy code, with",
        "inputs, cotangents and tangents left out at random:",
        "",
        "* **Small shapes:** four, against 60-digit differences of the evaluator (`tests/fuzz/oracle.py`).",
        f"* **Ends of the domain:** exponents to {LARGEST_EXPONENT:g} and rows of {TINY:g} and {LARGE:g}, in float32",
        "  and float64, against plain forward-mode differentiation in the same type. If an output is right, its",
        "  derivatives must be nearly as accurate as the plain ones (`tests/fuzz/beside.py` has the figures).",
        f"* **Batches** above the size of a block, with rows of mean 0 and {LARGE_MEAN:g} (`tests/fuzz/batch.py`).",
        "  The bits of a row do not depend on its neighbours or the thread count, and a sum over rows is that of its",
        "  rows.",
        "",
        f"Every {CUDA_EVERY}th definition also runs its kernels, and every {PROVED_EVERY}th has its derivation proved.",
        f"One of {AWKWARD_EVERY} uses names of emitted code and of derivations for its values, with proofs, unless",
        f"`--plain-names` is set. A definition has {SECONDS:g} s. This page summarizes one run.",
        "",
        "| outcome | definitions |",
        "|---|---:|",
    ]
    lines += [f"| {name} | {outcomes[name]:,} |" for name in (RIGHT, REFUSED, NO_POINT, *FAILURES)]
    lines += [
        "",
        "*Refused* is a typed error that names the construct; *refused by name* is one that disappears when the values",
        "are renamed. *No point* is a definition without a finite value, or with ties, at every point tried.",
        f"Rows of float64 have a deviation of up to {_FARTHEST:g}: failures there say nothing about float32.",
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
