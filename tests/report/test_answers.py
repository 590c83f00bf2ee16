"""The four answers of a report: each number in a sentence is that of the plan."""

import re
from dataclasses import replace

import pytest

from lngen.algebra.symbols import D, RowScalarSymbol
from lngen.derivation.gradients import derive
from lngen.language.parsing import parse
from lngen.plan.cost import ACCUMULATE_ITEMSIZE, ITEMSIZE, cost, reductions
from lngen.plan.planner import plan
from lngen.plan.program import FeatureReduction
from lngen.report.answers import answers, least_reductions
from lngen.report.output import report
from tests.shipped import NAMES, shipped
from tests.tiers import sample

FLOAT32 = {ITEMSIZE: 4, ACCUMULATE_ITEMSIZE: 4}


def told(found):
    """The paragraphs of each answer, by its question."""
    return {answer.question: answer.paragraphs for answer in answers(found)}


def why(name):
    return told(shipped(name).plan)["Why so many reductions"]


def formula(body):
    return plan(derive(parse(f"def f(x: Row): return {body}")))


@pytest.mark.parametrize("name", ["layer_norm", "softmax", "rms_norm"])
def test_the_numbers_are_those_of_the_plan(name):
    found = shipped(name).plan
    said = told(found)
    both = (found.forward, found.backward)
    for words, program in zip(said["Why so many reductions"], both, strict=True):
        assert words.startswith(f"{program.direction.capitalize()} takes {reductions(program)} reduction")
        assert "no fewer will do" in words.lower()
    (saved,) = said["What is saved for backward"]
    kept = [symbol.name for symbol in found.forward.saved]
    if kept:
        assert f"{len(kept)} number{'s' * (len(kept) > 1)} a row, {4 * len(kept)} bytes for float32 rows" in saved
    else:
        assert saved.startswith("Forward keeps no number of its own.")
    (time,) = said["Time and memory"]
    for program in both:
        counts = cost(program)
        assert f"{program.direction.capitalize()} does {counts.operations.element} operations an entry" in time
        assert f"It moves {4 * counts.tensors} bytes an entry in float32." in time
    partial = cost(found.backward).partial_bytes.subs(FLOAT32)
    assert (f"Backward takes O(D) for each block of rows: {partial} bytes of sums." in time) == partial.has(D)


@pytest.mark.parametrize("name", sample(NAMES, ("softmax",)))
def test_the_bytes_of_the_stages_are_those_of_the_cost(name):
    found = shipped(name).plan
    stages = answers(found)[-1].stages
    for program in (found.forward, found.backward):
        of_it = [title for title, _ in stages if title.startswith(f"{program.direction} ")]
        sizes = [int(re.search(r"(\d+) bytes? an entry", title)[1]) for title in of_it]
        assert sum(sizes) == cost(program).row_bytes.subs(FLOAT32)


@pytest.mark.parametrize("name", sample(NAMES, ("softmax",)))
def test_no_layer_has_fewer_reductions_than_it_needs(name):
    found = shipped(name).plan
    for program, least in zip((found.forward, found.backward), least_reductions(found), strict=True):
        assert least <= reductions(program)


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
def test_the_least_is_how_many_numbers_go_between_entries(body, expected):
    assert least_reductions(formula(body)) == expected


def test_one_reduction_too_many_is_not_called_needed():
    found = shipped("layer_norm").plan
    first, *between, last = found.backward.stages
    cotangent = next(row.symbol for row in found.backward.rows if row.origin == "cotangent")
    more = FeatureReduction(RowScalarSymbol("mean_more"), "mean", cotangent**2, 0)
    first = replace(first, reductions=(*first.reductions, more))
    reading = tuple(replace(temp, expression=temp.expression + more.symbol) for temp in last.temps)
    stages = (first, *between, replace(last, temps=reading))
    found = replace(found, backward=replace(found.backward, stages=stages))
    _, backward = told(found)["Why so many reductions"]
    assert backward.startswith("Backward takes 3 reductions of a row")
    assert "That no fewer will do is not shown" in backward


def test_what_a_reduction_is_for_is_said():
    assert "Only to keep exp in range: m. Of the others no fewer will do" in why("softmax")[0]
    assert "Of forward, and taken again instead of kept: mean_xhat." in why("mean_abs_norm")[1]
    assert "For gradients of parameters alone: sum_du_x." in why("dynamic_tanh")[1]
    assert "each entry is computed by itself" in why("packed_swiglu")[0]
    forward, backward = why("layer_norm")
    assert "var reads mu, so it takes a later sweep. One more sweep measures mu_residual" in forward
    assert "mean_g and mean_g_xhat do not read each other, and share a sweep." in backward


def test_what_is_not_saved_is_said():
    (saved,) = told(shipped("layer_norm").plan)["What is saved for backward"]
    assert "Backward reads x, which the caller has: no copy." in saved
    assert "It computes x_shifted, x_centred and xhat again: 3 operations an entry, no traffic." in saved
    (saved,) = told(shipped("softmax").plan)["What is saved for backward"]
    assert "Backward reads y, which forward returned: no copy." in saved


def test_every_format_has_the_answers_and_where_digits_can_be_lost():
    found = shipped("rms_norm").plan
    for format in ("text", "markdown"):
        text = report(found, format)
        places = [text.index(title) for title in (*told(found), "Where digits can be lost")]
        assert places == sorted(places)
    assert '"question": "Why so many reductions"' in report(found, "json")
