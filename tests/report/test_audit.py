from pathlib import Path

import numpy as np
import pytest
import sympy

from lngen.algebra.notation import text
from lngen.algebra.symbols import D, Where
from lngen.derivation.gradients import derive
from lngen.language.parsing import load, parse
from lngen.plan.planner import plan
from lngen.report.audit import audit
from lngen.report.content import content
from lngen.report.heading import header
from tests.shipped import DEFINITIONS
from tests.tiers import sample

ROOT = Path(__file__).parents[2]
WORDS = "Row, RowScalar, Feature, Scalar, Constant, mean, sum, sqrt, exp, log, log1p, tanh, sigmoid, max, where"
WORDS += ", Int, expm1, maximum, minimum, pick"


def layer(body, arguments="x: Row"):
    return plan(derive(parse(f"from lngen.language import {WORDS}\ndef f({arguments}):\n    return {body}\n")))


def found(planned, kind):
    return [h for h in audit(planned).hazards if h.kind == kind]


def expressions(program):
    lines = [*program.prologue, *program.epilogue]
    for stage in program.stages:
        lines += [*stage.temps, *stage.row_scalars]
        yield from (r.body for r in (*stage.reductions, *stage.rows_reductions))
    yield from (line.expression for line in lines)


def risky(e):
    """Every subtraction, division and root in an expression, guards as a whole."""
    if isinstance(e, Where) and e.args[2] == 0 and e.args[1].atoms(sympy.Pow):
        yield e
        return
    if isinstance(e, sympy.Add) and not e.free_symbols <= {D}:
        if any(term.as_coeff_Mul()[0].is_negative for term in e.args):
            yield e
    elif isinstance(e, sympy.Pow) and (e.exp.is_negative or e.exp.q == 2) and not e.is_number:
        yield e
    for argument in e.args:
        yield from risky(argument)


@pytest.mark.parametrize("path", sample(DEFINITIONS, DEFINITIONS[::4]), ids=lambda path: path.stem)
def test_no_subtraction_division_or_root_is_left_out(path):
    planned = plan(derive(load(path)))
    order = [argument.name for argument in planned.forward.rows]
    listed = {h.where.text for h in audit(planned).hazards}
    there = {text(e, order) for p in (planned.forward, planned.backward) for o in expressions(p) for e in risky(o)}
    assert there - listed == set()
    assert there or path.stem == "relu_squared"


OPEN = {
    *("add_rms_norm_fp8", "alibi_softmax", "attention_residuals", "batch_norm", "causal_softmax", "cispo"),
    *("distillation", "dpo", "dropout_add_layer_norm", "focal_loss", "grpo", "jsd", "kda_gate", "label_cross_entropy"),
    *("masked_norm", "orpo", "pow_glu", "softcap_cross_entropy", "tvd"),
}
"""The layers in which the input decides whether digits are lost, as their definitions have it."""


@pytest.mark.parametrize("path", sample(DEFINITIONS, DEFINITIONS[::4]), ids=lambda path: path.stem)
def test_a_hazard_stands_where_it_says(path):
    planned = plan(derive(load(path)))
    numbers = {step.number for step in planned.derivation.steps} | {0}
    hazards = audit(planned).hazards
    for hazard in hazards:
        assert hazard.where.step in numbers
        assert hazard.danger
        assert hazard.remedy
    assert any(hazard.status == "open" for hazard in hazards) == (path.stem in OPEN)


def test_the_smaller_of_two_values_is_above_neither():
    smaller = "exp(minimum(x, -eps)) + log(-expm1(minimum(x, -eps)))"
    kinds = {h.kind: h for h in audit(layer(smaller, "x: Row, eps: Constant = 1e-5")).hazards}
    assert kinds["exponential"].status == "removed"
    assert "never below -expm1(-eps), eps > 0 assumed" in kinds["logarithm"].remedy
    for other in (smaller.replace("minimum", "maximum"), smaller.replace("-eps", "eps")):
        kinds = {h.kind: h for h in audit(layer(other, "x: Row, eps: Constant = 1e-5")).hazards}
        assert kinds["logarithm"].status == "open"


def test_an_entry_less_the_largest_of_its_row_rounds_once():
    loss = "log(sum(exp(x))) - pick({}, label)"
    statistics = found(layer(loss.format("x"), "x: Row, label: Int['...']"), "statistic by subtraction")
    assert {h.where.text: h.status for h in statistics} == dict.fromkeys(
        ("sum_where_x - m", "log_Z - sum_where_x_shifted"), "beside the result"
    )
    other = found(layer(loss.format("z"), "x: Row, z: Row, label: Int['...']"), "statistic by subtraction")
    assert [h.status for h in other] == ["open"]


def test_a_row_centred_on_its_mean_is_corrected():
    (hazard,) = found(plan(derive(load(ROOT / "derive" / "layer_norm.py"))), "row centred on its mean")
    assert hazard.status == "removed"
    assert "mu_residual, is measured and taken off" in hazard.remedy


def test_a_root_over_a_positive_constant_is_bounded_and_says_what_is_assumed():
    (hazard,) = found(layer("x / sqrt(mean(x**2) + eps)", "x: Row, eps: Constant = 1e-5"), "reciprocal root")
    assert hazard.status == "beside the result"
    assert "eps > 0 assumed" in hazard.remedy


def test_a_root_that_is_an_output_too_is_bounded_where_backward_divides_by_it():
    (root, *_) = found(layer("sqrt(mean(x**2) + 1e-5)"), "division")
    assert "it is never below" in root.remedy
    (root, *_) = found(layer("sqrt(mean(x**2))"), "division")
    assert root.status == "open"


def test_a_constant_that_may_be_negative_bounds_nothing():
    (hazard,) = found(layer("x / (mean(x**2) - 1)"), "division")
    assert hazard.status == "open"
    assert "may be zero" in hazard.danger


def test_a_statistic_that_no_rule_rewrites_is_open():
    (hazard,) = found(layer("x * (mean(x**2) - mean(x))"), "statistic by subtraction")
    assert hazard.status == "open"


@pytest.mark.parametrize(("power", "single"), [(2, "1.8e+19"), (4, "4.3e+09")])
def test_a_power_of_a_row_says_up_to_where_it_is_a_number(power, single):
    planned = layer(f"x * (mean(x**{power}) + 1)**(-1/{power})")
    (hazard,) = found(planned, "power")
    assert hazard.status == "range"
    assert f"|x| is above {single} in float32" in hazard.danger
    limit = np.float32(single)
    with np.errstate(over="ignore"):
        assert np.isfinite((limit * np.float32(0.98)) ** power)
        assert not np.isfinite((limit * np.float32(1.05)) ** power)


def test_a_power_of_a_divisor_says_from_where_on_the_quotient_is_zero():
    larger = "where(sum(x) > mean(x), sum(x), mean(x))"
    (hazard,) = found(layer(f"{larger}/(mean(x**4) + 0.1)"), "power of a divisor")
    assert (hazard.status, hazard.where.direction) == ("range", "backward")
    assert "where |mean_x4 + 0.1| is above 1.8e+19 in float32" in hazard.danger
    assert not found(layer("x/sqrt(mean(x**2) + 0.1)"), "power of a divisor")


@pytest.mark.parametrize(
    ("body", "arguments", "status"),
    [
        ("x*(x - z)", "x: Row, z: Row", "beside the result"),  # as passed: one rounding of what is left
        ("x*(2*x - z/4)", "x: Row, z: Row", "beside the result"),
        ("z*(x - 0.25)", "x: Row, z: Row", "beside the result"),
        ("x*(x*z - w)", "x: Row, z: Row, w: Row", "beside its terms"),
        ("x*(x**2 - z)", "x: Row, z: Row", "beside its terms"),
        ("1 - x**2", "x: Row", "beside its terms"),  # zero at x = 1, where the rounding of x costs as much
        ("x - x**2*tanh(x)", "x: Row", "open"),
        ("x - sin(x)", "x: Row", "open"),
        ("1 - 1/sqrt(x**2 + 1)", "x: Row", "open"),  # zero with its derivative: only the form costs the digits
        ("1 - exp(x)/sum(exp(x))", "x: Row", "open"),
        ("1 - erf(x)", "x: Row", "open"),
        ("x - sum(w*x)/sum(w)", "x: Row, w: Feature", "open"),
    ],
)
def test_a_difference_says_beside_what_its_error_is_small(body, arguments, status):
    planned = layer(body, arguments)
    kinds = ("difference", "one minus a function")
    said = [h for h in audit(planned).hazards if h.kind in kinds and h.where.direction == "forward"]
    assert [hazard.status for hazard in said] == [status]


def test_an_exponential_is_open_unless_the_largest_is_taken_out():
    (free,) = found(layer("exp(x)"), "exponential")
    (shifted,) = found(layer("log(sum(exp(x)))"), "exponential")
    assert (free.status, shifted.status) == ("open", "removed")


@pytest.mark.parametrize(
    ("body", "arguments", "where", "limits"),
    [
        ("exp(x)", "x: Row", "x is above", "88.7 in float32, as in 16 bits, and 709.7 in float64"),
        ("x*exp(2*x)", "x: Row", "x is above", "44.35 in float32, as in 16 bits, and 354.9 in float64"),
        (
            "x*exp(-2*s)",
            "x: Row, s: RowScalar",
            "s is below",
            "-44.35 in float32, as in 16 bits, and -354.9 in float64",
        ),
        ("x*exp(w)*w", "x: Row, w: Feature", "w is above", "88.7 in float32, as in 16 bits, and 709.7 in float64"),
    ],
)
def test_an_exponential_that_no_rule_shifts_says_from_where_on_it_overflows(body, arguments, where, limits):
    planned = layer(body, arguments)
    said = audit(planned)
    (hazard,) = found(planned, "exponential")
    assert hazard.status == "open"
    assert f"{where} {limits}" in hazard.danger
    assert said.warning == f"open: {hazard.danger}"
    assert said.warning in content(planned).headline
    assert any(hazard.danger in line for line in header(planned, "numpy"))


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ("where(z > 0, exp(x), 0)/sum(where(z > 0, exp(x), 0))", "x: Row, z: Row"),  # none may be chosen
        ("z*exp(x)/sum(z*exp(x))", "x: Row, z: Row"),  # its largest may have the weight 0
    ],
)
def test_a_sum_from_which_its_largest_exponential_may_be_missing_is_open(body, arguments):
    (hazard,) = found(layer(body, arguments), "division")
    assert hazard.status == "open"


def test_a_sum_of_shifted_exponentials_is_at_least_one():
    (hazard,) = found(plan(derive(load(ROOT / "tests" / "definitions" / "soft_max.py"))), "division")
    assert hazard.status == "beside the result"
    assert "never below 1," in hazard.remedy


def test_a_guarded_pole_is_removed_and_its_root_says_so():
    planned = plan(derive(load(ROOT / "tests" / "definitions" / "eps_outside.py")))
    assert [h.status for h in found(planned, "guarded pole")] == ["removed"]
    (root,) = found(planned, "root")
    assert root.status == "removed"
    assert "inv_root" in root.remedy


@pytest.mark.parametrize(
    ("path", "rule"), [("naive_variance", "centred statistic"), ("tanh_scale", "difference of squares")]
)
def test_a_rewrite_that_keeps_digits_is_told(path, rule):
    rewrites = audit(plan(derive(load(ROOT / "tests" / "definitions" / f"{path}.py")))).rewrites
    assert rule in [step.rule for step in rewrites]
