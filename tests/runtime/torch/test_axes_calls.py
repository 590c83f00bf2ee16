"""Plans of layers whose axes have names, on tensors of the processor: Python's bits, and no plan too many."""

from __future__ import annotations

import gc
import importlib
import weakref
from math import prod
from typing import Any

import pytest

from lngen.runtime.native.extensions import headers
from tests.requirements import NO_TORCH, needs_gxx
from tests.tiers import sample

torch = pytest.importorskip("torch", reason=NO_TORCH)
pytestmark = [needs_gxx, pytest.mark.skipif(not headers(), reason="no headers of Python")]
axes_calls = importlib.import_module("generated._runtime.torch.axes_calls")
SIZES = {"b": 2, "t": 3, "h": 4, "d": 32, "n": 2, "g": 32, "c": 2, "s": 2, "w": 5}
DIRECTIONS = ["forward", "backward"]
NAMES = (
    "head_rms_norm", "ada_layer_norm", "group_norm", "batch_norm", "layer_norm_hw", "rotary", "packed_swiglu",
)  # fmt: skip


class Planned:
    """A layer, and the directions of which calls were planned, and those of which Python made calls."""

    def __init__(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.of = importlib.import_module(f"generated.{name}.torch_backend")._LAYER
        self.plans: list[str] = []
        self.python: list[str] = []
        kernels, calls = self.of.calls.kernels, self.of.calls
        monkeypatch.setattr(kernels, "host", kernels.compiled)
        monkeypatch.setattr(calls, "_calls", {})
        preparing = calls._preparing

        def noted(direction: str) -> Any:
            prepare = preparing(direction)

            def plan(*arguments: Any) -> Any:
                found = prepare(*arguments)
                self.plans += [direction] if found else []
                return found

            return plan

        monkeypatch.setattr(calls, "_preparing", noted)
        for direction, function in zip(DIRECTIONS, ("forward_in_part", "backward"), strict=True):
            monkeypatch.setattr(kernels, function, self._noting(direction, getattr(kernels, function)))

    def _noting(self, direction: str, function: Any) -> Any:
        return lambda *args: (self.python.append(direction), function(*args))[1]

    def take(self) -> tuple[list[str], list[str]]:
        """Return both lists, and begin anew."""
        found = self.plans, self.python
        self.plans, self.python = [], []
        return found

    def drawn(self, dtype: Any, seed: int = 0) -> list[Any]:
        """Inputs that require a gradient where they may."""
        generator = torch.Generator().manual_seed(seed)
        shapes = [
            [
                size
                for axis in each["pattern"]
                for size in ([8, 8] if axis == ["..."] else [prod(SIZES[n] for n in axis)])
            ]
            for each in self.of.interface["inputs"]
        ]
        return [
            torch.randn(shape, generator=generator).to(dtype).requires_grad_(each["kind"] != "Data")
            for shape, each in zip(shapes, self.of.interface["inputs"], strict=True)
        ]

    def results(self, inputs: list[Any]) -> list[Any]:
        """The outputs, and the gradients of all inputs that require one."""
        sizes = [each["default"] for each in self.of.interface["layout"]["sizes"]]
        made = self.of.sized(sizes, *inputs, *[each["default"] for each in self.of.interface["constants"]])
        made = made if isinstance(made, tuple) else (made,)
        weights = [torch.linspace(-1, 1, each.numel()).view(each.shape).to(each.dtype) for each in made]
        moved = [each for each in inputs if each is not None and each.requires_grad]
        return [*made, *torch.autograd.grad(made, moved, weights)]

    def by_python(self, inputs: list[Any], monkeypatch: pytest.MonkeyPatch) -> list[Any]:
        """The same without plans."""
        with monkeypatch.context() as patch:
            patch.setattr(type(self.of.calls), "_call", lambda *_: None)
            return self.results(inputs)


def are_equal(found: list[Any], wanted: list[Any]) -> bool:
    """Test whether tensors have the same bits, types and strides."""
    pairs = [*zip(found, wanted, strict=True)]
    return all(
        torch.equal(one, other) and one.dtype == other.dtype and one.stride() == other.stride() for one, other in pairs
    )


@pytest.mark.parametrize("name", sample([*NAMES], ["head_rms_norm"], ["group_norm", "rotary", "ada_layer_norm"]))
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_calls_that_are_alike_are_planned_once_and_have_the_same_bits(name, dtype, monkeypatch):
    layer = Planned(name, monkeypatch)
    optional = [place for place, each in enumerate(layer.of.interface["inputs"]) if each["default"] is not None]
    for absent in ([], *([place] for place in optional)):
        for seed in range(2):
            inputs = [None if place in absent else value for place, value in enumerate(layer.drawn(dtype, seed))]
            found = layer.results(inputs)
            assert layer.take() == ((DIRECTIONS, DIRECTIONS) if seed == 0 else ([], []))
            assert are_equal(found, layer.by_python(inputs, monkeypatch))
            layer.take()


@pytest.mark.ci
def test_memory_of_the_caller_is_read_where_it_lies(monkeypatch):
    layer = Planned("head_rms_norm", monkeypatch)
    for seed in range(2):
        fused, (_, weight) = torch.randn(2, 3, 4, 96), layer.drawn(torch.float32, seed)
        cases = [fused[..., 32:64], fused[..., 64:], fused[:, :, [3, 1, 0, 2]].transpose(0, 1)[..., :32]]
        for x in cases:
            inputs = [x.requires_grad_(), weight]
            assert are_equal(layer.results(inputs), layer.by_python(inputs, monkeypatch))
    # The first two are alike but for where they start.
    assert layer.take()[0] == DIRECTIONS * 2


@pytest.mark.ci
def test_two_inputs_in_one_memory_are_another_call(monkeypatch):
    layer = Planned("ada_layer_norm", monkeypatch)
    for seed in range(2):
        x, scale, shift = layer.drawn(torch.float32, seed)
        for inputs in ([x, scale, scale], [x, scale, shift]):
            assert are_equal(layer.results(inputs)[:2], layer.by_python(inputs, monkeypatch)[:2])


def test_plan_keeps_no_tensor(monkeypatch):
    layer = Planned("head_rms_norm", monkeypatch)
    inputs = layer.drawn(torch.float32)
    found = [weakref.ref(each) for each in (*inputs, *layer.results(inputs))]
    del inputs
    gc.collect()
    assert [each() for each in found] == [None] * len(found)


@pytest.mark.ci
def test_what_is_copied_or_added_up_besides_has_no_plan(monkeypatch):
    norm = Planned("instance_norm", monkeypatch)
    of_few = Planned("layer_norm_hw", monkeypatch)
    cases = [(norm, torch.float32, ["forward"]), (of_few, torch.bfloat16, [])]
    for layer, dtype, planned in cases:
        inputs = layer.drawn(dtype)
        assert are_equal(layer.results(inputs), layer.by_python(inputs, monkeypatch))
        assert layer.take()[0] == planned
    # Nor has a call of many entries, which threads share.
    large = [torch.zeros(2, 1024, 8, 64), torch.zeros(8, 64)]
    heads = Planned("head_rms_norm", monkeypatch)
    with torch.no_grad():
        heads.of.sized((), *large, 1e-5)
    assert heads.take() == ([], ["forward"])


@pytest.mark.ci
def test_plan_of_other_memory_is_refused(monkeypatch):
    """A plan that is wrong in one pointer, which two tensors of one shape allow, is not used."""
    place = axes_calls._Memories.place

    def swapped(self: Any, array: Any) -> Any:
        found = place(self, array)
        return found and (found[0], {1: 2, 2: 1}.get(found[1], found[1]), found[2])

    monkeypatch.setattr(axes_calls._Memories, "place", swapped)
    layer = Planned("ada_layer_norm", monkeypatch)
    inputs = layer.drawn(torch.float32)
    found = layer.results(inputs)
    assert layer.take()[0] == []
    assert are_equal(found, layer.by_python(inputs, monkeypatch))


@pytest.mark.ci
def test_constants_are_those_of_the_call_and_looked_at(monkeypatch):
    layer = Planned("head_rms_norm", monkeypatch)
    x, weight = layer.drawn(torch.float32)
    with torch.no_grad():
        first, second = (layer.of.sized((), x, weight, eps) for eps in (1e-5, 1.0))
        assert layer.take()[0] == ["forward"]
        assert not torch.equal(first, second)
        with pytest.raises(ValueError, match="eps"):
            layer.of.sized((), x, weight, -1.0)


@pytest.mark.ci
def test_transforms_and_subclasses_are_left_to_operators(monkeypatch):
    layer = Planned("head_rms_norm", monkeypatch)
    x, weight = layer.drawn(torch.float32)
    wanted = layer.of.sized((), x, weight, 1e-5)
    layer.take()
    found = torch.func.vmap(lambda row: layer.of.sized((), row, weight, 1e-5))(x[None])
    assert layer.take() == ([], [])
    torch.testing.assert_close(found[0], wanted, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("other", [1.0, -0.0, float("nan"), None], ids=str)
def test_bits_are_compared_whatever_the_axes(other):
    same = axes_calls.AxesCalls._have_same_bits
    zero, another = torch.tensor(0.0), None if other is None else torch.tensor(other)
    assert not same(None, zero, another)
    assert same(None, another, another)
