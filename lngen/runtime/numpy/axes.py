# SPDX-License-Identifier: MIT
"""Layers whose axes have names, on NumPy: arrays are arranged as rows, and gradients of rows are summed.

The mathematics of such a layer is that of one whose arrays are rows. `on_rows` is that layer.
"""

from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from itertools import pairwise
from math import isqrt, prod
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from ..protocol.axes import Arranged, ArrangedCall, Sizes, without_axes
from ..protocol.calls import (
    Array,
    DType,
    Shape,
    constant,
    each_cotangent,
    returned,
    thread_count,
    types,
    without_numbers,
)
from ..protocol.directions import (
    COMPUTED,
    CONSTANT,
    FEATURE,
    NUMBER,
    ROW,
    ROW_SCALAR,
    DirectionProtocol,
    Entry,
    LayerProtocol,
    computed,
)
from ..protocol.interface import Interface
from .blocks import Work, round_to
from .directions import ForwardCall, LaterCall, Results
from .layers import HostLayer, Kept

Empty = Callable[[Shape, DType], Array]

_TOGETHER = 32
"""Entries that lie apart and are added one by one, if there are few."""


class AxesLayer(HostLayer[Kept]):
    """Layer whose axes have names. `saved.shape` has the size of each axis of the rows, one a name."""

    def __init__(self, interface: Interface, saved: Callable[..., Kept]) -> None:
        super().__init__(interface, saved)
        self.arranging = ArrangedCall(interface, np.transpose, np.broadcast_to, _unstack, np.stack)
        self.arrangement = self.arranging.arrangement
        self.has_parts = bool(self.arrangement.counts)
        if self.has_parts:
            self.directions = LayerProtocol(without_axes(interface)).directions

    @cached_property
    def on_rows(self) -> HostLayer[Kept]:
        """The layer of the same mathematics whose arrays are rows."""
        saved: Any = self.Saved
        if self.has_parts:
            fields = [each.name for each in self.directions["backward"].fields]
            own = [f"{name}_" if name in fields else name for name in ("shape", "dtype", "dtypes")]
            saved = _tuple_class("Saved", [*own, *fields])
        return HostLayer(without_axes(self.interface), saved)

    def results_of_rows(self, direction: str, results: Callable[..., Any]) -> Callable[..., Any]:
        """Return the class of the results of a direction of the layer on rows, given that of its own."""
        of = self.directions[direction]
        return _tuple_class(of.returned, of.names) if self.has_parts and of.returned else results

    def pattern(self, each: Entry) -> list[list[str]]:
        """Return the axes of a value."""
        while each.owner is not None:
            each = each.owner
        return self.arrangement.computed if each.kind == "Computed" else self.arrangement.patterns[each.name]

    def shape(self, each: Entry, sizes: Sizes) -> Shape:
        """Return the shape of a value."""
        return () if each.part in (NUMBER, CONSTANT) else self.arrangement.shape(self.pattern(each), sizes)

    def arranged(self, each: Entry, sizes: Sizes) -> Arranged:
        """Return how a value is arranged."""
        return self.arrangement.arranged(self.pattern(each), sizes)

    def shape_of(self, each: Entry, shape: Shape) -> Shape:
        """Return the shape of a value, given the size of each axis of the rows."""
        return self.shape(each, self.arrangement.sizes_of(shape))

    def saved_from(
        self, fields: Sequence[Any], shape: Sequence[int] | None, dtype: Any, dtypes: Mapping[str, Any] | None
    ) -> Kept:
        """Return the saved values of forward, from its fields. Raises TypeError for a shape that is None."""
        if shape is None:
            raise TypeError(f"shape is None; pass the sizes of the axes {' '.join(self.arrangement.names)}")
        return super().saved_from(fields, shape, dtype, dtypes)

    # ---- parts

    def cut(self, values: Sequence[Any], entries: Sequence[Entry], sizes: Sizes) -> list[Any]:
        """Return values as those of the layer on rows: of an array in parts a view of each."""
        found: list[Any] = []
        for value, each in zip(values, entries, strict=True):
            if each.parts:
                found += [value if value is None else self._part(value, each, place, sizes) for place in each.parts]
            else:
                found.append(value)
        return found

    def _part(self, value: Array, each: Entry, place: int, sizes: Sizes) -> Array:
        """A view of a part, with an axis a name."""
        split, axis = self.arrangement.cut(self.pattern(each), sizes)
        where: Any = (*[slice(None)] * axis, place)
        view: Array = value.reshape(split)[where]
        return view

    def clear(self, made: Sequence[Any], entries: Sequence[Entry], sizes: Sizes) -> None:
        """Set the gradients of parts that nothing reads to 0."""
        for value, each in zip(made, entries, strict=True):
            if each.parts and value is not None:
                (count,) = self.arrangement.counts[self.arrangement.counted(self.pattern(each))]
                for place in {*range(count)} - {*each.parts}:
                    self._part(value, each, place, sizes)[...] = 0

    # ---- values as rows

    def run(
        self,
        function: Callable[[list[Any], list[Any], Work], Any],
        values: Sequence[Any],
        made: Sequence[Any],
        direction: DirectionProtocol,
        sizes: Sizes,
        call: Work,
        takes_runs: bool,
        empty: Empty,
    ) -> None:
        """Call the mathematics of rows on values, and write what it makes into results.

        A function that `takes_runs` is passed parameters that are constant in runs with an axis of these, and one of
        their entries, which are one; so are their gradients, to which the entries add.
        """
        of_rows = self.directions[direction.name]
        reads, makes = of_rows.reads, of_rows.makes
        if self.has_parts:
            self.clear(made, direction.makes, sizes)
            values = self.cut(values, direction.reads, sizes)
            made = self.cut(made, direction.makes, sizes)
        numbering = self.arrangement.numbering(sizes) if takes_runs and call.dtype in COMPUTED else None
        rows = [
            self._read(each, value, sizes, call, numbering, empty) for each, value in zip(reads, values, strict=True)
        ]
        targets = [
            self._target(each, value, sizes, call, numbering, empty) for each, value in zip(makes, made, strict=True)
        ]
        results = function(rows, targets, call)
        found = targets if results is None else results
        for each, value, rows_made in zip(makes, made, found, strict=False):
            self._store(each, value, rows_made, sizes, numbering)

    def _read(self, each: Entry, value: Any, sizes: Sizes, call: Work, numbering: int | None, empty: Empty) -> Any:
        """Return a value as the mathematics of rows takes it: rows, or a parameter that is converted."""
        if value is None or each.part == CONSTANT:
            return value
        if each.part == NUMBER:
            return np.asarray(value, np.int64 if each.is_integer else call.dtype)
        how = self.arranged(each, sizes)
        if each.part == FEATURE:
            kind = np.int64 if each.is_integer else call.dtype
            return np.ascontiguousarray(spread(value, how), kind).reshape(-1)
        if not how.lacks and how.features:
            own = value.reshape(how.split).transpose(how.order)
            return own.reshape(call.shape) if _is_in_rows(own, len(how.rows)) else _copied(own, call.shape, empty)
        if not _has_runs(each, how, numbering):
            return self.arranging.written_out(value, how)
        found = self.arranging.written_out(value, how, numbering)
        return np.broadcast_to(found[..., np.newaxis], (*found.shape, prod(how.features[numbering:])))

    def _target(self, each: Entry, value: Any, sizes: Sizes, call: Work, numbering: int | None, empty: Empty) -> Any:
        """Return the array that the mathematics of rows writes a result into: its memory, or some that is summed."""
        if value is None or each.part not in (ROW, ROW_SCALAR, FEATURE):
            return value
        how = self.arranged(each, sizes)
        if each.part == FEATURE:
            is_in_order = not how.lacks and [*how.order] == sorted(how.order) and value.flags.c_contiguous
            return value.reshape(-1) if is_in_order else np.empty(prod(how.features), call.dtype)
        if _has_runs(each, how, numbering):
            runs = np.empty((*how.rows, prod(how.features[:numbering])), call.dtype)
            shape = (*runs.shape, prod(how.features[numbering:]))
            return np.lib.stride_tricks.as_strided(runs, shape, (*runs.strides, 0))
        if how.lacks:
            return empty(call.shape if how.features else how.rows, call.dtype)
        own = value.reshape(how.split).transpose(how.order)
        if not how.features:
            return own
        return own.reshape(call.shape) if _is_in_rows(own, len(how.rows)) else empty(call.shape, value.dtype)

    def _store(self, each: Entry, value: Any, found: Any, sizes: Sizes, numbering: int | None) -> None:
        """Write what a function made into a result that it is not the memory of: sums over the axes that it lacks."""
        if value is None or found is None or found is value:
            return
        if each.part not in (ROW, ROW_SCALAR, FEATURE):
            round_to(value, ..., found)
        elif not np.may_share_memory(value, found):
            how = self.arranged(each, sizes)
            shape, lacks = how.shape, how.lacks
            if _has_runs(each, how, numbering):
                found, shape = found[..., 0], (*how.rows, *how.features[:numbering])
                lacks = tuple([axis for axis in lacks if axis < len(shape)])
            found = np.broadcast_to(found, (*how.rows, *found.shape[len(how.rows) :])).reshape(shape)
            for axis in reversed(lacks):
                found = _total(found, axis)
            round_to(value.reshape(how.split).transpose(how.order), ..., found)


def _has_runs(each: Entry, how: Arranged, numbering: int | None) -> bool:
    """Test whether a value is constant in the runs of a call, if there are some."""
    is_row = each.part == ROW and not each.is_integer
    return is_row and how.has_runs(numbering)


def _is_in_rows(array: Array, rows: int) -> bool:
    """Test whether one stride reaches the entries of each row: those along the axes from `rows` on."""
    axes = [each for each in zip(array.shape[rows:], array.strides[rows:], strict=True) if each[0] != 1]
    return all(outer == size * inner for (_, outer), (size, inner) in pairwise(axes))


def _copied(array: Array, shape: Shape, empty: Empty) -> Array:
    made = empty(array.shape, array.dtype)
    made[...] = array
    return made.reshape(shape)


def _total(values: Array, axis: int) -> Array:
    """Return sums along an axis; many entries that lie apart are added up in parts, or the sums would lose digits."""
    size, before = values.shape[axis], (slice(None),) * axis
    if axis == values.ndim - 1 or size <= _TOGETHER:
        return np.asarray(np.add.reduce(values, axis=axis))
    step = max(_TOGETHER, isqrt(size))
    parts = [np.add.reduce(values[(*before, slice(i, i + step))], axis=axis) for i in range(0, size, step)]
    return np.asarray(np.add.reduce(parts, axis=0))


def _unstack(value: Array, axis: int) -> list[Array]:
    return [*np.moveaxis(value, axis, 0)]


def _tuple_class(name: str, fields: Sequence[str]) -> Any:
    return namedtuple(name, fields)


def spread(value: Array, how: Arranged) -> Array:
    """An array whose axes are those of rows and features, broadcast over those that it lacks."""
    moved = value.reshape(how.split).transpose(how.order)
    return np.broadcast_to(moved.reshape(how.spread), how.shape) if how.lacks else moved


class AxesForward(ForwardCall[Results, Kept]):
    """Function `forward` of a layer whose axes have names; `on_rows` is that of rows."""

    layer: AxesLayer[Kept]
    takes_runs = False

    @cached_property
    def on_rows(self) -> Any:
        """The same for the layer on rows."""
        return self._of_rows(self.function, at_once=self.at_once, empty=self.empty)

    def _of_rows(self, function: Callable[..., Any], **options: Any) -> ForwardCall[Any, Kept]:
        results = self.layer.results_of_rows("forward", self.results)
        return ForwardCall(self.layer.on_rows, results, function, **options)

    def compiled(self, function: Callable[..., Any], empty: Any) -> "AxesForward[Results, Kept]":
        """Return the same with kernels, which take runs."""
        made: AxesForward[Results, Kept] = AxesForward(self.layer, self.results, function, empty=empty)
        made.takes_runs, made.on_rows = True, self._of_rows(function, empty=empty)
        return made

    def call(self, values: tuple[Any, ...], save: bool, out: Any, threads: int) -> tuple[Results, Kept | None]:
        """Return the outputs of a layer and its saved values."""
        return self.sized((), values, save, out, threads)

    def sized(
        self, given: Sequence[Any], values: tuple[Any, ...], save: bool, out: Any, threads: int
    ) -> tuple[Results, Kept | None]:
        """Return the outputs of a layer and its saved values; `given` are the sizes that are arguments."""
        layer, direction, arrangement = self.layer, self.direction, self.layer.arrangement
        threads = thread_count(threads)
        found = self.arrays(values)
        sizes = layer.arranging.sizes(found, given)
        shape = arrangement.row_shape(sizes)
        if shape[-1] < layer.minimum_features:
            row = " ".join(arrangement.features)
            raise ValueError(f"a row ({row}) has {shape[-1]} entries; pass {layer.minimum_features} or more")
        dtypes = types(found)
        dtype = computed(without_numbers(dtypes, found))
        made = self._results(found, out, arrangement.flat(sizes), dtypes)
        outputs = self.results(*returned(made, self._outs(out)))
        made += [np.empty(shape[:-1], dtype) for _ in direction.row_scalars]
        values = (*found, *values[len(found) :])
        work = Work(shape, dtype, threads)
        layer.run(self.function, values, made, direction, sizes, work, self.takes_runs, self.empty)
        saved = layer.Saved(arrangement.flat(sizes), dtype, dtypes, *self.kept((*values, *made))) if save else None
        return outputs, saved


class AxesLater(LaterCall[Results]):
    """Direction that follows forward of a layer whose axes have names; `on_rows` is that of rows."""

    layer: AxesLayer[Any]
    takes_runs = False

    @cached_property
    def on_rows(self) -> Any:
        """The same for the layer on rows."""
        return self._of_rows(self.function, at_once=self.at_once, filled=self.filled, empty=self.empty)

    def _of_rows(self, function: Callable[..., Any], **options: Any) -> LaterCall[Any]:
        results = self.layer.results_of_rows(self.direction.name, self.results)
        return LaterCall(self.layer.on_rows, self.direction.name, results, function, **options)

    def compiled(self, function: Callable[..., Any], empty: Any) -> "AxesLater[Results]":
        """Return the same with kernels, which take runs."""
        made: AxesLater[Results] = AxesLater(self.layer, self.direction.name, self.results, function, empty=empty)
        made.takes_runs, made.on_rows = True, self._of_rows(function, empty=empty)
        return made

    def call(self, saved: Any, arguments: tuple[Any, ...], out: Any, threads: int) -> Results:
        """The results of the direction."""
        return self._in_full(saved, arguments, out, thread_count(threads))

    def _in_blocks(self, values: list[Any], dtype: DType, saved: Any, out: Any, threads: int, converts: bool) -> Any:
        layer, direction = self.layer, self.direction
        made = self._results(values, out, saved[0], saved[2])
        sizes, own = layer.arrangement.sizes_of(saved[0]), len(layer.directions[direction.name].arguments)

        def function(rows: list[Any], results: list[Any], call: Work) -> Any:
            rows = self.with_zeros(rows, call)
            return self.function(rows[:own], rows[own:], results, call)

        call = Work(layer.arrangement.row_shape(sizes), dtype, threads)
        layer.run(function, values, made, direction, sizes, call, self.takes_runs, self.empty)
        return self.results(*returned(made, self._outs(out)))

    def arguments_of_rows(self) -> Sequence[Entry]:
        """Return the arguments of the direction of rows, of which some may be `filled` with zeros."""
        return self.layer.directions[self.direction.name].arguments


def on_rows(module: ModuleType) -> Any:
    """Return a module of a layer for its rows: of one whose axes have names, the calls of the layer whose arrays are
    rows, to which each part of an array is a value.
    """
    given = vars(module)
    if "layout" not in given["INTERFACE"]:
        return module
    interface = without_axes(given["INTERFACE"])
    names = {name: _of_rows(value) for name, value in given.items()} | {"INTERFACE": interface}
    # A package has the functions of its `numpy_backend`, and a `cpu_backend` has calls of its own.
    own = given["forward"].__globals__
    calls = own["_KERNELS"].calls if "_KERNELS" in own else {}
    for name in interface["directions"]:
        call = _of_rows(calls.get(name) or own[f"_{name.upper()}"])
        direction = LayerProtocol(interface).directions[name]
        names[name] = partial(_forward if direction.is_forward else _later, interface, direction, call)
    layer = _of_rows(own["_KERNELS"].layer if calls else own["_LAYER"])
    return SimpleNamespace(**{**names, "Saved": layer.Saved, "saved_from": partial(_saved_from, layer)})


def _forward(
    interface: Interface,
    direction: DirectionProtocol,
    call: Any,
    *inputs: Any,
    save: bool = True,
    out: Any = None,
    threads: int = 1,
    **constants: Any,
) -> Any:
    """Function `forward` of a layer on rows, as an emitted one."""
    values = [*inputs, *[None] * (len(direction.inputs) - len(inputs))]
    for each in interface["constants"]:
        value = constants.pop(each["name"], each["default"])
        values.append(constant(each["name"], value, signed=each["sign"] == "any"))
    if constants:
        raise TypeError(f"forward has no argument {next(iter(constants))}")
    return call.call(tuple(values), save, out, threads)


def _later(
    interface: Interface,
    direction: DirectionProtocol,
    call: Any,
    saved: Any,
    *given: Any,
    out: Any = None,
    threads: int = 1,
) -> Any:
    """Compute another direction of a layer on rows, with the arguments of an emitted function."""
    if direction.cotangents and direction.tangents:
        given = (*each_cotangent(given[0], [each.name for each in direction.cotangents]), *given[1:])
    arguments = (*given, *[None] * (len(direction.arguments) - len(given)))
    return call.call(saved, arguments, out, threads)


def _saved_from(layer: HostLayer[Kept], **given: Any) -> Kept:
    """Function `saved_from` of a layer on rows, as an emitted one."""
    own: Any = layer.Saved
    first, fields = own._fields[:3], own._fields[3:]
    return layer.saved_from([given.get(name) for name in fields], *(given.get(name) for name in first))


def _of_rows(value: Any) -> Any:
    """A layer or a call on rows; anything else as it is. An emitted package has classes of its own."""
    return value.on_rows if hasattr(type(value), "on_rows") else value
