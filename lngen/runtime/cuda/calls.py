# SPDX-License-Identifier: MIT
"""Call of a layer's kernels: its arguments, checked as far as possible without a device, and its results."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..protocol.calls import DType, Shape, check_left_out
from ..protocol.interface import PARAMETERS, PER_ROW, Interface
from .arrays import (
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
    "Data": "the shape of {rows}",
}


@dataclass(frozen=True, eq=False)
class DeviceDirection:
    """Arguments, results and kernels of a direction.

    `arguments` and `results` map each name to its owner: the cotangent `dy` belongs to the output `y`, the tangent or
    the gradient `dx` to the input `x`, the gradient `ddy` to the cotangent `dy`. Arguments of forward are its inputs,
    and those of other directions come after the saved values. The results in `zeros` are always zero. `kernels` lists
    the values that each kernel of the file `source` takes: a name, "out" and a result that it writes, "saved" and a row
    scalar, or "the rows". `sums` counts the partial sums over rows that a block leaves, of columns and of scalars.
    """

    source: str
    results: Mapping[str, str]
    kernels: Mapping[str, str]
    arguments: Mapping[str, str] = field(default_factory=dict)
    zeros: tuple[str, ...] = ()
    sums: tuple[int, int] = (0, 0)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The results, in their order."""
        return tuple(self.results)


@dataclass(frozen=True, eq=False)
class DeviceLayer:
    """Description of a layer for a launcher.

    Kinds are `Row`, `RowScalar`, `Feature`, `Scalar`, `Data` or `Constant`, by name. `saved` are the values that other
    directions read, with "computed" for a row scalar that forward saves; `Saved` is the class that holds them. Kernels
    are in files of `folder`. Values of a layer that `is_wide` may leave the range of float32, whatever the types.
    `macros` returns the macros of a module from those that a kernel needs; where compilation is slow, one module may
    serve several needs.
    """

    name: str
    Saved: Any
    folder: Path
    minimum_features: int
    is_wide: bool
    inputs: Mapping[str, str]
    optional: tuple[str, ...]
    constants: tuple[str, ...]
    outputs: Mapping[str, str]
    saved: Mapping[str, str]
    directions: Mapping[str, DeviceDirection]
    macros: Callable[[Sequence[str]], Sequence[str]] = tuple
    plans: dict[Any, Any] = field(default_factory=dict)

    def computed(self, *kinds: str) -> str:
        """Return the compute type for inputs of these types."""
        return "f64" if self.is_wide or "f64" in kinds else "f32"

    @cached_property
    def row_scalars(self) -> list[str]:
        """The row scalars that forward saves."""
        return [name for name, kind in self.saved.items() if kind == "computed"]

    @cached_property
    def saved_constants(self) -> list[tuple[int, str]]:
        """Return the Constants among the saved values, each with its place."""
        return [(place, name) for place, (name, kind) in enumerate(self.saved.items()) if kind == "Constant"]

    def named(self, kinds: Sequence[str], among: Iterable[str]) -> list[str]:
        """The inputs of some kinds, among those named."""
        return [name for name in among if self.inputs[name] in kinds]

    def kinds(self, direction: DeviceDirection) -> dict[str, str]:
        """The kind of all that a direction reads or computes, by name."""
        found = {**self.saved, **self.inputs, **self.outputs}
        for name, of in (*direction.arguments.items(), *direction.results.items()):
            found[name] = found[of]
        return found


def layer_of(
    interface: Interface, saved: Any, file: str, is_wide: bool, directions: Mapping[str, DeviceDirection]
) -> DeviceLayer:
    """Make the description of a layer from its interface and its class `Saved`, with the names of kernels."""
    inputs = {given["symbol"]: str(given["kind"]) for given in interface["inputs"]}
    outputs = {output["symbol"]: str(output["kind"]) for output in interface["outputs"]}
    known = inputs | outputs
    return DeviceLayer(
        name=interface["name"],
        Saved=saved,
        folder=Path(file).parent,
        minimum_features=interface["minimum_features"],
        is_wide=is_wide,
        inputs=inputs,
        optional=tuple(given["symbol"] for given in interface["inputs"] if given["default"] is not None),
        constants=tuple(given["symbol"] for given in interface["constants"]),
        outputs=outputs,
        saved={
            field["name"]: {"row scalar": "computed", "constant": "Constant"}.get(field["kind"]) or known[field["name"]]
            for field in interface["saved"]
        },
        directions=directions,
    )


class KernelKey(NamedTuple):
    """Properties of a call that choose its kernels."""

    direction: str
    features: int
    row_type: str
    parameter_type: str
    without: tuple[str, ...]
    saves: bool = True


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
        self.kinds = layer.kinds(self.direction)

    @property
    def direction(self) -> DeviceDirection:
        return self.layer.directions[self.wanted.direction]

    def add_results(self, outs: Mapping[str, Any], dtypes: Mapping[str, DType]) -> None:
        """Add the results: the caller's arrays or new ones, in the types of their owners.

        A result is None if its owner is absent.
        """
        for name, of in self.direction.results.items():
            shape = part(self.kinds[name], self.shape)
            self.results[name] = result(name, outs[f"out {name}"], shape, dtypes.get(of))

    def take_workspace(self, workspace: Any) -> None:
        if workspace is None:
            return
        self.workspace = memory("workspace", workspace)
        check_writable("workspace", self.workspace)
        if self.workspace.pointer % 16:
            raise ValueError("workspace is not aligned to 16 bytes; pass a new array")

    def vectors(self) -> list[Memory]:
        """The arrays that kernels read and write by vectors of entries."""
        found = (*self.arrays.items(), *self.results.items())
        wide = [value for name, value in found if self.kinds.get(name) in ("Row", "Data", "Feature")]
        return [value for value in wide if isinstance(value, Memory) and value.nbytes]


def forward_call(layer: DeviceLayer, given: Mapping[str, Any], saves: bool) -> DeviceCall:
    """The call of forward that the inputs ask for; `saves` says whether row scalars are written."""
    arrays = {
        name: _argument(name, kind, given.get(name), name in layer.optional) for name, kind in layer.inputs.items()
    }
    rows = layer.named(["Row"], layer.inputs)
    leading = next((name for name in rows if arrays[name] is not None), None)
    if leading is None:
        raise TypeError(f"each of {', '.join(rows)} is None; pass one of them")
    first = arrays[leading]
    assert isinstance(first, Memory)
    shape = row_shape(leading, first, layer.minimum_features)
    for name, kind in layer.inputs.items():
        check_shape(name, arrays[name], part(kind, shape), _PARTS[kind].format(rows=leading))
    parameters = layer.named(PARAMETERS, layer.inputs)
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
    wanted = KernelKey("forward", shape[-1], first.kind, parameter_type, without, saves)
    return DeviceCall(layer, wanted, shape, arrays, first.dtype)


def later_call(layer: DeviceLayer, direction: str, saved: Any, given: Mapping[str, Any]) -> DeviceCall:
    """Return the call of a direction that follows forward; `given` has its arguments and the saved values, by name."""
    arguments = layer.directions[direction].arguments
    _check_any(layer, direction, given)
    _check_fields(layer, saved, given)
    shape, dtypes = saved[0], types_of(layer, saved)
    leading, row_type, parameter_type = _types(layer, dtypes)
    kinds = layer.kinds(layer.directions[direction])
    arrays: dict[str, float | Memory | None] = {}
    for name, of in arguments.items():
        check_left_out(name, given[name], of, of in dtypes or of in layer.outputs)
        may_be_none = of in layer.inputs or len(layer.outputs) > 1
        arrays[name] = _argument(name, kinds[name], given[name], may_be_none)
        check_shape(name, arrays[name], part(kinds[name], shape), f"the shape of {of}")
        per_row = kinds[name] in PER_ROW
        check_type(name, arrays[name], row_type if per_row else parameter_type, leading if per_row else of)
    absent = tuple(name for name in arguments if arrays[name] is None)
    arrays |= _saved_arrays(layer, saved, given, row_type, parameter_type)
    without = tuple(name for name in layer.optional if name not in dtypes) + absent
    return DeviceCall(
        layer, KernelKey(direction, shape[-1], row_type, parameter_type, without), shape, arrays, dtypes[leading]
    )


def check_saved(layer: DeviceLayer, saved: Any) -> None:
    """Refuse saved values that no direction could take."""
    names = (saved_name(name) if kind == "computed" else name for name, kind in layer.saved.items())
    given = dict(zip(names, saved[3:], strict=True))
    _check_fields(layer, saved, given)
    _saved_arrays(layer, saved, given, *_types(layer, types_of(layer, saved))[1:])


def types_of(layer: DeviceLayer, saved: Any) -> dict[str, DType]:
    """The types of the inputs that forward was given."""
    return {name: kind for name, kind in zip(layer.inputs, saved[2], strict=True) if kind is not None}


def _types(layer: DeviceLayer, dtypes: Mapping[str, DType]) -> tuple[str, str, str]:
    """Return the first row that is present, the type of rows and that of parameters."""
    present = [name for name in layer.inputs if name in dtypes]
    leading = layer.named(["Row"], present)[0]
    parameters = layer.named(PARAMETERS, present)
    row_type = KINDS[dtypes[leading].str]
    return leading, row_type, KINDS[dtypes[parameters[0]].str] if parameters else row_type


def _saved_arrays(
    layer: DeviceLayer, saved: Any, given: Mapping[str, Any], row_type: str, parameter_type: str
) -> dict[str, float | Memory | None]:
    """Return the saved values by their names in kernels."""
    shape, computed, _ = saved[:3]
    arrays: dict[str, float | Memory | None] = {}
    for name, kind in layer.saved.items():
        if kind == "Constant":
            arrays[name] = finite(f"saved.{name}", given[name])
            continue
        if kind == "computed":
            row_scalar = array(f"saved.{name}", given[saved_name(name)])
            check_shape(f"saved.{name}", row_scalar, shape[:-1], "what forward saved")
            check_type(f"saved.{name}", row_scalar, KINDS[computed.str], "what was computed")
            arrays[saved_name(name)] = row_scalar
            continue
        value = _argument(f"saved.{name}", kind, given[name], name in layer.optional)
        check_shape(f"saved.{name}", value, part(kind, shape), "what forward saw")
        check_type(f"saved.{name}", value, row_type if kind in PER_ROW else parameter_type, "what forward saw")
        arrays[name] = value
    return arrays


def _check_any(layer: DeviceLayer, direction: str, given: Mapping[str, Any]) -> None:
    """Refuse a call without any cotangent, or without any argument that belongs to an input."""
    arguments = layer.directions[direction].arguments
    cotangents = [name for name, of in arguments.items() if of in layer.outputs]
    others = [name for name in arguments if name not in cotangents]
    if len(cotangents) > 1 and all(given[name] is None for name in cotangents):
        raise ValueError("every cotangent is None; pass at least one")
    if others and all(given[name] is None for name in others):
        kind = "cotangent of a gradient" if cotangents else "tangent"
        raise ValueError(f"every {kind} is None; pass at least one")


def saved_name(row_scalar: str) -> str:
    """The row scalar that is saved, beside an input of that name."""
    return f"saved {row_scalar}"


def _check_fields(layer: DeviceLayer, saved: Any, given: Mapping[str, Any]) -> None:
    """Refuse fields of `saved` that do not go together: kernels would read past an array."""
    shape, computed, dtypes = saved[:3]
    if not isinstance(shape, tuple) or not all(type(size) is int and size >= 0 for size in shape):
        raise _changed(saved._fields[0])
    if not shape or shape[-1] < layer.minimum_features:
        raise _changed(saved._fields[0])
    if not isinstance(dtypes, tuple) or len(dtypes) != len(layer.inputs):
        raise _changed(saved._fields[2])
    dtypes = types_of(layer, saved)
    if not _go_together(layer, dtypes):
        raise _changed(saved._fields[2])
    right = dtype_of(layer.computed(*(KINDS[dtype.str] for dtype in dtypes.values())))
    if not isinstance(computed, np.dtype) or computed != right:
        raise _changed(saved._fields[1])
    for name in layer.saved:
        if name in layer.inputs and (given[name] is None) == (name in dtypes):
            raise _changed(name)


def _go_together(layer: DeviceLayer, dtypes: Mapping[str, Any]) -> bool:
    """Test whether forward takes inputs of these types, given by name, together."""
    if not set(layer.inputs) - set(layer.optional) <= set(dtypes):
        return False
    if not all(isinstance(dtype, np.dtype) and dtype.str in KINDS for dtype in dtypes.values()):
        return False
    groups = [{dtypes[name].str[1:] for name in layer.named(kinds, dtypes)} for kinds in (PER_ROW, PARAMETERS)]
    return bool(layer.named(["Row"], dtypes)) and all(len(group) <= 1 for group in groups)


def _changed(name: str) -> ValueError:
    return ValueError(f"saved.{name} does not go with the rest of saved; pass what forward returned, unchanged")


def _argument(name: str, kind: str, value: Any, may_be_none: bool) -> float | Memory | None:
    """Return an array, or for a Scalar possibly a number; None stays None for an optional argument."""
    if value is None and may_be_none:
        return None
    return number_or_array(name, value) if kind == "Scalar" else array(name, value)
