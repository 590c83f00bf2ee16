"""Claims about memory: how arguments lie in it, what a call writes to, and what was there before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from lngen.checks.claim import beyond, cut, different, listed, results, same
from lngen.checks.layer import Case, Run, outputs_by_name, positional, run, wrong_like
from lngen.checks.trial import Trial


def unchanged(of: Trial) -> str:
    def protected(value: Any) -> Any:
        copied = np.array(value) if isinstance(value, np.ndarray) else value
        array = of.on.array(copied)
        if isinstance(array, np.ndarray):
            array.flags.writeable = False
        return array

    given, _, answer = of.called(protected)
    arguments, _ = positional(of.layer, of.case)
    outputs = of.layer.definition.outputs
    names = [*(entry.name for entry in of.layer.definition.positional), *(f"d{name}" for name in outputs)]
    before = [*arguments, *(of.case.cotangents[name] for name in outputs)]
    after = [of.on.value(value) for value in given]
    bad = different(dict(zip(names, before, strict=True)), dict(zip(names, after, strict=True)))
    return listed(bad, "written to") or listed(
        different(results(run(of.layer, of.case)), results(answer)), "other result for read-only inputs"
    )


def written_over(of: Trial) -> str:
    layer, case = of.layer, of.case
    plain = run(layer, case)
    inputs, constants = positional(layer, case)
    given = [wrong_like(plain.outputs[name]) for name in layer.definition.outputs]
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


def over_nan(of: Trial) -> str:
    """Call where memory of the size of each result has just been given back full of NaN."""
    plain = results(run(of.layer, of.case))
    for _ in range(3):
        spoiled = [of.on.array(wrong_like(value)) for value in plain.values() if value is not None]
        del spoiled
        if bad := different(plain, results(run(of.layer, of.case))):
            return listed(bad, "other bits where memory began as NaN")
    return ""


def saved(of: Trial) -> str:
    given, outputs, answer = of.called(of.on.array)
    known = [value for value in (*given, *outputs) if of.on.is_array(value)]
    found = [*of.on.arrays_of(answer.saved)]
    own = [a for a in found if a.size and not any(of.on.shares(a, b) for b in known)]
    if large := [array.shape for array in own if array.size > of.case.rows]:
        return f"keeps an array of its own of shape {large[0]}"
    program = of.layer.backward_program
    if not found and program and any(row.origin != "cotangent" for row in program.rows):
        return "no array in it could be seen"
    return ""


def poisoned_workspace(of: Trial) -> str:
    for rows in (1, 2, 3, of.case.rows):
        part = cut(of.layer, of.case, slice(0, rows))
        plain = results(run(of.layer, part))
        missing = [name for name, value in plain.items() if np.isnan(np.asarray(value, np.float64)).any()]
        if missing or (bad := different(plain, results(_with_workspace(of, part)))):
            return listed(missing, f"NaN with {rows} rows") or listed(bad, f"other bits with {rows} rows")
    return ""


def _with_workspace(of: Trial, case: Case) -> Run:
    """Results of calls that are given memory full of NaN to work in, and no more of it than they ask for."""
    functions = of.on.functions

    def room(*arguments: Any) -> Any:
        return of.on.array(np.full(max(functions.workspace_bytes(*arguments), 1), 0xFF, np.uint8))

    arguments, constants = positional(of.layer, case)
    given = [of.on.array(value) for value in arguments]
    result, saved = functions.forward(*given, **constants, workspace=room("forward", *given))
    cotangents = [of.on.array(case.cotangents[name]) for name in of.layer.definition.outputs]
    gradients = functions.backward(saved, *cotangents, workspace=room("backward", saved, *cotangents))
    return of.read(result, gradients)


def strided(of: Trial) -> str:
    if "refused" not in of.on.strides:
        return _laid_out(of, _as_it_is, _spread, _transposed, _apart)
    if trouble := _laid_out(of, _apart):
        return trouble
    try:
        of.called(lambda value: _spread(of, value))
    except ValueError as error:
        return "" if "contiguous" in str(error) else f"refused without saying what to pass: {error}"
    return "taken as if they were contiguous"


def of_a_sum(of: Trial) -> str:
    return "" if "refused" in of.on.strides else _laid_out(of, _as_it_is, ones=True)


def _laid_out(of: Trial, *layouts: Callable[[Trial, Any], Any], ones: bool = False) -> str:
    """Try each layout of inputs with each of cotangents; with `ones` a cotangent is 1 everywhere."""
    case = of.case
    if ones:
        case = replace(case, cotangents={name: np.ones_like(value) for name, value in case.cotangents.items()})
    plain = results(run(of.layer, case))
    for layout, later in product(layouts, (_expanded,) if ones else layouts):
        _, _, answer = of.called(partial(layout, of), case, partial(later, of))
        if trouble := beyond(of.layer, plain, results(answer), of.bounds(case)):
            return trouble
    return ""


def _as_it_is(of: Trial, value: Any) -> Any:
    return of.on.array(value)


def _spread(of: Trial, value: Any) -> Any:
    """An array with gaps between its entries."""
    every = (slice(None, None, 2),) * np.ndim(value)
    return _with_gaps(of, value, [2 * n for n in np.shape(value)], every) if every else of.on.array(value)


def _apart(of: Trial, value: Any) -> Any:
    """Rows with gaps between them."""
    if np.ndim(value) != 2:
        return of.on.array(value)
    rows, features = value.shape
    return _with_gaps(of, value, (2 * rows, features + 1), (slice(None, None, 2), slice(features)))


def _with_gaps(of: Trial, value: Any, sizes: Sequence[int], kept: tuple[slice, ...]) -> Any:
    """An array in a larger one, whose other entries are NaN, or no place in a row."""
    wide = np.full(sizes, -1 if value.dtype.kind == "i" else np.nan, value.dtype)
    wide[kept] = value
    return of.on.array(wide)[kept]


def _transposed(of: Trial, value: Any) -> Any:
    return of.on.array(np.ascontiguousarray(value.T)).T if np.ndim(value) == 2 else of.on.array(value)


def _shifted(of: Trial, value: Any) -> Any:
    """An array one entry behind the start of an allocation, where vectors cannot be read from."""
    if not isinstance(value, np.ndarray) or value.ndim == 0:
        return of.on.array(value)
    return of.on.array(np.concatenate([np.zeros(1, value.dtype), value.ravel()]))[1:].reshape(value.shape)


def _expanded(of: Trial, value: Any) -> Any:
    """An array of a single entry in memory, as the cotangent of a sum is."""
    if not isinstance(value, np.ndarray) or not value.size:
        return of.on.array(value)
    one = of.on.array(value.reshape(-1)[:1].reshape((1,) * value.ndim).copy())
    return one.expand(value.shape) if hasattr(one, "expand") else np.broadcast_to(one, value.shape)


def shifted(of: Trial) -> str:
    """Try arrays that are aligned to their entries alone."""
    return _laid_out(of, _shifted)
