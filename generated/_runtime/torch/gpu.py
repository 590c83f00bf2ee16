# SPDX-License-Identifier: MIT
"""A layer's directions on tensors of a GPU, by `cuda_backend`: on PyTorch's current stream, into PyTorch's memory.

Nothing is synchronized, and nothing but PyTorch allocates.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from ..emitted import backend_module
from ..protocol.directions import NUMBER, ROW, ROW_SCALAR, Entry
from .kernels import INTEGERS, Tensor, TorchKernels, only, torch
from .kernels import each as several

_TYPESTRINGS = {torch.float16: "<f2", torch.bfloat16: "<V2", torch.float32: "<f4", torch.float64: "<f8"}
_TYPESTRINGS |= {kind: dtype.str for kind, dtype in INTEGERS.items()}
_TYPESTRINGS |= {torch.float8_e4m3fn: "|V1", torch.float8_e5m2: "|V1"}
_ALIGNMENT = 256


class _TensorMemory:
    """A tensor as `cuda_backend` takes it; PyTorch itself refuses to show one that requires a gradient."""

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.__cuda_array_interface__ = {
            "shape": tuple(tensor.shape),
            "typestr": _TYPESTRINGS.get(tensor.dtype, "|u1"),
            "data": (tensor.data_ptr(), False),
            "strides": None if tensor.is_contiguous() else tuple([step * tensor.itemsize for step in tensor.stride()]),
            "version": 2,
        }


@contextmanager
def _current(device: Any) -> Iterator[int]:
    """The handle of the current stream of a device, which is the current one meanwhile."""
    with torch.cuda.device(device):
        yield torch.cuda.current_stream(device).cuda_stream


def _is_in_rows(each: Entry, value: Tensor) -> bool:
    """Test whether kernels read the rows of a tensor where they lie."""
    return each.part == ROW_SCALAR or (each.part == ROW and (value.shape[-1] == 1 or value.stride(-1) == 1))


class TorchOnGPU:
    """Kernels on a GPU for those in `kernels`, of the layer whose package is `package`."""

    def __init__(self, kernels: TorchKernels, package: str) -> None:
        self.kernels, self.package = kernels, package
        self._module: Any = None

    def forward(self, *args: Any) -> Any:
        """The outputs and the row scalars."""
        kernels = self.kernels
        if args[kernels.by_sample]:
            return kernels.one_by_one("forward", self.forward, args)
        args = self._with_integers_alike(kernels.counted(args))
        inputs = self._memories(args, kernels.protocol.inputs, args[: kernels.inputs])
        made = several(kernels.made("forward", args))
        outputs, row_scalars = made[: kernels.outputs], made[kernels.outputs :]
        numbers = dict(zip(kernels.constants, args[kernels.inputs : kernels.by_sample], strict=True))
        backend = self._backend()
        with _current(made[0].device) as stream:
            workspace = self._workspace("forward", made[0], inputs)
            out = [*map(_TensorMemory, outputs)]
            backend.forward(
                *inputs,
                **numbers,
                out=tuple(out) if kernels.outputs > 1 else out[0],
                stream=stream,
                workspace=_TensorMemory(workspace),
            )
            begin = 0
            for each in row_scalars:
                size = each.numel() * each.element_size()
                each.copy_(workspace[begin : begin + size].view(each.dtype).view(each.shape))
                begin += -(-size // _ALIGNMENT) * _ALIGNMENT
        return only(made)

    def later(self, direction: str, *args: Any) -> Any:
        """The results of a direction that follows forward."""
        kernels, backend = self.kernels, self._backend()
        if args[kernels.by_sample]:
            return kernels.one_by_one(direction, partial(self.later, direction), args)
        args = self._with_integers_alike(kernels.counted(args))
        made = several(kernels.made(direction, args))
        takes = kernels.protocol.directions[direction]
        own = self._memories(args, takes.arguments, args[kernels.first_own :])
        fields = self._memories(args, kernels.protocol.fields, [args[place] for place in kernels.fields])
        types = kernels.types_of(args[: kernels.inputs])
        first = (tuple(args[types.row].shape), types.computed, types.dtypes)
        saved = tuple.__new__(backend.Saved, (*first, *fields))
        own = takes.passed(own)
        are_there = kernels.are_there(direction, args)
        out = [_TensorMemory(each) if is_there else None for each, is_there in zip(made, are_there, strict=True)]
        with _current(made[0].device) as stream:
            workspace = self._workspace(direction, args[types.row], [saved, *own])
            getattr(backend, direction)(
                saved,
                *own,
                out=tuple(out) if takes.returned else out[0],
                stream=stream,
                workspace=_TensorMemory(workspace),
            )
        return only(made)

    def _with_integers_alike(self, args: Sequence[Any]) -> tuple[Any, ...]:
        """Return arguments whose arrays of integers are of one type, as kernels take them."""
        found = list(args)
        for is_number in (False, True):
            inputs = enumerate(self.kernels.protocol.inputs)
            places = [place for place, each in inputs if each.is_integer and (each.part == NUMBER) == is_number]
            there = [place for place in places if args[place] is not None]
            if len({args[place].dtype for place in there}) > 1:
                for place in there:
                    found[place] = args[place].long()
        return tuple(found)

    def _workspace(self, direction: str, beside: Tensor, arguments: Sequence[Any]) -> Tensor:
        size = self._backend().workspace_bytes(direction, *arguments)
        return beside.new_empty((size,), dtype=torch.uint8)

    def _memories(self, args: Sequence[Any], entries: Sequence[Entry], values: Sequence[Any]) -> list[Any]:
        row = args[self.kernels.types_of(args[: self.kernels.inputs]).row]
        for each in values:
            if isinstance(each, Tensor) and each.device != row.device:
                raise TypeError(f"a tensor is on {each.device}, and the rows are on {row.device}; move it there")
        return [
            _TensorMemory(value if _is_in_rows(each, value) else value.contiguous())
            if isinstance(value, Tensor)
            else value
            for each, value in zip(entries, values, strict=True)
        ]

    def _backend(self) -> Any:
        if self._module is None:
            self._module = backend_module(self.package, "cuda")
        return self._module
