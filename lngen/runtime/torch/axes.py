# SPDX-License-Identifier: MIT
"""Layers whose axes have names, on tensors.

A call of plain tensors goes to kernels: to the emitted function for the processor, or to those for a GPU, with
parameters that are constant in runs as they are. Programs are compiled to the operators of rows, and PyTorch arranges
tensors for these.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain
from math import prod
from typing import Any, Generic, TypeVar, cast

from ..numpy.axes import on_rows
from ..protocol.axes import ArrangedCall, Sizes, without_axes
from ..protocol.directions import ROW, DirectionProtocol, Entry, LayerProtocol
from ..protocol.interface import Interface
from . import TorchLayer
from .derivatives import ways
from .dispatch import CPU, CUDA, at_once, takes_operator
from .gpu import RowsInRuns, TorchOnGPU
from .inputs import TorchInputs
from .kernels import Tensor, TorchKernels, fresh, lent, only, threads_for, torch

LEAST_ACCESS = 8
"""Bytes that runs are a multiple of, so that kernels have wide accesses."""

MOST_RUNS = 128
"""Runs of a row at the most that kernels add up, in shared memory."""

Result = TypeVar("Result")


class TorchAxes(Generic[Result]):
    """A layer whose axes have names as a function of tensors; `on_rows` is the layer whose tensors are rows."""

    def __init__(
        self, package: str, interface: Interface, numpy: Any, compiled: Any, decomposed: Callable[..., Any]
    ) -> None:
        self.interface, self.outputs, self.numpy = interface, len(interface["outputs"]), numpy
        self.decomposed = decomposed
        self.on_rows: TorchLayer[Result] = TorchLayer(
            package, without_axes(interface), on_rows(numpy), on_rows(compiled), decomposed
        )
        self.inputs = TorchInputs(interface)
        ways_of_torch = torch.permute, torch.broadcast_to, torch.unbind, torch.stack
        self.arranged = ArrangedCall(interface, *ways_of_torch)
        self.traced = ArrangedCall(interface, *ways_of_torch, traced=True)
        own = _AxesAtOnce(interface, numpy, compiled, self.arranged, self._by_decomposition)
        on_gpu = AxesOnGPU(own.kernels, self.arranged, self.on_rows.operators.gpu)
        of_device = {CPU: own.kernels, CUDA: on_gpu}
        self.at_once = at_once(own.kernels.required, ways(own, of_device))

    def call(self, *values: Any) -> Result:
        """The output of the layer, a tuple of several; `values` are its inputs, then its Constants."""
        return self.sized((), *values)

    def sized(self, given: Sequence[Any], *values: Any) -> Result:
        """Return the output of a layer with sizes that are arguments."""
        if self.inputs.numbers:
            values = self.inputs.with_tensors(values)
        made: Result | None = self.at_once((*values, tuple(given)))
        if made is not None:
            return made
        self.inputs.look(values)
        if torch.compiler.is_compiling() and takes_operator(values):
            made = self.traced.call(self.on_rows.call, values, given)
        else:
            made = self._by_decomposition((*values, given))
        return cast(Result, made)

    def _by_decomposition(self, values: Sequence[Any]) -> Any:
        """The outputs by operations of PyTorch; the sizes that are arguments are the last of the values."""
        *own, given = values
        return self.decomposed(*self.inputs.widened(own), *given)


class _AxesAtOnce:
    """A layer as derivatives.py sees it, whose tensors are as the caller has them.

    Where an operator has its flag, a call has the sizes that are arguments.
    """

    def __init__(
        self,
        interface: Interface,
        numpy: Any,
        compiled: Any,
        arranged: ArrangedCall,
        decomposed: Callable[[Sequence[Any]], Any],
    ) -> None:
        layer = LayerProtocol(interface)
        self.kept: Sequence[int] = layer.kept
        self.differentiable: Sequence[int] = layer.differentiable
        self.inputs, self.constants, self.outputs = len(layer.inputs), len(layer.constants) + 1, len(layer.outputs)
        self.casts: Sequence[str | None] = [each.cast for each in layer.outputs]
        self.kernels: Any = _AxesKernels(layer, interface, numpy, compiled, arranged)
        self.decomposed = decomposed


class _AxesKernels(TorchKernels):
    """The directions of a layer on tensors as the caller has them."""

    def __init__(
        self, layer: LayerProtocol, interface: Interface, numpy: Any, compiled: Any, arranged: ArrangedCall
    ) -> None:
        super().__init__(layer, interface, numpy, compiled)
        self.arranged = arranged
        self.constants = [*self.constants, *arranged.arrangement.sizes_given]

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
        sizes = self.arranged.sizes(args[: self.inputs], args[self.by_sample])
        saved = (self.arranged.arrangement.flat(sizes), types.computed, types.dtypes, *fields)
        threads = threads_for(args[types.row])
        return only(fresh(self.made_by_later(direction, saved, own, threads), [*own, *fields]))


class AxesOnGPU:
    """Forward and the first gradients of a layer on a GPU: tensors are arranged as rows, and gradients are summed."""

    def __init__(self, kernels: TorchKernels, arranged: ArrangedCall, on_rows: TorchOnGPU) -> None:
        self.kernels, self.arranged, self.of, self.on_rows = kernels, arranged, arranged.arrangement, on_rows
        self.owners = [kernels.protocol.inputs[place].name for place in kernels.protocol.differentiable]

    def forward_in_part(self, args: Sequence[Any]) -> tuple[list[Tensor], list[Tensor]]:
        """The outputs, and the row scalars in one memory."""
        sizes = self.arranged.sizes(args[: self.kernels.inputs], args[self.kernels.by_sample])
        rows = self._rows("forward", args, sizes, self._numbering(args, sizes))
        made, row_scalars = self.on_rows.forward_in_part(rows)
        return [each.contiguous() for each in self.arranged.results(self.arranged.outputs, made, sizes)], row_scalars

    def tensors(self, row_scalars: Sequence[Tensor]) -> list[Tensor]:
        """Row scalars as tensors of their own."""
        return self.on_rows.tensors(row_scalars)

    def gradients(self, arguments: Sequence[Any], row_scalars: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        """The gradient of each differentiable input, None for one that is left out."""
        args, kernels = (*arguments, *row_scalars, *cotangents), self.on_rows.kernels
        sizes = self.arranged.sizes(arguments[: self.kernels.inputs], arguments[self.kernels.by_sample])
        numbering = self._numbering(args, sizes)
        rows = self._rows("backward", args, sizes, numbering)
        computed = kernels.types_of(rows[: kernels.inputs]).row_scalars
        made = [self._gradient(rows[place], computed) for place in kernels.protocol.differentiable]
        if prod(self.of.row_shape(sizes)) > 0:
            self.on_rows.later_into("backward", rows, made)
        tensors = [each.tensor if isinstance(each, RowsInRuns) else each for each in made]
        found = self.arranged.results(self.owners, self._with_unread(tensors), sizes, numbering)
        given = [arguments[place] for place in self.kernels.protocol.differentiable]
        return [
            None if own is None else each.to(own.dtype).contiguous() for own, each in zip(given, found, strict=True)
        ]

    def _gradient(self, value: Any, computed: Any) -> Any:
        """Return memory for the gradient of a row."""
        if value is None or isinstance(value, RowsInRuns):
            return value and value.gradient(computed)
        return value.new_empty(value.shape)

    def _with_unread(self, made: Sequence[Any]) -> Sequence[Any]:
        """Return gradients with zeros for each part that nothing reads."""
        rest = iter(made)
        parts = [part for name in self.owners for part in self.arranged.parts.get(name, [name])]
        return [next(rest) if part else made[0].new_zeros(made[0].shape) for part in parts]

    def _numbering(self, args: Sequence[Any], sizes: Sizes) -> int:
        """Return how many axes of the features number runs: all of them for runs that kernels are slow for."""
        found, row = self.of.numbering(sizes), args[self.kernels.types_of(args[: self.kernels.inputs]).row]
        features = [*chain.from_iterable([sizes[name] for name in self.of.features])]
        is_wide = prod(features[found:]) * row.itemsize % LEAST_ACCESS == 0
        return found if is_wide and prod(features[:found]) <= MOST_RUNS else len(features)

    def _rows(self, direction: str, args: Sequence[Any], sizes: Sizes, numbering: int) -> list[Any]:
        """The arguments of a direction of rows, each part of an array by itself."""
        entries = self.kernels.parts[direction].arguments
        names = ["" if each.kind in ("Constant", "Computed") else (each.owner or each).name for each in entries]
        pairs = chain.from_iterable(map(partial(self.arranged.cut, sizes=sizes), names, args))
        kernels = self.on_rows.kernels
        reads = kernels.parts[direction].arguments
        found = [self._row(each, *pair, sizes, numbering) for each, pair in zip(reads, pairs, strict=True)]
        found[kernels.by_sample] = False
        return found

    def _row(self, each: Entry, name: str, value: Any, sizes: Sizes, numbering: int) -> Any:
        if value is None or name not in self.of.patterns:
            return value
        how = self.of.arranged(self.of.patterns[name], sizes)
        if each.part != ROW or each.is_integer or not how.has_runs(numbering):
            return self.arranged.written_out(value, how)
        return RowsInRuns(self.arranged.written_out(value, how, numbering), prod(how.features[numbering:]))
