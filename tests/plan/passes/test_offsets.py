"""A loss keeps its digits where all entries of a row share a large offset, and only such differences are taken anew."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from numpy.typing import NDArray

from lngen.algebra.equations import Names
from lngen.algebra.symbols import PLACE, Axes, FeatureSum, Mean, RowMax, RowScalarSymbol, RowSymbol, Where
from lngen.language.parsing import parse
from lngen.pipeline.files.loading import module_from_files
from lngen.pipeline.stages import derived, planned
from lngen.plan.lines import ProgramLine
from lngen.plan.passes.offsets import less_largest, offsets_of

LOSS = """
from lngen.language import Constant, Int, Row, exp, log, mean, pick, sum, where

def smoothed(x: Row, label: Int["..."], smoothing: Constant = 0.1, z_loss: Constant = 0):
    lse = log(sum(exp(x)))
    target = pick(x, label)
    return lse - target + smoothing * (target - mean(x)) + z_loss * lse**2
"""

X, Z = RowSymbol("x"), RowSymbol("z")
m, s, i, w, mu, log_Z, y = map(RowScalarSymbol, ("m", "s", "i", "w", "mu", "log_Z", "y"))


def entry(row: Any) -> Any:
    return FeatureSum(Where(sympy.Eq(PLACE, i), row, 0))


def after(loss: Any, *lines: tuple[Any, Any], stops: tuple[Any, ...] = ()) -> list[str]:
    """Return what a loss and lines ahead of it became, those of m and s apart."""
    ahead = [ProgramLine(m, RowMax(X), 1), ProgramLine(s, entry(X), 2)]
    ahead += [ProgramLine(symbol, value, 3) for symbol, value in lines]
    every = [*ahead, ProgramLine(y, loss, 4, stops=stops)]
    found = less_largest(every, offsets_of(every, Names([])))
    return [f"{line.symbol} = {line.expression}" for line in found if line not in ahead]


def test_an_entry_and_a_mean_are_taken_less_the_largest_where_that_leaves_the_sum() -> None:
    assert after(log_Z + m - s) == ["s_shifted = -m + s", "y = log_Z - s_shifted"]
    assert after(w * (s - m)) == ["s_shifted = -m + s", "y = s_shifted*w"]
    assert after(s - mu, (mu, Mean(X))) == [
        "s_shifted = -m + s",
        "mu_shifted = Mean(-m + x)",
        "y = -mu_shifted + s_shifted",
    ]
    assert after(w * m + log_Z - w * s) == ["s_shifted = -m + s", "y = log_Z - s_shifted*w"]


@pytest.mark.parametrize(
    "loss",
    [log_Z + m - s / 2, log_Z + m + s, (log_Z + m) * s, sympy.exp(s) - m, log_Z - s, w * m - s, m**2 - s**2, s],
    ids=str,
)
def test_a_sum_that_an_offset_changes_stays(loss: Any) -> None:
    assert after(loss) == [f"y = {loss}"]


def test_an_entry_of_another_row_stays() -> None:
    t = RowScalarSymbol("t")
    assert after(m - t, (t, entry(Z))) == ["y = m - t"]
    masked = FeatureSum(Where(i < PLACE, X, 0))
    assert after(m - t, (t, masked)) == ["y = m - t"]


def test_no_derivative_is_taken_of_what_the_loss_stops() -> None:
    every = [ProgramLine(m, RowMax(X), 1), ProgramLine(s, entry(X), 2), ProgramLine(y, log_Z + m - s, 3, stops=(m,))]
    (shifted,) = (offset.line for offset in offsets_of(every, Names([])).values())
    assert shifted.stops == (m,)
    assert Axes(True, False) == shifted.symbol.varies


def emitted(text: str) -> ModuleType:
    made = derived(parse(text), proved=False, backends=["numpy"])
    return module_from_files(made.files, made.definition.name)


def losses(module: ModuleType, offset: float) -> tuple[NDArray[np.float32], list[Any]]:
    """Losses of confident rows of float32, as a backend has them and to 40 digits."""
    random = np.random.default_rng(0)
    label = random.integers(0, 64, 20)
    x = random.standard_normal((20, 64))
    x[np.arange(20), label] += 9
    x = (x + offset).astype(np.float32)
    with mpmath.workdps(40):
        exact = []
        for row, k in zip(x.tolist(), label, strict=True):
            lse = mpmath.log(mpmath.fsum(map(mpmath.exp, row)))
            exact.append(lse - row[k] + mpmath.mpf(0.1) * (row[k] - mpmath.fsum(row) / 64))
    return module.forward(x, label)[0], exact


def worst(found: NDArray[np.float32], exact: list[Any]) -> float:
    return max(float(abs((one - other) / other)) for one, other in zip(found.tolist(), exact, strict=True))


@pytest.mark.parametrize("offset", [0.0, 30.0, -1e4, 1e6])
def test_a_loss_keeps_its_digits_at_any_offset(offset: float) -> None:
    """Each of its few operations rounds once: 2**-24 of a value of the size of the loss, or of the entries' spread."""
    module = emitted(LOSS)
    assert worst(*losses(module, offset)) < 16 * 2**-24


def test_without_the_pass_it_loses_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lngen.plan.planner.offsets_of", lambda lines, names: {})
    assert worst(*losses(emitted(LOSS.replace("smoothed", "unshifted")), 1e4)) > 1e-4


def test_a_mean_that_nothing_else_reads_is_not_computed() -> None:
    program = planned(parse(LOSS), proved=False).forward
    assert [line.symbol.name for line in program.lines() if line.symbol.name.startswith("mu")] == ["mu_shifted"]
    kept = planned(parse(LOSS.replace("z_loss * lse**2", "z_loss * mean(x)")), proved=False).forward
    assert {"mu", "mu_shifted"} <= {line.symbol.name for line in kept.lines()}


def test_a_label_that_is_no_place_gives_the_logarithm_of_the_sum_alone() -> None:
    module = emitted(LOSS)
    x = np.array([[1.0, 2.0, 3.0]])
    for label in (-100, 3):
        found = module.forward(x, np.array([label]), smoothing=0.0)[0]
        np.testing.assert_allclose(found, np.log(np.exp(x).sum()), rtol=1e-15)
