"""Layers as objects on NumPy: parameters, what an object does in turn, and what it refuses."""

import copy
import importlib
import io
import pickle

import numpy as np
import pytest

import lngen
from generated.add_layer_norm import AddLayerNorm
from generated.dynamic_tanh import DynamicTanh
from generated.layer_norm import LayerNorm
from generated.rms_norm_gated import RMSNormGated
from generated.softmax import Softmax
from lngen.pipeline.files import loading
from tests.requirements import needs_gxx, needs_torch


def normal(*shape, dtype=np.float64, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


# ---- forward and backward


def test_gradients_are_those_of_the_last_call_alone():
    norm, x = LayerNorm(8), normal(3, 8, dtype=np.float32)
    assert norm.gradients == {}
    found = []
    for _ in range(2):
        norm.backward(norm(x))
        found.append(norm.gradients)
    assert found[0] is not found[1]
    np.testing.assert_array_equal(found[0]["gamma"], found[1]["gamma"])


def test_several_inputs_and_outputs_are_tuples():
    x, residual, dy = normal(2, 3, 5), normal(2, 3, 5, seed=1), normal(2, 3, 5, seed=2)
    layer = AddLayerNorm(5, dtype=np.float64)
    outputs = layer(x, residual)
    assert outputs._fields == ("y", "h")
    np.testing.assert_array_equal(outputs.h, x + residual)
    dx, dresidual = layer.backward(None, dy)
    np.testing.assert_array_equal(dx, dy)
    np.testing.assert_array_equal(dresidual, dy)
    assert not layer.gradients["gamma"].any()


def test_a_parameter_may_be_left_out():
    norm, x = LayerNorm(8, gamma=False, dtype=np.float64), normal(3, 8)
    assert list(norm.parameters) == ["beta"]
    norm.backward(norm(x))
    assert list(norm.gradients) == ["beta"]
    plain = LayerNorm(8, gamma=False, beta=False)
    np.testing.assert_allclose(plain.backward(np.ones_like(plain(x))), np.zeros_like(x), atol=1e-14)
    assert plain.gradients == {}


def test_a_number_is_a_parameter_without_axes_that_can_be_trained():
    layer, x = DynamicTanh(5, dtype=np.float64), normal(3, 5)
    before = float(layer.parameters["alpha"])
    layer.backward(layer(x))
    alpha = layer.parameters["alpha"]
    layer.parameters["alpha"] -= 0.5 * layer.gradients["alpha"]
    assert layer.parameters["alpha"] is alpha
    assert alpha.shape == layer.gradients["alpha"].shape == ()
    assert alpha == before - 0.5 * layer.gradients["alpha"] != before


def test_types_are_those_of_what_they_belong_to():
    norm, x = LayerNorm(8), normal(3, 8, dtype=np.float16)
    y = norm(x)
    assert (y.dtype, norm.backward(y).dtype) == (np.float16, np.float16)
    assert norm.gradients["gamma"].dtype == np.float32


def test_it_says_what_it_was_made_with():
    assert repr(LayerNorm(8, beta=False)) == "LayerNorm(8, eps=1e-05, beta=False)"
    assert repr(Softmax()) == "Softmax()"
    assert list(Softmax().parameters) == []


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda layer: pickle.loads(pickle.dumps(layer))])
def test_a_copy_has_all_but_the_arrays(copied):
    norm, x = LayerNorm(8, dtype=np.float64, backend="auto"), normal(3, 8)
    expected = LayerNorm(8, dtype=np.float64)
    expected.backward(expected(x))
    norm.backend = "numpy"
    norm(x)
    other = copied(norm)
    other.backward(norm(x))
    np.testing.assert_array_equal(other.gradients["gamma"], expected.gradients["gamma"])
    other.parameters["gamma"][:] = 3.0
    assert norm.parameters["gamma"][0] == 1.0


# ---- what computes


def test_without_a_compiler_auto_is_numpy_and_nothing_is_asked_for_but_what_is_needed(monkeypatch):
    package = LayerNorm.__module__.rpartition(".")[0]
    runtime = importlib.import_module(f"{package.rpartition('.')[0]}._runtime.native.compiler")

    def none():
        raise runtime.NoCompiler("no C++ compiler")

    monkeypatch.setattr(runtime, "compiler", none)
    norm, x = LayerNorm(8, dtype=np.float64, backend="auto"), normal(3, 8)
    np.testing.assert_array_equal(norm(x), LayerNorm(8, dtype=np.float64)(x))


@needs_gxx
@pytest.mark.ci
def test_compiled_kernels_compute_it_where_they_are_asked_for():
    x, dy = normal(5, 8), normal(5, 8, seed=1)
    found = []
    for backend, threads in (("numpy", 1), ("cpu", 2), ("auto", 1)):
        norm = LayerNorm(8, dtype=np.float64, backend=backend, threads=threads)
        found.append([norm(x), norm.backward(dy), *norm.gradients.values()])
    for other in found[1:]:
        for ours, theirs in zip(other, found[0], strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)
    assert all(np.array_equal(a, b) for a, b in zip(found[1], found[2], strict=True))


# ---- parameters


def test_what_is_saved_is_loaded():
    norm, other, file = LayerNorm(4), LayerNorm(4, dtype=np.float64), io.BytesIO()
    norm.parameters["gamma"] = normal(4)
    np.savez(file, **norm.parameters)
    file.seek(0)
    gamma = other.parameters["gamma"]
    other.parameters.update(np.load(file))
    assert other.parameters["gamma"] is gamma
    assert gamma.dtype == np.float64
    np.testing.assert_array_equal(gamma, norm.parameters["gamma"])


def test_an_array_that_is_set_is_copied():
    norm, gamma = LayerNorm(4), np.zeros(4, np.float32)
    norm.parameters["gamma"] = gamma
    gamma[:] = 7.0
    assert not norm.parameters["gamma"].any()


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"beta": np.ones(4), "gamma": np.ones(5)}, ValueError, r"gamma has shape \(5,\); pass an array of shape"),
        ({"beta": np.ones(4), "g": np.ones(4)}, ValueError, "LayerNorm has no parameter 'g'; there are: gamma, beta"),
        ({"beta": np.ones(4), "gamma": np.ones(4, int)}, TypeError, "gamma is of type int64, not floating point"),
        ({"beta": np.ones(4), "gamma": None}, TypeError, "gamma is None; pass an array of floats"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_written(given, error, message):
    norm = LayerNorm(4)
    with pytest.raises(error, match=message):
        norm.parameters.update(given)
    assert not norm.parameters["beta"].any()


def test_a_parameter_cannot_be_taken_out():
    norm = LayerNorm(4)
    with pytest.raises(TypeError, match="gamma=False"):
        del norm.parameters["gamma"]
    with pytest.raises(KeyError):
        norm.parameters["delta"]
    with pytest.raises(ValueError, match="Softmax has no parameter 'gamma'; there are: none"):
        Softmax().parameters["gamma"] = np.ones(4)


@needs_torch
@pytest.mark.ci
def test_parameters_go_to_pytorch_and_back():
    import torch

    theirs = importlib.import_module("generated.rms_norm_gated.torch_backend").RMSNormGated(6)
    ours = RMSNormGated(6)
    ours.parameters["gamma"] = normal(6)
    theirs.load_state_dict({name: torch.from_numpy(value) for name, value in ours.parameters.items()})
    again = RMSNormGated(6)
    again.parameters.update({name: value.numpy() for name, value in theirs.state_dict().items()})
    np.testing.assert_array_equal(again.parameters["gamma"], ours.parameters["gamma"])


# ---- mistakes


def test_each_backward_has_a_forward_before_it():
    norm, x = LayerNorm(8), normal(3, 8)
    message = "LayerNorm has no saved values; call forward before each backward"
    with pytest.raises(RuntimeError, match=message):
        norm.backward(x)
    norm.backward(norm(x))
    with pytest.raises(RuntimeError, match=message):
        norm.backward(x)
    norm(x)
    norm.forward(x, save=False)
    with pytest.raises(RuntimeError, match=message):
        norm.backward(x)


def test_a_backward_that_fails_can_be_called_again():
    norm, x = LayerNorm(8), normal(3, 8)
    norm(x)
    with pytest.raises(ValueError, match="dy has shape"):
        norm.backward(x[:2])
    assert norm.backward(x).shape == x.shape


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: LayerNorm(0), ValueError, "D is 0; pass 1 or more"),
        (lambda: LayerNorm(8.0), TypeError, "D is 8.0 of type float; pass a whole number"),
        (lambda: LayerNorm(True), TypeError, "D is True of type bool"),
        (lambda: LayerNorm(8, dtype=int), TypeError, "dtype is <class 'int'>; pass a type of floats"),
        (lambda: LayerNorm(8, dtype="float33"), TypeError, "dtype is 'float33'; pass a type of floats"),
        (lambda: LayerNorm(8, backend="cuda"), ValueError, 'backend is \'cuda\'; pass "numpy", "cpu" or "auto"'),
        (lambda: LayerNorm(8, eps="a"), TypeError, "eps is 'a' of type str; pass a number"),
        (lambda: LayerNorm(8, eps=-1.0), ValueError, "eps is -1.0; pass 0 or more"),
        (lambda: LayerNorm(8, eps=np.nan), ValueError, "eps is nan; pass a finite number"),
        (lambda: LayerNorm(8, eps=None), TypeError, "eps is None of type NoneType; pass a number"),
        (lambda: LayerNorm(8, threads=0), ValueError, "threads is 0; pass 1 or more"),
        (lambda: LayerNorm(8, threads="2"), TypeError, "threads is '2'; pass a whole number, 1 or more"),
        (lambda: LayerNorm(8, gamma=np.ones(8)), TypeError, "gamma is of type ndarray; pass True or False, and set"),
        (lambda: DynamicTanh(8, alpha=0.5), TypeError, "alpha is of type float; pass True or False"),
        (lambda: LayerNorm(8)(np.float32(3)), ValueError, r"x has shape \(\); pass \(..., D\)"),
        (lambda: LayerNorm(8)([[1.0], [1.0, 2.0]]), ValueError, "x is not an array: its parts differ in length"),
    ],
)
def test_a_mistake_gets_a_message(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("parameters", [{}, {"gamma": False, "beta": False}])
@pytest.mark.parametrize("rows", [normal(3, 7), normal(3, 7).tolist()])
def test_rows_of_another_length_are_refused(parameters, rows):
    message = r"x has shape \(3, 7\), and this LayerNorm was made for rows of 8 features; pass \(..., 8\)"
    with pytest.raises(ValueError, match=message):
        LayerNorm(8, **parameters)(rows)


def test_attributes_that_were_set_are_looked_at_again():
    for name, value, message in (("eps", -1, "eps is -1"), ("threads", 0, "threads is 0"), ("backend", "gpu", "'gpu'")):
        norm = LayerNorm(8)
        setattr(norm, name, value)
        with pytest.raises(ValueError, match=message):
            norm(normal(3, 8))


# ---- names

TAKEN = """
from lngen.language import Constant, Feature, Row, mean


def half(x: Row, self: Row, parameters: Feature, backend: Feature = 0, gradients: Constant = 1.0):
    forward = parameters * x * self + backend - gradients * mean(self)
    return forward
"""


@pytest.mark.ci
def test_names_that_a_class_has_already_end_with_an_underscore(tmp_path):
    lngen.derive(TAKEN).write(tmp_path / "layers")
    layer = loading.load(tmp_path / "layers" / "half")
    made = layer.Half(4, gradients_=0.5, dtype=np.float64)
    assert list(made.parameters) == ["parameters_", "backend_"]
    made.parameters["parameters_"] = normal(4)
    x, other = normal(3, 4), normal(3, 4, seed=1)
    y, saved = layer.forward(x, other, made.parameters["parameters_"], made.parameters["backend_"], gradients=0.5)
    np.testing.assert_array_equal(made(x, self_=other), y)
    dx, dself, dparameters, _ = layer.backward(saved, y)
    for ours, theirs in zip(made.backward(y), (dx, dself), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(made.gradients["parameters_"], dparameters)
