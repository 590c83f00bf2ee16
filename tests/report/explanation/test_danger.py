import importlib
import os
import subprocess
import sys

import numpy as np
import pytest

from lngen.algebra.symbols import RowScalarSymbol
from lngen.language.parsing import parse
from lngen.pipeline.stages import planned
from lngen.report.audit import hazards
from lngen.report.explanation import danger, zones
from lngen.report.explanation.emulation import exactly
from lngen.report.explanation.zones import batch, inputs
from tests.report.explanation.layers import ROOT, defined, formula, shipped
from tests.shipped import NAMES
from tests.tiers import sample

# No rule knows that k is 1: the variance stays a difference of means.
NAIVE = "x/sqrt(mean(x**2) - k*mean(x)**2 + eps)", "x: Row, k: Constant = 1, eps: Constant = 1e-5"


def losses(plan):
    return {loss.zone: loss for loss in danger.losses(plan) if loss.dtype == "float32"}


def test_a_naive_variance_is_shown_to_lose_digits_at_an_offset():
    found = losses(formula(*NAIVE))["large offset"]
    assert found.is_bad
    assert found.output > 1e-4
    assert found.line == "rstd"


def test_a_variance_that_a_rule_rewrites_loses_none():
    assert losses(defined("naive_variance"))["large offset"].worst < 1e-6


def test_rows_whose_squares_overflow_are_found_and_named():
    found = losses(shipped("layer_norm"))["large rows"]
    assert (found.words, found.line) == ("x = 1e+20*u", "var")
    table = danger.section(shipped("layer_norm"), hazards(shipped("layer_norm"))).table
    assert next(row[-1] for row in table.rows if row[0] == "large rows") == "var: power"


def test_a_constant_row_without_eps_is_not_finite():
    found = losses(formula("(x - mean(x))/sqrt(mean((x - mean(x))**2))"))["constant row"]
    assert found.output == found.gradient == float("inf")


def test_a_difference_of_close_values_is_found():
    found = losses(formula("x - sin(x)"))["tiny rows"]
    assert found.is_bad
    assert found.line == "y"


def test_an_open_hazard_that_no_input_shows_is_named():
    plan = formula("x/(max(x) + 3)")
    (words,) = danger.section(plan, hazards(plan)).paragraphs
    assert words.endswith("Of what the input decides none of them shows scale (division).")


def test_what_is_more_work_is_measured_at_fewer_inputs(monkeypatch):
    plan = formula("x*r", "x: Row, r: Row")
    every = inputs(plan)
    monkeypatch.setattr(zones, "_MOST_WORK", 0)
    fewer = inputs(plan)
    assert {entry.zone for entry in fewer} == {entry.zone for entry in every}
    assert len(fewer) < len(every) / 2


def test_a_definition_that_needs_more_features_is_measured_with_as_many():
    plan = formula("x/sqrt(sum(x**2)/(D - 20) + 1)")
    (words,) = danger.section(plan, hazards(plan)).paragraphs
    assert "with D = 21 and" in words


def test_a_result_that_has_no_number_is_no_loss():
    # x**3 of 1e16 is above the largest float32, as it has to be.
    assert not losses(formula("x**3"))["large rows"].is_bad


@pytest.mark.ci
def test_a_zone_in_float16_alone_is_a_row_of_its_own():
    found = danger.losses(shipped("add_layer_norm"))
    assert any(loss.dtype == "float16" and loss.is_bad for loss in found)
    assert sum(loss.zone == "large offset" for loss in found) == 1  # float32 shows it already


@pytest.mark.parametrize("name", sample(NAMES, ["layer_norm", "softmax"]))
def test_emitted_code_loses_where_the_table_says_and_nowhere_else(name):
    plan = shipped(name)
    module = importlib.import_module(f"generated.{name}")
    found = [loss for loss in danger.losses(plan) if loss.dtype == "float32"]
    entries = {(entry.zone, entry.words): entry for entry in inputs(plan)}
    rows = batch(plan, [entries[loss.zone, loss.words] for loss in found]).stored(np.float32)
    exact = exactly(plan, rows)
    definition = plan.derivation.definition

    def passed(symbol):
        value = rows.values[symbol].astype(np.float32)
        return value[:, 0] if isinstance(symbol, RowScalarSymbol) else value

    arguments = {each.name: each.symbol for each in (*plan.forward.rows, *plan.forward.parameters)}
    cotangents = [row.symbol for row in plan.backward.rows if row.origin == "cotangent"]
    with np.errstate(all="ignore"):
        returned, saved = module.forward(
            *(passed(arguments[entry.name]) for entry in definition.inputs if entry.kind.name != "CONSTANT")
        )
        gradients = module.backward(saved, *map(passed, cotangents))
    returned = returned if isinstance(returned, tuple) else (returned,)
    computed = dict(zip(definition.outputs, returned, strict=True))
    computed |= {name: getattr(gradients, definition.public(name)) for name in exact.gradients}
    given = {row.symbol for row in plan.forward.rows}
    for place, loss in enumerate(found):
        errors = []
        for each, value in (exact.outputs | exact.gradients).items():
            row = np.reshape(computed[each], (len(found), -1))[place]
            scale = danger._largest(rows, given if each in exact.outputs else {*cotangents}, place)
            errors.append(danger._distance(row, value[place], scale, "float32"))
        # Which way single roundings fall is another thing in each code; five bits are more than that.
        half = danger.HALF["float32"]
        assert (max(errors) > half / 32) if loss.is_bad else (max(errors) < half), loss


@pytest.mark.ci
def test_the_table_is_the_same_under_another_hash_seed():
    code = (
        "from tests.report.explanation.layers import shipped\n"
        "from lngen.report.explanation.danger import losses\n"
        "print(losses(shipped('layer_norm_gelu')))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1


def test_a_row_of_many_features_is_not_searched_and_that_is_said():
    plan = planned(parse("def f(x: Row): return x/(D - 900) + mean(x)"), proved=False)
    section = danger.section(plan, ())
    assert section.table is None
    assert "at least 901 features: too many for a search" in section.paragraphs[0]
