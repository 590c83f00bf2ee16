# SPDX-License-Identifier: MIT
"""Arrays whose axes have names, as rows: how each lies beside the rows of a layer, for arrays of any library.

The features of a row are the entries along some axes, and the other axes number the rows. To *arrange* an array is to
put its axes in the order of rows and then features, and to broadcast it over those that it lacks. It is a view where
strides reach the rows, else one copy. A parameter that lacks the last axes of the features is constant in *runs* of
equal length: kernels may take one entry for each.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import prod
from typing import Any, NamedTuple, cast

from .interface import Interface, Pattern

Shape = tuple[int, ...]
Sizes = dict[str, Shape]
"""The sizes of axes by name; "..." has any number of them, every other name one."""

_MOST_KNOWN = 256

LEAST_RUN = 32
"""Entries of a run at the least; for shorter ones an entry for each feature is as fast."""

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

    def has_runs(self, numbering: int | None) -> bool:
        """Test whether the array is constant in the runs that so many axes of the features number, if any."""
        return numbering is not None and 0 < self.numbering <= numbering < len(self.features)

    @property
    def numbering(self) -> int:
        """The number of axes of the features that number runs: those up to the last one that the array has."""
        first = len(self.rows)
        return max([place + 1 for place in range(len(self.features)) if first + place not in self.lacks], default=0)


class Arrangement:
    """Axes of the arrays of a layer: those of its inputs, by name, and those of its outputs.

    A part of an array has the axes of that but the one that numbers its parts, whose size `counts` has. Where sizes
    may be symbols of a program that is `traced`, nothing is kept by them: they have no hash.
    """

    def __init__(self, interface: Interface, traced: bool = False) -> None:
        self.traced, layout = traced, interface["layout"]
        self.counts: Sizes = {name: (count,) for name, count in layout.get("parts", {}).items()}
        self.pattern, self.features = layout["pattern"], layout["features"]
        self.sizes_given = [each["name"] for each in layout["sizes"]]
        self.names = [*chain.from_iterable(self.pattern)]
        self.rows = [name for name in self.names if name not in self.features]
        self.patterns: dict[str, Pattern] = {
            each["name"]: each["pattern"] for each in interface["inputs"] if "pattern" in each
        }
        of_rows: Pattern = [[name] for name in self.rows]
        self.of_inputs = [*self.patterns.values()]
        for output in interface["outputs"]:
            usual = self.pattern if output["kind"] == "Row" else of_rows
            self.patterns[output["name"]] = output.get("pattern", usual)
        for each in (*interface["inputs"], *interface["outputs"]):
            for part in each.get("parts", ()):
                self.patterns[part] = self.of_part(each["pattern"])
        self.computed = of_rows
        self._known: dict[Any, Arranged] = {}

    # ---- sizes

    def sizes(self, shapes: Mapping[str, Shape], given: Mapping[str, Any]) -> Sizes:
        """Return the sizes of all axes from the shapes of the arrays that are present.

        Raises ValueError if two arrays disagree, or if one has a shape that is not of its pattern.
        """
        found: Sizes = dict(self.counts)
        for name in self.sizes_given:
            found[name] = (_count(name, given.get(name)),)
        known = {name: (self.patterns[name], shape) for name, shape in shapes.items() if name in self.patterns}
        arrays: dict[str, str] = {}
        for name, (pattern, shape) in known.items():
            for axis, size in self._paired(name, pattern, shape):
                if len(axis) == 1:
                    self._agreed(name, shape, axis[0], size, found, arrays)
                    arrays.setdefault(axis[0], name)
        for name, (pattern, shape) in known.items():
            for axis, size in self._paired(name, pattern, shape):
                if len(axis) > 1:
                    self._divided(name, shape, axis, size[0], found, arrays)
                    arrays |= {each: name for each in axis if each not in arrays}
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

    def _agreed(self, name: str, shape: Shape, axis: str, size: Shape, found: Sizes, arrays: Mapping[str, str]) -> None:
        if found.setdefault(axis, size) != size:
            there = ", ".join(map(str, found[axis])) or "none"
            of = f" in {arrays[axis]}" if axis in arrays else ""
            pattern = written(self.patterns[name])
            raise ValueError(f"{name} has shape {shape}; pass ({pattern}), where {axis} is {there}{of}")

    def _divided(
        self, name: str, shape: Shape, axis: Sequence[str], size: int, found: Sizes, arrays: Mapping[str, str]
    ) -> None:
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
            others = ", ".join(dict.fromkeys(arrays[each] for each in axis if each in arrays))
            raise ValueError(
                f"{name} has shape {shape}; pass ({' '.join(axis)}) of {known} entries, which is {parts}"
                + (f", as in {others}" if others else "")
            )

    def flat(self, sizes: Sizes) -> Shape:
        """Return the sizes of the axes of the rows, one a name."""
        return tuple(chain.from_iterable(sizes[name] for name in self.names))

    def sizes_of(self, flat: Sequence[int]) -> Sizes:
        """Return the sizes of axes from those of the rows, as `flat` has them."""
        rest = len(flat) - len(self.names) + 1
        found: Sizes = dict(self.counts)
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

    def of_part(self, pattern: Pattern) -> Pattern:
        """Return the axes of a part of an array, which lacks the one that numbers them."""
        kept = [[name for name in axis if name not in self.counts] for axis in pattern]
        return [axis for axis in kept if axis]

    def counted(self, pattern: Pattern) -> str:
        """Return the axis of an array that numbers its parts."""
        return next(name for name in chain.from_iterable(pattern) if name in self.counts)

    def cut(self, pattern: Pattern, sizes: Sizes) -> tuple[Shape, int]:
        """Return the shape of an array in parts, with an axis a name, and the place of the axis that numbers them."""
        names = [*chain.from_iterable(pattern)]
        place = names.index(self.counted(pattern))
        shapes = [sizes[name] for name in names]
        return tuple(chain.from_iterable(shapes)), sum(map(len, shapes[:place]))

    def row_shape(self, sizes: Sizes) -> Shape:
        """Return the shape of the rows: the sizes of the axes that number them, and D."""
        rows, features = [chain.from_iterable([sizes[name] for name in axes]) for axes in (self.rows, self.features)]
        return (*rows, prod([*features]))

    def numbering(self, sizes: Sizes) -> int:
        """Return how many axes of the features number the runs of a call: all of them where runs would be short."""
        features = [*chain.from_iterable([sizes[name] for name in self.features])]
        inputs = [self.arranged(pattern, sizes) for pattern in self.of_inputs]
        most = max([each.numbering for each in inputs if each.rows and each.numbering < len(features)], default=0)
        return most if most and prod(features[most:]) >= LEAST_RUN else len(features)

    def arranged(self, pattern: Pattern, sizes: Sizes) -> Arranged:
        """Return how an array is arranged: beside rows if it has an axis of theirs, and features likewise."""
        names = tuple(chain.from_iterable(pattern))
        if self.traced:
            return self._arranged(names, sizes)
        key = names, *sizes.items()
        if key not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = self._arranged(names, sizes)
        return self._known[key]

    def _arranged(self, names: Sequence[str], sizes: Sizes) -> Arranged:
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


def without_axes(interface: Interface) -> Interface:
    """Return the interface of the layer on rows, to which each part of an array is a value."""
    made: dict[str, Any] = {key: value for key, value in interface.items() if key != "layout"}
    for key in ("inputs", "outputs", "saved"):
        made[key] = [*chain.from_iterable(_in_parts(each) for each in made[key])]
    parts = {each["name"]: [part for part in each.get("parts", ()) if part] for each in interface["inputs"]}
    made["gradients"] = [
        {**each, "name": f"d{name}", "of": name}
        for each in interface["gradients"]
        for name in parts[each["of"]] or [each["of"]]
    ]
    return cast(Interface, made)


def _in_parts(each: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    entry = {key: value for key, value in each.items() if key not in ("pattern", "parts")}
    own = {"of"} if "of" in each else {"symbol"}
    for part in each.get("parts", [None]):
        if part != "":
            yield entry if part is None else {**entry, "name": part, **dict.fromkeys(own, part)}


def _count(name: str, value: Any) -> int:
    """A size that is given; raises TypeError or ValueError for another value."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}; pass the size of the axis, a whole number of 1 or more")
    if value.__index__() < 1:
        raise ValueError(f"{name} is {value}; pass 1 or more")
    return int(value.__index__())
