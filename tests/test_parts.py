"""Arrays in parts: what callers see of them, names, and planted mistakes that the check refuses."""

from __future__ import annotations

import importlib
import inspect
import sys

import numpy as np
import pytest

from lngen.checks.named_axes import named_axes
from lngen.language.parsing import parse
from lngen.pipeline.stages import planned
from lngen.report.heading import notes
from tests import compiled
from tests.beyond_rows import DEFINITIONS, arrays
from tests.tiers import sample


def backend(name, which):
    return compiled.backend(DEFINITIONS[name], which)


def failures(name, module):
    definition = compiled.layer(DEFINITIONS[name]).definition
    return [each.what for each in named_axes(definition, module, 0) if not each.passed]


def _swaps_parts(arranged):
    return "_arranged", lambda self, name, value, part: arranged(self, name, value, None if part is None else 1 - part)


def _loses_a_gradient(arranged):
    def lost(self, name, value, part):
        view, how = arranged(self, name, value, part)
        return view.copy() if part else view, how

    return "_arranged", lost


def _leaves_a_part(arranged):
    return "clear", lambda self, name, value, part: None


@pytest.mark.parametrize(
    ("name", "mistake"), [("packed_swiglu", _swaps_parts), ("rotary", _loses_a_gradient), ("thirds", _leaves_a_part)]
)
def test_a_planted_mistake_is_refused(name, mistake, monkeypatch):
    module = backend(name, "numpy")
    layer = sys.modules[type(module._AXES).__module__].ArrangedArrays
    monkeypatch.setattr(np, "empty", lambda shape, dtype=float: np.full(shape, 7, dtype))
    monkeypatch.setattr(layer, *mistake(layer._arranged))
    assert any("results are those of rows" in each for each in failures(name, module))


# ---- what callers see


def test_callers_see_arrays_as_wholes():
    layer = compiled.layer(DEFINITIONS["rotary"]).numpy
    assert list(inspect.signature(layer.forward).parameters)[:3] == ["x", "cosine", "sine"]
    assert (layer.Gradients._fields, layer.SecondGradients._fields) == (("dx",), ("dx", "ddy"))
    assert layer.INTERFACE["inputs"][0]["pattern"][-1] == ["s", "d"]
    assert "y = join(y_0, y_1)" in layer.forward.__doc__
    with pytest.raises(ValueError, match=r"pass \(s d\) of 14 entries, which is s = 2 times d = 7, as in cosine"):
        layer.forward(np.ones((1, 1, 5, 7)), *[np.ones((5, 7))] * 2)
    with pytest.raises(TypeError, match="unexpected keyword argument 's'"):
        layer.forward(*arrays("rotary").values(), s=3)
    packed = compiled.layer(DEFINITIONS["packed_swiglu"]).numpy
    with pytest.raises(ValueError, match=r"s = 2 does not divide its axis \(s d\) of 7"):
        packed.forward(np.ones((2, 7)))
    y, saved = packed.forward(np.ones((2, 6), np.float16))
    assert (saved._fields[3:], y.dtype, packed.backward(saved, y).dx.shape) == (("x",), np.float16, (2, 6))


def test_a_view_is_read_and_written_where_it_lies():
    layer = compiled.layer(DEFINITIONS["packed_swiglu"]).numpy
    wide, out = np.random.default_rng(0).standard_normal((4, 5, 30)), np.full((4, 5, 40), np.nan)
    y, saved = layer.forward(wide[..., ::3])
    layer.backward(saved, y, out=(out[..., ::4],))
    assert np.shares_memory(saved.x, wide)
    plain, again = layer.forward(wide[..., ::3].copy())
    assert np.array_equal(plain, y)
    assert np.array_equal(layer.backward(again, y).dx, out[..., ::4])
    assert np.isnan(out[..., 1::4]).all()


@pytest.mark.parametrize("which", sample(("numpy", "cpu"), ("numpy",)))
def test_parts_left_out_have_no_gradient(which):
    module = backend("thirds", which)
    x, w, bias = arrays("thirds").values()
    (y, r), saved = module.forward(x, w)
    gradients = module.backward(saved, y, r)
    assert gradients.dbias is None
    assert not gradients.dx.reshape(2, 3, 4, 5)[:, 1].any()
    (full, _), _ = module.forward(x, w, 0 * bias)
    assert np.array_equal(full, y)


def test_parameters_in_parts_are_held_by_a_class():
    package = importlib.import_module(compiled.layer(DEFINITIONS["thirds"]).numpy.__package__)
    made = package.Thirds(4, bias=False)
    assert {name: value.shape for name, value in made.parameters.items()} == {"w": (12,)}


# ---- names


def test_a_part_has_the_name_of_its_statement_or_of_its_place():
    text = 'def f(x: Array["b (s d)"], x_1: Array["b d"], s: Size = 2): {}return 2*at(x, s=1) + x_1 + at(x, s=0)'
    assert [each.name for each in parse(text.format("")).inputs] == ["x_0", "x_1_2", "x_1"]
    named = parse(text.format("dx = at(x, s=0); "))
    assert [each.name for each in named.inputs] == ["dx", "x_1_2", "x_1"]
    (whole,) = named.parts
    assert (whole.name, str(whole.pattern), whole.axis, whole.names) == ("x", "b (s d)", "s", ("dx", "x_1_2"))


def test_formulas_tell_the_parts():
    lines = notes(planned(parse(DEFINITIONS["thirds"]), proved=False), "numpy").formulas
    assert lines["forward"][:2] == ("first = at(x, k=0)", "x_2 = at(x, k=2)")
    assert "dx = join(dfirst, 0, dx_2)" in lines["backward"]
