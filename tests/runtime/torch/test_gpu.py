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
from tests.runtime.torch import exchange

torch = pytest.importorskip("torch", reason=NO_TORCH)
pytestmark = [pytest.mark.cuda, pytest.mark.ci, needs_pycuda, *([] if has_gpu() else [needs_gxx])]
torch_gpu = importlib.import_module("generated._runtime.torch.gpu")
calls = importlib.import_module("generated._runtime.torch.calls")
derivatives = importlib.import_module("generated._runtime.torch.derivatives")
dispatch = importlib.import_module("generated._runtime.torch.dispatch")


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
    both("backward", [*fixed, *cotangents])
    assert compared == 2


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


def _around(operators: Any, device: Any, kernels: Any) -> Any:
    """Forward without the dispatcher, by kernels for tensors of a GPU or, on the emulator, for what stands for them."""
    keys = dispatch.CPU if isinstance(device, Emulated) else dispatch.CUDA
    return dispatch.at_once(operators.kernels.required, derivatives.ways(operators, {keys: kernels}))


def _add_layer_norm_is_right(at_once: Any, device: Any) -> None:
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
    with torch.no_grad():
        y, _ = at_once((*there, None, 1e-5, False))
    torch.testing.assert_close(device.get(y), expected.detach())


def test_a_plain_call_goes_around_the_dispatcher(device):
    operators = importlib.import_module("generated.add_layer_norm.torch_backend")._LAYER.operators
    at_once = _around(operators, device, operators.gpu)
    _add_layer_norm_is_right(at_once, device)
    there = [device.put(torch.ones(3, 33)), device.put(torch.ones(3, 33)), device.put(torch.ones(32))]
    with pytest.raises(ValueError, match="gamma has shape"):
        at_once((*there, None, 1e-5, False))


class Counting:
    """Kernels of a GPU, which count how often they are asked."""

    def __init__(self, gpu: Any) -> None:
        self.gpu, self.count = gpu, 0

    def __getattr__(self, name: str) -> Any:
        self.count += name in ("forward_in_part", "gradients")
        return getattr(self.gpu, name)


@pytest.fixture
def fast(device: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that makes the fast check of a layer for tensors of the device, and counts what is left to others."""
    if isinstance(device, Emulated):

        def memory(size: int) -> int:
            device.kept.append(device.cuda.mem_alloc(max(size, 1)))
            return int(device.kept[-1])

        table = exchange.Table(torch.Tensor.__dlpack_c_exchange_api__, memory)
        device.kept.append(table)
        monkeypatch.setattr(calls, "_TABLE", table.capsule)
        monkeypatch.setattr(calls.TorchGpuCalls, "device", calls.TorchCalls.device)
        monkeypatch.setattr(calls.TorchGpuCalls, "keys", calls.TorchCalls.keys)

    def made(name: str) -> Any:
        operators = importlib.import_module(f"generated.{name}.torch_backend")._LAYER.operators
        others = Counting(operators.gpu)
        return operators, calls.TorchGpuCalls(operators.kernels, others), others

    return made


def test_usual_calls_are_launched_from_c(device, fast):
    operators, own, others = fast("add_layer_norm")
    at_once = _around(operators, device, own)
    for _ in range(2):
        _add_layer_norm_is_right(at_once, device)
    assert others.count == 0


def test_rows_that_blocks_share_are_launched_from_c(device, fast, monkeypatch):
    """A short row, with limits by which it is shared as long ones are."""
    kernels = importlib.import_module("generated._runtime.cuda.kernels")
    variants = importlib.import_module("generated._runtime.cuda.variants")
    monkeypatch.setattr(kernels, "most_blocks_of_cluster", lambda *_: 8)
    monkeypatch.setattr(variants, "VARIANTS", (("LNGEN_THREADS_PER_ROW=128", "LNGEN_ROOM=8"),))
    monkeypatch.setattr(kernels.devices, "DEVICES", {})
    operators, own, others = fast("layer_norm")
    x, gamma, dy = torch.randn(3, 999), torch.randn(999), torch.randn(3, 999)
    there = [device.put(each).requires_grad_() for each in (x, gamma)]
    y = _around(operators, device, own)((*there, None, 1e-5, False))
    here = [each.requires_grad_() for each in (x, gamma)]
    expected = torch.nn.functional.layer_norm(here[0], (999,), here[1])
    torch.testing.assert_close(device.get(y.detach()), expected.detach())
    found = torch.autograd.grad(y, there, device.put(dy))
    torch.testing.assert_close([*map(device.get, found)], [*torch.autograd.grad(expected, here, dy)])
    assert others.count == 0
    (used,) = kernels.devices.DEVICES.values()
    if used.has_clusters:
        assert sorted(each.steps[0][0].blocks_per_row for each in used.launches.values()) == [2, 8]


def test_integers_of_another_type_have_a_plan_of_their_own(device, fast):
    operators, own, others = fast("label_cross_entropy")
    interface = operators.kernels.protocol
    at_once = _around(operators, device, own)
    x, label = torch.randn(4, 7), torch.tensor([3, -100, 0, 6])
    found = []
    for kind in (torch.int64, torch.int32, torch.int16):
        given = [device.put(x), device.put(label.to(kind)), *[None] * (len(interface.inputs) - 2)]
        constants = [0.0 for _ in interface.constants]
        made = at_once((*given, *constants, False))
        found.append([device.get(each) for each in (made if isinstance(made, tuple) else (made,))])
    assert others.count == 0
    torch.testing.assert_close(found[0], found[1])
    torch.testing.assert_close(found[0], found[2])


def test_other_calls_are_left_to_what_reads_them(device, fast):
    operators, own, others = fast("layer_norm")
    at_once = _around(operators, device, own)
    x = torch.randn(4, 3, 8)
    y = at_once((device.put(x).transpose(0, 1), None, None, 1e-5, False))
    torch.testing.assert_close(device.get(y), torch.nn.functional.layer_norm(x.transpose(0, 1), (8,)))
    assert others.count == 1
    with pytest.raises(ValueError, match="gamma has shape"):
        at_once((device.put(x), device.put(torch.ones(7)), None, 1e-5, False))
