"""Attention softmaxes as people write them, at logits that no exponential of a float holds: no NaN, and every result as
near to the exact one as its bound says, in all four directions.

The exact outputs and gradients are differences of the definition at 80 digits; what they move by is the unsimplified
derivative, at as many. Neither knows of a shift.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

from lngen.check import reference
from lngen.check.bounds import NUMPY, Summation, error_bounds
from lngen.check.derived import checkable
from lngen.check.layer import Case
from lngen.derivation.derivation import Derivation
from lngen.derivation.double_backward import backward_as_forward
from lngen.derivation.jvp import tangent
from lngen.expressions.numeric import Arithmetic, Environment, evaluate_equations, evaluate_expression
from lngen.expressions.symbols import D
from lngen.files.loading import module_from_files
from lngen.language.definition import Definition
from lngen.language.parsing import load
from lngen.language.syntax import Kind
from lngen.pipeline import Derived, derived
from tests.fuzz.answers import GRADIENT, OUTPUT, SECOND, SECOND_OF_COTANGENT, TANGENT, Point, Results, answers

PATHS = sorted((Path(__file__).parent / "definitions" / "attention").glob("*.py"))
LOGITS = ("x", "z", "t", "sink", "mask")
ROWS, FEATURES = 5, 9
LARGE = [("float32", 1e4), ("float16", 1e3), ("float32", 90.0)]
"""Types, and deviations of logits: of 1e4, of what float16 rows hold, and around where float32 overflows."""

_DIGITS = 80


@functools.cache
def made(path: Path) -> Derived:
    """The layer of a definition, proved."""
    return derived(load(path))


def shape_of(kind: Kind) -> tuple[int, ...]:
    return tuple(n for n, over in ((ROWS, kind.over_rows), (FEATURES, kind.over_features)) if over)


def point(definition: Definition, dtype: str, scale: float) -> Point:
    """Logits of a deviation, everything else of order one; all in numbers of the type."""
    rng = np.random.default_rng(len(definition.name))
    inputs: dict[str, Any] = {}
    for entry in definition.inputs:
        if entry.kind is Kind.CONSTANT:
            continue
        values = np.asarray(rng.standard_normal(shape_of(entry.kind)))
        of_order_one = entry.name not in LOGITS or entry.kind is Kind.SCALAR
        inputs[entry.name] = (
            np.abs(values) + 0.5 if entry.kind is Kind.SCALAR else values if of_order_one else values * scale
        )
    cotangents = {
        name: np.asarray(rng.standard_normal(shape_of(definition.output_kind(name)))) for name in definition.outputs
    }
    along = {e.name: np.asarray(rng.standard_normal(shape_of(e.kind))) for e in definition.differentiable}
    case = Case("large logits", ROWS, FEATURES, inputs, cotangents)
    return Point(case, along).astype(dtype)


def exact(derivation: Derivation, at: Point) -> Results:
    """Everything that `answers` has."""
    definition = derivation.definition
    found: Results = {(OUTPUT, name): value for name, value in reference.outputs(definition, at.case).items()}
    found |= {(GRADIENT, name): value for name, value in reference.derivatives(definition, at.case).items()}
    with mpmath.workdps(_DIGITS):
        adjoint, arithmetic = derivation.adjoint, Arithmetic(_DIGITS)
        whole = backward_as_forward(derivation.written, adjoint.cotangents, adjoint.equations, adjoint.gradients)
        values = evaluate_equations(whole.forward.equations, _environment(derivation, at), arithmetic)
        moved = tangent(derivation.written)
        for what, pass_ in ((TANGENT, moved), (SECOND, tangent(whole.forward))):
            directions = {argument: _lifted(0.0, Kind.SCALAR) for argument in pass_.arguments}
            for symbol, argument in zip(derivation.written.differentiable, pass_.arguments, strict=False):
                directions[argument] = _lifted(at.directions[symbol.name], definition.input(symbol.name).kind)
            known = evaluate_equations(pass_.equations, values | directions, arithmetic)
            names = definition.outputs if what == TANGENT else [s.name for s, _ in adjoint.gradients]
            for name, (_, result) in zip(names, pass_.results, strict=True):
                kind = definition.output_kind(name) if what == TANGENT else definition.input(name).kind
                value = np.asarray(evaluate_expression(result, known, arithmetic), object)
                stored = (*shape_of(kind), 1) if kind is Kind.ROW_SCALAR else shape_of(kind)
                found[what, name] = np.broadcast_to(value, stored).reshape(shape_of(kind))
    return found | {(SECOND_OF_COTANGENT, name): found[TANGENT, name] for name in definition.outputs}


def _environment(derivation: Derivation, at: Point) -> Environment:
    definition = derivation.definition
    environment: Environment = {D: FEATURES}
    for entry, symbol in zip(derivation.written.inputs, derivation.written.symbols, strict=True):
        given = at.case.inputs.get(entry.name, entry.default)
        environment[symbol] = _lifted(given, entry.kind)
    for name, symbol in zip(definition.outputs, derivation.adjoint.cotangents, strict=True):
        environment[symbol] = _lifted(at.case.cotangents[name], definition.output_kind(name))
    return environment


def _lifted(value: Any, kind: Kind) -> Any:
    lifted = np.frompyfunc(lambda number: mpmath.mpf(float(number)), 1, 1)(np.asarray(value))
    return lifted[:, None] if kind is Kind.ROW_SCALAR else lifted


def bounds(layer: Derived, at: Point, dtype: str, arithmetic: Summation) -> Mapping[tuple[str, str], Any]:
    """How far each result may be off, by the program that computes it."""
    plan, definition = layer.plan, layer.definition
    case, along = at.case, {f"d{name}": value for name, value in at.directions.items()}
    first = error_bounds(plan.forward, plan.backward, case, dtype, arithmetic)
    found = {(OUTPUT, name): first[name] for name in definition.outputs}
    found |= {(GRADIENT, e.name): first[f"d{e.name}"] for e in definition.differentiable}
    tangents = replace(case, inputs={**case.inputs, **along}, cotangents=at.directions)
    moved = error_bounds(plan.forward, plan.jvp, tangents, dtype, arithmetic)
    found |= {(TANGENT, name): moved[f"d{name}"] for name in definition.outputs}
    doubled = {f"d{name}": value for name, value in along.items()}
    of_gradients = replace(case, inputs={**case.inputs, **doubled}, cotangents={**case.cotangents, **along})
    second = error_bounds(plan.forward, plan.backward_backward, of_gradients, dtype, arithmetic)
    found |= {(SECOND, e.name): second[f"d{e.name}"] for e in definition.differentiable}
    return found | {(SECOND_OF_COTANGENT, name): second[f"dd{name}"] for name in definition.outputs}


def assert_right(layer: Derived, found: Results, at: Point, dtype: str, arithmetic: Summation = NUMPY) -> None:
    wanted, allowed = exact(layer.plan.derivation, at), bounds(layer, at, dtype, arithmetic)
    for result, value in found.items():
        size = np.abs(wanted[result].astype(np.float64))
        holds = size < float(np.finfo(np.float16).max) if dtype == "float16" else size < 1e38
        assert np.isfinite(value.astype(np.float64)[holds]).all(), result
        error = np.abs(value.astype(np.float64) - wanted[result].astype(np.float64))
        assert np.all((error <= allowed[result])[holds]), (result, error, allowed[result])


@pytest.mark.parametrize(("dtype", "scale"), LARGE)
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_large_logits_are_right_in_all_directions(path: Path, dtype: str, scale: float) -> None:
    layer = made(path)
    at = point(layer.definition, dtype, scale)
    module = module_from_files(layer.files, path.stem)
    assert_right(layer, answers(checkable(layer.plan, module), at), at, dtype)
