"""Seeded inputs: ordinary ones, and inputs that break normalization layers.

Ordinary values are signed, unequal and of order one. If the definition has no finite value there (a logarithm, a root),
positive or else negative values are taken. The caller rounds to a storage type, by `Case.astype`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from zlib import crc32

import numpy as np

from lngen.checks.layer import Array, Case
from lngen.language.definition import Definition, Input
from lngen.language.oracle.evaluate import FLOAT64, evaluate
from lngen.language.syntax import Kind

ORDINARY = "ordinary"
"""The name of the cases whose values have no pattern, so that their rounding errors are independent."""

OUTSIDE = "integers outside of the row"
"""The name of a case that a framework's own indexing refuses."""

_KINKED = frozenset({"abs", "sign", "max", "min", "maximum", "minimum", "where", "relu"})

_Draw = Callable[[np.random.Generator, tuple[int, ...]], Array]
_RANGES: tuple[_Draw, ...] = (
    lambda rng, shape: 0.3 + 1.2 * rng.standard_normal(shape),
    lambda rng, shape: rng.uniform(0.25, 2.0, shape),
    lambda rng, shape: rng.uniform(0.1, 0.9, shape),
    lambda rng, shape: -rng.uniform(0.25, 2.0, shape),
    lambda rng, shape: -rng.uniform(0.1, 0.9, shape),
)


def has_kinks(definition: Definition) -> bool:
    """Test whether the definition has points without a derivative."""
    return definition.calls(_KINKED)


def ordinary(
    definition: Definition, rows: int, features: int, seed: int, left_out: frozenset[str] = frozenset()
) -> Case:
    """Signed random inputs and cotangents, without those in `left_out`.

    The numbers depend on the seed, the shape and the name of the argument alone, so that leaving one out
    does not change the others.
    """
    case = _drawn(definition, rows, features, seed, left_out, _RANGES[-1])
    for draw in _RANGES:
        case = _drawn(definition, rows, features, seed, left_out, draw)
        with np.errstate(all="ignore"):
            outputs = evaluate(definition, case.inputs, FLOAT64)
        if all(np.isfinite(np.asarray(value)).all() for value in outputs.values()):
            break
    return case


def _drawn(definition: Definition, rows: int, features: int, seed: int, left_out: frozenset[str], draw: _Draw) -> Case:
    def generator(name: str) -> np.random.Generator:
        return np.random.default_rng([seed, rows, features, crc32(name.encode())])

    inputs = {
        entry.name: None if entry.name in left_out else _input(entry, rows, features, generator(entry.name), draw)
        for entry in definition.passed
    }
    cotangents = {
        name: np.asarray(generator("d" + name).standard_normal(_shape(definition.output_kind(name), rows, features)))
        for name in definition.outputs
    }
    return Case(ORDINARY, rows, features, inputs, cotangents)


def _shape(kind: Kind, rows: int, features: int) -> tuple[int, ...]:
    return ((rows,) if kind.over_rows else ()) + ((features,) if kind.over_features else ())


def _input(entry: Input, rows: int, features: int, rng: np.random.Generator, draw: _Draw) -> Array | float:
    if entry.kind is Kind.CONSTANT:
        # Away from the default, where terms may be 0 or 1 and hide their factors.
        return (0.0 if entry.default is None else float(entry.default)) + float(rng.uniform(0.2, 0.6))
    shape = _shape(entry.kind, rows, features)
    if entry.kind.is_integer:
        # Places of the row, or a number of places: with others a mask may leave nothing of a row.
        return np.asarray(rng.integers(0, features, shape) + (entry.kind is Kind.INT_NUMBER))
    return np.asarray(draw(rng, shape))


def hard(definition: Definition, features: int, seed: int, offset: float, tiny: float) -> Iterator[Case]:
    """Inputs at which textbook code loses digits or divides by zero, one case each; all have four rows.

    `offset` is the mean that a row of deviation 1 gets, in every second row below zero: 1e4 says something in float32,
    1e8 in float64. `tiny` is below
    every normal number of the type.
    Differences at a kink mean nothing, so a case that may sit on one says so by `smooth`.
    """
    base = ordinary(definition, 4, features, seed)
    smooth = not has_kinks(definition)

    def rows(name: str, change: Callable[[Array], Array], smooth: bool = smooth, plain: bool = False) -> Case:
        changed = {entry.name: change(np.asarray(base.inputs[entry.name])) for entry in definition.rows}
        return replace(base, name=name, inputs={**base.inputs, **changed}, smooth=smooth, plain=plain)

    by_row = np.array([[1e-3], [1.0], [1e3], [1e6]])
    yield rows("rows of zeros", np.zeros_like, plain=True)
    yield rows("rows of constants", lambda x: np.broadcast_to(x[:, :1], x.shape).copy(), plain=True)
    yield rows("scales 1e-3 to 1e6", lambda x: x * by_row, smooth=True)
    yield rows(f"offset {offset:g}", lambda x: x + offset * np.array([[1], [-1], [1], [-1]]), smooth=True)
    yield rows("one outlier 1e6", lambda x: _with_outlier(x), smooth=True)
    yield rows("denormals", lambda x: x * tiny, smooth=True)
    yield rows("variance near eps", lambda x: 1 + 3e-3 * x, smooth=True)
    yield rows("ties", np.round)
    if definition.features:
        # No two of the largest are equal: where a definition asks for the largest, there would be no derivative.
        signs = np.resize(np.array([0.0, -1.5, 1.0, 0.0, 0.25]), features) * (1 + np.arange(features) / 16)
        gates = {entry.name: signs.copy() for entry in definition.features}
        yield replace(base, name="parameters with zeros and negatives", inputs={**base.inputs, **gates}, plain=True)
    if integers := [entry for entry in definition.inputs if entry.kind.is_integer]:
        within, last = np.array([-100, features - 1, -100, 0]), np.array([-100, features - 1, features, 2**31 - 1])
        for name, values in (("labels of -100", within), (OUTSIDE, last)):
            placed = {e.name: np.resize(values, _shape(e.kind, 4, features)) for e in integers}
            yield replace(base, name=name, inputs={**base.inputs, **placed}, smooth=smooth)
    if definition.scalars:
        zeros = {entry.name: np.zeros(()) for entry in definition.scalars}
        yield replace(base, name="scalars zero", inputs={**base.inputs, **zeros}, smooth=smooth, plain=True)


def masked(definition: Definition, features: int, seed: int, low: float) -> Case | None:
    """Return a case with `low` for some entries of the first row, as masks write it; None without an exponential.

    One row keeps a single entry. Other rows, which may be weights, are positive, integers are places that stay, and
    Constants have their defaults, which may take a term away.
    """
    if not definition.calls(frozenset({"exp"})):
        return None
    base = ordinary(definition, 4, features, seed)
    first, *others = (entry.name for entry in definition.rows)
    row = np.array(base.inputs[first])
    row[0, 2 % features] = row[1, 0] = row[2, 1:] = low
    weights = {name: np.abs(base.inputs[name]) for name in others}
    places = {
        e.name: np.array([0, features - 1, 0, 1 % features]) for e in definition.inputs if e.kind is Kind.INT_PER_ROW
    }
    defaults = {entry.name: float(entry.default) for entry in definition.constants if entry.default is not None}
    changed = {**base.inputs, **weights, **places, **defaults, first: row}
    return replace(base, name="entries of -inf", inputs=changed, smooth=False)


def _with_outlier(x: Array) -> Array:
    changed = x.copy()
    changed[:, -1] = 1e6
    return changed
