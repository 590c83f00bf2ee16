# SPDX-License-Identifier: MIT
"""TorchInputs of a layer as a function of tensors, and their refusals."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..protocol.calls import INT32
from ..protocol.directions import LayerProtocol, leading
from ..protocol.interface import INTEGERS, Interface
from ..protocol.parameters import is_parameter
from .kernels import Tensor, is_tensor_like, torch
from .results import is_autocast

_LEAST, _LARGEST = int(np.iinfo(INT32).min), int(np.iinfo(INT32).max)


class TorchInputs:
    """TorchInputs of a layer by their places: `numbers`, of which some are `integers`, and `rows`."""

    def __init__(self, interface: Interface) -> None:
        self.interface, self.protocol = interface, LayerProtocol(interface)
        kinds = [each.kind for each in self.protocol.inputs]
        self.required = tuple(not each.may_be_none for each in self.protocol.inputs)
        self.numbers = [number for number, kind in enumerate(kinds) if kind in ("Scalar", 'Int[""]')]
        self.integers = {number for number in self.numbers if kinds[number] in INTEGERS}
        self.rows = [number for number, kind in enumerate(kinds) if kind == "Row"]
        parameters = [is_parameter(interface, each) for each in interface["inputs"]]
        self.widest = [number for number in self.rows if not parameters[number]]

    def with_tensors(self, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """Numbers as tensors of the type that rows are computed in: they make it no wider."""
        found = list(values)
        row = next((found[place] for place in self.rows if isinstance(found[place], Tensor)), None)
        for number in self.numbers:
            if number in self.integers:
                if isinstance(found[number], int):
                    nearest = max(_LEAST, min(_LARGEST, found[number]))
                    device = None if row is None else row.device
                    found[number] = torch.full((), nearest, dtype=torch.int32, device=device)
            elif isinstance(found[number], (int, float)) and row is not None:
                kind = torch.promote_types(row.dtype, torch.float32)
                found[number] = torch.full((), found[number], dtype=kind, device=row.device)
        return tuple(found)

    def widened(self, values: Sequence[Any]) -> Sequence[Any]:
        """Cast rows of several types to the widest of them under autocast, as the operator does."""
        there = [number for number in self.widest if values[number] is not None]
        if len({values[number].dtype for number in there}) < 2 or not is_autocast(values[there[0]]):
            return values
        kind, found = values[there[0]].dtype, list(values)
        for number in there:
            kind = torch.promote_types(kind, values[number].dtype)
        for number in there:
            found[number] = values[number].to(kind)
        return found

    def look(self, values: Sequence[Any]) -> None:
        """Check the inputs; raises TypeError for one that is not a tensor, or its stand-in in a traced program.

        One of the rows has to be there.
        """
        for number, is_required in enumerate(self.required):
            value = values[number]
            if is_required if value is None else not is_tensor_like(value):
                self._refuse(number, value)
            if isinstance(value, Tensor) and (value.is_nested or value.layout != torch.strided):
                self._refuse_layout(number, value)
        if all(values[number] is None for number in self.rows):
            leading(self.protocol.inputs, values)

    def _refuse(self, number: int, value: Any) -> None:
        name, is_number = self.interface["inputs"][number]["name"], number in self.numbers
        if is_number and number not in self.integers and isinstance(value, (int, float)):
            raise TypeError(
                f"{name} is {value!r}, and the traced program does not know the type of the rows; pass a tensor"
            )
        found = "None" if value is None else f"of type {type(value).__name__}"
        remedy = "a tensor or a number" if is_number else "a tensor, such as torch.as_tensor makes"
        remedy = "a tensor of integers or an int" if number in self.integers else remedy
        raise TypeError(f"{name} is {found}; pass {remedy}")

    def _refuse_layout(self, number: int, value: Tensor) -> None:
        """Raises TypeError for a tensor that has no row for each index."""
        name = self.interface["inputs"][number]["name"]
        if value.is_nested:
            raise TypeError(f"{name} is a nested tensor; pass each of {name}.unbind(), or all rows as {name}.values()")
        kind = str(value.layout).removeprefix("torch.")
        raise TypeError(f"{name} is a sparse tensor, {kind}; pass a dense one, such as {name}.to_dense()")
