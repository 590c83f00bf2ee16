"""Calls of a layer in PyTorch: whatever looks on or differentiates sees them, and nothing is kept."""

from __future__ import annotations

import gc
import importlib
import sys
import threading
from typing import Any

import pytest

from lngen.runtime.native.extensions import headers
from tests.requirements import NO_TORCH, needs_gxx

torch = pytest.importorskip("torch", reason=NO_TORCH)
pytestmark = [
    needs_gxx,
    pytest.mark.skipif(not headers(), reason="no headers of Python"),
    # Forward mode has PyTorch load what it has deprecated itself.
    pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning"),
]
norm = importlib.import_module("generated.layer_norm.torch_backend")
add = importlib.import_module("generated.add_layer_norm.torch_backend")


def test_calls_without_gradients():
    x = torch.randn(5, 33)
    for context in (torch.no_grad, torch.inference_mode):
        with context():
            torch.testing.assert_close(norm.layer_norm(x), torch.nn.functional.layer_norm(x, (33,)))
            module = norm.LayerNorm(33)
            torch.testing.assert_close(module(x), torch.nn.functional.layer_norm(x, (33,)))
    long = torch.randn(900, 33)  # whose row scalars are too many for the stack
    torch.testing.assert_close(norm.layer_norm(long), torch.nn.functional.layer_norm(long, (33,)))


class Mode(torch.overrides.TorchFunctionMode):
    """Counts the operators of a layer."""

    count = 0

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.count += "layer_norm_forward" in str(function)
        return function(*args, **(kwargs or {}))


def test_what_has_a_say_in_a_call_is_heard():
    x = torch.randn(3, 8)
    expected = torch.nn.functional.layer_norm(x, (8,))
    with Mode() as mode:
        norm.layer_norm(x)
    assert mode.count == 1
    packed = []
    with torch.autograd.graph.saved_tensors_hooks(lambda value: packed.append(value) or value, lambda value: value):
        norm.layer_norm(x.clone().requires_grad_())
    assert packed
    with torch.profiler.profile() as profile:
        norm.layer_norm(x)
    assert any("layer_norm_forward" in each.key for each in profile.key_averages())
    torch.testing.assert_close(torch.vmap(norm.layer_norm)(x), expected)
    torch.testing.assert_close(torch.func.jvp(norm.layer_norm, (x,), (x,))[0], expected)
    (gradient,) = torch.func.grad(lambda value: norm.layer_norm(value).square().sum().sin(), argnums=(0,))(x)
    plain = x.clone().requires_grad_()
    (own,) = torch.autograd.grad(torch.nn.functional.layer_norm(plain, (8,)).square().sum().sin(), plain)
    torch.testing.assert_close(gradient, own, rtol=1e-3, atol=1e-4)
    with torch.autocast("cpu", torch.bfloat16):
        assert norm.layer_norm(x).dtype == torch.float32
    with torch._subclasses.FakeTensorMode() as fake:
        assert isinstance(norm.layer_norm(fake.from_tensor(x)), torch._subclasses.FakeTensor)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, x)
        assert torch.autograd.forward_ad.unpack_dual(norm.layer_norm(dual)).tangent is not None


def test_a_gradient_with_a_graph_is_that_of_the_operators():
    inputs = [
        torch.randn(3, 8, dtype=torch.float64, requires_grad=True),
        torch.randn(8, dtype=torch.float64).requires_grad_(),
    ]
    found = []
    for function in (norm.layer_norm, lambda x, gamma: torch.nn.functional.layer_norm(x, (8,), gamma)):
        (dx,) = torch.autograd.grad(function(*inputs).sin().sum(), inputs[:1], create_graph=True)
        found.append(torch.autograd.grad(dx.square().sum(), inputs))
    torch.testing.assert_close(*found)


def test_mistakes_are_refused():
    x = torch.randn(3, 8, requires_grad=True)
    with pytest.raises(ValueError, match=r"gamma has shape \(7,\)"):
        norm.layer_norm(x, torch.ones(7))
    with pytest.raises(TypeError, match=r"gamma is of type torch\.int64"):
        norm.layer_norm(x, torch.ones(8, dtype=torch.int64))
    for eps in (-1.0, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="eps is"):
            norm.layer_norm(x, eps=eps)
    y = norm.layer_norm(x)
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()
    gamma = torch.ones(8, requires_grad=True)
    y = norm.layer_norm(x, gamma)
    with torch.no_grad():
        gamma.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_nothing_is_kept():
    x, gamma = torch.randn(3, 8, requires_grad=True), torch.ones(8, requires_grad=True)
    weight = torch.ones(3, 8)

    def both() -> None:
        torch.autograd.grad(norm.layer_norm(x, gamma), (x, gamma), weight)
        add.add_layer_norm(x.detach(), x.detach())

    def counts() -> list[int]:
        gc.collect()
        return [
            *map(sys.getrefcount, (x, gamma, weight, None)),
            sum(type(each) is torch.Tensor for each in gc.get_objects()),
        ]

    both()
    before = counts()
    for _ in range(200):
        both()
    after = counts()
    assert before[:3] == after[:3]
    assert abs(before[3] - after[3]) < 50
    assert before[4] == after[4]


def test_threads_have_memory_of_their_own():
    inputs = [torch.randn(64, 128, requires_grad=True) for _ in range(4)]
    expected = [torch.autograd.grad(norm.layer_norm(x).sin().sum(), x) for x in inputs]
    found: list[Any] = [None] * 4

    def work(place: int) -> None:
        for _ in range(30):
            found[place] = torch.autograd.grad(norm.layer_norm(inputs[place]).sin().sum(), inputs[place])

    tasks = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for task in tasks:
        task.start()
    for task in tasks:
        task.join()
    assert all(
        torch.equal(*pair) for one, other in zip(found, expected, strict=True) for pair in zip(one, other, strict=True)
    )
