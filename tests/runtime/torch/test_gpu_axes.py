"""Layers with named axes on tensors of a GPU: which memory kernels are passed, and what becomes of their results.

Kernels are pretended here, on memory of the processor: NumPy computes what `cuda_backend` does, into arrays where a
step of 0 stands for a sum. One test runs the kernels themselves, on a GPU or the emulator.
"""

import contextlib
import importlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.beyond_rows import SHIPPED, arrays
from tests.requirements import NO_TORCH, needs_gxx, needs_pycuda

torch = pytest.importorskip("torch", reason=NO_TORCH)
on_device = importlib.import_module("tests.runtime.torch.test_gpu")
device, fast = on_device.device, on_device.fast
runtime = {
    name: importlib.import_module(f"generated._runtime.torch.{name}")
    for name in ("axes", "axes_calls", "derivatives", "dispatch", "gpu", "gpu_axes")
}
on_rows = importlib.import_module("generated._runtime.numpy.axes").on_rows

NAMED = sorted(name for name, text in SHIPPED.items() if "Array[" in text)


class PretendedKernels:
    """Stand-in for `cuda_backend` of a layer, by NumPy; `given` and `made` are the arrays of the last call."""

    def __init__(self, name: str) -> None:
        module = importlib.import_module(f"generated.{name}.numpy_backend")
        self.KERNELS = importlib.import_module(f"generated.{name}.kernels").KERNELS
        self.rows, self.Saved = on_rows(module), on_rows(module).Saved
        self.given: list[Any] = []
        self.made: list[Any] = []

    def workspace_bytes(self, *_: Any, **__: Any) -> int:
        return 0

    def forward(self, *inputs: Any, out: Any, workspace: Any, stream: int, **constants: Any) -> None:
        outputs, saved = self.rows.forward(*self._rows(inputs), **constants)
        self._write(out, outputs)
        room = _seen(workspace)
        scalars = [
            saved[3 + place] for place, each in enumerate(self.rows.INTERFACE["saved"]) if each["kind"] == "row scalar"
        ]
        for memory, each in zip(room, scalars, strict=True):
            memory[: each.size] = each.reshape(-1)

    def backward(self, saved: Any, *own: Any, out: Any, workspace: Any, stream: int) -> None:
        given = self._rows((*saved[3:], *own))
        kept = self.Saved(*saved[:3], *given[: len(saved) - 3])
        self._write(out, self.rows.backward(kept, *given[len(saved) - 3 :]))

    def _write(self, out: Any, results: Any) -> None:
        pairs = zip(out, results, strict=True) if isinstance(out, tuple) else [(out, results)]
        self.made = []
        for into, value in pairs:
            if into is None:
                continue
            memory = _seen(into)
            self.made.append(memory)
            if not memory.size:
                continue
            value = value.reshape(memory.shape)
            lacks = tuple(axis for axis in range(memory.ndim) if memory.shape[axis] > 1 and memory.strides[axis] == 0)
            assert _is_in_segments(into) or memory.ndim - 1 not in lacks
            first = tuple(slice(0, 1) if axis in lacks else slice(None) for axis in range(memory.ndim))
            memory[first] = np.add.reduce(value, axis=lacks, keepdims=True) if lacks else value

    def _rows(self, values: Any) -> list[Any]:
        """Values as NumPy takes them; what lies in segments is noted as it lies."""
        self.given = [*map(_seen, values)]
        return [
            seen.reshape(*seen.shape[:-2], -1) if _is_in_segments(value) else seen
            for value, seen in zip(values, self.given, strict=True)
        ]


def _is_in_segments(value: Any) -> bool:
    return bool(getattr(value, "__cuda_array_interface__", {}).get("segments"))


def _seen(value: Any) -> Any:
    """The memory of a tensor as `cuda_backend` is passed it."""
    if value is None or isinstance(value, float):
        return value
    seen = {**value.__cuda_array_interface__, "version": 3}
    if 0 in seen["shape"]:
        return np.empty(seen["shape"], seen["typestr"])
    return np.asarray(SimpleNamespace(__array_interface__=seen, owner=value))


def calls(name: str, monkeypatch: Any, kernels: Any) -> Any:
    """The function of a layer for plain tensors, by what tensors of a GPU are passed to."""
    backend = importlib.import_module(f"generated.{name}.torch_backend")
    layer, axes = backend._LAYER, runtime["axes"]
    own = axes._AxesAtOnce(layer.interface, layer.numpy, backend._cpu, layer._by_operators)
    gpu = layer.on_rows.operators.gpu
    monkeypatch.setattr(gpu, "_module", kernels)
    on_gpu = runtime["gpu_axes"].AxesOnGPU(own.kernels, layer.arranged, gpu)
    plain = runtime["dispatch"].CPU
    at_once = runtime["dispatch"].at_once(own.kernels.required, runtime["derivatives"].ways(own, {plain: on_gpu}))
    sizes = tuple(each["default"] for each in layer.interface["layout"]["sizes"])
    constants = [each["default"] for each in layer.interface["constants"]]
    return lambda *inputs: at_once((*inputs, *constants, sizes)), lambda *inputs: layer.sized(
        sizes, *inputs, *constants
    )


def drawn(name: str) -> tuple[list[Any], list[Any]]:
    """Inputs as tensors, and those of them that have gradients."""
    interface = importlib.import_module(f"generated.{name}.numpy_backend").INTERFACE
    found, given = [torch.tensor(value) for value in arrays(name).values()], [*arrays(name)]
    moved = [
        value.requires_grad_()
        for value, key in zip(found, given, strict=True)
        if any(each["of"] == key for each in interface["gradients"])
    ]
    return found, moved


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> Any:
    """No GPU is entered."""
    monkeypatch.setattr(runtime["gpu"], "_current", lambda _: contextlib.nullcontext(0))
    return monkeypatch


@pytest.mark.parametrize("name", NAMED)
def test_values_and_gradients_are_those_of_the_processor(name, pretended):
    inputs, moved = drawn(name)
    on_gpu, on_processor = calls(name, pretended, PretendedKernels(name))
    found, expected = [
        made if isinstance(made, tuple) else (made,) for made in (on_gpu(*inputs), on_processor(*inputs))
    ]
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
    weights = [torch.randn_like(each) for each in found]
    gradients = [torch.autograd.grad(made, moved, weights) for made in (found, expected)]
    torch.testing.assert_close(*gradients, rtol=1e-12, atol=1e-12)
    assert all(each.is_contiguous() for each in (*found, *gradients[0]))


@pytest.mark.parametrize(("name", "shared"), [("ada_layer_norm", (1, 2)), ("head_rms_norm", (0, 1))])
def test_rows_share_what_lacks_their_axes(name, shared, pretended):
    """No such array, nor its gradient, is written out along rows, which are read and written where they lie."""
    kernels = PretendedKernels(name)
    inputs, moved = drawn(name)
    x = inputs[0]
    y = calls(name, pretended, kernels)[0](*inputs)
    read, written = kernels.given, kernels.made
    assert np.may_share_memory(read[0], x.detach().numpy())
    assert np.may_share_memory(written[0], y.detach().numpy())
    for value, own in zip(read[1:], inputs[1:], strict=False):
        assert np.may_share_memory(value, own.detach().numpy())
        assert [axis for axis in range(value.ndim - 1) if value.strides[axis] == 0] == [*shared]
    gradients = torch.autograd.grad(y, moved, torch.ones_like(y))
    for value, own in zip(kernels.made, gradients, strict=True):
        assert np.may_share_memory(value, own.numpy())
        assert [axis for axis in range(value.ndim - 1) if value.strides[axis] == 0] == (
            [*shared] if own is not gradients[0] else []
        )


def test_features_are_written_out_once_for_all_rows(pretended):
    """Weights by channel, of rows that are the pixels of some channels, are no whole tensor of rows."""
    kernels = PretendedKernels("group_norm")
    inputs, _ = drawn("group_norm")
    calls("group_norm", pretended, kernels)[0](*inputs)
    assert [value.strides[0] for value in kernels.given[1:]] == [0, 0]


IN_SEGMENTS = {"batch_norm": (4, 3, 8, 6), "group_norm": (2, 64, 8, 6), "instance_norm": (2, 3, 8, 6)}


def pictures(name: str, dtype: Any = torch.float64) -> list[Any]:
    """Inputs with enough pixels that a row is cut into segments."""
    generator = torch.Generator().manual_seed(0)
    shapes = IN_SEGMENTS[name], IN_SEGMENTS[name][1:2], IN_SEGMENTS[name][1:2]
    return [torch.randn(shape, generator=generator, dtype=dtype).requires_grad_() for shape in shapes]


@pytest.mark.parametrize("name", IN_SEGMENTS)
def test_rows_in_segments_have_the_values_and_gradients_of_the_processor(name, pretended):
    kernels = PretendedKernels(name)
    inputs = pictures(name)
    on_gpu, on_processor = calls(name, pretended, kernels)
    found = [made if isinstance(made, tuple) else (made,) for made in (on_gpu(*inputs), on_processor(*inputs))]
    read, written = [*kernels.given], [*kernels.made]
    torch.testing.assert_close(*found, rtol=1e-12, atol=1e-12)
    weights = [torch.randn_like(each) for each in found[0]]
    gradients = [torch.autograd.grad(made, inputs, weights) for made in found]
    torch.testing.assert_close(*gradients, rtol=1e-12, atol=1e-12)
    assert np.may_share_memory(read[0], inputs[0].detach().numpy())
    assert np.may_share_memory(written[0], found[0][0].detach().numpy())
    assert np.may_share_memory(kernels.made[0], gradients[0][0].numpy())
    if name == "group_norm":
        assert all(
            np.may_share_memory(*pair)
            for pair in zip(read[1:], [each.detach().numpy() for each in inputs[1:]], strict=True)
        )
        assert [each.strides[-1] for each in (*read[1:], *kernels.made[1:])] == [0, 0, 0, 0]
        assert [each.shape[-1] for each in kernels.made[1:]] == [48, 48]


@pytest.mark.parametrize(("name", "dimensions"), [("group_norm", 3), ("batch_norm", 3)])
def test_segments_of_an_odd_length_are_for_whole_arrays(name, dimensions, pretended):
    """Kernels take narrow accesses to them: no weight is worth that, and a copy of all rows is dearer."""
    kernels = PretendedKernels(name)
    shape = (*IN_SEGMENTS[name][:2], 7, 7)
    x, *weights = [torch.randn(size, dtype=torch.float32) for size in (shape, shape[1:2], shape[1:2])]
    calls(name, pretended, kernels)[0](x, *weights)
    assert np.may_share_memory(kernels.given[0], x.numpy())
    assert kernels.given[0].ndim == dimensions
    if name == "group_norm":
        assert kernels.given[1].strides[-1] == 4


@pytest.mark.cuda
@needs_pycuda
@needs_gxx
def test_kernels_read_and_write_rows_in_segments(device, monkeypatch):
    inputs = pictures("batch_norm", torch.float32)
    there = [device.put(each.detach()).requires_grad_() for each in inputs]
    on_gpu, on_processor = calls("batch_norm", monkeypatch, None)
    found, expected = on_gpu(*there), on_processor(*inputs)
    torch.testing.assert_close([device.get(each.detach()) for each in found], [each.detach() for each in expected])
    weight = torch.linspace(-1, 1, found[0].numel()).view(found[0].shape)
    gradients = torch.autograd.grad(found[0], there, device.put(weight))
    own = torch.autograd.grad(expected[0], inputs, weight)
    torch.testing.assert_close([*map(device.get, gradients)], [*own], rtol=1e-4, atol=1e-5)


def test_calls_without_rows_have_sums_of_zero(pretended):
    kernels = PretendedKernels("ada_layer_norm")
    inputs = [torch.randn(2, 0, 8, requires_grad=True), torch.randn(2, 8, requires_grad=True), None]
    y = calls("ada_layer_norm", pretended, kernels)[0](*inputs)
    dx, dscale = torch.autograd.grad(y, inputs[:2], torch.ones_like(y))
    assert dx.shape == (2, 0, 8)
    assert torch.equal(dscale, torch.zeros(2, 8))


def test_a_gradient_may_be_differentiated_again(pretended):
    inputs, moved = drawn("head_rms_norm")
    found = []
    for function in calls("head_rms_norm", pretended, PretendedKernels("head_rms_norm")):
        (dx,) = torch.autograd.grad(function(*inputs).sin().sum(), moved[:1], create_graph=True)
        found.append(torch.autograd.grad(dx.square().sum(), moved))
    torch.testing.assert_close(*found, rtol=1e-10, atol=1e-10)


@pytest.mark.cuda
@needs_pycuda
@needs_gxx
@pytest.mark.parametrize("name", ["ada_layer_norm", "head_rms_norm"])
def test_kernels_compute_what_the_processor_does(name, device, monkeypatch):
    inputs = [torch.tensor(value, dtype=torch.float32) for value in arrays(name).values()]
    there = [device.put(each).requires_grad_() for each in inputs]
    on_gpu, on_processor = calls(name, monkeypatch, None)
    y = on_gpu(*there)
    here = [each.requires_grad_() for each in inputs]
    expected = on_processor(*here)
    torch.testing.assert_close(device.get(y.detach()), expected.detach())
    weight = torch.linspace(-1, 1, y.numel()).view(y.shape)
    found = torch.autograd.grad(y, there, device.put(weight))
    torch.testing.assert_close([*map(device.get, found)], [*torch.autograd.grad(expected, here, weight)])


class PlannedOnGPU:
    """A layer on tensors of a device: calls by plans, and how many Python was asked to make."""

    def __init__(self, name: str, device: Any, monkeypatch: Any) -> None:
        backend = importlib.import_module(f"generated.{name}.torch_backend")
        self.layer, axes = backend._LAYER, runtime["axes"]
        own = axes._AxesAtOnce(self.layer.interface, self.layer.numpy, backend._cpu, self.layer._by_operators)
        gpu = runtime["gpu_axes"].AxesOnGPU(own.kernels, self.layer.arranged, self.layer.on_rows.operators.gpu)
        self.others = on_device.Counting(gpu)
        calls = runtime["axes_calls"].AxesGpuCalls
        if isinstance(device, on_device.Emulated):  # whose memory the processor cannot read
            same = calls._have_same_bits

            def have_same_bits(own: Any, *both: Any) -> bool:
                return same(own, *[each if each is None else device.get(each) for each in both])

            monkeypatch.setattr(calls, "_have_same_bits", have_same_bits)
        self.own = calls(own.kernels, self.others)
        keys = calls.keys
        self.at_once = runtime["dispatch"].at_once(
            own.kernels.required, runtime["derivatives"].ways(own, {keys: self.own})
        )
        sizes = tuple(each["default"] for each in self.layer.interface["layout"]["sizes"])
        self.last = (*[each["default"] for each in self.layer.interface["constants"]], sizes)

    def results(self, inputs: list[Any], device: Any, constants: Any = None) -> list[Any]:
        """Return the outputs and all gradients, on the processor."""
        moved = [each.detach().requires_grad_() for each in inputs]
        made = self.at_once((*moved, *(constants or self.last)))
        made = made if isinstance(made, tuple) else (made,)
        weights = [device.put(torch.linspace(-1, 1, each.numel()).view(each.shape).to(each.dtype)) for each in made]
        return [device.get(each.detach()) for each in (*made, *torch.autograd.grad(made, moved, weights))]


PLANNED = {
    "ada_layer_norm": lambda: [torch.randn(2, 3, 64), torch.randn(2, 64), torch.randn(2, 64)],
    "head_rms_norm": lambda: [torch.randn(2, 3, 4, 32), torch.randn(4, 32)],
}


@pytest.mark.cuda
@needs_pycuda
@needs_gxx
@pytest.mark.parametrize("name", PLANNED)
def test_calls_that_are_alike_are_planned_once(name, device, fast, monkeypatch):
    layer = PlannedOnGPU(name, device, monkeypatch)
    for round_ in range(3):
        torch.manual_seed(round_)
        inputs = [device.put(each) for each in PLANNED[name]()]
        layer.others.count = 0
        found = layer.results(inputs, device)
        assert layer.others.count == (2 if round_ == 0 else 0)
        with monkeypatch.context() as patch:
            patch.setattr(type(layer.own), "_call", lambda *_: None)
            expected = layer.results(inputs, device)
        assert all(torch.equal(*pair) for pair in zip(found, expected, strict=True))


@pytest.mark.cuda
@needs_pycuda
@needs_gxx
def test_rows_in_segments_are_planned_forward(device, fast, monkeypatch):
    """Sums of their gradients over groups are PyTorch's, so that backward has no plan."""
    layer = PlannedOnGPU("group_norm", device, monkeypatch)
    for seed in range(2):
        inputs = pictures("group_norm", torch.float32)
        inputs = [each.detach() + seed for each in inputs]
        with torch.no_grad():
            y = layer.at_once((*map(device.put, inputs), *layer.last))
        assert layer.others.count == 1
        eps, (groups,) = layer.last
        torch.testing.assert_close(device.get(y), torch.nn.functional.group_norm(inputs[0], groups, *inputs[1:], eps))


@pytest.mark.cuda
@needs_pycuda
@needs_gxx
def test_plans_tell_constants_and_alignment_apart(device, fast, monkeypatch):
    layer = PlannedOnGPU("head_rms_norm", device, monkeypatch)
    x, weight = (device.put(each) for each in PLANNED["head_rms_norm"]())
    first, second = (layer.results([x, weight], device, (eps, ()))[0] for eps in (1e-5, 1.0))
    assert not torch.equal(first, second)
    assert layer.others.count == 2
    # The same shapes, one entry behind: kernels may take no wide access to it.
    room = device.put(torch.randn(x.numel() + 1))
    behind = room[1:].view(x.shape)
    found = layer.results([behind, weight], device)
    assert layer.others.count == 4
    torch.testing.assert_close(found, layer.results([device.put(device.get(behind)), weight], device))


@pytest.mark.cuda
@needs_pycuda
@needs_gxx
def test_a_plan_of_other_memory_is_refused(device, fast, monkeypatch):
    place = runtime["axes_calls"]._Memories.place

    def swapped(self: Any, start: int) -> Any:
        found = place(self, start)
        return found and (found[0], {1: 2, 2: 1}.get(found[1], found[1]), found[2])

    monkeypatch.setattr(runtime["axes_calls"]._Memories, "place", swapped)
    layer = PlannedOnGPU("ada_layer_norm", device, monkeypatch)
    inputs = [device.put(each) for each in PLANNED["ada_layer_norm"]()]
    for _ in range(2):
        layer.others.count = 0
        layer.results(inputs, device)
        assert layer.others.count > 0


@pytest.mark.cuda
@needs_pycuda
@needs_gxx
def test_a_kernel_of_more_parameters_than_there_is_room_for_has_no_plan(device, fast, monkeypatch):
    monkeypatch.setattr(runtime["axes_calls"], "_MOST_PARAMETERS", 20)
    layer = PlannedOnGPU("head_rms_norm", device, monkeypatch)
    inputs = [device.put(each) for each in PLANNED["head_rms_norm"]()]
    for _ in range(2):
        layer.others.count = 0
        layer.results(inputs, device)
        assert layer.others.count > 0
