"""The file of a layer for JAX: every mode of JAX, every layer beside NumPy, refusals, and what is kept for backward."""

from __future__ import annotations

import ast
import functools
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from lngen.checks.in_jax import enable_x64
from lngen.emit import jax as emitter
from lngen.language.parsing import load, parse
from lngen.pipeline.stages import planned
from lngen.report.heading import notes
from tests.callers import SIZES, drawn
from tests.requirements import NO_JAX, needs_shard_map
from tests.shipped import LAYERS, ROOT
from tests.tiers import sample

jax = pytest.importorskip("jax", reason=NO_JAX)
jnp = jax.numpy
export = importlib.import_module("jax.export")

Array = Any
FILE = "jax_backend.py"


def shipped(name: str) -> Callable[..., Any]:
    return getattr(importlib.import_module(f"generated.{name}.jax_backend"), name)


@functools.cache
def text_of(text: str, directions: int = 4) -> str:
    plan = planned(parse(text), proved=False)
    return emitter.emit(plan.programs()[:directions], notes(plan, "jax"))[FILE]


@functools.cache
def function_of(text: str, directions: int = 4) -> Callable[..., Any]:
    module = ModuleType("emitted")
    exec(text_of(text, directions), module.__dict__)
    return getattr(module, module.__all__[0])


layer_norm = shipped("layer_norm")


def textbook(x: Array, gamma: Array, beta: Array, eps: Any = 1e-5) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    return gamma * centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + eps) + beta


def given(dtype: Any = np.float64) -> tuple[Array, ...]:
    random = np.random.default_rng(0)
    return tuple(jnp.asarray(random.normal(size=shape), dtype) for shape in ((4, 6), (6,), (6,)))


def loss_of(layer: Callable[..., Array], x: Array, gamma: Array, beta: Array) -> Array:
    return (jnp.sin(layer(x, gamma, beta)) * jnp.arange(24.0).reshape(4, 6)).sum()


@pytest.fixture
def x64() -> Iterator[None]:
    with enable_x64():
        yield


# ---- modes, each of the layer and of the textbook's operations


def _scan(layer: Callable[..., Array]) -> Any:
    x, gamma, beta = given()

    def deep(x: Array) -> Array:
        return jax.lax.scan(lambda carry, _: (layer(carry, gamma, beta), None), x, length=3)[0].sum()

    return jax.jit(jax.grad(deep))(x)


def _third(layer: Callable[..., Array]) -> Any:
    x, gamma, beta = given()

    def first(x: Array) -> Array:
        return (jax.grad(lambda x: jnp.sin(layer(x, gamma, beta)).sum())(x) ** 2).sum()

    return jax.jit(jax.grad(lambda x: jax.grad(first)(x).sum()))(x)


def _exported(layer: Callable[..., Array]) -> Any:
    if layer is textbook:
        return layer(*given())
    rows, features = export.symbolic_shape("n, d")
    shapes = [jax.ShapeDtypeStruct(shape, np.float64) for shape in ((rows, features), (features,), (features,))]
    exported = export.export(jax.jit(layer), platforms=["cpu", "cuda", "tpu"])(*shapes)
    return exported.call(*given())


def _without_jit(layer: Callable[..., Array]) -> Any:
    with jax.disable_jit():
        return jax.grad(functools.partial(loss_of, layer), (0, 1, 2))(*given())


def _debugged(layer: Callable[..., Array]) -> Any:
    with jax.debug_nans(True):
        return jax.grad(functools.partial(loss_of, layer), (0, 1, 2))(*given())


def _donated(layer: Callable[..., Array]) -> Any:
    x, gamma, beta = given()
    return jax.jit(layer, donate_argnums=0)(x + 0, gamma, beta)


def _of_rows(layer: Callable[..., Array]) -> Any:
    x, gamma, beta = given()
    return jax.jit(jax.hessian(lambda x: jnp.sin(layer(x, gamma, beta)).sum()))(x)


MODES: dict[str, Callable[[Callable[..., Array]], Any]] = {
    "eager": lambda f: f(*given()),
    "jit": lambda f: jax.jit(f)(*given()),
    "grad": lambda f: jax.jit(jax.grad(functools.partial(loss_of, f), (0, 1, 2)))(*given()),
    "jvp": lambda f: jax.jit(lambda *a: jax.jvp(f, a, (a[0], a[1] * 2, a[2])))(*given()),
    "jvp of gamma alone": lambda f: jax.jvp(lambda g: f(given()[0], g, given()[2]), given()[1:2], given()[2:])[1],
    "linearize": lambda f: jax.linearize(f, *given())[1](*given()),
    "vmap": lambda f: jax.jit(jax.vmap(f, (0, None, None)))(*given()),
    "gradients of each sample": lambda f: jax.jit(
        jax.vmap(jax.grad(lambda x, g, b: jnp.sin(f(x, g, b)).sum(), (0, 1)), (0, None, None))
    )(*given()),
    "hessian": _of_rows,
    "jacrev of jacrev": lambda f: jax.jit(
        jax.jacrev(jax.jacrev(lambda g: jnp.sin(f(given()[0], g, given()[2])).sum()))
    )(given()[1]),
    "jacfwd of jacfwd": lambda f: jax.jit(
        jax.jacfwd(jax.jacfwd(lambda g: jnp.sin(f(given()[0], g, given()[2])).sum()))
    )(given()[1]),
    "third derivative": _third,
    "scan": _scan,
    "checkpoint": lambda f: jax.jit(jax.grad(jax.checkpoint(functools.partial(loss_of, f))))(*given()),
    "export with symbolic sizes for cpu, cuda, tpu": _exported,
    "eps traced": lambda f: jax.jit(lambda eps: f(*given(), eps=eps))(1e-3),
    "jvp of eps is zero": lambda f: jax.jvp(lambda e: f(*given(), eps=jax.lax.stop_gradient(e)), (0.1,), (1.0,)),
    "donated": _donated,
    "disable_jit": _without_jit,
    "debug_nans": _debugged,
    "cond": lambda f: jax.jit(lambda x, *a: jax.lax.cond(x[0, 0] > 0, lambda: f(x, *a), lambda: 2 * f(x, *a)))(
        *given()
    ),
}
FIRST = ("jit", "grad", "jvp", "vmap", "hessian", "third derivative", "disable_jit")
# Of modes that are made of these, CI has those by which a custom rule can be lost or asked for what it lacks.
MORE = (
    "linearize",
    "jvp of gamma alone",
    "scan",
    "checkpoint",
    "export with symbolic sizes for cpu, cuda, tpu",
    "eps traced",
)


@pytest.mark.parametrize("mode", sample(MODES, FIRST, MORE))
def test_a_mode_of_jax_gives_what_the_textbook_gives(mode, x64):
    pairs = zip(*(jax.tree.leaves(MODES[mode](layer)) for layer in (layer_norm, textbook)), strict=True)
    for found, wanted in pairs:
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-10)


def test_a_derivative_by_a_constant_is_refused_and_not_zero():
    with pytest.raises(NotImplementedError, match="eps: a constant of layer_norm has no derivative"):
        jax.grad(lambda eps: layer_norm(*given(np.float32), eps=eps).sum())(0.1)
    assert jax.grad(lambda eps: layer_norm(*given(np.float32), eps=jax.lax.stop_gradient(eps)).sum())(0.1) == 0


def test_a_traced_constant_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match=r"eps is .*; pass a finite number"):
        jax.jit(lambda eps: layer_norm(jnp.ones((4, 8)), eps=eps))(jnp.ones((4, 1)))


SHARDED = """
import jax, jax.numpy as jnp, numpy as np
from jax.sharding import NamedSharding, PartitionSpec as P
jax.config.update("jax_enable_x64", True)
from generated.layer_norm.jax_backend import layer_norm
from generated.dropout_add_layer_norm.jax_backend import dropout_add_layer_norm as dropped
mesh = jax.make_mesh((4,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))
random = np.random.default_rng(0)
x, gamma, beta = (jnp.asarray(random.normal(size=s)) for s in ((8, 12), (12,), (12,)))
assert len(jax.devices()) == 4
specs = (P("rows"), P(), P())
over = jax.shard_map(layer_norm, mesh=mesh, in_specs=specs, out_specs=P("rows"))

def gradients(layer):
    return jax.jit(jax.grad(lambda *a: (jnp.sin(layer(*a)) * x).sum(), (0, 1, 2)))

for a, b in zip(gradients(over)(x, gamma, beta), gradients(layer_norm)(x, gamma, beta), strict=True):
    np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
# A tangent that is alike on all devices is one of rows that are not.
alone = [jax.grad(lambda beta: (jnp.sin(layer(x, gamma, beta)) * x).sum())(beta) for layer in (over, layer_norm)]
np.testing.assert_allclose(*alone, rtol=1e-12, atol=1e-13)
for place in (P("rows"), P(None, "rows")):  # rows, and then features
    placed = jax.device_put(x, NamedSharding(mesh, place))
    for a, b in zip(gradients(layer_norm)(placed, gamma, beta), gradients(layer_norm)(x, gamma, beta), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-13)
placed = jax.device_put(x, NamedSharding(mesh, P("rows")))
one = jax.jit(lambda x, seed: dropped(x, x, seed, gamma, beta, p=0.5)[0])
np.testing.assert_allclose(one(placed, 3), one(x, 3), rtol=1e-12, atol=1e-13)
over = {"mesh": mesh, "in_specs": P("rows"), "out_specs": P("rows")}
own = jax.shard_map(lambda x: one(x, 3 + jax.lax.axis_index("rows")), **over)
parts = jnp.concatenate([one(part, 3 + number) for number, part in enumerate(jnp.split(x, 4))])
np.testing.assert_allclose(own(x), parts, rtol=1e-12, atol=1e-13)
try:
    jax.shard_map(lambda x: one(x, 3), **over)(x)
    raise SystemExit("a shared seed was taken")
except NotImplementedError as error:
    assert 'seed + jax.lax.axis_index("rows")' in str(error)
"""


@needs_shard_map
@pytest.mark.ci
def test_rows_and_features_are_sharded_and_parameters_replicated():
    flags = "--xla_force_host_platform_device_count=4"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu", "XLA_FLAGS": flags}
    done = subprocess.run([sys.executable, "-c", SHARDED], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# ---- every layer beside NumPy


FEW = ("group_norm", "batch_norm", "label_cross_entropy", "rotary")


@pytest.mark.parametrize("absent", [False, True], ids=["whole", "left out"])
@pytest.mark.parametrize(
    "name", sample(LAYERS, ["layer_norm"], ["group_norm", "batch_norm", "label_cross_entropy", "rotary"])
)
def test_every_direction_of_a_layer_is_that_of_numpy(name, absent, x64):
    definition = load(ROOT / "derive" / f"{name}.py")
    numpy, function = importlib.import_module(f"generated.{name}.numpy_backend"), shipped(name)
    optional = {each["name"]: each["default"] is not None for each in numpy.INTERFACE["inputs"]}
    arrays = drawn(definition, (2, 3), 7, absent)
    arrays = {key: arrays[key] for key in optional}
    sizes = {s.name: SIZES[s.name] for s in definition.sizes if not any(p.axis == s.name for p in definition.parts)}
    y, saved = numpy.forward(*arrays.values(), **sizes)
    outputs = y if isinstance(y, tuple) else (y,)
    wanted = [each["of"] for each in numpy.INTERFACE["gradients"]]
    moving = [key for key in wanted if arrays[key] is not None]

    def call(*values: Array) -> Any:
        return function(*(arrays | dict(zip(moving, values, strict=True))).values(), **sizes)

    random = np.random.default_rng(1)
    cotangents = tuple(random.normal(size=np.shape(each)).astype(np.asarray(each).dtype) for each in outputs)
    along = [random.normal(size=np.shape(arrays[key])) for key in moving]

    def pulled(inputs: Any, by: Any) -> Any:
        return jax.vjp(call, *inputs)[1](by if len(by) > 1 else by[0])

    inputs = tuple(arrays[key] for key in moving)
    casts = bool(definition.casts)  # NumPy rounds no cotangent

    @jax.jit
    def every(inputs: Any, by: Any, along: Any) -> Any:
        if casts:
            return call(*inputs), None, None, None
        gradients, again = jax.vjp(pulled, inputs, by)
        return call(*inputs), gradients, jax.jvp(call, inputs, along)[1], again(along)

    made, gradients, moved, second = every(inputs, cotangents, tuple(along))

    def assert_same(found: Any, other: Any) -> None:
        other = np.asarray(other, np.float64)
        scale = max(1.0, float(np.abs(other).max(initial=0)))
        np.testing.assert_allclose(np.asarray(found, np.float64) / scale, other / scale, rtol=0, atol=1e-12)

    for found, other in zip(jax.tree.leaves(made), outputs, strict=True):
        assert_same(found, other)
    if casts:
        return
    steps = dict(zip(moving, along, strict=True))
    of_numpy = dict(zip(wanted, numpy.backward(saved, *cotangents), strict=True))
    for key, found in zip(moving, gradients, strict=True):
        assert_same(found, of_numpy[key])
    tangents = numpy.jvp(saved, *(steps.get(key) for key in wanted))
    for found, other in zip(jax.tree.leaves(moved), tangents if isinstance(y, tuple) else (tangents,), strict=True):
        assert_same(found, other)
    again = numpy.backward_backward(saved, cotangents, *(steps.get(key) for key in wanted))
    for key, found in zip(moving, second[0], strict=True):
        assert_same(found, again[wanted.index(key)])
    for found, other in zip(second[1], again[len(wanted) :], strict=True):
        assert_same(found, other)


# ---- numbers


def test_a_large_mean_costs_no_digits():
    random = np.random.default_rng(0)
    x = (random.normal(size=(16, 768)) + 1e4).astype(np.float32)
    cotangent, gamma = random.normal(size=x.shape).astype(np.float32), np.ones(768, np.float32)

    def both(layer: Callable[..., Array], *arrays: Array) -> Any:
        y, pull = jax.vjp(layer, *arrays[:3])
        return y, *pull(arrays[3])

    arrays = [x, gamma, 0 * gamma, cotangent]
    found = jax.jit(functools.partial(both, layer_norm))(*arrays)
    rough = jax.jit(functools.partial(both, textbook))(*arrays)
    with enable_x64():
        exact = both(textbook, *(jnp.asarray(each, np.float64) for each in arrays))
    for mine, plain, wanted in list(zip(found, rough, exact, strict=True))[:3]:
        one, two, three = (np.asarray(each, np.float64) for each in (mine, plain, wanted))
        assert np.abs(one - three).max() < 1e-6 * np.abs(three).max()
        assert np.abs(two - three).max() > 1e-5 * np.abs(three).max()


def test_rows_of_16_bits_are_computed_in_float32_and_kept_as_they_are():
    x = jnp.asarray(np.random.default_rng(0).normal(size=(64, 96)), jnp.bfloat16)
    gamma = jnp.ones(96)
    made, pull = jax.jit(lambda *a: jax.vjp(layer_norm, *a))(x, gamma, gamma)
    assert made.dtype == jnp.bfloat16
    assert [each.dtype for each in pull(made)] == [jnp.bfloat16, jnp.float32, jnp.float32]
    wide = jax.jit(layer_norm)(x.astype(jnp.float32), gamma, gamma)
    assert (made == wide.astype(jnp.bfloat16)).all()
    # The rows in their type, and three numbers a row; no row in float32.
    kept = [each for each in jax.tree.leaves(pull) if each.size > 96]
    assert [(each.shape, each.dtype) for each in kept] == [((64, 96), jnp.bfloat16)]
    plain = jax.tree.leaves(jax.jit(lambda *a: jax.vjp(textbook, *a))(x.astype(jnp.float32), gamma, gamma)[1])
    assert sum(each.size > 96 for each in plain) > 1


def test_types_are_promoted_where_jax_is_to_promote_none():
    x = jnp.ones((2, 3), jnp.bfloat16)
    with jax.numpy_dtype_promotion("strict"):
        gradients = jax.grad(lambda x, gamma: layer_norm(x, gamma).astype(jnp.float32).sum(), (0, 1))(x, jnp.ones(3))
    assert [each.dtype for each in gradients] == [jnp.bfloat16, jnp.float32]


def test_a_number_makes_nothing_wider():
    x, tanh = jnp.ones((2, 3), jnp.bfloat16), shipped("dynamic_tanh")
    assert tanh(x, 2).dtype == jnp.bfloat16
    assert (tanh(x, 0.5) == tanh(x)).all()


MASKED = jnp.asarray([[2.0, -np.inf, 1.0]])
TARGET = jnp.asarray([[1.0, 0.0, 0.0]])


def test_a_tangent_of_masked_logits_is_finite():
    """optax PR 1762: what does not move has no product with an infinite entry."""
    moves = jnp.asarray([[0.3, 0.0, -0.2]])
    p = jax.nn.softmax(MASKED)
    for layer, wanted in (
        (lambda x: shipped("logsumexp")(x), (p * moves).sum(-1)),
        (lambda x: shipped("softmax")(x), p * (moves - (p * moves).sum(-1, keepdims=True))),
        (lambda x: shipped("scaled_softmax")(x, 1.0), p * (moves - (p * moves).sum(-1, keepdims=True))),
    ):
        np.testing.assert_allclose(jax.jvp(layer, (MASKED,), (moves,))[1], wanted, atol=1e-6)
    second = jax.hessian(lambda x: shipped("logsumexp")(x).sum())(MASKED)
    assert np.isfinite(second).all()


def test_a_row_that_is_infinite_gives_what_numpy_gives():
    rows = np.array([[-np.inf] * 3, [np.inf, 0, 1], [-3e38, 3e38, 0]], np.float32)
    for name in ("softmax", "logsumexp", "log_softmax"):
        with np.errstate(all="ignore"):
            wanted = importlib.import_module(f"generated.{name}.numpy_backend").forward(rows)[0]
        np.testing.assert_array_equal(np.asarray(shipped(name)(rows)), wanted)


SELECT = "def f(x: Row, p: Constant = 0.5): return where(x > 0, abs(x)**p, 0)"


def test_a_branch_that_is_not_selected_makes_no_nan():
    x = jnp.asarray([[4.0, 0.0, -1.0]])
    made, pull = jax.vjp(function_of(SELECT), x)
    np.testing.assert_allclose(made, [[2, 0, 0]])
    np.testing.assert_allclose(pull(jnp.ones_like(x))[0], [[0.25, 0, 0]])


def test_labels_are_integers_of_any_width_and_rows_of_no_label_have_no_gradient():
    loss, x = shipped("label_cross_entropy"), jnp.arange(6.0).reshape(2, 3)
    wanted = loss(x, jnp.array([2, -100]))
    assert wanted[1] == 0
    for label in (np.array([2, -100], np.int8), np.array([2, -100]), np.array([2, -(2**40)])):
        found = loss(x, label, ignore=-100 if label[1] == -100 else -(2**31))
        np.testing.assert_array_equal(found, wanted)
    assert not jax.grad(lambda x: loss(x, jnp.array([2, -100])).sum())(x)[1].any()


# ---- definitions

NAMES = """
def f(jnp: Row, jax: Feature = 1, dtype: RowScalar = 0, axis: Scalar = 2, math: Int[""] = 1, t: Constant = 0.1):
    return jax*jnp*axis/sqrt(mean(jnp**2) + t) + dtype*math"""
PLAIN = """
def f(a: Row, b: Feature = 1, c: RowScalar = 0, d: Scalar = 2, e: Int[""] = 1, h: Constant = 0.1):
    return b*a*d/sqrt(mean(a**2) + h) + c*e"""


@pytest.mark.ci
def test_names_of_modules_and_of_the_code_are_names_of_inputs():
    x, feature, scalar = given(np.float32)[0], given(np.float32)[1], jnp.ones(4)
    for rest in ((), (feature,), (feature, scalar, 3, 5)):
        values = [
            jax.value_and_grad(lambda x, f=f, r=rest: f(x, *r).sum())(x) for f in map(function_of, (NAMES, PLAIN))
        ]
        for one, other in zip(*map(jax.tree.leaves, values), strict=True):
            np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match=r"jax has shape \(3,\); pass \(D,\), which is \(6,\)"):
        function_of(NAMES)(x, jnp.ones(3))


@pytest.mark.ci
@pytest.mark.parametrize("name", ["jnp", "jax", "forward", "math"])
def test_a_layer_may_be_called_as_a_module(name):
    layer = function_of(f'def {name}(x: Array["n (g c) ..."], g: Size = 2): return x - mean(x, "c ...")')
    x = jnp.arange(24.0).reshape(1, 4, 6)
    np.testing.assert_allclose(layer(x), x - x.reshape(1, 2, 12).mean(-1).repeat(2, 1)[..., None])


@pytest.mark.ci
def test_a_layer_without_tangents_is_differentiated_by_jax(x64):
    x = given()[0]
    text = "def f(x: Row, g: Feature = 1): return g*x/sqrt(mean(x**2) + 1)"
    assert "custom_jvp" not in text_of(text, 2)
    found, wanted = (jax.grad(lambda x, n=n: (function_of(text, n)(x) ** 3).sum())(x) for n in (2, 4))
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


# ---- refusals

CASES: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "integers": (
        lambda: layer_norm(jnp.arange(3)),
        TypeError,
        r"x is of type int32, not floating point; pass real floats, such as x\.astype\(jnp\.float32\)",
    ),
    "truth": (lambda: layer_norm(jnp.ones(3) > 0), TypeError, "x is of type bool, not floating point"),
    "labels": (lambda: shipped("cross_entropy")(jnp.ones((4, 9)), jnp.arange(4)), TypeError, "target is of type int32"),
    "an object": (lambda: layer_norm(object()), TypeError, "not a valid JAX array type|unexpected input type"),
    "no axis": (lambda: layer_norm(jnp.float32(1)), ValueError, r"x has shape \(\); pass \(\.\.\., D\) with D of 1"),
    "one feature": (lambda: shipped("standardize")(jnp.ones((2, 1))), ValueError, "pass .* with D of 2 or more"),
    "a Feature": (
        lambda: layer_norm(jnp.ones((2, 3)), jnp.ones(2)),
        ValueError,
        r"gamma has shape \(2,\); pass \(D,\), which is \(3,\)",
    ),
    "rows": (
        lambda: shipped("add_layer_norm")(jnp.ones((2, 3)), jnp.ones((3, 3))),
        ValueError,
        r"residual has shape \(3, 3\); pass the shape of x, which is \(2, 3\)",
    ),
    "a number": (lambda: shipped("dynamic_tanh")(jnp.ones((2, 3)), jnp.ones(3)), ValueError, "alpha has shape"),
    "a Constant below 0": (lambda: layer_norm(jnp.ones(3), eps=-1), ValueError, "eps is -1; pass a finite number of 0"),
    "a Constant of several": (
        lambda: layer_norm(jnp.ones(3), eps=jnp.ones(2)),
        ValueError,
        "pass a finite number of 0",
    ),
    "a Constant that is infinite": (lambda: layer_norm(jnp.ones(3), eps=float("inf")), ValueError, "eps is inf"),
    "a label": (
        lambda: shipped("label_cross_entropy")(jnp.ones((2, 3)), jnp.ones(2)),
        TypeError,
        r"label is of type float32; pass integers, such as label\.astype\(jnp\.int32\)",
    ),
    "axes": (lambda: shipped("group_norm")(jnp.ones(3)), ValueError, r"pass an array with the axes n \(g c\) \.\.\."),
    "groups": (
        lambda: shipped("group_norm")(jnp.ones((1, 5, 2)), g=2),
        ValueError,
        r"x has shape \(1, 5, 2\), and g = 2 does not divide its axis \(g c\) of 5",
    ),
    "a size": (lambda: shipped("group_norm")(jnp.ones((1, 4, 2)), g=0), ValueError, "g is 0; pass 1 or more"),
    "no size": (lambda: shipped("group_norm")(jnp.ones((1, 4, 2)), g=1.5), TypeError, "g is 1.5; pass the size"),
    "an axis": (
        lambda: shipped("group_norm")(jnp.ones((1, 4, 2)), jnp.ones(3), g=2),
        ValueError,
        r"gamma has shape \(3,\); pass \(g c\), which is \(4,\)",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_an_argument_is_refused_with_what_it_is_and_what_to_pass(case):
    call, error, message = CASES[case]
    with pytest.raises(error, match=message):
        call()


def test_a_wrong_shape_is_refused_while_a_program_is_traced():
    for call in (jax.jit(layer_norm), functools.partial(jax.eval_shape, layer_norm)):
        with pytest.raises(ValueError, match="gamma has shape"):
            call(jnp.ones((2, 3)), jnp.ones(2))


# ---- the file


def imports(text: str) -> set[str]:
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.Import, ast.ImportFrom))]
    return {alias.name for node in nodes for alias in node.names}


def test_a_file_is_a_page_that_imports_jax_alone():
    for path in (ROOT / "generated").glob(f"*/{FILE}"):
        assert imports(path.read_text()) <= {"jax", "jax.numpy", "math"}, path
    lines = (ROOT / "generated" / "layer_norm" / FILE).read_text().splitlines()
    assert len(lines) <= 120
    steps = [line for line in lines if re.match(r" +\w+ \+?= ", line) and "# step" in line]
    assert len(steps) == 16
