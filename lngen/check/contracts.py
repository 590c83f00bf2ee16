"""What emitted code promises besides numbers: shapes, dtypes, memory, independence of rows, determinism."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, combinations
from typing import Any

import numpy as np

from lngen.check.evidence import Evidence
from lngen.check.inputs import ordinary
from lngen.check.layer import Array, Case, Checkable, Run, outputs_by_name, positional, run
from lngen.definition import Kind

_ROWS, _FEATURES = 5, 7

Bounds = Callable[[Case], Mapping[str, Array] | None]
"""Error bounds by result (`y`, `dx`) of a float64 case, or None where none can be derived."""


def check_contracts(layer: Checkable, seed: int, bounds: Bounds) -> tuple[Evidence, ...]:
    """Every contract, in float64 unless its name says otherwise. An exception of the emitted code is a
    failure.
    """
    features = max(_FEATURES, layer.definition.minimum_features)
    case = ordinary(layer.definition, _ROWS, features, seed)
    claims: list[tuple[str, Callable[[], str]]] = [
        ("a zero cotangent gives exactly zero", lambda: _zero_cotangent(layer, case)),
        ("a row is the same alone and in company", lambda: _rows_alone(layer, case)),
        ("NaN in a row stays in it", lambda: _nan_stays(layer, case)),
        ("inputs are never written", lambda: _read_only(layer, case)),
        ("out= gives the same bits", lambda: _out(layer, case)),
        ("non-contiguous inputs give the same result", lambda: _strided(layer, case, bounds)),
        ("any leading shape", lambda: _leading_shapes(layer, case)),
        ("zero rows", lambda: _zero_rows(layer, features, seed)),
        ("saved holds references and row scalars", lambda: _saved(layer, seed)),
        ("left-out inputs", lambda: _left_out(layer, features, seed, bounds)),
        ("dtypes and shapes of results", lambda: _dtypes(layer, case)),
        ("two runs give the same bits", lambda: _deterministic(layer, case)),
    ]
    if len(layer.definition.outputs) > 1:
        claims.append(("a cotangent left out is zero", lambda: _cotangents_left_out(layer, case)))
    return tuple(_claim(what, claim, case) for what, claim in claims)


def _claim(what: str, claim: Callable[[], str], case: Case) -> Evidence:
    try:
        trouble = claim()
    except Exception as error:  # whatever emitted code raises is its failure to report, not ours to pass on
        trouble = f"{type(error).__name__}: {error}"
    return Evidence("contracts", what, case.shape, "float64", None, None, not trouble, trouble)


def _results(answer: Run) -> dict[str, Array | None]:
    return {**answer.outputs, **{f"d{name}": value for name, value in answer.gradients.items()}}


def _different_bits(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    """The names of results that are not the same, bit by bit and NaN for NaN."""
    return [name for name, value in a.items() if not _same(value, b[name])]


def _same(a: Any, b: Any) -> bool:
    if a is None or b is None:
        return a is b
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def _listed(names: Sequence[str], problem: str) -> str:
    return f"{', '.join(names)}: {problem}" if names else ""


def _zero_cotangent(layer: Checkable, case: Case) -> str:
    zeros = {name: np.zeros_like(value) for name, value in case.cotangents.items()}
    answer = run(layer, replace(case, cotangents=zeros))
    bad = [f"d{name}" for name, value in answer.gradients.items() if value is not None and np.any(value != 0)]
    return _listed(bad, "not exactly zero")


def _row_results(layer: Checkable) -> list[str]:
    definition = layer.definition
    return [*definition.outputs, *(f"d{entry.name}" for entry in definition.inputs if entry.kind.over_rows)]


def _cut(layer: Checkable, case: Case, rows: slice) -> Case:
    per_row = {entry.name for entry in layer.definition.inputs if entry.kind.over_rows}
    inputs = {n: v[rows] if n in per_row and v is not None else v for n, v in case.inputs.items()}
    cotangents = {name: value[rows] for name, value in case.cotangents.items()}
    count = len(range(*rows.indices(case.rows)))
    return replace(case, rows=count, inputs=inputs, cotangents=cotangents)


def _rows_alone(layer: Checkable, case: Case) -> str:
    together = _results(run(layer, case))
    for row in range(case.rows):
        cut = slice(row, row + 1)
        alone = _results(run(layer, _cut(layer, case, cut)))
        for name in _row_results(layer):
            if not _same(alone[name], np.asarray(together[name])[cut]):
                return f"{name}: row {row} is different alone"
    return ""


def _nan_stays(layer: Checkable, case: Case) -> str:
    before = _results(run(layer, case))
    poisoned = dict(case.inputs)
    row = case.rows // 2
    for entry in layer.definition.rows:
        value = np.array(poisoned[entry.name])
        value[row, 0] = np.nan
        poisoned[entry.name] = value
    after = _results(run(layer, replace(case, inputs=poisoned)))
    others = np.arange(case.rows) != row
    bad = [
        name
        for name in _row_results(layer)
        if not _same(np.asarray(before[name])[others], np.asarray(after[name])[others])
    ]
    if not any(np.isnan(np.asarray(after[name])[row]).any() for name in layer.definition.outputs):
        return "outputs: the NaN is gone"
    return _listed(bad, "changed in rows without NaN")


def _arrays(case: Case) -> list[Array]:
    return [v for v in chain(case.inputs.values(), case.cotangents.values()) if isinstance(v, np.ndarray)]


def _read_only(layer: Checkable, case: Case) -> str:
    copied = replace(
        case,
        inputs={n: v.copy() if isinstance(v, np.ndarray) else v for n, v in case.inputs.items()},
        cotangents={n: v.copy() for n, v in case.cotangents.items()},
    )
    for array in _arrays(copied):
        array.flags.writeable = False
    bad = _different_bits(_results(run(layer, case)), _results(run(layer, copied)))
    return _listed(bad, "other result for read-only inputs")


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
    bad = _different_bits(dict(plain.outputs), dict(zip(layer.definition.outputs, given, strict=True)))
    bad += [f"d{name}" for name in _different_bits(plain.gradients, filled)]
    bad += [f"d{n}" for n, g in zip(plain.gradients, gradients, strict=True) if not _same(g, filled[n])]
    return _listed(bad, "not what was computed without out=")


def _strided(layer: Checkable, case: Case, bounds: Bounds) -> str:
    def spread(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.ndim == 0:
            return value
        wide = np.full(tuple(2 * n for n in value.shape), np.nan)
        view = wide[(slice(None, None, 2),) * value.ndim]
        view[...] = value
        return view[:, ::-1][:, ::-1] if value.ndim == 2 else view

    def transposed(value: Any) -> Any:
        return np.asfortranarray(value) if isinstance(value, np.ndarray) and value.ndim == 2 else value

    plain = _results(run(layer, case))
    for layout in (spread, transposed):
        moved = replace(
            case,
            inputs={n: layout(v) for n, v in case.inputs.items()},
            cotangents={n: layout(v) for n, v in case.cotangents.items()},
        )
        trouble = _beyond(plain, _results(run(layer, moved)), bounds(case))
        if trouble:
            return trouble
    return ""


def _beyond(a: Mapping[str, Any], b: Mapping[str, Any], bounds: Mapping[str, Array] | None) -> str:
    """Results that are further apart than two results within their error bounds can be."""
    bad = []
    for name, value in a.items():
        if value is None or b[name] is None:
            continue
        # Without a derived bound the two have to be the same.
        limit = 2 * np.asarray(bounds[name]) if bounds is not None else np.zeros(())
        if np.shape(value) != np.shape(b[name]) or np.any(np.abs(np.asarray(value) - b[name]) > limit):
            bad.append(name)
    return _listed(bad, "further apart than rounding")


def _leading_shapes(layer: Checkable, case: Case) -> str:
    whole = _cut(layer, case, slice(0, 4))
    flat = _results(run(layer, whole))
    for leading, count in (((2, 2), 4), ((1, 1, 1), 1), ((), 1)):
        part = _cut(layer, whole, slice(0, count))
        shaped = {e.name: _led(e.kind, part.inputs[e.name], leading) for e in layer.definition.inputs}
        cotangents = {n: _led(layer.definition.output_kind(n), v, leading) for n, v in part.cotangents.items()}
        answer = _results(run(layer, replace(part, inputs=shaped, cotangents=cotangents)))
        for name in _row_results(layer):
            expected = np.asarray(flat[name])[:count]
            expected = expected.reshape(leading + expected.shape[1:])
            if not _same(np.asarray(answer[name]), expected):
                return f"{name}: wrong for leading shape {leading}"
    return ""


def _led(kind: Kind, value: Any, leading: tuple[int, ...]) -> Any:
    return value.reshape(leading + value.shape[1:]) if kind.over_rows and value is not None else value


def _zero_rows(layer: Checkable, features: int, seed: int) -> str:
    case = ordinary(layer.definition, 0, features, seed)
    results = _results(run(layer, case))
    bad = []
    for entry in layer.differentiable:
        gradient = np.asarray(results[f"d{entry.name}"])
        if gradient.shape != np.shape(case.inputs[entry.name]) or np.any(gradient != 0):
            bad.append(f"d{entry.name}")
    bad += [n for n, ct in case.cotangents.items() if np.asarray(results[n]).shape != np.shape(ct)]
    return _listed(bad, "wrong shape or not zero")


def _leaves(value: Any) -> Iterator[Array]:
    """All arrays in a saved object: a tuple, a mapping, or an object with slots or attributes."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _leaves(item)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _leaves(item)
    elif type(value).__module__ not in ("builtins", "numpy"):
        slots = chain.from_iterable(getattr(base, "__slots__", ()) for base in type(value).__mro__)
        for name in sorted({*slots, *getattr(value, "__dict__", {})}):
            yield from _leaves(getattr(value, name, None))


def _saved(layer: Checkable, seed: int) -> str:
    case = ordinary(layer.definition, 3, 512, seed)
    answer = run(layer, case)
    kept = [*_arrays(case), *(np.asarray(value) for value in answer.outputs.values())]
    own = [a for a in _leaves(answer.saved) if a.size and not any(np.shares_memory(a, b) for b in kept)]
    if any(array.size > 2 * case.rows for array in own):
        return f"keeps an array of its own of shape {next(a.shape for a in own if a.size > 2 * case.rows)}"
    if not list(_leaves(answer.saved)) and layer.backward_program and layer.backward_program.rows:
        return "no array in it could be seen"
    return ""


def _left_out(layer: Checkable, features: int, seed: int, bounds: Bounds) -> str:
    optional = [entry for entry in layer.differentiable if entry.default is not None]
    for some in chain.from_iterable(combinations(optional, n) for n in range(1, len(optional) + 1)):
        names = frozenset(entry.name for entry in some)
        case = ordinary(layer.definition, _ROWS, features, seed, names)
        without = _results(run(layer, case))
        present = ordinary(layer.definition, _ROWS, features, seed).inputs
        neutral = {e.name: np.full(np.shape(present[e.name]), float(e.default or 0)) for e in some}
        explicit = replace(case, inputs={**case.inputs, **neutral})
        trouble = _beyond(_results(run(layer, explicit)), without, bounds(explicit))
        if trouble:
            return f"without {', '.join(sorted(names))}: {trouble}"
        not_none = [f"d{name}" for name in sorted(names) if without[f"d{name}"] is not None]
        if not_none:
            return f"without {', '.join(sorted(names))}: {', '.join(not_none)} is not None"
    return ""


def _dtypes(layer: Checkable, case: Case) -> str:
    leading = layer.definition.rows[0].name
    for first, others in (
        (np.float16, np.float16),
        (np.float32, np.float32),
        (np.float16, np.float32),
        (np.float32, np.float64),
        (np.float64, np.float64),
    ):
        mixed = case.astype(others)
        mixed = replace(mixed, inputs={**mixed.inputs, leading: np.asarray(case.inputs[leading], first)})
        answer = run(layer, mixed)
        for name, value in answer.outputs.items():
            if value.dtype != first or value.shape != case.cotangents[name].shape:
                return f"{name}: {value.dtype}{value.shape} for a first row of {np.dtype(first)}"
        for entry in layer.differentiable:
            given, gradient = np.asarray(mixed.inputs[entry.name]), answer.gradients[entry.name]
            if gradient is None or gradient.dtype != given.dtype or gradient.shape != given.shape:
                return f"d{entry.name}: not of the dtype and shape of {entry.name}"
    return ""


def _deterministic(layer: Checkable, case: Case) -> str:
    return _listed(_different_bits(_results(run(layer, case)), _results(run(layer, case))), "differ")


def _cotangents_left_out(layer: Checkable, case: Case) -> str:
    for name in layer.definition.outputs:
        zero = replace(case, cotangents={**case.cotangents, name: np.zeros_like(case.cotangents[name])})
        absent = replace(case, cotangents={**case.cotangents, name: None})
        bad = _different_bits(_results(run(layer, zero)), _results(run(layer, absent)))
        if bad:
            return _listed(bad, f"not the same for d{name}=None and zero")
    return ""
