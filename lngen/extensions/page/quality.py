"""Quality of the emitted code in one number: the digits that it keeps in the worst measured row."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lngen.checks.stability import StabilityRow, StabilityTable
from lngen.extensions.page.plots import FORMS, lines_of

_SINGLE = "float32"


@dataclass(frozen=True)
class Quality:
    """The `digits` kept, what they are beside, the row in which they are fewest, and a table of the forms.

    `rows` has its headings first. `note` says where the naive form is the definition itself.
    """

    digits: str
    words: str
    worst: str
    rows: tuple[tuple[str, ...], ...]
    note: str


def quality(table: StabilityTable) -> Quality:
    """Say how many digits each form keeps at the offset that is worst for it."""
    worst = worst_line(table, _SINGLE, "emitted")
    kept = {words: _digits(getattr(worst_line(table, _SINGLE, form), form)) for form, words in FORMS}
    emitted, *others = kept.items()
    beside = ", ".join(f"{words} {digits}" for words, digits in others)
    rows = [("form", *(f"largest error in {dtype}" for dtype in ("float32", "float64")), "at an offset of")]
    for form, words in FORMS:
        found = [worst_line(table, dtype, form) for dtype in ("float32", "float64")]
        errors = [_error(getattr(line, form)) for line in found]
        rows.append((words, *errors, " and ".join(f"{line.offset:.0e}" for line in found)))
    return Quality(
        digits=emitted[1],
        words=f"of {_digits(2.0**-24)} digits kept in {_SINGLE}; {beside}",
        worst=f"rows of mean {worst.offset:.0e} and deviation 1, D = {table.features}",
        rows=tuple(rows),
        note="; ".join(table.naive_form) or table.note,
    )


def worst_line(table: StabilityTable, dtype: str, form: str) -> StabilityRow:
    """The line of a type in which a form is worst: an error that is no number is larger than any."""

    def size(line: StabilityRow) -> float:
        error = float(getattr(line, form))
        return error if math.isfinite(error) else math.inf

    return max(lines_of(table, dtype), key=size)


def _digits(error: float) -> str:
    """Decimal digits that an error leaves.

    >>> _digits(1e-7), _digits(0.0), _digits(30.0), _digits(math.inf)
    ('7.0', '7.2', '0', '0')
    """
    if not math.isfinite(error) or error >= 1:
        return "0"
    return f"{-math.log10(max(error, 2.0**-24)):.1f}"


def _error(error: float) -> str:
    return f"{error:.1e}" if math.isfinite(error) else "not a number"
