"""Gradients by complex step on the evaluator: `Im f(x + ih) / h` with a step so small that nothing is cut
off.

Martins, Sturdza & Alonso, The complex-step derivative approximation, ACM TOMS 29, 2003. There is no
subtraction, hence no cancellation: the gradient of L = sum over outputs of <cotangent, output> comes out to
rounding, for every entry.

Rows are independent of each other, so one column of *all* rows is moved at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lngen.checks.layer import Array, Case
from lngen.checks.rows import Rows
from lngen.language.definition import Definition, Input
from lngen.language.oracle.evaluate import COMPLEX128, evaluate
from lngen.language.syntax import Kind

STEP = 2.0**-100
"""About 1e-30; a power of two, so that dividing by it rounds nothing."""

LongArray = NDArray[np.longdouble]


def gradient(definition: Definition, case: Case, columns: Sequence[int] | None = None) -> dict[str, Array]:
    """Return the gradient of <cotangents, outputs> with respect to every input that is present, in float64.

    With `columns` only these features of Rows and Features are computed, and the results have only these columns.
    """
    chosen = np.arange(case.features) if columns is None else np.asarray(columns)
    rows = _rows(definition, case)
    return {
        entry.name: _gradient(rows, entry, chosen)
        for entry in definition.differentiable
        if case.inputs.get(entry.name) is not None
    }


def directional(definition: Definition, case: Case, name: str, direction: Any) -> LongArray:
    """Row by row, the derivative of <cotangents, outputs> along a direction in one input: shape (rows,)."""
    rows = _rows(definition, case)
    entry = definition.input(name)
    along = np.asarray(direction, np.float64)

    def moved_along(values: Array, copy: NDArray[np.intp], row: NDArray[np.intp]) -> Array:
        return np.asarray(values + 1j * STEP * rows.taken(entry, along, row))

    return np.asarray(rows.losses(name, 1, moved_along, _imaginary)[0], np.longdouble)


def rows_are_independent(definition: Definition, case: Case, seed: int = 0) -> bool:
    """Test whether a change of one row leaves all other rows of the outputs exactly as they were.

    All per-row inputs of the row are moved. `gradient` and `directional` rest on this property; it is tested on the
    definition with its parameters.
    """
    rng = np.random.default_rng(seed)
    for row in {0, case.rows - 1} if case.rows else set():
        inputs = dict(case.inputs)
        for entry in definition.inputs:
            if entry.kind.over_rows and inputs.get(entry.name) is not None:
                value = np.asarray(case.inputs[entry.name], np.complex128)
                value[row] += 1j * STEP * rng.standard_normal(value.shape[1:])
                inputs[entry.name] = value
        moved = evaluate(definition, inputs, COMPLEX128)
        others = np.arange(case.rows) != row
        if any(np.any(np.asarray(value)[others].imag != 0) for value in moved.values()):
            return False
    return True


def _rows(definition: Definition, case: Case) -> Rows:
    return Rows(definition, case.astype(np.float64), COMPLEX128, lambda value: np.asarray(value, np.float64))


def _imaginary(value: Array) -> Array:
    # A value that is none has no derivative, though its imaginary part may be 0.
    return np.asarray(np.where(np.isnan(value.real), np.nan, value.imag / STEP))


def _gradient(rows: Rows, entry: Input, columns: NDArray[Any]) -> Array:
    if not entry.kind.over_features:
        by_row = rows.losses(entry.name, 1, lambda values, copy, row: values.astype(np.float64) + 1j * STEP, _imaginary)
        return np.asarray(by_row[0] if entry.kind.over_rows else by_row.sum(), np.float64)

    def one_column(values: Array, copy: NDArray[np.intp], row: NDArray[np.intp]) -> Array:
        moved = values.astype(np.complex128)
        moved[np.arange(len(moved)), columns[copy]] += 1j * STEP
        return moved

    by_column = rows.losses(entry.name, len(columns), one_column, _imaginary)
    return np.asarray(by_column.T if entry.kind is Kind.ROW else by_column.sum(-1), np.float64)


def directions(case: Case, entry: Input, seed: int) -> dict[str, Array]:
    """Directions for sizes at which every entry is too many, by name: signed, positive, and away from the null space.

    An all-positive direction spends most of its length along the ones, which a layer that takes its mean off does not
    see; the third is orthogonal to the ones and to the centred input. All are multiples of 1/64.
    """
    rng = np.random.default_rng(seed)
    value = np.asarray(case.inputs[entry.name], np.float64)
    signed = rng.standard_normal(value.shape)
    probes = {"signed": signed, "positive": np.abs(rng.standard_normal(value.shape))}
    if entry.kind.over_features and case.features > 2:
        rest = signed - signed.mean(-1, keepdims=True)
        centred = value - value.mean(-1, keepdims=True)
        length = (centred**2).sum(-1, keepdims=True)
        share = np.divide((rest * centred).sum(-1, keepdims=True), length, out=np.zeros_like(length), where=length > 0)
        probes["null-space-orthogonal"] = rest - share * centred
    return {name: np.round(probe * 64) / 64 for name, probe in probes.items()}
