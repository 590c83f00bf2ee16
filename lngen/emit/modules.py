"""Class of a layer for any framework: the arguments of its constructor and of its calls."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from lngen.emit.class_names import attribute
from lngen.emit.functions import constant_in_words, size_in_words
from lngen.emit.interface import PublicConstant, PublicInput, PublicInterface
from lngen.emit.layout import WIDTH, call, statement, tuple_of
from lngen.emit.signatures import as_python, number, sizes
from lngen.language.axes import AxisSize


@dataclass(frozen=True)
class LayerClass:
    """Properties of a layer's class; `own` are constructor arguments of the framework."""

    layer: PublicInterface

    @property
    def given(self) -> list[PublicInput]:
        """Return the inputs that a call takes."""
        return [each for each in self.layer.inputs if not self.layer.is_parameter(each)]

    @property
    def parameters(self) -> list[PublicInput]:
        """Return the inputs that an object holds as parameters."""
        return [each for each in self.layer.inputs if self.layer.is_parameter(each)]

    @property
    def features(self) -> list[str]:
        """The sizes that the constructor takes: the number of features, or those of the axes of parameters.

        An axis that is made of a size and of a name that stands nowhere else is given as a whole, after the size:
        callers know how many groups there are, and how many `(g c)`.
        """
        if not self.layer.layout:
            return ["D"] * any(each.kind == "Feature" for each in self.layer.inputs)
        layer, sizes = self.layer, {size.name for size in self.layer.sizes}
        axes = [*dict.fromkeys(axis for each in self.parameters if each.pattern for axis in each.pattern.axes)]
        taken = {each.public for each in (*layer.inputs, *layer.constants)} | {*layer.axes.split()}
        found: list[str] = []
        for axis in axes:
            given = [name for name in axis if name in sizes]
            names = [name for name in axis if name not in sizes and name not in layer.counts]
            whole, others = " ".join(axis), [other for other in axes if other != axis]
            is_whole = len(axis) == 2 and len(given) == len(names) == 1 and _argument(whole) not in taken
            if is_whole and not any(names[0] in other for other in others):
                names = [*given, whole]
            found += names
        return [*dict.fromkeys(found)]

    @property
    def sizes(self) -> list[AxisSize]:
        """The sizes that are keywords of the constructor."""
        return [size for size in self.layer.sizes if size.name not in self.features]

    def summary(self, name: str, what: str) -> list[str]:
        """Return the first sentence of the docstring, for the layer of this name as `what`."""
        names = [attribute(each.public) for each in self.parameters]
        listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""
        has = "without parameters" if not names else f"with the parameter{'s' if len(names) > 1 else ''} {listed}"
        return textwrap.wrap(f"`{name}` as {what} {has}.", WIDTH - 4, initial_indent='"""')

    def arguments(self, own: Sequence[str]) -> list[str]:
        """The arguments of the constructor."""
        named = [
            *(f"{attribute(each.public)}: bool = True" for each in self.parameters if not each.required),
            *(number(attribute(each.public), each) for each in self.layer.constants),
            *sizes(self.sizes),
            *own,
        ]
        return ["self", *(f"{_argument(name)}: int" for name in self.features), *["*"] * bool(named), *named]

    def meanings(self) -> list[str]:
        """Return the docstring's lines about the layer's arguments."""
        lines = ["D: the number of features of a row."] if self.features == ["D"] else []
        if self.layer.layout:
            lines = [f"{_argument(name)}: {size_in_words(name, self.layer)}." for name in self._given]
        for each in self.parameters:
            if each.neutral is not None:
                name = attribute(each.public)
                lines.append(f"{name}: False omits it; its initial value is {as_python(each.neutral)}.")
        return [*lines, *(f"{attribute(each.public)}: {self.meaning(each)}." for each in self.layer.constants)]

    def meaning(self, each: PublicConstant) -> str:
        """Return the docstring's text about a Constant."""
        return constant_in_words(each, self.layer)

    def constructed(self, prefix: str, least: int, own: Sequence[str] = (), place: Sequence[str] = ()) -> list[str]:
        """Return the lines of the constructor: sizes, then parameters, then Constants.

        Functions that check sizes have the `prefix`; D is `least` at the least. `own` are arguments of the framework,
        and `place` those of each parameter.
        """
        names = {name: _argument(name) for name in self._given}
        sizes = {name: call(f"{prefix}.size", f'"{name}"', name) for name in names if " " not in name}
        if self.features == ["D"]:
            sizes["D"] = call(f"{prefix}.size", '"D"', "D", str(least))
        for name, whole in names.items():
            if " " in name:
                (known_size,) = [each for each in name.split() if each in sizes]
                sizes[whole] = call(f"{prefix}.multiple", f'"{whole}"', whole, known_size)
        lines = [call("super().__init__", *own, **sizes)]
        known = {**{name: name for name in sizes}, **{name: str(count) for name, count in self.layer.counts.items()}}
        wholes = {tuple(name.split()): whole for name, whole in names.items()}
        for each in self.parameters:
            axes = each.pattern.axes if each.pattern else [("D",)] * (each.kind == "Feature")
            shape = tuple_of(wholes.get(axis) or "*".join(known[name] for name in axis) for axis in axes)
            name = attribute(each.public)
            is_there, start = ("True", "1") if each.neutral is None else (name, as_python(each.neutral))
            lines.append(call("self._parameter", f'"{name}"', is_there, shape, start, *place))
        for constant in self.layer.constants:
            name, signed = attribute(constant.public), str(constant.name not in self.layer.nonnegative)
            made = call("self._constant", f'"{name}"', name, signed)
            lines.append(f"self.{name} = {made}")
        return [part for line in lines for part in statement(line, 8)]

    @property
    def _given(self) -> list[str]:
        return [*self.features, *(size.name for size in self.sizes)]


def _argument(name: str) -> str:
    """The argument that is the size of an axis: `g_c` of the axis `g c`."""
    return name.replace(" ", "_")
