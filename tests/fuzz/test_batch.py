"""The sum over the rows of a batch, and what its rounding may come to."""

from __future__ import annotations

import numpy as np
import pytest

from lngen.checks.layer import Case
from lngen.language.parsing import parse
from tests.fuzz.answers import GRADIENT, Point
from tests.fuzz.batch import _adds_up
from tests.fuzz.beside import Beside

_ROWS = 30


@pytest.mark.parametrize("kind", ["Scalar", "Feature"])
@pytest.mark.parametrize(("body", "terms"), [("x*s", 1), ("1001*(x*s) - 1000*(x*s)", 2001)])
def test_a_sum_is_off_by_the_roundings_of_its_terms(body: str, terms: int, kind: str) -> None:
    """`terms` is how many times the gradient of a row that of its terms is, before they cancel."""
    text = f"def f(x: Row, s: {kind}): return {body}"
    x = np.array([[1.0, 2.0], [3.0, 5.0]])
    s = np.ones(2 if kind == "Feature" else ())
    point = Point(Case("", 2, 2, {"x": x, "s": s}, {"y": np.ones((2, 2))}), {})
    gradients = x if kind == "Feature" else x.sum(-1, keepdims=True)
    rows = np.resize(gradients, (_ROWS, gradients.shape[1])).astype(np.longdouble)

    def adds_up(times_allowed: float) -> bool:
        total = rows.sum(0).astype(np.float64)
        total[-1] *= 1 + times_allowed * terms * 2 * _ROWS * np.finfo(np.float64).eps
        return _adds_up(total, rows, Beside.of(text, parse(text)), point, (GRADIENT, "s"))

    assert adds_up(0)
    assert adds_up(0.9)
    assert not adds_up(1.1)
    assert not adds_up(np.nan)
