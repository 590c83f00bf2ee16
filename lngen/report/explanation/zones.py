"""Inputs of a plan that are known to be hard, in families: each a kind of row, at one magnitude after the other.

`u` stands for numbers between -1 and 1 without a pattern. A family knows no layer: it speaks of rows and cotangents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from lngen.algebra.symbols import TypedSymbol, is_row
from lngen.plan.cost import operations
from lngen.plan.planner import Plan
from lngen.report.explanation.emulation import Array, EmulatedRows, features_of, ordinary
from lngen.report.explanation.jacobian import null_vector, responses

_OFFSETS = tuple(sign * 10.0**k for k in range(1, 8) for sign in (1, -1))
_TINY = tuple(10.0**-k for k in (2, 4, 8, 12, 16, 20, 24, 36))
_LARGE = tuple(10.0**k for k in (1, 2, 3, 4, 6, 9, 12, 16, 20, 24, 30, 37))


_MOST_WORK = 300
"""Operations an entry, times rows, up to which each row of several is tried alone and every magnitude is."""


@dataclass(frozen=True)
class ZoneInput:
    """One input of a family: what it is in words, and the rows that change, by symbol."""

    zone: str
    words: str
    rows: dict[TypedSymbol, Array]


def inputs(plan: Plan) -> list[ZoneInput]:
    """The inputs of all families, those of one beside each other, the mildest first."""
    return [*_of_rows(plan), *_of_cotangents(plan)]


def batch(plan: Plan, chosen: list[ZoneInput]) -> EmulatedRows:
    """The inputs as rows below each other; what one leaves alone is ordinary."""
    rows = ordinary(plan, features_of(plan), len(chosen))
    values = {symbol: np.array(value) for symbol, value in rows.values.items()}
    for place, entry in enumerate(chosen):
        for symbol, row in entry.rows.items():
            values[symbol][place] = row
    return EmulatedRows(values, rows.features, rows.constants)


_Family = tuple[str, str, tuple[float, ...], Callable[[Array, float], Array]]

_FAMILIES: tuple[_Family, ...] = (
    ("large offset", "{s} + u", _OFFSETS, lambda u, s: s + u),
    ("tiny rows", "{s}*u", _TINY, lambda u, s: s * u),
    ("large rows", "{s}*u", _LARGE, lambda u, s: s * u),
    ("constant row", "{s} everywhere", (0.0, 0.1, 1e4), lambda u, s: 0 * u + s),
    ("one large entry", "u, one entry {s}", _LARGE, lambda u, s: np.where(np.arange(len(u)) == 5, s, u)),
)


def _of_rows(plan: Plan) -> Iterator[ZoneInput]:
    """Families of rows: all rows of the layer at once, then each alone where there are several."""
    given = {entry.name for entry in plan.derivation.definition.inputs if entry.kind.name == "ROW"}
    base = ordinary(plan, features_of(plan)).values
    rows = [row for row in plan.forward.rows if row.name in given]
    work = len(rows) * sum(operations(program).element for program in (plan.forward, plan.backward))
    groups = [rows, *([[row] for row in rows] if len(rows) > 1 and work <= _MOST_WORK else [])]
    for zone, words, magnitudes, make in _FAMILIES if rows else ():
        for s in magnitudes if work <= _MOST_WORK else magnitudes[::2]:
            for group in groups:
                said = f"{', '.join(row.name for row in group)} = {words.format(s=f'{s:g}')}"
                yield ZoneInput(zone, said, {row.symbol: make(base[row.symbol][0], s) for row in group})
    for one, other in pairwise(rows):
        for s in (1e-2, 1e-4, 1e-6):
            opposite = s * base[other.symbol][0] - base[one.symbol][0]
            yield ZoneInput("rows that cancel", f"{other.name} = {s:g}*u - {one.name}", {other.symbol: opposite})


def _of_cotangents(plan: Plan) -> Iterator[ZoneInput]:
    """Families of cotangents, the row being ordinary: one that is large, and one of which nothing is left."""
    features = features_of(plan)
    base = ordinary(plan, features).values
    cotangents = [row for row in plan.backward.rows if row.origin == "cotangent" and is_row(row.symbol)]
    for row in cotangents:
        for s in _LARGE:
            yield ZoneInput("large cotangents", f"{row.name} = {s:g}*u", {row.symbol: s * base[row.symbol][0]})
    for row in cotangents:
        sent = responses(plan, features, [(row.symbol, entry) for entry in range(features)])
        answers = [value for value in sent.values() if value.shape == (features, features) and np.any(value)]
        matrix = [[value[j, i] for j in range(features)] for value in answers for i in range(features)]
        vector = null_vector(matrix) if matrix else None
        if vector is not None:
            cancelling = np.array([float(v) for v in vector])
            yield ZoneInput(
                "cotangents that cancel", f"{row.name} with a gradient of 0, rounded", {row.symbol: cancelling}
            )
