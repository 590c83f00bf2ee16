"""Tensors of a GPU: the operators' kernels for them, and where there is no GPU, on the emulator's memory.

The tests are the same for both, but for where a tensor is put. On the emulator its memory stands for that of PyTorch's
allocator, and its stream for the current one; what reads tensors, lays out the workspace and calls `cuda_backend` is
what a GPU runs.
"""

import contextlib
import ctypes
import importlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from lngen.extensions.simt import driver
from tests.hosts import layer_of
from tests.requirements import NO_GPU_IN_TORCH, NO_TORCH, has_gpu, needs_gxx, needs_pycuda

torch = pytest.importorskip("torch", reason=NO_TORCH)
pytestmark = [pytest.mark.cuda, pytest.mark.ci, needs_pycuda, *([] if has_gpu() else [needs_gxx])]
torch_gpu = importlib.import_module("generated._runtime.torch.gpu")


class Device:
    """The current GPU, as PyTorch knows it."""

    def put(self, tensor: Any) -> Any:
        """A tensor of the processor's, there."""
        return tensor.to("cuda")

    def get(self, tensor: Any) -> Any:
        """The other way."""
        return tensor.cpu()


class Emulated:
    """The emulator's memory: tensors that are there have its addresses, which the processor cannot read."""

    def __init__(self, cuda: Any) -> None:
        self.cuda = cuda
        self.kept: list[Any] = []

    def new_empty(self, tensor: Any, shape: Any, dtype: Any = None, **_: Any) -> Any:
        """Replace `Tensor.new_empty`."""
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        made = torch.empty(shape, dtype=dtype or tensor.dtype, device="meta")
        size = made.numel() * made.element_size()
        if not size:
            return torch.empty(shape, dtype=made.dtype)
        self.kept.append(self.cuda.mem_alloc(size))
        memory = (ctypes.c_char * size).from_address(int(self.kept[-1]))
        return torch.frombuffer(memory, dtype=torch.uint8).view(made.dtype).view(shape)

    def copy(self, to: Any, tensor: Any) -> Any:
        """Replace `Tensor.copy_`, on the device."""
        self.cuda.memcpy_dtod(to.data_ptr(), tensor.data_ptr(), to.numel() * to.element_size())
        return to

    def put(self, tensor: Any) -> Any:
        """A tensor of the processor's, there."""
        made = self.new_empty(tensor, tensor.shape)
        if tensor.numel():
            self.cuda.memcpy_htod(made.data_ptr(), tensor.contiguous().view(-1).view(torch.uint8).numpy())
        return made

    def get(self, tensor: Any) -> Any:
        """The other way."""
        if not tensor.numel():
            return tensor
        made = np.empty(tensor.numel() * tensor.element_size(), np.uint8)
        self.cuda.memcpy_dtoh(made, tensor.data_ptr())
        return torch.from_numpy(made).view(tensor.dtype).view(tensor.shape)


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[Device | Emulated]:
    """The GPU, or memory of the emulator, where new tensors are."""
    if has_gpu():
        if not torch.cuda.is_available():
            pytest.skip(NO_GPU_IN_TORCH)
        yield Device()
        return
    driver.enable()
    import pycuda.driver

    pycuda.driver.init()
    pycuda.driver.Device(0).retain_primary_context().push()
    made = Emulated(pycuda.driver)
    monkeypatch.setattr(torch.Tensor, "new_empty", lambda *given, **named: made.new_empty(*given, **named))
    monkeypatch.setattr(torch.Tensor, "copy_", lambda *given: made.copy(*given))
    monkeypatch.setattr(torch_gpu, "_current", lambda device: contextlib.nullcontext(0))
    yield made
    pycuda.driver.Context.pop()


@pytest.mark.parametrize("name", ["layer_norm", "add_layer_norm", "dynamic_tanh", "softmax", "label_cross_entropy"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_forward_and_backward_compute_what_the_processor_does(name, dtype, device):
    layer = layer_of(importlib.import_module(f"generated.{name}.torch_backend"))
    gpu, processor = layer.gpu, layer.on_numpy()
    generator = torch.Generator().manual_seed(0)
    shapes = {
        "Row": (2, 3, 33),
        "RowScalar": (2, 3),
        "Feature": (33,),
        "Scalar": (),
        'Int["..."]': (2, 3),
        'Int[""]': (),
    }

    def drawn(kind: str) -> Any:
        if kind.startswith("Int"):
            return torch.randint(0, 33, shapes[kind], generator=generator, dtype=torch.int32)
        made = torch.randn(shapes[kind], generator=generator)
        return made.to(dtype) if kind in ("Row", "RowScalar") else made

    given = [drawn(each["kind"]) for each in layer.interface["inputs"]]
    constants = [each["default"] for each in layer.interface["constants"]]
    (expected, kept), (found, there) = (
        processor.forward(given, constants),
        gpu.forward([*map(device.put, given)], constants),
    )
    step = torch.finfo(dtype).eps
    tolerance = {"rtol": 32 * step, "atol": 64 * step, "check_dtype": False}
    torch.testing.assert_close([*map(device.get, found)], [*expected], **tolerance)
    given += [expected[place].to(dtype) for place in layer.kept] + [
        drawn(each["kind"]) for each in layer.interface["outputs"]
    ]
    expected = processor.backward(given, kept, constants)
    found = gpu.backward([*map(device.put, given)], there, constants)
    for value, own in zip(found, expected, strict=True):
        assert (value is None) == (own is None)
        if own is not None:
            torch.testing.assert_close(device.get(value), own, **tolerance)


def test_what_is_left_out_has_no_gradient(device):
    gpu = layer_of(importlib.import_module("generated.layer_norm.torch_backend")).gpu
    x = torch.arange(12.0).view(2, 6)
    (y,), kept = gpu.forward([device.put(x), None, None], [1e-5])
    torch.testing.assert_close(device.get(y), torch.nn.functional.layer_norm(x, (6,)))
    dx, dgamma, dbeta = gpu.backward([device.put(x), None, None, device.put(torch.ones(2, 6))], kept, [1e-5])
    torch.testing.assert_close(device.get(dx), torch.zeros(2, 6), rtol=0, atol=1e-6)
    assert dgamma is dbeta is None


# On a GPU the function of a layer finds the kernels by where its tensors are; here they are on the processor.
PLACE = "cuda" if torch.cuda.is_available() else "cpu"


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_layer_norm_on_tensors_of_a_place_has_the_gradients_of_pytorch(dtype):
    layer = importlib.import_module("generated.layer_norm.torch_backend").layer_norm
    generator = torch.Generator().manual_seed(0)
    drawn = [torch.randn(shape, generator=generator).to(dtype) for shape in ((2, 3, 33), (33,), (33,), (2, 3, 33))]

    def trained(function: Any, place: str, kind: Any) -> Any:
        x, gamma, beta, dy = (each.to(place, kind) for each in drawn)
        inputs = [each.requires_grad_() for each in (x, gamma, beta)]
        y = function(*inputs)
        return [y, *torch.autograd.grad(y, inputs, dy)]

    found = trained(layer, PLACE, dtype)
    exact = trained(lambda x, *others: torch.nn.functional.layer_norm(x, (33,), *others), "cpu", torch.float64)
    assert {each.device.type for each in found} == {PLACE}
    step = torch.finfo(dtype).eps
    for value, other in zip(found, exact, strict=True):
        torch.testing.assert_close(value.cpu().double(), other, rtol=32 * step, atol=64 * step)


def test_a_plain_call_is_recorded_with_the_gradients_of_kernels(device, monkeypatch):
    """A layer takes these kernels for those of the processor, whose memory is the emulator's."""
    backend = importlib.import_module("generated.add_layer_norm.torch_backend")
    layer = layer_of(backend)
    monkeypatch.setattr(layer, "straight", False)
    monkeypatch.setattr(layer, "host", layer.gpu)
    calls = []
    for name in ("forward", "backward"):
        own = getattr(layer.gpu, name)
        monkeypatch.setattr(layer.gpu, name, lambda *given, own=own, name=name: calls.append(name) or own(*given))
    x, residual, weight = [torch.randn(3, 33, generator=torch.Generator().manual_seed(seed)) for seed in range(3)]
    gamma = torch.linspace(0.5, 2, 33)
    there = [device.put(each).requires_grad_() for each in (x, residual, gamma)]
    y, h = backend.add_layer_norm(*there)
    here = [each.requires_grad_() for each in (x, residual, gamma)]
    expected = torch.nn.functional.layer_norm(here[0] + here[1], (33,), here[2])
    torch.testing.assert_close(device.get(y.detach()), expected.detach())
    torch.testing.assert_close(device.get(h.detach()), (x + residual).detach())
    found = torch.autograd.grad(y, there, device.put(weight))
    torch.testing.assert_close([*map(device.get, found)], [*torch.autograd.grad(expected, here, weight)])
    assert calls == ["forward", "backward"]
    with pytest.raises(ValueError, match="gamma has shape"):
        backend.add_layer_norm(*there[:2], device.put(torch.ones(32)))


def test_without_pycuda_tensors_of_a_gpu_have_the_decomposition(monkeypatch):
    layer = layer_of(importlib.import_module("generated.layer_norm.torch_backend"))
    monkeypatch.setattr(torch_gpu, "find_spec", lambda name: None)
    monkeypatch.setattr(layer.gpu, "_module", None)
    assert layer.backend(SimpleNamespace(is_cuda=True)) is None
