"""A derived layer made ready for checking: its programs, its proofs, and its unsimplified adjoint as a
function.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lngen.check.evidence import Evidence
from lngen.check.layer import Adjoint, Array, Checkable, Emitted
from lngen.definition import Kind
from lngen.derivation import Derivation
from lngen.numeric import Arithmetic, evaluate_equations
from lngen.plan import Plan
from lngen.symbolic import D, TypedSymbol

_EVIDENCE_KINDS = {"exact": "exact proof", "50 digits": "50 digits"}


def checkable(plan: Plan, module: Emitted) -> Checkable:
    """An emitted module beside the plan that it was emitted from."""
    derivation = plan.derivation
    return Checkable(
        derivation.definition,
        module,
        plan.forward,
        plan.backward,
        second_derivation(derivation),
        tuple(
            Evidence(
                _EVIDENCE_KINDS.get(proof.kind, proof.kind),
                proof.statement,
                (),
                "exact",
                None,
                None,
                proof.passed,
            )
            for proof in derivation.proofs
        ),
    )


def second_derivation(derivation: Derivation) -> Adjoint:
    """The unsimplified adjoint as a function of inputs and cotangents by name; it computes in the type of
    the first row.

    A missing input is its neutral value, a missing cotangent zero. Gradients have the shapes of their
    inputs, for those that are there.
    """

    def gradients(inputs: Mapping[str, Any], cotangents: Mapping[str, Any]) -> dict[str, Array]:
        definition = derivation.definition
        first = np.asarray(inputs[definition.rows[0].name])
        rows, features = first.shape
        environment: dict[TypedSymbol, Any] = {D: features}
        for entry, symbol in zip(derivation.written.inputs, derivation.written.symbols, strict=True):
            value = inputs.get(entry.name)
            environment[symbol] = _given(float(entry.default or 0) if value is None else value, entry.kind, first)
        for name, symbol in zip(definition.outputs, derivation.adjoint.cotangents, strict=True):
            value = cotangents.get(name)
            environment[symbol] = _given(0.0 if value is None else value, definition.output_kind(name), first)
        with np.errstate(all="ignore"):
            arithmetic = Arithmetic(dtype=first.dtype)
            values = evaluate_equations(derivation.written.equations, environment, arithmetic)
            values = evaluate_equations(derivation.adjoint.equations, values, arithmetic)
        return {
            symbol.name: _shaped(values[gradient], definition.input(symbol.name).kind, rows, features)
            for symbol, gradient in derivation.adjoint.gradients
            if inputs.get(symbol.name) is not None
        }

    return gradients


def _given(value: Any, kind: Kind, first: Array) -> Array:
    array = np.asarray(value, first.dtype)
    rows, features = first.shape
    if array.ndim == 0:
        return np.broadcast_to(array, _shape(kind, rows, features))
    return array[:, None] if kind is Kind.ROW_SCALAR else array


def _shape(kind: Kind, rows: int, features: int) -> tuple[int, ...]:
    if kind.over_rows:
        return (rows, features) if kind.over_features else (rows, 1)
    return (features,) if kind.over_features else ()


def _shaped(value: Any, kind: Kind, rows: int, features: int) -> Array:
    full = np.broadcast_to(np.asarray(value), _shape(kind, rows, features))
    return np.asarray(full[:, 0] if kind is Kind.ROW_SCALAR else full)
