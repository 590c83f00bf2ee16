"""Names that nobody gave say what they name, and are numbered as they come."""

import pytest

from lngen.derivation.gradients import derive
from lngen.derivation.second_order import with_second_order
from lngen.language.parsing import parse
from lngen.plan.planner import plan
from lngen.report import formulas


def lines(text: str, direction: str = "forward") -> list[str]:
    return [*formulas(plan(with_second_order(derive(parse(text)))))[direction]]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("x*mean(x*z)", "mean_x_z = mean(x*z)"),
        ("x*rsqrt(mean(z*x**2) + 1)", "mean_x2_z = mean(x**2*z)"),
        ("x*sum(x*z)/sqrt(D)", "y = sum_x_z*x/sqrt(D)"),
        ("x*z/(sum(x*z)/sqrt(D))", "sum_x_z = sum(x*z)"),
        ("x*mean(abs(z))", "mean_abs_z = mean(abs(z))"),
        ("x*mean(x/z)", "mean_x_over_z = mean(x/z)"),
    ],
)
def test_a_reduction_is_named_by_its_whole_body(body: str, line: str) -> None:
    assert line in lines(f"def f(x: Row, z: Row): return {body}")


@pytest.mark.ci
def test_a_root_that_has_a_reciprocal_is_one_value() -> None:
    text = """
def f(x: Row):
    r = sqrt(mean((x - mean(x))**2) + 1)
    y = (x - mean(x))/r
    s = 1/r
    return y, s
"""
    assert lines(text)[-2:] == ["s = 1/sqrt(1 + var)", "y = s*(x - mu)"]
    assert lines(text, "backward") == ["dx = s*(dy - ds*s*y/D - mean(dy) - y*mean(dy*y))"]
