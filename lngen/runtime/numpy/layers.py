# SPDX-License-Identifier: MIT
"""Layer on NumPy as its `INTERFACE` describes it: arguments and results of a call, and their checks."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from ..protocol.calls import DType, Shape, check_first_fields, check_is_saved, check_kept, check_number
from ..protocol.directions import CONSTANT, FEATURE, NUMBER, ROW, ROW_SCALAR, Entry, LayerProtocol, shapes
from ..protocol.interface import Interface, labels
from ..protocol.saved import first_fields

Kept = TypeVar("Kept")


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


def expectations(values: Iterable[Entry], first: int = 0) -> list[tuple[int, int, bool, int | None]]:
    """Return what `look` expects of values, from a place on."""
    return [(slot, each.part, not each.may_be_none, each.follows) for slot, each in enumerate(values, first)]


def converted(expected: Sequence[Entry], values: Sequence[Any], dtype: DType) -> list[Any]:
    """Parameters in the type that is computed in, without gaps; rows are converted block by block."""
    return [
        value
        if value is None or each.part in (ROW, ROW_SCALAR)
        else np.ascontiguousarray(value, np.int64 if each.is_integer else dtype)
        if each.part == FEATURE
        else np.asarray(value, np.int64 if each.is_integer else dtype)
        for each, value in zip(expected, values, strict=True)
    ]


class HostLayer(Generic[Kept]):
    """Properties that all directions of a layer share."""

    def __init__(self, interface: Interface, saved: Callable[..., Kept]) -> None:
        self.interface, self.Saved = interface, saved
        self.name, self.minimum_features = interface["name"], interface["minimum_features"]
        self.protocol = protocol = LayerProtocol(interface)
        self.directions = protocol.directions
        """The directions of the layer on rows."""
        self.required = tuple(not each.may_be_none for each in protocol.inputs)
        self.labels = labels(interface)

    def shape_of(self, each: Entry, shape: Shape) -> Shape:
        """Return the shape of a value, given that of the rows as `Saved` has it."""
        return shapes(shape)[each.part]

    def check_saved(self, saved: Any) -> None:
        """Refuse saved values that were changed, and arrays whose shape was changed since."""
        self.check_is_saved(saved)
        check_first_fields(saved, self.required)
        shape, dtypes = saved[0], saved[2]
        # Numbers first: one that is not a number any more may be an array of the wrong shape.
        fields = zip(self.protocol.fields, saved[3:], strict=True)
        for field, value in sorted(fields, key=lambda pair: pair[0].part < NUMBER):
            there = field.follows is None or dtypes[field.follows] is not None
            if field.part < NUMBER:
                check_kept(field.name, value, self.shape_of(field, shape), there, field.is_integer)
            else:
                check_number(field.name, value, there)

    def check_is_saved(self, saved: Any) -> None:
        """Refuse a value that forward of this layer did not return."""
        check_is_saved(saved, self.Saved, self.name)  # type: ignore[arg-type]

    def saved_from(
        self, fields: Sequence[Any], shape: Sequence[int] | None, dtype: Any, dtypes: Mapping[str, Any] | None
    ) -> Kept:
        """Return the saved values of forward, from its fields; arguments that are None are inferred from the fields."""
        saved = self.Saved(*first_fields(self.interface, fields, shape, dtype, dtypes), *fields)
        self.check_saved(saved)
        return saved
