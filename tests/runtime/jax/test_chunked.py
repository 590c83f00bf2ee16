"""Losses of rows that are a product of JAX's arrays, made chunk by chunk, beside the layer of the whole product."""

import importlib
import sys
from math import prod

import numpy as np
import pytest

from tests.compiled import on_numpy
from tests.requirements import NO_JAX
from tests.test_integers import LABELS

jax = pytest.importorskip("jax", reason=NO_JAX)
extend = importlib.import_module("jax.extend.core")
lngen_jax = importlib.import_module("lngen.jax")

WEIGHTED = """
def weighted(x: Row, t: Row, w: RowScalar, label: Int["..."], gamma: Feature = 1, c: Scalar = 1):
    y = c*w*(log(sum(exp(gamma*x))) - sum(t*x) - pick(gamma*x, label))
    return y
"""
LEAD, FEATURES, ENTRIES = (3, 7), 5, 11


@pytest.fixture(autouse=True)
def in_float64():
    with jax.enable_x64(True):
        yield


def drawn(*shape, seed=0):
    return jax.numpy.asarray(np.random.default_rng(seed).normal(size=shape))


def labels():
    """Labels of all rows, some of which are ignored."""
    made = np.random.default_rng(0).integers(0, ENTRIES, LEAD)
    made[0, 1:3] = -100
    return made


def inputs_of(text):
    """The inputs of a layer besides the product: those with a gradient, by name, and the others."""
    weighted = {"t": drawn(*LEAD, ENTRIES, seed=3), "w": drawn(*LEAD, seed=4), "gamma": drawn(ENTRIES), "c": drawn()}
    return {} if text == LABELS else weighted, {"label": labels()}


def apart(text, reduction, rows):
    """The distance of a loss and its gradients from those of the layer of the whole product."""
    layer, (along, fixed) = on_numpy(text, "jax"), inputs_of(text)
    along = {"h": drawn(*LEAD, FEATURES), "weight": drawn(ENTRIES, FEATURES, seed=1), "bias": drawn(ENTRIES), **along}
    scale = drawn(*LEAD, seed=8) if reduction == "none" else 1.5

    def chunked(h, weight, bias, **others):
        loss = lngen_jax.chunked_linear(layer, rows)
        return (scale * loss(h, weight, bias=bias, reduction=reduction, **others, **fixed)).sum()

    def whole(h, weight, bias, **others):
        made = layer(h @ weight.T + bias, **others, **fixed)
        return (scale * (getattr(made, reduction)() if reduction in ("mean", "sum") else made)).sum()

    found, wanted = (
        jax.jit(jax.value_and_grad(lambda given, each=each: each(**given)))(along) for each in (chunked, whole)
    )
    pairs = zip(*map(jax.tree.leaves, (found, wanted)), strict=True)
    return max(float(abs(one - other).max() / abs(other).max()) for one, other in pairs)


@pytest.mark.parametrize(("reduction", "rows"), [("mean", None), ("mean", 4), ("none", 7)])
def test_chunks_have_the_loss_and_the_gradients_of_the_whole(reduction, rows):
    assert apart(LABELS, reduction, rows) < 1e-12


@pytest.mark.ci
@pytest.mark.parametrize("reduction", ["sum", "none"])
def test_every_input_has_its_gradient(reduction):
    assert apart(WEIGHTED, reduction, 4) < 1e-12


def test_a_planted_mistake_is_seen(monkeypatch):
    """The bias is forgotten in the rest, whose rows are no whole chunk."""
    module = sys.modules["lngen.runtime.jax.chunked"]
    own = module._chunk

    def forgetful(task, h, weight, bias, *others):
        return own(task, h, weight, bias if len(h) == 4 else 0 * bias, *others)

    monkeypatch.setattr(module, "_chunk", forgetful)
    assert apart(LABELS, "sum", 4) > 1e-3


def most(jaxpr):
    """The entries of the largest array of a program, in all its parts."""
    sizes = [prod(each.aval.shape) for line in jaxpr.eqns for each in line.outvars]
    for line in jaxpr.eqns:
        sizes += [most(each) for each in extend.jaxprs_in_params(line.params)]
    return max(sizes, default=0)


@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_no_array_is_as_large_as_all_rows(reduction):
    layer, h, weight, label = on_numpy(LABELS, "jax"), drawn(96, 8), drawn(64, 8), np.arange(96) % 64

    def largest(rows):
        loss = lngen_jax.chunked_linear(layer, rows)
        gradients = jax.grad(lambda *arrays: loss(*arrays, label, reduction=reduction).sum(), (0, 1))
        return most(jax.make_jaxpr(gradients)(h, weight).jaxpr)

    assert largest(None) < 96 * 64 / 2
    assert largest(96) >= 96 * 64


@pytest.mark.ci
def test_programs_of_jax_take_it():
    layer, h, weight = on_numpy(LABELS, "jax"), drawn(*LEAD, FEATURES), drawn(ENTRIES, FEATURES)
    loss, label = lngen_jax.chunked_linear(layer, 4), labels()
    each = jax.vmap(lambda h, label: loss(h, weight, label))(h, label)
    np.testing.assert_allclose(each, layer(h @ weight.T, label).mean(1), rtol=1e-12)
    twice = jax.hessian(lambda h: loss(h, weight, label, reduction="sum"))(h)
    np.testing.assert_allclose(twice, jax.hessian(lambda h: layer(h @ weight.T, label).sum())(h), atol=1e-12)
    assert loss(h[:0], weight, label[:0], reduction="sum") == 0
    assert np.isnan(loss(h[:0], weight, label[:0]))
    of_none = jax.grad(lambda weight: loss(h[:0], weight, label[:0]))(weight)
    np.testing.assert_array_equal(of_none, 0 * weight)


@pytest.mark.ci
def test_sums_over_rows_of_16_bits_are_in_float32():
    """Ones in bfloat16 end at 256."""
    h, weight = jax.numpy.ones((600, 1), "bfloat16"), jax.numpy.zeros((4, 1), "bfloat16")
    loss = lngen_jax.chunked_linear("logsumexp", 2)
    made, gradient = jax.value_and_grad(lambda weight: 4 * loss(h, weight, reduction="sum"))(weight)
    assert (made.dtype, gradient.dtype) == ("float32", "bfloat16")
    assert gradient.tolist() == [[600.0]] * 4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"label": labels()[0]}, r"label has shape \(7,\); pass the shape of h without its last axis, \(3, 7\)"),
        ({"label": drawn(3)}, "label is of type .*; pass integers"),
        ({"smooth": 0.1}, "unexpected keyword argument 'smooth'"),
        ({"reduction": "max"}, "reduction is 'max'; pass one of mean, sum, none"),
        ({"weight": drawn(ENTRIES, 4)}, r"h has shape \(3, 7, 5\) and weight \(11, 4\)"),
        ({"h": np.ones((*LEAD, FEATURES), int)}, "h is of type int64; pass real floats"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(changes, message):
    given = {"h": drawn(*LEAD, FEATURES), "weight": drawn(ENTRIES, FEATURES), "label": labels(), **changes}
    h, weight = given.pop("h"), given.pop("weight")
    with pytest.raises((TypeError, ValueError), match=message):
        lngen_jax.chunked_linear(on_numpy(LABELS, "jax"), 4)(h, weight, **given)


def test_a_layer_that_is_no_loss_of_rows_is_refused():
    with pytest.raises(TypeError, match="softmax does not return one number for each row"):
        lngen_jax.chunked_linear("softmax")
    with pytest.raises(TypeError, match="is no emitted layer"):
        lngen_jax.chunked_linear(jax.nn.logsumexp)
