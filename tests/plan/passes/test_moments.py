"""Second moments in the sweep of their correction: the same program, and sums within the bound that is stated."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lngen import runtime
from lngen.emit.cpp.sweeps import MOST_SUMS
from lngen.extensions import simt
from lngen.language.parsing import parse
from lngen.pipeline import stages
from lngen.plan.passes.moments import with_corrected_moments
from lngen.plan.planner import Plan
from lngen.runtime.includes import inlined
from tests.corpus import planned
from tests.requirements import needs_gxx

_EPS = "eps: Constant = 1e-5"
JOINED = {
    "two_rows": f"""
def two_rows(x: Row, z: Row, {_EPS}):
    a = x - mean(x)
    b = z - mean(z)
    return a*mean(a*b)/sqrt(mean(a**2)*mean(b**2) + eps)
""",
    "named_square": f"""
def named_square(x: Row, {_EPS}):
    v = (x - mean(x))**2
    return v/(mean(v) + eps)
""",
    "centred_out": """
def centred_out(x: Row, z: Row):
    c = x - mean(x)
    var = mean(c**2)
    twice = sum(c**2)*mean(abs(z - mean(x)))
    return c, var, twice
""",
}


@functools.cache
def plan_of(name: str) -> Plan:
    return stages.planned(parse(JOINED[name], f"{name}.py"), proved=False) if name in JOINED else planned(name)


@pytest.mark.parametrize(
    ("name", "direction", "before", "after"),
    [
        ("layer_norm", "forward", 4, 3),
        pytest.param("two_rows", "forward", 4, 3, marks=pytest.mark.ci),
        pytest.param("named_square", "forward", 4, 3, marks=pytest.mark.ci),
        # The centred row is stored by the last stage, and the other mean joins though it is no moment.
        ("centred_out", "forward", 4, 3),
        # What else waits for the correction keeps its stage.
        ("mean_abs", "forward", 4, 4),
        ("high_power", "forward", 4, 4),
        # Nothing there is a moment; two sums of one level share a sweep.
        pytest.param("two_roots", "jvp", 3, 2, marks=pytest.mark.ci),
        ("layer_norm", "backward", 2, 2),
    ],
)
def test_how_many_stages(name: str, direction: str, before: int, after: int) -> None:
    program = next(program for program in plan_of(name).programs() if program.direction == direction)
    changed = with_corrected_moments(program, MOST_SUMS)
    assert (len(program.stages), len(changed.stages)) == (before, after)


# ---- the header, on the emulator

_CODE = """
extern "C" __global__ void moments(const float* s, const float* t, float* out, int D) {
  float of_s = 0, of_t = 0, squares = 0, products = 0;
  for (int i = 0; i < D; ++i) {
    of_s += s[i];
    of_t += t[i];
    squares += s[i] * s[i];
    products += s[i] * t[i];
  }
  const float r = of_s / D, q = of_t / D;
  out[0] = lngen::corrected_squares(squares, of_s, r, float(D)) / D;
  out[1] = lngen::corrected_products(products, of_s, r, of_t, q, float(D)) / D;
}
"""

Moments = Callable[..., tuple[float, float]]


@pytest.fixture(scope="module")
def moments() -> Moments:
    """mean((s - mean(s))**2) and mean((s - mean(s))*(t - mean(t))) by the header, its sums one entry after another."""
    folder = Path(next(iter(runtime.__path__))) / "cuda"
    kernels = simt.build(inlined(folder / "test.cu", f'#include "cpp.cuh"\n{_CODE}'))

    def of(s: Any, t: Any = None) -> tuple[float, float]:
        s = np.asarray(s, np.float32)
        t = s if t is None else np.asarray(t, np.float32)
        out = np.zeros(2, np.float32)
        kernels["moments"](1, 1, 0, s, t, out, len(s))
        return float(out[0]), float(out[1])

    return of


def exact(s: Any, t: Any) -> tuple[Fraction, Fraction, Fraction]:
    """The mean of each, and of the product of both less these."""
    s, t = ([Fraction(float(v)) for v in row] for row in (s, t))
    m, n = sum(s) / len(s), sum(t) / len(t)
    return m, n, sum((a - m) * (b - n) for a, b in zip(s, t, strict=True)) / len(s)


@st.composite
def shifted(draw: st.DrawFn, size: int) -> Any:
    """A row that is off its mean by anything from nothing to far more than it varies."""
    offset = draw(st.integers(-(2**12), 2**12))
    spread = 2.0 ** -draw(st.integers(0, 20))
    entries = draw(st.lists(st.integers(-(2**8), 2**8), min_size=size, max_size=size))
    return np.float32(offset) + np.float32(spread) * np.array(entries, np.float32)


@pytest.mark.ci
@needs_gxx
@pytest.mark.cuda
@settings(deadline=None, max_examples=100, database=None)
@given(data=st.data(), size=st.integers(1, 40))
def test_sums_are_within_the_bound(moments: Moments, data: st.DataObject, size: int) -> None:
    s, t = data.draw(shifted(size)), data.draw(shifted(size))
    square, product = moments(s, t)
    m, n, wanted = exact(s, t)
    v, w = exact(s, s)[2], exact(t, t)[2]
    u = Fraction(1, 2**24)
    g = size * u / (1 - size * u)
    first_order = (3 * g + 3 * u) * (1 + 4 * g)
    assert square >= 0
    assert abs(Fraction(square) - v) <= first_order * (v + m**2)
    assert abs(float(Fraction(product) - wanted)) <= float(first_order) * math.sqrt((v + m**2) * (w + n**2))


@pytest.mark.ci
@needs_gxx
@pytest.mark.cuda
@settings(deadline=None, max_examples=100, database=None)
@given(
    entries=st.lists(st.integers(-9, 9), min_size=1, max_size=200),
    common=st.integers(-40, 40),
    exponent=st.integers(-60, 50),  # of which a sum of 200 squares is below the largest float32
)
def test_small_multiples_of_a_unit_lose_nothing(
    moments: Moments, entries: list[int], common: int, exponent: int
) -> None:
    """The residual of the mean of almost equal entries may be larger than their differences."""
    s = (np.array(entries) + common) * 2.0**exponent
    v = exact(s, s)[2]
    assert abs(Fraction(moments(s)[0]) - v) <= 4 * Fraction(1, 2**24) * v


@pytest.mark.ci
@needs_gxx
@pytest.mark.cuda
def test_the_ends_of_the_range(moments: Moments) -> None:
    assert moments([1e19, -1e19, 2e19, 0.0])[0] == np.inf  # never NaN, which infinity less infinity would be
    assert moments([3e19] * 9)[0] == np.inf
    assert np.isnan(moments([np.nan, 1.0, 2.0])[0])
    assert np.isnan(moments([np.inf, 1.0, 2.0])[0])
    assert moments([0.0, 1e-30])[0] == 0
