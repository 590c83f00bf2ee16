"""A pole that the numerator cancels is guarded, one that is real stays, and so does what a select guards."""

from __future__ import annotations

import numpy as np
import pytest

from lngen.algebra.numeric import Arithmetic, evaluate_equations
from lngen.algebra.symbols import D
from lngen.derivation.derivation import Derivation
from lngen.derivation.gradients import derive
from lngen.language.parsing import parse

EPS = "eps: Constant = 1e-5"


def guards(text: str) -> list[str]:
    forward = [step for step in derive(parse(text)).steps if step.part == "forward"]
    return [step.target.name for step in forward if step.rule == "guarded pole"]


@pytest.mark.parametrize(
    "text",
    [
        f"def f(x: Row, {EPS}): return x/(sqrt(mean(x**2)) + eps)",
        f"def f(x: Row, {EPS}): return (x - mean(x))/(sqrt(mean((x - mean(x))**2)) + eps)",
        f"def f(x: Row, {EPS}): return x/(sqrt(mean(4*x**2)) + eps)",
        # a row that a select makes
        f"def f(x: Row, {EPS}): return relu(x)/(sqrt(mean(relu(x)**2)) + eps)",
        # under a select of its own
        "def f(x: Row): return x/maximum(sqrt(mean(x**2)), 0.5)",
    ],
)
def test_guarded(text: str) -> None:
    assert guards(text) == ["inv_root"]
    made = derive(parse(text))
    # At a row of zeros the gradient is the limit, beside it the same as without the guard.
    assert np.all(np.isfinite(_gradient(made, np.zeros((1, 4)))))
    tiny = _gradient(made, np.array([[1e-9, -2e-9, 3e-9, 1e-9]]))
    assert np.max(np.abs(tiny)) > 0
    assert np.max(np.abs(_gradient(made, np.zeros((1, 4))) - _gradient(made, np.full((1, 4), 1e-30)))) < 1e6


@pytest.mark.parametrize(
    "text",
    [
        # The output itself divides by the root: at a row of zeros there is no gradient.
        "def f(x: Row): return x/sqrt(mean(x**2))",
        # the root alone: its gradient at zero is x/root, which has no limit
        "def f(x: Row): return x*0 + sqrt(mean(x**2))",
        # a root with an epsilon is never zero: there is no pole
        f"def f(x: Row, {EPS}): return x/sqrt(mean(x**2) + eps)",
        # not a mean of an even power: the root says nothing of the row
        f"def f(x: Row, w: Feature, {EPS}): return x/(sqrt(mean(w*x)**2) + eps)",
    ],
)
def test_not_guarded(text: str) -> None:
    assert guards(text) == []


def test_a_guard_takes_no_name_of_the_users() -> None:
    text = f"def f(x: Row, inv_root: Feature, {EPS}): return inv_root*x/(sqrt(mean(x**2)) + eps)"
    assert guards(text) == ["inv_root_2"]


def _gradient(made: Derivation, x: np.ndarray) -> np.ndarray:
    point = {s: {"x": x, "eps": 1e-5}[s.name] for s in made.forward.symbols} | {D: float(x.shape[1])}
    point |= {made.adjoint.cotangents[0]: np.array([[1.0, -2.0, 0.5, 3.0]])}
    with np.errstate(all="ignore"):
        values = evaluate_equations(made.forward.equations, point, Arithmetic())
        values = evaluate_equations(made.backward, values, Arithmetic())
    return np.asarray(values[made.gradients[0][1]])


GUARDED = [
    "def f(x: Row, eps: Constant = 1e-5): return x/maximum(sqrt(sum(x**2)), eps)",
    "def f(x: Row):\n    n = sqrt(sum(x**2))\n    return where(n > 0.5, x/n, x)",
    "def f(x: Row):\n    n = sqrt(sum(x**2))\n    return x*minimum(1, 1/n)",
    "def f(x: Row):\n    n = sqrt(sum(x**2))\n    return x*where(n > 0.5, 1/n, 2)",
    "def f(x: Row):\n    n = sqrt(mean((x - mean(x))**2))\n    return (x - mean(x))*where(n > 0.1, 1/n, 3)",
]


@pytest.mark.parametrize("text", GUARDED)
def test_what_a_select_guards_stays_guarded(text: str) -> None:
    # At a row of zeros the layer is a constant times the row, and so is its gradient.
    made = derive(parse(text))
    x, dy = made.forward.symbols[0], made.adjoint.cotangents[0]
    point = {x: np.zeros((2, 5)), dy: np.arange(10.0).reshape(2, 5), D: 5.0}
    point |= dict.fromkeys(made.forward.symbols[1:], 0.1)
    with np.errstate(all="ignore"):
        values = evaluate_equations(made.forward.equations, point, Arithmetic())
        values = evaluate_equations(made.backward, values, Arithmetic())
    found = values[made.gradients[0][1]]
    assert np.all(np.isfinite(found))
    centred = "mean(x)" in text
    wanted = point[dy] - point[dy].mean(-1, keepdims=True) if centred else point[dy]
    assert np.ptp(found[wanted != 0] / wanted[wanted != 0]) < 1e-12
