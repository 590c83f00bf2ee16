"""Gradients by central differences, extrapolated to step zero, with an error bar and the observed order.

Differences use the forward alone, and no derivative. A ladder of steps h, h/4, h/16, ... gives central differences with
errors h^2, h^4, ... Richardson's tableau removes these errors one after the other. The change from one entry of the
tableau to the next bounds the rest (Ridders, Adv. Eng. Software 4, 1982). The effect of the forward's rounding at the
step is added to that bar. The gradient has to lie inside the bar: no tolerance is tuned.

The first column must converge with order 2. Otherwise the function has a kink or the forward is noise, and the bar
means nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lngen.check.complex_step import loss_by_row
from lngen.check.layer import Array, Case
from lngen.check.rounding import of_loss
from lngen.check.rows import Rows
from lngen.language.definition import Definition, Input
from lngen.language.oracle.evaluate import FLOAT64, LONGDOUBLE, evaluate
from lngen.language.syntax import Kind

LongArray = NDArray[np.longdouble]
Outputs = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Outputs by name for inputs by name."""

RATIO = 4
LEVELS = 8
FIRST_STEP = 2.0**-3
_SAFE = 2.0  # of thousands of tableaus some have neighbours that are close by luck
_SHORT = 4  # the finest steps, which are taken where kinks may be near
_ORDER_SIGNAL = 1e3  # differences of the first column count when they are this much above rounding


@dataclass(frozen=True)
class Estimate:
    """Derivatives, their error bars, and the order of the first column (None: too exact to see one)."""

    value: LongArray
    bar: NDArray[np.float64]
    order: float | None

    @property
    def order_is_two(self) -> bool:
        """Test whether the differences converged as central differences do, or faster.

        Convergence is faster while steps are long.
        """
        return self.order is None or self.order > 1.75

    def summed(self) -> Estimate:
        """The sum over the last axis, the rows: the estimate for a parameter, which all rows share."""
        return Estimate(np.asarray(self.value.sum(-1)), np.asarray(self.bar.sum(-1)), self.order)


@dataclass(frozen=True)
class Losses:
    """A forward as differences see it.

    `losses(entry, moved)` is <cotangents, outputs> of each row for copies of one input: (copies,
    ...) to (copies, rows). `noise` is its rounding error, row by row.
    """

    losses: Callable[[Input, Array], LongArray]
    dtype: Any
    noise: NDArray[np.float64]


def oracle(definition: Definition, case: Case) -> Losses:
    """The evaluator in long double.

    Its rounding error is read off the same evaluation in float64, scaled by the ratio of the two units.
    """
    base = evaluate(definition, case.exact().inputs, LONGDOUBLE)
    rough = evaluate(definition, case.astype(np.float64).inputs, FLOAT64)
    scale = float(np.finfo(np.longdouble).eps) / float(np.finfo(np.float64).eps)
    rows = Rows(definition, case, LONGDOUBLE, lambda value: np.asarray(value, np.longdouble))

    def losses(entry: Input, moved: Array) -> LongArray:
        if not entry.kind.over_rows:
            moved = np.broadcast_to(moved[:, None], (len(moved), case.rows, *moved.shape[1:]))
        return np.asarray(rows.losses(entry.name, len(moved), lambda values, copy, row: moved[copy, row]))

    return Losses(losses, np.longdouble, np.maximum(scale * _noise(case, base, rough), of_loss(definition, case)))


def emitted(definition: Definition, outputs: Outputs, case: Case) -> Losses:
    """The emitted forward in float64, as its user would difference it; noise read off the evaluator."""
    base = evaluate(definition, case.exact().inputs, LONGDOUBLE)

    def losses(entry: Input, moved: Array) -> LongArray:
        return np.stack([loss_by_row(case, outputs({**case.inputs, entry.name: value})) for value in moved])

    return Losses(losses, np.float64, _noise(case, base, outputs(case.inputs)))


def _noise(case: Case, exact: Mapping[str, Any], rounded: Mapping[str, Any]) -> NDArray[np.float64]:
    # One error seen may be small by luck, so the largest of all rows counts for each of them, four times
    # over; beneath it lies what rounding the terms of the sum alone can do.
    unit = float(np.finfo(np.float64).eps)
    seen = np.abs(loss_by_row(case, exact) - loss_by_row(case, rounded))
    sizes = {name: None if value is None else np.abs(value) for name, value in case.cotangents.items()}
    terms = loss_by_row(replace(case, cotangents=sizes), {name: np.abs(np.asarray(v)) for name, v in exact.items()})
    return np.asarray(4 * seen.max(initial=0.0) + 8 * unit * terms, np.float64)


def every_entry(forward: Losses, case: Case, entry: Input, *, kinks: bool = False) -> Estimate:
    """The gradient with respect to one input, entry by entry, in the input's shape; all rows are moved at
    once. Of `kinks` see `along`.
    """
    value = np.asarray(case.inputs[entry.name])
    if not entry.kind.over_features:
        estimate = along(forward, case, entry, np.ones((1, *value.shape)), kinks=kinks)
        row = Estimate(estimate.value[0], estimate.bar[0], estimate.order)
        return row if entry.kind.over_rows else row.summed()
    columns = np.broadcast_to(
        np.eye(case.features)[:, None] if value.ndim == 2 else np.eye(case.features),
        (case.features, *value.shape),
    )
    estimate = along(forward, case, entry, columns, kinks=kinks)
    if entry.kind is Kind.FEATURE:
        return estimate.summed()
    return Estimate(estimate.value.T, estimate.bar.T, estimate.order)


def along(forward: Losses, case: Case, entry: Input, directions: Array, *, kinks: bool = False) -> Estimate:
    """The derivatives along directions (count, ...) in one input, row by row: (count, rows).

    With `kinks` only short steps are taken, and a derivative is NaN where they do not settle: a kink is within reach.
    """
    start = np.asarray(case.inputs[entry.name], forward.dtype)
    moved_by = np.asarray(directions, forward.dtype)
    # A power of two near the largest entry that moves, so that a step is relative to it, but at least 1.
    touched = float(np.max(np.abs(start * (moved_by != 0)), initial=1.0))
    steps = [2.0 ** np.floor(np.log2(touched)) * FIRST_STEP / RATIO**level for level in range(LEVELS)]
    sides = np.stack(
        [start + forward.dtype(sign * step) * direction for direction in moved_by for step in steps for sign in (1, -1)]
    )
    losses = forward.losses(entry, sides).reshape(len(moved_by), LEVELS, 2, case.rows)
    first = [(losses[:, n, 0] - losses[:, n, 1]) / np.longdouble(2 * step) for n, step in enumerate(steps)]
    if not kinks:
        return _best(_tableau(first), steps, forward.noise)
    short, their_steps = first[-_SHORT:], steps[-_SHORT:]
    estimate = _best(_tableau(short), their_steps, forward.noise)
    settled = _settled(short, their_steps, forward.noise)
    return Estimate(np.where(settled, estimate.value, np.nan), estimate.bar, None if settled.all() else estimate.order)


def _settled(first: list[LongArray], steps: list[float], noise: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return a mask of the differences that converge, as those of a smooth function do.

    Differences across a kink do not converge.
    """
    changes = [np.asarray(np.abs(a - b), np.float64) for a, b in pairwise(first)]
    rounding = [4 * noise / step for step in steps[1:]]
    shrinking = [b <= a / RATIO**1.75 + below for (a, b), below in zip(pairwise(changes), rounding[1:], strict=True)]
    return np.asarray(np.logical_and.reduce(shrinking))


def _tableau(first: list[LongArray]) -> list[list[LongArray]]:
    tableau: list[list[LongArray]] = []
    for level, difference in enumerate(first):
        tableau.append([difference])
        for column in range(1, level + 1):
            weight = np.longdouble(RATIO ** (2 * column))
            finer, coarser = tableau[level][column - 1], tableau[level - 1][column - 1]
            tableau[level].append((weight * finer - coarser) / (weight - 1))
    return tableau


def _best(tableau: list[list[LongArray]], steps: list[float], noise: NDArray[np.float64]) -> Estimate:
    """The entry of the tableau with the smallest bar, for each derivative."""
    value = tableau[0][0].copy()
    bar = np.full(value.shape, np.inf)
    for level in range(1, len(tableau)):
        # A central difference carries noise/step; extrapolation at most doubles it, and the coarser ones
        # carry less.
        rounding = 2 * noise / steps[level]
        for column in range(1, level + 1):
            here = tableau[level][column]
            left, above = tableau[level][column - 1], tableau[level - 1][column - 1]
            change = _SAFE * np.asarray(np.maximum(np.abs(here - left), np.abs(here - above)), np.float64) + rounding
            better = change < bar
            value, bar = np.where(better, here, value), np.where(better, change, bar)
    return Estimate(value, bar, _order([row[0] for row in tableau], steps, noise))


def _order(first: list[LongArray], steps: list[float], noise: NDArray[np.float64]) -> float | None:
    """log_RATIO of the shrinking of successive differences, at the finest steps that are above rounding.

    Of several derivatives it is the one furthest from two.
    """
    changes = np.stack([np.abs(np.asarray(a - b)).sum(-1) for a, b in pairwise(first)])
    found = []
    for direction in range(changes.shape[1]):
        shrinking = changes[:, direction]
        above = [
            k for k in range(1, len(shrinking)) if shrinking[k] > _ORDER_SIGNAL * float(noise.sum()) / steps[k + 1]
        ]
        if len(above) > 1:  # a single quotient may come from steps that are still too long
            found.append(float(np.log(shrinking[above[-1] - 1] / shrinking[above[-1]]) / np.log(RATIO)))
    return max(found, key=lambda order: abs(order - 2)) if found else None


def directions(case: Case, entry: Input, seed: int) -> dict[str, Array]:
    """Probes for sizes at which every entry is too many, by name: signed, positive, and away from the null
    space.

    An all-positive probe spends most of its length along the ones, which a layer that takes its mean off
    does not see; the third is orthogonal to the ones and to the centred input. All are multiples of 1/64,
    so that a step is exact.
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
