"""Sizes of a layer's rows from the shape of its first array, whose axes may have names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, cast

from lngen.emit.description import layout_entry
from lngen.errors import LngenError
from lngen.language.axes import Pattern
from lngen.language.definition import Definition
from lngen.runtime.protocol.axes import Arrangement
from lngen.runtime.protocol.interface import Interface

_FIRST, _MIDDLE, _LAST = 32, 16, 768
EXAMPLE_SHAPE = (_FIRST, 512, _LAST)


@dataclass(frozen=True)
class RowSizes:
    """The number of rows, the entries of each, and the entries along each axis that has a name."""

    rows: int
    features: int
    axes: Mapping[str, int]


def first_array(definition: Definition) -> tuple[str, Pattern | None]:
    """The name of the first array and its axes, if they have names."""
    first = definition.rows[0]
    whole = definition.whole(first.name)
    return (definition.public(first.name), first.pattern) if whole is None else (whole.name, whole.pattern)


def example_shape(definition: Definition) -> tuple[int, ...]:
    """A shape of the first array as models have it.

    >>> from lngen.language.parsing import parse
    >>> example_shape(parse('def f(x: Array["n (g c) h w"], g: Size = 4): return mean(x, "c h w")'))
    (32, 64, 16, 768)
    """
    layout = definition.layout
    if layout is None:
        return EXAMPLE_SHAPE
    several = _FIRST, *[_MIDDLE] * (len(layout.pattern.names) - 2), _LAST
    sizes = EXAMPLE_SHAPE if len(several) == len(EXAMPLE_SHAPE) else several
    of_axes = {name: (size,) for name, size in zip(layout.pattern.names, sizes, strict=False)}
    of_axes |= {size.name: (size.default,) for size in definition.sizes if size.default and size.name in of_axes}
    found = _arrangement(definition)
    _, pattern = first_array(definition)
    assert pattern is not None
    return found.shape([list(axis) for axis in pattern.axes], {**of_axes, **found.counts})


def row_sizes(definition: Definition, shape: Sequence[int]) -> RowSizes:
    """Return the sizes that a shape of the first array tells. Raises LngenError for one that is not of its axes."""
    layout = definition.layout
    if layout is None:
        *leading, features = shape
        return RowSizes(prod(leading), features, {})
    for size in definition.sizes:
        if size.default is None:
            raise LngenError(
                f"the shape tells no size of the axis {size.name}; give it one in the definition: {size.name}: Size = 8"
            )
    name, _ = first_array(definition)
    found = _arrangement(definition)
    try:
        sizes = found.sizes({name: tuple(shape)}, {size.name: size.default for size in definition.sizes})
    except ValueError as error:
        raise LngenError(str(error)) from None
    *leading, features = found.row_shape(sizes)
    return RowSizes(prod(leading), features, {axis: prod(sizes[axis]) for axis in (*layout.pattern.names, *sizes)})


def _arrangement(definition: Definition) -> Arrangement:
    name, pattern = first_array(definition)
    assert definition.layout is not None
    assert pattern is not None
    counts = {each.axis: len(each.names) for each in definition.parts}
    interface: dict[str, Any] = {
        "layout": layout_entry(definition.layout, definition.sizes, counts),
        "inputs": [{"name": name, "pattern": [list(axis) for axis in pattern.axes]}],
        "outputs": [],
    }
    return Arrangement(cast(Interface, interface))
