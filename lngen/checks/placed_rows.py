"""A function of arrays whose axes have names, on rows: the claims about frameworks pass such."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

from lngen.checks.claim import NotRun
from lngen.checks.layer import arrays_by_name, as_tuple
from lngen.language.axes import AxisParts, Pattern, RowAxes
from lngen.language.definition import Definition


class PlacedRows:
    """A function on rows, of one on arrays of any sizes. Constants follow the inputs.

    Rows lie along one axis, and the entries of a row along another, which all arrays have that vary over rows, or over
    entries; every other axis has size 1. The `function` takes arrays as callers have them, Constants and the sizes of
    axes, and `join` joins parts along an axis. Without `join` it is the mathematics of an emitted file, to which each
    part is a value of its own, and each array has all axes.
    """

    def __init__(
        self,
        definition: Definition,
        layout: RowAxes,
        function: Callable[..., Any],
        join: Callable[[list[Any], int], Any] | None = None,
    ) -> None:
        self.definition, self.function, self.join = definition, function, join
        self.whole = layout.pattern if join else Pattern(tuple((name,) for name in layout.pattern.names))
        arrays = [entry for entry in definition.positional if entry.pattern]
        self.patterns = {entry.name: entry.pattern if join and entry.pattern else self.whole for entry in arrays}
        self.rows = self._common(layout.rows, [entry.name for entry in arrays if entry.kind.over_rows])
        self.features = self._common(layout.features, [entry.name for entry in arrays if entry.kind.over_features])

    def _common(self, axes: Sequence[str], names: Sequence[str]) -> str:
        """The first of some axes that arrays have in common; "" if there is none."""
        return next((axis for axis in axes if all(axis in self.patterns[name].names for name in names)), "")

    @property
    def is_possible(self) -> bool:
        """Test whether all rows can lie along one axis."""
        return bool(self.rows and self.features)

    def __call__(self, *values: Any) -> Any:
        """Return the outputs of inputs on rows."""
        definition, sizes, leading = self.definition, *self._sizes(values)
        wholes = dict.fromkeys([self._whole(name) or name for name in definition.outputs])
        made = zip(wholes, as_tuple(self.function(*self.arguments(*values))), strict=True)
        found = [part for of, value in made for part in self._read(value, of, sizes, leading)]
        return tuple(found) if len(found) > 1 else found[0]

    def arguments(self, *values: Any) -> list[Any]:
        """Return the arguments of the function."""
        definition, (sizes, _) = self.definition, self._sizes(values)
        given = {entry.name: value for entry, value in zip(definition.positional, values, strict=False)}
        own = arrays_by_name(definition).values() if self.join else definition.positional
        arrays = []
        for entry in sorted(own, key=lambda entry: entry.default is not None):
            whole, value = self._whole(entry.name), given[entry.name]
            if whole and self.join:
                place, shapes = whole.pattern.names.index(whole.axis), {**sizes, whole.axis: len(whole.names)}
                parts = [self._placed(given[name], name, sizes) for name in whole.names]
                joined = self.join([each.reshape(*each.shape[:place], 1, *each.shape[place:]) for each in parts], place)
                value = joined.reshape([prod([shapes[name] for name in axis]) for axis in whole.pattern.axes])
            elif value is not None and entry.name in self.patterns:
                value = self._placed(value, entry.name, sizes)
                if self.join:
                    axes = self.patterns[entry.name].axes
                    value = value.reshape([prod([sizes[name] for name in axis]) for axis in axes])
            arrays.append(value)
        given_sizes = [sizes[each.name] for each in definition.sizes] if self.join else []
        if 0 in given_sizes:
            raise NotRun("rows lie along an axis whose size is given, which is 1 or more")
        return [*arrays, *values[len(given) :], *given_sizes]

    def _sizes(self, values: Sequence[Any]) -> tuple[dict[str, int], tuple[int, ...]]:
        """The sizes of axes, and the shape of rows but for their own."""
        sizes, leading = dict.fromkeys(self.whole.names, 1), None
        for entry, value in zip(self.definition.positional, values, strict=False):
            if value is not None and entry.kind.over_features:
                sizes[self.features] = value.shape[-1]
            if value is not None and entry.kind.over_rows and leading is None:
                leading = tuple(value.shape[: value.ndim - entry.kind.over_features])
                sizes[self.rows] = prod(leading)
        return sizes, leading or ()

    def _whole(self, name: str) -> AxisParts | None:
        return self.definition.whole(name) if self.join else None

    def _placed(self, value: Any, name: str, sizes: Mapping[str, int]) -> Any:
        """An array with an axis for each name."""
        names, kind = self.patterns[name].names, self.definition.input(name).kind
        if self._is_turned(names) and kind.over_rows and kind.over_features:
            value = value.reshape(sizes[self.rows], sizes[self.features]).T
        over = {self.rows: kind.over_rows, self.features: kind.over_features}
        return value.reshape([sizes[axis] if over.get(axis) else 1 for axis in names])

    def _is_turned(self, names: Sequence[str]) -> bool:
        """Test whether the entries of a row come before the rows in memory."""
        return self.rows in names and self.features in names[: names.index(self.rows)]

    def _read(self, made: Any, of: AxisParts | str, sizes: Mapping[str, int], leading: tuple[int, ...]) -> list[Any]:
        """Return an output, or each of its parts, as rows."""
        names, parts = self.whole.names, {of: made} if isinstance(of, str) else {}
        if isinstance(of, AxisParts):
            place, counted = of.pattern.names.index(of.axis), {**sizes, of.axis: len(of.names)}
            split = made.reshape([counted[name] for name in of.pattern.names])
            parts = {name: split[(slice(None),) * place + (n,)] for n, name in enumerate(of.names)}
            names = of.pattern.without([of.axis]).names
        rows, features, found = sizes[self.rows], sizes[self.features], []
        for name, value in parts.items():
            over = self.definition.output_kind(name).over_features
            turned = value.reshape(features, rows).T if over and self._is_turned(names) else value
            found.append(turned.reshape((*leading, features) if over else leading))
        return found
