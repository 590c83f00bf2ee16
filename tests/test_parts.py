"""Arrays in parts: on every backend beside PyTorch's own operations, and planted mistakes that the check refuses."""

from __future__ import annotations

import importlib
import inspect
import sys

import numpy as np
import pytest

from lngen.check.named_axes import named_axes
from lngen.language.parsing import parse
from lngen.pipeline.stages import planned
from lngen.report.heading import notes
from tests import compiled
from tests.requirements import needs_jax, needs_torch
from tests.tiers import sample

DEFINITIONS = {
    "packed": """
def packed(x: Array["... (s d)"], s: Size = 2):
    gate = at(x, s=0)
    up = at(x, s=1)
    return gate*sigmoid(gate)*up
""",
    "rotary": """
def rotary(x: Array["b h t (s d)"], c: Data["t d"], z: Data["t d"], s: Size = 2):
    a = at(x, s=0)
    b = at(x, s=1)
    y = join(a*c - b*z, b*c + a*z)
    return y
""",
    "interleaved": """
def interleaved(x: Array["... (d s)"], c: Data["... d"], z: Data["... d"], s: Size = 2):
    return join(at(x, s=0)*c - at(x, s=1)*z, at(x, s=1)*c + at(x, s=0)*z)
""",
    "thirds": """
def thirds(x: Array["n (k d) t"], w: Array["(d k)"], bias: Array["k d"] = 0, k: Size = 3):
    first = at(x, k=0)
    c = first - mean(first, "d t")
    u = c*at(w, k=1) + at(bias, k=2)
    v = tanh(at(x, k=2))*u
    y = join(u, v, u*v + at(w, k=0))
    r = sum(v, "d t")
    return y, r
""",
}
"""Halves, halves that are joined, pairs, and thirds of which some are not read."""

SHAPES = {
    "packed": {"x": (3, 5, 14)},
    "rotary": {"x": (2, 3, 5, 14), "c": (5, 7), "z": (5, 7)},
    "interleaved": {"x": (3, 5, 14), "c": (3, 5, 7), "z": (3, 5, 7)},
    "thirds": {"x": (2, 12, 5), "w": (12,), "bias": (3, 4)},
}
HALVES = ("packed", "rotary")


def in_pytorch(name):
    """Return the function of a definition in PyTorch's own operations."""
    torch = importlib.import_module("torch")

    def packed(x):
        gate, up = x.chunk(2, -1)
        return torch.nn.functional.silu(gate) * up

    def rotary(x, c, z):
        a, b = x.chunk(2, -1)
        return x * torch.cat((c, c), -1) + torch.cat((-b, a), -1) * torch.cat((z, z), -1)

    def interleaved(x, c, z):
        a, b = x[..., ::2], x[..., 1::2]
        return torch.stack((a * c - b * z, b * c + a * z), -1).flatten(-2)

    def thirds(x, w, bias):
        first, _, last = x.reshape(2, 3, 4, 5).unbind(1)
        u = (first - first.mean((1, 2), keepdim=True)) * w[1::3, None] + bias[2][:, None]
        v = torch.tanh(last) * u
        return torch.stack((u, v, u * v + w[::3, None]), 1).reshape(x.shape), v.sum((1, 2))

    return {"packed": packed, "rotary": rotary, "interleaved": interleaved, "thirds": thirds}[name]


def arrays(name):
    rng = np.random.default_rng(0)
    return {key: rng.standard_normal(shape) for key, shape in SHAPES[name].items()}


def backend(name, which):
    return compiled.backend(DEFINITIONS[name], which)


def several(value):
    return value if isinstance(value, tuple) else (value,)


class Case:
    """The inputs of a definition as tensors, and its results in PyTorch with those of a function like it."""

    def __init__(self, name):
        self.torch, self.name = importlib.import_module("torch"), name
        self.given = {key: self.torch.tensor(v, requires_grad=key not in "cz") for key, v in arrays(name).items()}
        self.moving = [value for value in self.given.values() if value.requires_grad]
        made = several(in_pytorch(name)(**self.given))
        rng = np.random.default_rng(1)
        self.weights = [rng.standard_normal(each.shape) for each in made]
        self.along = [rng.standard_normal(each.shape) for each in self.moving]
        self.expected = self.results(in_pytorch(name))

    def results(self, function):
        """The outputs of a function of tensors, its gradients, and the gradients of these."""
        made = several(function(*self.given.values()))
        loss = sum((each * self.torch.tensor(w)).sum() for each, w in zip(made, self.weights, strict=True))
        first = self.torch.autograd.grad(loss, self.moving, create_graph=True)
        again = sum((each * self.torch.tensor(v)).sum() for each, v in zip(first, self.along, strict=True))
        found = [None] * len(self.moving)
        if again.requires_grad:
            found = self.torch.autograd.grad(again, self.moving, allow_unused=True)
        second = [of * 0 if each is None else each for each, of in zip(found, self.moving, strict=True)]
        return [each.detach().numpy() for each in (*made, *first, *second)]

    def of_module(self, module):
        """The same of a module with functions of NumPy's arrays."""
        y, saved = module.forward(*arrays(self.name).values())
        first = module.backward(saved, *self.weights)
        second = module.backward_backward(saved, self.weights, *self.along)
        tangents = several(module.jvp(saved, *self.along))
        left = sum((t * w).sum() for t, w in zip(tangents, self.weights, strict=True))
        right = sum((g * v).sum() for g, v in zip(first, self.along, strict=True))
        assert abs(left - right) < 1e-13 * max(1, abs(right))
        return [*several(y), *first, *second[: len(first)]]

    def difference(self, found):
        return max(np.abs(a - b).max() / max(1, np.abs(b).max()) for a, b in zip(found, self.expected, strict=True))


# ---- beside PyTorch


@needs_torch
@pytest.mark.parametrize("which", sample(("numpy", "cpu"), ("numpy",)))
@pytest.mark.parametrize("name", DEFINITIONS)
def test_values_gradients_and_second_order_are_those_of_pytorch(name, which):
    case = Case(name)
    assert case.difference(case.of_module(backend(name, which))) < 1e-14


@needs_torch
@pytest.mark.parametrize("name", sample(DEFINITIONS, HALVES))
def test_torch_backend_has_the_results_of_pytorch(name):
    case = Case(name)
    assert case.difference(case.results(getattr(backend(name, "torch"), name))) < 1e-14


@needs_torch
@needs_jax
@pytest.mark.ci
@pytest.mark.parametrize("name", DEFINITIONS)
def test_jax_backend_has_the_results_of_pytorch(name):
    jax, case = importlib.import_module("jax"), Case(name)
    places = [place for place, value in enumerate(case.given.values()) if value.requires_grad]
    with jax.enable_x64(True):
        function, given = getattr(backend(name, "jax"), name), [*arrays(name).values()]

        def loss(*values):
            return sum((each * w).sum() for each, w in zip(several(function(*values)), case.weights, strict=True))

        def again(*values):
            pairs = zip(jax.grad(loss, places)(*values), case.along, strict=True)
            return sum((each * v).sum() for each, v in pairs)

        found = [*several(function(*given)), *jax.grad(loss, places)(*given), *jax.grad(again, places)(*given)]
    assert case.difference([np.asarray(each) for each in found]) < 1e-14


# ---- the check


def failures(name, module):
    definition = compiled.layer(DEFINITIONS[name]).definition
    return [each.what for each in named_axes(definition, module, 0) if not each.passed]


@pytest.mark.parametrize("which", sample(("numpy", "cpu"), ("numpy",)))
@pytest.mark.parametrize("name", sample(DEFINITIONS, ("thirds",)))
def test_results_are_those_of_the_layer_on_rows(name, which):
    assert failures(name, backend(name, which)) == []


def _swaps_parts(layer, part):
    return "_part", lambda self, value, each, place, sizes: part(self, value, each, max(each.parts) - place, sizes)


def _loses_a_gradient(layer, part):
    def lost(self, value, each, place, sizes):
        view = part(self, value, each, place, sizes)
        return view.copy() if each.name == "dx" and place else view

    return "_part", lost


def _leaves_a_part(layer, part):
    return "clear", lambda self, made, entries, sizes: None


@pytest.mark.parametrize(
    ("name", "mistake"), [("packed", _swaps_parts), ("rotary", _loses_a_gradient), ("thirds", _leaves_a_part)]
)
def test_a_planted_mistake_is_refused(name, mistake, monkeypatch):
    module = backend(name, "numpy")
    layer = type(module._LAYER)
    assert inspect.getmodule(layer) is sys.modules[layer.__module__]
    monkeypatch.setattr(np, "empty", lambda shape, dtype=float: np.full(shape, 7, dtype))
    monkeypatch.setattr(layer, *mistake(layer, layer._part))
    assert any("results are those of rows" in each for each in failures(name, module))


# ---- what callers see


def test_callers_see_arrays_as_wholes():
    layer = compiled.layer(DEFINITIONS["rotary"]).numpy
    assert list(inspect.signature(layer.forward).parameters)[:3] == ["x", "c", "z"]
    assert (layer.Gradients._fields, layer.SecondGradients._fields) == (("dx",), ("dx", "ddy"))
    assert layer.INTERFACE["inputs"][0]["pattern"][-1] == ["s", "d"]
    assert "y = join(y_0, y_1)" in layer.forward.__doc__
    with pytest.raises(ValueError, match=r"pass \(s d\) of 14 entries, which is s = 2 times d = 7, as in c"):
        layer.forward(np.ones((1, 1, 5, 7)), *[np.ones((5, 7))] * 2)
    with pytest.raises(TypeError, match="unexpected keyword argument 's'"):
        layer.forward(*arrays("rotary").values(), s=3)
    packed = compiled.layer(DEFINITIONS["packed"]).numpy
    with pytest.raises(ValueError, match=r"s = 2 does not divide its axis \(s d\) of 7"):
        packed.forward(np.ones((2, 7)))
    y, saved = packed.forward(np.ones((2, 6), np.float16))
    assert (saved._fields[3:], y.dtype, packed.backward(saved, y).dx.shape) == (("x",), np.float16, (2, 6))


def test_a_view_is_read_and_written_where_it_lies():
    layer = compiled.layer(DEFINITIONS["packed"]).numpy
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
