"""Saved values: the fields of `Saved`, after the three that every layer has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from lngen.emit.interface import PublicInterface, PublicName
from lngen.emit.spelling import reading
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.interface import Kind

_MEANINGS = {
    "input": "The argument {} of forward.",
    "output": "The output {} of forward.",
    "constant": "The constant {} of forward.",
    "computed": "The row scalar {}, one per row.",
}


@dataclass(frozen=True)
class Field:
    """Saved array or number; `optional` marks one of an optional input, and `parts` are those that are read of it."""

    source: PublicName
    kind: Kind | Literal["Constant"]
    origin: Literal["input", "output", "constant", "computed"]
    optional: bool
    parts: tuple[str, ...] = ()

    @property
    def read(self) -> tuple[str, ...]:
        """Return the names of its values in the programs."""
        return self.parts or (self.source.name,)

    @property
    def name(self) -> str:
        """Return the field's name: the name in the derivation, which is unique."""
        return reading(self.source.name)

    def type(self, array: str) -> str:
        """Return the type as Python, given the type of arrays."""
        kind = {"Scalar": f"float | {array}", "Constant": "float"}.get(self.kind, array)
        return kind + (" | None" if self.optional else "")

    @property
    def meaning(self) -> str:
        """Describe the field in a sentence."""
        return _MEANINGS[self.origin].format(self.source.public)


def saved_fields(
    layer: PublicInterface, forward: RowProgram, backward: RowProgram, others: Iterable[RowProgram]
) -> tuple[Field, ...]:
    """Return the values that backward reads, those that forward computes, then arguments that only `others` read."""
    outputs: dict[str, Field] = {}
    inputs: dict[str, Field] = {}
    for output in layer.outputs:
        made = Field(output, output.kind, "output", False, output.parts)
        outputs |= dict.fromkeys(made.read, made)
    for given in layer.inputs:
        taken = Field(given, given.kind, "input", not given.required, given.parts)
        inputs |= dict.fromkeys(taken.read, taken)
    inputs |= {given.name: Field(given, "Constant", "constant", False) for given in layer.constants}
    fields = {row.name: (outputs | inputs)[row.name] for row in backward.rows if row.origin != "cotangent"}
    fields |= {parameter.name: inputs[parameter.name] for parameter in backward.parameters}
    for symbol in forward.saved:
        fields[symbol.name] = Field(PublicName(symbol.name, reading(symbol.name)), "RowScalar", "computed", False)
    for other in others:
        read = [*(row.name for row in other.rows), *(parameter.name for parameter in other.parameters)]
        fields |= {name: inputs[name] for name in read if name in inputs and name not in fields}
    for group in layer.together:
        own = [name for name in fields if name in group]
        first = [name for name in fields if name not in own]
        place = next(iter(number for number, name in enumerate(fields) if name in own), 0)
        order = [*first[:place], *sorted(own, key=group.index), *first[place:]]
        fields = {name: fields[name] for name in order}
    wholes = dict.fromkeys(fields.values())
    return tuple(replace(each, parts=tuple(name for name in each.parts if name in fields)) for each in wholes)
