"""A derived layer made ready for checking: its programs, its proofs, and its unsimplified adjoint as a
function.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType
from typing import Any

import numpy as np

from lngen.algebra.equations import Forward
from lngen.algebra.numeric import Arithmetic, evaluate_equations, evaluate_expression
from lngen.algebra.symbols import D, TypedSymbol
from lngen.checks.evidence import Evidence
from lngen.checks.layer import Adjoint, Array, Checkable, Emitted, Second
from lngen.checks.on_rows import on_rows
from lngen.derivation.derivation import FIFTY, Derivation, Proof
from lngen.derivation.double_backward import backward_as_forward
from lngen.derivation.jvp import tangent
from lngen.language.oracle.random import drawn_from
from lngen.language.syntax import Kind
from lngen.plan.planner import Plan


def checkable(plan: Plan, module: Emitted) -> Checkable:
    """An emitted module, with rows for arrays, beside the plan that it was emitted from."""
    derivation = plan.derivation
    return Checkable(
        derivation.definition,
        on_rows(module) if derivation.definition.layout and isinstance(module, ModuleType) else module,
        plan.forward,
        plan.backward,
        second_derivation(derivation),
        tuple(map(_evidence, derivation.proofs)),
        derivative_of_gradients(derivation),
        derivation,
    )


def _evidence(proof: Proof) -> Evidence:
    kind = FIFTY if proof.kind == FIFTY else "exact proof"
    return Evidence(kind, proof.statement, (), "exact", None, None, proof.passed, claimed=proof.claimed)


def second_derivation(derivation: Derivation) -> Adjoint:
    """Return the unsimplified adjoint as a function of inputs and cotangents by name.

    It computes in the type of the first row. A missing input is its neutral value, a missing cotangent zero. Gradients
    have the shapes of their inputs, for inputs that are present.
    """

    def gradients(inputs: Mapping[str, Any], cotangents: Mapping[str, Any]) -> dict[str, Array]:
        definition = derivation.definition
        first = np.asarray(inputs[definition.rows[0].name])
        rows, features = first.shape
        environment = _environment(derivation, inputs, cotangents, first)
        with np.errstate(all="ignore"):
            arithmetic = Arithmetic(dtype=first.dtype)
            values = evaluate_equations(derivation.written.equations, environment, arithmetic)
            values = evaluate_equations(derivation.adjoint.equations, values, arithmetic)
        return {
            symbol.name: shaped(values[gradient], definition.input(symbol.name).kind, rows, features)
            for symbol, gradient in derivation.adjoint.gradients
            if inputs.get(symbol.name) is not None
        }

    return gradients


def derivative_of_gradients(derivation: Derivation) -> Second:
    """Return the derivative of the unsimplified adjoint along directions in inputs and cotangents, unsimplified too."""
    written, adjoint = derivation.written, derivation.adjoint
    whole = backward_as_forward(written, adjoint.cotangents, adjoint.equations, adjoint.gradients)
    along = tangent(whole.forward)

    def moved(
        inputs: Mapping[str, Any], cotangents: Mapping[str, Any], directions: Mapping[str, Any]
    ) -> dict[str, Array]:
        definition = derivation.definition
        first = np.asarray(inputs[definition.rows[0].name])
        environment = _environment(derivation, inputs, cotangents, first)
        kinds = [entry.kind for entry in definition.differentiable]
        kinds += [definition.output_kind(name) for name in definition.outputs]
        arithmetic = Arithmetic(dtype=first.dtype)
        with np.errstate(all="ignore"):
            values = evaluate_equations(whole.forward.equations, environment, arithmetic)
            for symbol, argument, kind in zip(whole.forward.differentiable, along.arguments, kinds, strict=True):
                values[argument] = _given(directions.get(symbol.name, 0.0), kind, first)
            values = evaluate_equations(along.equations, values, arithmetic)
            results = [evaluate_expression(result, values, arithmetic) for _, result in along.results]
        return {
            entry.name: shaped(result, entry.kind, *first.shape)
            for entry, result in zip(definition.differentiable, results, strict=True)
            if inputs.get(entry.name) is not None
        }

    return moved


def _environment(
    derivation: Derivation, inputs: Mapping[str, Any], cotangents: Mapping[str, Any], first: Array
) -> dict[TypedSymbol, Any]:
    definition = derivation.definition
    environment = arguments(derivation.written, inputs, first)
    for name, symbol in zip(definition.outputs, derivation.adjoint.cotangents, strict=True):
        value = cotangents.get(name)
        environment[symbol] = _given(0.0 if value is None else value, definition.output_kind(name), first)
    return environment


def arguments(forward: Forward, inputs: Mapping[str, Any], first: Array) -> dict[TypedSymbol, Any]:
    """Return the values of what a forward reads, in the type and the shape of the first row."""
    environment: dict[TypedSymbol, Any] = {D: first.shape[1]}
    for entry, symbol in zip(forward.inputs, forward.symbols, strict=True):
        value = inputs.get(entry.name)
        if value is None and entry.draws:
            value = drawn_from(entry.draws, inputs, first.shape)
        environment[symbol] = _given(float(entry.default or 0) if value is None else value, entry.kind, first)
    return environment


def _given(value: Any, kind: Kind, first: Array) -> Array:
    array = np.asarray(value, first.dtype)
    rows, features = first.shape
    if array.ndim == 0:
        return np.broadcast_to(array, _shape(kind, rows, features))
    return array[:, None] if Kind.join(kind) is Kind.ROW_SCALAR else array


def _shape(kind: Kind, rows: int, features: int) -> tuple[int, ...]:
    if kind.over_rows:
        return (rows, features) if kind.over_features else (rows, 1)
    return (features,) if kind.over_features else ()


def shaped(value: Any, kind: Kind, rows: int, features: int) -> Array:
    """Return a value in the shape that a caller has of its kind."""
    full = np.broadcast_to(np.asarray(value), _shape(kind, rows, features))
    return np.asarray(full[:, 0] if Kind.join(kind) is Kind.ROW_SCALAR else full)
