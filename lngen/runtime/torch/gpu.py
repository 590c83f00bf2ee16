# SPDX-License-Identifier: MIT
"""A layer's directions on tensors of a GPU, by `cuda_backend`: on PyTorch's current stream, into PyTorch's memory.

Nothing is synchronized, and nothing but PyTorch allocates.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from ..emitted import backend_module
from ..protocol.casts import dtype
from ..protocol.directions import ROW, ROW_SCALAR, LayerProtocol, computed, leading
from .guards import torch

_TYPESTRINGS = {torch.float16: "<f2", torch.bfloat16: "<V2", torch.float32: "<f4", torch.float64: "<f8"}
_TYPESTRINGS |= {torch.int32: "<i4", torch.int8: "|i1", torch.float8_e4m3fn: "|V1", torch.float8_e5m2: "|V1"}
_ALIGNMENT = 256


class _TensorMemory:
    """A tensor without gaps as `cuda_backend` takes it; PyTorch itself refuses to show one that requires a gradient."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor
        self.__cuda_array_interface__ = {
            "shape": tuple(tensor.shape),
            "typestr": _TYPESTRINGS.get(tensor.dtype, "|u1"),
            "data": (tensor.data_ptr(), False),
            "strides": None,
            "version": 2,
        }


def _memory(tensor: Any) -> Any:  # of a Constant itself
    return _TensorMemory(tensor) if isinstance(tensor, torch.Tensor) else tensor


@contextmanager
def _current(device: Any) -> Iterator[int]:
    """The handle of the current stream of a device, which is the current one meanwhile."""
    with torch.cuda.device(device):
        yield torch.cuda.current_stream(device).cuda_stream


class OnGPU:
    """The same functions as `TorchLayer` has for compiled kernels, of the layer whose package is `package`."""

    def __init__(self, protocol: LayerProtocol, package: str) -> None:
        self.protocol, self.package = protocol, package
        self._module: Any = None

    def is_there(self) -> bool:
        """Test whether PyCUDA is installed, by which kernels are launched."""
        return self._module is not None or find_spec("pycuda") is not None

    def backend(self) -> Any:
        """Return `cuda_backend` of the layer."""
        if self._module is None:
            self._module = backend_module(self.package, "cuda")
        return self._module

    def forward(self, given: Sequence[Any], constants: Sequence[Any]) -> tuple[Sequence[Any], Any]:
        """The outputs, and the row scalars in one memory, each at an address that kernels can take."""
        of, row = self.protocol, given[leading(self.protocol.inputs, given)]
        kind = (
            torch.float64 if any(each is not None and each.dtype == torch.float64 for each in given) else torch.float32
        )
        shapes = {ROW: row.shape, ROW_SCALAR: row.shape[:-1]}
        made = [
            row.new_empty(shapes[each.part], dtype=getattr(torch, each.cast) if each.cast else row.dtype)
            for each in of.outputs
        ]
        entries = -(-row.shape[:-1].numel() * kind.itemsize // _ALIGNMENT) * _ALIGNMENT // kind.itemsize
        kept = row.new_empty((len(of.row_scalars), entries), dtype=kind)
        out = [*map(_memory, made)]
        named = dict(zip([each.name for each in of.constants], constants, strict=True))
        with _current(row.device) as stream:
            self.backend().forward(
                *map(_memory, given),
                **named,
                out=tuple(out) if len(out) > 1 else out[0],
                stream=stream,
                workspace=_memory(kept),
            )
        return made, kept

    def backward(self, given: Sequence[Any], kept: Any, constants: Sequence[Any]) -> Sequence[Any]:
        """The gradient of each input."""
        of, backend = self.protocol, self.backend()
        inputs, rest = given[: len(of.inputs)], given[len(of.inputs) :]
        row = inputs[leading(of.inputs, inputs)]
        outputs, own = rest[: len(of.kept)], rest[len(of.kept) :]
        lead = row.shape[:-1]
        row_scalars = [kept[n][: lead.numel()].view(lead) for n in range(len(of.row_scalars))]
        dtypes = tuple([None if each is None else dtype(str(each.dtype).removeprefix("torch.")) for each in inputs])
        kind = computed([own for each, own in zip(of.inputs, dtypes, strict=True) if not each.is_integer])
        fields = of.fields_of(inputs, constants, outputs, row_scalars)
        saved = (tuple(row.shape), kind, dtypes, *map(_memory, fields))
        arguments = tuple.__new__(backend.Saved, saved), *map(_memory, own)
        found = [
            each.new_empty(each.shape) if place in of.differentiable and each is not None else None
            for place, each in enumerate(inputs)
        ]
        out = tuple(_memory(found[place]) for place in of.differentiable)
        with _current(row.device) as stream:
            size = backend.workspace_bytes("backward", *arguments, out=out)
            workspace = _memory(row.new_empty((size,), dtype=torch.uint8))
            backend.backward(*arguments, out=out, stream=stream, workspace=workspace)
        return found
