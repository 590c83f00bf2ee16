"""Contracts of CUDA code, for the storage types on which they depend.

On the emulator, memory that was never written is NaN, so that a read of it is visible. On a GPU only the workspace is
NaN.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from lngen.check import emulator
from lngen.check.contracts.claim import FEATURES, ROWS, Bounds, Claim, beyond, cut, different, listed, mistyped, results
from lngen.check.contracts.shared import nan_stays, rows_alone
from lngen.check.inputs import ordinary
from lngen.check.layer import Array, Case, Checkable, Run, outputs_by_name, positional, run
from lngen.check.numbers import storage_dtype
from lngen.check.on_device import download, upload
from lngen.language.syntax import Kind

_SHAPES = ((ROWS, FEATURES), (3, 1024))
"""Several rows per block and no vectors; a row that a block works on together, in vectors."""

_RUNS = 5
_MANY_ROWS = 37


def claims(layer: Checkable, seed: int, dtypes: Sequence[str], bounds: Bounds) -> list[Claim]:
    """The contracts of a layer whose module is an `OnDevice`."""
    features = max(FEATURES, layer.definition.minimum_features)
    case = ordinary(layer.definition, ROWS, features, seed)
    made = [
        Claim("inputs are never written", case.shape, lambda: _unchanged(layer, case)),
        Claim("non-contiguous inputs are refused", case.shape, lambda: _strided(layer, case)),
        Claim("memory that is aligned to its entries alone", case.shape, lambda: _shifted(layer, case, bounds)),
        Claim("saved holds references and row scalars", (3, 1024), lambda: _saved(layer, seed)),
        Claim("dtypes and shapes of results", case.shape, lambda: _dtypes(layer, case)),
    ]
    for dtype in dtypes:
        if (storage := storage_dtype(dtype)) is not None:
            made += _of_dtype(layer, seed, dtype, storage)
    return made


def _of_dtype(layer: Checkable, seed: int, dtype: str, storage: Any) -> Iterator[Claim]:
    runs = f"{_RUNS} runs" + (f" and {len(emulator.emulator().SCHEDULES)} schedules" if emulator.enabled() else "")
    for rows, features in _SHAPES:
        features = max(features, layer.definition.minimum_features)
        case = ordinary(layer.definition, rows, features, seed).astype(storage)
        many = ordinary(layer.definition, _MANY_ROWS, features, seed).astype(storage)
        yield Claim(f"{runs} give the same bits", many.shape, partial(_deterministic, layer, many), dtype)
        yield Claim("a row is the same alone and in company", case.shape, partial(rows_alone, layer, case), dtype)
        yield Claim("NaN in a row stays in it", case.shape, partial(nan_stays, layer, case), dtype)
        yield Claim(
            "a poisoned workspace changes nothing, with fewer rows than blocks too",
            many.shape,
            partial(_poisoned_workspace, layer, many),
            dtype,
        )


def _unchanged(layer: Checkable, case: Case) -> str:
    arguments, constants = positional(layer, case)
    given = [upload(value) for value in arguments]
    cotangents = [upload(case.cotangents[name]) for name in layer.definition.outputs]
    _, saved = _backend(layer).forward(*given, **constants)
    _backend(layer).backward(saved, *cotangents)
    names = [entry.name for entry in layer.definition.positional] + [f"d{name}" for name in layer.definition.outputs]
    before = [*arguments, *(case.cotangents[name] for name in layer.definition.outputs)]
    after = [download(value) for value in (*given, *cotangents)]
    return listed(different(dict(zip(names, before, strict=True)), dict(zip(names, after, strict=True))), "written to")


def _strided(layer: Checkable, case: Case) -> str:
    arguments, constants = positional(layer, case)
    given = [upload(value) for value in arguments]
    place = next(i for i, entry in enumerate(layer.definition.positional) if entry.kind is Kind.ROW)
    wide = upload(np.repeat(np.asarray(arguments[place]), 2, axis=-1))
    given[place] = wide[:, ::2]
    try:
        _backend(layer).forward(*given, **constants)
    except ValueError as error:
        return "" if "contiguous" in str(error) else f"refused without saying what to pass: {error}"
    return "taken as if they were contiguous"


def _shifted(layer: Checkable, case: Case, bounds: Bounds) -> str:
    """Every array one entry behind the start of an allocation, where vectors cannot be read from."""

    def shifted(value: Any) -> Any:
        if not isinstance(value, np.ndarray) or value.ndim == 0:
            return upload(value)
        flat = upload(np.concatenate([np.zeros(1, value.dtype), value.ravel()]))
        return flat[1:].reshape(value.shape)

    arguments, constants = positional(layer, case)
    result, saved = _backend(layer).forward(*map(shifted, arguments), **constants)
    cotangents = [shifted(case.cotangents[name]) for name in layer.definition.outputs]
    gradients = _backend(layer).backward(saved, *cotangents)
    return beyond(results(run(layer, case)), _downloaded(layer, result, gradients), bounds(case))


def _saved(layer: Checkable, seed: int) -> str:
    case = ordinary(layer.definition, 3, 1024, seed)
    arguments, constants = positional(layer, case)
    given = [upload(value) for value in arguments]
    result, saved = _backend(layer).forward(*given, **constants)
    known = [*given, *outputs_by_name(layer, result).values()]
    own = [v for v in saved if hasattr(v, "gpudata") and v.size and not any(v is other for other in known)]
    large = [array.shape for array in own if array.size > case.rows]
    return f"keeps an array of its own of shape {large[0]}" if large else ""


def _dtypes(layer: Checkable, case: Case) -> str:
    """Check rows of one type with parameters of another; results have the types of their owners."""
    half, single, double = (np.dtype(name) for name in ("float16", "float32", "float64"))
    over_rows = {entry.name for entry in layer.definition.inputs if entry.kind.over_rows}
    for rows, parameters in ((half, half), (half, single), (single, single), (single, double), (double, double)):
        typed = {n: _cast(v, rows if n in over_rows else parameters) for n, v in case.inputs.items()}
        mixed = replace(case, inputs=typed, cotangents={n: v.astype(rows) for n, v in case.cotangents.items()})
        if trouble := mistyped(layer, mixed, rows):
            return trouble
    return ""


def _cast(value: Any, dtype: Any) -> Any:
    return value.astype(dtype) if isinstance(value, np.ndarray) else value


def _deterministic(layer: Checkable, case: Case) -> str:
    first = results(run(layer, case))
    for _ in range(_RUNS - 1):
        if bad := different(first, results(run(layer, case))):
            return listed(bad, "differ from run to run")
    for schedule in emulator.emulator().SCHEDULES if emulator.enabled() else ():
        with emulator.emulator().using(schedule=schedule, seed=1):
            if bad := different(first, results(run(layer, case))):
                return listed(bad, f"differ in the {schedule} schedule")
    return ""


def _poisoned_workspace(layer: Checkable, case: Case) -> str:
    for rows in (1, 2, 3, case.rows):
        part = cut(layer, case, slice(0, rows))
        plain = results(run(layer, part))
        missing = [name for name, value in plain.items() if np.isnan(np.asarray(value, np.float64)).any()]
        poisoned = _with_workspace(layer, part)
        if missing or (bad := different(plain, poisoned)):
            return listed(missing, f"NaN with {rows} rows") or listed(bad, f"other bits with {rows} rows")
    return ""


def _with_workspace(layer: Checkable, case: Case) -> Mapping[str, Array | None]:
    """Results of calls that are given memory full of NaN to work in, and no more of it than they ask for."""
    backend = _backend(layer)
    arguments, constants = positional(layer, case)
    given = [upload(value) for value in arguments]
    room = _poison(backend.workspace_bytes("forward", *given))
    result, saved = backend.forward(*given, **constants, workspace=room)
    cotangents = [upload(case.cotangents[name]) for name in layer.definition.outputs]
    room = _poison(backend.workspace_bytes("backward", saved, *cotangents))
    gradients = backend.backward(saved, *cotangents, workspace=room)
    return _downloaded(layer, result, gradients)


def _poison(size: int) -> Any:
    return upload(np.full(max(size, 1), 0xFF, np.uint8))


def _downloaded(layer: Checkable, result: Any, gradients: Any) -> dict[str, Array | None]:
    outputs = {name: download(value) for name, value in outputs_by_name(layer, result).items()}
    by_input = {e.name: download(v) for e, v in zip(layer.differentiable, gradients, strict=True)}
    return results(Run(outputs, by_input))


def _backend(layer: Checkable) -> Any:
    return layer.module.backend  # type: ignore[attr-defined]
