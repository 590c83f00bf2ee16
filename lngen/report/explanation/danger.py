"""Danger zones: inputs found by search, with the error that the emitted formulas make of them.

Each family of `lngen.report.explanation.zones` is evaluated as emitted code computes, and to many digits. Of a family
the table has the mildest input that loses more than half of the digits; where none does, the one that loses most.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from lngen.algebra.symbols import TypedSymbol, axes
from lngen.plan.planner import Plan
from lngen.plan.program import Assignment, FeatureReduction
from lngen.report.audit import Hazard
from lngen.report.explanation.emulation import (
    DIGITS,
    Array,
    EmulatedRows,
    Evaluated,
    are_few,
    exactly,
    features_of,
    in_type,
)
from lngen.report.explanation.words import leading, listed, verb
from lngen.report.explanation.zones import ZoneInput, batch, inputs
from lngen.report.section import Section, Table

TYPES: Mapping[str, float] = {"float32": 2.0**-24, "float16": 2.0**-11}
"""The storage types that are looked at, and the unit roundoff of each."""

HALF = {dtype: math.sqrt(roundoff) for dtype, roundoff in TYPES.items()}
"""The error at which half of the digits are lost."""

_INFINITE = float("inf")
_ZERO = 1e-60


@dataclass(frozen=True)
class Loss:
    """Loss of digits for an input in one type: errors of outputs and gradients, and the line that loses them.

    An error is beside the largest entry of the exact row, or of the cotangents where that is zero; infinite where a
    finite result was not returned.
    """

    zone: str
    words: str
    dtype: str
    output: float
    gradient: float
    line: str

    @property
    def worst(self) -> float:
        """The larger of both errors."""
        return max(self.output, self.gradient)

    @property
    def is_bad(self) -> bool:
        """Test whether more than half of the digits are lost."""
        return self.worst > HALF[self.dtype]


def section(plan: Plan, hazards: Iterable[Hazard]) -> Section:
    """The section; `hazards` are those of the audit, some of which a row of the table shows."""
    if not are_few(features_of(plan)):
        words = f"A row has at least {features_of(plan)} features: too many for a search, and none was made."
        return Section("Danger zones", (words,))
    found = losses(plan)
    hazards = tuple(hazards)
    of_line: dict[str, Hazard] = {}
    for hazard in hazards:
        of_line.setdefault(hazard.where.name, hazard)
    rows = [(f.zone, f.words, f.dtype, _error(f.output), _error(f.gradient), _place(f, of_line)) for f in found]
    bad = sum(loss.is_bad for loss in found)
    outcome = f"{bad} of the {len(found)} {verb(bad, 'loses', 'lose')}" if bad else "None loses"
    words = (
        f"A search over kinds of rows and magnitudes, with D = {features_of(plan)} and u between -1 and 1. Of each kind"
        " the table has the mildest input that loses more than half of the digits, else the worst. The error is that of"
        f" the emitted formulas, every operation rounded, beside {DIGITS} digits on the same input, relative to the"
        f" row's largest entry. {outcome} more than half of the digits.{_not_shown(found, hazards)}"
    )
    outputs, gradients = ", ".join(plan.derivation.definition.outputs), ", ".join(_gradients(plan))
    header = ("kind", "input", "type", f"error of {outputs}", f"of {gradients}", "lost in")
    return Section("Danger zones", (words,), Table(header, tuple(rows)))


def _not_shown(found: Iterable[Loss], hazards: Iterable[Hazard]) -> str:
    """Name the hazards of the audit that depend on the input and that no input of the table shows."""
    shown = {loss.line for loss in found}
    left = [h for h in hazards if h.status in ("open", "range") and h.where.name not in shown]
    names = listed(dict.fromkeys(f"{h.where.name} ({h.kind})" for h in left))
    return f" Of what the input decides none of them shows {names}." if left else ""


def losses(plan: Plan) -> tuple[Loss, ...]:
    """The rows of the table: of each family one in float32, and one in float16 where float32 has no such loss."""
    found: list[Loss] = []
    families = inputs(plan)
    for dtype in TYPES:
        for zone, group in groupby(_measured(plan, families, dtype), key=lambda loss: loss.zone):
            shown = _shown(list(group))
            known = any(other.zone == zone and other.is_bad for other in found)
            if dtype == "float32" or (shown.is_bad and not known):
                found.append(shown)
    order = list(dict.fromkeys(entry.zone for entry in families))
    return tuple(sorted(found, key=lambda loss: order.index(loss.zone)))


def _shown(group: list[Loss]) -> Loss:
    # Errors are compared in the digit that is printed: a last bit may depend on the libraries of a machine.
    return next((loss for loss in group if loss.is_bad), max(group, key=lambda loss: leading(loss.worst)))


def _measured(plan: Plan, families: list[ZoneInput], dtype: str) -> Iterator[Loss]:
    """The loss of each input whose numbers are numbers of the type, and no fewer there."""
    chosen = [entry for entry in families if all(_survives(row, dtype) for row in entry.rows.values())]
    rows = batch(plan, chosen).stored(dtype)
    exact, emitted = exactly(plan, rows), in_type(plan, rows, dtype)
    cotangents = {row.symbol for row in plan.backward.rows if row.origin == "cotangent"}
    arguments = {row.symbol for row in plan.forward.rows}
    results = (*exact.outputs.values(), *exact.gradients.values())
    for place, entry in enumerate(chosen):
        if any(max(abs(value[place])) > np.finfo(dtype).max for value in results):
            continue  # It is the result that has no number of that type, and nothing is lost on the way.
        outputs = (
            _distance(emitted.outputs[name][place], value[place], _largest(rows, arguments, place), dtype)
            for name, value in exact.outputs.items()
        )
        errors = (
            _distance(emitted.gradients[name][place], value[place], _largest(rows, cotangents, place), dtype)
            for name, value in exact.gradients.items()
        )
        loss = Loss(entry.zone, entry.words, dtype, max(outputs, default=0.0), max(errors, default=0.0), "")
        yield replace(loss, line=_line(plan, exact, emitted, place)) if loss.is_bad else loss


def _survives(row: Array, dtype: str) -> bool:
    with np.errstate(over="ignore"):
        stored = row.astype(dtype)
    return bool(np.isfinite(stored).all()) and len({*stored.tolist()}) == len({*row.tolist()})


def _largest(rows: EmulatedRows, symbols: set[TypedSymbol], place: int) -> float:
    return max((float(np.max(np.abs(rows.values[symbol][place]))) for symbol in symbols), default=0.0) or 1.0


def _distance(value: Array, exact: Array, scale: float, dtype: str) -> float:
    """The largest error of a row, beside its largest exact entry; where those are all zero, beside `scale`.

    What is too small for the type may be zero. Where the definition has no value, the error is infinite.
    """
    smallest = float(np.finfo(dtype).tiny) / TYPES[dtype]
    pairs = [(float(a), b) for a, b in zip(value, exact, strict=True)]
    if any(b != b or not math.isfinite(a) for a, b in pairs):
        return _INFINITE
    beside = max(abs(b) for _, b in pairs)
    beside = max(beside, smallest) if beside > scale * _ZERO else max(scale, smallest)
    return float(max(abs(a - b) for a, b in pairs) / beside)


def _line(plan: Plan, exact: Evaluated, emitted: Evaluated, place: int) -> str:
    """The first line whose value has lost half of the digits of float32; empty where a result does as it is stored."""
    for program in (plan.forward, plan.backward):
        for stage in program.stages:
            lines: tuple[Assignment | FeatureReduction, ...] = (*stage.temps, *stage.reductions, *stage.row_scalars)
            for line in () if stage.correction else lines:
                value, truth = (found.values[line.symbol][place] for found in (emitted, exact))
                if not max(abs(truth)) <= _ZERO and _distance(value, truth, 1.0, "float32") > HALF["float32"]:
                    return str(line.symbol.name)
    return ""


def _gradients(plan: Plan) -> list[str]:
    return [name for store in plan.backward.results if axes(store.symbol).rows for name in store.names]


def _error(value: float) -> str:
    return "not finite" if value == _INFINITE else "0" if value < _ZERO else f"{value:.0e}"


def _place(loss: Loss, hazards: Mapping[str, Hazard]) -> str:
    if not loss.is_bad:
        return "nowhere"
    if not loss.line:
        return f"storing {loss.dtype}"
    hazard = hazards.get(loss.line)
    return loss.line if hazard is None else f"{loss.line}: {hazard.kind}"
