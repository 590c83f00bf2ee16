# SPDX-License-Identifier: MIT
"""Calls of compiled kernels on small tensors of the processor, with a fast check in native/tensor_call.c.

The check passes plain tensors without gaps, of the right shapes and types, and results are new tensors of PyTorch's
memory. Any other call goes through `TorchKernels`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..native.calls import TYPES, described
from ..native.extensions import extension
from ..protocol.casts import dtype
from .dispatch import CPU, IGNORED, SILENT, forward_ad
from .kernels import Tensor, TorchKernels, each, torch

_C: Any = torch._C
_TABLE: Any = getattr(Tensor, "__dlpack_c_exchange_api__", None)


class TorchCalls:
    """Forward and the first gradients of a layer, for plain tensors of the processor."""

    def __init__(self, kernels: TorchKernels) -> None:
        self.kernels = kernels
        self._node: Any = None
        self._calls: dict[str, Any] = {}

    def recorded_by(self, node: Any) -> Callable[[tuple[Any, ...]], Any]:
        """Return a function of forward's arguments: the outputs, or None where not kernels alone have a say in a call.

        Calls that autograd is to differentiate are recorded by a node.
        """
        self._node = node
        return self._direct

    def _direct(self, values: tuple[Any, ...]) -> Any:
        call = self._call("forward")
        return None if call is None else call.direct(values)

    def forward_in_part(self, args: tuple[Any, ...]) -> tuple[Sequence[Tensor], Any]:
        """The outputs, and the row scalars: one tensor of all, or arrays."""
        call = self._call("forward")
        made = None if call is None else call.run(args, None)
        return self.kernels.forward_in_part(args) if made is None else made

    def gradients_at_once(
        self, arguments: tuple[Any, ...], row_scalars: Any, cotangents: tuple[Any, ...]
    ) -> Sequence[Any] | None:
        """The same as `gradients`, or None where not kernels alone have a say in the call, or it is another one."""
        is_ours = row_scalars is None or type(row_scalars) is Tensor
        if not is_ours or (call := self._call("backward")) is None:
            return None
        found: Sequence[Any] | None = call.run((*arguments, *cotangents), row_scalars)
        return found

    def gradients(self, arguments: tuple[Any, ...], row_scalars: Any, cotangents: Sequence[Any]) -> Sequence[Any]:
        """The gradient of each differentiable input, given the arguments of forward and its outputs that are kept."""
        return each(self.kernels.backward(*arguments, *self.tensors(row_scalars), *cotangents))

    def tensors(self, row_scalars: Any) -> Sequence[Any]:
        """Row scalars one by one."""
        if row_scalars is None:
            return ()
        return row_scalars.unbind() if isinstance(row_scalars, Tensor) else self.kernels.tensors(row_scalars)

    def _call(self, direction: str) -> Any:
        """The object of tensor_call.c, or None where there is no such fast check."""
        if self.kernels.host is self.kernels.compiled and direction in self._calls:
            return self._calls[direction]
        if self.kernels.module() is not self.kernels.compiled:
            return None
        return self._calls.setdefault(direction, self._made(direction))

    def _made(self, direction: str) -> Any:
        of = self.kernels.protocol.directions[direction]
        make = None if _TABLE is None or any(each.cast for each in of.makes) else extension("tensor_call")
        if make is None:
            return None
        here = self.kernels.compiled._KERNELS
        kernels, any_call = here.kernels[direction], here.calls[direction].any_call

        def prepare(given: list[Any], stored: int, computed: int) -> bytes:
            own = [dtype([*TYPES][number]) for number in (stored, computed)]
            found: bytes = kernels.prepare(given, *own)
            return found

        objects = (
            prepare, Tensor, torch.nn.Parameter, self._node.apply, _C.is_grad_enabled,
            _C._dispatch_tls_local_include_set, _C._dispatch_tls_local_exclude_set, forward_ad, *SILENT,
        )  # fmt: skip
        plain = _C._dispatch_keys(torch.empty(0)).raw_repr()
        keys = [each & (1 << 64) - 1 for each in (plain, IGNORED, CPU)]
        tables = described(any_call, kernels.running())
        constants = [
            each.symbol
            for each, signed in zip(self.kernels.protocol.constants, self.kernels.signed, strict=True)
            if signed
        ]
        signs = np.array([each.symbol in constants for each in of.reads], np.intc)
        return make(objects, _TABLE, *tables, self._places(direction), signs, np.array(keys, np.uint64))

    def _places(self, direction: str) -> Any:
        """The place of each value that kernels read among the arguments; of a row scalar -1 less its number."""
        kernels, of = self.kernels, self.kernels.protocol.directions[direction]
        if of.is_forward:
            return np.arange(len(of.reads), dtype=np.intc)
        entries, made = kernels.parts[direction].arguments, kernels.protocol.directions["forward"].row_scalars
        places, count = [], 0
        for entry in entries:
            is_row_scalar = entry in made
            places.append(-1 - made.index(entry) if is_row_scalar else count)
            count += not is_row_scalar
        own = [kernels.first_own + number for number in range(len(of.arguments))]
        return np.array([places[place] for place in (*own, *kernels.fields)], np.intc)
