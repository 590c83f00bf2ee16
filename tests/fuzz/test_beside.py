"""The judge beside plain evaluation: what it makes no claim about."""

from __future__ import annotations

import numpy as np
import pytest

from lngen.checks.layer import Case
from lngen.language.parsing import parse
from tests.fuzz.answers import OUTPUT, Point
from tests.fuzz.beside import Beside
from tests.fuzz.failure import Failure


def _judged(body: str, x: list[float], y: list[float]) -> int:
    text = f"def f(x: Row): return {body}"
    case = Case("", 1, 2, {"x": np.array([x])}, {})
    found = {(OUTPUT, "y"): np.array([y], np.float32)}
    point = Point(case, {}).astype(np.float32)
    return Beside.of(text, parse(text)).judge(found, point, np.float32, "", tangents_only=True)


def test_a_row_at_the_edge_of_a_domain_is_no_claim() -> None:
    # Where all exponentials underflow, floats have the root of infinity; all the digits have that of nothing.
    body = "sigmoid(rsqrt(x - log(sum(exp(x)))))"
    assert _judged(body, [-1e6, -2e6], [1.0, 0.5]) == 0
    with pytest.raises(Failure):
        _judged(body.replace("x -", "x + 9 -"), [1.0, 2.0], [1.0, 0.5])
