# SPDX-License-Identifier: MIT
"""Layers whose axes have names, on tensors.

The operators are those of rows, and PyTorch arranges tensors for them. A call of plain tensors goes to kernels as it
is: to the emitted function for the processor, or to those for a GPU. Both read rows where they lie.
"""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from ..numpy.axes import on_rows
from ..protocol.axes import ArrangedCall, Arrangement, without_axes
from ..protocol.directions import DirectionProtocol, LayerProtocol
from ..protocol.interface import Interface
from . import TorchLayer
from .axes_calls import AxesCalls, AxesGpuCalls
from .derivatives import ways
from .dispatch import CPU, CUDA, at_once
from .gpu_axes import AxesOnGPU
from .inputs import TorchInputs
from .kernels import Tensor, TorchKernels, each, fresh, lent, only, threads_for, torch

__all__ = ["TorchAxes"]

Result = TypeVar("Result")


class TorchAxes(Generic[Result]):
    """A layer whose axes have names as a function of tensors; `on_rows` is the layer whose tensors are rows."""

    def __init__(self, package: str, interface: Interface, numpy: Any, compiled: Any) -> None:
        self.interface, self.outputs, self.numpy = interface, len(interface["outputs"]), numpy
        self.on_rows: TorchLayer[Result] = TorchLayer(
            package, without_axes(interface), on_rows(numpy), on_rows(compiled)
        )
        self.inputs = TorchInputs(interface)
        self.arranged = ArrangedCall(interface, torch.permute, torch.broadcast_to, torch.unbind, torch.stack)
        own = _AxesAtOnce(interface, numpy, compiled, self._by_operators)
        self.calls = AxesCalls(own.kernels)
        on_gpu = AxesOnGPU(own.kernels, self.arranged, self.on_rows.operators.gpu)
        of_device = {CPU: self.calls, CUDA: AxesGpuCalls(own.kernels, on_gpu)}
        self.at_once = at_once(own.kernels.required, ways(own, of_device))

    def call(self, *values: Any) -> Result:
        """The output of the layer, a tuple of several; `values` are its inputs, then its Constants."""
        return self.sized((), *values)

    def sized(self, given: Sequence[Any], *values: Any) -> Result:
        """Return the output of a layer with sizes that are arguments."""
        made: Result | None = self.at_once((*values, tuple(given)))
        if made is not None:
            return made
        self.inputs.look(values)
        return self._by_operators(given, values)

    def _by_operators(self, given: Sequence[Any], values: Sequence[Any]) -> Result:
        made: Result = self.arranged.call(self.on_rows.call, values, given)
        return made


class _AxesAtOnce:
    """A layer as derivatives.py sees it, whose tensors are as the caller has them.

    Where an operator has its flag, a call has the sizes that are arguments.
    """

    def __init__(self, interface: Interface, numpy: Any, compiled: Any, by_operators: Any) -> None:
        layer = LayerProtocol(interface)
        self.kept: Sequence[int] = layer.kept
        self.differentiable: Sequence[int] = layer.differentiable
        self.inputs, self.constants, self.outputs = len(layer.inputs), len(layer.constants) + 1, len(layer.outputs)
        self.casts: Sequence[str | None] = [each.cast for each in layer.outputs]
        self.backward: Any = self._again
        self.kernels: Any = _AxesKernels(layer, interface, numpy, compiled)
        self.by_operators = by_operators

    def _again(self, *args: Any) -> Any:
        """Return gradients that can be differentiated again: those of the operators."""
        end = self.inputs + self.constants
        inputs, constants, given = args[: self.inputs], args[self.inputs : end - 1], args[end - 1]
        cotangents = args[self.kernels.first_own :]
        is_recorded = torch.is_grad_enabled()
        with torch.enable_grad():
            made = each(self.by_operators(given, (*inputs, *constants)))
            moved = [number for number in self.differentiable if _requires_grad(inputs[number])]
            there = [
                (value, cotangent) for value, cotangent in zip(made, cotangents, strict=True) if cotangent is not None
            ]
            found = torch.autograd.grad(
                [value for value, _ in there],
                [inputs[number] for number in moved],
                [cotangent for _, cotangent in there],
                create_graph=is_recorded,
                allow_unused=True,
            )
        gradients = dict(zip(moved, found, strict=True))
        return only([gradients.get(number) for number in self.differentiable])


def _requires_grad(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad


class _AxesKernels(TorchKernels):
    """The directions of a layer on tensors as the caller has them."""

    def __init__(self, layer: LayerProtocol, interface: Interface, numpy: Any, compiled: Any) -> None:
        super().__init__(layer, interface, numpy, compiled)
        self.arrangement = Arrangement(interface)
        self.constants = [*self.constants, *self.arrangement.sizes_given]

    def forward_in_part(self, args: Sequence[Any]) -> tuple[list[Tensor], list[Any]]:
        """The outputs, and the row scalars as arrays."""
        inputs, given = args[: self.inputs], args[self.by_sample]
        types = self.types_of(inputs)
        arrays = [lent(each) for each in inputs]
        constants = (*args[self.inputs : self.by_sample], *given)
        outputs, row_scalars = self.made_by_forward(arrays, constants, threads_for(args[types.row]))
        return fresh(outputs, arrays), row_scalars

    def _later(self, direction: DirectionProtocol, *args: Any) -> Any:
        types = self.types_of(args[: self.inputs])
        fields = [lent(args[place]) for place in self.fields]
        own = [lent(each) for each in args[self.first_own :]]
        of = self.arrangement
        shapes = {
            each.name: tuple(value.shape)
            for each, value in zip(self.protocol.inputs, args, strict=False)
            if value is not None and each.name in of.patterns
        }
        sizes = of.sizes(shapes, dict(zip(of.sizes_given, args[self.by_sample], strict=True)))
        saved = (of.flat(sizes), types.computed, types.dtypes, *fields)
        threads = threads_for(args[types.row])
        return only(fresh(self.made_by_later(direction, saved, own, threads), [*own, *fields]))
