"""The contracts of NumPy code: any layout, any mix of types, memory that is shared and never written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from lngen.check.contracts.claim import FEATURES, ROWS, Bounds, Claim, beyond, different, listed, mistyped, results
from lngen.check.inputs import ordinary
from lngen.check.layer import Array, Case, Checkable, run


def claims(layer: Checkable, seed: int, dtypes: Sequence[str], bounds: Bounds) -> list[Claim]:
    """The contracts of a layer; `dtypes` matter to none of them."""
    features = max(FEATURES, layer.definition.minimum_features)
    case = ordinary(layer.definition, ROWS, features, seed)
    return [
        Claim("inputs are never written", case.shape, lambda: _read_only(layer, case)),
        Claim("non-contiguous inputs give the same result", case.shape, lambda: _strided(layer, case, bounds)),
        Claim("saved holds references and row scalars", (3, 512), lambda: _saved(layer, seed)),
        Claim("dtypes and shapes of results", case.shape, lambda: _dtypes(layer, case)),
        Claim("two runs give the same bits", case.shape, lambda: _deterministic(layer, case)),
    ]


def _arrays(case: Case) -> list[Array]:
    return [v for v in chain(case.inputs.values(), case.cotangents.values()) if isinstance(v, np.ndarray)]


def _read_only(layer: Checkable, case: Case) -> str:
    copied = case.mapped(copy)
    for array in _arrays(copied):
        array.flags.writeable = False
    bad = different(results(run(layer, case)), results(run(layer, copied)))
    return listed(bad, "other result for read-only inputs")


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

    plain = results(run(layer, case))
    for layout in (spread, transposed):
        if trouble := beyond(plain, results(run(layer, case.mapped(layout))), bounds(case)):
            return trouble
    return ""


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
    program = layer.backward_program
    if not list(_leaves(answer.saved)) and program and any(row.origin != "cotangent" for row in program.rows):
        return "no array in it could be seen"
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
        if trouble := mistyped(layer, mixed, np.dtype(first)):
            return trouble
    return ""


def _deterministic(layer: Checkable, case: Case) -> str:
    return listed(different(results(run(layer, case)), results(run(layer, case))), "differ")
