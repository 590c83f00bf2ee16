"""Texts that a page gives to copy: the NumPy function computes the values of the emitted code."""

from pathlib import Path

import numpy as np
import pytest

import lngen
from lngen.algebra.symbols import ENTRY_OF, RowSymbol
from lngen.checks.on_rows import on_rows
from lngen.extensions.page.copies import _HELPERS, _NumPy, python
from lngen.language.parsing import parse
from lngen.pipeline.stages import planned
from tests.shipped import sampled, shipped

ROWS, D = (2, 3), 5


def drawn(kind, random):
    """Numbers of a kind, or integers that are places in a row."""
    shape = (*ROWS * kind.over_rows, *(D,) * kind.over_features)
    return np.asarray(random.integers(0, D, shape) if kind.is_integer else random.normal(size=shape))


def errors(layer, text):
    """The largest difference of each gradient of the copied function to that of the emitted one."""
    random = np.random.default_rng(3)
    definition = layer.definition
    given = [drawn(entry.kind, random) for entry in definition.positional]
    constants = {entry.name: float(entry.default or 1) for entry in definition.constants}
    module = on_rows(lngen.derive(Path(definition.filename)).load())
    outputs, saved = module.forward(*given, **constants)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    cotangents = [random.normal(size=np.shape(output)) for output in outputs]
    expected = module.backward(saved, *cotangents)
    names: dict[str, object] = {}
    exec(compile(text, "copied", "exec"), names)
    found = names[f"{definition.name}_gradients"](*given, *cotangents, **constants)
    found = found if isinstance(found, tuple) else (found,)
    assert [np.shape(one) for one in found] == [np.shape(other) for other in expected]
    return [float(np.max(np.abs(one - other))) for one, other in zip(found, expected, strict=True)]


@pytest.mark.parametrize("name", sampled(pytest.mark.ci))
def test_python_computes_the_emitted_gradients(name):
    layer = shipped(name)
    assert max(errors(layer, python(layer.plan))) < 1e-13


def test_python_with_a_dropped_term_is_found():
    layer = shipped("layer_norm")
    text = python(layer.plan)
    wrong = text.replace(" - np.mean(g, -1, keepdims=True)", "")
    assert wrong != text
    assert max(errors(layer, wrong)) > 1e-3


@pytest.mark.parametrize("head", ENTRY_OF, ids=lambda head: ENTRY_OF[head].name)
def test_every_function_is_one_of_numpys_or_comes_along(head):
    written = _NumPy("np", "x").of(head(RowSymbol("x")))
    word = written.partition("(")[0]
    assert hasattr(np, word.removeprefix("np.")) if word.startswith("np.") else word in _HELPERS


def test_python_whose_definition_has_a_value_np_calls_the_module_otherwise():
    plan = planned(parse("def f(x: Row, np: Scalar): return np*sigmoid(x)"), proved=False)
    names: dict[str, object] = {}
    exec(compile(python(plan), "copied", "exec"), names)
    dx, dnp = names["f_gradients"](np.zeros((1, 2)), 3.0, np.ones((1, 2)))
    assert dx.tolist() == [[0.75, 0.75]]
    assert dnp == 1.0
