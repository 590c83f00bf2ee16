"""Inputs without a gradient, from definition to checked code on both backends."""

import inspect

import ml_dtypes
import numpy as np
import pytest

import lngen
from lngen.language.parsing import parse
from lngen.language.syntax import Kind
from tests import corpus
from tests.shipped import ROOT

MASKED = (ROOT / "tests" / "definitions" / "masked_norm.py").read_text(encoding="utf-8")
CHOSEN = "def chosen(keep: Data, x: Row, low: Data = -1): return tanh(where(keep > 0, x, low))"
ADDED = "def added(x: Row, bias: Data = 0): return x + sum(bias)"
WEIGHTED = corpus.TEXTS["weighted_labels"]


@pytest.fixture(scope="module")
def masked():
    return lngen.derive(MASKED)


def test_it_is_read_as_a_row_without_a_gradient():
    definition = parse("def f(t: Data, x: Row, w: Feature = 1, eps: Constant = 1): return x*w*t + eps*mean(t)")
    names = {
        "differentiable": ["x", "w"],
        "positional": ["t", "x", "w"],
        "data": ["t"],
        "rows": ["x"],
        "constants": ["eps"],
    }
    assert {name: [entry.name for entry in getattr(definition, name)] for name in names} == names
    assert definition.statement("y").kind is Kind.ROW
    assert parse("def f(t: Data, x: Row): return mean(t)*mean(x)").output_kind("y") is Kind.ROW_SCALAR


def test_it_may_have_a_value_per_row_or_per_feature():
    definition = parse(WEIGHTED)
    assert [entry.kind.value for entry in definition.data] == ["Data", 'Data["..."]', 'Data["d"]']
    assert [entry.name for entry in definition.parameters] == ["gamma"]
    assert [entry.name for entry in definition.rows] == ["x"]
    assert parse('def f(x: Row, t: Data["... d"]): return t*x').input("t").kind is Kind.DATA


def test_it_takes_the_name_of_no_gradient():
    """Names `dmask` and `ddmask` are free; `dy` beside an output `y` has no second gradient."""
    made = parse("def f(x: Row, mask: Data, dy: Data): return x*mask*dy")
    assert [made.public(entry.name) for entry in made.inputs] == ["x", "mask", "dy"]
    assert parse("def f(x: Row, mask: Data, dmask: Data): return x*mask*dmask").renamed == ()


def test_values_of_a_definition_without_rows_are_entries_of_rows():
    """Each kind has its axes of the result, also in the tree; a Scalar's gradient is the sum over all entries."""
    text = 'def f(a: RowScalar, t: Data["..."], s: Scalar = 1): return s*exp(a)*t'
    apart, rows = parse(text), parse(text.replace("RowScalar", "Row").replace('Data["..."]', "Data"))
    assert apart.canonical() == rows.canonical()
    assert apart.statements[0].expression.kind is Kind.ROW


@pytest.mark.ci
def test_no_direction_knows_its_derivative(masked):
    module = masked.load()
    assert module.Gradients._fields == ("dx", "dgamma", "dbeta")
    assert module.SecondGradients._fields == ("dx", "dgamma", "dbeta", "ddy")
    taken = {name: [*inspect.signature(getattr(module, name)).parameters] for name in ("jvp", "backward_backward")}
    assert taken["jvp"][1:4] == ["x_dot", "gamma_dot", "beta_dot"]
    assert taken["backward_backward"][2:5] == ["ddx", "ddgamma", "ddbeta"]
    (entry,) = (given for given in module.INTERFACE["inputs"] if given["name"] == "keep")
    assert entry == {"name": "keep", "symbol": "keep", "kind": "Data", "axes": ["...", "D"], "default": 1}
    assert [gradient["of"] for gradient in module.INTERFACE["gradients"]] == ["x", "gamma", "beta"]
    text = "".join(masked.derived.files.values())
    assert "dkeep" not in text
    assert "keep_dot" not in text


@pytest.mark.ci
def test_no_cotangent_is_sent_to_what_only_data_reaches(masked):
    """`dn` of `n = sum(keep**2) + eps` would be a line that nothing reads."""
    lines = [equation.symbol.name for equation in masked.derived.plan.derivation.adjoint.equations]
    assert "dmu" in lines
    assert "dn" not in lines


@pytest.mark.ci
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_what_a_mask_takes_away_has_no_influence(masked, dtype):
    """The rows of a mask of ones and zeros are those of the entries that it keeps."""
    layer, rng = masked.load(), np.random.default_rng(0)
    kept = np.array([0, 2, 3, 6])
    x = rng.standard_normal((4, 7)).astype(dtype)
    keep = np.zeros((4, 7), dtype)
    keep[:, kept] = 1
    y, saved = layer.forward(x, keep, eps=1e-12)
    assert saved.keep is keep
    short, of_short = layer.forward(np.ascontiguousarray(x[:, kept]), eps=1e-12)
    cotangent = rng.standard_normal((4, 7)).astype(dtype)
    dx = layer.backward(saved, cotangent).dx
    dshort = layer.backward(of_short, np.ascontiguousarray(cotangent[:, kept])).dx
    assert y.dtype == dx.dtype == x.dtype
    unit = float(ml_dtypes.finfo(dtype).eps)
    for found, wanted in ((y, short), (dx, dshort)):
        np.testing.assert_allclose(found[:, kept].astype(float), wanted.astype(float), atol=8 * unit, rtol=8 * unit)
        np.testing.assert_array_equal(np.delete(found, kept, axis=1).astype(float), 0)


@pytest.mark.ci
def test_left_out_it_costs_nothing():
    """Backward does not read the bias, so it need not know whether there was one."""
    layer = lngen.derive(ADDED).load()
    x = np.arange(6.0).reshape(2, 3)
    for bias in (None, np.ones((2, 3))):
        y, saved = layer.forward(x, bias)
        np.testing.assert_array_equal(y, x + (0 if bias is None else 3))
        assert layer.backward(saved, x) == (pytest.approx(x),)
        np.testing.assert_array_equal(layer.jvp(saved, x), x)
        np.testing.assert_array_equal(layer.backward_backward(saved, x, x).ddy, x)


@pytest.mark.ci
def test_its_type_is_its_own_and_the_rows_say_that_of_results():
    layer = lngen.derive(CHOSEN).load()
    x = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)
    y, saved = layer.forward(np.ones((2, 3), np.float16), x)
    assert y.dtype == layer.jvp(saved, x).dtype == layer.backward(saved, x).dx.dtype == np.float32
    again = layer.saved_from(**{name: getattr(saved, name) for name in saved._fields[3:]}, dtypes={"x": np.float32})
    np.testing.assert_array_equal(layer.backward(again, x).dx, layer.backward(saved, x).dx)


@pytest.mark.ci
def test_a_mask_of_truth_values_is_refused_with_what_to_pass(masked):
    layer, x, keep = masked.load(), np.ones((2, 3), np.float32), np.eye(2, 3) > 0
    with pytest.raises(
        TypeError, match=r"keep is of type bool, .*; pass zeros and ones, such as keep.astype\(np.float32"
    ):
        layer.forward(x, keep)
    assert layer.forward(x, keep.astype(np.float32))[1].dtype == np.float32
