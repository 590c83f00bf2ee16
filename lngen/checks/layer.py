"""Subject of a check: an emitted layer beside its definition, and one function that runs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lngen.checks.evidence import Evidence
from lngen.derivation.derivation import Derivation
from lngen.language.definition import Definition, Input
from lngen.pipeline import cache
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.casts import dtype

Array = NDArray[Any]
Adjoint = Callable[[Mapping[str, Any], Mapping[str, Any]], Mapping[str, Array]]
"""(inputs, cotangents) -> gradients by input name; computes in the type of the arrays it is given."""

Second = Callable[[Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]], Mapping[str, Array]]
"""Function (inputs, cotangents, directions) -> derivatives of the gradients.

A direction is named by an input, or by `d` and the name of an output.
"""


class Emitted(Protocol):
    """An emitted module."""

    def forward(self, *inputs: Any, **options: Any) -> tuple[Any, Any]:
        """Outputs and saved."""
        ...

    def backward(self, saved: Any, *cotangents: Any, **options: Any) -> Any:
        """Gradients, a NamedTuple."""
        ...


@dataclass(frozen=True)
class Checkable:
    """Emitted layer with the definition that it is checked against.

    `adjoint` is the unsimplified second derivation, if there is one, and `second` its derivative. `proofs` are the
    evidence of the derivation (exact proof, 50 digits), and go into the report. Without programs there is no bound for
    rounding, and checks that need one are left out.
    """

    definition: Definition
    module: Emitted
    forward_program: RowProgram | None = None
    backward_program: RowProgram | None = None
    adjoint: Adjoint | None = None
    proofs: tuple[Evidence, ...] = ()
    second: Second | None = None
    derivation: Derivation | None = None

    @property
    def differentiable(self) -> tuple[Input, ...]:
        """The inputs that have a gradient, in order."""
        return self.definition.differentiable


@dataclass(frozen=True)
class Case:
    """Inputs and cotangents of one run, by name; an optional input may be absent or `None`.

    Arrays are (rows, D), (rows,), (D,) or 0-d. `smooth` means that no kink of the definition is near, so that
    differences may be taken. `plain` values are of order one or zero, and nothing overflows. If `by_shape`, a check of
    the shape alone repeats the case.
    """

    name: str
    rows: int
    features: int
    inputs: Mapping[str, Any]
    cotangents: Mapping[str, Any]
    smooth: bool = True
    plain: bool = False
    by_shape: bool = True

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, D)."""
        return (self.rows, self.features)

    def astype(self, dtype: Any) -> Case:
        """The case rounded to a storage type; Constants stay Python numbers, and integers stay as they are."""
        return self.mapped(lambda value: _cast(value, dtype))

    def mapped(self, change: Callable[[Any], Any]) -> Case:
        """The case with a function of each input and of each cotangent in its place."""
        inputs, cotangents = (
            {name: change(value) for name, value in values.items()} for values in (self.inputs, self.cotangents)
        )
        return replace(self, inputs=inputs, cotangents=cotangents)

    def key(self, what: str) -> str:
        """Return a key of what is known of a case, by its values: a digest."""
        parts: list[str | bytes] = [what, self.name, str(self.shape)]
        for name, value in [*self.inputs.items(), *self.cotangents.items()]:
            array = np.asarray(value)
            parts += [name, "" if value is None else f"{array.dtype} {array.shape}"]
            parts += [] if value is None else [array.tobytes()]
        return cache.key(parts)

    def exact(self) -> Case:
        """The same numbers in long double, for references."""
        return self.astype(np.longdouble)


def _cast(value: Any, dtype: Any) -> Any:
    if value is None or isinstance(value, float | int):
        return value
    with np.errstate(over="ignore"):
        given = np.asarray(value)
        return given if given.dtype.kind in "iub" else given.astype(dtype)


@dataclass(frozen=True)
class Run:
    """Outputs and gradients of an emitted layer, by the name of output and input."""

    outputs: dict[str, Array]
    gradients: dict[str, Array | None]
    saved: Any = field(repr=False, default=None)


def mixed_types(definition: Definition, case: Case, rows: Any, parameters: Any) -> Case:
    """Return a case whose rows and cotangents have one type, and what all rows share another."""
    wide, over_rows = case.astype(parameters).inputs, {e.name for e in definition.inputs if e.kind.over_rows}
    typed = case.astype(rows)
    return replace(typed, inputs={n: v if n in over_rows else wide[n] for n, v in typed.inputs.items()})


def arrays_by_name(definition: Definition) -> dict[str, Input]:
    """The arrays that callers pass, in order, by their names; one that is taken in parts is as its last part."""
    wholes = {name: each.name for each in definition.parts for name in each.names}
    return {wholes.get(e.name, definition.public(e.name)): e for e in definition.positional}


def positional(layer: Checkable, case: Case) -> tuple[list[Any], dict[str, Any]]:
    """The arguments of `forward` for a case: inputs in order, Constants by keyword."""
    inputs = [case.inputs.get(entry.name) for entry in layer.definition.positional]
    constants = {
        layer.definition.public(entry.name): case.inputs[entry.name]
        for entry in layer.definition.constants
        if case.inputs.get(entry.name) is not None
    }
    return inputs, constants


def outputs_by_name(layer: Checkable, result: Any) -> dict[str, Array]:
    """The outputs of `forward` by name: one array, or a NamedTuple where there are several."""
    names = layer.definition.outputs
    values = (result,) if len(names) == 1 else tuple(result)
    return dict(zip(names, values, strict=True))


def run(layer: Checkable, case: Case, *, over_nan: bool = False, **options: Any) -> Run:
    """Run forward and backward of the emitted code on a case, without NumPy's overflow warnings.

    With `over_nan` results are written over NaN, since freed memory may hold the right numbers by chance.
    """
    inputs, constants = positional(layer, case)
    cotangents = [case.cotangents.get(name) for name in layer.definition.outputs]
    outs: dict[str, Any] = {}
    later: dict[str, Any] = {}
    if over_nan:
        casts = dict(layer.definition.casts)
        places = tuple(
            _nan_like(None if value is None else np.asarray(value, dtype(casts[name]) if name in casts else None))
            for name, value in zip(layer.definition.outputs, cotangents, strict=True)
        )
        outs["out"] = places if len(places) > 1 else places[0]
        later["out"] = tuple(_nan_like(case.inputs.get(entry.name)) for entry in layer.differentiable)
    with np.errstate(all="ignore"):
        result, saved = layer.module.forward(*inputs, **constants, **outs, **options)
        gradients = layer.module.backward(saved, *cotangents, **later, **options)
    by_input = dict(zip((entry.name for entry in layer.differentiable), gradients, strict=True))
    return Run(outputs_by_name(layer, result), by_input, saved)


def _nan_like(value: Any) -> Array | None:
    return None if value is None else wrong_like(value)


def wrong_like(value: Any) -> Array:
    """An array like another of values that no result has: NaN, or in an integer type the least."""
    kind = np.asarray(value).dtype
    return np.full_like(value, np.iinfo(kind).min + 77 if kind.kind in "iu" else np.nan)


def as_tuple(values: Any) -> tuple[Any, ...]:
    """Results as a tuple, also one alone."""
    return tuple(values) if isinstance(values, tuple | list) else (values,)


def present(layer: Checkable, case: Case) -> tuple[Input, ...]:
    """Return the inputs of a case that are present and have a gradient."""
    return tuple(entry for entry in layer.differentiable if case.inputs.get(entry.name) is not None)
