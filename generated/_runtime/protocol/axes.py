# SPDX-License-Identifier: MIT
"""Arrays whose axes have names, as rows: how each lies beside the rows of a layer, for arrays of any library.

The features of a row are the entries along some axes, and the other axes number the rows. To *arrange* an array is to
put its axes in the order of rows and then features, and to broadcast it over those that it lacks.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import prod
from typing import Any, NamedTuple

from .interface import Interface, Pattern

Shape = tuple[int, ...]
Sizes = dict[str, Shape]
"""The sizes of axes by name; "..." has any number of them, every other name one."""

REST = "..."
"""Name of the axes that a pattern does not name, of which there may be any number."""


def written(pattern: Iterable[Sequence[str]]) -> str:
    """Return a pattern as a definition has it.

    >>> written([["n"], ["g", "c"], ["..."]])
    'n (g c) ...'
    """
    return " ".join(axis[0] if len(axis) == 1 else f"({' '.join(axis)})" for axis in pattern)


class Arranged(NamedTuple):
    """Arrangement of an array beside rows.

    It is `split` into one axis a name, and its axes are put in the `order` of rows and features. Axes of size 1 in
    `spread` stand for those that it lacks. Then it is broadcast to `rows` and `features`, in which `lacks` are places.
    """

    split: Shape
    order: Shape
    spread: Shape
    rows: Shape
    features: Shape
    lacks: Shape

    @property
    def shape(self) -> Shape:
        """The shape of the array that is broadcast."""
        return (*self.rows, *self.features)

    @property
    def inverse(self) -> Shape:
        """The order that puts the axes back."""
        return tuple([self.order.index(place) for place in range(len(self.order))])


class Arrangement:
    """Axes of the arrays of a layer: those of its inputs, by name, and those of its outputs."""

    def __init__(self, interface: Interface) -> None:
        layout = interface["layout"]
        self.pattern, self.features = layout["pattern"], layout["features"]
        self.sizes_given = [each["name"] for each in layout["sizes"]]
        self.names = [*chain.from_iterable(self.pattern)]
        self.rows = [name for name in self.names if name not in self.features]
        self.patterns: dict[str, Pattern] = {
            each["name"]: each["pattern"] for each in interface["inputs"] if "pattern" in each
        }
        of_rows: Pattern = [[name] for name in self.rows]
        for output in interface["outputs"]:
            self.patterns[output["name"]] = self.pattern if output["kind"] == "Row" else of_rows
        self.computed = of_rows

    # ---- sizes

    def sizes(self, shapes: Mapping[str, Shape], given: Mapping[str, Any]) -> Sizes:
        """Return the sizes of all axes from the shapes of the arrays that are present.

        Raises ValueError if two arrays disagree, or if one has a shape that is not of its pattern.
        """
        found: Sizes = {}
        for name in self.sizes_given:
            found[name] = (_count(name, given.get(name)),)
        known = {name: (self.patterns[name], shape) for name, shape in shapes.items() if name in self.patterns}
        for name, (pattern, shape) in known.items():
            for axis, size in self._paired(name, pattern, shape):
                if len(axis) == 1:
                    self._agreed(name, shape, axis[0], size, found)
        for name, (pattern, shape) in known.items():
            for axis, size in self._paired(name, pattern, shape):
                if len(axis) > 1:
                    self._divided(name, shape, axis, size[0], found)
        if self.features == [REST] and found.get(REST) == ():
            name, (pattern, shape) = next((name, of) for name, of in known.items() if [REST] in of[0])
            raise ValueError(f"{name} has shape {shape}; pass ({written(pattern)}), with one axis or more for ...")
        return found

    def _paired(self, name: str, pattern: Pattern, shape: Shape) -> Iterator[tuple[Sequence[str], Shape]]:
        """The axes of an array with their sizes."""
        rest = len(shape) - len(pattern) + ([REST] in pattern)
        if rest < 0 or ([REST] not in pattern and len(shape) != len(pattern)):
            raise ValueError(f"{name} has shape {shape}; pass an array with the axes {written(pattern)}")
        place = 0
        for axis in pattern:
            count = rest if axis == [REST] else 1
            yield axis, shape[place : place + count]
            place += count

    def _agreed(self, name: str, shape: Shape, axis: str, size: Shape, found: Sizes) -> None:
        if found.setdefault(axis, size) != size:
            there = ", ".join(map(str, found[axis])) or "none"
            raise ValueError(
                f"{name} has shape {shape}; pass ({written(self.patterns[name])}), where {axis} is {there} elsewhere"
            )

    def _divided(self, name: str, shape: Shape, axis: Sequence[str], size: int, found: Sizes) -> None:
        unknown = [each for each in axis if each not in found]
        known = prod([found[each][0] for each in axis if each in found])
        parts = " times ".join(f"{each} = {found[each][0]}" for each in axis if each in found)
        if unknown:
            if known == 0 or size % known:
                raise ValueError(
                    f"{name} has shape {shape}, and {parts} does not divide its axis ({' '.join(axis)}) of {size}"
                )
            found[unknown[0]] = (size // known,)
        elif known != size:
            raise ValueError(f"{name} has shape {shape}; pass ({' '.join(axis)}) of {known} entries, which is {parts}")

    def flat(self, sizes: Sizes) -> Shape:
        """Return the sizes of the axes of the rows, one a name."""
        return tuple(chain.from_iterable(sizes[name] for name in self.names))

    def sizes_of(self, flat: Sequence[int]) -> Sizes:
        """Return the sizes of axes from those of the rows, as `flat` has them."""
        rest = len(flat) - len(self.names) + 1
        found: Sizes = {}
        place = 0
        for name in self.names:
            count = rest if name == REST else 1
            found[name] = tuple(flat[place : place + count])
            place += count
        return found

    # ---- shapes

    def shape(self, pattern: Pattern, sizes: Sizes) -> Shape:
        """Return the shape of an array."""
        parts = [sizes[axis[0]] if len(axis) == 1 else (prod([sizes[each][0] for each in axis]),) for axis in pattern]
        return tuple(chain.from_iterable(parts))

    def row_shape(self, sizes: Sizes) -> Shape:
        """Return the shape of the rows: the sizes of the axes that number them, and D."""
        rows, features = [chain.from_iterable([sizes[name] for name in axes]) for axes in (self.rows, self.features)]
        return (*rows, prod(features))

    def arranged(self, pattern: Pattern, sizes: Sizes) -> Arranged:
        """Return how an array is arranged: beside rows if it has an axis of theirs, and features likewise."""
        names = [*chain.from_iterable(pattern)]
        over_rows, over_features = [not set(names).isdisjoint(axes) for axes in (self.rows, self.features)]
        rows, features = self.rows * over_rows, self.features * over_features
        starts, place = {}, 0
        for name in names:
            starts[name] = place
            place += len(sizes[name])
        order: list[int] = []
        spread: list[int] = []
        lacks: list[int] = []
        for name in (*rows, *features):
            for number, size in enumerate(sizes[name]):
                if name in starts:
                    order.append(starts[name] + number)
                else:
                    lacks.append(len(spread))
                spread.append(size if name in starts else 1)
        split = tuple(chain.from_iterable([sizes[name] for name in names]))
        wide_rows, wide_features = [
            tuple(chain.from_iterable([sizes[name] for name in axes])) for axes in (rows, features)
        ]
        return Arranged(split, tuple(order), tuple(spread), wide_rows, wide_features, tuple(lacks))


class ArrangedCall:
    """Call of a layer whose axes have names by one whose arrays are rows, in the arrays of a framework.

    Derivatives are the framework's own: that of broadcasting sums over the axes that an array lacks.
    """

    def __init__(
        self,
        interface: Interface,
        permute: Callable[[Any, Shape], Any],
        broadcast: Callable[[Any, Shape], Any],
    ) -> None:
        self.arrangement, self.permute, self.broadcast = Arrangement(interface), permute, broadcast
        self.names = [each["name"] for each in interface["inputs"]]
        self.outputs = [output["name"] for output in interface["outputs"]]

    def call(self, on_rows: Callable[..., Any], values: Sequence[Any], given: Sequence[Any]) -> Any:
        """Return the outputs of a layer, a tuple of several; `values` are its inputs, then its Constants.

        `given` are the sizes that are arguments. Raises TypeError or ValueError for a wrong shape or size.
        """
        of, names = self.arrangement, [*self.names, *[""] * (len(values) - len(self.names))]
        shapes = {
            name: tuple(value.shape)
            for name, value in zip(names, values, strict=True)
            if name in of.patterns and value is not None
        }
        sizes = of.sizes(shapes, dict(zip(of.sizes_given, given, strict=True)))
        arranged = [
            self._rows(value, of.arranged(of.patterns[name], sizes)) if name in shapes else value
            for name, value in zip(names, values, strict=True)
        ]
        made = on_rows(*arranged)
        several = len(self.outputs) > 1
        results = [
            self._back(value, of.patterns[name], sizes)
            for name, value in zip(self.outputs, made if several else (made,), strict=True)
        ]
        return tuple(results) if several else results[0]

    def _rows(self, value: Any, how: Arranged) -> Any:
        moved = self.permute(value.reshape(how.split), how.order).reshape(how.spread)
        shape = (*how.rows, prod(how.features)) if how.features else how.rows
        return self.broadcast(moved, how.shape).reshape(shape)

    def _back(self, value: Any, pattern: Pattern, sizes: Sizes) -> Any:
        how = self.arrangement.arranged(pattern, sizes)
        return self.permute(value.reshape(how.shape), how.inverse).reshape(self.arrangement.shape(pattern, sizes))


def _count(name: str, value: Any) -> int:
    """A size that is given; raises TypeError or ValueError for another value."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}; pass the size of the axis, a whole number of 1 or more")
    if value.__index__() < 1:
        raise ValueError(f"{name} is {value}; pass 1 or more")
    return int(value.__index__())
