"""What is small beside 1 keeps its digits."""

from __future__ import annotations

import pytest

from lngen.derivation.simplify.cancelling import one_apart
from tests.corpus import text_of
from tests.derivation.simplify.rules import applied, assert_same_outputs


@pytest.mark.parametrize(
    ("body", "last"),
    [
        ("log(1 + x**2)*z", "y = z*Log1p(x**2)"),
        ("z - z*exp(x)", "y = -z*Expm1(x)"),
        ("log(2 + x**2)*z", ""),
        ("log(1 + exp(x))*z", ""),
        ("z - exp(x)", ""),
    ],
)
def test_one_apart_keeps_what_is_small_beside_one(body: str, last: str) -> None:
    before, after, trail = applied(one_apart, f"def f(x: Row, z: Row): return {body}")
    assert text_of(after.equations)[-1] == last or (not last and after.equations == before.equations)
    assert bool(last) == bool(trail.steps)
    assert_same_outputs(before, after)
