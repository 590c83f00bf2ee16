"""The interface of a layer, read off its two programs: inputs, Constants, outputs, gradients."""

from __future__ import annotations

import keyword
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from lngen.backends import Notes
from lngen.errors import LngenError
from lngen.program import RowProgram
from lngen.symbolic import RowSymbol

Kind = Literal["Row", "RowScalar", "Feature", "Scalar"]

_USED_BY_EMITTED_CODE = frozenset(
    {"out", "threads", "saved", "np", "forward", "backward", "Saved", "Gradients", "Outputs"}
    | {"shape", "dtype", "dtypes", "given", "leading", "present", "array", "TypeError"}
)


@dataclass(frozen=True)
class Input:
    """An argument of forward that has a gradient; `neutral` is None for one that is required."""

    name: str
    kind: Kind
    neutral: Fraction | None

    @property
    def required(self) -> bool:
        return self.neutral is None


@dataclass(frozen=True)
class Output:
    """A result of forward: Row or RowScalar."""

    name: str
    kind: Kind


@dataclass(frozen=True)
class Interface:
    """What a caller sees of a layer."""

    inputs: tuple[Input, ...]
    constants: tuple[tuple[str, Fraction | None], ...]
    outputs: tuple[Output, ...]
    nonnegative: frozenset[str]

    @property
    def optional(self) -> tuple[str, ...]:
        """The inputs that may be left out."""
        return tuple(given.name for given in self.inputs if not given.required)

    @property
    def rows(self) -> tuple[Input, ...]:
        """The inputs whose shape is that of the rows."""
        return tuple(given for given in self.inputs if given.kind == "Row")


def interface(forward: RowProgram, notes: Notes) -> Interface:
    """The interface of a layer.

    Raises LngenError for a layer without a Row input, and for a name that emitted code needs for itself.
    """
    optional = dict(forward.optional)
    kinds: dict[str, Kind] = {}
    for row in forward.rows:
        kinds[row.name] = "Row" if isinstance(row.symbol, RowSymbol) else "RowScalar"
    for parameter in forward.parameters:
        if parameter.kind != "Constant":
            kinds[parameter.name] = parameter.kind
    order = notes.inputs or tuple(kinds)
    unknown = [name for name in order if name not in kinds]
    if unknown or set(kinds) - set(order):
        raise LngenError(
            f"{notes.layer}: the inputs {', '.join(order)} are not those that forward reads, "
            f"{', '.join(kinds)}; use every input in the definition, or take it out"
        )
    inputs = tuple(Input(name, kinds[name], optional.get(name)) for name in order)
    constants = tuple((p.name, p.default) for p in forward.parameters if p.kind == "Constant")
    outputs = tuple(
        Output(name, "Row" if isinstance(store.symbol, RowSymbol) else "RowScalar")
        for store in forward.results
        for name in store.names
    )
    if not any(given.kind == "Row" for given in inputs):
        raise LngenError(f"{notes.layer}: no input is a Row, so there are no rows to work on; add one")
    names = (*order, *(name for name, _ in constants), *(output.name for output in outputs))
    for place, name in enumerate(names):
        if name in names[:place]:
            raise LngenError(f"{notes.layer}: {name} is the name of two things; rename the input or the output")
        if name in _USED_BY_EMITTED_CODE or name.startswith("_") or keyword.iskeyword(name):
            raise LngenError(
                f"{notes.layer}: emitted code cannot use the name {name}; choose another in the definition"
            )
    required_first = tuple(sorted(inputs, key=lambda given: not given.required))
    return Interface(required_first, constants, outputs, frozenset(notes.nonnegative))
