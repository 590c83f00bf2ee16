"""Claims about emitted code besides its numbers: shapes, dtypes, memory, independence of rows, determinism."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, combinations, product
from typing import Any

import numpy as np

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
    Array,
    Case,
    Checkable,
    Run,
    as_tuple,
    outputs_by_name,
    positional,
    present,
    run,
    wrong_like,
)
from lngen.language.definition import Definition
from lngen.language.oracle.evaluate import FLOAT64, evaluate
from lngen.language.syntax import Kind
from lngen.runtime.protocol.casts import dtype as storage_dtype

KIND = "contracts"

Bounds = Callable[[Case], Mapping[str, Array] | None]
"""Error bounds by result (`y`, `dx`) of a float64 case, or None where none can be derived."""

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


@dataclass(frozen=True)
class Trial:
    """A layer on a backend, and the case that a claim is tried on."""

    layer: Checkable
    on: Adapter
    seed: int
    bounds: Bounds
    case: Case

    def drawn(self, left_out: frozenset[str] = frozenset()) -> Case:
        """The case with some inputs left out."""
        drawn = ordinary(self.layer.definition, self.case.rows, self.case.features, self.seed, left_out)
        return self.on.given(drawn)

    def called(
        self, place: Callable[[Any], Any], case: Case | None = None, later: Callable[[Any], Any] | None = None
    ) -> tuple[list[Any], list[Any], Run]:
        """Return the backend's own arrays that it was given, those of its outputs, and the results of the call.

        `place` makes an array of a NumPy array, and `later` one of a cotangent, the same way by default.
        """
        layer, case, functions = self.layer, case or self.case, self.on.functions
        arguments, constants = positional(layer, case)
        given = [place(value) for value in arguments]
        result, saved = functions.forward(*given, **constants)
        cotangents = [(later or place)(case.cotangents[name]) for name in layer.definition.outputs]
        gradients = functions.backward(saved, *cotangents)
        return [*given, *cotangents], [*outputs_by_name(layer, result).values()], self.read(result, gradients, saved)

    def read(self, result: Any, gradients: Any, saved: Any = None) -> Run:
        """Results as NumPy arrays."""
        outputs = {name: self.on.value(value) for name, value in outputs_by_name(self.layer, result).items()}
        moved = {e.name: self.on.value(v) for e, v in zip(self.layer.differentiable, gradients, strict=True)}
        return Run(outputs, moved, saved)


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


def _out(of: Trial) -> str:
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


def _leading_shapes(of: Trial) -> str:
    layer = of.layer
    whole = cut(layer, of.case, slice(0, 4))
    for leading, count in (((2, 2), 4), ((1, 1, 1), 1), ((), 1)):
        part = cut(layer, whole, slice(0, count))
        flat: dict[str, Any] = results(run(layer, part))
        shaped = {e.name: _led(e.kind, part.inputs[e.name], leading) for e in layer.definition.passed}
        cotangents = {n: _led(layer.definition.output_kind(n), v, leading) for n, v in part.cotangents.items()}
        answer: dict[str, Any] = results(run(layer, replace(part, inputs=shaped, cotangents=cotangents)))
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


def _unchanged(of: Trial) -> str:
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


def _opened(of: Trial, case: Case) -> Any:
    """The outputs and what is saved of a call."""
    arguments, constants = positional(of.layer, case)
    return of.on.eager.forward(*map(of.on.array, arguments), **constants)


def _cotangents(of: Trial, case: Case) -> list[Any]:
    return [of.on.array(case.cotangents[name]) for name in of.layer.definition.outputs]


def _over_nan(of: Trial) -> str:
    """Call where memory of the size of each result has just been given back full of NaN."""
    plain = results(run(of.layer, of.case))
    for _ in range(3):
        spoiled = [of.on.array(wrong_like(value)) for value in plain.values() if value is not None]
        del spoiled
        if bad := different(plain, results(run(of.layer, of.case))):
            return listed(bad, "other bits where memory began as NaN")
    return ""


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


def _strided(of: Trial) -> str:
    if "refused" not in of.on.strides:
        return _laid_out(of, _as_it_is, _spread, _transposed, _apart)
    if trouble := _laid_out(of, _apart):
        return trouble
    try:
        of.called(lambda value: _spread(of, value))
    except ValueError as error:
        return "" if "contiguous" in str(error) else f"refused without saying what to pass: {error}"
    return "taken as if they were contiguous"


def _of_a_sum(of: Trial) -> str:
    return "" if "refused" in of.on.strides else _laid_out(of, _as_it_is, ones=True)


def _saved(of: Trial) -> str:
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


def _dtypes(of: Trial) -> str:
    """Check rows of one type with parameters of another; results have the types of their owners.

    Where rows may be of several types, the first has one, and the others have that of parameters.
    """
    definition = of.layer.definition
    over_rows = {entry.name for entry in definition.inputs if entry.kind.over_rows}
    for first, second in _TYPES:
        if first != second and "mixed types" not in of.on.can:
            continue
        rows, parameters = np.dtype(first), np.dtype(second)
        typed = {n: _cast(v, rows if n in over_rows else parameters) for n, v in of.case.inputs.items()}
        cotangents = {n: v.astype(rows) for n, v in of.case.cotangents.items()}
        mixed = replace(of.case, inputs=typed, cotangents=cotangents)
        if trouble := mistyped(of.layer, mixed, rows):
            return trouble
        if of.on.mixes_rows and rows != parameters:
            leading = definition.rows[0].name
            others = of.case.astype(parameters)
            mixed = replace(others, inputs={**others.inputs, leading: typed[leading]})
            if trouble := mistyped(of.layer, mixed, rows):
                return trouble
    return ""


def _cast(value: Any, dtype: Any) -> Any:
    return value.astype(dtype) if isinstance(value, np.ndarray) and value.dtype.kind == "f" else value


def _deterministic(of: Trial) -> str:
    first = results(run(of.layer, of.case))
    for number, run_again in enumerate(of.on.again(), 2):
        with run_again:
            if bad := different(first, results(run(of.layer, of.case))):
                return listed(bad, f"differ in run {number} of {of.on.repeats}")
    return ""


def _poisoned_workspace(of: Trial) -> str:
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


CLAIMS = (
    Claim("a zero cotangent gives exactly zero", _zero_cotangent),
    Claim("a row is the same alone and in company", _rows_alone, each_type=True),
    Claim("NaN in a row stays in it", _nan_stays, each_type=True),
    Claim("out= gives the same bits", _out, needs="out"),
    Claim("any leading shape", _leading_shapes, needs="leading axes"),
    Claim("zero rows", _zero_rows, needs="no rows", rows=0),
    Claim("left-out inputs, passed as None", _left_out, needs="arguments left out"),
    Claim("a cotangent left out is zero", _cotangents_left_out, needs="cotangents left out", several_outputs=True),
    Claim("inputs are never written", _unchanged),
    Claim("non-contiguous inputs {on.strides}", _strided, needs="strides"),
    Claim("cotangents of a sum, which are one entry in memory", _of_a_sum, needs="strides"),
    Claim("two calls before a backward", _two_calls, needs="second calls"),
    Claim("backward again, with another cotangent", _again_with_another_cotangent, needs="second calls"),
    Claim("some inputs want no gradient", _some_wanted, needs="recorded inputs"),
    Claim("memory that began as NaN changes nothing", _over_nan, rows=_MANY_ROWS),
    Claim("memory that is aligned to its entries alone", lambda of: _laid_out(of, _shifted), needs="strides"),
    Claim("saved holds references and row scalars", _saved, needs="saved arrays", rows=3, features=1024),
    Claim("dtypes and shapes of results", _dtypes, needs="types"),
    Claim("{on.repeats} give the same bits", _deterministic, rows=_MANY_ROWS, each_type=True),
    Claim(
        "a poisoned workspace changes nothing, with fewer rows than blocks too",
        _poisoned_workspace,
        needs="workspace",
        rows=_MANY_ROWS,
        each_type=True,
    ),
)
"""Every claim, in the order in which they are tried."""
