"""Names that nobody gave say what they name, and are numbered as they come."""

import re

import pytest

from lngen.derivation.simplify import derive
from lngen.derivation.simplify.second_order import second_order
from lngen.language.names import derived
from lngen.language.parsing import parse
from lngen.plan.planner import plan
from lngen.report import formulas
from tests import corpus


def lines(text: str, direction: str = "forward") -> list[str]:
    return [*formulas(plan(second_order(derive(parse(text)))))[direction]]


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


@pytest.mark.parametrize("name", corpus.SAMPLED)
def test_atoms_are_numbered_as_they_come(name: str) -> None:
    derivation = corpus.derivation(name)
    given = {q.symbol.name for q in derivation.forward.equations} | {s.name for s in derivation.forward.symbols}
    own = [q.symbol.name for q in derivation.backward if re.fullmatch(r"g(_[0-9]+)?", q.symbol.name)]
    free = (n for n in ("g", *(f"g_{number}" for number in range(2, 99))) if n not in given)
    assert own == [next(free) for _ in own]


@pytest.mark.parametrize("name", corpus.SAMPLED)
def test_no_symbol_is_two_derivatives(name: str) -> None:
    derivation = corpus.derivation(name)
    forward, jvp, double = derivation.forward, derivation.jvp, derivation.backward_backward
    assert jvp is not None
    assert double is not None
    gradients = {gradient for _, gradient in derivation.gradients}
    kinds = [gradients, {*derivation.adjoint.cotangents}, {*jvp.arguments}, {s for _, s in jvp.results}]
    kinds += [{*double.arguments}, {s for _, s in double.results}]
    every = [symbol.name for kind in kinds for symbol in kind]
    assert len(every) == len(set(every))
    assert set(every) <= set().union(*(derived(s.name) for s in (*forward.symbols, *forward.outputs)))


def test_a_number_at_the_end_of_another_name_does_not_make_two_names_one():
    text = "def f(x: Row):\n    t = softplus(-x)\n    return sqrt(1 + x**2) + rsqrt(1 + x**2) + t*max(x)\n"
    names = [equation.symbol.name for equation in derive(parse(text)).forward.equations]
    assert len(names) == len(set(names))
