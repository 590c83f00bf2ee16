"""A layer as one function of a framework's arrays, which the backends for PyTorch and for JAX emit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lngen.emit import Notes
from lngen.emit.interface import PublicConstant, PublicInput, PublicInterface
from lngen.emit.layout import WIDTH, argument, definition, in_lines
from lngen.emit.signatures import as_python, number, sizes
from lngen.runtime.protocol.calls import COMPUTED_WORDS

NUMBERS = {"Scalar": "float | ", 'Int[""]': "int | "}
"""Types of numbers that a framework's function takes besides arrays, by the kind of the input."""


@dataclass(frozen=True)
class FrameworkFunction:
    """Function of a framework; `array` is the type of its arrays, and `array_name` their name in a sentence."""

    layer: PublicInterface
    notes: Notes
    array: str
    array_name: str

    @property
    def result(self) -> str:
        """Type of the function's result, a tuple of several outputs."""
        count = len(self.layer.outputs)
        return self.array if count == 1 else f"tuple[{', '.join([self.array] * count)}]"

    def fields(self) -> dict[str, Any]:
        """Return the template fields of the function."""
        name = self.notes.layer
        return {
            "header": self.notes.header,
            "title": self.notes.title,
            "function": name,
            "formulas": self.notes.formulas.get("forward", ()),
            "result": self.result,
            "signature": definition(name, self._arguments(), self.result),
            "arguments": self._meanings(),
            "returns": self._returns(),
        }

    def _arguments(self) -> list[str]:
        inputs = [
            argument(each.public, NUMBERS.get(each.kind, "") + self.array, each.required) for each in self.layer.inputs
        ]
        constants = [number(each.public, each) for each in self.layer.constants] + sizes(self.layer.sizes)
        return [*inputs, *["*"] * bool(constants), *constants]

    def _meanings(self) -> list[str]:
        return [
            *(f"{each.public}: {self._meaning(each)}." for each in self.layer.inputs),
            *(f"{each.public}: {constant_in_words(each, self.layer)}." for each in self.layer.constants),
            *(f"{size.name}: {size_in_words(size.name, self.layer)}." for size in self.layer.sizes),
        ]

    def _returns(self) -> list[str]:
        """Describe the outputs, with their shapes and types, on lines of a docstring."""
        outputs = self.layer.outputs
        shapes = map(self.layer.described, outputs)
        names = ", ".join(each.public for each in outputs)
        returned = f"`({names})`" if len(outputs) > 1 else names
        rows = [each.public for each in self.layer.inputs if each.kind == "Row"]
        of = rows[0] if len(rows) == 1 else "the first rows"
        text = f"Returns {returned} in the type of {of}. {'; '.join(shapes)}. {COMPUTED_WORDS}"
        return in_lines(text, WIDTH - 4)

    def _meaning(self, each: PublicInput) -> str:
        a_number = f"a number or {self.array_name} without axes"
        meaning = a_number if each.kind == "Scalar" else self.layer.meaning(each)
        return f"{meaning}{'' if each.neutral is None else f'. If omitted it is {as_python(each.neutral)}'}"


def constant_in_words(each: PublicConstant, layer: PublicInterface) -> str:
    """Return the text of a docstring about a Constant."""
    return f"a constant, a finite number{sign(each, layer)}"


def size_in_words(name: str, layer: PublicInterface) -> str:
    """Return the text of a docstring about the size of an axis, which may be made of others, or a part of one."""
    axes = layer.layout.pattern.axes if layer.layout else ()
    whole = next((" ".join(axis) for axis in axes if name in axis and len(axis) > 1), "")
    if whole:
        parts = "the number of parts" if whole.split()[0] == name else "the number of entries of a part"
        return f"{parts} of the axis ({whole})"
    return f"the size of the axis {f'({name})' if ' ' in name else name}"


def sign(each: PublicConstant, layer: PublicInterface) -> str:
    """Return the condition that messages add to a number that must not be negative."""
    return " of 0 or more" if each.name in layer.nonnegative else ""
