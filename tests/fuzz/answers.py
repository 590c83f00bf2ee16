"""Results of emitted code at a point in all four directions, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lngen.checks.layer import Case, Checkable, outputs_by_name, positional
from lngen.checks.on_rows import LayerOnRows
from lngen.language.definition import Definition
from lngen.language.syntax import Kind
from lngen.runtime.protocol.casts import dtype

OUTPUT, GRADIENT, TANGENT, SECOND, SECOND_OF_COTANGENT = (
    *("output", "gradient", "tangent", "second gradient", "second gradient of the cotangent"),
)

Results = dict[tuple[str, str], Any]
"""Arrays by what they are and the name of the input or output: `(GRADIENT, "x")`."""


@dataclass(frozen=True)
class Point:
    """A case, and one direction in the inputs: the tangents of `jvp`, and the cotangents of the gradients for
    `backward_backward`. An input that `directions` lacks is passed None.
    """

    case: Case
    directions: Mapping[str, Any]

    def astype(self, dtype: Any) -> Point:
        """The point rounded to a float type."""
        return Point(
            self.case.astype(dtype), {n: np.asarray(value).astype(dtype) for n, value in self.directions.items()}
        )


def answers(layer: Checkable, point: Point, threads: int = 1, first_order: bool = False) -> Results:
    """Outputs, gradients, tangents and second gradients; what is None is left out. `first_order`: the first two."""
    case = point.case
    options = {"threads": threads} if threads > 1 else {}
    inputs, constants = positional(layer, case)
    names, casts = layer.definition.outputs, dict(layer.definition.casts)
    cotangents = [case.cotangents.get(name) for name in names]
    along = [point.directions.get(entry.name) for entry in layer.differentiable]
    found: Results = {}

    def add(what: str, names: Any, values: Any) -> None:
        found.update({(what, name): value for name, value in zip(names, values, strict=True) if value is not None})

    module: Any = layer.module
    differentiable = [entry.name for entry in layer.differentiable]
    with np.errstate(all="ignore"):
        outputs, saved = module.forward(*inputs, **constants, **options)
        made = outputs_by_name(layer, outputs)
        add(OUTPUT, names, [_floats(value, casts[name]) if name in casts else value for name, value in made.items()])
        add(GRADIENT, differentiable, module.backward(saved, *cotangents, **options))
        if point.directions and not first_order:
            moved = module.jvp(saved, *along, **options)
            add(TANGENT, names, outputs_by_name(layer, moved).values())
            second = module.backward_backward(saved, tuple(cotangents), *along, **options)
            add(SECOND, differentiable, second[: len(differentiable)])
            add(SECOND_OF_COTANGENT, names, second[len(differentiable) :])
    return found


def _floats(values: Any, target: str) -> Any:
    """An output that is cast in float64, which has all values of its type."""
    assert values.dtype == dtype(target), f"an output that is cast to {target} is of type {values.dtype}"
    return values.astype(np.float64)


def kind_of(definition: Definition, result: tuple[str, str]) -> Kind:
    """The kind of a result: that of the input or output that it belongs to."""
    what, name = result
    return definition.input(name).kind if what in (GRADIENT, SECOND) else definition.output_kind(name)


def rows_of(layer: Checkable) -> Any:
    """The module `rows` of the runtime that emitted code calls: that of its own package."""
    module: Any = layer.module
    function = module.functions["forward"] if isinstance(module, LayerOnRows) else module._FORWARD
    return type(function).fill.__globals__["_rows"]
