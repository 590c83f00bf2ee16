# SPDX-License-Identifier: MIT
"""A layer's directions on tensors of a GPU, by `cuda_backend`: on PyTorch's current stream, into PyTorch's memory.

Nothing is synchronized, and nothing but PyTorch allocates.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, cast

from ..emitted import backend_module
from ..protocol.directions import NUMBER, ROW, ROW_SCALAR, Entry
from .kernels import INTEGERS, Tensor, TorchKernels, only, torch
from .kernels import each as several

_TYPESTRINGS = {torch.float16: "<f2", torch.bfloat16: "<V2", torch.float32: "<f4", torch.float64: "<f8"}
_TYPESTRINGS |= {kind: dtype.str for kind, dtype in INTEGERS.items()}
_TYPESTRINGS |= {torch.float8_e4m3fn: "|V1", torch.float8_e5m2: "|V1"}
_ALIGNMENT = 256


class RowsInRuns:
    """Rows that are constant in runs of a `length`, of which the tensor has an entry for each."""

    def __init__(self, tensor: Tensor, length: int) -> None:
        self.tensor, self.length, self.dtype, self.device = tensor, length, tensor.dtype, tensor.device
        self.shape = torch.Size((*tensor.shape[:-1], tensor.shape[-1] * length))

    def gradient(self, dtype: Any) -> "RowsInRuns":
        """Return memory for the gradient, in a type."""
        return RowsInRuns(self.tensor.new_empty(self.tensor.shape, dtype=dtype), self.length)


class _TensorMemory:
    """A tensor as `cuda_backend` takes it; PyTorch itself refuses to show one that requires a gradient."""

    def __init__(self, given: Tensor | RowsInRuns) -> None:
        self.tensor = tensor = given.tensor if isinstance(given, RowsInRuns) else given
        self.__cuda_array_interface__ = {
            "run": given.length if isinstance(given, RowsInRuns) else 1,
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

    # ---- as operators

    def forward(self, *args: Any) -> Any:
        """The outputs and the row scalars."""
        outputs, row_scalars = self.forward_in_part(args)
        return only([*outputs, *self.tensors(row_scalars)])

    def later(self, direction: str, *args: Any) -> Any:
        """The results of a direction that follows forward."""
        kernels = self.kernels
        made = several(kernels.made(direction, args))
        are_there = kernels.are_there(direction, args)
        self.later_into(direction, args, [each if there else None for each, there in zip(made, are_there, strict=True)])
        return only(made)

    # ---- without the dispatcher

    def forward_in_part(self, args: Sequence[Any]) -> tuple[list[Tensor], list[Tensor]]:
        """The outputs, and the row scalars in one memory."""
        outputs = [*several(self.kernels.made("forward", args, self.kernels.outputs))]
        return outputs, self.forward_into(args, outputs)

    def gradients(self, arguments: Sequence[Any], row_scalars: Sequence[Any], cotangents: Sequence[Any]) -> Any:
        """The gradient of each differentiable input, given the arguments of forward and its results that are kept."""
        return several(self.later("backward", *arguments, *row_scalars, *cotangents))

    def tensors(self, row_scalars: Sequence[Tensor]) -> list[Tensor]:
        """Row scalars as tensors of their own."""
        return [each.new_empty(each.shape).copy_(each) for each in row_scalars]

    # ---- into tensors

    def forward_into(self, args: Sequence[Any], outputs: Sequence[Any]) -> list[Tensor]:
        """Write the outputs into tensors, and return the row scalars in one memory."""
        kernels = self.kernels
        args = self._with_integers_alike(args)
        types = kernels.types_of(args[: kernels.inputs])
        row = args[types.row]
        rows, itemsize = row.shape[:-1], types.row_scalars.itemsize
        entries = -(-rows.numel() * itemsize // _ALIGNMENT) * _ALIGNMENT // itemsize
        row_scalars = kernels.protocol.directions["forward"].row_scalars
        workspace = row.new_empty((len(row_scalars), entries), dtype=types.row_scalars)
        inputs = self._memories(args, kernels.protocol.inputs, args[: kernels.inputs])
        out = [*map(_TensorMemory, outputs)]
        with _current(row.device) as stream:
            self.backend().forward(
                *inputs,
                **dict(zip(kernels.constants, args[kernels.inputs : kernels.by_sample], strict=True)),
                out=tuple(out) if kernels.outputs > 1 else out[0],
                stream=stream,
                workspace=_TensorMemory(workspace),
            )
        return [each[: rows.numel()].view(rows) for each in workspace]

    def later_into(self, direction: str, args: Sequence[Any], made: Sequence[Any]) -> None:
        """Write the results of a direction that follows forward into tensors, of which those left out are None."""
        kernels, backend = self.kernels, self.backend()
        args = self._with_integers_alike(args)
        takes = kernels.protocol.directions[direction]
        own = self._memories(args, takes.arguments, args[kernels.first_own :])
        fields = self._memories(args, kernels.protocol.fields, [args[place] for place in kernels.fields])
        types = kernels.types_of(args[: kernels.inputs])
        row = args[types.row]
        first = (tuple(row.shape), types.computed, types.dtypes)
        given = [tuple.__new__(backend.Saved, (*first, *fields)), *takes.passed(own)]
        results = [None if each is None else _TensorMemory(each) for each in made]
        out = tuple(results) if takes.returned else results[0]
        with _current(row.device) as stream:
            size = backend.workspace_bytes(direction, *given, out=out)
            workspace = _TensorMemory(row.new_empty((size,), dtype=torch.uint8))
            getattr(backend, direction)(*given, out=out, stream=stream, workspace=workspace)

    def launches(self, direction: str, given: Sequence[Any], arguments: Sequence[Any], saves: bool) -> Any:
        """Return the launches of calls like one, on the current device.

        `given` are the values that are read and the results, None for row scalars, which forward `saves` or not;
        `arguments` begin with the inputs of forward. Raises TypeError or ValueError as `cuda_backend` does.
        """
        # These import PyCUDA.
        from ..cuda import devices, kernels, plans

        backend, types = self.backend(), self.kernels.types_of(arguments[: self.kernels.inputs])
        takes = self.kernels.protocol.directions[direction]
        objects: list[Any] = [_TensorMemory(value) if isinstance(value, Tensor) else value for value in given]
        objects += [None] * (len(takes.slots) + 1 - len(objects))
        first = (tuple(arguments[types.row].shape), types.computed, types.dtypes)
        fields = objects[len(takes.arguments) : len(takes.reads)]
        saved = None if takes.is_forward else tuple.__new__(backend.Saved, (*first, *fields))
        plan = plans.Plan(backend._LAYER, direction, objects, saved, saves)
        vars(backend)[f"_plan_{direction}"](plan)
        with devices.entered((), (), str) as device:
            return kernels.launches(device, plan.finish())

    def zeros(self, direction: str) -> Sequence[str]:
        """Return the symbols of the results that are always zero, which are dense."""
        found = import_module(f"{self.package}.kernels").KERNELS[direction].zeros
        return cast(Sequence[str], found)

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

    def _memories(self, args: Sequence[Any], entries: Sequence[Entry], values: Sequence[Any]) -> list[Any]:
        row = args[self.kernels.types_of(args[: self.kernels.inputs]).row]
        for each in values:
            if isinstance(each, Tensor) and each.device != row.device:
                raise TypeError(f"a tensor is on {each.device}, and the rows are on {row.device}; move it there")
        return [
            _TensorMemory(value)
            if isinstance(value, RowsInRuns)
            else _TensorMemory(value if _is_in_rows(each, value) else value.contiguous())
            if isinstance(value, Tensor)
            else value
            for each, value in zip(entries, values, strict=True)
        ]

    def backend(self) -> Any:
        """Return `cuda_backend` of the layer."""
        if self._module is None:
            self._module = backend_module(self.package, "cuda")
        return self._module
