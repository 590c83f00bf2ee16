"""Rows with infinite entries under sums of exponentials: what PyTorch gives, on every backend."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lngen.checks.on_device import OnDevice, device
from lngen.language.oracle.evaluate import evaluate
from lngen.language.parsing import load, parse
from lngen.pipeline.stages import planned
from tests.compiled import backend
from tests.requirements import needs_pycuda
from tests.shipped import ROOT

INF, NAN = np.inf, np.nan
ROWS = {
    (1, INF): (INF, (0, NAN)),
    (-INF, -INF): (-INF, (NAN, NAN)),
    (1, -INF): (1, (1, 0)),
    (INF, -INF): (INF, (NAN, 0)),
    (-300, -INF): (-300, (1, 0)),
    (NAN, 1): (NAN, (NAN, NAN)),
    (3e38, 1): (3e38, (1, 0)),
}
"""Two entries, the logarithm of the sum of their exponentials, and its gradient, as PyTorch 2.12 gives them."""
X = np.array([*ROWS], np.float32)
Y = np.array([y for y, _ in ROWS.values()], np.float32)
DX = np.array([dx for _, dx in ROWS.values()], np.float32)


def assert_right(module: Any, copies: int = 1) -> None:
    for dtype in (np.float32, np.float64):
        with np.errstate(all="ignore"):
            y, saved = module.forward(np.repeat(X, copies, 0).astype(dtype))
            (dx,) = module.backward(saved, np.ones_like(y))
        np.testing.assert_array_equal(y, np.repeat(Y, copies))
        np.testing.assert_array_equal(dx, np.repeat(DX, copies, 0))


@pytest.mark.parametrize("copies", [1, 5000])
@pytest.mark.parametrize("name", ["numpy", pytest.param("cpu", marks=pytest.mark.ci)])
def test_logsumexp_of_infinite_entries_is_that_of_pytorch(name: str, copies: int) -> None:
    assert_right(backend("logsumexp", name), copies)


@pytest.mark.ci
@pytest.mark.cuda
@needs_pycuda
def test_logsumexp_of_infinite_entries_is_that_of_pytorch_on_a_device() -> None:
    with device():
        assert_right(OnDevice(backend("logsumexp", "cuda"), ["f32", "f64"]))


def test_the_oracle_has_the_same_values() -> None:
    definition = load(ROOT / "derive" / "logsumexp.py")
    small = np.abs(np.nan_to_num(X, nan=0, posinf=0, neginf=0)).max(-1) < 700  # exp(3e38) itself is infinite
    with np.errstate(all="ignore"):
        (y,) = evaluate(definition, {"x": X[small].astype(np.float64)}).values()
    np.testing.assert_allclose(y, Y[small], rtol=1e-7)


@pytest.mark.ci
def test_only_a_shift_that_stands_alone_is_0_where_it_is_infinite() -> None:
    """The user's own maximum stays what it is, and of two extremes that are compared neither is moved."""

    def shifts(text: str) -> list[bool]:
        program = planned(parse(text), proved=False).forward
        reductions = [item for stage in program.stages for item in stage.reductions]
        return sorted(item.shift for item in reductions if item.operator == "max")

    assert shifts("def f(x: Row): return log(sum(exp(x)))") == [True]
    assert shifts("def f(x: Row): return exp(x)/sum(exp(x)) + max(x)") == [False, True]
    assert shifts("def f(x: Row, z: Row): return log(sum(exp(x)) + sum(exp(z)))") == [False, False]
