"""Class of a layer for any framework: the arguments of its constructor and of its calls."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from lngen.emit.class_names import attribute
from lngen.emit.functions import constant_in_words
from lngen.emit.interface import PublicConstant, PublicInput, PublicInterface
from lngen.emit.layout import WIDTH, call, statement, table
from lngen.emit.signatures import as_python, number
from lngen.runtime.protocol.interface import PARAMETERS


@dataclass(frozen=True)
class LayerClass:
    """Properties of a layer's class; `own` are constructor arguments of the framework."""

    layer: PublicInterface

    @property
    def given(self) -> list[PublicInput]:
        """Return the inputs that a call takes."""
        return [each for each in self.layer.inputs if each.kind not in PARAMETERS]

    @property
    def parameters(self) -> list[PublicInput]:
        """Return the inputs that an object holds as parameters."""
        return [each for each in self.layer.inputs if each.kind in PARAMETERS]

    @property
    def has_features(self) -> bool:
        """Test whether the constructor takes the number of features."""
        return any(each.kind == "Feature" for each in self.layer.inputs)

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
            *(number(attribute(each.public), each) for each in self.layer.numbers),
            *own,
        ]
        return ["self", *["D: int"] * self.has_features, *["*"] * bool(named), *named]

    def meanings(self) -> list[str]:
        """Return the docstring's lines about the layer's arguments."""
        lines = ["D: the number of features of a row."] * self.has_features
        for each in self.parameters:
            if each.neutral is not None:
                name = attribute(each.public)
                lines.append(f"{name}: False omits it; its initial value is {as_python(each.neutral)}.")
        return [*lines, *(f"{attribute(each.public)}: {self.meaning(each)}." for each in self.layer.numbers)]

    def meaning(self, each: PublicConstant) -> str:
        """Return the docstring's text about a Constant."""
        return constant_in_words(each, self.layer)

    def created(self, own: Sequence[str]) -> list[str]:
        """The call of the constructor of all layers: features, which parameters there are, Constants."""
        names = {attribute(each.public): each for each in self.parameters}
        there = {name: "True" if each.required else name for name, each in names.items()}
        constants = {name: name for name in (attribute(each.public) for each in self.layer.numbers)}
        features = "D" if self.has_features else "None"
        return statement(call("super().__init__", features, table(there), table(constants), *own), 8)
