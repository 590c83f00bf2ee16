"""Many rows at once: above the size of a block, by threads, and each row beside itself alone.

A few rows, some of mean 0 and some of a large mean, are drawn, and repeated in an order by chance until they are more
than a block. Then a row has the same bits wherever it stands and when it stands alone, whatever the thread count, and a
sum over rows is the sum of what the rows have alone.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from lngen.checks.layer import Checkable
from lngen.language.definition import Definition
from lngen.language.syntax import Kind
from tests.fuzz.answers import Point, answers, kind_of, rows_of
from tests.fuzz.beside import Beside
from tests.fuzz.failure import WRONG, failure
from tests.fuzz.hyperdual import SHARE_OF_RANGE, Magnitudes
from tests.fuzz.points import drawn, left_out, random_numbers

LARGE_MEAN = 1e4
_CANDIDATES, _ROWS = 24, 6
_WIDTHS = (33, 40, 64, 64, 257, 1100)
# Beyond, gradients by plain differentiation take a column for each entry, and each column is as long.
_WIDTH_OF_GRADIENTS = 64
_BLOCK_BYTES = 64 * 1024
_SMALLEST_BATCH = 160 * 1024
_THREADS = 3
# Each takes a column of derivatives. A sum that is wrong is so at one of those that are most off.
_PLACES = 8


def judge_batches(beside: Beside, judged: Callable[..., int], alone: Checkable, layer: Checkable, seed: str) -> int:
    """Raise Failure for what a batch has wrong; how many rows and sums `judged` compared, as `beside` does.

    A row alone is computed by `alone`, which takes the fast path. `layer` is of a module of its own: the size of a
    block is set, so that there are several on every machine.
    """
    rows_of(layer).BLOCK_BYTES = _BLOCK_BYTES
    count = 0
    for number, dtype in enumerate((np.float32, np.float64)):
        rng = random.Random(f"{seed} batch {number}")
        features = max(beside.definition.minimum_features, rng.choice(_WIDTHS))
        point = _rows(beside.definition, layer, features, dtype, rng)
        if point is not None:
            count += _judge(beside, judged, alone, layer, point, dtype, rng)
    return count


def _rows(definition: Definition, layer: Checkable, features: int, dtype: Any, rng: random.Random) -> Point | None:
    """Return rows whose results are all finite, with mean 0 and with a large mean in turn; None if there are none."""
    gone = left_out(definition, None, rng)
    means = np.where(np.arange(_CANDIDATES) % 2, LARGE_MEAN, 0.0)
    for positive in (False, True):
        point = drawn(definition, _CANDIDATES, features, rng, "rows of a batch", 1.0, means, gone).astype(dtype)
        if positive:
            inputs = {name: value if np.ndim(value) < 1 else abs(value) for name, value in point.case.inputs.items()}
            point = replace(point, case=replace(point.case, inputs=inputs))
        finite = np.ones(_CANDIDATES, bool)
        for result, value in answers(layer, point).items():
            if kind_of(definition, result).over_rows:
                finite &= np.isfinite(value.reshape(_CANDIDATES, -1)).all(-1)
        if finite.any():
            near, far = (np.flatnonzero(finite & (means == mean)) for mean in (0.0, LARGE_MEAN))
            return _taken(definition, point, np.sort(np.concatenate([near[: _ROWS // 2], far[: _ROWS // 2]])))
    return None


def _taken(definition: Definition, point: Point, rows: Any) -> Point:
    """The point with these of its rows."""
    case = point.case

    def of(value: Any, kind: Kind) -> Any:
        return value if value is None or not kind.over_rows else np.ascontiguousarray(value[rows])

    inputs = {name: of(value, definition.input(name).kind) for name, value in case.inputs.items()}
    inputs |= random_numbers(definition, inputs, len(rows), case.features)
    cotangents = {name: of(value, definition.output_kind(name)) for name, value in case.cotangents.items()}
    directions = {name: of(value, definition.input(name).kind) for name, value in point.directions.items()}
    return Point(replace(case, rows=len(rows), inputs=inputs, cotangents=cotangents), directions)


def _adds_up(total: Any, rows: Any, beside: Beside, point: Point, result: tuple[str, str]) -> bool:
    """Test whether the gradient of a parameter in a batch is the sum over its rows, within rounding.

    `rows` is that of each row of the batch, in long double; `point` has each row once.
    """
    # Adding up n numbers in any order costs n - 1 roundings of half an eps of the sum of their magnitudes, and k
    # operations before or after it, in the batch and in its rows alone, k each: 2*n*eps has room for k = 1.5*n.
    count = len(rows)
    rounding = 2 * count * np.finfo(total.dtype).eps
    least = 2 * count * np.finfo(total.dtype).smallest_subnormal
    gap, size = np.abs(total - rows.sum(0)), np.abs(rows).sum(0)
    # Rows may be in range where their sum is not, or is only after what it is multiplied by; and what a small sum is
    # multiplied by may have been below the normal numbers.
    largest = float(np.finfo(total.dtype).max) ** SHARE_OF_RANGE
    smallest = float(np.finfo(total.dtype).smallest_normal) ** 0.5
    in_range = (size <= largest) & ((size == 0) | (size >= smallest))
    off = np.flatnonzero(~(gap <= rounding * size + least) & in_range)
    if not off.size:
        return True
    # What is made of several sums over rows, each times something, adds up the terms of all rows before they cancel,
    # where a row alone lets its own cancel first. Then the magnitudes are those of the terms.
    with np.errstate(all="ignore"):
        worst = off[np.argsort(-np.nan_to_num(gap[off] / size[off], nan=np.inf), kind="stable")][:_PLACES]
    places = [(result[1], int(place)) for place in worst]
    terms = beside.plainly(point, Magnitudes(), places=places)[result]
    # Where plain evaluation overflows there are none, and no claim is made of what is more than rounding of the rows.
    allowed = rounding * -(-count // point.case.rows) * terms + least
    return bool((gap[worst] <= allowed)[np.isfinite(terms)].all())


def _judge(
    beside: Beside,
    judged: Callable[..., int],
    alone: Checkable,
    layer: Checkable,
    point: Point,
    dtype: Any,
    rng: random.Random,
) -> int:
    definition, case = beside.definition, point.case
    name = np.dtype(dtype).name
    count = _SMALLEST_BATCH // (case.features * np.dtype(dtype).itemsize) + 7
    order = np.random.default_rng(rng.getrandbits(64)).permutation(np.resize(np.arange(case.rows), count))
    batch = answers(layer, _taken(definition, point, order))
    threaded = answers(layer, _taken(definition, point, order), threads=_THREADS)
    # Random numbers are those of a row's place: no row alone has them, but they are the same in one block.
    draws = any(entry.draws for entry in definition.inputs)
    whole = answers(alone, _taken(definition, point, order)) if draws else {}
    singles = [] if draws else [answers(alone, _taken(definition, point, [row])) for row in range(case.rows)]
    first = np.array([int(np.argmax(order == row)) for row in range(case.rows)])
    found = answers(alone, point)

    def wrong(key: str, result: tuple[str, str], note: str, value: Any, wanted: Any) -> Exception:
        note = f"numpy, {name}: {' '.join(result)}: {note}; a batch of {count} rows, each one of these"
        return failure(WRONG, f"{key}: {result[0]}", note, case, point.directions, value, wanted)

    for result, value in batch.items():
        if not np.array_equal(value, threaded[result], equal_nan=True):
            raise wrong("threads change bits", result, f"{_THREADS} threads", threaded[result], value)
        if draws:
            if kind_of(definition, result).over_rows and not np.array_equal(value, whole[result], equal_nan=True):
                raise wrong("blocks change bits", result, "one block", value, whole[result])
            continue
        single = np.stack([np.asarray(answer[result]) for answer in singles])
        if kind_of(definition, result).over_rows:
            single = single.reshape(case.rows, *value.shape[1:])
            found[result] = value[first]
            same = (value == single[order]) | (np.isnan(value) & np.isnan(single[order]))
            if not same.all():
                place = int(np.argmin(same.reshape(count, -1).all(-1)))
                note = f"row {order[place]} alone has other bits than at {place} of its batch"
                raise wrong("a row alone has other bits", result, note, value[place], single[order[place]])
        else:
            wide = single.astype(np.longdouble)[order]
            if not _adds_up(np.atleast_1d(value), np.atleast_2d(wide.T).T, beside, point, result):
                raise wrong("a sum over rows is not that of its rows", result, "", value, wide.sum(0).astype(dtype))
    tangents_only = case.features > _WIDTH_OF_GRADIENTS
    return judged(found, point, dtype, f"numpy in blocks, {name} beside plain", tangents_only=tangents_only)
