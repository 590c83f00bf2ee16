"""The emitted `jax_backend.py`: its text, and each layer under the transformations of JAX."""

import ast
import importlib
import re

import numpy as np
import pytest

from tests.requirements import needs_jax
from tests.shipped import NAMES, ROOT
from tests.tiers import sample

EACH, EACH_IN_CI = (sample(NAMES, default) for default in (("layer_norm", "add_layer_norm"), ()))


# ---- the text


def _text(name):
    return (ROOT / "generated" / name / "jax_backend.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_module_is_short_and_exports_a_function(name):
    text = _text(name)
    assert len(text.splitlines()) < 90
    assert [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.ClassDef)] == [name]


def test_a_function_has_the_arguments_of_forward():
    text = _text("modulated_layer_norm")
    names = re.search(r"^def modulated_layer_norm\((.*?)\) ->", text, re.DOTALL | re.MULTILINE)
    assert names is not None
    assert re.findall(r"(\w+):", names[1]) == ["x", "gate", "gamma", "beta", "eps"]


# ---- each layer


@pytest.fixture
def of(request, monkeypatch):
    """A layer's function and arguments in float64; it is computed by NumPy: nothing is compiled here."""
    module = importlib.import_module(f"generated.{request.param}.jax_backend")
    monkeypatch.setattr(module._LAYER.kernels, "host", module._numpy)
    jax = importlib.import_module("jax")
    with jax.enable_x64(True):
        yield Case(jax, module)


class Case:
    """A layer with arguments of two times two rows of three."""

    def __init__(self, jax, module):
        self.jax, self.layer, self.numpy = jax, module._LAYER, module._numpy
        self.interface = self.layer.interface
        shapes = {"Row": (2, 2, 3), "Data": (2, 2, 3), "RowScalar": (2, 2), "Feature": (3,), "Scalar": ()}
        self.shapes = [shapes[each["kind"]] for each in self.interface["inputs"]]
        self.is_row = [each["kind"] in ("Row", "Data", "RowScalar") for each in self.interface["inputs"]]
        self.constants = [0.5 if each["default"] is None else each["default"] for each in self.interface["constants"]]
        self.moving = [number for number, each in enumerate(self.interface["inputs"]) if each["kind"] != "Data"]
        self.inputs = self.arguments()

    def arguments(self, *samples, dtype=np.float64, seed=0):
        random = np.random.default_rng(seed)
        return [
            self.jax.numpy.asarray(random.uniform(-1, 1, (*(samples if row else ()), *shape)), dtype)
            for shape, row in zip(self.shapes, self.is_row, strict=True)
        ]

    def call(self, *inputs):
        return self.layer.call(*inputs, *self.constants)

    def outputs(self, *inputs):
        made = self.call(*inputs)
        return made if isinstance(made, tuple) else (made,)

    def loss(self, *inputs):
        return sum((each**2).sum() for each in self.outputs(*inputs))

    def of_moving(self, function):
        """A function of what has gradients, and its arguments."""

        def moved(*values):
            inputs = list(self.inputs)
            for number, value in zip(self.moving, values, strict=True):
                inputs[number] = value
            return function(*inputs)

        return moved, [self.inputs[number] for number in self.moving]


def on_each_layer(names=EACH_IN_CI):
    def marked(test):
        return needs_jax(pytest.mark.parametrize("of", names, indirect=True)(test))

    return marked


def assert_close(found, expected, **tolerance):
    jax = importlib.import_module("jax")
    pairs = zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True)
    for a, b in pairs:
        np.testing.assert_allclose(a, b, **{"rtol": 1e-9, "atol": 1e-11, **tolerance})


@on_each_layer(EACH)
def test_derivatives_of_the_first_and_the_second_order(of):
    check_grads = importlib.import_module("jax.test_util").check_grads
    call, inputs = of.of_moving(of.call)
    check_grads(of.jax.jit(call), inputs, order=2, modes=["rev"])


@needs_jax
@pytest.mark.ci
@pytest.mark.parametrize("of", ["add_layer_norm", "dynamic_tanh", "logsumexp"], indirect=True)
def test_derivatives_in_both_modes(of):
    check_grads = importlib.import_module("jax.test_util").check_grads
    call, inputs = of.of_moving(of.call)
    check_grads(of.jax.jit(call), inputs, order=2, modes=["fwd", "rev"])


@on_each_layer()
def test_every_way_to_a_second_derivative_is_one(of):
    jax, (loss, inputs) = of.jax, of.of_moving(of.loss)
    places = tuple(range(len(inputs)))
    first, second = (tuple([of.arguments(seed=seed)[number] for number in of.moving]) for seed in (1, 2))

    def paired(gradients, moved):
        return sum((a * b).sum() for a, b in zip(gradients, moved, strict=True))

    def along(*inputs):
        return jax.jvp(loss, inputs, first)[1]

    @jax.jit
    def ways(*inputs):
        gradient = jax.grad(loss, places)
        return (
            paired(jax.jvp(gradient, inputs, first)[1], second),
            paired(jax.grad(lambda *a: paired(gradient(*a), first), places)(*inputs), second),
            paired(jax.grad(along, places)(*inputs), second),
            jax.jvp(along, inputs, second)[1],
        )

    found = np.asarray(ways(*inputs))
    assert_close(found, np.full(4, found[0]))


@on_each_layer()
def test_samples_together_are_samples_one_by_one(of):
    jax, jnp = of.jax, of.jax.numpy
    rows = of.arguments(2), tuple(0 if row else None for row in of.is_row)
    both = [jnp.stack([each, 2 * each], min(each.ndim, 1)) for each in of.inputs]
    everything = both, tuple(min(len(shape), 1) for shape in of.shapes)
    places = tuple(of.moving)

    def every(*inputs):
        second = jax.grad(lambda *a: jnp.sin(jax.grad(of.loss, places[0])(*a)).sum(), places)
        return of.outputs(*inputs), second(*inputs)

    one = jax.jit(every)
    for inputs, dims in (rows, everything):
        together = jax.jit(jax.vmap(every, dims))(*inputs)
        for n in range(2):
            alone = one(*[each if at is None else jnp.take(each, n, at) for each, at in zip(inputs, dims, strict=True)])
            assert_close([each[n] for each in jax.tree.leaves(together)], jax.tree.leaves(alone))


@on_each_layer()
def test_what_may_be_left_out_has_no_gradient(of):
    required = [each["default"] is None for each in of.interface["inputs"]]
    places = [number for number in of.moving if required[number]]

    def call(*given):
        inputs = [each if here else None for each, here in zip(of.inputs, required, strict=True)]
        for number, value in zip(places, given, strict=True):
            inputs[number] = value
        return of.call(*inputs)

    check_grads = importlib.import_module("jax.test_util").check_grads
    check_grads(of.jax.jit(call), [of.inputs[number] for number in places], order=1)


@on_each_layer()
@pytest.mark.parametrize("kind", ["float64", "float32", "bfloat16"])
def test_values_are_those_of_numpy_in_every_type(of, kind):
    constants = dict(zip([each["name"] for each in of.interface["constants"]], of.constants, strict=True))
    with of.jax.enable_x64(kind == "float64"):
        inputs = of.arguments(dtype=kind)
        made, pull = of.jax.vjp(of.outputs, *inputs)
        found = pull(made)
    y, saved = of.numpy.forward(*map(np.asarray, inputs), **constants)
    expected = y if isinstance(y, tuple) else (y,)
    gradients = of.numpy.backward(saved, *expected)
    pairs = [*zip(made, expected, strict=True)]
    pairs += zip([found[number] for number in of.moving], gradients, strict=True)
    for value, other in pairs:
        assert value.dtype == other.dtype
        assert np.asarray(value).tobytes() == other.tobytes()
