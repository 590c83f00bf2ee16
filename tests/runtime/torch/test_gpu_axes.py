"""Layers with named axes on tensors of a GPU: which memory kernels are passed, and what becomes of their results.

Kernels are pretended here, on memory of the processor: NumPy computes what `cuda_backend` does. One test runs the
kernels themselves, on a GPU or the emulator.
"""

import contextlib
import importlib
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.beyond_rows import SHIPPED, arrays
from tests.requirements import NO_GPU, NO_TORCH, needs_gxx, needs_pycuda

torch = pytest.importorskip("torch", reason=NO_TORCH)
on_device = importlib.import_module("tests.runtime.torch.test_gpu")
device, fast = on_device.device, on_device.fast
runtime = {
    name: importlib.import_module(f"generated._runtime.torch.{name}")
    for name in ("axes", "derivatives", "dispatch", "gpu")
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
            run = _run(into)
            memory[...] = value.reshape(*memory.shape, run).sum(-1) if run > 1 else value.reshape(memory.shape)

    def _rows(self, values: Any) -> list[Any]:
        """Values as NumPy takes them; those with runs are noted as they lie."""
        self.given = [*map(_seen, values)]
        return [
            np.repeat(seen, _run(value), -1) if _run(value) > 1 else seen
            for value, seen in zip(values, self.given, strict=True)
        ]


def _run(value: Any) -> int:
    found: int = getattr(value, "__cuda_array_interface__", {}).get("run", 1)
    return found


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
    own = axes._AxesAtOnce(layer.interface, layer.numpy, backend._cpu, layer.arranged, layer._by_decomposition)
    gpu = layer.on_rows.operators.gpu
    monkeypatch.setattr(gpu, "_module", kernels)
    on_gpu = axes.AxesOnGPU(own.kernels, layer.arranged, gpu)
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
    """No such array is written out along rows, which are read where they lie."""
    kernels = PretendedKernels(name)
    inputs, _ = drawn(name)
    calls(name, pretended, kernels)[0](*inputs)
    assert np.may_share_memory(kernels.given[0], inputs[0].detach().numpy())
    for value, own in zip(kernels.given[1:], inputs[1:], strict=False):
        assert np.may_share_memory(value, own.detach().numpy())
        assert [axis for axis in range(value.ndim - 1) if value.strides[axis] == 0] == [*shared]


def test_features_are_written_out_once_for_all_rows(pretended):
    """Weights by channel, of rows that are the pixels of some channels, are no whole tensor of rows."""
    kernels = PretendedKernels("group_norm")
    inputs, _ = drawn("group_norm")
    calls("group_norm", pretended, kernels)[0](*inputs)
    assert [value.strides[0] for value in kernels.given[1:]] == [0, 0]


PICTURES = {"batch_norm": (4, 3, 8, 6), "group_norm": (2, 64, 8, 6), "instance_norm": (2, 3, 8, 6)}


def pictures(name: str, dtype: Any = torch.float64) -> list[Any]:
    """Inputs with enough pixels that a row has runs."""
    generator = torch.Generator().manual_seed(0)
    shapes = PICTURES[name], PICTURES[name][1:2], PICTURES[name][1:2]
    return [torch.randn(shape, generator=generator, dtype=dtype).requires_grad_() for shape in shapes]


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_have_the_values_and_gradients_of_the_processor(name, pretended):
    kernels = PretendedKernels(name)
    inputs = pictures(name)
    on_gpu, on_processor = calls(name, pretended, kernels)
    found = [made if isinstance(made, tuple) else (made,) for made in (on_gpu(*inputs), on_processor(*inputs))]
    read = [*kernels.given]
    torch.testing.assert_close(*found, rtol=1e-12, atol=1e-12)
    weights = [torch.randn_like(each) for each in found[0]]
    gradients = [torch.autograd.grad(made, inputs, weights) for made in found]
    torch.testing.assert_close(*gradients, rtol=1e-12, atol=1e-12)
    if name == "group_norm":
        assert all(
            np.may_share_memory(*pair) for pair in zip(read, [each.detach().numpy() for each in inputs], strict=True)
        )
        assert [each.shape for each in (*read[1:], *kernels.made[1:])] == [(2, 32, 2)] * 4


def test_weights_with_runs_of_an_odd_length_are_written_out(pretended):
    """Kernels take narrow accesses to them."""
    kernels = PretendedKernels("group_norm")
    shape = (*PICTURES["group_norm"][:2], 7, 7)
    calls("group_norm", pretended, kernels)[0](*[torch.randn(size) for size in (shape, shape[1:2], shape[1:2])])
    assert [each.shape[-1] for each in kernels.given] == [98, 98, 98]


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
@pytest.mark.parametrize("name", ["ada_layer_norm", "head_rms_norm", "group_norm", "batch_norm"])
def test_kernels_compute_what_the_processor_does(name, device, monkeypatch):
    """Rows on the emulator are not copied, no weight has a gradient: PyTorch cannot copy there, nor add up."""
    is_emulated = isinstance(device, on_device.Emulated)
    if is_emulated and name == "batch_norm":
        pytest.skip(f"{NO_GPU}: PyTorch cannot copy rows on the emulator")
    inputs = pictures(name, torch.float32) if name in PICTURES else [torch.tensor(v) for v in arrays(name).values()]
    inputs = [each.detach().float() for each in inputs]
    on_gpu, on_processor = calls(name, monkeypatch, None)
    y, expected = on_gpu(*map(device.put, inputs)), on_processor(*inputs)
    y, expected = [each[0] if isinstance(each, tuple) else each for each in (y, expected)]
    torch.testing.assert_close(device.get(y), expected)
    given = [inputs[0], *[None] * (len(inputs) - 1)] if is_emulated else inputs
    there, here = [
        [each if each is None else put(each).requires_grad_() for each in given] for put in (device.put, torch.clone)
    ]
    weight = torch.linspace(-1, 1, expected.numel()).view(expected.shape)
    found = []
    for function, own, put in ((on_gpu, there, device.put), (on_processor, here, torch.clone)):
        made = function(*own)
        made = made[0] if isinstance(made, tuple) else made
        found.append(torch.autograd.grad(made, [each for each in own if each is not None], put(weight)))
    torch.testing.assert_close([*map(device.get, found[0])], [*found[1]], rtol=1e-4, atol=1e-5)
