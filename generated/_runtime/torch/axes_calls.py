# SPDX-License-Identifier: MIT
"""Calls of layers whose axes have names, on tensors of the processor, by plans that native/tensor_plans.h runs.

The first of calls that are alike is made by Python, and recorded: which kernels ran, and in which memory each of their
pointers lies. Calls are alike if they agree in shapes, strides and types of tensors, in sizes, and in what is left out.
A call has a plan if its kernels ran once, on tensors of the caller and on new results alone: nothing was copied,
converted, or added up besides. A plan is used only if it gives the bits of the call that it was made of.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..native import binding
from .calls import TorchCalls
from .kernels import SHARED_ENTRIES, Tensor, lent, torch

__all__ = ["AxesCalls"]

_NOTHING, _ARGUMENT, _RESULT, _ROW_SCALARS, _SCRATCH, _FIXED = range(6)
"""Kinds of memory, in the order of tensor_plans.h."""

_NO_RESULT = -1
_MOST_POINTERS, _MOST_NUMBERS = 192, 48
"""Pointers and numbers of a call at the most, as tensor_plans.h has room for them."""

_CODES = {torch.float16: 2, torch.float32: 2, torch.float64: 2, torch.bfloat16: 4}
"""Codes of types in DLPack."""


class AxesCalls(TorchCalls):
    """Forward and the first gradients of a layer whose axes have names."""

    is_by_plan = True

    def _tables(self, direction: str) -> list[Any]:
        """Return tables that say no more than whether this is forward: a plan says the rest."""
        is_forward = self.kernels.protocol.directions[direction].is_forward
        return [*[np.zeros(0, np.intc)] * 5, np.array([is_forward, *[0] * 8], np.longlong)]

    def _places(self, direction: str) -> list[int]:
        return []

    def _signs(self, direction: str) -> list[bool]:
        """Return for each argument whether it may be a negative number: any may that is no Constant."""
        kernels = self.kernels
        return [True] * kernels.inputs + kernels.signed + [True] * len(kernels.parts[direction].arguments)

    def _preparing(self, direction: str) -> Callable[..., Any]:
        """Return the function that plans a call: words, and the tables that they point to; None where it cannot."""

        def prepare(arguments: tuple[Any, ...], row_scalars: Any) -> tuple[bytes, Any] | None:
            saved: list[Any] = []
            inputs = arguments[: self.kernels.inputs]
            if inputs[self.kernels.types_of(inputs).row].numel() >= SHARED_ENTRIES:
                return None  # as many threads as there are at a call
            with torch.no_grad(), binding.recorded() as calls:
                if direction == "forward":
                    made, saved = self.others.forward_in_part(arguments)
                else:
                    own = len(arguments) - self.kernels.outputs
                    made = self.gradients(arguments[:own], row_scalars, arguments[own:])
            are_there = self.kernels.are_there(direction, arguments)
            results = [value if is_there else None for value, is_there in zip(made, are_there, strict=False)]
            memories = _Memories([*arguments, row_scalars], results, saved)
            plan = _plan(memories, calls, self._numbers(direction))
            if plan is None:
                return None
            found = self._calls[direction].try_plan(plan, arguments, row_scalars)
            if direction == "forward" and found is not None:
                found = (*found[0], *(found[1] if saved else ()))
            return plan if found is not None and _have_same_bits(found, [*results, *saved]) else None

        return prepare

    def _numbers(self, direction: str) -> dict[int, int]:
        """Return the argument of each Constant, by its place in the numbers that kernels are passed."""
        kernels = self.kernels.compiled._KERNELS.kernels[direction]
        constants = {each.symbol: place for place, each in enumerate(self.kernels.protocol.constants)}
        reads = kernels.takes.reads
        return {place: self.kernels.inputs + constants[reads[place].symbol] for place in kernels.numbers}


class _MemoryView(NamedTuple):
    """Memory of an array: where it starts, and the size and the step in bytes of each axis."""

    start: int
    axes: Sequence[tuple[int, int]]

    @classmethod
    def of(cls, value: Any) -> "_MemoryView":
        if isinstance(value, Tensor):
            steps = [step * value.itemsize for step in value.stride()]
            return cls(value.data_ptr(), [*zip(value.shape, steps, strict=True)])
        start: int = value.__array_interface__["data"][0]
        return cls(start, [*zip(value.shape, value.strides, strict=True)])

    def has(self, place: int) -> bool:
        """Test whether an entry starts at a place.

        >>> view = _MemoryView.of(np.zeros((2, 8), np.int8)[:, :4])
        >>> [number for number in range(-9, 20) if view.has(view.start + number)]
        [0, 1, 2, 3, 8, 9, 10, 11]
        """
        left = place - self.start
        for size, step in sorted(self.axes, key=lambda axis: -axis[1]):
            if step > 0 and left > 0:
                left -= min(left // step, size - 1) * step
        return left == 0


class _Memories:
    """Memory that kernels may use: tensors of the caller, results, and row scalars, which a plan has in one tensor."""

    def __init__(self, arguments: Sequence[Any], results: Sequence[Any], row_scalars: Sequence[Any]) -> None:
        self.results, self.row_scalars = results, row_scalars
        kinds = {_ARGUMENT: arguments, _RESULT: results, _ROW_SCALARS: row_scalars}
        self.views = [
            (kind, number, _MemoryView.of(value))
            for kind, values in kinds.items()
            for number, value in enumerate(values)
            if isinstance(value, Tensor | np.ndarray)
        ]

    def place(self, array: Any) -> tuple[int, int, int] | None:
        """Return the memory that an array starts in, and how many bytes behind its start; None if it is not one."""
        start = _MemoryView.of(array).start
        found = [(kind, number, start - view.start) for kind, number, view in self.views if view.has(start)]
        if len(found) != 1:
            return None
        kind, number, behind = found[0]
        return (kind, 0, behind + number * self.row_scalars[0].nbytes) if kind == _ROW_SCALARS else found[0]

    def made(self) -> set[tuple[int, int, int]]:
        """Return the starts of all that kernels have to write."""
        results = {(_RESULT, number, 0) for number, value in enumerate(self.results) if value is not None}
        return results | {(_ROW_SCALARS, 0, number * value.nbytes) for number, value in enumerate(self.row_scalars)}

    def described(self) -> list[int]:
        """Return the results and the row scalars as a plan has them."""
        found = [len(self.results)]
        for value in self.results:
            found += [_NO_RESULT] if value is None else _tensor(value.dtype, value.shape)
        if not self.row_scalars:
            return [*found, _NO_RESULT]
        first = self.row_scalars[0]
        return [*found, *_tensor(torch.from_numpy(first).dtype, (len(self.row_scalars), *first.shape))]


def _tensor(dtype: Any, shape: Sequence[int]) -> list[int]:
    return [_CODES[dtype] << 8 | dtype.itemsize * 8, len(shape), *shape]


def _plan(
    memories: _Memories, calls: Sequence[tuple[Any, ...]], numbers: Mapping[int, int]
) -> tuple[bytes, Sequence[Any]] | None:
    """Return a plan of calls of kernels, and its tables, which have to be kept; or None where there is none.

    `numbers` has the argument of each Constant.
    """
    if len(calls) != 1:
        return None
    steps, arrays, constants, sizes, _, *samples = calls[0]
    workspace, scratch = len(constants), 0
    pointers: list[Any] = []
    if samples != [0, 1] or len(arrays) > _MOST_POINTERS or workspace > _MOST_NUMBERS:
        return None
    for number, array in enumerate(arrays):
        if array is None:
            pointers.append((_NOTHING, 0, 0))
        elif number < workspace:
            pointers.append(memories.place(array))
        elif number == workspace:
            pointers.append((_SCRATCH, 0, 0))
            scratch = array.nbytes
        else:
            pointers.append((_FIXED, 0, _MemoryView.of(array).start))
    if None in pointers or not memories.made() <= {*pointers}:
        return None
    moved = sum(array.nbytes for array in arrays[:workspace] if array is not None)
    kernels = np.frombuffer(steps, np.int64)
    words = [
        *memories.described(), moved, scratch,
        len(pointers), *[word for pointer in pointers for word in pointer],
        workspace, *[numbers.get(place, -1) for place in range(workspace)],
        len(sizes), *sizes,
        len(kernels), *kernels.tolist(),
    ]  # fmt: skip
    return np.array(words, np.int64).tobytes(), arrays[workspace + 1 :]


def _have_same_bits(found: Sequence[Any], wanted: Sequence[Any]) -> bool:
    pairs = [*zip(found, wanted, strict=True)]
    return all((one is None) == (other is None) for one, other in pairs) and all(
        lent(one).tobytes() == lent(other).tobytes() for one, other in pairs if one is not None
    )
