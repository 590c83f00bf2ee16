"""Simulated times as lines on a terminal, in a few sentences, and as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import geometric_mean
from typing import Any

from benchmarks.simulated_cases import DIRECTIONS
from benchmarks.tables import table

Found = Mapping[str, Any]

COLUMNS = (
    ("cycles", 13), ("roof", 5), ("/Apex", 6), ("/last", 6), ("issue", 6), ("score", 6), ("pipe", 5), ("idle", 5),
    ("inst/el", 7), ("regs", 4), ("thr/SM", 6), ("grid", 6), ("limit", 8),
)  # fmt: skip

_NEAR_THE_ROOF, _ISSUING = 0.9, 0.6
_LIMITS = {"scoreboard": "loads", "pipe": "unit", "idle": "barriers"}

_FROM = 1024
"""Rows from here on are long enough for a share of the roof to be asked of them."""


def limit(found: Found) -> str:
    """Return the limit of a kernel, by the simulator's stalls.

    It is `memory` near the roof, and `issue` if most issue slots are used. Otherwise it is the longest wait of warps:
    `loads`, a busy `unit`, or other warps (`barriers`, or too few of them).
    """
    if (found["of_roof"] or 0) >= _NEAR_THE_ROOF:
        return "memory"
    if found["issue"] >= _ISSUING:
        return "issue"
    return _LIMITS[max(_LIMITS, key=lambda part: found[part])]


def head(width: int) -> str:
    """The titles of the columns, behind those of the names of cases."""
    return f"{'case':{width}s}" + "".join(f" {title:>{size}s}" for title, size in COLUMNS)


def line(name: str, found: Found, last: Found | None, width: int) -> str:
    """A case: its columns, or why it has none."""
    if "failed" in found:
        return f"{name:{width}s} cannot be simulated: {found['failed']}"
    text = f"{name:{width}s}" + "".join(
        f" {cell:>{size}s}" for cell, (_, size) in zip(_cells(found, last), COLUMNS, strict=True)
    )
    spills = f"  spills {found['spilled']} bytes" if found["spilled"] else ""
    wrong = f"  WRONG: {found['wrong']}" if found["wrong"] else ""
    return text + spills + wrong + "".join(f"  {warning}" for warning in found["warnings"])


def _cells(found: Found, last: Found | None) -> list[str]:
    return [
        "+".join(map(str, found["cycles"])),
        _share(found["of_roof"]),
        _ratio(found["over_apex"]),
        _ratio(over(found, last)),
        *(_share(found[part]) for part in ("issue", "scoreboard", "pipe", "idle")),
        f"{found['instructions']:.1f}",
        str(found["registers"]),
        str(found["threads"]),
        str(found["grid"]),
        limit(found),
    ]


def _share(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def over(found: Found, other: Found | None) -> float | None:
    """The time of the first kernel over that of another case of as many bytes, if there is one."""
    if other is None or "failed" in found or found["bytes"] != other["bytes"]:
        return None
    return float(found["cycles"][0] / other["cycles"][0])


def summary(results: Mapping[str, Found], last: Mapping[str, Found]) -> list[str]:
    """Sentences on many cases: times over those of Apex and of the last record, shares of the roof; none of none."""
    good = {name: found for name, found in results.items() if "failed" not in found}
    sentences = []
    for direction in dict.fromkeys(map(_direction, good)):
        own = {name: found for name, found in good.items() if _direction(name) == direction}
        sentences += _mean(f"time over Apex's, {direction}", {n: f["over_apex"] for n, f in own.items()})
        sentences += _mean(
            f"time over the last record's, {direction}", {n: over(f, last.get(n)) for n, f in own.items()}
        )
        shares = {n: f["of_roof"] for n, f in own.items() if f["of_roof"] is not None and _features(n) >= _FROM}
        if shares:
            least = min(shares, key=lambda name: shares[name])
            sentences.append(
                f"share of the roof, {direction}, D >= {_FROM}: {_share(shares[least])} at least ({least})"
            )
    return sentences


def _mean(what: str, ratios: Mapping[str, float | None]) -> list[str]:
    there = {name: value for name, value in ratios.items() if value is not None}
    if not there:
        return []
    worst = max(there, key=lambda name: there[name])
    mean = f"{geometric_mean(there.values()):.2f} in the geometric mean of {len(there)}"
    return [f"{what}: {mean}, {there[worst]:.2f} at most ({worst})"]


def _direction(name: str) -> str:
    return name.split()[1]


def _features(name: str) -> int:
    return int(name.split()[2])


def document(record: Mapping[str, Mapping[str, Found]]) -> str:
    """All that is recorded, in Markdown: a table for each configuration, and what it comes to."""
    blocks = []
    for configuration, cases in sorted(record.items(), reverse=True):
        titles = ("layer", "direction", "D", "type", *(title for title, _ in COLUMNS if title != "/last"))
        rows = [(*name.split(None, 3), *_without_last(found)) for name, found in sorted(cases.items(), key=_place)]
        blocks += [f"### {configuration}", table(titles, rows), _listed(summary(cases, {}))]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _place(item: tuple[str, Found]) -> tuple[str, int, str, int]:
    """The order of cases: by layer, direction, type and length."""
    layer, direction, features, dtype = item[0].split(None, 3)
    return layer, DIRECTIONS.index(direction), dtype, int(features)


def _without_last(found: Found) -> Sequence[str]:
    return [cell for cell, (title, _) in zip(_cells(found, None), COLUMNS, strict=True) if title != "/last"]


def _listed(sentences: Iterable[str]) -> str:
    return "\n".join(f"* {sentence}" for sentence in sentences)
