"""The text of the emitted `jax_backend.py`; its values are in tests/test_every_backend.py."""

import ast
import re

import pytest

from tests.shipped import LAYERS, ROOT


def _text(name):
    return (ROOT / "generated" / name / "jax_backend.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", LAYERS)
def test_a_module_is_short_and_exports_a_function(name):
    text = _text(name)
    assert len(text.splitlines()) < 90
    assert [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.ClassDef)] == [name]


def test_a_function_has_the_arguments_of_forward():
    text = _text("modulated_layer_norm")
    names = re.search(r"^def modulated_layer_norm\((.*?)\) ->", text, re.DOTALL | re.MULTILINE)
    assert names is not None
    assert re.findall(r"(\w+):", names[1]) == ["x", "gate", "gamma", "beta", "eps"]
