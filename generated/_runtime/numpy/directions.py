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
    check_left_out,
    check_shape,
    placed,
    result,
    row_shape,
    scalar,
    several,
    thread_count,
    types,
    wider,
    zeros,
)
from . import blocks, rows
from .layers import (
    CONSTANT,
    NUMBER,
    ROW,
    HostLayer,
    Kept,
    Value,
    are_any,
    converted,
    expectations,
    look,
    shapes,
)

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
        self.values = [*layer.inputs, *layer.constants]
        self.names = tuple(output.name for output in layer.outputs)
        self.count, self.several = len(self.names), len(self.names) > 1
        self.nothing = (None,) * (self.count + len(layer.row_scalars))
        self.Saved: Any = layer.Saved
        objects = [value.name for value in (*self.values, *layer.outputs)]
        self.kept_places = slots = [
            len(objects) + layer.row_scalars.index(field["name"])
            if field["kind"] == "row scalar"
            else objects.index(field["of"])
            for field in layer.interface["saved"]
        ]
        # Of one slot `itemgetter` gives no tuple.
        first = slots[0] if slots else 0
        several_slots = len(slots) > 1
        self.kept: Callable[[Sequence[Any]], Sequence[Any]] = (
            itemgetter(*slots) if several_slots else itemgetter(slice(first, first + len(slots)))
        )
        leading = [slot for slot, each in enumerate(layer.inputs) if each.required and each.part == ROW]
        self.leading = leading[0] if leading and not layer.is_wide else None
        self.expected = [each for each in expectations(layer.inputs) if each[0] != self.leading]
        self.inputs = [given.name for given in layer.inputs]
        self.before = (None,) * (self.leading or 0)
        self.after = (None,) * (len(self.inputs) - len(self.before) - 1)

    def call(self, values: tuple[Any, ...], save: bool, out: Any, threads: int) -> tuple[Results, Kept | None]:
        """Return the outputs of a layer and its saved values, None if it is to save nothing."""
        threads = threads if type(threads) is int and threads > 0 else thread_count(threads)
        row = None if self.leading is None else values[self.leading]
        if type(row) is not np.ndarray or row.dtype not in rows.COMPUTED or not row.flags.c_contiguous:
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
        outputs = self.results(*made[: self.count]) if self.several else made[0]
        if not save:
            return outputs, None
        return outputs, tuple.__new__(self.Saved, (shape, dtype, dtypes, *self.kept((*values, *made))))

    def _placed(self, made: Sequence[Any], out: Any, values: Sequence[Any]) -> Sequence[Any]:
        """Place outputs in the caller's arrays, if any."""
        given = dict(zip(self.inputs, values, strict=False))
        outs = (out,) if self.count == 1 else out
        return [*placed(self.names, made[: self.count], outs, given), *made[self.count :]]

    def _in_full(self, values: Sequence[Any], save: bool, out: Any, threads: int) -> tuple[Results, Kept | None]:
        """A call whose arguments are looked at one by one, and converted."""
        found, shape, dtypes, dtype = self.looked(values)
        return self._in_blocks([*found, *values[len(found) :]], shape, dtype, dtypes, save, out, threads)

    def looked(self, values: Sequence[Any]) -> tuple[list[Any], Shape, tuple[DType | None, ...], DType]:
        """Return the inputs as arrays, the shape of the rows, the type of each input, and the compute type.

        Raises TypeError or ValueError for an invalid argument.
        """
        layer = self.layer
        found = [
            (scalar if each.part == NUMBER else array)(each.name, value, each.required, slot in layer.labels)
            for slot, (each, value) in enumerate(zip(layer.inputs, values, strict=False))
        ]
        first, names = layer.inputs[layer.rows[0]], ", ".join(layer.inputs[slot].name for slot in layer.rows)
        there = [found[slot] for slot in layer.rows if found[slot] is not None]
        if not there:
            raise TypeError(f"each of {names} is None; pass one of them")
        shape = row_shape(first.name if first.required else names, there[0], layer.minimum_features)
        parts = shapes(shape)
        meanings = (f"the shape of {first.name}", f"the shape of {first.name} without its last axis", "(D,)")
        for each, value in zip(layer.inputs, found, strict=True):
            if each.part != NUMBER:
                check_shape(each.name, value, parts[each.part], meanings[each.part])
        dtypes, dtype = types(found)
        return found, shape, dtypes, wider(dtype) if layer.is_wide else dtype

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
        layer, parts = self.layer, shapes(shape)
        stored = layer.stored(dtypes)
        outs = (out,) if len(self.names) == 1 else several(out, self.names)
        given = dict(zip(self.inputs, values, strict=False))
        made = [
            result(output.name, own, parts[output.part], stored, given, self.empty)
            for output, own in zip(layer.outputs, outs, strict=True)
        ]
        outputs = self.results(*made)
        made += [np.empty(shape[:-1], dtype) for _ in layer.row_scalars]
        work = blocks.Work(shape, dtype, threads)
        blocks.stored(made, self.function(converted(self.values, values, dtype), made, work))
        return outputs, layer.Saved(shape, dtype, dtypes, *self.kept((*values, *made))) if save else None


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
        required = len(layer.outputs) == 1
        cotangents = [Value(f"d{name}", part, name, required) for name, part, *_ in layer.outputs]
        inputs = [(slot, layer.inputs[slot]) for slot in layer.differentiable]
        gradients = [Value(f"d{name}", part, name, False, slot) for slot, (name, part, *_) in inputs]
        tangents = [each._replace(name=f"{each.of}_dot") for each in gradients]
        moved = [Value(f"{name}_dot", part, name, required) for name, part, *_ in layer.outputs]
        again = [[each._replace(name=f"d{each.name}") for each in group] for group in (gradients, cotangents)]
        self.is_jvp = direction == "jvp"
        self.cotangents = [] if self.is_jvp else cotangents
        self.moved = {"backward": [], "jvp": tangents, "backward_backward": again[0]}[direction]
        self.made = {"backward": gradients, "jvp": moved, "backward_backward": gradients + again[1]}[direction]
        self.made_of_inputs = direction == "backward" and len(layer.differentiable) == len(layer.inputs)
        self.names = tuple(value.name for value in self.made)
        self.values = [*self.cotangents, *self.moved, *layer.fields]
        # Not by its name: the cotangent of an output `dx` is called as that of the gradient of an input `x`.
        self.labels = [
            f"cotangents[{number}]" if direction == "backward_backward" else value.name
            for number, value in enumerate(self.cotangents)
        ]
        self.labels += [value.name for value in self.moved] + [f"saved.{field.name}" for field in layer.fields]
        own = len(self.cotangents) + len(self.moved)
        self.expected = expectations(self.values[:own]) + expectations(layer.fields, own + 3)
        self.leading = next((slot for slot, part, *_ in self.expected if part == ROW), None)
        self.always_converts = bool(filled) or any(field.part == CONSTANT for field in layer.fields)
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
                made = placed(self.names, made, self._outs(out), self._given([*arguments, *fields]))
            return tuple.__new__(self.results, made) if self.has_class else self.results(*made)  # type: ignore[type-var, arg-type]
        return self._in_blocks([*arguments, *saved[3:]], dtype, saved, out, threads, self.always_converts)

    def _is_plain(self, shape: Any, dtype: Any, dtypes: Any, values: Sequence[Any]) -> bool:
        """Test whether a call can take the fast path.

        Forward saw arrays of one type, all arguments have this type and their shapes, and there is a result to compute.
        """
        if type(shape) is not tuple or not shape or type(dtypes) is not tuple:
            return False
        if not isinstance(dtype, np.dtype) or dtype not in rows.COMPUTED:
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
            count = len(self.cotangents)
            return are_any(values[:count]) and are_any(values[count : count + len(self.moved)])
        return absent == 0

    def _in_full(self, saved: Any, arguments: Sequence[Any], out: Any, threads: int) -> Results:
        """A call whose arguments are looked at one by one, and converted."""
        self.layer.check_saved(saved)
        shape, kept, dtypes, *fields = saved
        parts = shapes(shape)
        found = [
            array(each.name, value, each.required) for each, value in zip(self.cotangents, arguments, strict=False)
        ]
        if not are_any(found):
            raise ValueError("every cotangent is None; pass at least one")
        for each, value in zip(self.cotangents, found, strict=True):
            check_shape(each.name, value, parts[each.part], f"the shape of {each.of}")
        own = [
            (scalar if each.part == NUMBER else array)(each.name, value, False)
            for each, value in zip(self.moved, arguments[len(found) :], strict=True)
        ]
        if not are_any(own):
            kind = "cotangent of a gradient" if self.cotangents else "tangent"
            raise ValueError(f"every {kind} is None; pass at least one")
        for each, value in zip(self.moved, own, strict=True):
            check_left_out(each.name, value, each.of, each.follows is None or dtypes[each.follows] is not None)
        for each, value in zip(self.moved, own, strict=True):
            if each.part != NUMBER:
                check_shape(each.name, value, parts[each.part], f"the shape of {each.of}")
        values = [*found, *own, *fields]
        return self._in_blocks(values, types(values, kept)[1], saved, out, threads, True)

    def _given(self, values: Sequence[Any]) -> dict[str, Any]:
        """Return the values of a call by their names in messages."""
        return dict(zip(self.labels, values, strict=True))

    def _in_blocks(
        self, values: list[Any], dtype: DType, saved: Any, out: Any, threads: int, converts: bool
    ) -> Results:
        shape, _, dtypes = saved[:3]
        made = self._results(values, out, shapes(shape), dtypes)
        call = blocks.Work(shape, dtype, threads)
        if converts:
            values = converted(self.values, self.with_zeros(values, call), dtype)
        own = len(self.cotangents) + len(self.moved)
        blocks.stored(made, self.function(values[:own], values[own:], made, call))
        return self.results(*made)

    def with_zeros(self, values: Sequence[Any], call: blocks.Work) -> list[Any]:
        """Return the values of a call with zeros for those that are `filled`."""
        given = list(values)
        for slot, each in enumerate(self.moved, len(self.cotangents)):
            if each.name in self.filled and given[slot] is None:
                given[slot] = zeros(shapes(call.shape)[each.part], call.dtype)
        return given

    def _results(
        self, values: Sequence[Any], out: Any, parts: Sequence[Shape], dtypes: Sequence[DType | None]
    ) -> list[Any]:
        """Return arrays for the results, in the types of their owners; None for an absent result."""
        kinds = self._kinds(values, dtypes)
        outs = several(self._outs(out), self.names)
        given = {} if out is None else self._given(values)
        return [
            result(each.name, own, parts[each.part], kind, given, self.empty)
            for each, own, kind in zip(self.made, outs, kinds, strict=True)
        ]

    def _outs(self, out: Any) -> Any:
        """Return the caller's arrays for results, if any; that of a single tangent comes without a tuple."""
        return (out,) if self.is_jvp and len(self.made) == 1 else out

    def _kinds(self, values: Sequence[Any], dtypes: Sequence[DType | None]) -> Sequence[DType | None]:
        """The types of the results, None for one that is not wanted."""
        if self.is_jvp:
            return [self.layer.stored(dtypes)] * len(self.made)
        kinds = [dtypes[slot] for slot in self.layer.differentiable]
        others = values[: len(self.made) - len(kinds)]
        return kinds + [None if value is None else value.dtype for value in others]
