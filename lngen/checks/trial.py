"""A layer on a backend, and the case that a claim about it is tried on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from lngen.checks.adapter import Adapter
from lngen.checks.inputs import ordinary
from lngen.checks.layer import Array, Case, Checkable, Run, outputs_by_name, positional

Bounds = Callable[[Case], Mapping[str, Array] | None]
"""Error bounds by result (`y`, `dx`) of a float64 case, or None where none can be derived."""


@dataclass(frozen=True)
class Trial:
    """A layer on a backend, and the case that a claim is tried on."""

    layer: Checkable
    on: Adapter
    seed: int
    bounds: Bounds
    case: Case

    def drawn(self, left_out: frozenset[str] = frozenset()) -> Case:
        """The case with some inputs left out."""
        drawn = ordinary(self.layer.definition, self.case.rows, self.case.features, self.seed, left_out)
        return self.on.given(drawn)

    def called(
        self, place: Callable[[Any], Any], case: Case | None = None, later: Callable[[Any], Any] | None = None
    ) -> tuple[list[Any], list[Any], Run]:
        """Return the backend's own arrays that it was given, those of its outputs, and the results of the call.

        `place` makes an array of a NumPy array, and `later` one of a cotangent, the same way by default.
        """
        layer, case, functions = self.layer, case or self.case, self.on.functions
        arguments, constants = positional(layer, case)
        given = [place(value) for value in arguments]
        result, saved = functions.forward(*given, **constants)
        cotangents = [(later or place)(case.cotangents[name]) for name in layer.definition.outputs]
        gradients = functions.backward(saved, *cotangents)
        return [*given, *cotangents], [*outputs_by_name(layer, result).values()], self.read(result, gradients, saved)

    def read(self, result: Any, gradients: Any, saved: Any = None) -> Run:
        """Results as NumPy arrays."""
        outputs = {name: self.on.value(value) for name, value in outputs_by_name(self.layer, result).items()}
        moved = {e.name: self.on.value(v) for e, v in zip(self.layer.differentiable, gradients, strict=True)}
        return Run(outputs, moved, saved)
