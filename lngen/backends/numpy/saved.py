"""What forward keeps for the other directions: the fields of `Saved`, after the three that every layer has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from lngen.backends.interface import Interface
from lngen.program import RowProgram

_SHAPES = {"Row": "saved.shape", "RowScalar": "row_scalars", "Feature": "saved.shape[-1:]"}
_MEANINGS = {
    "input": "The argument {} of forward.",
    "output": "The output {} of forward.",
    "constant": "The constant {} of forward.",
    "computed": "The row scalar {}, one a row.",
}


@dataclass(frozen=True)
class Field:
    """An array or a number that is kept; `optional` is one of an input that may be left out."""

    name: str
    kind: Literal["Row", "RowScalar", "Feature", "Scalar", "Constant"]
    origin: Literal["input", "output", "constant", "computed"]
    optional: bool

    @property
    def shape(self) -> str:
        """Its shape as the module's checks have it; "" for a number."""
        return _SHAPES.get(self.kind, "")

    @property
    def type(self) -> str:
        """Its type as Python."""
        kind = {"Scalar": "float | np.ndarray", "Constant": "float"}.get(self.kind, "np.ndarray")
        return kind + (" | None" if self.optional else "")

    @property
    def meaning(self) -> str:
        """What it is, as a sentence."""
        return _MEANINGS[self.origin].format(self.name)

    @property
    def given(self) -> str:
        """Whether it ought to be there, as Python; "" for what always is."""
        return f'"{self.name}" in saved.dtypes' if self.optional else ""


def saved_fields(
    layer: Interface, forward: RowProgram, backward: RowProgram, others: Iterable[RowProgram]
) -> tuple[Field, ...]:
    """What backward reads, then what forward computes, then the arguments of forward that only `others` read."""
    outputs = {output.name: Field(output.name, output.kind, "output", False) for output in layer.outputs}
    inputs = {given.name: Field(given.name, given.kind, "input", not given.required) for given in layer.inputs}
    inputs |= {name: Field(name, "Constant", "constant", False) for name, _ in layer.constants}
    fields = {row.name: (outputs | inputs)[row.name] for row in backward.rows if row.origin != "cotangent"}
    fields |= {parameter.name: inputs[parameter.name] for parameter in backward.parameters}
    fields |= {symbol.name: Field(symbol.name, "RowScalar", "computed", False) for symbol in forward.saved}
    for other in others:
        read = [*(row.name for row in other.rows), *(parameter.name for parameter in other.parameters)]
        fields |= {name: inputs[name] for name in read if name in inputs and name not in fields}
    return tuple(fields.values())
