"""Attention softmaxes as people write them, at logits that no exponential of a float holds: no NaN, and every result as
near to that in long double as its bound says, in all four directions. Exponents of long double need no shift.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from lngen.checks.bounds import NUMPY, Summation, error_bounds
from lngen.checks.derived import checkable
from lngen.checks.layer import Case
from lngen.language.definition import Definition
from lngen.language.parsing import parse
from lngen.language.syntax import Kind
from lngen.pipeline.files.loading import module_from_files
from lngen.pipeline.stages import Derived, derived
from lngen.report.audit import audit
from tests.fuzz.answers import GRADIENT, OUTPUT, SECOND, SECOND_OF_COTANGENT, TANGENT, Point, answers
from tests.fuzz.wide import WIDE
from tests.tiers import sample

TEXTS = """
def additive_mask(x: Row, mask: Data): e = exp(x + mask); return e/sum(e)
def contrastive(x: Row, z: Row): return -log(sum(exp(z))/(sum(exp(x)) + sum(exp(z))))
def entropy(x: Row): p = exp(x)/sum(exp(x)); return -sum(p*log(p))
def gates(x: Row, z: Row): s = 1/(1 + exp(-x)); p = log(1 + exp(x)); a = log(exp(x) + exp(z)); return s, p, a
def kl_divergence(x: Row, t: Row): p = exp(t)/sum(exp(t)); q = exp(x)/sum(exp(x)); return sum(p*log(p/q))
def label_smoothing(x: Row, t: Row, c: Constant = 0.1): l = x - log(sum(exp(x))); return -(1 - c)*sum(t*l) - c*mean(l)
def least_and_largest(x: Row): e = exp(x); p = e/sum(e); y = (e - min(e))/(max(e) - min(e) + 0.01); return y, p
def masked_sink(x: Row, keep: Data, sink: RowScalar): e = where(keep > 0, exp(x), 0); return e/(exp(sink) + sum(e))
def sink_of_row(x: Row, sink: RowScalar): e = exp(x); return e/(exp(sink) + sum(e))
def sink_scalar(x: Row, v: Row, sink: Scalar): e = exp(x); return sum(e*v)/(exp(sink) + sum(e))
def soft_cap(x: Row, cap: Constant = 50): u = cap*tanh(x/cap); e = exp(u); return e/sum(e)
def softmax_one(x: Row): e = exp(x); return e/(1 + sum(e))
def temperature(x: Row, t: Scalar): e = exp(x/t); return e/sum(e)
def where_mask(x: Row, keep: Data): e = where(keep > 0, exp(x), 0); return e/sum(e)
def z_loss(x: Row): z = log(sum(exp(x))); return z**2
"""
DEFINITIONS = {re.split(r"\W", text)[1]: text for text in TEXTS.strip().splitlines()}
"""Sinks are those of gpt-oss, the cap is that of Gemma 2, and `softmax_one` is Miller's, "Attention Is Off By One"."""
LOGITS = ("x", "z", "t", "sink", "mask")
ROWS, FEATURES = 3, 7
LARGE = [("float32", 1e4), ("float16", 1e3), ("float32", 90.0)]
"""Types, and deviations of logits: of 1e4, of what float16 rows hold, and around where float32 overflows."""


@functools.cache
def made(name: str) -> Derived:
    """The layer of a definition, proved."""
    return derived(parse(DEFINITIONS[name]))


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


def bounds(layer: Derived, at: Point, dtype: str, arithmetic: Summation) -> Mapping[tuple[str, str], Any]:
    """Return the error bound of each result, by the program that computes it."""
    plan, definition = layer.plan, layer.definition
    case, along = at.case, {f"d{name}": value for name, value in at.directions.items()}
    first = error_bounds(plan.forward, plan.backward, case, dtype, arithmetic)
    found = {(OUTPUT, name): first[name] for name in definition.outputs}
    found |= {(GRADIENT, e.name): first[f"d{e.name}"] for e in definition.differentiable}
    dots = {f"{name}_dot": value for name, value in at.directions.items()}
    tangents = replace(case, inputs={**case.inputs, **dots}, cotangents=at.directions)
    moved = error_bounds(plan.forward, plan.jvp, tangents, dtype, arithmetic)
    found |= {(TANGENT, name): moved[f"{name}_dot"] for name in definition.outputs}
    doubled = {f"d{name}": value for name, value in along.items()}
    of_gradients = replace(case, inputs={**case.inputs, **doubled}, cotangents={**case.cotangents, **along})
    second = error_bounds(plan.forward, plan.backward_backward, of_gradients, dtype, arithmetic)
    found |= {(SECOND, e.name): second[f"d{e.name}"] for e in definition.differentiable}
    return found | {(SECOND_OF_COTANGENT, name): second[f"dd{name}"] for name in definition.outputs}


def assert_right(layer: Derived, module: Any, at: Point, dtype: str) -> None:
    found, wanted = (answers(checkable(layer.plan, module), point) for point in (at, at.astype(WIDE)))
    allowed = bounds(layer, at, dtype, NUMPY)
    for result, value in found.items():
        size = np.abs(wanted[result].astype(np.float64))
        holds = size < float(np.finfo(np.float16).max) if dtype == "float16" else size < 1e38
        assert np.isfinite(value.astype(np.float64)[holds]).all(), result
        error = np.abs(value.astype(np.float64) - wanted[result].astype(np.float64))
        assert np.all((error <= allowed[result])[holds]), (result, error, allowed[result])


@pytest.mark.parametrize(
    ("name", "dtype", "scale"),
    sample(
        [(name, *large) for name in DEFINITIONS for large in LARGE],
        (),
        [(name, *LARGE[place % 3 if place % 8 else 0]) for place, name in enumerate(DEFINITIONS)],
    ),
)
def test_large_logits_are_right_in_all_directions(name: str, dtype: str, scale: float) -> None:
    layer = made(name)
    at = point(layer.definition, dtype, scale)
    module = module_from_files(layer.files, name)
    if dtype == "float32":
        with np.errstate(over="raise"):
            module.forward(*at.case.inputs.values())
    assert_right(layer, module, at, dtype)


@pytest.mark.parametrize("name", sample(DEFINITIONS, ()))
def test_no_exponential_is_left_to_overflow(name: str) -> None:
    layer = made(name)
    found = audit(layer.plan)
    assert found.warning == ""
    assert {h.status for h in found.hazards if h.kind == "exponential"} == {"removed"}
    rules = [step.rule for step in layer.plan.derivation.steps]
    assert "largest exponent taken out" in rules
    assert all(proof.passed for proof in layer.plan.derivation.proofs)


@pytest.mark.ci
def test_a_row_of_which_nothing_is_kept_is_as_the_definition_says() -> None:
    x, keep = np.full((2, 4), 1e4, np.float32), np.array([[0, 0, 0, 0], [1, 0, 0, 1]], np.float32)
    x[:, 1] = 3e4
    masked, sunk = (_emitted(name) for name in ("where_mask", "masked_sink"))
    with np.errstate(invalid="ignore", divide="ignore"):
        y, saved = masked.forward(x, keep)
        dx = masked.backward(saved, np.ones_like(x)).dx
    assert np.isnan(y[0]).all()
    np.testing.assert_array_equal(y[1], [0.5, 0, 0, 0.5])
    np.testing.assert_array_equal(dx[1], 0)
    y, saved = sunk.forward(x, keep, np.zeros(2, np.float32))
    np.testing.assert_array_equal(y, [[0, 0, 0, 0], [0.5, 0, 0, 0.5]])
    np.testing.assert_array_equal(sunk.backward(saved, np.ones_like(x)).dx, 0)


@pytest.mark.ci
def test_an_added_mask_of_minus_infinity_leaves_entries_out() -> None:
    layer = _emitted("additive_mask")
    x = np.array([[1e4, 9e4, 1e4, 2e4], [1, 2, 3, 4]], np.float32)
    mask = np.array([[0, -np.inf, 0, -np.inf], [-np.inf] * 4], np.float32)
    with np.errstate(invalid="ignore", divide="ignore"):
        y, saved = layer.forward(x, mask)
        dx = layer.backward(saved, np.arange(8, dtype=np.float32).reshape(2, 4)).dx
    np.testing.assert_array_equal(y[0], [0.5, 0, 0.5, 0])
    np.testing.assert_array_equal(dx[0], [-0.5, 0, 0.5, 0])
    assert np.isnan(y[1]).all(), "0/0, as in the definition"


def _emitted(name: str) -> Any:
    return module_from_files(made(name).files, name)
