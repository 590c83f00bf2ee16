# SPDX-License-Identifier: MIT
"""Inference of the first three fields of `Saved` from its arrays."""

from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from .calls import DType, Shape, computed, shape_and_type
from .interface import INTEGERS, Interface


def first_fields(
    interface: Interface,
    fields: Sequence[Any],
    shape: Sequence[int] | None,
    dtype: Any,
    dtypes: Mapping[str, Any] | None,
    look: Callable[[str, Any], tuple[Shape, DType]] = shape_and_type,
) -> tuple[Shape, DType, tuple[DType | None, ...]]:
    """Return the shape of the rows, the compute type, and the type of each input or None, inferred if not given.

    `look` returns the shape and the type of a field.
    """
    if shape is None and "layout" in interface:
        names = " ".join(name for axis in interface["layout"]["pattern"] for name in axis)
        raise TypeError(f"shape is None; pass the sizes of the axes {names}")
    there = [
        (field, *look(f"saved.{field['name']}", value))
        for field, value in zip(interface["saved"], fields, strict=True)
        if value is not None and field["kind"] != "constant"
    ]
    integers = {each["name"] for each in interface["inputs"] if each["kind"] in INTEGERS}
    rows = [(own_shape, kind) for field, own_shape, kind in there if len(field["axes"]) == 2]
    if shape is None:
        if not rows:
            raise TypeError("shape is None, and no field has the shape of the rows; pass shape")
        shape = rows[0][0]
    # A number has no say in what forward computes in.
    numbers = {field["of"] for field, value in zip(interface["saved"], fields, strict=True) if isinstance(value, Real)}
    of_floats = [(field, kind) for field, _, kind in there if field["of"] not in integers]
    stored = [kind for field, kind in of_floats if len(field["axes"]) == 2]
    stored += [kind for field, kind in of_floats if field["kind"] == "input" and field["axes"] == ["..."]]
    types = {field["of"]: kind for field, _, kind in there if field["kind"] == "input"}
    # NumPy takes None for float64.
    said = {name: kind for name, kind in (dtypes or {}).items() if kind is not None}
    types |= {name: _dtype(f"dtypes[{name!r}]", kind) for name, kind in said.items()}
    known = [given["name"] for given in interface["inputs"]]
    for name in types:
        if name not in known:
            raise ValueError(f"dtypes has {name}; pass types of {', '.join(known)}")
    for given in interface["inputs"]:
        if given["name"] not in types and given["default"] is None:
            if not stored:
                raise TypeError(f"dtypes lacks {given['name']}, and no field tells it; pass dtypes")
            types[given["name"]] = stored[0]
    if dtype is not None:
        kind = _dtype("dtype", dtype)
    else:
        row_scalars = [kind for field, _, kind in there if field["kind"] == "row scalar"]
        kinds = row_scalars[:1] or [kind for name, kind in types.items() if name not in numbers | integers]
        kind = computed(kinds)
    return tuple(shape), kind, tuple(types.get(name) for name in known)


def _dtype(name: str, value: Any) -> DType:
    try:
        found: DType = np.dtype(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; pass a type of floats, such as np.float32") from None
    return found
