# SPDX-License-Identifier: MIT
"""Public functions of a layer on NumPy without their signatures, made from the layer's `INTERFACE`.

A call is checked, its results are allocated, and the layer's mathematics is called. If all arrays have one type and no
gaps, one quick check is enough, and few rows are taken at once, in memory that NumPy makes. Otherwise each argument is
checked, and refused or converted, and the rows are taken block by block.
"""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, Generic, TypeVar

import numpy as np

from ..protocol.calls import (
    Array,
    DType,
    Shape,
    array,
    check_shape,
    integers,
    placed,
    result,
    returned,
    row_shape,
    scalar,
    several,
    thread_count,
    types,
    without_numbers,
    zeros,
)
from ..protocol.directions import COMPUTED, CONSTANT, NUMBER, ROW, Entry, computed, held, leading, shapes
from . import blocks, rows
from .layers import HostLayer, Kept, converted, expectations, look

__all__ = ["ForwardCall", "HostLayer", "LaterCall", "only"]

Results = TypeVar("Results")


def only(result: Array) -> Array:
    """The results of a direction that has one."""
    return result


class ForwardCall(Generic[Results, Kept]):
    """Function `forward` of a layer; `results` makes the returned object from the outputs.

    `function(values, results, call)` takes the inputs and the Constants, and the arrays for outputs and row scalars.
    One that takes rows `at_once` returns them too, and makes them where the call has no thread.
    """

    def __init__(
        self,
        layer: HostLayer[Kept],
        results: Callable[..., Results],
        function: Callable[..., Any],
        *,
        at_once: bool = False,
        empty: Callable[[Shape, DType], Array] = np.empty,
    ) -> None:
        self.layer, self.results, self.function, self.at_once, self.empty = layer, results, function, at_once, empty
        self.direction = direction = layer.protocol.directions["forward"]
        self.names = direction.names
        self.count, self.several = len(self.names), len(self.names) > 1
        self.nothing = (None,) * (self.count + len(direction.row_scalars))
        self.Saved: Any = layer.Saved
        self.kept_places = slots = held(layer.protocol.fields, (*direction.reads, *direction.makes))
        # Of one slot `itemgetter` gives no tuple.
        first = slots[0] if slots else 0
        several_slots = len(slots) > 1
        self.kept: Callable[[Sequence[Any]], Sequence[Any]] = (
            itemgetter(*slots) if several_slots else itemgetter(slice(first, first + len(slots)))
        )
        inputs = direction.inputs
        required = [slot for slot, each in enumerate(inputs) if layer.required[slot] and each.part == ROW]
        is_plain = not any(each.is_integer for each in inputs)
        self.leading = required[0] if required and is_plain else None
        self.expected = [each for each in expectations(inputs) if each[0] != self.leading]
        self.inputs = [given.name for given in inputs]
        self.before = (None,) * (self.leading or 0)
        self.after = (None,) * (len(self.inputs) - len(self.before) - 1)

    def call(self, values: tuple[Any, ...], save: bool, out: Any, threads: int) -> tuple[Results, Kept | None]:
        """Return the outputs of a layer and its saved values, None if it is to save nothing."""
        threads = threads if type(threads) is int and threads > 0 else thread_count(threads)
        row = None if self.leading is None else values[self.leading]
        if type(row) is not np.ndarray or row.dtype not in COMPUTED or not row.flags.c_contiguous:
            return self._in_full(values, save, out, threads)
        shape: Shape = row.shape
        dtype: DType = row.dtype
        if not shape or shape[-1] < self.layer.minimum_features:
            return self._in_full(values, save, out, threads)
        absent = look(self.expected, values, shape, dtype, ()) if self.expected else 0
        if absent < 0:
            return self._in_full(values, save, out, threads)
        # The usual cases need no loop: every input, or the single required one.
        dtypes: tuple[DType | None, ...]
        if not absent:
            dtypes = (dtype,) * len(self.inputs)
        elif absent == len(self.expected):
            dtypes = (*self.before, dtype, *self.after)
        else:
            dtypes = tuple([None if value is None else dtype for value in values[: len(self.inputs)]])
        if not self.at_once or not 0 < row.nbytes <= rows.FAST_PATH_BYTES:
            return self._in_blocks(values, shape, dtype, dtypes, save, out, threads)
        work = shape, dtype, 0
        if rows.are_long(shape, dtype):
            made = rows.with_small_buffer(self.function, values, self.nothing, work)
        else:
            made = self.function(values, self.nothing, work)
        if out is not None:
            made = self._placed(made, out, values)
        shown = made if out is None else returned(made[: self.count], self._outs(out))
        outputs = self.results(*shown[: self.count]) if self.several else shown[0]
        if not save:
            return outputs, None
        return outputs, tuple.__new__(self.Saved, (shape, dtype, dtypes, *self.kept((*values, *made))))

    def compiled(self, function: Callable[..., Any], empty: Any) -> "ForwardCall[Results, Kept]":
        """Return the same with the kernels that a function calls, and memory for results from `empty`."""
        return ForwardCall(self.layer, self.results, function, empty=empty)

    def _placed(self, made: Sequence[Any], out: Any, values: Sequence[Any]) -> Sequence[Any]:
        """Place outputs in the caller's arrays, if any."""
        given = dict(zip(self.inputs, values, strict=False))
        return [*placed(self.names, made[: self.count], self._outs(out), given), *made[self.count :]]

    def _outs(self, out: Any) -> Any:
        """Return the caller's arrays for results, if any; that of a single one comes without a tuple."""
        return (out,) if out is not None and not self.several else out

    def _in_full(self, values: Sequence[Any], save: bool, out: Any, threads: int) -> tuple[Results, Kept | None]:
        """A call whose arguments are looked at one by one, and converted."""
        found, shape, dtypes, dtype = self.looked(values)
        return self._in_blocks([*found, *values[len(found) :]], shape, dtype, dtypes, save, out, threads)

    def arrays(self, values: Sequence[Any]) -> list[Any]:
        """Return the inputs as arrays. Raises TypeError or ValueError for one of another type."""
        return [
            integers(each.name, value, not each.may_be_none, each.part == NUMBER)
            if each.is_integer
            else (scalar if each.part == NUMBER else array)(
                each.name, value, not each.may_be_none, slot in self.layer.labels
            )
            for slot, (each, value) in enumerate(zip(self.layer.protocol.inputs, values, strict=False))
        ]

    def looked(self, values: Sequence[Any]) -> tuple[list[Any], Shape, tuple[DType | None, ...], DType]:
        """Return the inputs as arrays, the shape of the rows, the type of each input, and the compute type.

        Raises TypeError or ValueError for an invalid argument.
        """
        layer, protocol = self.layer, self.layer.protocol
        found = self.arrays(values)
        first = leading(protocol.inputs, found)
        name = protocol.inputs[first].name
        shape = row_shape(name, found[first], layer.minimum_features)
        parts = shapes(shape)
        for each, value in zip(protocol.inputs, found, strict=True):
            if each.part != NUMBER:
                check_shape(each.name, value, parts[each.part], each.meaning(name))
        dtypes = types(found)
        return found, shape, dtypes, computed(without_numbers(dtypes, found))

    def _in_blocks(
        self,
        values: Sequence[Any],
        shape: Shape,
        dtype: DType,
        dtypes: tuple[DType | None, ...],
        save: bool,
        out: Any,
        threads: int,
    ) -> tuple[Results, Kept | None]:
        layer, direction = self.layer, self.direction
        made = self._results(values, out, shape, dtypes)
        outputs = self.results(*returned(made, self._outs(out)))
        made += [np.empty(shape[:-1], dtype) for _ in direction.row_scalars]
        work = blocks.Work(shape, dtype, threads)
        blocks.stored(made, self.function(converted(direction.reads, values, dtype), made, work))
        return outputs, layer.Saved(shape, dtype, dtypes, *self.kept((*values, *made))) if save else None

    def _results(self, values: Sequence[Any], out: Any, shape: Shape, dtypes: Sequence[DType | None]) -> list[Any]:
        """Return arrays for the outputs, in the type of the rows or that of their cast."""
        stored = dtypes[leading(self.direction.inputs, dtypes)]
        outs = several(self._outs(out), self.names)
        given = dict(zip(self.inputs, values, strict=False))
        return [
            result(output.name, own, self.layer.shape_of(output, shape), output.made_in(stored), given, self.empty)
            for output, own in zip(self.direction.results, outs, strict=True)
        ]


class LaterCall(Generic[Results]):
    """Direction that follows forward; `results` makes the returned object from the results.

    `function(arguments, fields, results, call)` takes the direction's own arguments, the fields of `Saved` after the
    first three, and the arrays for results, None for a result that is not wanted. One that takes rows `at_once` returns
    the results too, and makes them where the call has no thread; it is given their types. Arguments that are `filled`
    may be None for zero, and are then passed as arrays of zeros.
    """

    def __init__(
        self,
        layer: HostLayer[Any],
        direction: str,
        results: Callable[..., Results],
        function: Callable[..., Any],
        *,
        at_once: bool = False,
        filled: Sequence[str] = (),
        empty: Callable[[Shape, DType], Array] = np.empty,
    ) -> None:
        self.layer, self.results, self.function, self.filled = layer, results, function, filled
        self.empty, self.has_class = empty, isinstance(results, type)
        self.direction = found = layer.protocol.directions[direction]
        # The types of results are those of the inputs, where each input has a gradient and nothing else is made.
        self.made_of_inputs = [of for of, _ in found.owners] == [*range(len(layer.required))]
        self.names = found.names
        self.labels = found.labels()
        own = len(found.arguments)
        self.expected = expectations(found.arguments) + expectations(found.fields, own + 3)
        self.leading = next((slot for slot, part, *_ in self.expected if part == ROW), None)
        self.has_integers = any(field.is_integer for field in found.fields)
        self.always_converts = bool(filled) or any(field.part == CONSTANT for field in found.fields)
        # Places of the arguments of which one at least has to be present.
        groups = (range(len(found.cotangents)), range(len(found.cotangents), own))
        self.needed = [(group.start, group.stop) for group in groups if group]
        # Zeros that are filled in have no memory of their own.
        self.at_once = at_once and not filled

    def call(self, saved: Any, arguments: tuple[Any, ...], out: Any, threads: int) -> Results:
        """The results of the direction."""
        if type(saved) is not self.layer.Saved:
            self.layer.check_is_saved(saved)
        threads = threads if type(threads) is int and threads > 0 else thread_count(threads)
        values = (*arguments, *saved)
        shape, dtype, dtypes = saved[:3]
        if not self._is_plain(shape, dtype, dtypes, values):
            return self._in_full(saved, arguments, out, threads)
        row = None if self.leading is None else values[self.leading]
        if self.at_once and row is not None and 0 < row.nbytes <= rows.FAST_PATH_BYTES:
            work, fields = (shape, dtype, 0), saved[3:]
            wanted = dtypes if self.made_of_inputs else self._kinds(values, dtypes)
            if rows.are_long(shape, dtype):
                made = rows.with_small_buffer(self.function, arguments, fields, wanted, work)
            else:
                made = self.function(arguments, fields, wanted, work)
            if out is not None:
                placed(self.names, made, self._outs(out), self._given([*arguments, *fields]))
                made = returned(made, self._outs(out))
            return tuple.__new__(self.results, made) if self.has_class else self.results(*made)  # type: ignore[type-var, arg-type]
        return self._in_blocks([*arguments, *saved[3:]], dtype, saved, out, threads, self.always_converts)

    def compiled(self, function: Callable[..., Any], empty: Any) -> "LaterCall[Results]":
        """Return the same with the kernels that a function calls, and memory for results from `empty`."""
        return LaterCall(self.layer, self.direction.name, self.results, function, empty=empty)

    def _is_plain(self, shape: Any, dtype: Any, dtypes: Any, values: Sequence[Any]) -> bool:
        """Test whether a call can take the fast path.

        Forward saw arrays of one type, all arguments have this type and their shapes, and there is a result to compute.
        """
        if type(shape) is not tuple or not shape or type(dtypes) is not tuple or self.has_integers:
            return False
        if not isinstance(dtype, np.dtype) or dtype not in COMPUTED:
            return False
        required = self.layer.required
        if len(dtypes) != len(required):
            return False
        for slot, kind in enumerate(dtypes):
            if kind is dtype:
                continue
            if required[slot] if kind is None else type(kind) is not type(dtype) or kind != dtype:
                return False
        absent = look(self.expected, values, shape, dtype, dtypes)
        if absent > 0:
            return all(any(value is not None for value in values[first:end]) for first, end in self.needed)
        return absent == 0

    def _in_full(self, saved: Any, arguments: Sequence[Any], out: Any, threads: int) -> Results:
        """A call whose arguments are looked at one by one, and converted."""
        values, dtype = self.looked(saved, arguments)
        return self._in_blocks(values, dtype, saved, out, threads, True)

    def looked(self, saved: Any, arguments: Sequence[Any]) -> tuple[list[Any], DType]:
        """Return the values of a call as arrays, and the compute type.

        Raises TypeError or ValueError for an invalid argument.
        """
        self.layer.check_saved(saved)
        shape, kept, dtypes, *fields = saved
        direction = self.direction
        found = [
            (scalar if each.part == NUMBER else array)(each.name, value, not each.may_be_none)
            for each, value in zip(direction.arguments, arguments, strict=True)
        ]
        direction.check_any(found)
        direction.check_left_out(found, dtypes)
        for each, value in zip(direction.arguments, found, strict=True):
            if each.part != NUMBER:
                check_shape(each.name, value, self.layer.shape_of(each, shape), each.meaning(""))
        values = [*found, *fields]
        return values, computed((kept, *without_numbers(types(values), values)))

    def _given(self, values: Sequence[Any]) -> dict[str, Any]:
        """Return the values of a call by their names in messages."""
        return dict(zip(self.labels, values, strict=True))

    def _in_blocks(
        self, values: list[Any], dtype: DType, saved: Any, out: Any, threads: int, converts: bool
    ) -> Results:
        shape, _, dtypes = saved[:3]
        made = self._results(values, out, shape, dtypes)
        call = blocks.Work(shape, dtype, threads)
        if converts:
            values = converted(self.direction.reads, self.with_zeros(values, call), dtype)
        own = len(self.direction.arguments)
        blocks.stored(made, self.function(values[:own], values[own:], made, call))
        return self.results(*returned(made, self._outs(out)))

    def with_zeros(self, values: Sequence[Any], call: blocks.Work) -> list[Any]:
        """Return the values of a call with zeros for those that are `filled`."""
        given = list(values)
        for slot, each in enumerate(self.arguments_of_rows()):
            if each.name in self.filled and given[slot] is None:
                given[slot] = zeros(shapes(call.shape)[each.part], call.dtype)
        return given

    def arguments_of_rows(self) -> Sequence[Entry]:
        """Return the arguments as the mathematics of rows takes them."""
        return self.direction.arguments

    def _results(self, values: Sequence[Any], out: Any, shape: Shape, dtypes: Sequence[DType | None]) -> list[Any]:
        """Return arrays for the results, in the types of their owners; None for an absent result."""
        kinds = self._kinds(values, dtypes)
        outs = several(self._outs(out), self.names)
        given = {} if out is None else self._given(values)
        return [
            result(each.name, own, self.layer.shape_of(each, shape), kind, given, self.empty)
            for each, own, kind in zip(self.direction.results, outs, kinds, strict=True)
        ]

    def _outs(self, out: Any) -> Any:
        """Return the caller's arrays for results, if any; that of a single tangent comes without a tuple."""
        return out if out is None or self.direction.returned else (out,)

    def _kinds(self, values: Sequence[Any], dtypes: Sequence[DType | None]) -> Sequence[DType | None]:
        """The types of the results, None for one that is not wanted."""
        stored = dtypes[leading(self.layer.protocol.inputs, dtypes)]
        return self.direction.result_types(dtypes, values, stored)
