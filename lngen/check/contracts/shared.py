"""The contracts that every backend keeps, tried in float64 through the emitted functions alone."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, combinations
from typing import Any

import numpy as np

from lngen.check.contracts.claim import (
    FEATURES,
    ROWS,
    Bounds,
    Claim,
    beyond,
    cut,
    different,
    listed,
    results,
    row_results,
    same,
)
from lngen.check.inputs import ordinary
from lngen.check.layer import Case, Checkable, outputs_by_name, positional, run
from lngen.language.oracle.evaluate import FLOAT64, evaluate
from lngen.language.syntax import Kind


def claims(layer: Checkable, seed: int, bounds: Bounds) -> list[Claim]:
    """The contracts of a layer."""
    features = max(FEATURES, layer.definition.minimum_features)
    case = ordinary(layer.definition, ROWS, features, seed)
    made = [
        Claim("a zero cotangent gives exactly zero", case.shape, lambda: _zero_cotangent(layer, case)),
        Claim("a row is the same alone and in company", case.shape, lambda: rows_alone(layer, case)),
        Claim("NaN in a row stays in it", case.shape, lambda: nan_stays(layer, case)),
        Claim("out= gives the same bits", case.shape, lambda: _out(layer, case)),
        Claim("any leading shape", case.shape, lambda: _leading_shapes(layer, case)),
        Claim("zero rows", (0, features), lambda: _zero_rows(layer, features, seed)),
        Claim("left-out inputs", case.shape, lambda: _left_out(layer, features, seed, bounds)),
    ]
    if len(layer.definition.outputs) > 1:
        made.append(Claim("a cotangent left out is zero", case.shape, lambda: _cotangents_left_out(layer, case)))
    return made


def _zero_cotangent(layer: Checkable, case: Case) -> str:
    zeros = {name: np.zeros_like(value) for name, value in case.cotangents.items()}
    answer = run(layer, replace(case, cotangents=zeros))
    bad = [f"d{name}" for name, value in answer.gradients.items() if value is not None and np.any(value != 0)]
    return listed(bad, "not exactly zero")


def rows_alone(layer: Checkable, case: Case) -> str:
    """Describe a row result that changes when the row is computed alone; empty if there is none."""
    together = results(run(layer, case))
    for row in range(case.rows):
        only = slice(row, row + 1)
        alone = results(run(layer, cut(layer, case, only)))
        for name in row_results(layer):
            if not same(alone[name], np.asarray(together[name])[only]):
                return f"{name}: row {row} is different alone"
    return ""


def nan_stays(layer: Checkable, case: Case) -> str:
    """Describe a row result with a NaN of another row, or without a NaN of its own; empty if there is none."""
    before = results(run(layer, case))
    poisoned = dict(case.inputs)
    row = case.rows // 2
    for entry in layer.definition.rows:
        value = np.array(poisoned[entry.name])
        value[row, 0] = np.nan
        poisoned[entry.name] = value
    after = results(run(layer, replace(case, inputs=poisoned)))
    others = np.arange(case.rows) != row
    bad = [
        name
        for name in row_results(layer)
        if not same(np.asarray(before[name])[others], np.asarray(after[name])[others])
    ]
    wide = replace(case, inputs=poisoned).astype(np.float64).inputs
    expected = evaluate(layer.definition, wide, FLOAT64)
    lost = [
        name
        for name in layer.definition.outputs
        if np.isnan(np.asarray(expected[name])[row]).any() != np.isnan(np.asarray(after[name])[row]).any()
    ]
    return listed(lost, "NaN where the definition has none, or none where it has") or listed(
        bad, "changed in rows without NaN"
    )


def _out(layer: Checkable, case: Case) -> str:
    plain = run(layer, case)
    inputs, constants = positional(layer, case)
    given = [np.full_like(plain.outputs[name], np.nan) for name in layer.definition.outputs]
    result, saved = layer.module.forward(*inputs, **constants, out=given[0] if len(given) == 1 else tuple(given))
    outputs = outputs_by_name(layer, result)
    if any(not np.shares_memory(outputs[n], g) for n, g in zip(layer.definition.outputs, given, strict=True)):
        return "forward did not return what out= gave it"
    cotangents = [case.cotangents[name] for name in layer.definition.outputs]
    wanted = [None if v is None else np.full_like(v, np.nan) for v in plain.gradients.values()]
    gradients = layer.module.backward(saved, *cotangents, out=tuple(wanted))
    filled = dict(zip(plain.gradients, wanted, strict=True))
    bad = different(dict(plain.outputs), dict(zip(layer.definition.outputs, given, strict=True)))
    bad += [f"d{name}" for name in different(plain.gradients, filled)]
    bad += [f"d{n}" for n, g in zip(plain.gradients, gradients, strict=True) if not same(g, filled[n])]
    return listed(bad, "not what was computed without out=")


def _leading_shapes(layer: Checkable, case: Case) -> str:
    whole = cut(layer, case, slice(0, 4))
    flat = results(run(layer, whole))
    for leading, count in (((2, 2), 4), ((1, 1, 1), 1), ((), 1)):
        part = cut(layer, whole, slice(0, count))
        shaped = {e.name: _led(e.kind, part.inputs[e.name], leading) for e in layer.definition.inputs}
        cotangents = {n: _led(layer.definition.output_kind(n), v, leading) for n, v in part.cotangents.items()}
        answer = results(run(layer, replace(part, inputs=shaped, cotangents=cotangents)))
        for name in row_results(layer):
            expected = np.asarray(flat[name])[:count]
            expected = expected.reshape(leading + expected.shape[1:])
            if not same(np.asarray(answer[name]), expected):
                return f"{name}: wrong for leading shape {leading}"
    return ""


def _led(kind: Kind, value: Any, leading: tuple[int, ...]) -> Any:
    return value.reshape(leading + value.shape[1:]) if kind.over_rows and value is not None else value


def _zero_rows(layer: Checkable, features: int, seed: int) -> str:
    case = ordinary(layer.definition, 0, features, seed)
    found = results(run(layer, case))
    bad = []
    for entry in layer.differentiable:
        gradient = np.asarray(found[f"d{entry.name}"])
        if gradient.shape != np.shape(case.inputs[entry.name]) or np.any(gradient != 0):
            bad.append(f"d{entry.name}")
    bad += [n for n, ct in case.cotangents.items() if np.asarray(found[n]).shape != np.shape(ct)]
    return listed(bad, "wrong shape or not zero")


def _left_out(layer: Checkable, features: int, seed: int, bounds: Bounds) -> str:
    optional = [entry for entry in layer.definition.positional if entry.default is not None]
    for some in chain.from_iterable(combinations(optional, n) for n in range(1, len(optional) + 1)):
        names = frozenset(entry.name for entry in some)
        case = ordinary(layer.definition, ROWS, features, seed, names)
        without = results(run(layer, case))
        present = ordinary(layer.definition, ROWS, features, seed).inputs
        neutral = {e.name: np.full(np.shape(present[e.name]), float(e.default or 0)) for e in some}
        explicit = replace(case, inputs={**case.inputs, **neutral})
        trouble = beyond(results(run(layer, explicit)), without, bounds(explicit))
        if trouble:
            return f"without {', '.join(sorted(names))}: {trouble}"
        not_none = [f"d{name}" for name in sorted(names) if without.get(f"d{name}") is not None]
        if not_none:
            return f"without {', '.join(sorted(names))}: {', '.join(not_none)} is not None"
    return ""


def _cotangents_left_out(layer: Checkable, case: Case) -> str:
    for name in layer.definition.outputs:
        zero = replace(case, cotangents={**case.cotangents, name: np.zeros_like(case.cotangents[name])})
        absent = replace(case, cotangents={**case.cotangents, name: None})
        bad = different(results(run(layer, zero)), results(run(layer, absent)))
        if bad:
            return listed(bad, f"not the same for d{name}=None and zero")
    return ""
