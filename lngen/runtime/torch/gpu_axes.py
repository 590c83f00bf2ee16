# SPDX-License-Identifier: MIT
"""A layer whose axes have names, on tensors of a GPU as the caller has them.

Kernels take rows. An array that lacks axes of the rows is not written out along them: its rows share their places, and
kernels add up its gradient. Results are dense tensors of their own shape, which kernels write where their rows lie.
"""

from collections.abc import Sequence
from itertools import chain
from math import prod
from typing import Any, NamedTuple

from ..protocol.axes import Arranged, ArrangedCall, Shape, Sizes
from ..protocol.directions import ROW, Entry
from .gpu import TorchOnGPU
from .kernels import Tensor, TorchKernels, torch

__all__ = ["AxesOnGPU"]


class _Target(NamedTuple):
    """Result as kernels write it, or None; if that is memory of its own, its sums go `into` the caller's tensor."""

    rows: Any
    how: Arranged | None = None
    into: Any = None


class AxesOnGPU:
    """Forward and the first gradients of a layer; `kernels` know its types, and `on_rows` computes with rows."""

    def __init__(self, kernels: TorchKernels, arranged: ArrangedCall, on_rows: TorchOnGPU) -> None:
        self.kernels, self.arranged, self.of, self.on_rows = kernels, arranged, arranged.arrangement, on_rows
        self.owners = [kernels.protocol.inputs[place] for place in kernels.protocol.differentiable]

    def forward_in_part(self, args: Sequence[Any]) -> tuple[list[Tensor], list[Tensor]]:
        """The outputs, and the row scalars in one memory."""
        kernels, sizes = self.kernels, self._sizes(args)
        types, outputs = kernels.types_of(args[: kernels.inputs]), kernels.protocol.outputs
        row = args[types.row]
        made = [
            row.new_empty(
                self.of.shape(self.of.patterns[each.name], sizes),
                dtype=getattr(torch, each.cast) if each.cast else types.rows,
            )
            for each in outputs
        ]
        targets = self._targets("forward", outputs, made, sizes)
        row_scalars = self.on_rows.forward_into(self._of_rows("forward", args, sizes), [each.rows for each in targets])
        _finish(targets)
        return made, row_scalars

    def tensors(self, row_scalars: Sequence[Tensor]) -> list[Tensor]:
        """Row scalars as tensors of their own."""
        return self.on_rows.tensors(row_scalars)

    def gradients(self, arguments: Sequence[Any], row_scalars: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        """The gradient of each differentiable input, None for one that is left out."""
        args = (*arguments, *row_scalars, *cotangents)
        kernels, sizes = self.kernels, self._sizes(args)
        is_any = prod(self.of.row_shape(sizes)) > 0
        made: list[Any] = []
        for each, place in zip(self.owners, kernels.protocol.differentiable, strict=True):
            # Nothing writes the gradient of a part that nothing reads.
            is_written = is_any and all(self.arranged.parts.get(each.name, "."))
            value = args[place]
            made.append(value if value is None else value.new_empty(value.shape) if is_written else _zeros(value))
        if is_any:
            targets = self._targets("backward", self.owners, made, sizes)
            self.on_rows.later_into("backward", self._of_rows("backward", args, sizes), [each.rows for each in targets])
            _finish(targets)
        return made

    # ---- tensors as rows

    def _sizes(self, args: Sequence[Any]) -> Sizes:
        return self.arranged.sizes(args[: self.kernels.inputs], args[self.kernels.by_sample])

    def _of_rows(self, direction: str, args: Sequence[Any], sizes: Sizes) -> list[Any]:
        """The arguments of an operator as those of the layer on rows."""
        found: list[Any] = []
        for value, each in zip(args, self.kernels.parts[direction].arguments, strict=True):
            name = "" if each.kind in ("Constant", "Computed") else (each.owner or each).name
            found += [self.arranged.rows(own, part, sizes) for own, part in self.arranged.cut(name, value, sizes)]
        found[self.on_rows.kernels.by_sample] = False
        return found

    def _targets(
        self, direction: str, of: Sequence[Entry], made: Sequence[Tensor | None], sizes: Sizes
    ) -> list[_Target]:
        """The results of a direction as kernels write them, given the caller's tensors, each `of` an input or output.

        Kernels add up over the same rows for each result, those of the first that lacks some.
        """
        entries = self.on_rows.kernels.protocol.directions[direction].results
        pairs = zip(of, made, strict=True)
        parts = chain.from_iterable(self.arranged.cut(each.name, value, sizes) for each, value in pairs)
        over: Shape | None = None
        targets: list[_Target] = []
        for each, (name, value) in zip(entries, parts, strict=True):
            if value is None or name not in self.of.patterns:
                targets.append(_Target(value))
                continue
            how = self.of.arranged(self.of.patterns[name], sizes)
            view = value.view(how.split).permute(how.order).view(how.spread)
            lacks = tuple([axis for axis in how.lacks if how.spread[axis] != how.shape[axis]])
            is_summed = bool(lacks) and each.part == ROW and lacks[-1] < len(how.rows) and over in (None, lacks)
            rows = None
            if (not lacks or is_summed) and each.symbol not in self.on_rows.zeros(direction):
                rows = _lying(view.expand(how.shape), len(how.rows))
            if rows is None:
                targets.append(_Target(value.new_empty(_row_shape(how)), how, view))
                continue
            targets.append(_Target(rows))
            over = lacks or over
        return targets


def _finish(targets: Sequence[_Target]) -> None:
    """Write what lies in memory of its own into the caller's tensors, summed over the axes that these lack."""
    for rows, how, into in targets:
        if how is not None:
            made = rows.view(how.shape)
            into.copy_((made.sum(how.lacks) if how.lacks else made).view(into.shape))


def _zeros(value: Tensor) -> Tensor:
    return value.new_zeros(value.shape)


def _row_shape(how: Arranged) -> Shape:
    return (*how.rows, prod(how.features)) if how.features else how.rows


def _lying(view: Tensor, rows: int) -> Tensor | None:
    """Return a view of rows with one axis for their features, or None if entries of a row do not lie side by side."""
    reach = 1
    for size, step in zip(reversed(view.shape[rows:]), reversed(view.stride()[rows:]), strict=True):
        if size != 1 and step != reach:
            return None
        reach *= size
    return view.flatten(rows) if view.ndim > rows else view
