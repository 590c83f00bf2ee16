"""Tensors of a GPU: the operators' kernels for them, and where there is no GPU, on the emulator's memory.

The tests are the same for both, but for where a tensor is put. On the emulator its memory stands for that of PyTorch's
allocator, and its stream for the current one; what reads tensors, lays out the workspace and calls `cuda_backend` is
what a GPU runs.
"""

import contextlib
import ctypes
import importlib
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from lngen.extensions.simt import driver
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


@pytest.mark.parametrize("name", ["layer_norm", "add_layer_norm", "dynamic_tanh"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
def test_every_direction_computes_what_the_processor_does(name, dtype, device, monkeypatch):
    backend = importlib.import_module(f"generated.{name}.torch_backend")
    operators = backend._LAYER.operators
    monkeypatch.setattr(operators.kernels, "host", operators.kernels.numpy)
    interface = backend._LAYER.interface
    generator = torch.Generator().manual_seed(0)

    def drawn(kind: str) -> Any:
        shape = {"Row": (2, 3, 33), "RowScalar": (2, 3), "Feature": (33,), "Scalar": ()}[kind]
        return torch.randn(shape, generator=generator).to(dtype)

    inputs = [drawn(each["kind"]) for each in interface["inputs"]]
    constants = [each["default"] for each in interface["constants"]]
    compared = 0

    def both(direction: str, values: list[Any]) -> Any:
        nonlocal compared
        expected = getattr(operators.kernels, direction)(*values)
        there = [device.put(each) if isinstance(each, torch.Tensor) else each for each in values]
        computed = operators.gpu.forward if direction == "forward" else partial(operators.gpu.later, direction)
        found = _got(device, computed(*there))
        step = torch.finfo(dtype).eps
        torch.testing.assert_close(found, expected, rtol=32 * step, atol=64 * step)
        compared += 1
        return expected if isinstance(expected, tuple) else (expected,)

    made = both("forward", [*inputs, *constants, False])
    kept = [made[number] for number in operators.kept]
    fixed = [*inputs, *constants, False, *kept]
    cotangents = [drawn(each["kind"]) for each in interface["outputs"]]
    moved = [drawn(interface["inputs"][number]["kind"]) for number in operators.differentiable]
    both("backward", [*fixed, *cotangents])
    both("jvp", [*fixed, *moved])
    both("backward_backward", [*fixed, *cotangents, *moved])
    assert compared == 4


def _got(device, made):
    return tuple(map(device.get, made)) if isinstance(made, tuple) else device.get(made)


def test_what_is_left_out_has_no_memory(device):
    backend = importlib.import_module("generated.layer_norm.torch_backend")
    gpu = backend._LAYER.operators.gpu
    x = torch.arange(12.0).view(2, 6)
    y, *saved = gpu.forward(device.put(x), None, None, 1e-5, False)
    torch.testing.assert_close(device.get(y), torch.nn.functional.layer_norm(x, (6,)))
    made = gpu.later("backward", device.put(x), None, None, 1e-5, False, *saved, device.put(torch.ones(2, 6)))
    dx, dgamma, dbeta = _got(device, made)
    torch.testing.assert_close(dx, torch.zeros(2, 6), rtol=0, atol=1e-6)
    assert (dgamma.numel(), dbeta.numel()) == (0, 0)


def test_tensors_of_two_devices_are_refused(device):
    gpu = importlib.import_module("generated.layer_norm.torch_backend")._LAYER.operators.gpu
    with pytest.raises(TypeError, match="a tensor is on meta, and the rows are on cpu; move it there"):
        gpu.forward(torch.ones(2, 6), torch.ones(6, device="meta"), None, 1e-5, False)


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


def test_a_plain_call_goes_around_the_dispatcher(device):
    """By kernels for a GPU, where the keys of its tensors are those of plain ones there: here, of the emulator's."""
    derivatives = importlib.import_module("generated._runtime.torch.derivatives")
    dispatch = importlib.import_module("generated._runtime.torch.dispatch")
    operators = importlib.import_module("generated.add_layer_norm.torch_backend")._LAYER.operators
    keys = dispatch.CPU if isinstance(device, Emulated) else dispatch.CUDA
    at_once = dispatch.at_once(operators.kernels.required, derivatives.ways(operators, {keys: operators.gpu}))
    x, residual, weight = [torch.randn(3, 33, generator=torch.Generator().manual_seed(seed)) for seed in range(3)]
    gamma = torch.linspace(0.5, 2, 33)
    there = [device.put(each).requires_grad_() for each in (x, residual, gamma)]
    y, h = at_once((*there, None, 1e-5, False))
    here = [each.requires_grad_() for each in (x, residual, gamma)]
    expected = torch.nn.functional.layer_norm(here[0] + here[1], (33,), here[2])
    torch.testing.assert_close(device.get(y.detach()), expected.detach())
    torch.testing.assert_close(device.get(h.detach()), (x + residual).detach())
    found = torch.autograd.grad(y, there, device.put(weight))
    torch.testing.assert_close([*map(device.get, found)], [*torch.autograd.grad(expected, here, weight)])
    wrong = device.put(torch.ones(32))
    with pytest.raises(ValueError, match="gamma has shape"):
        at_once((*there[:2], wrong, None, 1e-5, False))
