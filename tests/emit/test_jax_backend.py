"""The emitted `jax_backend.py`: its text and its values; tests/check/test_in_jax.py has the rest."""

import ast
import importlib
import re

import numpy as np
import pytest

from lngen.check.in_jax import InJax
from tests.requirements import needs_jax
from tests.shipped import NAMES, ROOT, shipped
from tests.tiers import sample

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


@needs_jax
@pytest.mark.parametrize("name", sample(NAMES, ("layer_norm", "add_layer_norm"), ("dynamic_tanh", "cross_entropy")))
@pytest.mark.parametrize("kind", ["float64", "bfloat16"])
def test_values_are_those_of_numpy_in_every_type(name, kind, monkeypatch):
    module = importlib.import_module(f"generated.{name}.jax_backend")
    monkeypatch.setattr(module._LAYER.kernels, "host", module._numpy)  # nothing is compiled here
    of = InJax(shipped(name).definition, module, 0)
    with of.jax.enable_x64(kind == "float64"):
        inputs = [of.jax.numpy.asarray(array, kind) for array in of.arrays()]
        made, pull = of.jax.vjp(of.outputs, *inputs)
        found = pull(made)
    y, saved = module._numpy.forward(*map(np.asarray, inputs), **of.named_constants)
    expected = y if isinstance(y, tuple) else (y,)
    gradients = module._numpy.backward(saved, *expected)
    pairs = [*zip(made, expected, strict=True)]
    pairs += zip([found[number] for number in of.differentiable], gradients, strict=True)
    for value, other in pairs:
        assert value.dtype == other.dtype
        assert np.asarray(value).tobytes() == other.tobytes()
