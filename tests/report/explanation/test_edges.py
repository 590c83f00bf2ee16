import numpy as np
import pytest
import sympy

from lngen.language.oracle.evaluate import evaluate
from lngen.report.explanation import edges
from lngen.report.explanation.edges import section
from lngen.report.explanation.emulation import in_type, ordinary
from lngen.report.formulas import reading_order
from tests.report.explanation.layers import defined, formula, shipped

EPSLESS = "(x - mean(x))/sqrt(mean((x - mean(x))**2))"


def told(plan):
    found = section(plan, reading_order(plan.derivation))
    table = {} if found.table is None else {case: cells for case, *cells in found.table.rows}
    return found.paragraphs[0], table


def test_edges_of_a_centred_norm():
    words, table = told(shipped("layer_norm"))
    assert table == {
        "D = 1": ["y = beta", "dx = 0"],
        "constant row (x = c)": ["y = beta", "dx = (gamma*dy - mean(gamma*dy))/sqrt(eps)"],
        "eps = 0, constant row": ["y: no value (division by zero)", "dx: no value (division by zero)"],
    }
    assert "computed in float32. In float16 itself var would overflow for rows of about 500" in words


def test_a_row_of_zeros_is_the_edge_where_only_the_scale_is_divided_by():
    _, table = told(shipped("rms_norm"))
    assert "eps = 0, row of zeros" in table
    assert "eps = 0, constant row" not in table


def test_without_eps_a_constant_row_divides_by_zero():
    _, table = told(formula(EPSLESS))
    assert all("division by zero" in cell for cell in table["constant row (x = c)"])
    assert all("division by zero" in cell for cell in table["D = 1"])


def test_where_one_feature_is_too_few_there_is_no_such_line():
    assert "D = 1" not in told(defined("unbiased"))[1]


def test_a_layer_without_reductions_has_no_table():
    words, table = told(defined("swish_scale"))
    assert table == {}
    assert "float16" in words


def test_a_share_of_a_constant_row_is_one_over_its_length():
    _, table = told(defined("soft_max"))
    assert table["constant row (x = c)"] == ["y = 1/D", "dx = (dy - mean(dy))/D"]


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm", "softmax"])
def test_what_is_said_of_one_feature_is_what_the_definition_gives(name):
    plan = shipped(name)
    said = told(plan)[1]["D = 1"][0]
    values = {"x": np.array([[3.0]]), "beta": np.array([0.25])}
    given = {entry.name: values[entry.name] for entry in plan.derivation.definition.inputs if entry.name in values}
    found = evaluate(plan.derivation.definition, given)["y"][0, 0]
    expected = {"y = beta": 0.25, "y = 1": 1.0}.get(said, 3.0 / np.sqrt(9.0 + 1e-5))
    assert found == pytest.approx(expected)


def test_the_float16_edge_is_where_float16_arithmetic_overflows():
    # Rows of 512*u: their mean square is above 65504, and that of half as large rows is not.
    plan = shipped("rms_norm")
    rows = ordinary(plan, 16)
    (x,) = (row.symbol for row in plan.forward.rows)
    squares = [float(np.mean((scale * rows.values[x]) ** 2)) for scale in (256, 512)]
    assert squares[0] < 65504 < squares[1]
    assert "ms would overflow for rows of about 500" in told(plan)[0]


def test_an_output_that_leaves_float16_is_named():
    words, _ = told(formula("x*mean(x**2)"))
    assert "y can pass 65504, and is infinite then." in words


def test_the_division_by_zero_is_seen_in_emitted_arithmetic_too():
    plan = formula(EPSLESS)
    rows = ordinary(plan, 4)
    (x,) = (row.symbol for row in plan.forward.rows)
    constant = type(rows)(rows.values | {x: np.full((1, 4), 0.5)}, 4, rows.constants)
    assert np.isnan(in_type(plan, constant, np.float32).outputs["y"]).all()


def test_a_pole_inside_of_a_function_has_no_value():
    _, table = told(formula("tanh(1/(x - mean(x)))"))
    assert table["D = 1"] == ["y: no value (division by zero)", "dx: no value (division by zero)"]


def test_a_select_that_guards_a_pole_has_a_value():
    _, table = told(formula("x*where(mean(x**2) > 0, 1/mean(x**2), 0)"))
    assert "row of zeros" not in table


def test_float16_that_overflows_at_its_end_alone_is_said_so():
    words, _ = told(defined("soft_max"))
    assert words.endswith("In float16 itself x_shifted would overflow for the largest rows.")


def test_value_too_long_for_the_table_is_not_written_out(monkeypatch):
    written = []
    monkeypatch.setattr(edges, "text", lambda e, order: written.append(e) or str(e))
    x = sympy.symbols("x:300")
    assert edges._said(x[0] + x[1], ()) == " = x0 + x1"
    assert edges._said(sympy.Add(*x), ()) == ": no short form"
    assert written == [x[0] + x[1]]


def test_what_is_made_of_a_long_value_has_no_short_form_and_its_poles_are_seen(monkeypatch):
    plan = formula("x/(1 + mean(x)**2)")
    kept, _ = told(plan)[1]["constant row (x = c)"]
    monkeypatch.setattr(edges, "_MOST_WRITTEN", 0)
    cut, _ = told(plan)[1]["constant row (x = c)"]
    assert (kept, cut) == ("y = c/(1 + c**2)", "y: no short form")
    _, table = told(formula(EPSLESS))
    assert all("division by zero" in cell for cell in table["constant row (x = c)"])
