"""Layers as functions of JAX's arrays: types, shapes, messages, devices, and kernels without Python between."""

import functools
import importlib
import os
import subprocess
import sys

import numpy as np
import pytest

import lngen
from lngen.errors import LngenError
from lngen.pipeline.files import loading
from tests.requirements import NO_JAX, needs_gxx
from tests.shipped import ROOT

jax = pytest.importorskip("jax", reason=NO_JAX)
jnp = jax.numpy
runtime = importlib.import_module("generated._runtime.jax")
backend = importlib.import_module("generated.layer_norm.jax_backend")
add = importlib.import_module("generated.add_layer_norm.jax_backend")
tanh = importlib.import_module("generated.dynamic_tanh.jax_backend")

MODULES = (backend, add, tanh)


@pytest.fixture(autouse=True)
def on_numpy(monkeypatch):
    """Compile nothing unless a test asks for it."""
    for module in MODULES:
        monkeypatch.setattr(module._LAYER.kernels, "host", module._numpy)


def rows(*shape, dtype=np.float32, seed=0):
    return jnp.asarray(np.random.default_rng(seed).normal(size=shape), dtype)


def textbook(x, gamma):
    centred = x - x.mean(-1, keepdims=True)
    return gamma * centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)


# ---- types and shapes


def test_rows_of_one_type_go_with_parameters_of_another():
    x, gamma = rows(5, 4, dtype=jnp.bfloat16), rows(4, seed=1)
    made, pull = jax.vjp(backend.layer_norm, x, gamma)
    assert made.dtype == jnp.bfloat16
    assert [each.dtype for each in pull(made)] == [jnp.bfloat16, jnp.float32]
    expected, _ = backend._numpy.forward(np.asarray(x), np.asarray(gamma))
    assert np.asarray(made).tobytes() == expected.tobytes()


@pytest.mark.ci
def test_a_number_makes_nothing_wider():
    x = rows(2, 3, dtype=jnp.bfloat16)
    assert tanh.dynamic_tanh(x, 2).dtype == jnp.bfloat16
    assert (tanh.dynamic_tanh(x, 0.5) == tanh.dynamic_tanh(x)).all()
    with jax.enable_x64(True):
        assert tanh.dynamic_tanh(rows(2, 3, dtype=np.float64), 0.5).dtype == np.float64


def test_arrays_of_numpy_are_taken():
    x = np.ones((2, 3), np.float32)
    assert isinstance(backend.layer_norm(x), jax.Array)
    assert (backend.layer_norm(x) == backend.layer_norm(jnp.asarray(x))).all()


def test_constants_may_be_bound():
    x = rows(2, 3)
    expected, _ = backend._numpy.forward(np.asarray(x), eps=0.5)
    assert (jax.jit(functools.partial(backend.layer_norm, eps=0.5))(x) == expected).all()
    assert (jax.jit(backend.layer_norm, static_argnames="eps")(x, eps=0.5) == expected).all()


# ---- transformations


@pytest.mark.ci
def test_a_scan_and_a_checkpoint_have_it():
    x, gamma = rows(3, 4), rows(4, seed=1)

    def deep(gamma, layer):
        return jax.lax.scan(lambda carry, _: (layer(carry, gamma) + carry, None), x, length=3)[0].sum()

    found = jax.jit(jax.grad(deep), static_argnums=1)(gamma, jax.checkpoint(backend.layer_norm))
    expected = jax.grad(deep)(gamma, textbook)
    np.testing.assert_allclose(found, expected, rtol=1e-3, atol=1e-4)


@pytest.mark.ci
def test_a_product_with_the_hessian_is_transposed():
    x, v = rows(6), rows(6, seed=1)

    def product(v):
        return jax.jvp(jax.grad(lambda x: (backend.layer_norm(x) ** 3).sum()), (x,), (v,))[1]

    (found,) = jax.linear_transpose(product, v)(v)
    np.testing.assert_allclose(found, product(v), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(jax.jacfwd(product)(v), jax.jacrev(product)(v), rtol=1e-4, atol=1e-5)


def losses(layer):
    """A number, and its gradients, made of a sample of rows and of parameters."""

    def loss(x, gamma, beta):
        return (layer.call(x, gamma, beta, 1e-5) ** 3).sum()

    return loss, jax.value_and_grad(loss, (0, 1, 2))


IN_AXES = [(0, None, None), (None, 0, 1), (2, 0, None), (1, None, 0)]


def samples_of(in_axes, rows_of_each, size=6, dtype=np.float32):
    """Rows, gamma and beta, of several samples where there is an axis, and those of each."""
    shapes = [(rows_of_each, 33), (33,), (33,)]
    many = [np.asarray(rows(size, *shape, dtype=dtype, seed=seed)) for seed, shape in enumerate(shapes)]
    given = [
        jnp.asarray(np.moveaxis(every, 0, at)) if at is not None else jnp.asarray(every[0])
        for every, at in zip(many, in_axes, strict=True)
    ]
    pairs = [*zip(given, many, in_axes, strict=True)]
    return given, [[one if at is None else every[n] for one, every, at in pairs] for n in range(size)]


@pytest.mark.ci
@pytest.mark.parametrize("in_axes", IN_AXES, ids=str)
@pytest.mark.parametrize("kind", ["numpy", pytest.param("cpu", marks=needs_gxx)])
def test_gradients_for_each_sample_are_one_call_with_the_bits_of_many(kind, in_axes):
    layer = runtime.JaxLayer(backend._numpy, backend._cpu)
    layer.kernels.host = getattr(backend, f"_{kind}")

    def gradients(*inputs):
        y, pull = jax.vjp(lambda *a: layer.call(*a, 1e-5), *inputs)
        return y, pull(y)

    together = jax.jit(jax.vmap(gradients, in_axes))
    # Threads share samples if they are many and small, else the rows of one after the other.
    for rows_of_each, size in ((1, 6), (1, 2500), (90, 400), (4000, 3)) if kind == "cpu" else ((2, 3),):
        given, each = samples_of(in_axes, rows_of_each, size)
        program = together.lower(*given).as_text()
        assert program.count("stablehlo.custom_call @") == 2
        assert "stablehlo.while" not in program
        found = jax.tree.leaves(together(*given))
        one = jax.jit(gradients)
        for number in {0, size // 2, size - 1}:
            for value, other in zip(found, jax.tree.leaves(one(*each[number])), strict=True):
                assert np.asarray(value[number]).tobytes() == np.asarray(other).tobytes()


@pytest.mark.ci
@pytest.mark.parametrize("in_axes", IN_AXES, ids=str)
def test_every_derivative_has_samples_and_samples_of_samples(in_axes):
    layer = backend._LAYER
    with jax.enable_x64(True):
        shapes = [(2, 5), (5,), (5,)]
        given = [rows(*shape, dtype=np.float64, seed=seed) for seed, shape in enumerate(shapes)]
        sizes = jnp.linspace(0.5, 1.5, 3)
        moved = [rows(*shape, dtype=np.float64, seed=seed) for seed, shape in enumerate(shapes, 7)]
        loss, gradients = losses(layer)

        def along(function):
            return lambda *a: jax.jvp(function, a, tuple(moved))[1]

        functions = [
            gradients,
            along(lambda *a: gradients(*a)[1]),
            along(along(loss)),
            lambda *a: jax.grad(lambda *b: sum((g**2).sum() for g in gradients(*b)[1]), (0, 1, 2))(*a),
            jax.grad(along(loss), (0, 1, 2)),
            lambda *a: jax.jacrev(lambda gamma: gradients(a[0], gamma, a[2])[1])(a[1]),
            lambda *a: jax.hessian(lambda gamma: loss(a[0], gamma, a[2]))(a[1]),
        ]

        def scaled(one, other):
            return [
                value if at is None else value * (one if at == 0 else other)
                for value, at in zip(given, in_axes, strict=True)
            ]

        for function in functions:
            pair = functools.partial(lambda f, a, b: f(*scaled(a, b)), function)
            made = jax.jit(jax.vmap(lambda a, pair=pair: pair(a, 1 / a)))(sizes)
            nested = jax.jit(jax.vmap(jax.vmap(pair, (None, 0)), (0, None)))(sizes, sizes)
            for n, a in enumerate(sizes):
                for value, other in zip(*map(jax.tree.leaves, (made, function(*scaled(a, 1 / a)))), strict=True):
                    np.testing.assert_allclose(value[n], other, rtol=1e-9, atol=1e-10)
                for m, b in enumerate(sizes):
                    for value, other in zip(*map(jax.tree.leaves, (nested, function(*scaled(a, b)))), strict=True):
                        np.testing.assert_allclose(value[n, m], other, rtol=1e-9, atol=1e-10)


@pytest.mark.ci
def test_what_samples_share_has_the_sum_of_their_cotangents():
    x, gammas, v = rows(4, 3, 5), rows(4, 5, seed=1), rows(5, seed=2)

    def tangents(v):
        return jax.vmap(lambda x, gamma: jax.jvp(lambda g: backend.layer_norm(x, g), (gamma,), (v,))[1])(x, gammas)

    cotangents = rows(4, 3, 5, seed=3)
    (found,) = jax.linear_transpose(tangents, v)(cotangents)
    one_by_one = [jax.vjp(lambda g, n=n: backend.layer_norm(x[n], g), gammas[n])[1](cotangents[n])[0] for n in range(4)]
    np.testing.assert_allclose(found, sum(one_by_one), rtol=1e-5, atol=1e-5)

    def loss(x, gammas):
        return (jax.vmap(backend.layer_norm, (None, 0))(x, gammas) ** 3).sum()

    found, expected = jax.grad(loss)(x[0], gammas), sum(jax.grad(loss)(x[0], gamma[None]) for gamma in gammas)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.ci
@pytest.mark.parametrize("kind", ["numpy", pytest.param("cpu", marks=needs_gxx)])
def test_there_may_be_no_sample_and_samples_without_rows(kind):
    layer = runtime.JaxLayer(backend._numpy, backend._cpu)
    layer.kernels.host = getattr(backend, f"_{kind}")
    _, gradients = losses(layer)
    for shape in ((0, 2, 5), (3, 0, 5)):
        value, found = jax.jit(jax.vmap(gradients, (0, None, None)))(rows(*shape), rows(5), rows(5, seed=1))
        assert value.shape == shape[:1]
        assert [each.shape for each in found] == [shape, (shape[0], 5), (shape[0], 5)]
        assert not any(each.any() for each in found)


def test_only_what_is_there_is_an_operand():
    traced = str(jax.make_jaxpr(jax.grad(lambda x: backend.layer_norm(x).sum()))(rows(2, 3)))
    assert "lngen_forward" in traced
    assert "there=(True, False, False)" in traced
    assert "layer=layer_norm" in traced


@pytest.mark.ci
def test_derivatives_that_there_are_not_are_refused():
    x = rows(2, 3)

    def loss(x):
        return (backend.layer_norm(x) ** 2).sum()

    with pytest.raises(NotImplementedError, match="third derivative of layer_norm"):
        jax.grad(lambda x: jax.hessian(loss)(x).sum())(x)


def test_other_devices_are_refused_while_lowering():
    with pytest.raises(NotImplementedError, match="layer_norm has no kernel for JAX's arrays on tpu; compute it on "):
        jax.jit(backend.layer_norm).trace(rows(2, 3)).lower(lowering_platforms=("tpu",))


@pytest.mark.ci
def test_rows_are_sharded():
    program = """
import jax, numpy as np
from jax.sharding import PartitionSpec as P
from generated.layer_norm import jax_backend as backend
backend._LAYER.kernels.host = backend._numpy
mesh = jax.make_mesh((4,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))
random = np.random.default_rng(0)
x, gamma, beta = (jax.numpy.asarray(random.normal(size=s), np.float32) for s in ((8, 5), (5,), (5,)))

def loss(x, gamma, beta):
    return (backend.layer_norm(x, gamma, beta) ** 2).sum()

def gradients(*inputs):
    return jax.grad(loss, (0, 1, 2))(*inputs)

specs = (P("rows"), P(), P())
assert len(jax.devices()) == 4
alone, y = gradients(x, gamma, beta), backend.layer_norm(x, gamma, beta)
sharded = jax.jit(jax.shard_map(backend.layer_norm, mesh=mesh, in_specs=specs, out_specs=P("rows")))
assert (sharded(x, gamma, beta) == y).all()
together = jax.jit(jax.shard_map(gradients, mesh=mesh, in_specs=specs, out_specs=specs))(x, gamma, beta)
for a, b in zip(together, alone, strict=True):
    np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
# Outside, and twice.
total = jax.shard_map(
    lambda *a: jax.lax.psum(loss(*a), "rows"), mesh=mesh, in_specs=specs, out_specs=P()
)
second = jax.jit(jax.grad(lambda g: (jax.grad(total)(x, g, beta) ** 2).sum()))(gamma)
expected = jax.grad(lambda g: (jax.grad(loss)(x, g, beta) ** 2).sum())(gamma)
np.testing.assert_allclose(second, expected, rtol=1e-4, atol=1e-4)
# Gradients for each sample, which each device has of its own if parameters are.
def textbook(x, gamma, beta):
    c = x - x.mean(-1, keepdims=True)
    return gamma * c / jax.numpy.sqrt((c**2).mean(-1, keepdims=True) + 1e-5) + beta

def of_each(layer, own):
    def each(x, *parameters):
        if own:
            parameters = [jax.lax.pcast(value, ("rows",), to="varying") for value in parameters]
        one = jax.grad(lambda *a: (layer(*a) ** 2).sum(), (0, 1, 2))
        return jax.vmap(one, (0, None, None))(x, *parameters)

    out = (P("rows"), *[P("rows") if own else P()] * 2)
    return jax.jit(jax.shard_map(each, mesh=mesh, in_specs=specs, out_specs=out))(x[:, None], gamma, beta)

for own in (False, True):
    for a, b in zip(of_each(backend.layer_norm, own), of_each(textbook, own), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)
placed = jax.device_put(x, jax.sharding.NamedSharding(mesh, P("rows")))
assert (np.asarray(jax.jit(backend.layer_norm)(placed, gamma, beta)) == np.asarray(y)).all()
# Random numbers: of all rows under jit, and of those of a device that has a seed of its own.
from generated.dropout_add_layer_norm import jax_backend as dropped
dropped._LAYER.kernels.host = dropped._numpy

def total_of(x, seed):
    return (dropped.dropout_add_layer_norm(x, x, seed, gamma, beta, p=0.5)[0] ** 3).sum()

one = jax.jit(jax.grad(total_of))
np.testing.assert_allclose(one(placed, 3), one(x, 3), rtol=1e-5, atol=1e-5)
own = jax.shard_map(
    lambda x: total_of(x, 3 + jax.lax.axis_index("rows"))[None], mesh=mesh, in_specs=P("rows"), out_specs=P("rows")
)
parts = jax.numpy.concatenate([one(part, 3 + number) for number, part in enumerate(jax.numpy.split(x, 4))])
np.testing.assert_allclose(jax.jit(jax.grad(lambda x: own(x).sum()))(x), parts, rtol=1e-4, atol=1e-4)
assert not np.allclose(parts, one(x, 3))
"""
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=4",
    }
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ---- compiled kernels


@pytest.mark.ci
@pytest.mark.parametrize("kind", ["numpy", pytest.param("cpu", marks=needs_gxx)])
def test_subnormal_numbers_are_no_zeros(kind):
    layer, module = runtime.JaxLayer(backend._numpy, backend._cpu), getattr(backend, f"_{kind}")
    layer.kernels.host = module
    x = jnp.asarray(np.asarray(rows(3000, 4)) * np.float32(1e-41))  # JAX itself would make zeros of them
    y, _ = module.forward(np.asarray(x))
    assert np.asarray(layer.call(x, None, None, 1e-5)).tobytes() == y.tobytes()
    assert y.any()


# ---- messages


def test_what_is_wrong_is_said_as_by_numpy_while_tracing():
    x, gamma = rows(2, 3), rows(2)
    for function in (
        backend.layer_norm,
        jax.jit(backend.layer_norm),
        functools.partial(jax.eval_shape, backend.layer_norm),
    ):
        with pytest.raises(ValueError, match=r"gamma has shape \(2,\); pass \(D,\), which is \(3,\)"):
            function(x, gamma)
    with pytest.raises(ValueError, match="eps is -1; pass 0 or more"):
        backend.layer_norm(x, eps=-1)


LOSS = importlib.import_module("generated.cross_entropy.jax_backend")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: backend.layer_norm(jnp.arange(3)), r"int32, .*; pass real floats, such as x\.astype\(jnp\.float32\)$"),
        (lambda: backend.layer_norm(np.arange(3)), r"int64, .*; pass real floats, such as x\.astype\(jnp\.float32\)$"),
        (lambda: backend.layer_norm(jnp.ones(3) > 0), "bool, .*; pass zeros and ones, such as x.astype"),
        (lambda: jax.jit(backend.layer_norm)(jnp.arange(3)), r"such as x\.astype\(jnp\.float32\)"),
        (
            lambda: LOSS.cross_entropy(jnp.ones((4, 9)), jnp.arange(4)),
            "target is of type int32, .*, and labels one-hot, as",
        ),
        (lambda: backend.layer_norm({"a": jnp.ones(3)}), "x is a pytree, of type dict; pass one array, as jax"),
        (lambda: backend.layer_norm(object()), "x is of type object; pass an array of floats"),
        (
            lambda: jax.export.export(jax.jit(backend.layer_norm))(
                jax.ShapeDtypeStruct((*jax.export.symbolic_shape("b"), 8), jnp.float32)
            ),
            r"x has the symbolic shape \(b, 8\); pass sizes that are numbers, one program for each",
        ),
    ],
)
def test_an_argument_is_refused_in_the_words_of_jax(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.ci
def test_labels_that_are_one_hot_as_the_message_says_are_taken():
    x, labels = rows(4, 9), jnp.arange(4)
    y = LOSS.cross_entropy(x, jax.nn.one_hot(labels, 9))
    np.testing.assert_allclose(y, -jax.nn.log_softmax(x)[np.arange(4), labels], rtol=1e-5)


def test_with_float64_the_words_of_jax_say_so():
    with jax.enable_x64(True), pytest.raises(TypeError, match=r"such as x\.astype\(jnp\.float64\)$"):
        backend.layer_norm(jnp.arange(3))


def test_a_constant_that_is_traced_is_refused():
    with pytest.raises(TypeError, match=r"eps is traced, .* static_argnames=\"eps\""):
        jax.jit(backend.layer_norm)(rows(2, 3), eps=0.5)


def test_a_backend_without_jax_says_what_to_install(monkeypatch):
    monkeypatch.setattr(loading, "is_installed", lambda package: False)
    with pytest.raises(LngenError, match=r"the backend jax needs JAX, .* pip install jax"):
        lngen.load("layer_norm", backend="jax")
