# SPDX-License-Identifier: MIT
"""Calls of kernels on plain tensors, with a fast check in native/tensor_call.c.

The check passes tensors without gaps, of the right shapes and types, and results are new tensors of PyTorch's memory.
Small calls of the processor are computed there, and those of a GPU launched. Any other call goes through kernels.py or
gpu.py.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..cuda.words import words_of
from ..native.calls import cut, described, prepared
from ..native.extensions import extension
from ..native.straight import TYPES
from ..protocol.casts import dtype
from .dispatch import CPU, CUDA, IGNORED, SILENT, forward_ad
from .gpu import TorchOnGPU
from .kernels import SHARED_ENTRIES, Tensor, TorchKernels, torch

_C: Any = torch._C
_TABLE: Any = getattr(Tensor, "__dlpack_c_exchange_api__", None)

DRIVER = ("cuCtxGetDevice", "cuCtxGetCurrent", "cuLaunchKernelEx")
"""Driver functions that calls on a GPU need, in the order of `struct driver`."""

_PROCESSOR, _GPU = 1, 2
"""Kinds of devices as DLPack has them."""


class TorchCalls:
    """Forward and the first gradients of a layer, for plain tensors of the processor.

    `others` takes the calls that the fast check does not.
    """

    device, keys = _PROCESSOR, CPU

    def __init__(self, kernels: TorchKernels, others: Any = None) -> None:
        self.kernels, self.others = kernels, others or kernels
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
        """The outputs, and the row scalars: one tensor of all, or one by one."""
        call = self._call("forward")
        made = None if call is None else call.run(args, None)
        return self.others.forward_in_part(args) if made is None else made

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
        one_by_one = row_scalars.unbind() if isinstance(row_scalars, Tensor) else row_scalars or ()
        found: Sequence[Any] = self.others.gradients(arguments, one_by_one, cotangents)
        return found

    def tensors(self, row_scalars: Any) -> Sequence[Any]:
        """Row scalars as tensors."""
        if row_scalars is None:
            return ()
        return row_scalars.unbind() if isinstance(row_scalars, Tensor) else self.others.tensors(row_scalars)

    # ---- the fast check

    def _call(self, direction: str) -> Any:
        """The object of tensor_call.c, or None where there is no such fast check."""
        kernels = self.kernels
        # A call waits for this, so that the usual answer is without a call of its own.
        if kernels.host is not kernels.compiled and not self._is_ready():
            return None
        try:
            return self._calls[direction]
        except KeyError:
            return self._calls.setdefault(direction, self._made(direction))

    def _is_ready(self) -> bool:
        return self.kernels.module() is self.kernels.compiled

    def _made(self, direction: str) -> Any:
        of = self.kernels.protocol.directions[direction]
        make = None if _TABLE is None or any(each.cast for each in of.makes) else extension("tensor_call")
        if make is None:
            return None
        objects = (
            self._preparing(direction), self._cutting(direction), Tensor, torch.nn.Parameter, self._node.apply,
            _C.is_grad_enabled, _C._dispatch_tls_local_include_set, _C._dispatch_tls_local_exclude_set, forward_ad,
            *SILENT,
        )  # fmt: skip
        plain = _C._dispatch_keys(torch.empty(0)).raw_repr() & ~CPU | self.keys
        numbers = [each & (1 << 64) - 1 for each in (plain, IGNORED, self.keys, SHARED_ENTRIES)]
        arrays = [np.array(table, np.intc) for table in (self._places(direction), self._signs(direction))]
        driver = np.array(self._driver(), np.uintp)
        return make(
            objects, _TABLE, self.device, *self._tables(direction), *arrays, np.array(numbers, np.uint64), driver
        )

    def _tables(self, direction: str) -> list[Any]:
        """Return what a direction takes and makes, as call_arguments.h reads it."""
        here = self.kernels.compiled._KERNELS
        call = here.calls[direction]
        return described(getattr(call, "on_rows", call), here.kernels[direction])

    def _signs(self, direction: str) -> list[bool]:
        """Return for each value that kernels read whether it is a Constant that may be negative."""
        constants = zip(self.kernels.protocol.constants, self.kernels.signed, strict=True)
        signed = [each.symbol for each, may_be_negative in constants if may_be_negative]
        return [each.symbol in signed for each in self.kernels.protocol.directions[direction].reads]

    def _places(self, direction: str) -> list[int]:
        """The place of each value that kernels read among the arguments; of a row scalar -1 less its number."""
        kernels, of = self.kernels, self.kernels.protocol.directions[direction]
        if of.is_forward:
            return [*range(len(of.reads))]
        entries, made = kernels.parts[direction].arguments, kernels.protocol.directions["forward"].row_scalars
        places, count = [], 0
        for entry in entries:
            is_row_scalar = entry in made
            places.append(-1 - made.index(entry) if is_row_scalar else count)
            count += not is_row_scalar
        own = [kernels.first_own + number for number in range(len(of.arguments))]
        return [places[place] for place in (*own, *kernels.fields)]

    def _preparing(self, direction: str) -> Callable[..., Any]:
        """Return the function that finds the kernels of a call, as binding.h reads them."""
        kernels = self.kernels.compiled._KERNELS.kernels[direction]

        def prepare(given: list[Any], stored: int, computed: int) -> bytes:
            found: bytes = prepared(kernels, given, *[dtype([*TYPES][number]) for number in (stored, computed)])
            return found

        return prepare

    def _cutting(self, direction: str) -> Callable[..., Any]:
        """Return the function that divides the rows of a call, as `struct cut` has it."""
        kernels = self.kernels.compiled._KERNELS.kernels[direction]

        return lambda rows, features, stored: cut(kernels, rows, features, dtype([*TYPES][stored]))

    def _driver(self) -> Sequence[int]:
        """Return the addresses of driver functions."""
        return ()


class TorchGpuCalls(TorchCalls):
    """The same for tensors of a GPU; `others` takes the calls that are none of dense tensors."""

    device, keys = _GPU, CUDA
    others: TorchOnGPU

    def _is_ready(self) -> bool:
        return True

    def _driver(self) -> Sequence[int]:
        from ..cuda import driver

        return [driver.address(name) for name in DRIVER]

    def _preparing(self, direction: str) -> Callable[..., Any]:
        """Return the function that plans a call: its launches as tensor_call.c reads them, and what keeps them."""
        places = self._places(direction)

        def prepare(given: list[Any], arguments: Sequence[Any], saves: bool) -> tuple[bytes, Any] | None:
            values = [value[-1 - place] if place < 0 else value for place, value in zip(places, given, strict=False)]
            given = [*values, *given[len(values) :]]
            try:
                launches = self.others.launches(direction, given, arguments, saves)
            except (TypeError, ValueError):
                return None  # the other way has the words for it
            words = words_of(launches, lambda kernel: kernel.launch.function)
            return np.array([launches.partial_bytes, *words], np.int64).tobytes(), launches

        return prepare
