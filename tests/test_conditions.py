"""Conditions that join comparisons, from definition to checked code."""

from __future__ import annotations

import numpy as np
import pytest

from lngen.checks.layer import Case
from lngen.derivation.from_definition import translate
from lngen.derivation.gradients import derive
from lngen.language.parsing import parse
from tests.compiled import layer, results
from tests.requirements import needs_gxx

TURNED = "def turned(x: Row, m: Row): return where(~(x <= m) & (m != 1) | ~(m >= -1), 3*x, x*m)"
LONG = " & ".join(f"((x > {i}) | ~(m > {i}))" for i in range(6))


@pytest.mark.parametrize(
    ("joined", "nested"),
    [
        ("where((x > 0) & (m < 1), tanh(x), 0)", "where(x > 0, where(m < 1, tanh(x), 0), 0)"),
        ("where((x > 0) | (m < 1), x, m*x)", "where(x > 0, x, where(m < 1, x, m*x))"),
        ("where(~(x > 0), x, m*x)", "where(x > 0, m*x, x)"),
        ("where(~((x > 0) | (m < 1)), x*m, 2)", "where(x > 0, 2, where(m < 1, 2, x*m))"),
        ("where((x > 0) & (m < 1) & (m != 0), x*m, 2)", "where(x > 0, where(m < 1, where(m != 0, x*m, 2), 2), 2)"),
    ],
)
def test_it_is_derived_as_selects_that_are_nested(joined: str, nested: str) -> None:
    one, other = (derive(parse(f"def f(x: Row, m: Data): return {text}*m")) for text in (joined, nested))
    assert (one.forward.equations, one.backward) == (other.forward.equations, other.backward)


@pytest.mark.ci
def test_neither_what_is_chosen_nor_a_condition_is_repeated() -> None:
    (equation,) = translate(parse(f"def f(x: Row, m: Data): return where({LONG}, exp(x), tanh(x*m))")).equations
    text = str(equation.expression)
    assert (text.count("exp"), text.count("tanh")) == (1, 1)
    assert all(text.count(f"x > {i}") == text.count(f"m > {i}") == 1 for i in range(6))
    kernels = layer(f"def repeated(x: Row, m: Data): return where({LONG}, exp(x), tanh(x*m))").derived.files
    (forward,) = (text for path, text in kernels.items() if path.endswith("numpy_backend.py"))
    forward = forward.partition("def _forward_of_rows(")[2].partition("\ndef ")[0]
    assert (forward.count("np.exp("), forward.count("np.tanh(")) == (1, 1)


def at_ties_and_beyond(text: str, backend: str) -> None:
    made = layer(text)
    x, m = (each.ravel() for each in np.meshgrid(*[[-2.0, -1.0, -0.0, 0.5, 1.0, 3.0, np.nan]] * 2))
    where = eval(text.partition("where(")[2].partition(", 3*x")[0])
    dy = np.arange(1.0, len(x) + 1)
    case = Case("ties", 1, len(x), {"x": x[None], "m": m[None]}, {"y": dy[None]})
    found = results(getattr(made, backend), made.derived.definition, case)
    dx, dm = np.where(where, 3 * dy, dy * m), np.where(where, 0, dy * x)
    wanted = {"y": np.where(where, 3 * x, x * m), "backward dx": dx, "backward dm": dm}
    for name, value in wanted.items():
        np.testing.assert_array_equal(found[name][0], value, err_msg=name)


@pytest.mark.ci
def test_a_comparison_with_no_number_does_not_hold_and_its_negation_does() -> None:
    at_ties_and_beyond(TURNED, "numpy")


@needs_gxx
@pytest.mark.ci
def test_a_comparison_with_no_number_is_no_other_when_it_is_compiled() -> None:
    at_ties_and_beyond(TURNED, "cpu")
