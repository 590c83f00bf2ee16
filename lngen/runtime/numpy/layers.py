# SPDX-License-Identifier: MIT
"""Layer on NumPy as its `INTERFACE` describes it: arguments and results of a call, and their checks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from ..protocol.calls import (
    DType,
    Shape,
    check_first_fields,
    check_is_saved,
    check_kept,
    check_number,
)
from ..protocol.interface import Interface, labels
from ..protocol.saved import first_fields

Kept = TypeVar("Kept")

ROW, ROW_SCALAR, FEATURE, NUMBER, CONSTANT = range(5)
_PARTS = {"Row": ROW, "RowScalar": ROW_SCALAR, "Feature": FEATURE, "Scalar": NUMBER, "Data": ROW}


class Value(NamedTuple):
    """Array or number of a call.

    `part` is its place in `shapes`, or CONSTANT. `of` is the input or the output that it belongs to. `follows` is the
    place of an input: if that is absent, this value has to be None. Otherwise it has to be present if it is `required`.
    """

    name: str
    part: int
    of: str
    required: bool
    follows: int | None = None


def shapes(shape: Shape) -> tuple[Shape, ...]:
    """The shapes of a row, a row scalar, a feature and a number, where the rows have this shape."""
    return shape, shape[:-1], shape[-1:], ()


def look(
    expected: Sequence[tuple[int, int, bool, int | None]],
    values: Sequence[Any],
    shape: Shape,
    dtype: DType,
    dtypes: Sequence[DType | None],
) -> int:
    """Count the absent values, or return -1 if a value is not a dense array of its shape and this type.

    An `expected` value is its place, its shape, a flag for required, and the input that it follows. `dtypes` has None
    for an absent input.
    """
    parts: Sequence[Shape] = ()
    absent = 0
    for slot, part, required, follows in expected:
        value = values[slot]
        if value is None:
            if required and (follows is None or dtypes[follows] is not None):
                return -1
            absent += 1
        elif type(value) is np.ndarray:
            parts = parts or (*shapes(shape), ())
            if value.shape != parts[part] or value.dtype != dtype or not value.flags.c_contiguous:
                return -1
            if follows is not None and dtypes[follows] is None:
                return -1
        elif part != CONSTANT or type(value) is not float:
            return -1
    return absent


def expectations(values: Iterable[Value], first: int = 0) -> list[tuple[int, int, bool, int | None]]:
    """Return what `look` expects of values, from a place on."""
    return [(slot, each.part, each.required, each.follows) for slot, each in enumerate(values, first)]


def converted(expected: Sequence[Value], values: Sequence[Any], dtype: DType) -> list[Any]:
    """Parameters in the type that is computed in, without gaps; rows are converted block by block."""
    return [
        value
        if value is None or part in (ROW, ROW_SCALAR)
        else np.ascontiguousarray(value, dtype)
        if part == FEATURE
        else np.asarray(value, dtype)
        for (_, part, *_), value in zip(expected, values, strict=True)
    ]


def are_any(values: Sequence[Any]) -> bool:
    """Test whether a value is present, or no value is expected."""
    return not values or any(value is not None for value in values)


class HostLayer(Generic[Kept]):
    """Properties that all directions of a layer share; values of one that `is_wide` may leave the range of float32."""

    def __init__(self, interface: Interface, saved: Callable[..., Kept], *, is_wide: bool = False) -> None:
        self.interface, self.Saved, self.is_wide = interface, saved, is_wide
        self.name, self.minimum_features = interface["name"], interface["minimum_features"]
        self.inputs = [
            Value(given["name"], _PARTS[given["kind"]], given["name"], given["default"] is None)
            for given in interface["inputs"]
        ]
        self.constants = [Value(given["name"], CONSTANT, given["name"], True) for given in interface["constants"]]
        self.outputs = [
            Value(output["name"], _PARTS[output["kind"]], output["name"], True) for output in interface["outputs"]
        ]
        self.required = tuple(given.required for given in self.inputs)
        kinds = [given["kind"] for given in interface["inputs"]]
        self.rows = [slot for slot, kind in enumerate(kinds) if kind == "Row"]
        self.labels = labels(interface)
        self.differentiable = [slot for slot, kind in enumerate(kinds) if kind != "Data"]
        known = {("input", given.name): given for given in self.inputs}
        known |= {("output", output.name): output for output in self.outputs}
        known |= {("constant", given.name): given for given in self.constants}
        slots = {given.name: slot for slot, given in enumerate(self.inputs)}
        self.fields = []
        for field in interface["saved"]:
            of = known.get((field["kind"], field["of"])) or Value("", ROW_SCALAR, field["of"], True)
            self.fields.append(Value(field["name"], of.part, of.of, True, None if of.required else slots[of.name]))
        self.row_scalars = [field["name"] for field in interface["saved"] if field["kind"] == "row scalar"]

    def stored(self, dtypes: Sequence[DType | None]) -> DType:
        """Return the type of the rows that forward was given, from the types of all inputs."""
        return next(kind for slot in self.rows if (kind := dtypes[slot]) is not None)

    def check_saved(self, saved: Any) -> None:
        """Refuse saved values that were changed, and arrays whose shape was changed since."""
        self.check_is_saved(saved)
        check_first_fields(saved, self.required)
        parts, dtypes = shapes(saved[0]), saved[2]
        # Numbers first: one that is not a number any more may be an array of the wrong shape.
        for field, value in sorted(zip(self.fields, saved[3:], strict=True), key=lambda pair: pair[0].part < NUMBER):
            there = field.follows is None or dtypes[field.follows] is not None
            if field.part < NUMBER:
                check_kept(field.name, value, parts[field.part], there)
            else:
                check_number(field.name, value, there)

    def check_is_saved(self, saved: Any) -> None:
        """Refuse a value that forward of this layer did not return."""
        check_is_saved(saved, self.Saved, self.name)  # type: ignore[arg-type]

    def saved_from(
        self, fields: Sequence[Any], shape: Sequence[int] | None, dtype: Any, dtypes: Mapping[str, Any] | None
    ) -> Kept:
        """Return the saved values of forward, from its fields; arguments that are None are inferred from the fields."""
        saved = self.Saved(*first_fields(self.interface, fields, shape, dtype, dtypes, self.is_wide), *fields)
        self.check_saved(saved)
        return saved
