# SPDX-License-Identifier: MIT
"""Plans: a checked call, for all calls that differ from it in addresses and numbers alone.

A function of `cuda_backend.py` makes a plan: it names the values of a call in the order in which they are passed, the
arrays that are made, and the kernels with the values that each takes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..protocol.calls import DType, Shape
from ..protocol.casts import dtype as cast_dtype
from .arrays import (
    BYTES,
    CONSTANT,
    FEATURE,
    INTEGER_KINDS,
    KINDS,
    NUMBER,
    ROW,
    ROW_SCALAR,
    TYPES,
    Memory,
    array,
    check_shape,
    check_type,
    check_writable,
    computed,
    dtype_of,
    memory,
    number_or_array,
    result,
    row_shape,
    shape_of,
)
from .macros import KernelKey
from .places import places

MOST_PLANS = 1024

_MEANINGS = ("the shape of {}", "the shape of {} without its last axis", "(D,)", "a number or a 0-d array")

_ROWS, _PARAMETERS, _INTEGERS, _ONE_INTEGER = range(4)
"""Groups of values that kernels read in one type each."""


class DeviceInput(NamedTuple):
    """Input of forward: its name, and the number of its shape; rows with a gradient may be `leading`."""

    name: str
    part: int
    symbol: str
    leading: bool = False
    optional: bool = False
    integers: bool = False

    @property
    def group(self) -> int:
        """Return the group of values whose type it has."""
        if self.integers:
            return _ONE_INTEGER if self.part == NUMBER else _INTEGERS
        return _ROWS if self.part in (ROW, ROW_SCALAR) else _PARAMETERS


@dataclass(frozen=True, eq=False)
class DeviceLayer:
    """Facts of a layer that all its calls share, and the plans of its calls.

    `Saved` is the class of saved values, and kernels are in files of `folder`. `macros` returns the macros of a module
    from those that a kernel needs; where compilation is slow, one module may serve several needs.
    """

    name: str
    Saved: Any
    folder: Path
    minimum_features: int
    inputs: Sequence[DeviceInput]
    macros: Callable[[Sequence[str]], Sequence[str]] = tuple
    plans: dict[Any, Any] = field(default_factory=dict)

    def leading(self, values: Sequence[Any]) -> int:
        """Return the place of the first rows that are present. Raises TypeError if there are none."""
        rows = [place for place, each in enumerate(self.inputs) if each.leading]
        for place in rows:
            if values[place] is not None:
                return place
        names = ", ".join(self.inputs[place].name for place in rows)
        raise TypeError(f"each of {names} is None; pass one of them")

    def groups(self, dtypes: Any) -> dict[int, str] | None:
        """Return the type of each group of inputs of these types; None if forward takes none of such types."""
        if not isinstance(dtypes, tuple) or len(dtypes) != len(self.inputs):
            return None
        found: dict[int, str] = {}
        for each, kind in zip(self.inputs, dtypes, strict=True):
            if kind is None and each.optional:
                continue
            known = INTEGER_KINDS if each.integers else KINDS
            if not isinstance(kind, np.dtype) or kind.str not in known:
                return None
            if found.setdefault(each.group, known[kind.str]) != known[kind.str]:
                return None
        if all(kind is None for each, kind in zip(self.inputs, dtypes, strict=True) if each.leading):
            return None
        found.setdefault(_PARAMETERS, found[_ROWS])
        return found


class Value:
    """Value of a call: its place among them, its name in messages, and its memory, a number, or None.

    `part` is the number of its shape, and `letter` the type in which a kernel takes it, as `struct` has it.
    """

    def __init__(
        self, place: int, name: str, part: int, given: Any = None, integers: bool = False, letter: str = "P"
    ) -> None:
        self.place, self.name, self.part, self.given = place, name, part, given
        self.integers, self.letter = integers, letter
        self.is_result = False

    @property
    def memory(self) -> Memory | None:
        """Return the memory of an array."""
        return self.given if isinstance(self.given, Memory) else None


class LaunchPlan:
    """Plan of a checked call, without its arrays: places of values, results to make, memory to clear, overlaps.

    `first` are the first three fields of what forward saved; for a call of forward they are those that it will save.
    """

    def __init__(
        self, layer: DeviceLayer, direction: str, objects: Sequence[Any], saved: Any = None, saves: bool = True
    ) -> None:
        self.layer, self.direction, self.objects, self.saves = layer, direction, objects, saves
        self.values: list[Value] = []
        self.kernels: dict[str, Sequence[Value]] = {}
        self.source, self.sums = "", (0, 0)
        self.row_scalars_made: list[Value] = []
        self._zeros: list[Value] = []
        end = len(objects)
        self.workspace = Value(end - 1, "workspace", CONSTANT)
        self.rows, self.features, self.blocks = (
            Value(end + number, "", CONSTANT, letter=letter) for number, letter in enumerate("qii")
        )
        if saved is not None:
            self._check_first(saved)

    # ---- what is read

    def _read(self, name: str, symbol: str, part: int, optional: bool, integers: bool = False) -> Value:
        given = self.objects[len(self.values)]
        if given is not None or not optional:
            if part == NUMBER:
                given = number_or_array(name, given, integers)
            else:
                given = array(name, given, integers, {ROW: 1, ROW_SCALAR: 0}.get(part))
        return self._added(Value(len(self.values), symbol, part, given, integers))

    def _added(self, value: Value) -> Value:
        self.values.append(value)
        return value

    def inputs(self) -> list[Value]:
        """Return the inputs of forward: of shapes that go with the first rows, and of one type in each group."""
        layer = self.layer
        values = [self._read(each.name, each.symbol, each.part, each.optional, each.integers) for each in layer.inputs]
        pairs = [*zip(layer.inputs, values, strict=True)]
        first, leading = pairs[layer.leading([value.given for value in values])]
        rows = leading.memory
        assert rows is not None
        self.shape, self.stored = row_shape(first.name, rows, layer.minimum_features), rows.dtype
        for each, value in pairs:
            meaning = _MEANINGS[each.part].format(first.name)
            check_shape(each.name, value.given, shape_of(each.part, self.shape), meaning)
        given_as = {_ROWS: (first.name, rows.kind)}
        for each, value in pairs:
            if value.memory:
                other, kind = given_as.setdefault(each.group, (each.name, value.memory.kind))
                check_type(each.name, value.given, kind, other)
        kinds = {group: kind for group, (_, kind) in given_as.items()}
        numbers = {each.group for each, value in pairs if type(value.given) is float}
        if _PARAMETERS in numbers:
            kinds.setdefault(_PARAMETERS, computed(rows.kind))
        if _ONE_INTEGER in numbers and kinds.get(_ONE_INTEGER, "i32") not in ("i32", "i64"):
            other, kind = given_as[_ONE_INTEGER]
            raise TypeError(f"{other} is of type {TYPES[kind]}, and another integer is a number; pass {other} in int32")
        self._choose(kinds)
        self.without = [each.symbol for each, value in pairs if value.given is None]
        self.dtypes: tuple[DType | None, ...] = tuple(
            value.memory.dtype if value.memory else None if value.given is None else dtype_of(self._kind(value))
            for value in values
        )
        return values

    def constant(self) -> Value:
        """Return a Constant."""
        return self._added(Value(len(self.values), "", CONSTANT, letter="d" if self.computed == "f64" else "f"))

    def needs_one(self, kind: str, first: int, end: int) -> None:
        """Refuse a call without any of some arguments."""
        if all(each is None for each in self.objects[first:end]):
            raise ValueError(f"every {kind} is None; pass at least one")

    def cotangent(self, name: str, symbol: str, part: int, output: str, optional: bool = False) -> Value:
        """Return the cotangent of an output."""
        value = self._read(name, symbol, part, optional)
        return self._argument(name, value, output, _ROWS, self.layer.inputs[self.first_rows].name)

    def tangent(self, name: str, symbol: str, place: int) -> Value:
        """Return the tangent of an input, or the cotangent of its gradient."""
        each = self.layer.inputs[place]
        if self.dtypes[place] is None and self.objects[len(self.values)] is not None:
            raise ValueError(f"{each.name} was left out of forward; pass None for {name}")
        value = self._read(name, symbol, each.part, True)
        other = self.layer.inputs[self.first_rows].name if each.group == _ROWS else each.name
        return self._argument(name, value, each.name, each.group, other)

    def _argument(self, name: str, value: Value, of: str, group: int, other: str) -> Value:
        check_shape(name, value.given, shape_of(value.part, self.shape), f"the shape of {of}")
        check_type(name, value.given, self.kinds[group], other)
        if value.given is None:
            self.without.append(value.name)
        return value

    # ---- what forward saved

    def _check_first(self, saved: Any) -> None:
        """Refuse the first fields of `saved` if they do not go together: kernels would read past an array."""
        shape, kind, dtypes = saved[:3]
        if not isinstance(shape, tuple) or not all(type(size) is int and size >= 0 for size in shape):
            raise _changed(saved._fields[0])
        if not shape or shape[-1] < self.layer.minimum_features:
            raise _changed(saved._fields[0])
        kinds = self.layer.groups(dtypes)
        if kinds is None:
            raise _changed(saved._fields[2])
        self.shape, self.dtypes, self.first_rows = shape, dtypes, self.layer.leading(dtypes)
        self.stored = dtypes[self.first_rows]
        self.without = [each.symbol for each, own in zip(self.layer.inputs, dtypes, strict=True) if own is None]
        self._choose(kinds)
        if not isinstance(kind, np.dtype) or kind != dtype_of(self.computed):
            raise _changed(saved._fields[1])

    def saved_input(self, name: str, place: int) -> Value:
        """Return an input that forward saved."""
        each = self.layer.inputs[place]
        is_there = self.dtypes[place] is not None
        if (self.objects[len(self.values)] is not None) != is_there:
            raise _changed(name)
        value = self._read(f"saved.{name}", each.symbol, each.part, not is_there, each.integers)
        return self._saved(f"saved.{name}", value, self.kinds.get(each.group, ""))

    def saved_output(self, name: str, symbol: str, part: int) -> Value:
        """Return an output that forward saved."""
        return self._saved(f"saved.{name}", self._read(f"saved.{name}", symbol, part, False), self.kinds[_ROWS])

    def saved_row_scalar(self, name: str, symbol: str) -> Value:
        """Return a row scalar that forward saved."""
        value = self._read(f"saved.{name}", symbol, ROW_SCALAR, False)
        return self._saved(f"saved.{name}", value, self.computed, "saved", "what was computed")

    def _saved(self, name: str, value: Value, kind: str, verb: str = "saw", other: str = "what forward saw") -> Value:
        if value.given is not None:
            check_shape(name, value.given, shape_of(value.part, self.shape), f"what forward {verb}")
            check_type(name, value.given, kind, other)
        return value

    # ---- what is made

    def result(
        self,
        name: str,
        symbol: str,
        part: int,
        of: Value | None = None,
        *,
        cast: str = "",
        zero: bool = False,
    ) -> Value:
        """Return a result that has the type of the rows, or of a value without which it is absent.

        An output may be rounded to a type, its `cast`. Its entries may be always `zero`.
        """
        kind = self.stored if of is None else of.memory.dtype if of.memory else None
        return self._made(name, symbol, part, cast_dtype(cast, name) if cast else kind, zero)

    def gradient(self, place: int, name: str, symbol: str, zero: bool = False) -> Value:
        """Return the gradient of an input."""
        each = self.layer.inputs[place]
        return self._made(name, symbol, each.part, self.dtypes[place], zero)

    def _made(self, name: str, symbol: str, part: int, dtype: DType | None, zero: bool) -> Value:
        row_axes = None if zero else {ROW: 1, ROW_SCALAR: 0}.get(part)
        out, shape = self.objects[len(self.values)], shape_of(part, self.shape)
        value = Value(len(self.values), f"out for {symbol}", part, result(name, out, shape, dtype, row_axes))
        value.is_result = True
        self._zeros += [value] * zero
        return self._added(value)

    def row_scalars(self, *names: str) -> list[Value]:
        """Return the row scalars of forward, which are pieces of one memory, or are not written."""
        self.row_scalars_made = [self._added(Value(len(self.values), name, ROW_SCALAR)) for name in names]
        return self.row_scalars_made

    # ---- the kernels

    def launch(self, kernel: str, *values: Value) -> None:
        """Launch a kernel with these values: first the one of the rows, then one that ends sums over rows."""
        self.kernels[kernel] = values

    def _choose(self, kinds: dict[int, str]) -> None:
        """Choose the types of each group of values, and the compute type."""
        self.kinds = kinds
        self.row_type, self.parameter_type = kinds[_ROWS], kinds.get(_PARAMETERS, kinds[_ROWS])
        self.integer_types = kinds.get(_INTEGERS, "i32"), kinds.get(_ONE_INTEGER, "i32")
        self.computed = computed(self.row_type, self.parameter_type)
        self.dtype = dtype_of(self.computed)

    def _kind(self, number: Value) -> str:
        """Return the type in which kernels read a number."""
        return self.integer_types[1] if number.integers else self.parameter_type

    def finish(self) -> "LaunchPlan":
        """Plan the memory of the call, once its values are known, and let go of the arrays."""
        self.count = prod(self.shape[:-1])
        self.outputs = [value.place for value in self.values if value.is_result]
        # Another kernel than the first ends sums over rows, all of which may belong to absent inputs.
        _, *others = self.kernels.values() or [()]
        self.ends_sums = any(each.is_result and each.given for values in others for each in values)
        self._take_workspace()
        self._place_rows()
        self._plan_memory()
        if self.direction == "forward":
            self.first = self.shape, self.dtype, self.dtypes
        self.objects = ()
        for value in self.values:
            value.given = None
        return self

    def _take_workspace(self) -> None:
        self.room: int | None = None
        given = self.objects[-1]
        if given is None:
            return
        self.workspace.given = found = memory("workspace", given)
        check_writable("workspace", found)
        if found.pointer % 16:
            raise ValueError("workspace is not aligned to 16 bytes; pass a new array")
        self.room = found.nbytes

    def _place_rows(self) -> None:
        """Find the places of the rows of all arrays, and the key of the kernels for them."""
        of_rows = [each for each in self.values if each.part in (ROW, ROW_SCALAR)]
        there = {each.name: each.memory for each in of_rows if each.memory}
        self.places = places(self.shape, there)
        self.wanted = KernelKey(
            self.direction,
            self.shape[-1],
            self.row_type,
            self.parameter_type,
            self.integer_types,
            tuple(self.without),
            # If there is nothing to write, the kernels that save serve both.
            self.saves or not self.row_scalars_made,
        )
        if self.places:
            self.wanted = self.wanted._replace(axes=len(self.places.sizes))

    def where(self, values: Sequence[Value]) -> Shape:
        """Return the numbers that a kernel takes behind its values: the places of rows, if they have gaps."""
        if self.places is None:
            return ()
        dense = {ROW: self.places.rows, ROW_SCALAR: self.places.numbers}
        steps = [self.places.apart.get(each.name) or dense[each.part] for each in values if each.part in dense]
        return (*self.places.sizes, *[step for each in steps for step in each])

    def _plan_memory(self) -> None:
        """Sort arrays by where their memory comes from, and by what they may not overlap."""
        self.new: list[tuple[int, Shape, DType, int]] = []
        self.numbers = [(each.place, self._kind(each)) for each in self.values if type(each.given) is float]
        # Each array that is written, with those that it may not overlap.
        self.apart: list[tuple[int, int, list[tuple[int, int]]]] = []
        there: list[tuple[int, int]] = []
        for value in sorted((*self.values, self.workspace), key=lambda each: each.place):
            found = value.memory
            if found is None:
                continue
            if found.owner is None:
                self.new.append((value.place, found.shape, found.dtype, found.nbytes))
            elif found.nbytes:
                if value.is_result or value is self.workspace:
                    self.apart.append((value.place, found.nbytes, [*there]))
                there.append((value.place, found.nbytes))
        self.known: set[tuple[Any, ...]] = set()
        self.resident = [place for place, _ in there]
        wide = [each.memory for each in self.values if each.part in (ROW, FEATURE)]
        self.vectors = [(each.itemsize, _low_bits(each)) for each in wide if each and each.nbytes]
        # Kernels without rows do not run, so that there is no sum but zero.
        cleared = self._zeros if self.count else [each for each in self.values if each.is_result]
        self.zeros = [(each.place, each.memory.nbytes) for each in cleared if each.memory and each.memory.nbytes]
        # Row scalars begin on boundaries of 256 bytes.
        step = -(-self.count * BYTES[self.computed] // 256) * 256 * self.saves
        self.pieces = [(each.place, number * step) for number, each in enumerate(self.row_scalars_made) if self.saves]
        self.saved_bytes = len(self.pieces) * step

    # ---- in each call

    def spelled(self, place: int) -> str:
        """Return the name of a value in a message."""
        return next(each.name for each in (*self.values, self.workspace) if each.place == place)

    def check_apart(self, values: Sequence[Any]) -> None:
        """Refuse results that overlap arguments or one another.

        Addresses decide, since sizes are those of the plan: addresses that were apart once are apart again.
        """
        key = tuple(values)
        if key in self.known:
            return
        for place, size, others in self.apart:
            start = values[place]
            for other, of in others:
                if values[other] < start + size and start < values[other] + of:
                    raise ValueError(f"{self.spelled(place)} overlaps {self.spelled(other)}; pass another array")
        if len(self.known) >= MOST_PLANS:
            self.known.clear()
        self.known.add(key)

    def check_room(self, needed: int) -> None:
        """Refuse a workspace of fewer bytes."""
        if self.room is not None and self.room < needed:
            raise ValueError(
                f"workspace has {self.room} bytes and {self.direction} needs {needed}; workspace_bytes says how many"
            )


def _changed(name: str) -> ValueError:
    return ValueError(f"saved.{name} does not go with the rest of saved; pass what forward returned, unchanged")


def _low_bits(given: Memory) -> int:
    """Return the address modulo 16 of a row of an array, or what is as aligned as the least aligned of its rows."""
    found = given.pointer
    for size, step in given.axes[:-1]:
        found |= step * given.itemsize if size > 1 else 0
    return found % 16
