"""The Jacobian of a row, entry by entry, from the formulas of backward: exact but for rounding at many digits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath
import numpy as np

from lngen.algebra.symbols import TypedSymbol, is_row
from lngen.plan.planner import Plan
from lngen.report.explanation.emulation import EmulatedRows, exactly, ordinary

DIGITS = 60
_ZERO = mpmath.mpf(10) ** -40
"""Relative size below which an entry counts as zero; rounding leaves about 1e-60."""

Matrix = list[list[Any]]


def responses(plan: Plan, features: int, directions: Sequence[tuple[TypedSymbol, int]]) -> dict[str, Any]:
    """The gradients of an ordinary row for cotangents that are 1 in one entry and 0 elsewhere, one direction a line."""
    rows = ordinary(plan, features, len(directions))
    values = dict(rows.values)
    for row in plan.backward.rows:
        if row.origin == "cotangent":
            values[row.symbol] = np.zeros_like(values[row.symbol])
    values |= {each.symbol: np.zeros(()) for each in plan.backward.parameters if each.is_cotangent}
    for line, (symbol, entry) in enumerate(directions):
        values[symbol][line, entry] = 1.0
    return dict(exactly(plan, EmulatedRows(values, features, rows.constants), DIGITS).gradients)


def directions(plan: Plan, entries: Sequence[int]) -> list[tuple[TypedSymbol, int]]:
    """The cotangents of some entries of a row, and those of row scalars."""
    found = []
    for row in plan.backward.rows:
        if row.origin == "cotangent":
            found += [(row.symbol, entry) for entry in (entries if is_row(row.symbol) else (0,))]
    return found


def rank(matrix: Matrix) -> int:
    """The rank of a matrix of mpmath's numbers.

    >>> rank([[mpmath.mpf(v) for v in row] for row in ((1, 2), (2, 4), (0, 1))])
    2
    """
    with mpmath.workdps(DIGITS):
        return len(_pivots([list(row) for row in matrix]))


def null_vector(matrix: Matrix) -> list[Any] | None:
    """A vector v with matrix*v = 0 whose largest entry is 1, but for rounding; None where there is none.

    >>> [float(v) for v in null_vector([[mpmath.mpf(v) for v in row] for row in ((1, 2), (2, 4))])]
    [1.0, -0.5]
    """
    with mpmath.workdps(DIGITS):
        rows = [list(row) for row in matrix]
        pivots = _pivots(rows)
        free = [column for column in range(len(rows[0])) if column not in pivots]
        if not free:
            return None
        vector = [mpmath.mpf(0)] * len(rows[0])
        vector[free[0]] = mpmath.mpf(1)
        for line, column in enumerate(pivots):
            vector[column] = -rows[line][free[0]] / rows[line][column]
        largest = max(vector, key=abs)
        return [v / largest for v in vector]


def _pivots(rows: Matrix) -> list[int]:
    """The columns of the pivots, by elimination of the rows in place: each pivot is alone in its column."""
    largest = max((abs(v) for row in rows for v in row), default=0)
    found: list[int] = []
    for column in range(len(rows[0]) if rows else 0):
        below = rows[len(found) :]
        if not below:
            break
        at = max(range(len(below)), key=lambda line: abs(below[line][column]))
        if not abs(below[at][column]) > largest * _ZERO:
            continue
        place = len(found)
        rows[place], rows[place + at] = rows[place + at], rows[place]
        for line, row in enumerate(rows):
            if line != place and row[column]:
                factor = row[column] / rows[place][column]
                rows[line] = [a - factor * b for a, b in zip(row, rows[place], strict=True)]
        found.append(column)
    return found
