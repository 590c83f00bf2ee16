"""Calls that native/tensor_call.c takes, and those that it leaves to others: the same bits, and nothing kept."""

from __future__ import annotations

import gc
import importlib
import itertools
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from lngen.runtime.native.extensions import headers
from tests.requirements import NO_TORCH, needs_gxx
from tests.tiers import sample

torch = pytest.importorskip("torch", reason=NO_TORCH)
pytestmark = [
    needs_gxx,
    pytest.mark.skipif(not headers(), reason="no headers of Python"),
    # Forward mode has PyTorch load what it has deprecated itself.
    pytest.mark.filterwarnings("ignore:.torch.jit.script:DeprecationWarning"),
]
calls = importlib.import_module("generated._runtime.torch.calls")
norm = importlib.import_module("generated.layer_norm.torch_backend")
add = importlib.import_module("generated.add_layer_norm.torch_backend")
NAMES = (
    "layer_norm", "add_layer_norm", "add_rms_norm", "dynamic_tanh", "softmax", "rms_norm_gated", "cross_entropy",
)  # fmt: skip
MODULES = {name: importlib.import_module(f"generated.{name}.torch_backend") for name in NAMES}


class Left:
    """Calls that were left to `TorchKernels`, by the names of its functions."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def take(self) -> list[str]:
        """Return it, and begin anew."""
        found, self.names = self.names, []
        return found


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> Left:
    """All layers compile, and note what their fast checks do not take."""
    found = Left()

    def noting(name: str, function: Any) -> Any:
        return lambda *args: (found.names.append(name), function(*args))[1]

    for module in MODULES.values():
        kernels = module._LAYER.operators.kernels
        monkeypatch.setattr(kernels, "host", kernels.compiled)
        for name in ("forward_in_part", "backward"):
            monkeypatch.setattr(kernels, name, noting(name, getattr(kernels, name)))
    return found


def slow(monkeypatch: Any) -> None:
    """No call is taken by the fast check."""
    monkeypatch.setattr(calls.TorchCalls, "_call", lambda *_: None)


def drawn(module: Any, dtype: Any, parameters: Any, shape: tuple[int, ...] = (2, 3, 33)) -> list[Any]:
    """Inputs of a layer that require a gradient."""
    generator = torch.Generator().manual_seed(0)
    shapes = {"Row": shape, "RowScalar": shape[:-1], "Feature": shape[-1:], "Scalar": ()}
    return [
        torch.randn(shapes[each["kind"]], generator=generator)
        .to(dtype if each["kind"].startswith("Row") else parameters)
        .requires_grad_()
        for each in module._LAYER.interface["inputs"]
    ]


def results(module: Any, inputs: list[Any], used: Any = None) -> list[Any]:
    """Outputs of a layer, and gradients of those that are `used`."""
    made = module._LAYER.call(*inputs, *[each["default"] for each in module._LAYER.interface["constants"]])
    made = made if isinstance(made, tuple) else (made,)
    outputs = [made[place] for place in (used or range(len(made)))]
    weights = [torch.linspace(-1, 1, each.numel()).view(each.shape).to(each.dtype) for each in outputs]
    moved = [each for each in inputs if each is not None and each.requires_grad]
    return [*made, *torch.autograd.grad(outputs, moved, weights, allow_unused=True)]


TYPES = {
    "f32": (torch.float32, torch.float32),
    "f64": (torch.float64, torch.float64),
    "bf16": (torch.bfloat16, torch.float32),
    "bf16 alone": (torch.bfloat16, torch.bfloat16),
    "f16 alone": (torch.float16, torch.float16),
}
EVERY = [*itertools.product(MODULES, TYPES)]
FEW = [("softmax", "f32")]
SOME = [("layer_norm", "bf16"), ("add_layer_norm", "f64"), ("dynamic_tanh", "f32"), ("dynamic_tanh", "bf16 alone")]


@pytest.mark.parametrize(("name", "kind"), sample(EVERY, FEW, SOME))
def test_usual_calls_are_taken_and_have_the_same_bits(name, kind, left, monkeypatch):
    module, (dtype, parameters) = MODULES[name], TYPES[kind]
    every = drawn(module, dtype, parameters)
    optional = [place for place, each in enumerate(module._LAYER.interface["inputs"]) if each["default"] is not None]
    absences = [[], *([place] for place in optional), optional]
    outputs = len(module._LAYER.interface["outputs"])
    cases = [
        ([None if place in absent else value for place, value in enumerate(every)], used)
        for absent, used in itertools.product(absences, [None, *([[0], [1]] if outputs > 1 else [])])
    ]
    found = [results(module, *case) for case in cases]
    assert left.take() == []
    slow(monkeypatch)
    for case, made in zip(cases, found, strict=True):
        expected = results(module, *case)
        for one, other in zip(made, expected, strict=True):
            assert (one is None) == (other is None)
            assert one is None or (one.dtype, one.shape, one.is_contiguous()) == (other.dtype, other.shape, True)
            assert one is None or torch.equal(one, other)
    assert set(left.take()) == {"forward_in_part", "backward"}


def test_parameters_and_their_gradients_are_converted_to_the_same_bits(left, monkeypatch):
    numbers = [0.0, -0.0, 1e-40, -3e38, 3.3e38, float("inf"), -float("inf"), float("nan"), 1.00390625, 1.01171875]
    gamma = torch.tensor(numbers, dtype=torch.float32).to(torch.bfloat16).requires_grad_()
    inputs = [torch.randn(7, len(numbers)).to(torch.bfloat16).requires_grad_(), gamma, None]
    weight = torch.randn(7, len(numbers)).to(torch.bfloat16)
    weight[0, 3] = float("nan")  # in one gradient of gamma

    def bits() -> list[Any]:
        y = norm.layer_norm(*inputs)
        return [each.view(torch.int16) for each in (y, *torch.autograd.grad(y, inputs[:2], weight))]

    found = bits()
    assert left.take() == []
    slow(monkeypatch)
    assert all(torch.equal(*pair) for pair in zip(found, bits(), strict=True))


def test_labels_in_64_bits_are_taken(monkeypatch):
    losses = importlib.import_module("generated.label_cross_entropy.torch_backend")
    kernels = losses._LAYER.operators.kernels
    monkeypatch.setattr(kernels, "host", kernels.compiled)
    x = torch.randn(9, 33, requires_grad=True)
    label = torch.tensor([0, 32, -100, 33, -1, 2**31, -(2**31) - 1, 2**40, 2**32 + 5])

    def results_of(labels: Any) -> list[Any]:
        loss = losses.label_cross_entropy(x, labels)
        return [loss, *torch.autograd.grad(loss, x, torch.linspace(-1, 1, 9))]

    found = results_of(label)
    with monkeypatch.context() as context:
        context.setattr(kernels, "forward_in_part", None)
        context.setattr(kernels, "backward", None)
        assert all(torch.equal(*pair) for pair in zip(found, results_of(label), strict=True))
    assert not torch.equal(found[0], results_of(label % 2**32)[0])  # as if higher bits were lost
    slow(monkeypatch)
    assert all(torch.equal(*pair) for pair in zip(found, results_of(label), strict=True))


def test_rows_in_several_chunks_have_the_same_bits(left, monkeypatch):
    inputs = drawn(norm, torch.float32, torch.float32, (300, 400))
    found = results(norm, inputs)
    assert left.take() == []
    slow(monkeypatch)
    assert all(torch.equal(*pair) for pair in zip(found, results(norm, inputs), strict=True))
    assert set(left.take()) == {"forward_in_part", "backward"}


def test_calls_without_gradients_are_taken(left):
    x = torch.randn(5, 33)
    for context in (torch.no_grad, torch.inference_mode):
        with context():
            torch.testing.assert_close(norm.layer_norm(x), torch.nn.functional.layer_norm(x, (33,)))
            module = norm.LayerNorm(33)
            torch.testing.assert_close(module(x), torch.nn.functional.layer_norm(x, (33,)))
    long = torch.randn(900, 33)  # whose row scalars are too many for the stack
    torch.testing.assert_close(norm.layer_norm(long), torch.nn.functional.layer_norm(long, (33,)))
    assert left.take() == []


def _views() -> dict[str, Callable[[], Any]]:
    x = torch.randn(4, 6, 8)
    return {
        "apart": lambda: x.transpose(0, 1),
        "within": lambda: x[..., ::2],
        "shared": lambda: x[:1].expand(4, 6, 8),
        "negative": lambda: torch._neg_view(x),
        "long": lambda: torch.randn(1100, 1000),
        "none": lambda: x[:0],
    }


@pytest.mark.parametrize("name", _views())
def test_other_tensors_are_left_to_what_reads_them(name, left):
    x = _views()[name]()
    torch.testing.assert_close(norm.layer_norm(x), torch.nn.functional.layer_norm(x, x.shape[-1:]))
    assert left.take() == ["forward_in_part"]


class Mode(torch.overrides.TorchFunctionMode):
    """Counts the operators of a layer."""

    count = 0

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.count += "layer_norm_forward" in str(function)
        return function(*args, **(kwargs or {}))


def test_what_has_a_say_in_a_call_is_heard(left):
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


def test_a_gradient_with_a_graph_is_that_of_the_operators(left):
    inputs = [
        torch.randn(3, 8, dtype=torch.float64, requires_grad=True),
        torch.randn(8, dtype=torch.float64).requires_grad_(),
    ]
    found = []
    for function in (norm.layer_norm, lambda x, gamma: torch.nn.functional.layer_norm(x, (8,), gamma)):
        (dx,) = torch.autograd.grad(function(*inputs).sin().sum(), inputs[:1], create_graph=True)
        found.append(torch.autograd.grad(dx.square().sum(), inputs))
    torch.testing.assert_close(*found)


def test_mistakes_are_refused_as_by_others(left):
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


def test_nothing_is_kept(left):
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
    assert left.take() == []


def test_threads_have_memory_of_their_own(left):
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


@pytest.fixture
def without_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """An older PyTorch."""
    kernels = norm._LAYER.operators.kernels
    monkeypatch.setattr(kernels, "host", kernels.compiled)
    monkeypatch.setattr(calls, "_TABLE", None)


def test_an_older_pytorch_is_served(without_table):
    fresh = calls.TorchCalls(norm._LAYER.operators.kernels)
    x = torch.randn(3, 8)
    made, row_scalars = fresh.forward_in_part((x, None, None, 1e-5, False))
    torch.testing.assert_close(made[0], torch.nn.functional.layer_norm(x, (8,)))
    assert not isinstance(row_scalars, torch.Tensor)
