"""Fifty digits: both sides of every step, and the unsimplified adjoint, at seeded random points."""

from __future__ import annotations

from dataclasses import replace

import mpmath
import numpy as np
import pytest
import sympy

from lngen.algebra.numeric import Arithmetic
from lngen.algebra.symbols import D, Where
from lngen.derivation.derivation import EVERY_D, FIFTY, Derivation, Step
from lngen.derivation.gradients import derive
from lngen.language.parsing import parse
from lngen.prove import DIGITS, REQUIRED, prove
from lngen.prove.digits import (
    Sides,
    agreement,
    compared,
    digits_of_claims,
    has_values,
    random_point,
    second_derivation,
)
from lngen.prove.printed import PrintedEquality
from tests.corpus import PROVED, SOME, derivation, proved
from tests.prove.planted import PLANTED, planted
from tests.tiers import sample


@pytest.mark.parametrize("name", sample(PROVED, SOME[:2], SOME[2:12]))
def test_all_evidence_holds(name: str) -> None:
    made = proved(name)
    assert all(proof.passed for proof in made.proofs)
    abouts = {"steps", "gradients", "tangents", "second-order gradients"}
    assert {proof.about for proof in made.proofs if proof.kind in (EVERY_D, FIFTY)} >= abouts
    rewrites = [s for d in made.derivatives().values() for s in d.steps if s.before is not None]
    for step, digits in zip(rewrites, digits_of_claims(made, [*map(_both_sides, rewrites)]), strict=True):
        assert digits is not None, step
        assert digits >= REQUIRED, step
        assert step.evidence is not None
        assert step.evidence.grade in (EVERY_D, FIFTY), step


def _both_sides(step: Step) -> PrintedEquality:
    assert step.before is not None
    return PrintedEquality(step.number, step.part, "", step.after, step.before)


@pytest.mark.parametrize("name", sample(PLANTED, (), [*PLANTED][::2]))
def test_the_second_derivation_catches_every_planted_fault(name: str) -> None:
    agreed = [digits for _, digits, _ in second_derivation(planted(name))]
    assert min(agreed) < 10


@pytest.mark.ci
def test_a_wrong_step_is_caught_by_its_own_digits() -> None:
    made = derivation("layer_norm")
    number = next(step.number for step in made.steps if step.before is not None and step.target.name == "dx")
    wrong = tuple(
        replace(step, after=step.after + sympy.Rational(1, 10**30)) if step.number == number else step
        for step in made.steps
    )
    claim = next(_both_sides(step) for step in wrong if step.number == number)
    (digits,) = digits_of_claims(replace(made, steps=wrong), [claim])
    assert digits is not None
    # Relative to the row's largest gradient, which may be small.
    assert 25 <= digits <= 31
    assert not all(proof.passed for proof in prove(replace(made, steps=wrong)).proofs)


# Not shown for every D: that one is above the other takes an argument from their sum.
OPEN = "def f(x: Row): return {}maximum(x**2 - 2*x + 2, 0)*mean(x)"


def with_dx(scale: str, factor: sympy.Expr) -> Derivation:
    """A layer of this scale, its gradient multiplied by a factor in the equation and in the step that ends in it."""
    made = derive(parse(OPEN.format(scale)))
    ((_, dx),) = made.gradients
    backward = tuple(replace(q, expression=factor * q.expression) if q.symbol == dx else q for q in made.backward)
    return replace(made, backward=backward)


@pytest.mark.ci
@pytest.mark.parametrize("scale", ["", "1e-50*", "1e-120*", "1e60*"])
def test_digits_are_relative_at_any_scale(scale: str) -> None:
    assert all(proof.passed for proof in prove(with_dx(scale, sympy.S.One)).proofs)
    for fault in (-7, 1 + sympy.Rational(1, 10**38)):
        failed = [proof for proof in prove(with_dx(scale, sympy.sympify(fault))).proofs if not proof.passed]
        assert any(proof.about == "gradients" and proof.kind == FIFTY for proof in failed), fault


@pytest.mark.parametrize(("u", "fault"), [(250, 0), (250, 1e-5), (120, 1e-5), (30, 0)])
def test_values_that_few_digits_lose_are_computed_in_more(u: int, fault: float) -> None:
    """`1 - sigmoid(250)` is 0 in 100 digits; beside 1 any two values that small would be alike."""

    def sides(_: Arithmetic) -> Sides:
        yield "tail", 1 - 1 / (1 + mpmath.exp(-u)), 1 / (1 + mpmath.exp(u)) * (1 + fault)

    with mpmath.workdps(DIGITS):
        ((_, agreed),) = compared(sides)
    assert (agreed >= REQUIRED) == (fault == 0)


@pytest.mark.ci
@pytest.mark.parametrize("features", [4, 7, 9, 13])
def test_a_fault_at_one_d_is_seen(features: int) -> None:
    wrong = with_dx("", 1 + Where(sympy.Eq(D, features), sympy.Rational(1, 10**30), 0))
    assert not all(proof.passed for proof in prove(wrong).proofs)
    (found,) = second_derivation(wrong)
    assert found[1] in range(29, 32)


@pytest.mark.ci
def test_the_sizes_that_were_compared_are_named() -> None:
    by_name = {name: sizes for name, _, sizes in second_derivation(derivation("layer_norm"))}
    assert by_name == dict.fromkeys(("dx", "dgamma", "dbeta"), tuple(range(1, 14)))
    # The unsimplified form of a root of the variance is 0/0 for one feature; that is no evidence.
    by_name = {name: sizes for name, _, sizes in second_derivation(derivation("eps_outside"))}
    assert by_name["dx"] == tuple(range(2, 14))
    by_name = {name: sizes for name, _, sizes in second_derivation(derivation("unbiased"))}
    assert by_name["dx"] == tuple(range(2, 15))


@pytest.mark.ci
@pytest.mark.parametrize(
    "quotient",
    [
        "1/(x - log(sum(exp(x))))",
        "sigmoid(1/(x - log(sum(exp(x)))))",
        # With no statistic in between, nothing of it has a name of its own.
        "x*sin(1/(log(2*exp(x/2)) - x/2 - log(D + 1)))",
    ],
)
def test_a_quotient_by_rounding_alone_is_no_evidence(quotient: str) -> None:
    made = derive(parse(f"def f(x: Row): return {quotient}"))
    sizes = tuple(range(2, 14))
    ((name, agreed, compared),) = second_derivation(made)
    assert (name, compared) == ("dx", sizes)
    assert agreed >= DIGITS - 1
    wrong = replace(made, backward=tuple(replace(q, expression=2 * q.expression) for q in made.backward))
    assert [(digits, sizes) for _, digits, sizes in second_derivation(wrong)] == [(0, sizes)]


def test_points_lie_where_the_definition_has_values() -> None:
    for text in ("log(x)", "sqrt(x)*x", "log(log(x + 1) + 1)", "rsqrt(x - 1)*x"):
        made = derive(parse(f"def f(x: Row): return {text}"))
        with mpmath.workdps(DIGITS):
            point = random_point(made, 5, seed=1)
            assert all(mpmath.isfinite(value) for value in np.asarray(point[made.written.outputs[0]]).flat)
        assert all(digits >= REQUIRED for _, digits, _ in second_derivation(made))


@pytest.mark.parametrize(
    ("left", "right", "digits"),
    [
        ("1", "1", 50),
        ("1", "1." + "0" * 19 + "1", 20),
        ("1e20", "1.00000000001e20", 11),  # relative to the larger
        ("1e-30", "0", 0),
        ("1e-60", "-7e-60", 0),  # at any scale
        ("1", "nan", 0),
        ("inf", "inf", 0),
    ],
)
def test_agreement(left: str, right: str, digits: int) -> None:
    with mpmath.workdps(60):
        assert agreement(mpmath.mpf(left), mpmath.mpf(right), 50) == digits


@pytest.mark.parametrize(
    "text",
    [
        # From -1 to 1 the exponent of the exponent is so large that no digit of the value is right.
        "exp(exp(1/x**4)**0.5)",
        # Below 0 the smaller one is x, and what it is compared with is NaN, nor has a derivative.
        "x - minimum(sqrt(x), x)",
    ],
)
def test_points_lie_where_the_definition_has_digits_and_a_derivative(text: str) -> None:
    made = derive(parse(f"def f(x: Row): return {text}"))
    assert all(digits >= REQUIRED and sizes for _, digits, sizes in second_derivation(made))


def test_a_value_of_rounding_alone_is_none() -> None:
    assert has_values(derive(parse("def f(x: Row): return x - mean(x)")))
    assert not has_values(derive(parse("def f(x: Row): return x*log(sum((x - mean(x))*D))")))


def test_has_values_where_few_points_leave_an_entry_in_each_row_is_true():
    near = "(index() <= place) & (index() > place - width)"
    window = f"""
def window(x: Row, place: Int["..."], width: Int[""] = 3):
    e = where({near}, exp(x), 0)
    return e/sum(e)
"""
    assert has_values(derive(parse(window)))
