from dataclasses import replace

import pytest

from lngen.algebra.symbols import RowScalarSymbol
from lngen.plan.program import FeatureReduction
from lngen.report.explanation.reductions import least, section
from lngen.report.explanation.words import reductions
from lngen.report.formulas import reading_order
from tests.report.explanation.layers import defined, formula, of_file, shipped
from tests.shipped import DEFINITIONS
from tests.tiers import sample


def told(plan):
    return section(plan, reading_order(plan.derivation)).paragraphs


def with_one_more(plan):
    """The plan with a reduction in backward that the gradient reads, and need not."""
    first, *between, last = plan.backward.stages
    cotangent = next(row.symbol for row in plan.backward.rows if row.origin == "cotangent")
    more = FeatureReduction(RowScalarSymbol("mean_more"), "mean", cotangent**2, 0)
    first = replace(first, reductions=(*first.reductions, more))
    reading = tuple(replace(temp, expression=temp.expression + more.symbol) for temp in last.temps)
    stages = (first, *between, replace(last, temps=reading))
    return replace(plan, backward=replace(plan.backward, stages=stages))


def test_reductions_of_a_centred_norm_are_two_each_and_shown_minimal():
    forward, backward = told(shipped("layer_norm"))
    assert forward.startswith("Forward has 2 reductions: mu = mean(x) and var = mean(x_centred**2).")
    assert "var reads mu, so it needs a later sweep." in forward
    assert "mean(x**2) - mu**2 would spare a sweep, and lose digits at a large offset." in forward
    assert "A further sweep measures mu_residual = mean(x_shifted), which is 0 but for rounding" in forward
    assert "y reads var, so a last sweep writes it." in forward
    assert backward.startswith("Backward has 2 reductions: mean_g = mean(g) and mean_g_xhat = mean(g*xhat).")
    assert "The chain rule, written out as it stands, has 3." in backward
    assert "Neither reads the other: one sweep takes mean_g and mean_g_xhat." in backward
    assert "dgamma and dbeta add up over rows" in backward
    assert all("No fewer will do" in words for words in (forward, backward))


def test_one_more_reduction_changes_what_is_said():
    (_, backward) = told(with_one_more(shipped("layer_norm")))
    assert backward.startswith("Backward has 3 reductions")
    assert "No fewer will do" not in backward
    assert "3 reductions are not shown minimal" in backward


def test_a_maximum_that_keeps_exp_in_range_is_said_to_be_that():
    forward, backward = told(defined("soft_max"))
    assert "m only keeps exp in range. Of the others no fewer will do" in forward
    assert "No fewer will do" in backward


def test_a_layer_without_reductions_says_so():
    for words in told(defined("swish_scale")):
        assert "has no reduction over a row" in words


def test_a_reduction_of_the_forward_alone_is_no_part_of_the_bound():
    (_, backward) = told(shipped("mean_abs_norm"))
    assert "mean_xhat is of the forward alone: to keep it would take 1 number more a row." in backward
    assert (
        "Of the others no fewer will do: one half of a row acts on the results of the other half through 2" in backward
    )


def test_a_reduction_for_a_parameter_alone_is_no_part_of_the_bound():
    (_, backward) = told(defined("tanh_scale"))
    assert "serves the gradients of parameters alone." in backward
    assert "minimal" not in backward


def test_a_reduction_of_data_alone_is_no_part_of_the_bound():
    (forward, _) = told(defined("masked_norm"))
    assert "sum_keep2 is of data and parameters alone. Of the others no fewer will do" in forward


@pytest.mark.parametrize(
    "body",
    ["x - mean(x) - x", "sum(x - mean(x))", "where(x > 0, exp(x), 0)/sum(where(x > 0, exp(x), 0))"],
)
def test_results_that_vary_over_less_than_rows_are_told_of(body):
    assert all("reduction" in words for words in told(formula(body)))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x**2", (0, 0)),
        ("x - mean(x)", (1, 1)),
        ("x/(max(x) + 3)", (1, 1)),
        ("x*mean(x) + mean(exp(x))", (2, 2)),
        ("x*(mean(x) + mean(exp(x)))", (1, 1)),  # two reductions, and their sum is one number
        ("mean(x**3)*mean(x)", (1, 0)),
    ],
)
def test_least_is_the_number_of_numbers_that_go_between_entries(body, expected):
    assert least(formula(body)) == expected


@pytest.mark.parametrize("path", sample(DEFINITIONS, DEFINITIONS[::4]), ids=lambda path: path.stem)
def test_no_layer_has_fewer_reductions_than_its_bound(path):
    plan = of_file(path)
    for program, bound in zip((plan.forward, plan.backward), least(plan), strict=True):
        assert bound <= sum(map(len, reductions(program)))
