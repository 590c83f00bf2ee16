# SPDX-License-Identifier: MIT
"""Call of a layer's kernels: its arguments, checked as far as possible without a device, and its results."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..protocol.calls import DType, Shape
from ..protocol.directions import (
    FEATURE,
    NUMBER,
    ROW,
    ROW_SCALAR,
    DirectionProtocol,
    Entries,
    Entry,
    LayerProtocol,
    computed,
    leading,
)
from ..protocol.interface import Interface
from ..protocol.kernels import KernelTable
from .arrays import (
    ALL_KINDS,
    INTEGER_KINDS,
    KINDS,
    TYPES,
    Memory,
    array,
    check_shape,
    check_type,
    check_writable,
    dtype_of,
    finite,
    memory,
    number_or_array,
    part,
    result,
    row_shape,
)
from .places import RowPlaces, places


@dataclass(frozen=True, eq=False)
class DeviceLayer:
    """Description of a layer for a launcher.

    `takes` has the protocol of each direction, and `directions` its kernels. `Saved` is the class of saved values.
    Kernels are in files of `folder`. `macros` returns the macros of a module from those that a kernel needs; where
    compilation is slow, one module may serve several needs.
    """

    name: str
    Saved: Any
    folder: Path
    minimum_features: int
    takes: Mapping[str, DirectionProtocol]
    directions: Mapping[str, KernelTable]
    macros: Callable[[Sequence[str]], Sequence[str]] = tuple
    plans: dict[Any, Any] = field(default_factory=dict)

    def computed(self, *kinds: str) -> str:
        """Return the compute type for inputs of these types."""
        return KINDS[computed(map(dtype_of, kinds)).str]

    @cached_property
    def inputs(self) -> Entries:
        """Inputs of forward."""
        return self.takes["forward"].inputs

    @cached_property
    def fields(self) -> Entries:
        """Fields of `Saved` after the first three."""
        return self.takes["backward"].fields

    @cached_property
    def saved_constants(self) -> list[tuple[int, str]]:
        """Return the Constants among the saved values, each with its place."""
        return [(place, each.name) for place, each in enumerate(self.fields) if each.kind == "Constant"]


def layer_of(interface: Interface, saved: Any, file: str, directions: Mapping[str, KernelTable]) -> DeviceLayer:
    """Make the description of a layer from its interface and its class `Saved`."""
    return DeviceLayer(
        name=interface["name"],
        Saved=saved,
        folder=Path(file).parent,
        minimum_features=interface["minimum_features"],
        takes=LayerProtocol(interface).directions,
        directions=directions,
    )


class KernelKey(NamedTuple):
    """Properties of a call that choose its kernels.

    `integer_types` are those of arrays of integers, and of inputs that are one integer. Rows lie along so many `axes`,
    or with none one behind the other. Rows in `of_runs`, a set of bits, have one entry for each `run` of so many, and
    results in `by_run` get the sum of each; without any it is 0.
    """

    direction: str
    features: int
    row_type: str
    parameter_type: str
    integer_types: tuple[str, str]
    without: tuple[str, ...]
    saves: bool = True
    axes: int = 0
    run: int = 0
    of_runs: int = 0
    by_run: int = 0


class DeviceCall:
    """Call of a direction: its arrays by name, its results, and the key of its kernels."""

    def __init__(
        self,
        layer: DeviceLayer,
        wanted: KernelKey,
        shape: Shape,
        arrays: dict[str, float | Memory | None],
        row_dtype: DType,
    ) -> None:
        self.layer, self.wanted, self.shape, self.rows = layer, wanted, shape, prod(shape[:-1])
        self.arrays, self.row_dtype = arrays, row_dtype
        self.results: dict[str, Memory | None] = {}
        self.workspace: Memory | None = None
        self.computed = layer.computed(wanted.row_type, wanted.parameter_type)
        self.takes, self.direction = layer.takes[wanted.direction], layer.directions[wanted.direction]
        self.places: RowPlaces | None = None

    def add_results(self, outs: Mapping[str, Any], dtypes: Sequence[DType | None]) -> None:
        """Add the results: the caller's arrays or new ones, of some types; None for an absent result.

        `dtypes` are the types of the inputs of forward.
        """
        kinds = self.takes.result_types(dtypes, [*map(self._array, self.takes.arguments)], self.row_dtype)
        for each, kind in zip(self.takes.results, kinds, strict=True):
            shape = part(each.kind, self.shape)
            may_lie_apart = each.is_per_row and each.symbol not in self.direction.zeros
            row_axes = {ROW: 1, ROW_SCALAR: 0}[each.part] if may_lie_apart else None
            out = outs[f"out {each.symbol}"]
            sums_in = dtype_of(self.computed) if self._may_be_sums(each) else None
            self.results[each.symbol] = result(each.name, out, shape, each.made_in(kind), row_axes, sums_in)

    def place_rows(self) -> None:
        """Find the places of the rows of all arrays, once the results are known."""
        of_rows = {each.symbol: self._array(each) for each in self.takes.reads if each.is_per_row}
        results = [each for each in self.takes.results if each.is_per_row]
        of_rows |= {f"out {each.symbol}": self.results.get(each.symbol) for each in results}
        there = {name: each for name, each in of_rows.items() if isinstance(each, Memory)}
        runs = {each.run: name for name, each in there.items() if each.run > 1}
        if len(runs) > 1:
            (length, one), (others, other) = list(runs.items())[:2]
            raise ValueError(
                f"{_spelled(one)} has runs of {length} entries and {_spelled(other)} of {others}; pass both in runs of "
                "one length"
            )
        self.places = places(self.shape, there)
        if self.places:
            of_runs = {name for name, each in there.items() if each.run > 1}
            self.wanted = self.wanted._replace(
                axes=len(self.places.sizes),
                run=next(iter(runs), 0),
                of_runs=self._bits(self._rows_read, of_runs),
                by_run=self._bits(self._results_of_rows, of_runs),
            )

    def _may_be_sums(self, each: Entry) -> bool:
        """Test whether a result may be added up over the entries of runs: a gradient of rows."""
        return each.part == ROW and not each.cast and bool(self.takes.cotangents)

    @property
    def _rows_read(self) -> list[str]:
        return [each.symbol for each in self.takes.reads if each.part == ROW and not each.is_integer]

    @property
    def _results_of_rows(self) -> list[str]:
        return [f"out {each.symbol}" for each in self.takes.results if each.part == ROW]

    def _bits(self, counted: Sequence[str], names: Container[str]) -> int:
        """Return some of these arrays as a set of bits, by the numbers of those that kernels take."""
        parts = next(iter(self.direction.kernels.values()), "").split(", ")
        taken = [name for name in parts if name in counted]
        return sum(1 << number for number, name in enumerate(taken) if name in names)

    def _array(self, each: Entry) -> float | Memory | None:
        return self.arrays.get(each.symbol)

    def take_workspace(self, workspace: Any) -> None:
        if workspace is None:
            return
        self.workspace = memory("workspace", workspace)
        check_writable("workspace", self.workspace)
        if self.workspace.pointer % 16:
            raise ValueError("workspace is not aligned to 16 bytes; pass a new array")

    def vectors(self) -> list[Memory]:
        """The arrays that kernels read and write by vectors of entries."""
        found = [(each, self._array(each)) for each in self.takes.reads]
        found += [(each, self.results.get(each.symbol)) for each in self.takes.results]
        wide = [value for each, value in found if each.part in (ROW, FEATURE)]
        return [value for value in wide if isinstance(value, Memory) and value.nbytes and value.run == 1]


def forward_call(layer: DeviceLayer, given: Mapping[str, Any], saves: bool) -> DeviceCall:
    """The call of forward that the inputs ask for; `saves` says whether row scalars are written."""
    values = [_argument(each.name, each, given.get(each.symbol)) for each in layer.inputs]
    place = leading(layer.inputs, values)
    first, name = values[place], layer.inputs[place].name
    assert isinstance(first, Memory)
    shape = row_shape(name, first, layer.minimum_features)
    for each, value in zip(layer.inputs, values, strict=True):
        check_shape(each.name, value, part(each.kind, shape), each.meaning(name))
    given_as = {_ROWS: (name, first.kind)}
    for each, value in zip(layer.inputs, values, strict=True):
        if isinstance(value, Memory):
            other, kind = given_as.setdefault(_group(each), (each.name, value.kind))
            check_type(each.name, value, kind, other)
    kinds = {group: kind for group, (_, kind) in given_as.items()}
    numbers = {_group(each) for each, value in zip(layer.inputs, values, strict=True) if type(value) is float}
    if _PARAMETERS in numbers:
        kinds.setdefault(_PARAMETERS, layer.computed(first.kind))
    if _ONE_INTEGER in numbers and kinds.get(_ONE_INTEGER, "i32") not in ("i32", "i64"):
        other, kind = given_as[_ONE_INTEGER]
        raise TypeError(f"{other} is of type {TYPES[kind]}, and another integer is a number; pass {other} in int32")
    arrays = {each.symbol: value for each, value in zip(layer.inputs, values, strict=True)}
    without = tuple(each.symbol for each in layer.inputs if each.may_be_none and arrays[each.symbol] is None)
    wanted = KernelKey("forward", shape[-1], *_in_order(kinds), without, saves)
    return DeviceCall(layer, wanted, shape, arrays, first.dtype)


def later_call(layer: DeviceLayer, direction: str, saved: Any, given: Mapping[str, Any]) -> DeviceCall:
    """Return the call of a direction that follows forward; `given` has its arguments and the saved values, by name."""
    takes = layer.takes[direction]
    arguments = [given[each.symbol] for each in takes.arguments]
    takes.check_any(arguments)
    _check_fields(layer, saved, given)
    shape, dtypes = saved[0], saved[2]
    takes.check_left_out(arguments, dtypes)
    first, kinds = _types(layer, dtypes)
    arrays: dict[str, float | Memory | None] = {}
    for each, argument in zip(takes.arguments, arguments, strict=True):
        value = arrays[each.symbol] = _argument(each.name, each, argument)
        check_shape(each.name, value, part(each.kind, shape), each.meaning(""))
        other = layer.inputs[first] if each.is_per_row else each.owner
        assert other is not None
        check_type(each.name, value, kinds[_group(each)], other.name)
    absent = tuple(name for name, value in arrays.items() if value is None)
    arrays |= _saved_arrays(layer, saved, given, kinds)
    without = tuple(each.symbol for each, kind in zip(layer.inputs, dtypes, strict=True) if kind is None) + absent
    wanted = KernelKey(direction, shape[-1], *_in_order(kinds), without)
    return DeviceCall(layer, wanted, shape, arrays, dtypes[first])


def check_saved(layer: DeviceLayer, saved: Any) -> None:
    """Refuse saved values that no direction could take."""
    given = {each.symbol: value for each, value in zip(layer.fields, saved[3:], strict=True)}
    _check_fields(layer, saved, given)
    _saved_arrays(layer, saved, given, _types(layer, saved[2])[1])


_ROWS, _PARAMETERS, _INTEGERS, _ONE_INTEGER = range(4)
"""Groups of values that kernels read in one type each."""


def _group(each: Entry) -> int:
    if each.is_integer:
        return _ONE_INTEGER if each.part == NUMBER else _INTEGERS
    return _ROWS if each.is_per_row else _PARAMETERS


def _in_order(kinds: Mapping[int, str]) -> tuple[str, str, tuple[str, str]]:
    """Return the types of a `KernelKey`."""
    integers = kinds.get(_INTEGERS, "i32"), kinds.get(_ONE_INTEGER, "i32")
    return kinds[_ROWS], kinds.get(_PARAMETERS, kinds[_ROWS]), integers


def _types(layer: DeviceLayer, dtypes: Sequence[DType | None]) -> tuple[int, dict[int, str]]:
    """Return the place of the first row that is present, and the type of each group."""
    first = leading(layer.inputs, dtypes)
    rows = dtypes[first]
    assert rows is not None
    kinds = {_ROWS: KINDS[rows.str]}
    for each, kind in zip(layer.inputs, dtypes, strict=True):
        if kind is not None:
            kinds.setdefault(_group(each), ALL_KINDS[kind.str])
    kinds.setdefault(_PARAMETERS, kinds[_ROWS])
    return first, kinds


def _saved_arrays(
    layer: DeviceLayer, saved: Any, given: Mapping[str, Any], kinds: Mapping[int, str]
) -> dict[str, float | Memory | None]:
    """Return the saved values by their names in kernels."""
    shape, kind, _ = saved[:3]
    arrays: dict[str, float | Memory | None] = {}
    for each in layer.fields:
        name, value = f"saved.{each.name}", given[each.symbol]
        if each.kind == "Constant":
            arrays[each.symbol] = finite(name, value)
            continue
        found = arrays[each.symbol] = _argument(name, each, value)
        if found is None:  # a group that is left out whole has no type
            continue
        seen, wanted = ("what forward saw",) * 2, kinds[_group(each)]
        if each.kind == "Computed":
            seen, wanted = ("what forward saved", "what was computed"), KINDS[kind.str]
        check_shape(name, found, part(each.kind, shape), seen[0])
        check_type(name, found, wanted, seen[1])
    return arrays


def _check_fields(layer: DeviceLayer, saved: Any, given: Mapping[str, Any]) -> None:
    """Refuse fields of `saved` that do not go together: kernels would read past an array."""
    shape, kind, dtypes = saved[:3]
    if not isinstance(shape, tuple) or not all(type(size) is int and size >= 0 for size in shape):
        raise _changed(saved._fields[0])
    if not shape or shape[-1] < layer.minimum_features:
        raise _changed(saved._fields[0])
    if not isinstance(dtypes, tuple) or len(dtypes) != len(layer.inputs) or not _go_together(layer, dtypes):
        raise _changed(saved._fields[2])
    floats = [dtype for each, dtype in zip(layer.inputs, dtypes, strict=True) if not each.is_integer]
    right = dtype_of(layer.computed(*(KINDS[dtype.str] for dtype in floats if dtype is not None)))
    if not isinstance(kind, np.dtype) or kind != right:
        raise _changed(saved._fields[1])
    for each in layer.fields:
        is_there = each.follows is None or dtypes[each.follows] is not None
        if each.owner in layer.inputs and (given[each.symbol] is not None) != is_there:
            raise _changed(each.name)


def _go_together(layer: DeviceLayer, dtypes: Sequence[Any]) -> bool:
    """Test whether forward takes inputs of these types together."""
    pairs = [*zip(layer.inputs, dtypes, strict=True)]
    if any(kind is None and not each.may_be_none for each, kind in pairs):
        return False
    present = [(each, kind) for each, kind in pairs if kind is not None]
    known = [INTEGER_KINDS if each.is_integer else KINDS for each, _ in present]
    if not all(
        isinstance(kind, np.dtype) and kind.str in names for (_, kind), names in zip(present, known, strict=True)
    ):
        return False
    groups: dict[int, set[str]] = {}
    for each, kind in present:
        groups.setdefault(_group(each), set()).add(kind.str[1:])
    return any(each.kind == "Row" for each, _ in present) and all(len(group) == 1 for group in groups.values())


def _spelled(name: str) -> str:
    """Return the name of an array in a message."""
    return f"out for {name.removeprefix('out ')}" if name.startswith("out ") else name


def _changed(name: str) -> ValueError:
    return ValueError(f"saved.{name} does not go with the rest of saved; pass what forward returned, unchanged")


def _argument(name: str, each: Entry, value: Any) -> float | Memory | None:
    """Return an array, or for a Scalar possibly a number; None stays None for a value that may be absent."""
    if value is None and (each.may_be_none or each.follows is not None):
        return None
    if each.part == NUMBER:
        return number_or_array(name, value, each.is_integer)
    row_axes = {ROW: 1, ROW_SCALAR: 0}.get(each.part)
    return array(name, value, each.is_integer, row_axes)
