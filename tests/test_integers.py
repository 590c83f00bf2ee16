"""Integers of a definition: inputs of kind `Int`, `index()`, `pick`, and exact comparisons."""

import numpy as np
import pytest
import sympy

import lngen
from lngen.algebra.symbols import PLACE, D, Mean, RowScalarSymbol, RowSymbol, Where
from lngen.derivation.derivation import EVERY_D, QUOTIENTS
from lngen.derivation.gradients import derive
from lngen.emit import backends
from lngen.emit.backends import takes_integers
from lngen.language.oracle.evaluate import evaluate
from lngen.language.parsing import parse
from lngen.language.syntax import Kind
from lngen.pipeline.stages import derived
from lngen.prove import prove
from lngen.runtime.emitted import BACKENDS

LABELS = """
def label_loss(x: Row, label: Int["..."], smoothing: Constant = 0):
    logp = x - log(sum(exp(x)))
    target = (1 - smoothing)*pick(logp, label) + smoothing*mean(logp)
    y = where(label >= 0, -target, 0)
    return y
"""
CAUSAL = """
def causal(x: Row, position: Int["..."]):
    e = where(index() <= position, exp(x), 0)
    y = where(position >= 0, e/sum(e), 0)
    return y
"""
ALIBI = """
def alibi(x: Row, slope: RowScalar, position: Int["..."]):
    e = where(index() <= position, exp(x + slope*(index() - position)), 0)
    y = where(position >= 0, e/sum(e), 0)
    return y
"""
BANDED = """
def banded(x: Row, position: Int["..."], width: Int[""] = 3):
    e = where((index() <= position) & (index() > position - width), exp(x), 0)
    y = e/sum(e)
    return y
"""
FOCAL = """
def focal(x: Row, label: Int["..."], weight: Feature = 1):
    l = pick(x - log(sum(exp(x))), label)
    y = where(label >= 0, -pick(weight, label)*(1 - exp(l))**2*l, 0)
    return y
"""
EVERY_KIND = """
def every_kind(x: Row, k: Int["d"], n: Int, j: Int[""] = 0, i: Int["..."] = 2):
    shifted = index() - 2*i
    y = where(k == n, x*k, x - index()) + j*x + pick(x, j + 1) + where(shifted < n*n, shifted, 0)*x
    return y
"""
DEFINITIONS = {
    "labels": LABELS,
    "causal": CAUSAL,
    "alibi": ALIBI,
    "banded": BANDED,
    "focal": FOCAL,
    "every": EVERY_KIND,
}


def logits(rows, features=7):
    return np.random.default_rng(0).normal(size=(rows, features))


def test_it_has_a_kind_for_each_choice_of_axes():
    definition = parse(EVERY_KIND)
    assert [entry.kind.value for entry in definition.data] == ['Int["d"]', "Int", 'Int[""]', 'Int["..."]']
    assert [Kind.join(entry.kind) for entry in definition.data] == [
        Kind.FEATURE,
        Kind.ROW,
        Kind.SCALAR,
        Kind.ROW_SCALAR,
    ]
    assert [entry.name for entry in definition.differentiable] == ["x"]
    assert parse('def f(x: Row, i: Int["... d"]): return i*x').input("i").kind is Kind.INT


def test_the_oracle_picks_an_entry_or_nothing():
    x, places = logits(5), np.array([-(2**40), -1, 0, 6, 7])
    y = evaluate(parse('def f(x: Row, i: Int["..."]): return pick(x, i)'), {"x": x, "i": places})["y"]
    np.testing.assert_array_equal(y, [0, 0, x[2, 0], x[3, 6], 0])
    w = evaluate(
        parse('def f(x: Row, w: Feature, i: Int["..."]): return x*pick(w, i)'), {"x": x, "w": x[0], "i": places}
    )
    np.testing.assert_array_equal(w["y"][:, 0], x[:, 0] * [0, 0, x[0, 0], x[0, 6], 0])


@pytest.mark.ci
def test_integers_compare_exactly_where_floats_do_not():
    """2**24 + 1 is 2**24 in float32; beyond 32 bits an integer is the nearest of 32 bits."""
    text = 'def f(x: Row, i: Int["..."], j: Int["..."]): return where(i == j + 1, x, 0) + where(i - j > 0.5, x, 0)'
    given = {"x": np.ones((3, 2), np.float32), "i": np.array([2**24 + 1] * 3), "j": np.array([2**24, 2**24 + 1, 2**40])}
    expected = [[2, 2], [0, 0], [0, 0]]
    np.testing.assert_array_equal(evaluate(parse(text), given)["y"], expected)
    layer = lngen.derive(text, backends=["numpy"]).load()
    np.testing.assert_array_equal(layer.forward(*given.values())[0], expected)


@pytest.mark.ci
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "bool"])
def test_an_array_of_any_integer_type_is_taken(dtype):
    layer = lngen.derive(LABELS, backends=["numpy"]).load()
    x, label = logits(3), np.array([0, 1, 1])
    wanted = layer.forward(x, label)[0]
    y, saved = layer.forward(x, label.astype(dtype))
    np.testing.assert_array_equal(y, wanted)
    np.testing.assert_array_equal(layer.backward(saved, np.ones(3)).dx.sum(-1).round(12), np.zeros(3))
    again = layer.saved_from(**dict(zip(saved._fields[3:], saved[3:], strict=True)))
    assert [kind for kind in again.dtypes if kind is not None] == [kind for kind in saved.dtypes if kind is not None]


def test_floats_are_no_integers_and_integers_no_floats():
    layer = lngen.derive(LABELS, backends=["numpy"]).load()
    with pytest.raises(TypeError, match=r"label is of type float64; pass integers, such as label.astype\(np.int32\)"):
        layer.forward(logits(2), np.zeros(2))
    with pytest.raises(TypeError, match="label is of type NoneType; pass integers"):
        layer.forward(logits(2), None)
    with pytest.raises(ValueError, match=r"label has shape \(3,\); pass the shape of x without its last axis"):
        layer.forward(logits(2), np.zeros(3, int))
    with pytest.raises(TypeError, match="x is of type int64, not floating point"):
        layer.forward(np.zeros((2, 3), int), np.zeros(2, int))


def test_a_backend_without_integers_is_left_out(monkeypatch):
    definition = parse(LABELS)
    assert all(takes_integers(name, definition) for name in BACKENDS)
    monkeypatch.setattr(backends, "backend", lambda name: backends.Backend(lambda programs, notes: {}, name))
    assert [name for name in (*BACKENDS, "strange") if takes_integers(name, definition)] == list(BACKENDS)
    assert takes_integers("strange", parse("def f(x: Row): return x - mean(x)"))
    assert {"kernels.cpp", "kernels.cu"} < set(derived(definition, proved=False).files)


def test_the_gradient_of_a_label_outside_of_the_row_is_that_of_no_target():
    """PyTorch refuses such labels; here nothing is read, and nothing flows."""
    layer = lngen.derive(LABELS, backends=["numpy"]).load()
    x, labels = logits(4), np.array([-1, 7, 2**31 - 1, -(2**63)])
    y, saved = layer.forward(x, labels)
    np.testing.assert_array_equal(y, np.zeros(4))
    np.testing.assert_array_equal(layer.backward(saved, np.ones(4)).dx, np.zeros((4, 7)))


@pytest.mark.ci
def test_a_mask_of_places_keeps_its_softmax_safe():
    layer = lngen.derive(CAUSAL, backends=["numpy"]).load()
    x = np.float32([[1e4, 3, 2, 1], [1e4, 1e4, np.inf, np.nan], [1, 2, 3, 4]])
    with np.errstate(divide="ignore", invalid="ignore"):
        y, saved = layer.forward(x, np.array([0, 1, -1], np.int32))
        dx = layer.backward(saved, np.ones_like(x)).dx
    np.testing.assert_array_equal(y, [[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0, 0, 0, 0]])
    assert np.isfinite(dx).all()


def test_the_sum_over_the_place_of_an_integer_is_known():
    i, c = RowScalarSymbol("i", integer=True), RowScalarSymbol("c")
    assert D * Mean(Where(sympy.Eq(PLACE, i), c, 0)) == D * Where(i >= 0, Where(i < D, c / D, 0), 0)
    for other in (RowSymbol("x"), PLACE):
        assert Mean(Where(sympy.Eq(PLACE, i), other, 0)).func is Mean
    assert Mean(Where(sympy.Eq(PLACE, RowScalarSymbol("r")), c, 0)).func is Mean
    assert Mean(Where(sympy.Eq(PLACE, i), c, 1)).func is Mean


@pytest.mark.ci
@pytest.mark.parametrize("name", ["labels", "focal"])
def test_labels_are_proved_for_every_size(name):
    proofs = prove(derive(parse(DEFINITIONS[name]))).proofs
    proofs = [proof for proof in proofs if proof.about != QUOTIENTS]
    assert [proof.statement for proof in proofs if not proof.passed or proof.kind != EVERY_D] == []


@pytest.mark.ci
def test_a_sum_over_one_place_reads_one_entry():
    """An infinite entry elsewhere is not read; a place that is no integer is compared with."""
    kernels = derived(parse(LABELS), proved=False, backends=["numpy"]).text("numpy_backend.py")
    assert "_rows.entry(logp, label)" in kernels
    assert "_rows.entry" not in derived(parse(CAUSAL), proved=False, backends=["numpy"]).text("numpy_backend.py")
    layer = lngen.derive('def f(x: Row, i: Int["..."]): return pick(x, i)', backends=["numpy"]).load()
    x, places = np.float32([[1, np.inf], [np.nan, 2], [3, 4], [np.inf, np.nan]]), np.array([0, 1, -1, 2])
    np.testing.assert_array_equal(layer.forward(x, places)[0], [1, 2, 0, 0])
