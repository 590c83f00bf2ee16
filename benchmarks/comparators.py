"""PyTorch's own layers on the same buffers, where PyTorch is installed.

The table says which function of PyTorch computes what a shipped layer does; a layer that it lacks is measured alone.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

from benchmarks.layers import Calls

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "layer_norm": lambda torch, x, gamma, beta: torch.nn.functional.layer_norm(x, x.shape[-1:], gamma, beta, 1e-5),
    "rms_norm": lambda torch, x, gamma: torch.nn.functional.rms_norm(x, x.shape[-1:], gamma, 1e-5),
}
"""For a layer's name, its function of PyTorch: called with the module and the layer's inputs, in order."""

# torch.as_tensor takes integers of every size from other libraries, and not all types of floating point.
_INTEGERS = {2: "<i2", 4: "<i4", 8: "<i8"}
_TYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}


def torch_module() -> Any:
    """PyTorch if it is installed and sees the GPU, else None."""
    if importlib.util.find_spec("torch") is None:
        return None
    torch = importlib.import_module("torch")
    return torch if torch.cuda.is_available() else None


class Comparator:
    """PyTorch's function for a layer on the buffers of its calls, eager or compiled."""

    def __init__(self, torch: Any, calls: Calls, *, compiled: bool) -> None:
        self.torch, self.calls = torch, calls
        self.function: Callable[..., Any] = FUNCTIONS[calls.name]
        if compiled:
            self.function = _compiled(torch, calls.name)
        self.leaves = [self._tensors(buffers.inputs.values(), leaf=True) for buffers in calls.sets]
        self.cotangents = [self._tensors(buffers.cotangents.values(), leaf=False) for buffers in calls.sets]
        # The graphs are kept, so that backward can be timed alone and again.
        self.outputs = [self._call(leaves) for leaves in self.leaves]
        for chosen in range(len(calls.sets)):
            self.forward(chosen)
            self.backward(chosen)
        torch.cuda.synchronize()

    def forward(self, chosen: int) -> None:
        """Forward as in training: what backward needs is kept."""
        self._call(self.leaves[chosen])

    def backward(self, chosen: int) -> None:
        """Backward alone."""
        self.torch.autograd.grad(
            self.outputs[chosen], self.leaves[chosen], self.cotangents[chosen][0], retain_graph=True
        )

    def _call(self, leaves: list[Any]) -> Any:
        return self.function(self.torch, *leaves)

    def _tensors(self, arrays: Any, *, leaf: bool) -> list[Any]:
        found = [as_tensor(self.torch, array, self.calls.case.dtype) for array in arrays]
        return [tensor.requires_grad_() if leaf else tensor for tensor in found]


def as_tensor(torch: Any, array: Any, dtype: str) -> Any:
    """A GPUArray's memory as a tensor of a type such as `bf16`."""
    interface = array.__cuda_array_interface__
    tensor = torch.as_tensor(_Integers(array, interface), device="cuda")
    return tensor.view(getattr(torch, _TYPES[dtype]))


class _Integers:
    """A GPUArray's memory as integers of the same size."""

    def __init__(self, owner: Any, interface: dict[str, Any]) -> None:
        self.owner = owner
        size = int(interface["typestr"][2:])
        self.__cuda_array_interface__ = {
            "shape": interface["shape"],
            "typestr": _INTEGERS[size],
            "data": interface["data"],
            "version": 3,
        }


def _compiled(torch: Any, name: str) -> Callable[..., Any]:
    # A graph that is kept needs its buffers, and what was compiled for another shape is no use.
    functorch: Any = importlib.import_module("torch._functorch.config")
    functorch.donated_buffer = False
    torch._dynamo.reset()
    function = FUNCTIONS[name]
    compiled = torch.compile(lambda *inputs: function(torch, *inputs), dynamic=False, fullgraph=True)
    return lambda _, *inputs: compiled(*inputs)
