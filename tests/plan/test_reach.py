"""Products and quotients of scaled rows in float32, from the smallest to the largest rows that it holds.

What a quotient is divided by is as large as its row, so that values are ordinary numbers and their derivatives are not
much smaller or larger than one over the row; the product of two such scales leaves float32. Each direction stands
beside the same lines in float64, which hold these products and are themselves held to the oracle elsewhere.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from sympy import Rational

from lngen.algebra.growth import ARGUMENT, Growth
from lngen.derivation.simplify import derive
from lngen.derivation.simplify.second_order import second_order
from lngen.emit import numpy as numpy_backend
from lngen.language.parsing import parse
from lngen.pipeline.files.loading import module_from_files
from lngen.plan.passes import scales
from lngen.plan.planner import plan
from lngen.plan.program import RowProgram
from lngen.plan.widen import widened
from lngen.report.heading import notes
from tests import compiled
from tests.tiers import sample

FACTORS = {
    "sum": "x/(sum(abs(x)) + 1)",
    "centred": "(x - mean(x))/(max(abs(x)) + 1)",
    "range": "x/(max(x) - min(x) + 1)",
    "deviation": "(x - mean(x))/mean(abs(x - mean(x)))",
    "share": "x/sum(abs(x))",
}
RESULTS = ("p*q", "p/(abs(q) + 1)", "p*mean(p*q)", "p**2*q", "p*mean(abs(q)) + q*max(p)", "p*q*r")
EXPONENTS = (0, 10, 18, 22, 30, 36, -10, -18, -30, -36)


def text_of(p: str, q: str, r: str, result: str) -> str:
    """A definition of two factors of a row, or three."""
    lines = [f"    {name} = {FACTORS[factor]}\n" for name, factor in (("p", p), ("q", q), ("r", r)) if name in result]
    return f"def f(x: Row):\n{''.join(lines)}    return {result}\n"


TWO_QUOTIENTS = text_of("sum", "centred", "", "p*q")
EVERY = [*product(permutations(FACTORS, 3), RESULTS)]
CASES = [text_of(*factors, result) for factors, result in random.Random(7).sample(EVERY, 24)]
CASES = [TWO_QUOTIENTS, *CASES]
OF_TWO_ROWS = """
def f(x: Row, z: Row):
    p = x/(sum(abs(x)) + 1)
    q = z/(max(abs(z)) + 1)
    return p*q
"""
LARGEST = 1e37
SMALLEST = 1e-36
"""Smallest normal number of float32, roughly; sums have this tolerance."""


def directions(module: Any, rows: Iterable[np.ndarray], dtype: type) -> dict[str, list[np.ndarray]]:
    """All that a module computes of these rows, cotangents and tangents the same for each type."""
    given = [row.astype(dtype) for row in rows]
    cotangent, *tangents = np.random.default_rng(3).standard_normal((1 + len(given), *given[0].shape)).astype("f4")
    cotangent, tangents = cotangent.astype(dtype), [tangent.astype(dtype) for tangent in tangents]
    with np.errstate(all="ignore"):
        y, saved = module.forward(*given)
        return {
            "forward": [y],
            "backward": [*module.backward(saved, cotangent)],
            "jvp": [module.jvp(saved, *tangents)],
            "backward_backward": [*module.backward_backward(saved, (cotangent,), *tangents)],
        }


def wrong(module: Any, wide: Any, exponents: Iterable[tuple[int, ...]]) -> list[tuple[str, tuple[int, ...]]]:
    """The directions, with the exponents of the rows, in which float32 is off in what it can hold."""
    found = []
    for each in exponents:
        rng = np.random.default_rng(1)
        rows = [(10.0**e * rng.standard_normal((3, 16))).astype(np.float32) for e in each]
        single, double = directions(module, rows, np.float32), directions(wide, rows, np.float64)
        if not SMALLEST < np.abs(double["forward"][0]).max() < LARGEST:
            continue
        for direction in single:
            # A second derivative has two powers of a reciprocal, each of which may be a number of the row.
            if direction == "backward_backward" and (min(each) < -18 or len({*each}) > 1):
                continue
            for ours, theirs in zip(single[direction], double[direction], strict=True):
                largest = np.abs(theirs).max()
                if largest < LARGEST and not np.abs(ours - theirs).max() <= 1e-4 * largest + SMALLEST:
                    found.append((direction, each))
    return found


def emitted(text: str) -> Any:
    """The module of a text, made now: what another rule has made is not taken from the cache."""
    planned = widened(plan(second_order(derive(parse(text)))))
    return module_from_files(numpy_backend.emit(planned.programs(), notes(planned, "numpy")), "f")


@pytest.mark.parametrize("text", sample(CASES, (), CASES[::6]))
def test_quotients_of_a_row_of_any_size_are_right_in_float32(text: str) -> None:
    module = emitted(text)
    assert wrong(module, module, [(e,) for e in EXPONENTS]) == []


@pytest.mark.ci
def test_quotients_of_rows_of_unlike_sizes_are_right_in_float32() -> None:
    module = emitted(OF_TWO_ROWS)
    assert wrong(module, module, [*product(EXPONENTS, repeat=2)]) == []


@pytest.mark.ci
def test_quotients_of_a_row_of_any_size_are_right_in_float32_compiled() -> None:
    made = compiled.layer(TWO_QUOTIENTS)
    assert wrong(made.cpu, made.numpy, [(e,) for e in EXPONENTS]) == []


def _old(self: Growth, factors: Iterable[Any]) -> Rational:
    """Return the old overreach of a product: beyond the square of a row, which every forward was assumed to contain."""
    partial: dict[object, Rational] = {}
    for factor in factors:
        key = (scales.axes(factor), bool(self.degree(factor) > 0))
        partial[key] = partial.get(key, Rational(0)) + abs(self.degree(factor))
    return max([Rational(0), *(degree - max(self.most, 2 * ARGUMENT) for degree in partial.values())])


def _anything(candidate: RowProgram, program: RowProgram) -> bool:
    return True


PLANTED: Mapping[str, tuple[object, str, object]] = {
    "a range of squares": (Growth, "overreach_of", _old),
    "late scales anywhere": (scales, "_reaches_no_further", _anything),
}


@pytest.mark.ci
@pytest.mark.parametrize("name", PLANTED)
def test_quotients_are_wrong_where_products_may_reach_further(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*PLANTED[name])
    module = emitted(TWO_QUOTIENTS)
    assert wrong(module, module, [(22,)]) == [("jvp", (22,))]
