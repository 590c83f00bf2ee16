"""Claims about emitted code besides its numbers: shapes, dtypes, independence of rows, repeated calls, memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from itertools import chain, combinations, product
from typing import Any

import numpy as np

from lngen.checks import layouts
from lngen.checks.adapter import Adapter, adapter_of
from lngen.checks.apart import Tell
from lngen.checks.claim import (
    Claim,
    NotRun,
    beyond,
    cut,
    different,
    listed,
    mistyped,
    results,
    row_results,
    same,
)
from lngen.checks.evidence import Evidence
from lngen.checks.inputs import ordinary
from lngen.checks.layer import (
    Case,
    Checkable,
    as_tuple,
    mixed_types,
    positional,
    present,
    run,
)
from lngen.checks.trial import Bounds, Trial
from lngen.language.definition import Definition
from lngen.language.oracle.evaluate import FLOAT64, evaluate
from lngen.language.syntax import Kind
from lngen.runtime.protocol.casts import dtype as storage_dtype

KIND = "contracts"

ANOTHER_PARAMETER = "another value of a parameter is read"

_MANY_ROWS = 37
"""Number of rows, more than blocks."""

_TYPES = (
    ("float16", "float16"),
    ("float16", "float32"),
    ("float32", "float32"),
    ("float32", "float64"),
    ("float64", "float64"),
)
"""Types of rows, and of parameters."""


def asked_of(definition: Definition, on: Adapter) -> tuple[Claim, ...]:
    """Return the claims that can be made about a definition on a backend."""
    several = len(definition.outputs) > 1
    return tuple(each for each in CLAIMS if each.needs in ("", *on.can) and (several or not each.several_outputs))


def check_contracts(
    layer: Checkable, seed: int, dtypes: Sequence[str], bounds: Bounds, tell: Tell
) -> Iterator[Evidence]:
    """Check every contract of a backend; an exception of the emitted code is a failure.

    Claims are tried in float64; those that depend on a type also in each of the storage types `dtypes`. `tell` gets a
    text about each contract before its check.
    """
    on = adapter_of(layer.module)
    for claim in asked_of(layer.definition, on):
        tell(f"the contract that {claim.statement.format(on=on)}")
        every = claim.each_type and "types" in on.can
        types, lengths = (dict.fromkeys(["float64", *dtypes]), on.lengths) if every else (["float64"], [claim.features])
        widths = dict.fromkeys(on.row_length(layer.definition, length) for length in lengths)
        for dtype, features in product(types, widths):
            case = on.given(ordinary(layer.definition, claim.rows, features, seed)).astype(storage_dtype(dtype))
            yield claim.evidence(KIND, on, Trial(layer, on, seed, bounds, case), case.shape, dtype)


def _zero_cotangent(of: Trial) -> str:
    zeros = {name: np.zeros_like(value) for name, value in of.case.cotangents.items()}
    answer = run(of.layer, replace(of.case, cotangents=zeros))
    bad = [f"d{name}" for name, value in answer.gradients.items() if value is not None and np.any(value != 0)]
    return listed(bad, "not exactly zero")


def _rows_alone(of: Trial) -> str:
    """Check each row without the others; where random numbers go by its place, without those after it."""
    together = results(run(of.layer, of.case))
    is_random = any(entry.draws for entry in of.layer.definition.inputs)
    for row in range(of.case.rows):
        only = slice(0 if is_random else row, row + 1)
        part = cut(of.layer, of.case, only)
        alone = results(run(of.layer, part))
        here = {n: together[n] if together[n] is None else np.asarray(together[n])[only] for n in row_results(of.layer)}
        if of.on.keeps_bits:
            trouble = listed(different(here, alone), f"row {row} is different alone")
        else:
            trouble = beyond(of.layer, here, alone, of.bounds(part))
        if trouble:
            return trouble
    return ""


def _nan_stays(of: Trial) -> str:
    layer, case = of.layer, of.case
    before = results(run(layer, case))
    poisoned = dict(case.inputs)
    row = case.rows // 2
    for entry in layer.definition.rows:
        if poisoned[entry.name] is None:
            continue
        value = np.array(poisoned[entry.name])
        value[row, 0] = np.nan
        poisoned[entry.name] = value
    after = results(run(layer, replace(case, inputs=poisoned)))
    others = np.arange(case.rows) != row
    bad = [
        name
        for name in row_results(layer)
        if before[name] is not None and not same(np.asarray(before[name])[others], np.asarray(after[name])[others])
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


def _leading_shapes(of: Trial) -> str:
    layer = of.layer
    whole = cut(layer, of.case, slice(0, 4))
    for leading, count in (((2, 2), 4), ((1, 1, 1), 1), ((), 1)):
        part = cut(layer, whole, slice(0, count))
        flat: dict[str, Any] = results(run(layer, part))
        shaped = {e.name: _led(e.kind, part.inputs[e.name], leading) for e in layer.definition.passed}
        cotangents = {n: _led(layer.definition.output_kind(n), v, leading) for n, v in part.cotangents.items()}
        try:
            answer: dict[str, Any] = results(run(layer, replace(part, inputs=shaped, cotangents=cotangents)))
        except Exception as error:  # whatever the code raises
            return f"{type(error).__name__}: {error}, for leading shape {leading}"
        for name in row_results(layer):
            if flat[name] is not None:
                row = np.asarray(flat[name])
                flat[name] = row.reshape(leading + row.shape[1:])
        if bad := [name for name, value in flat.items() if np.shape(value) != np.shape(answer[name])]:
            return listed(bad, f"wrong shape for leading shape {leading}")
        bounds = of.bounds(part)
        reached = bounds and {n: np.reshape(b, np.shape(flat[n])) for n, b in bounds.items() if flat.get(n) is not None}
        if trouble := beyond(layer, flat, answer, reached):
            return f"{trouble} for leading shape {leading}"
    return ""


def _led(kind: Kind, value: Any, leading: tuple[int, ...]) -> Any:
    return value.reshape(leading + value.shape[1:]) if kind.over_rows and value is not None else value


def _zero_rows(of: Trial) -> str:
    found = results(run(of.layer, of.case))
    bad = []
    for entry in present(of.layer, of.case):
        gradient = np.asarray(found[f"d{entry.name}"])
        if gradient.shape != np.shape(of.case.inputs[entry.name]) or np.any(gradient != 0):
            bad.append(f"d{entry.name}")
    bad += [n for n, ct in of.case.cotangents.items() if np.asarray(found[n]).shape != np.shape(ct)]
    return listed(bad, "wrong shape or not zero")


def _left_out(of: Trial) -> str:
    there = [entry for entry in of.layer.definition.positional if of.case.inputs.get(entry.name) is not None]
    optional = [entry for entry in there if entry.default is not None]
    for some in chain.from_iterable(combinations(optional, n) for n in range(1, len(optional) + 1)):
        names = frozenset(entry.name for entry in some)
        case = of.drawn(names)
        try:
            without = results(run(of.layer, case))
        except Exception as error:
            if names <= of.on.needed:
                raise NotRun(f"it has to be given {', '.join(sorted(names))}") from error
            raise
        given = of.drawn().inputs
        neutral = {e.name: np.full_like(given[e.name], float(e.default or 0)) for e in some}
        explicit = replace(case, inputs={**case.inputs, **neutral})
        trouble = beyond(of.layer, results(run(of.layer, explicit)), without, of.bounds(explicit))
        if trouble:
            return f"without {', '.join(sorted(names))}: {trouble}"
        not_none = [f"d{name}" for name in sorted(names) if without.get(f"d{name}") is not None]
        if not_none:
            return f"without {', '.join(sorted(names))}: {', '.join(not_none)} is not None"
    return ""


def _cotangents_left_out(of: Trial) -> str:
    for name in of.layer.definition.outputs:
        cotangents = of.case.cotangents
        zero = replace(of.case, cotangents={**cotangents, name: np.zeros_like(cotangents[name])})
        absent = replace(of.case, cotangents={**cotangents, name: None})
        # Kernels without a value are compiled apart, and products are added with one rounding in other places.
        without = results(run(of.layer, absent))
        if trouble := beyond(of.layer, results(run(of.layer, zero)), without, of.bounds(zero)):
            return f"d{name}=None and zero: {trouble}"
    return ""


def _two_calls(of: Trial) -> str:
    """Open two calls, then ask for the gradients of the first: nothing of it lies where the second one writes."""
    other = of.on.given(ordinary(of.layer.definition, of.case.rows, of.case.features, of.seed + 1))
    opened = [_opened(of, case) for case in (of.case, other)]
    for (result, saved), case in zip(opened, (of.case, other), strict=True):
        answer = of.read(result, of.on.eager.backward(saved, *_cotangents(of, case)))
        if trouble := beyond(of.layer, results(run(of.layer, case)), results(answer), of.bounds(case)):
            return trouble
    return ""


def _again_with_another_cotangent(of: Trial) -> str:
    result, saved = _opened(of, of.case)
    other = replace(of.case, cotangents={name: 2 * value[::-1] for name, value in of.case.cotangents.items()})
    cases = (of.case, other, of.case)
    expected = [deepcopy(results(run(of.layer, case))) for case in cases]
    # Read when all have been made: none may lie where a later one is written.
    every = [of.on.eager.backward(saved, *_cotangents(of, case)) for case in cases]
    for case, wanted, gradients in zip(cases, expected, every, strict=True):
        if trouble := beyond(of.layer, wanted, results(of.read(result, gradients)), of.bounds(case)):
            return trouble
    return ""


def _another_parameter(of: Trial) -> str:
    """Move each parameter in turn: outputs move where the definition's do."""
    definition, case = of.layer.definition, of.case
    # A function may write where it wrote before.
    plain = deepcopy(run(of.layer, case).outputs)
    wanted = evaluate(definition, case.astype(np.float64).inputs, FLOAT64)
    for entry in definition.parameters:
        if case.inputs[entry.name] is None:
            continue
        other = replace(case, inputs={**case.inputs, entry.name: np.asarray(case.inputs[entry.name] + 1)})
        found, moved = run(of.layer, other).outputs, evaluate(definition, other.astype(np.float64).inputs, FLOAT64)
        stale = [n for n in plain if same(plain[n], found[n]) and not np.allclose(wanted[n], moved[n], equal_nan=True)]
        if stale:
            return listed(stale, f"the same with another {definition.public(entry.name)}")
    return ""


def _opened(of: Trial, case: Case) -> Any:
    """The outputs and what is saved of a call."""
    arguments, constants = positional(of.layer, case)
    return of.on.eager.forward(*map(of.on.array, arguments), **constants)


def _cotangents(of: Trial, case: Case) -> list[Any]:
    return [of.on.array(case.cotangents[name]) for name in of.layer.definition.outputs]


def _some_wanted(of: Trial) -> str:
    """Ask for the gradient of one input alone, in turn."""
    on: Any = of.on
    plain, (arguments, _) = results(run(of.layer, of.case)), positional(of.layer, of.case)
    numbers = [of.case.inputs[each.name] for each in of.layer.definition.constants]
    given = [on.array(value) for value in arguments]

    def call(*values: Any) -> tuple[Any, ...]:
        return as_tuple(on.layer.call(*values, *numbers))

    for place, entry in enumerate(of.layer.definition.positional):
        if not entry.kind.has_gradient or arguments[place] is None:
            continue
        _, pull = on.pulled(call, given, (place,))
        (gradient,) = pull(_cotangents(of, of.case))
        name = f"d{entry.name}"
        if trouble := beyond(of.layer, {name: plain[name]}, {name: on.value(gradient)}, of.bounds(of.case)):
            return f"of {entry.name} alone: {trouble}"
    return ""


def _dtypes(of: Trial) -> str:
    """Check rows of one type with parameters of another; results have the types of their owners.

    Where rows may be of several types, the first has one, and the others have that of parameters.
    """
    leading = of.layer.definition.rows[0].name
    for first, second in _TYPES:
        if first != second and "mixed types" not in of.on.can:
            continue
        rows, parameters = np.dtype(first), np.dtype(second)
        if trouble := mistyped(of.layer, mixed_types(of.layer.definition, of.case, rows, parameters), rows):
            return trouble
        if of.on.mixes_rows and rows != parameters:
            others = of.case.astype(parameters)
            inputs = {**others.inputs, leading: of.case.astype(rows).inputs[leading]}
            if trouble := mistyped(of.layer, replace(others, inputs=inputs), rows):
                return trouble
    return ""


def _deterministic(of: Trial) -> str:
    first = results(run(of.layer, of.case))
    for number, run_again in enumerate(of.on.again(), 2):
        with run_again:
            if bad := different(first, results(run(of.layer, of.case))):
                return listed(bad, f"differ in run {number} of {of.on.repeats}")
    return ""


CLAIMS = (
    Claim("a zero cotangent gives exactly zero", _zero_cotangent),
    Claim("a row is the same alone and in company", _rows_alone, each_type=True),
    Claim("NaN in a row stays in it", _nan_stays, each_type=True),
    Claim("out= gives the same bits", layouts.written_over, needs="out"),
    Claim("any leading shape", _leading_shapes, needs="leading axes"),
    Claim("zero rows", _zero_rows, needs="no rows", rows=0),
    Claim("left-out inputs, passed as None", _left_out, needs="arguments left out"),
    Claim("a cotangent left out is zero", _cotangents_left_out, needs="cotangents left out", several_outputs=True),
    Claim("inputs are never written", layouts.unchanged),
    Claim("non-contiguous inputs {on.strides}", layouts.strided, needs="strides"),
    Claim("cotangents of a sum, which are one entry in memory", layouts.of_a_sum, needs="strides"),
    Claim("two calls before a backward", _two_calls, needs="second calls"),
    Claim(ANOTHER_PARAMETER, _another_parameter),
    Claim("backward again, with another cotangent", _again_with_another_cotangent, needs="second calls"),
    Claim("some inputs want no gradient", _some_wanted, needs="recorded inputs"),
    Claim("memory that began as NaN changes nothing", layouts.over_nan, rows=_MANY_ROWS),
    Claim("memory that is aligned to its entries alone", layouts.shifted, needs="strides"),
    Claim("saved holds references and row scalars", layouts.saved, needs="saved arrays", rows=3, features=1024),
    Claim("dtypes and shapes of results", _dtypes, needs="types"),
    Claim("{on.repeats} give the same bits", _deterministic, rows=_MANY_ROWS, each_type=True),
    Claim(
        "a poisoned workspace changes nothing, with fewer rows than blocks too",
        layouts.poisoned_workspace,
        needs="workspace",
        rows=_MANY_ROWS,
        each_type=True,
    ),
)
"""Every claim, in the order in which they are tried."""
