"""Class of a layer for any framework: the arguments of its constructor and of its calls."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from lngen.emit.class_names import attribute
from lngen.emit.functions import constant_in_words, size_in_words
from lngen.emit.interface import PublicConstant, PublicInput, PublicInterface
from lngen.emit.layout import WIDTH, call, statement, table
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

    def created(self, own: Sequence[str]) -> list[str]:
        """The call of the constructor of all layers: features, which parameters there are, Constants."""
        names = {attribute(each.public): each for each in self.parameters}
        there = {name: "True" if each.required else name for name, each in names.items()}
        constants = {name: name for name in (attribute(each.public) for each in self.layer.constants)}
        features = "".join(self.features) or "None"
        if self.layer.layout:
            features = table({name: _argument(name) for name in self._given})
        return statement(call("super().__init__", features, table(there), table(constants), *own), 8)

    @property
    def _given(self) -> list[str]:
        return [*self.features, *(size.name for size in self.sizes)]


def _argument(name: str) -> str:
    """The argument that is the size of an axis: `g_c` of the axis `g c`."""
    return name.replace(" ", "_")
