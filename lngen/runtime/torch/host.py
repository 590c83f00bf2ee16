# SPDX-License-Identifier: MIT
"""A layer's directions on tensors of the processor by `numpy_backend`, where kernels cannot be compiled."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..protocol.directions import LayerProtocol, computed, leading
from .guards import Tensor, threads_for, torch


class OnNumPy:
    """The same functions as `TorchLayer` has for compiled kernels, by a `module` on rows."""

    def __init__(self, protocol: LayerProtocol, module: Any) -> None:
        self.protocol, self.module = protocol, module
        self.constants = [each.name for each in protocol.constants]
        self.row_scalars = [place for place, each in enumerate(protocol.fields, 3) if each.kind == "Computed"]

    def forward(self, given: Sequence[Any], constants: Sequence[Any]) -> tuple[Sequence[Any], Any]:
        """The outputs, and the row scalars in one tensor."""
        named = dict(zip(self.constants, constants, strict=True))
        made, saved = self.module.forward(*map(_lent, given), **named, threads=self._threads(given))
        kept = [torch.from_numpy(np.array(saved[place]).reshape(-1)) for place in self.row_scalars]
        outputs = self.protocol.directions["forward"].several(made)
        return self._tensors(outputs), torch.stack(kept) if kept else None

    def backward(self, given: Sequence[Any], kept: Any, constants: Sequence[Any]) -> Sequence[Any]:
        """The gradient of each input."""
        of, arrays = self.protocol, [*map(_lent, given)]
        inputs, rest = arrays[: len(of.inputs)], arrays[len(of.inputs) :]
        shape = tuple(inputs[leading(of.inputs, inputs)].shape)
        outputs, own = rest[: len(of.kept)], rest[len(of.kept) :]
        row_scalars = [kept[n].numpy().reshape(shape[:-1]) for n in range(len(of.row_scalars))]
        dtypes = tuple([None if each is None else each.dtype for each in inputs])
        kind = computed([d for each, d in zip(of.inputs, dtypes, strict=True) if not each.is_integer])
        fields = of.fields_of(inputs, constants, outputs, row_scalars)
        saved = tuple.__new__(self.module.Saved, (shape, kind, dtypes, *fields))
        made = iter(self._tensors(self.module.backward(saved, *own, threads=self._threads(given))))
        differentiable = {*of.differentiable}
        return [next(made) if place in differentiable else None for place in range(len(of.inputs))]

    def _threads(self, given: Sequence[Any]) -> int:
        row = given[leading(self.protocol.inputs, given)]
        return threads_for(row.numel(), 1)

    def _tensors(self, arrays: Sequence[Any]) -> list[Any]:
        """Results as tensors that share no memory."""
        seen: set[int] = set()
        found: list[Any] = []
        for each in arrays:
            if each is None:
                found.append(None)
                continue
            array = np.asarray(each)
            is_own = (
                type(each) is np.ndarray and array.flags.owndata and array.flags.c_contiguous and id(each) not in seen
            )
            seen.add(id(each))
            array = array if is_own else np.array(array, order="C")
            is_known = array.dtype.isbuiltin == 1
            made = torch.from_numpy(array if is_known else array.view(f"i{array.dtype.itemsize}"))
            found.append(made if is_known else made.view(getattr(torch, array.dtype.name)))
        return found


class _Lent:
    """A tensor's memory for NumPy. `Tensor.numpy` would keep its storage from ever being resized, as FSDP does."""

    __slots__ = ("tensor",)

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    def __dlpack__(self, **_: Any) -> Any:
        return torch._C._to_dlpack(self.tensor)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def _lent(value: Any) -> Any:
    """Return a tensor's memory as a NumPy array; bfloat16, which NumPy lacks, is copied as float32."""
    return value if value is None else np.from_dlpack(_Lent(value.float() if value.dtype == torch.bfloat16 else value))
