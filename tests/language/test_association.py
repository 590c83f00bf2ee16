"""Sums of a definition stay together in the equations, in the normal form and in emitted code."""

from __future__ import annotations

import re

import numpy as np
import pytest

from lngen.derivation.from_definition import translate
from lngen.language.parsing import parse
from tests import derivatives
from tests.derivation.rules.written import normal_form

KINDS = {"x": "Row", "a": "Row", "b": "Row", "s": "RowScalar", "t": "RowScalar", "w": "Feature", "c": "Constant = 2"}


def layer(body: str) -> str:
    inputs = (f"{name}: {kind}" for name, kind in KINDS.items() if re.search(rf"\b{name}\b", body))
    return f"def f({', '.join(inputs)}): {body}"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return x*x + (a - b)", ["total = a - b", "y = total + x**2"]),
        ("return x*x - (a - b)", ["total = a - b", "y = -total + x**2"]),
        ("return -(a - b) + x", ["total = a - b", "y = -total + x"]),
        ("return a - b + x", ["total = a - b", "y = total + x"]),
        ("return a - b - x", ["total = a - b", "y = total - x"]),
        ("return exp(0.5*(a - b))", ["total = a - b", "u = total/2", "y = exp(u)"]),
        ("return x + 3*(s - t)", ["total = s - t", "y = 3*total + x"]),
        ("return x + (c - w)", ["total = -w + c", "y = total + x"]),
        # so do the lines that the user has named
        ("d = a - b; return d/3", ["d = a - b", "y = d/3"]),
        ("d = s - t; return x - d", ["d = s - t", "y = -d + x"]),
        # one value, wherever it stands
        ("return (x + (a - b))*(x*x - (a - b))", ["total = a - b", "y = (-total + x**2)*(total + x)"]),
        # where nothing melts, or its digits are safe, it has no line
        ("return a + b - x", ["y = a + b - x"]),
        ("return -(a - b)", ["y = -a + b"]),
        ("return x*(a - b) + 1", ["y = x*(a - b) + 1"]),
        ("return x + (D - 1)", ["y = x + D - 1"]),
        # what cancels, cancels
        ("return (a - (a - b))*x", ["y = b*x"]),
        # what is not chosen need not have a value
        ("return where(x > 0, a + (1/x - b), 0)", ["y = Where(x > 0, a - b + 1/x, 0)"]),
        # statistics of a row are taken off one by one, the first being its own
        ("return x - (max(x) + s)", ["row_max = RowMax(x)", "x_shifted = -row_max + x", "y = -s + x_shifted"]),
        (
            "return x*(max(x) - min(x) + c)",
            ["row_max = RowMax(x)", "row_min = RowMin(x)", "y = x*(row_max - row_min + c)"],
        ),
    ],
)
def test_a_sum_that_would_melt_is_a_line(body: str, expected: list[str]) -> None:
    forward = normal_form(translate(parse(layer(body))))
    assert [f"{q.symbol} = {q.expression}" for q in forward.equations] == expected


@pytest.mark.ci
@pytest.mark.parametrize(
    "body", ["return x + (a - b)", "return a - b + x", "return x - 0.1*(a - b)", "d = a - b; return d/3"]
)
def test_a_difference_of_large_rows_has_its_digits(body: str) -> None:
    rng = np.random.default_rng(0)
    near = rng.standard_normal((3, 8)).astype(np.float32) + np.float32(1e4)
    rows = {"x": rng.standard_normal((3, 8)).astype(np.float32), "a": near, "b": near[::-1].copy()}
    given = {name: row for name, row in rows.items() if name in body}
    exact: dict[str, object] = {name: row.astype(np.float64) for name, row in given.items()}
    exec(body.replace("return", "y ="), exact)
    found, _ = derivatives.module(layer(body)).forward(**given)
    np.testing.assert_allclose(found, exact["y"], rtol=0, atol=1e-6)


@pytest.mark.ci
def test_statistics_that_melt_have_their_digits() -> None:
    module = derivatives.module("def f(x: Row, c: Constant = 1): return x/(max(x) - min(x) + c)")
    x = (np.random.default_rng(0).standard_normal((9, 8)) / 100 + 1e4).astype(np.float32)
    wide = x.astype(np.float64)
    exact = wide / (np.ptp(wide, axis=-1, keepdims=True) + 1e-4)
    np.testing.assert_allclose(module.forward(x, c=1e-4)[0], exact, rtol=1e-6)
