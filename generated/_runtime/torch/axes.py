# SPDX-License-Identifier: MIT
"""Layers whose axes have names, on tensors: PyTorch arranges them as rows, and the operators are those of rows."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from ..numpy.axes import on_rows
from ..protocol.axes import ArrangedCall, without_axes
from ..protocol.interface import Interface
from . import TorchLayer
from .inputs import TorchInputs
from .kernels import torch

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

    def call(self, *values: Any) -> Result:
        """The output of the layer, a tuple of several; `values` are its inputs, then its Constants."""
        return self.sized((), *values)

    def sized(self, given: Sequence[Any], *values: Any) -> Result:
        """Return the output of a layer with sizes that are arguments."""
        self.inputs.look(values)
        made: Result = self.arranged.call(self.on_rows.call, values, given)
        return made
