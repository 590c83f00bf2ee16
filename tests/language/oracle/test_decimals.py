"""Decimal numbers hold to those of mpmath, which compute each operation by other code."""

import mpmath
import numpy as np
import pytest

from lngen.language import FUNCTIONS
from lngen.language.oracle.decimals import DecimalNumbers
from lngen.language.oracle.evaluate import evaluate, mp_numbers
from lngen.language.parsing import parse

DIGITS = 60
FORMULAS = [
    *(f"{entry.name}(x)" for entry in FUNCTIONS.values() if entry.role == "elementwise" and entry.arity == 1),
    *(f"x**{exponent}" for exponent in ("2", "-1", "0.5", "-1.5", "0.3", "(-0.3)")),
    "x**a",
    "x/(x - 1)",
    "x - mean(x) + sum(x)/max(x) - min(x)",
    "where(x > 0.1, x, maximum(-x, 1/3))",
    "log(1 + exp(x))*pi",
]
POINTS = [-3e7, -700.0, -2.5, -1.0, -1e-30, 0.0, 1e-300, 0.1, 0.5, 1.0, 2.0, 40.0, 1e6]


@pytest.mark.parametrize("formula", FORMULAS)
def test_decimal_numbers_in_each_formula_equal_those_of_mpmath(formula: str) -> None:
    more = ", a: Scalar = 0.3" if formula.endswith("a") else ""
    definition, numbers = parse(f"def f(x: Row{more}): return {formula}"), DecimalNumbers(DIGITS)
    rows = {"x": np.asarray(POINTS)[:, None] * np.array([1.0, 0.75])}
    wanted = evaluate(definition, rows, mp_numbers(DIGITS))["y"]
    with numbers.here():
        found = [str(entry) for entry in evaluate(definition, rows, numbers)["y"].flat]
    with mpmath.workdps(DIGITS):
        for text, exact in zip(found, wanted.flat, strict=True):
            number = mpmath.mpf(text.replace("Infinity", "inf").lower())
            same = mpmath.isnan(number) if mpmath.isnan(exact) else mpmath.almosteq(number, exact, 1e-50, 0)
            assert same or number == exact, (formula, text, exact)


@pytest.mark.parametrize(
    ("condition", "values"),
    [
        ("x/z > 1", [None, None]),
        ("~(x/z > 1)", [None, None]),
        ("(x/z > 1) & (x > 1)", [0, None]),
        ("(x/z > 1) | (x > 1)", [None, 1]),
    ],
)
def test_a_choice_by_a_comparison_with_a_pole_has_no_value_unless_another_decides(condition, values):
    definition = parse(f"def f(x: Row, z: Scalar = 0): return where({condition}, 1, 0)")
    numbers = DecimalNumbers(DIGITS)
    with numbers.here():
        found = evaluate(definition, {"x": [0.5, 2.0]}, numbers)["y"]
    assert [None if number.is_nan() else number for number in found] == values
