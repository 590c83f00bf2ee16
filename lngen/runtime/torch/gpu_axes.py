# SPDX-License-Identifier: MIT
"""A layer whose axes have names, on tensors of a GPU as the caller has them.

Kernels take rows. An array that lacks axes of the rows is not written out along them: its rows share their places, and
kernels add up its gradient. Rows may lie apart in segments, and an array may lack the axes of these: kernels then read
an entry for each, and add up its gradient by segment. Results are dense tensors of their own shape, which kernels write
where their rows lie.
"""

from collections.abc import Sequence
from itertools import chain
from math import prod
from typing import Any, NamedTuple

from ..protocol.axes import Arranged, ArrangedCall, Shape, Sizes, one_step
from ..protocol.directions import ROW, Entry
from .gpu import SegmentedRows, TorchOnGPU
from .kernels import Tensor, TorchKernels, torch

__all__ = ["AxesOnGPU"]

LEAST_SEGMENT = 32
"""Entries of a segment at the least; kernels take accesses of no more entries."""

LEAST_ACCESS = 8
"""Bytes of an access at the least, if rows without segments have wider ones."""

MOST_SUMMED_SEGMENTS = 128
"""Segments of a row at the most that kernels add up, in shared memory."""


class _View:
    """Array with an axis a name, of size 1 for those that it lacks, and how it is arranged; or a value without axes.

    `every` is the array along all axes: what it lacks has a step of 0. `features` are size and step of each axis of the
    features. Rows are dense if their entries lie side by side.
    """

    def __init__(self, tensor: Any, how: Arranged | None = None) -> None:
        self.tensor, self.how = tensor, how
        self.every: Any = None
        self.features: list[tuple[int, int]] = []
        if how is not None:
            self.every, rows = tensor.expand(how.shape), len(how.rows)
            self.features = [*zip(how.features, self.every.stride()[rows:], strict=True)]
        self.is_dense = one_step(self.features) == 1 or all(size == 1 for size, _ in self.features)

    @property
    def is_whole(self) -> bool:
        """Test whether the array lacks no axis."""
        return self.how is not None and self.tensor.shape == self.how.shape

    def is_in_segments(self, cut: int) -> bool:
        """Test whether rows are segments, numbered by the axes before `cut`, of entries side by side, or of one."""
        return one_step(self.features[cut:]) in (0, 1) and one_step(self.features[:cut]) is not None

    def in_segments(self, cut: int) -> SegmentedRows:
        """Return the rows in segments."""
        assert self.how is not None
        count, every = len(self.how.rows), self.every
        before, within = [prod(size for size, _ in axes) for axes in (self.features[:cut], self.features[cut:])]
        steps = one_step(self.features[:cut]), one_step(self.features[cut:])
        return SegmentedRows(every.as_strided((*self.how.rows, before, within), (*every.stride()[:count], *steps)))

    def lying(self) -> Tensor:
        """Return dense rows where they lie."""
        assert self.how is not None
        found: Tensor = self.every.flatten(len(self.how.rows)) if self.how.features else self.every
        return found


class _PlacedResult(NamedTuple):
    """Result as kernels write it, or None; if that is memory of its own, its sums go into a view of the caller's."""

    rows: Any
    made: Any = None
    into: Any = None

    def finish(self) -> None:
        """Write the sums over the axes that the caller's tensor lacks."""
        if self.into is not None:
            lacks = [axis for axis, size in enumerate(self.into.shape) if size != self.made.shape[axis]]
            self.into.copy_(self.made.sum(lacks, keepdim=True) if lacks else self.made)


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
        rows, targets = self._placed("forward", args, outputs, made, sizes)
        row_scalars = self.on_rows.forward_into(rows, [each.rows for each in targets])
        for each in targets:
            each.finish()
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
        for owner, place in zip(self.owners, kernels.protocol.differentiable, strict=True):
            # Nothing writes the gradient of a part that nothing reads.
            is_written = is_any and all(self.arranged.parts.get(owner.name, "."))
            value = args[place]
            made.append(value if value is None else value.new_empty(value.shape) if is_written else _zeros(value))
        if is_any:
            rows, targets = self._placed("backward", args, self.owners, made, sizes)
            self.on_rows.later_into("backward", rows, [each.rows for each in targets])
            for each in targets:
                each.finish()
        return made

    # ---- tensors as rows

    def _sizes(self, args: Sequence[Any]) -> Sizes:
        return self.arranged.sizes(args[: self.kernels.inputs], args[self.kernels.by_sample])

    def _views(self, names: Sequence[str], values: Sequence[Any], sizes: Sizes) -> list[_View]:
        """Values as the layer on rows has them, each part of an array by itself."""
        pairs = zip(names, values, strict=True)
        parts = chain.from_iterable(self.arranged.cut(name, value, sizes) for name, value in pairs)
        return [
            _View(value)
            if value is None or name not in self.of.patterns
            else _View(*self.arranged.spread(name, value, sizes))
            for name, value in parts
        ]

    def _placed(
        self, direction: str, args: Sequence[Any], of: Sequence[Entry], made: Sequence[Any], sizes: Sizes
    ) -> tuple[list[Any], list[_PlacedResult]]:
        """The arguments and the results of a direction of rows; `made` are the caller's tensors for results.

        Kernels add up over the same rows for each result, those of the first that lacks some.
        """
        entries = self.kernels.parts[direction].arguments
        names = ["" if each.kind in ("Constant", "Computed") else (each.owner or each).name for each in entries]
        values = self._views(names, args, sizes)
        results = self._views([each.name for each in of], made, sizes)
        rows = self.on_rows.kernels
        reads, makes = rows.parts[direction].arguments, rows.protocol.directions[direction].results
        of_rows = [
            view
            for view, each in chain(zip(values, reads, strict=True), zip(results, makes, strict=True))
            if view.how is not None and each.part == ROW and not each.is_integer
        ]
        cut = _cut(of_rows)
        found = [self._read(view, each, cut) for view, each in zip(values, reads, strict=True)]
        found[rows.by_sample] = False
        computed = rows.types_of(found[: rows.inputs]).row_scalars
        over: Shape | None = None
        targets: list[_PlacedResult] = []
        for view, each in zip(results, makes, strict=True):
            over, target = self._target(direction, view, each, cut, over, computed)
            targets.append(target)
        return found, targets

    def _read(self, view: _View, each: Entry, cut: int | None) -> Any:
        if view.how is None:
            return view.tensor
        is_apart = each.part == ROW and not each.is_integer and not view.is_dense
        if is_apart and cut is not None and view.is_in_segments(cut):
            return view.in_segments(cut)
        return self.arranged.written_out(view.tensor, view.how)

    def _target(
        self, direction: str, view: _View, each: Entry, cut: int | None, over: Shape | None, computed: Any
    ) -> tuple[Shape | None, _PlacedResult]:
        """A result as kernels write it, and the axes of rows over which they add up."""
        into, how = view.tensor, view.how
        if how is None:
            return over, _PlacedResult(into)
        lacks = tuple([axis for axis, size in enumerate(how.shape) if into.shape[axis] != size])
        rows = len(how.rows)
        may_lie = each.symbol not in self.on_rows.zeros(direction)
        may_be_sums = may_lie and each.part == ROW and direction == "backward"
        if may_be_sums and lacks and lacks[-1] < rows and over in (None, lacks) and view.is_dense:
            return lacks, _PlacedResult(view.lying())
        if may_lie and not lacks and view.is_dense:
            return over, _PlacedResult(view.lying())
        if cut is not None and each.part == ROW:
            within = tuple([rows + axis for axis, (size, _) in enumerate(view.features) if axis >= cut and size > 1])
            before = how.features[:cut]
            if may_lie and not lacks and view.is_in_segments(cut):
                return over, _PlacedResult(view.in_segments(cut))
            is_by_segment = tuple([axis for axis in lacks if axis >= rows]) == within
            if may_be_sums and is_by_segment and prod(before) <= MOST_SUMMED_SEGMENTS:
                made = into.new_empty((*how.rows, prod(before), 1), dtype=computed)
                own = SegmentedRows(made.expand(*how.rows, prod(before), prod(how.features[cut:])))
                return over, _PlacedResult(own, made.view(*how.rows, *before, *[1] * len(how.features[cut:])), into)
        shape = (*how.rows, prod(how.features)) if how.features else how.rows
        made = into.new_empty(shape)
        return over, _PlacedResult(made, made.view(how.shape), into)


def _cut(views: Sequence[_View]) -> int | None:
    """Return how many axes of the features number segments, by which most arrays lie in them; None if all are dense.

    Accesses of few bytes, to segments of odd lengths, are taken where a whole array is not copied for them.
    """
    apart = [view for view in views if not view.is_dense]
    has_whole = any(view.is_whole for view in apart)
    best, most = None, 0
    for cut in range(1, max((len(view.features) for view in apart), default=0)):
        usable, length = (
            sum(view.is_in_segments(cut) for view in apart),
            prod(size for size, _ in apart[0].features[cut:]),
        )
        is_wide = has_whole or length * apart[0].tensor.itemsize % LEAST_ACCESS == 0
        if usable > most and length >= LEAST_SEGMENT and is_wide:
            best, most = cut, usable
    return best


def _zeros(value: Tensor) -> Tensor:
    return value.new_zeros(value.shape)
