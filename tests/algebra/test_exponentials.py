"""Values that are never positive, beside planted ones that some row makes positive."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from sympy import Expr, log

from lngen.algebra.equations import Equation
from lngen.algebra.exponentials import never_positive
from lngen.algebra.extremes import LOWEST, larger
from lngen.algebra.numeric import Arithmetic, evaluate_equations
from lngen.algebra.symbols import PLACE, D, FeatureSum, Mean, RowMax, RowScalarSymbol, RowSymbol, Where, symbol_like

x, z = RowSymbol("x"), RowSymbol("z")
label = RowScalarSymbol("label", integer=True)
m, lse, mz, least, top = map(RowScalarSymbol, ("m", "lse", "mz", "least", "top"))
e = sympy.exp(x - m)
inner, there = PLACE > 0, sympy.Eq(PLACE, label)
masked = RowMax(Where(there, x, LOWEST))
LINES = [(m, RowMax(x)), (lse, m + log(FeatureSum(e))), (mz, RowMax(z)), (least, masked), (top, larger(least, mz))]
ROWS = np.array([[0.5, -1.25, 2.0], [0.25, 0.25, 0.25], [3.0, -200.0, 2.5], [-1.0, 5.0, 5.0], [0.0, 0.5, 0.0]])
"""Rows, and less rows of equal entries, of an entry far below, of two that are largest, and of one that is."""

NEVER = {
    "a row less its logarithm of a sum": x - lse,
    "the same written out": x - m - log(FeatureSum(e)),
    "the sum by its mean": x - m - log(D * Mean(e)),
    "a sum of more than the exponentials": x - m - log(2 * FeatureSum(e)),
    "the entry at a place, or none": FeatureSum(Where(there, x - lse, 0)),
    "what is added by a mask": Mean(Where(inner, x - lse, 2 * (x - lse))),
    "two rows together": x - lse + z - mz,
    "a number less the largest of it and another": least - top - log(FeatureSum(e)),
}
SOME = {
    "a mean in place of a sum": x - m - log(Mean(e)),
    "a sum without the largest entry": x - m - log(FeatureSum(Where(inner, e, 0))),
    "a sum that may have no entry": x - least - log(FeatureSum(Where(there, sympy.exp(x - least), 0))),
    "an entry beside the largest that a select lets through": x - least,
    "a sum less than exp(0)": x - m - log(FeatureSum(e) / 2),
    "a sum of which something is taken off": x - m - log(FeatureSum(e) - FeatureSum(e) / 2),
    "another row's sum": z - lse,
    "a negative factor": lse - x,
    "a difference of two": (x - m) - (z - mz),
    "a select that lets another value through": Where(inner, x - lse, z),
}


def lines_of(value: Expr) -> list[tuple[RowSymbol, Expr]]:
    return [*LINES, (symbol_like("v", value), value)]


@pytest.mark.parametrize(
    ("value", "expected"), [(v, True) for v in NEVER.values()] + [(v, False) for v in SOME.values()]
)
def test_a_value_is_never_positive_only_where_no_row_makes_it_so(value: Expr, expected: bool) -> None:
    lines = lines_of(value)
    assert (lines[-1][0] in never_positive(lines)) == expected
    largest = []
    for features in (3, 1):
        given = {x: ROWS[:, :features], z: ROWS[::-1, :features] + 1, label: np.array([[-1], [0], [1], [2], [3]])}
        given |= {D: features, PLACE: np.arange(features)}
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            found = evaluate_equations([Equation(*line) for line in lines], given, Arithmetic())
        largest.append(np.nanmax(found[lines[-1][0]]))
    assert (max(largest) <= 1e-12) == expected
