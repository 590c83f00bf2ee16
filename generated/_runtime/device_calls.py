# SPDX-License-Identifier: MIT
"""A call of a layer's kernels: what it is given, checked as far as no device is needed, and what it is to compute."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .calls import DType, Shape
from .device_arrays import (
    KINDS,
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

_PARTS = {
    "Row": "the shape of {rows}",
    "RowScalar": "the shape of {rows} without its last axis",
    "Feature": "(D,)",
    "Scalar": "a number or a 0-d array",
}
_PER_ROW, _PARAMETERS = ("Row", "RowScalar"), ("Feature", "Scalar")


@dataclass(frozen=True, eq=False)
class Direction:
    """What a direction computes, and what its kernels are passed.

    `results` are kinds by name; those of a group of `shared` are one and the same, and `zeros` are zero whatever the
    call. A kernel of `kernels` has the types of its arguments, as `struct` has them with A for the compute type, and
    what is passed: the name of a value, "out" and the results that it writes, "saved" and a row scalar, "the rows". A
    block leaves `sums` over rows, into columns and into scalars.
    """

    results: Mapping[str, str]
    kernels: Mapping[str, tuple[str, tuple[str, ...]]]
    shared: tuple[tuple[str, ...], ...] = ()
    zeros: tuple[str, ...] = ()
    sums: tuple[int, int] = (0, 0)


@dataclass(frozen=True, eq=False)
class Layer:
    """What a launcher has to know of a layer: kinds by name, `Row`, `RowScalar`, `Feature`, `Scalar` or `Constant`.

    `saved` is what backward reads of forward besides the row scalars that forward saves, `Saved` the class that holds
    both. Values of a layer that `is_wide` may leave the range of float32, whatever the types. `macros` is what a module
    is compiled with, given what a kernel needs: where that takes long, one may serve in the place of several.
    """

    name: str
    source: Path
    Saved: Any
    minimum_features: int
    is_wide: bool
    inputs: Mapping[str, str]
    optional: tuple[str, ...]
    constants: tuple[str, ...]
    outputs: Mapping[str, str]
    saved: Mapping[str, str]
    row_scalars: tuple[str, ...]
    forward: Direction
    backward: Direction
    macros: Callable[[Sequence[str]], Sequence[str]] = tuple
    plans: dict[Any, Any] = field(default_factory=dict)

    def computed(self, *kinds: str) -> str:
        """The type to compute in, given those of the inputs."""
        return "f64" if self.is_wide or "f64" in kinds else "f32"

    def named(self, kinds: Sequence[str], among: Iterable[str]) -> list[str]:
        """The inputs of some kinds, among those named."""
        return [name for name in among if self.inputs[name] in kinds]


class Wanted(NamedTuple):
    """What the kernels of a call are chosen by."""

    direction: str
    features: int
    row_type: str
    parameter_type: str
    without: tuple[str, ...]


class Call:
    """A call: its arrays by name, its results, and what its kernels are chosen by."""

    def __init__(
        self, layer: Layer, wanted: Wanted, shape: Shape, arrays: dict[str, float | Memory | None], row_dtype: DType
    ) -> None:
        self.layer, self.wanted, self.shape, self.rows = layer, wanted, shape, prod(shape[:-1])
        self.arrays, self.row_dtype = arrays, row_dtype
        self.results: dict[str, Memory | None] = {}
        self.workspace: Memory | None = None
        self.computed = layer.computed(wanted.row_type, wanted.parameter_type)

    @property
    def direction(self) -> Direction:
        return self.layer.forward if self.wanted.direction == "forward" else self.layer.backward

    def add_results(self, outs: Mapping[str, Any], dtypes: Mapping[str, DType]) -> None:
        """What is computed: the caller's arrays or new ones, None where there is no type."""
        for name, kind in self.direction.results.items():
            self.results[name] = result(name, outs[f"out {name}"], part(kind, self.shape), dtypes.get(name))

    def share(self, names: Sequence[str]) -> None:
        """Let results that are one and the same have one array, but for those in `out`."""
        there = [name for name in names if self.results[name] is not None]
        own = [name for name in there if (given := self.results[name]) and given.owner is not None]
        for name in there:
            if name not in own:
                self.results[name] = self.results[(own or there)[0]]

    def take_workspace(self, workspace: Any) -> None:
        if workspace is None:
            return
        self.workspace = memory("workspace", workspace)
        check_writable("workspace", self.workspace)
        if self.workspace.pointer % 16:
            raise ValueError("workspace is not aligned to 16 bytes; pass a new array")

    def vectors(self) -> list[Memory]:
        """The arrays that kernels read and write by vectors of entries."""
        layer = self.layer
        kinds = {**layer.inputs, **layer.saved, **{f"d{name}": kind for name, kind in layer.outputs.items()}}
        wide = [value for name, value in self.arrays.items() if kinds.get(name) in ("Row", "Feature")]
        shapes = (self.shape, self.shape[-1:])
        found = [value for value in (*wide, *self.results.values()) if isinstance(value, Memory)]
        return [value for value in found if value.nbytes and value.shape in shapes]


def forward_call(layer: Layer, given: Mapping[str, Any]) -> Call:
    """The call of forward that the inputs ask for."""
    arrays = {name: _argument(layer, name, kind, given.get(name)) for name, kind in layer.inputs.items()}
    rows = layer.named(["Row"], layer.inputs)
    leading = next((name for name in rows if arrays[name] is not None), None)
    if leading is None:
        raise TypeError(f"each of {', '.join(rows)} is None; pass one of them")
    first = arrays[leading]
    assert isinstance(first, Memory)
    shape = row_shape(leading, first, layer.minimum_features)
    for name, kind in layer.inputs.items():
        check_shape(name, arrays[name], part(kind, shape), _PARTS[kind].format(rows=leading))
    parameters = layer.named(_PARAMETERS, layer.inputs)
    typed = {name: value for name in parameters if isinstance(value := arrays[name], Memory)}
    for name in layer.inputs:
        other = next(iter(typed)) if name in typed else leading
        check_type(name, arrays[name], typed.get(other, first).kind, other)
    parameter_type = first.kind
    if typed:
        parameter_type = next(iter(typed.values())).kind
    elif any(type(arrays[name]) is float for name in parameters):
        parameter_type = layer.computed(first.kind)
    without = tuple(name for name in layer.optional if arrays[name] is None)
    wanted = Wanted("forward", shape[-1], first.kind, parameter_type, without)
    return Call(layer, wanted, shape, arrays, first.dtype)


def backward_call(layer: Layer, saved: Any, given: Mapping[str, Any]) -> Call:
    """The call of backward that the cotangents ask for; `given` has them and what was saved, by name."""
    cotangents = {f"d{name}": kind for name, kind in layer.outputs.items()}
    if len(cotangents) > 1 and all(given[name] is None for name in cotangents):
        raise ValueError("every cotangent is None; pass at least one")
    _check_fields(layer, saved, given)
    shape, computed, dtypes = saved[:3]
    arrays: dict[str, float | Memory | None] = {}
    for name, kind in cotangents.items():
        one = len(cotangents) == 1 or given[name] is not None
        arrays[name] = array(name, given[name]) if one else None
        check_shape(name, arrays[name], part(kind, shape), f"the shape of {name.removeprefix('d')}")
    absent = tuple(name for name, value in arrays.items() if value is None)
    leading = layer.named(["Row"], (name for name in layer.inputs if name in dtypes))[0]
    row_type = KINDS[dtypes[leading].str]
    parameters = layer.named(_PARAMETERS, (name for name in layer.inputs if name in dtypes))
    parameter_type = KINDS[dtypes[parameters[0]].str] if parameters else row_type
    for name, value in arrays.items():
        check_type(name, value, row_type, leading)
    for name, kind in layer.saved.items():
        if kind == "Constant":
            arrays[name] = finite(f"saved.{name}", given[name])
            continue
        value = _argument(layer, name, kind, given[name], "saved.")
        check_shape(f"saved.{name}", value, part(kind, shape), "what forward saw")
        check_type(f"saved.{name}", value, row_type if kind in _PER_ROW else parameter_type, "what forward saw")
        arrays[name] = value
    for name in map(saved_name, layer.row_scalars):
        spelled = name.replace(" ", ".")
        value = array(spelled, given[name])
        check_shape(spelled, value, shape[:-1], "what forward saved")
        check_type(spelled, value, KINDS[computed.str], "what was computed")
        arrays[name] = value
    without = tuple(name for name in layer.optional if name not in dtypes) + absent
    wanted = Wanted("backward", shape[-1], row_type, parameter_type, without)
    return Call(layer, wanted, shape, arrays, dtypes[leading])


def saved_name(row_scalar: str) -> str:
    """The row scalar that is saved, beside an input of that name."""
    return f"saved {row_scalar}"


def _check_fields(layer: Layer, saved: Any, given: Mapping[str, Any]) -> None:
    """Refuse fields of `saved` that do not go together: kernels would read past an array."""
    shape, computed, dtypes = saved[:3]
    if not isinstance(shape, tuple) or not all(type(size) is int and size >= 0 for size in shape):
        raise _changed(saved._fields[0])
    if not shape or shape[-1] < layer.minimum_features:
        raise _changed(saved._fields[0])
    if not _are_types_of(layer, dtypes):
        raise _changed(saved._fields[2])
    right = dtype_of(layer.computed(*(KINDS[dtype.str] for dtype in dtypes.values())))
    if not isinstance(computed, np.dtype) or computed != right:
        raise _changed(saved._fields[1])
    for name in layer.saved:
        if name in layer.inputs and (given[name] is None) == (name in dtypes):
            raise _changed(name)


def _are_types_of(layer: Layer, dtypes: Any) -> bool:
    """Whether these are types by name of inputs that forward takes together."""
    if not isinstance(dtypes, dict) or not set(layer.inputs) - set(layer.optional) <= set(dtypes) <= set(layer.inputs):
        return False
    if not all(isinstance(dtype, np.dtype) and dtype.str in KINDS for dtype in dtypes.values()):
        return False
    groups = [{dtypes[name].str[1:] for name in layer.named(kinds, dtypes)} for kinds in (_PER_ROW, _PARAMETERS)]
    return bool(layer.named(["Row"], dtypes)) and all(len(group) <= 1 for group in groups)


def _changed(name: str) -> ValueError:
    return ValueError(f"saved.{name} does not go with the rest of saved; pass what forward returned, unchanged")


def _argument(layer: Layer, name: str, kind: str, value: Any, prefix: str = "") -> float | Memory | None:
    """An input, or what was saved of it: None stays None for what may be left out."""
    if value is None and name in layer.optional:
        return None
    read = number_or_array if kind == "Scalar" else array
    return read(f"{prefix}{name}", value)
