"""Layers whose axes have names: on every backend beside PyTorch's own, and planted mistakes that checks refuse."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

from lngen.checks.named_axes import named_axes
from lngen.checks.on_rows import on_rows
from lngen.checks.thresholds.of_cpu import header
from lngen.language.parsing import parse
from lngen.pipeline.stages import derived, planned
from lngen.plan.cost import cost
from lngen.report.formulas import formulas
from tests import compiled
from tests.beyond_rows import AXES, DATA, arrays
from tests.requirements import needs_gxx, needs_torch
from tests.tiers import sample

EACH = sample(AXES, ("group_norm",))


def failures(layer, module):
    return [evidence.what for evidence in named_axes(layer.definition, module, 0) if not evidence.passed]


# ---- the layer on rows


@pytest.mark.parametrize("backend", sample(("numpy", "cpu"), ("numpy",)))
@pytest.mark.parametrize("name", EACH)
def test_results_are_those_of_the_layer_on_rows(name, backend):
    layer = compiled.layer(AXES[name])
    assert failures(layer, getattr(layer, backend)) == []


def _forgets_a_part(axes):
    old = axes._total
    return axes, "_total", lambda values, axis: old(values[(slice(None),) * axis + (slice(1, None),)], axis)


def _adds_over_another_axis(axes):
    old = axes._total
    return axes, "_total", lambda values, axis: np.broadcast_to(old(values, 0), old(values, axis).shape)


def _takes_rows_in_another_order(axes):
    old = axes.written_out
    return axes, "written_out", lambda *given: old(*given)[..., ::-1]


@pytest.mark.parametrize("mistake", [_forgets_a_part, _adds_over_another_axis, _takes_rows_in_another_order])
@pytest.mark.parametrize(
    "name", sample(("ada_layer_norm", "group_norm", "head_rms_norm", "by_sample_and_place"), ("ada_layer_norm",))
)
def test_a_planted_mistake_is_refused(name, mistake):
    layer = compiled.layer(AXES[name])
    of, attribute, wrong = mistake(sys.modules[type(layer.numpy._AXES).__module__])
    old = getattr(of, attribute)
    setattr(of, attribute, wrong)
    try:
        found = failures(layer, layer.numpy)
    except (ValueError, IndexError) as error:
        found = [str(error)]
    finally:
        setattr(of, attribute, old)
    assert found
    assert failures(layer, layer.numpy) == []


@pytest.mark.ci
def test_the_layer_on_rows_is_a_layer_without_axes():
    layer = compiled.layer(AXES["group_norm"])
    rows = on_rows(layer.numpy)
    assert "layout" not in rows.INTERFACE
    x, gamma = np.ones((2, 3, 8)), np.full((2, 3, 8), 2.0)
    y, saved = rows.forward(x, gamma)
    assert y.shape == x.shape
    assert rows.backward(saved, y).dgamma.shape == gamma.shape


# ---- in PyTorch and JAX


@needs_torch
@pytest.mark.ci
def test_a_group_norm_is_traced_as_one_graph():
    torch = importlib.import_module("torch")
    function = compiled.backend(AXES["group_norm"], "torch").group_norm
    given = [torch.tensor(value) for value in arrays("group_norm").values()]
    assert torch.equal(torch.compile(function, backend="aot_eager", fullgraph=True)(*given), function(*given))


@needs_torch
@pytest.mark.ci
def test_a_module_has_parameters_of_their_shape():
    torch = importlib.import_module("torch")
    module = compiled.backend(AXES["group_norm"], "torch").GroupNorm(3, 12)
    numpy_module = compiled.layer(AXES["group_norm"]).numpy.GroupNorm(3, 12)
    assert [tuple(each.shape) for each in module.parameters()] == [(12,), (12,)]
    assert repr(module) == repr(numpy_module) == "GroupNorm(g=3, g_c=12, eps=1e-05)"
    with pytest.raises(ValueError, match="g_c is 13; pass a multiple of the other size, 3"):
        type(module)(3, 13)
    x = torch.randn(2, 12, 5, 3)
    assert torch.allclose(module(x), torch.nn.GroupNorm(3, 12)(x), atol=1e-6)
    problem = r"the rows have \(g c\) of \(15,\), and the layer was made for \(12,\), the shape of its gamma; pass rows"
    with pytest.raises(ValueError, match=problem):
        module(torch.randn(2, 15, 5, 3))
    assert list(compiled.backend(AXES["ada_layer_norm"], "torch").AdaLayerNorm().parameters()) == []


# ---- the other directions, and arguments


@pytest.mark.ci
@pytest.mark.parametrize("name", AXES)
def test_jvp_is_the_transpose_of_backward(name):
    layer = compiled.layer(AXES[name])
    given = arrays(name)
    along = {key: value for key, value in arrays(name, seed=1).items() if key not in DATA}
    for module in (layer.numpy, layer.cpu):
        y, saved = module.forward(*given.values())
        outputs = y if isinstance(y, tuple) else (y,)
        weights = [np.random.default_rng(2).standard_normal(each.shape) for each in outputs]
        tangents = module.jvp(saved, *along.values())
        tangents = tangents if isinstance(tangents, tuple) else (tangents,)
        gradients = module.backward(saved, *weights)
        left = sum((a * b).sum() for a, b in zip(tangents, weights, strict=True))
        right = sum((a * b).sum() for a, b in zip(along.values(), gradients, strict=True))
        assert abs(left - right) < 1e-12 * max(1, abs(right)) * 10
        seconds = module.backward_backward(saved, weights, *gradients)
        assert all(np.isfinite(each).all() for each in seconds if each is not None)


@pytest.mark.ci
@pytest.mark.parametrize("dtype", [np.float64, np.float16])
def test_weights_that_are_constant_in_runs_serve_every_direction(dtype):
    layer, draw = compiled.layer(AXES["group_norm"]), np.random.default_rng(0)
    x, dy, along = (draw.standard_normal((3, 12, 8, 8)).astype(dtype) for _ in range(3))
    weights = [draw.standard_normal(12).astype(dtype) for _ in range(4)]

    def results(module, kind):
        own, cotangent, moved, *parameters = (each.astype(kind) for each in (x, dy, along, *weights))
        y, saved = module.forward(own, *parameters[:2], g=4)
        tangents = moved, *parameters[2:]
        second = module.backward_backward(saved, cotangent, *tangents)
        return [y, *module.backward(saved, cotangent), module.jvp(saved, *tangents), *second]

    for found, exact in zip(results(layer.cpu, dtype), results(layer.numpy, np.float64), strict=True):
        assert found.dtype == dtype
        assert np.abs(found - exact).max() <= 8 * np.finfo(dtype).eps * max(1, np.abs(exact).max())


def test_arrays_left_out_have_no_gradient():
    layer = compiled.layer(AXES["group_norm"])
    x = arrays("group_norm")["x"]
    y, saved = layer.numpy.forward(x, g=4)
    assert layer.numpy.backward(saved, y)[1:] == (None, None)
    full, _ = layer.numpy.forward(x, np.ones(64), np.zeros(64), g=4)
    assert np.array_equal(y, full)


@pytest.mark.ci
def test_half_precision_is_computed_in_single():
    layer = compiled.layer(AXES["head_rms_norm"])
    given = [value.astype(np.float16) for value in arrays("head_rms_norm").values()]
    y, saved = layer.numpy.forward(*given)
    exact, _ = layer.numpy.forward(*[value.astype(np.float64) for value in given])
    assert y.dtype == np.float16
    assert np.abs(y - exact).max() <= np.finfo(np.float16).eps * np.abs(exact).max()
    assert all(each.dtype == np.float16 for each in layer.numpy.backward(saved, y))


@pytest.mark.ci
def test_a_wrong_size_is_refused():
    layer = compiled.layer(AXES["group_norm"])
    x = arrays("group_norm")["x"]
    with pytest.raises(ValueError, match="g = 5 does not divide its axis"):
        layer.numpy.forward(x, g=5)
    with pytest.raises(TypeError, match=r"g is 3\.0"):
        layer.numpy.forward(x, g=3.0)
    with pytest.raises(ValueError, match=r"pass \(n c \.\.\.\), with one axis or more for \.\.\."):
        compiled.layer(AXES["instance_norm"]).numpy.forward(np.ones((2, 3)))
    _, saved = layer.numpy.forward(x)
    with pytest.raises(ValueError, match="dy has shape"):
        layer.numpy.backward(saved, x[:1])
    with pytest.raises(TypeError, match=r"pass the sizes of the axes n g c \.\.\."):
        layer.numpy.saved_from(**{**saved._asdict(), "shape": None})
    again = layer.numpy.saved_from(**{**saved._asdict(), "dtypes": {"x": np.float64}})
    assert np.array_equal(layer.numpy.backward(again, x).dx, layer.numpy.backward(saved, x).dx)


# ---- what is told


@pytest.mark.ci
def test_an_array_without_all_axes_is_no_row_tensor_that_is_moved():
    for name, expected in (("ada_layer_norm", (2, 3)), ("group_norm", (2, 3)), ("batch_norm", (2, 3))):
        plan = planned(parse(AXES[name]), proved=False)
        assert (cost(plan.forward).tensors, cost(plan.backward).tensors) == expected


def test_formulas_tell_the_sums_over_axes():
    lines = formulas(planned(parse(AXES["ada_layer_norm"]), proved=False))["backward"]
    assert 'dshift = sum(dy, "...")' in lines


def test_an_entry_is_picked_where_axes_have_names():
    for text in ("pick(x, i)", 'pick(x, i, "c")'):
        definition = parse(f'def f(x: Array["n c h"], i: Int["n h"]): return log(sum(exp(x), "c")) - {text}')
        assert definition.layout is not None
        assert definition.layout.features == ("c",)


def test_an_array_with_axes_of_any_number_is_no_parameter_of_a_class() -> None:
    """A class with an argument that is called "..." is no Python."""
    made = derived(parse('def f(w: Array["n c ..."], t: Array["..."]): return mean(t*w, "...")'), proved=False)
    for name in ("numpy_backend.py", "torch_backend.py", "jax_backend.py"):
        compile(made.text(name), name, "exec")
    assert "`f` as an object without parameters." in made.text("numpy_backend.py")


@needs_gxx
def test_thresholds_of_compiled_rows_are_read_from_the_code_of_the_layer() -> None:
    cpu = compiled.layer(AXES["ada_layer_norm"]).cpu
    assert on_rows(cpu).__file__ == cpu.__file__
    assert header(Path(on_rows(cpu).__file__).parent)
