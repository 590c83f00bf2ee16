# SPDX-License-Identifier: MIT
"""Calls of layers whose axes have names, by plans that native/tensor_plans.h runs.

The first of calls that are alike is made by Python, and recorded: which kernels ran, and in which memory each of their
pointers lies. Calls are alike if they agree in shapes, strides and types of tensors, in sizes, and in what is left out;
on a GPU, in its context and in the alignment of tensors too. A call has a plan if its kernels ran once, on tensors of
the caller and on new results alone: nothing was copied, converted, or added up besides. A plan is used only if it gives
the bits of the call that it was made of.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ..cuda.words import PASSED, launch_words
from ..native import binding
from .calls import TorchCalls, TorchGpuCalls
from .kernels import SHARED_ENTRIES, Tensor, torch

__all__ = ["AxesCalls", "AxesGpuCalls"]

_NOTHING, _ARGUMENT, _RESULT, _ROW_SCALARS, _SCRATCH, _FIXED = range(6)
"""Kinds of memory, in the order of tensor_plans.h."""

_NO_RESULT = -1
_MOST_POINTERS, _MOST_NUMBERS, _MOST_PARAMETERS = 192, 48, 512
"""Pointers and numbers of a call at the most, and parameters of a kernel, as the headers have room for them."""

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
        """Return the function that plans a call: words, and what they point to; None where it cannot."""

        def prepare(arguments: tuple[Any, ...], row_scalars: Any) -> tuple[bytes, Any] | None:
            saved: Sequence[Any] = []
            if not self._may_be_planned(arguments):
                return None
            with torch.no_grad(), self._recorded(direction) as calls:
                if direction == "forward":
                    made, saved = self.others.forward_in_part(arguments)
                else:
                    own = len(arguments) - self.kernels.outputs
                    made = self.gradients(arguments[:own], row_scalars, arguments[own:])
            are_there = self.kernels.are_there(direction, arguments)
            results = [value if is_there else None for value, is_there in zip(made, are_there, strict=False)]
            memories = _Memories([*arguments, row_scalars], results, saved)
            plan = None if len(calls) != 1 else _plan(memories, calls[0])
            if plan is None or not self._is_right(direction, plan, arguments, row_scalars, [*results, *saved]):
                return None
            return plan

        return prepare

    def _may_be_planned(self, arguments: tuple[Any, ...]) -> bool:
        """Test whether a call runs alike each time: large ones have as many threads as there are at a call."""
        inputs = arguments[: self.kernels.inputs]
        return bool(inputs[self.kernels.types_of(inputs).row].numel() < SHARED_ENTRIES)

    def _is_right(
        self, direction: str, plan: Any, arguments: tuple[Any, ...], row_scalars: Any, wanted: Sequence[Any]
    ) -> bool:
        """Test whether a plan gives the bits of the call that it was made of."""
        found = self._calls[direction].try_plan(plan, arguments, row_scalars)
        if direction == "forward" and found is not None:
            found = (*found[0], *(() if found[1] is None else found[1]))
        return found is not None and len(found) == len(wanted) and all(map(self._have_same_bits, found, wanted))

    def _have_same_bits(self, found: Any, wanted: Any) -> bool:
        """Test whether two results agree in all bits; None stands for one that is left out."""
        if found is None or wanted is None:
            return found is wanted
        one, other = (torch.as_tensor(each).reshape(-1).view(torch.uint8) for each in (found, wanted))
        return bool(torch.equal(one, other))

    @contextmanager
    def _recorded(self, direction: str) -> Iterator[list["_RecordedCall"]]:
        """Yield a list of the calls of kernels that this thread makes meanwhile."""
        numbers, found = self._numbers(direction), list["_RecordedCall"]()
        with binding.recorded() as calls:
            yield found
        for steps, arrays, constants, sizes, _, *samples in calls:
            workspace = len(constants)
            is_alike = samples == [0, 1]
            places = [numbers.get(place, -1) for place in range(workspace)]
            starts = [0 if array is None else _MemoryView.of(array).start for array in arrays]
            scratch = arrays[workspace]
            moved = sum(array.nbytes for array in arrays[:workspace] if array is not None)
            found.append(
                _RecordedCall(
                    starts, workspace, 0 if scratch is None else scratch.nbytes, moved, places, sizes,
                    np.frombuffer(steps, np.int64).tolist(), arrays[workspace + 1 :], is_alike,
                )
            )  # fmt: skip

    def _numbers(self, direction: str) -> dict[int, int]:
        """Return the argument of each Constant, by its place in the numbers that kernels are passed."""
        kernels = self.kernels.compiled._KERNELS.kernels[direction]
        constants = {each.symbol: place for place, each in enumerate(self.kernels.protocol.constants)}
        reads = kernels.takes.reads
        return {place: self.kernels.inputs + constants[reads[place].symbol] for place in kernels.numbers}


class AxesGpuCalls(AxesCalls, TorchGpuCalls):
    """The same for tensors of a GPU."""

    def _may_be_planned(self, arguments: tuple[Any, ...]) -> bool:
        return True

    def _is_right(self, *call: Any) -> bool:
        # A stream that is captured cannot be waited for, and would keep these launches.
        is_captured = torch.cuda.is_available() and torch.cuda.is_current_stream_capturing()
        return is_captured or super()._is_right(*call)

    @contextmanager
    def _recorded(self, direction: str) -> Iterator[list["_RecordedCall"]]:
        from ..cuda import recording

        constants = {each.symbol: place for place, each in enumerate(self.kernels.protocol.constants)}
        found = list["_RecordedCall"]()
        with recording.recorded() as calls:
            yield found
        for call in calls:
            starts: list[int] = []
            places: list[int] = []
            words: list[int] = []
            for kernel, blocks, given in call.steps:
                passed: list[tuple[int, int]] = []
                for number, (letter, value) in enumerate(zip(kernel.letters, given, strict=True)):
                    if letter == "P":
                        passed.append((len(starts), 0))
                        starts.append(int(value))
                    elif letter in "fd":
                        passed.append((PASSED[letter], len(places)))
                        places.append(self.kernels.inputs + constants[kernel.parts[number]])
                    else:
                        passed.append((PASSED[letter], int(value)))
                words += launch_words(kernel, blocks, passed, kernel.launch.function)
            scratch = starts.index(call.scratch) if call.scratch in starts else -1
            is_alike = call.is_all and all(len(given) <= _MOST_PARAMETERS for *_, given in call.steps)
            found.append(_RecordedCall(starts, scratch, call.scratch_bytes, 0, places, (), words, (), is_alike))


class _RecordedCall(NamedTuple):
    """Kernels that ran: the address of each pointer, the number of that of scratch memory, and its bytes.

    `moved` are the bytes that kernels read and write. `numbers` has the argument of each number that kernels take, or
    -1. Pointers behind the scratch memory's are to `tables` if there are any. A call that is not `alike` another time
    has no plan.
    """

    starts: Sequence[int]
    scratch: int
    scratch_bytes: int
    moved: int
    numbers: Sequence[int]
    sizes: Sequence[int]
    kernels: Sequence[int]
    tables: Sequence[Any]
    alike: bool


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

    def place(self, start: int) -> tuple[int, int, int] | None:
        """Return the memory that has an address, and how many bytes behind its start; None if it is not one."""
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
        first = torch.as_tensor(self.row_scalars[0])
        return [*found, *_tensor(first.dtype, (len(self.row_scalars), *first.shape))]


def _tensor(dtype: Any, shape: Sequence[int]) -> list[int]:
    return [_CODES[dtype] << 8 | dtype.itemsize * 8, len(shape), *shape]


def _plan(memories: _Memories, call: _RecordedCall) -> tuple[bytes, Sequence[Any]] | None:
    """Return a plan of a call of kernels, and its tables, which have to be kept; or None where there is none."""
    if not call.alike or len(call.starts) > _MOST_POINTERS or len(call.numbers) > _MOST_NUMBERS:
        return None
    pointers: list[Any] = []
    for number, start in enumerate(call.starts):
        if not start:
            pointers.append((_NOTHING, 0, 0))
        elif number == call.scratch or (call.scratch_bytes and start == call.starts[call.scratch]):
            pointers.append((_SCRATCH, 0, 0))
        elif call.tables and number > call.scratch:
            pointers.append((_FIXED, 0, start))
        else:
            pointers.append(memories.place(start))
    if None in pointers or not memories.made() <= {*pointers}:
        return None
    words = [
        *memories.described(), call.moved, call.scratch_bytes,
        len(pointers), *[word for pointer in pointers for word in pointer],
        len(call.numbers), *call.numbers, len(call.sizes), *call.sizes, len(call.kernels), *call.kernels,
    ]  # fmt: skip
    return np.array(words, np.int64).tobytes(), call.tables
