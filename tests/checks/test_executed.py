"""The definition run as Python: right code agrees with its text, and code of another text does not."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from lngen.checks.executed import KIND, run_as_python
from lngen.language.parsing import load, parse
from lngen.pipeline.files.loading import load as load_module
from tests import compiled
from tests.shipped import NAMES, ROOT

WRITTEN = """
def f(x: Row, z: Row = 0.3, gamma: Feature = 1, s: RowScalar = 2, c: Constant = 0.5, i: Int["..."] = 0):
    m = mean(x*z) - s
    u = where(x > 1, x, where(x < z, z, x*z))
    v = clip(x - 0.3, -c, c) + maximum(x, z)*minimum(x, 2*z) + sqrt(abs(m) + 0.2)
    w = exp(-abs(u))*sigmoid(v) + log1p(x**2)*tanh(gamma*x) + where(i == 1, x**3, x)/(2 + max(z))
    y = gamma*(w - mean(w)) + pick(x, i)*silu(z) + stop_gradient(x)*z + where(index() < 2, erf(x), relu(x))
    return y, m
"""
READ_AS = {
    "a - b as b - a": ("x - 0.3", "0.3 - x"),
    "a difference of a mean": ("mean(x*z) - s", "s - mean(x*z)"),
    "0.3 as 0.6": ("x - 0.3", "x - 0.6"),
    "a default of 0.3 as 0.6": ("z: Row = 0.3", "z: Row = 0.6"),
    "a Constant's default": ("c: Constant = 0.5", "c: Constant = 0.25"),
    "the order of clip": ("clip(x - 0.3, -c, c)", "clip(x - 0.3, c, -c)"),
    "maximum as minimum": ("maximum(x, z)", "minimum(x, z)"),
    "an implied condition": ("where(x < z, z, x*z))", "x*z)"),
    "> as >=": ("x > 1", "x >= 1"),
    "a branch for the other": ("erf(x), relu(x)", "relu(x), erf(x)"),
    "mean as sum": ("mean(w)", "sum(w)"),
    "the largest entry as the least": ("max(z)", "min(z)"),
    "a power": ("x**3", "x**2"),
    "sqrt as its reciprocal": ("sqrt(abs(m)", "rsqrt(abs(m)"),
    "silu as gelu": ("silu(z)", "gelu(z)"),
    "tanh as its argument": ("tanh(gamma*x)", "gamma*x"),
    "log1p as log": ("log1p(x**2)", "log(0.5 + x**2)"),
    "places from 1": ("index() < 2", "index() < 1"),
    "another label": ("i == 1", "i == 0"),
    "an entry that is none": ("pick(x, i)", "pick(x, i + 1)"),
    "an output for another": ("return y, m", "return y, 2*m"),
    "no stop": ("stop_gradient(x)*z", "x*z"),
    "a stop": ("pick(x, i)*silu(z)", "stop_gradient(pick(x, i))*silu(z)"),
}


@pytest.fixture(scope="module")
def written():
    """The layer of WRITTEN: its definition, and its functions of NumPy."""
    return parse(WRITTEN), compiled.layer(WRITTEN).numpy


@pytest.mark.parametrize("name", NAMES)
def test_shipped_layers_compute_what_their_text_says(name):
    definition = load(ROOT / "derive" / f"{name}.py")
    found = [*run_as_python(definition, load_module(ROOT / "generated" / name, "numpy"), 0)]
    assert not [each for each in found if not each.passed]
    assert {each.kind for each in found} == {KIND}
    assert sum(each.what.startswith("gradients") for each in found) >= 6


@pytest.mark.ci
def test_code_of_the_text_agrees_with_it(written):
    found = [*run_as_python(*written, 0)]
    assert not [each for each in found if not each.passed]


@pytest.mark.ci
@pytest.mark.parametrize("name", READ_AS)
def test_code_of_another_text_does_not(name, written):
    definition, module = written
    old, new = READ_AS[name]
    assert definition.source.count(old) == 1
    other = replace(definition, source=definition.source.replace(old, new))
    assert not all(each.passed for each in run_as_python(other, module, 0))


@pytest.mark.ci
@pytest.mark.parametrize("gradient", ["dx", "dz", "dgamma", "ds"])
def test_a_wrong_gradient_is_seen(gradient, written):
    definition, module = written

    def backward(*given):
        found = module.backward(*given)
        wrong = getattr(found, gradient)
        return found if wrong is None else found._replace(**{gradient: 1.01 * wrong})

    found = [*run_as_python(definition, SimpleNamespace(forward=module.forward, backward=backward), 0)]
    assert any(not each.passed and gradient in each.detail for each in found)
