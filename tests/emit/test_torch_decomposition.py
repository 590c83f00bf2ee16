"""The decomposition of a layer in PyTorch's operations: every layer beside NumPy, rules of derivatives, modes."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lngen
from lngen.language.parsing import load, parse
from lngen.pipeline.stages import derived
from tests import compiled
from tests.callers import SIZES, drawn
from tests.hosts import decomposed, layer_of
from tests.requirements import NO_TORCH
from tests.shipped import LAYERS, ROOT
from tests.tiers import sample

torch = pytest.importorskip("torch", reason=NO_TORCH)
# Forward mode has PyTorch load what it has deprecated itself.
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning")


def assert_same(found: Any, other: Any) -> None:
    """Two arrays are equal but for roundings of float64."""
    found = found.detach().float() if found.dtype.itemsize == 1 else found.detach()
    other = np.asarray(other, np.float64)
    scale = max(1.0, float(np.abs(other).max(initial=0)))
    np.testing.assert_allclose(found.double().numpy() / scale, other / scale, rtol=0, atol=1e-12)


@pytest.mark.parametrize("absent", [False, True], ids=["whole", "left out"])
@pytest.mark.parametrize("name", sample(LAYERS, ["layer_norm"], ["group_norm", "label_cross_entropy", "rotary"]))
def test_every_direction_of_a_layer_is_that_of_numpy(name, absent):
    definition = load(ROOT / "derive" / f"{name}.py")
    numpy, backend = (importlib.import_module(f"generated.{name}.{each}_backend") for each in ("numpy", "torch"))
    arrays = drawn(definition, (2, 3), 7, absent)
    arrays = {each["name"]: arrays[each["name"]] for each in numpy.INTERFACE["inputs"]}
    sizes = {s.name: SIZES[s.name] for s in definition.sizes if not any(p.axis == s.name for p in definition.parts)}
    y, saved = numpy.forward(*arrays.values(), **sizes)
    outputs = y if isinstance(y, tuple) else (y,)
    wanted = [each["of"] for each in numpy.INTERFACE["gradients"]]
    moving = [key for key in wanted if arrays[key] is not None]
    constants = [each["default"] for each in numpy.INTERFACE["constants"]]
    tensors = {key: value if value is None else torch.tensor(value) for key, value in arrays.items()}
    given = (*sizes.values(),) if definition.layout else ()

    def call(*values: Any) -> Any:
        made = decomposed(backend)(*(tensors | dict(zip(moving, values, strict=True))).values(), *constants, *given)
        return made if isinstance(made, tuple) else (made,)

    random = np.random.default_rng(1)
    inputs = [tensors[key].clone().requires_grad_() for key in moving]
    made = call(*inputs)
    for found, other in zip(made, outputs, strict=True):
        assert_same(found, other)
    cotangents = [random.normal(size=np.shape(each)).astype(np.asarray(each).dtype) for each in outputs]
    if definition.casts:  # NumPy rounds no cotangent
        return
    by = [torch.tensor(each).requires_grad_() for each in cotangents]
    along = [torch.tensor(random.normal(size=each.shape)) for each in inputs]
    gradients = torch.autograd.grad(made, inputs, by, create_graph=True)
    of_numpy = dict(zip(wanted, numpy.backward(saved, *cotangents), strict=True))
    for key, found in zip(moving, gradients, strict=True):
        assert_same(found, of_numpy[key])
    steps = {key: each.numpy() for key, each in zip(moving, along, strict=True)}
    tangents = numpy.jvp(saved, *(steps.get(key) for key in wanted))
    moved = torch.func.jvp(call, tuple(each.detach() for each in inputs), tuple(along))[1]
    for found, other in zip(moved, tangents if isinstance(y, tuple) else (tangents,), strict=True):
        assert_same(found, other)
    again = numpy.backward_backward(saved, tuple(cotangents), *(steps.get(key) for key in wanted))
    pairs = [(of, step) for of, step in zip(gradients, along, strict=True) if of.requires_grad]
    of, steps_of = zip(*pairs, strict=True)
    second = torch.autograd.grad(of, [*inputs, *by], steps_of, allow_unused=True, materialize_grads=True)
    own = [again[wanted.index(key)] for key in moving]
    for found, other in zip(second, [*own, *again[len(wanted) :]], strict=False):
        assert_same(found, other)


# ---- rules of derivatives that the printer keeps


def gradient(layer: Any, x: Any) -> Any:
    x = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    return torch.autograd.grad(layer(x).sum(), x)[0]


RULES = {
    "the first of several extremes": ("def f(x: Row): return max(x)", [[1, 3, 3], [2, 2, 1]], [[0, 1, 0], [1, 0, 0]]),
    "the smallest, of a row that is not a number": (
        "def f(x: Row): return min(x)",
        [[1, 0, 0], [float("nan"), 1, 2]],
        [[0, 1, 0], [1, 0, 0]],
    ),
    "abs at 0": ("def f(x: Row): return abs(x)", [[-2, 0, 3]], [[-1, 0, 1]]),
    "a branch that is not chosen": (
        "def f(x: Row, p: Constant = 0.5): return where(x > 0, abs(x)**p, 0)",
        [[4, 0, -1]],
        [[0.25, 0, 0]],
    ),
    "a branch that is chosen otherwise": (
        "def f(x: Row): return where(x > 0, 1, sqrt(-x))",
        [[0.5, 4, -0.25]],
        [[0, 0, -1]],
    ),
    "a select of numbers": ("def f(x: Row): return x*where(x > 0, 0.1, 0.3)", [[2, -2]], [[0.1, 0.3]]),
    "softplus far from 0": ("def f(x: Row): return softplus(x)", [[-800, 0, 800]], [[0, 0.5, 1]]),
}


@pytest.mark.parametrize("rule", RULES)
def test_a_derivative_is_that_of_the_definition(rule):
    text, x, wanted = RULES[rule]
    backend = compiled.backend(text, "torch")
    wanted = torch.tensor(wanted, dtype=torch.float64)
    constants = [each["default"] for each in layer_of(backend).interface["constants"]]
    found = gradient(lambda x: decomposed(backend)(x, *constants), x)
    torch.testing.assert_close(found, wanted, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("kind", ["float8_e4m3fn", "float8_e5m2"])
def test_derivatives_go_straight_through_casts(kind):
    backend = compiled.backend(f'def f(x: Row): return cast(2*x, "{kind}")', "torch")
    x = torch.tensor([[0.3, 1e9, -1e9, float("inf")]], dtype=torch.float64, requires_grad=True)
    y = decomposed(backend)(x)
    largest = torch.finfo(y.dtype).max
    torch.testing.assert_close(y[0, 1:].float(), torch.tensor([largest, -largest, largest]))
    (found,) = torch.autograd.grad(y, x, torch.full_like(y, 0.5))
    assert found.tolist() == [[1, 1, 1, 0]]


def test_integers_have_no_derivative():
    backend = compiled.backend('def f(x: Row): return cast(x, "int8")', "torch")
    x = torch.tensor([[0.5, 1.5, -300, float("nan")]], requires_grad=True)
    y = decomposed(backend)(x)
    assert (y.dtype, y.tolist(), y.requires_grad) == (torch.int8, [[0, 2, -128, 0]], False)


def test_masked_logits_have_finite_derivatives():
    x = [[2.0, -float("inf"), 1.0]]
    for name in ("softmax", "logsumexp"):
        layer, plain = decomposed(importlib.import_module(f"generated.{name}.torch_backend")), getattr(torch, name)
        torch.testing.assert_close(
            gradient(lambda x, f=layer: f(x).sin(), x), gradient(lambda x, f=plain: f(x, -1).sin(), x)
        )
        second = torch.func.hessian(lambda x, f=layer: f(x).sin().sum())(torch.tensor(x))
        assert second.isfinite().all()


def test_a_large_mean_costs_no_digits():
    layer = decomposed(importlib.import_module("generated.layer_norm.torch_backend"))
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(16, 768, generator=generator) + 1e4
    by = torch.randn(16, 768, generator=generator)

    def both(function: Any, x: Any, by: Any) -> Any:
        x = x.clone().requires_grad_()
        y = function(x)
        return y.detach(), *torch.autograd.grad(y, x, by)

    wanted = both(lambda x: torch.nn.functional.layer_norm(x, (768,)), x.double(), by.double())
    for found, exact in zip(both(lambda x: layer(x, None, None, 1e-5), x, by), wanted, strict=True):
        assert (found - exact).abs().max() < 1e-6 * exact.abs().max()


@pytest.mark.parametrize("name", ["torch", "math"])
def test_a_layer_may_be_called_as_a_module(name):
    text = f'def {name}(x: Array["n (g c) ..."], g: Size = 2): return x - mean(x, "c ...")'
    backend = compiled.backend(text, "torch")
    x = torch.arange(12.0).reshape(1, 4, 3)
    torch.testing.assert_close(decomposed(backend)(x, 2), getattr(backend, name)(x))


OF_SELECTS = """
def f(x: Row, i: Int["..."] = 1):
    k = relu(mean(x))
    a = where((i == 0) | ~(k != 0.3), D / 2, (-k / (1 + sigmoid(k * 0.001))) ** 4)
    return 4 / maximum(minimum(min(x - x), where(pick(x, i) > x, a, silu(x))), 0.1)
"""


def test_lines_of_selects_within_selects_grow_with_their_number():
    """Written out in each value that they guard, branches were 50 MB."""
    text = derived(parse(OF_SELECTS), proved=False, backends=["torch"]).text("torch_backend.py")
    assert len(text) < 20_000


@pytest.mark.parametrize("depth", sample([1, 2, 4], (), [2]))
def test_gradients_of_clips_of_clips_are_those_by_hand(depth):
    lines = "".join(f"    u{n} = clip(silu(u{n - 1})*w, -{n}, {n})\n" for n in range(1, depth + 1))
    text = f"def clipped(u0: Row, w: Feature = 1):\n{lines}    return u{depth}*mean(u{depth})\n"
    module: Any = lngen.derive(text, backends=["torch"]).load("torch")
    assert Path(module.__file__).read_text().count("torch.where") < 15 * depth
    x = torch.linspace(-4, 9, 14, dtype=torch.float64).reshape(2, 7).requires_grad_()
    w = torch.linspace(1, 3, 7, dtype=torch.float64).requires_grad_()
    u = x
    for n in range(1, depth + 1):
        u = torch.clamp(torch.nn.functional.silu(u) * w, -n, n)
    expected = torch.autograd.grad((u * u.mean(-1, keepdim=True)).square().sum(), (x, w))
    found = torch.autograd.grad(decomposed(module)(x, w).square().sum(), (x, w))
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)
