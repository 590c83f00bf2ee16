from dataclasses import replace

from lngen.report.explanation.saved import section
from lngen.report.formulas import reading_order
from tests.report.explanation.layers import defined, formula, shipped


def told(plan):
    return " ".join(section(plan, reading_order(plan.derivation)).paragraphs)


def test_saved_row_scalars_are_counted_with_their_bytes():
    words = told(shipped("layer_norm"))
    assert "Forward keeps mu, mu_residual and rstd: 3 numbers a row, 12 bytes for float32 rows." in words
    assert "Backward reads x as the caller passed it: no copy." in words


def test_what_is_computed_again_stands_with_its_lines():
    words = told(shipped("layer_norm"))
    assert "Not kept: x_shifted, x_centred and xhat." in words
    assert "xhat = rstd*x_centred" in words
    assert "3072 bytes a row at D = 768 in float32, against 12" in words
    assert "Backward does not read var, so it is not kept." in words


def test_an_output_that_backward_reads_is_said_to_be_the_one_returned():
    words = told(defined("soft_max"))
    assert "Forward keeps no number of its own. Backward reads y as forward returned it: no copy." in words


def test_a_plan_that_saves_less_says_less():
    plan = shipped("layer_norm")
    fewer = replace(plan, forward=replace(plan.forward, saved=plan.forward.saved[:1]))
    assert "Forward keeps mu: 1 number a row, 4 bytes" in told(fewer)


def test_a_wide_layer_keeps_wide_numbers():
    plan = formula("x/sqrt(mean(x**20))")
    assert plan.forward.is_wide
    assert "8 bytes for float32 rows" in told(plan)
