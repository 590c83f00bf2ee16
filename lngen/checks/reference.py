"""Exact results to hold rounded ones against: the evaluator at 80 digits, and differences of it.

With that many digits a central difference needs no extrapolation: a step of 1e-25 cuts off 1e-50, and of
the 55 digits that it leaves, an offset of 1e8 that is squared costs 16. A second difference with a step of 1e-20 cuts
off 1e-40, and leaves 40. It takes four evaluations of
arbitrary precision an entry, so it is for small sizes; there it works on any data, at offsets where even
long double has lost the row.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lngen.checks.layer import Array, Case
from lngen.checks.rows import Rows
from lngen.language.definition import Definition, Input
from lngen.language.oracle.decimals import DecimalNumbers
from lngen.language.oracle.evaluate import evaluate
from lngen.language.syntax import Kind

_NUMBERS = DecimalNumbers(80)
RESOLUTION = 1e-30
"""Largest error of `derivatives`, in the metric of `evidence.metric_error`."""

_STEP = Decimal("1e-25")
_MIXED_STEP = Decimal("1e-20")
_AWAY = (-1, 1, 2)
# The error of a one-sided difference is of the order of the step; where the slope changes it is of order one.
_AGREEMENT = Decimal("1e-10")


def outputs(definition: Definition, case: Case) -> dict[str, Array]:
    """The outputs, rounded to long double."""
    with _NUMBERS.here():
        values = evaluate(definition, _lifted(case.inputs), _NUMBERS)
        return {name: _lowered(value) for name, value in values.items()}


def derivatives(definition: Definition, case: Case) -> dict[str, Array]:
    """Return the gradient with respect to every input that is present, rounded to long double.

    An entry at a kink, a jump or a pole, where one-sided differences of two lengths disagree, is NaN. Definitions with
    `stop_gradient` cannot be differenced.
    """
    with _NUMBERS.here():
        rows = Rows(definition, case, _NUMBERS, _lift)
        return {
            entry.name: _lowered(_derivative(rows, entry))
            for entry in definition.differentiable
            if case.inputs.get(entry.name) is not None
        }


def mixed(definition: Definition, case: Case, along: Mapping[str, Array], gradients: Mapping[str, Array]) -> Any:
    """Return the derivative of <w, gradients> along a direction in inputs and cotangents, w being `gradients`.

    It is the mixed second derivative of <cotangents, outputs>, along w and along that direction. `along` names an
    input, or `d` and an output. It means nothing near a kink.
    """
    with _NUMBERS.here():
        values = {**_lifted(case.inputs), **{f"d{name}": each for name, each in _lifted(case.cotangents).items()}}
        forth, sideways = ({name: _MIXED_STEP * _lift(each) for name, each in by.items()} for by in (along, gradients))

        def loss(sign: int) -> Any:
            """The difference of <cotangents, outputs> along w, at one end of the other direction."""
            there = {name: _beside(value, sign, forth.get(name)) for name, value in values.items()}
            total = Decimal(0)
            for side in (1, -1):
                moved = {name: _beside(there[name], side, sideways.get(name)) for name in case.inputs}
                for name, output in evaluate(definition, moved, _NUMBERS).items():
                    if there[f"d{name}"] is not None:
                        total += side * np.sum(output * there[f"d{name}"])
            return total

        return _lowered((loss(1) - loss(-1)) / (4 * _MIXED_STEP**2))[()]


def _beside(value: Any, sign: int, by: Any) -> Any:
    if value is None or by is None:
        return value
    return value + by if sign > 0 else value - by


def _derivative(rows: Rows, entry: Input) -> Array:
    left, right, far = _moved(rows, entry, _AWAY)
    here = rows.losses(entry.name, 1, lambda values, copy, row: values)
    return _shaped(_slopes([left, here, right, far]), entry)


def _slopes(moved: list[Array]) -> Array:
    left, here, right, far = moved
    far_off = 2 * _STEP
    slopes = ((right - left) / far_off, (here - left) / _STEP, (right - here) / _STEP, (far - here) / far_off)

    def agreed(central: Any, *others: Any) -> Any:
        same = all(abs(other - central) <= _AGREEMENT * max(1, abs(central)) for other in others)
        return central if same else Decimal("NaN")

    return np.asarray(np.frompyfunc(agreed, 4, 1)(*slopes), object)


def _moved(rows: Rows, entry: Input, steps: tuple[int, ...]) -> list[Array]:
    """<cotangents, outputs> of each row with each entry of a row moved by so many steps: (columns, rows) for each."""
    columns = rows.case.features if entry.kind.over_features else 1

    def one_column(values: Array, copy: NDArray[np.intp], row: NDArray[np.intp]) -> Array:
        moved = values.astype(object)
        for place, number in enumerate(copy):
            at = (place, number % columns) if entry.kind.over_features else (place,)
            moved[at] = moved[at] + steps[number // columns] * _STEP
        return moved

    every = rows.losses(entry.name, len(steps) * columns, one_column)
    return [every[n * columns : (n + 1) * columns] for n in range(len(steps))]


def _shaped(by_column: Array, entry: Input) -> Array:
    if not entry.kind.over_features:
        return np.asarray(by_column[0] if entry.kind.over_rows else by_column.sum(), object)
    return np.asarray(by_column.T if entry.kind is Kind.ROW else by_column.sum(-1), object)


def _lifted(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: None if value is None else _lift(value) for name, value in inputs.items()}


def _lift(value: Any) -> Array:
    """Exact conversion, through long double so that every storage type has one way."""
    array = np.asarray(value)
    if array.dtype == object:
        return array
    wide = array.astype(np.longdouble)
    high = wide.astype(np.float64)
    low = np.where(np.isfinite(high), wide - high, 0).astype(np.float64)
    lifted: Array = _NUMBERS.array(high)
    return lifted + _NUMBERS.array(low) if low.any() else lifted


def _lowered(values: Any) -> Array:
    array = np.asarray(values, object)
    result = np.empty(array.shape, np.longdouble)
    for place, number in np.ndenumerate(array):
        high = float(number)
        rest = float(number - Decimal(high)) if np.isfinite(high) else 0.0
        result[place] = np.longdouble(high) + np.longdouble(rest)
    return result
