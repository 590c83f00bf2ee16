"""Points at which a definition is tested: small points of order one, the ends of the domain, and rows for a batch."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from lngen.checks.layer import Case
from lngen.language.definition import Definition, Input
from lngen.language.oracle.random import drawn_from
from lngen.language.syntax import Kind
from tests.fuzz.answers import Point

LARGEST_EXPONENT = 80.0
"""Largest exponent in float32 that leaves room for products: exp(80) is 5e34."""

TINY, LARGE = 1e-9, 1e6
"""The deviation of the smallest and of the largest rows: fourth powers of the large ones are squared in float32."""

ENDS: dict[Any, tuple[tuple[str, float, float], ...]] = {
    np.float32: (
        ("deviation 1", 1.0, 0.0),
        ("deviation 1, mean 3", 1.0, 3.0),
        ("deviation 1, mean -3", 1.0, -3.0),
        ("deviation 5", 5.0, 0.0),
        ("deviation 20", 20.0, 0.0),
        ("deviation 25", 25.0, 0.0),
        ("tiny", TINY, 0.0),
        ("large", LARGE, 0.0),
    ),
    np.float64: (("deviation 5", 5.0, 0.0), ("deviation 25", 25.0, 0.0), ("deviation 150", 150.0, 0.0)),
}
"""The deviation and the mean of rows, by float type. No entry of a moderate row is past the largest exponent."""

MODERATE = 1e3
_ROWS, _FEATURES = 24, (1, 2, 3, 5, 7, 8, 12, 19)
# What the spread of a row does to its exponentials is different from row to row, and shows in rows of some entries.
_SPREAD = 20.0
_SPREAD_ROWS, _SPREAD_FEATURES = 48, (5, 7, 8, 12, 19)


def left_out(definition: Definition, number: int | None, rng: random.Random) -> set[str]:
    """The inputs that a case does without, of those that may be left out: one of five, or with the `number` of the case
    each in one case of three or oftener.
    """
    optional = [entry.name for entry in definition.positional if entry.default is not None]
    turns = [number is not None and (number + place) % 3 == 1 for place in range(len(optional))]
    return {name for name, turn in zip(optional, turns, strict=True) if turn or rng.random() < 0.2}


def small(definition: Definition, rows: int, features: int, rng: random.Random, draw: int, gone: set[str]) -> Point:
    """A point of order one. The first draws have what breaks formulas: zeros, equal entries."""

    def number() -> float:
        if draw < 6:
            return rng.gauss(0.2, 1.0) if draw % 2 == 0 else rng.gauss(0, 0.4)
        return rng.uniform(0.25, 2.0) if draw < 10 else rng.uniform(0.3, 0.9)

    def array(kind: Kind, special: bool) -> Any:
        shape = ((rows,) if kind.over_rows else ()) + ((features,) if kind.over_features else ())
        values = np.array([number() for _ in range(int(np.prod(shape)))]).reshape(shape)
        if special and kind is Kind.ROW:
            return np.full_like(values, values.flat[0])
        return np.where(values < 0.2, 0.0, values) if special else values

    def given(entry: Input) -> Any:
        if entry.kind is Kind.CONSTANT:
            return constant(entry)
        if entry.kind.is_integer:
            return places(entry.kind, rows, features, np.random.default_rng(rng.getrandbits(64)))
        return array(entry.kind, special=draw < 3 and rng.random() < 0.25)

    inputs = {entry.name: None if entry.name in gone else given(entry) for entry in definition.passed}
    inputs |= random_numbers(definition, inputs, rows, features)
    cotangents: dict[str, Any] = {
        name: array(definition.output_kind(name), special=False) for name in definition.outputs
    }
    if len(cotangents) > 1 and rng.random() < 0.3:
        cotangents[rng.choice(sorted(cotangents))] = None
    case = Case("a small point", rows, features, inputs, cotangents)
    return Point(case, {name: array(definition.input(name).kind, False) for name in moving(definition, inputs, rng)})


def constant(entry: Input) -> float:
    """The value of a Constant: its default, or one of order one."""
    return float(entry.default) if entry.default is not None else 0.75


def places(kind: Kind, rows: int, features: int, generator: np.random.Generator) -> Any:
    """Integers of a kind: places in a row, and one beside it on either side."""
    return generator.integers(-1, features + 1, ((rows,) * kind.over_rows) + ((features,) * kind.over_features))


def random_numbers(definition: Definition, inputs: dict[str, Any], rows: int, features: int) -> dict[str, Any]:
    """The random numbers that a definition draws, by name; `inputs` has the seed."""
    drawing = [(entry.name, entry.draws) for entry in definition.inputs if entry.draws]
    return {name: drawn_from(draw, inputs, (rows, features)) for name, draw in drawing}


def moving(definition: Definition, inputs: dict[str, Any], rng: random.Random) -> list[str]:
    """The inputs that have a direction: of those that are there most, and one at least."""
    there = [entry.name for entry in definition.differentiable if inputs.get(entry.name) is not None]
    some = [name for name in there if rng.random() < 0.7]
    return some or [rng.choice(there)]


def ends(definition: Definition, dtype: Any, seed: str) -> Iterator[Point]:
    """A few rows at each end of the domain, in numbers of a float type."""
    for number, (name, deviation, mean) in enumerate(ENDS[dtype]):
        rng = random.Random(f"{seed} {name}")
        spread = _SPREAD <= deviation < MODERATE
        rows, widths = (_SPREAD_ROWS, _SPREAD_FEATURES) if spread else (_ROWS, _FEATURES)
        features = max(definition.minimum_features, rng.choice(widths))
        gone = left_out(definition, number, rng)
        yield drawn(definition, rows, features, rng, name, deviation, mean, gone).astype(dtype)


def drawn(
    definition: Definition,
    rows: int,
    features: int,
    rng: random.Random,
    name: str,
    deviation: float,
    mean: float | Any,
    gone: set[str],
) -> Point:
    """Normal numbers. The first Row has the deviation and the mean (or a mean a row), another Row the same or 1 and 0.

    RowScalars, parameters, cotangents and directions are of order one, directions of what is scaled scaled too.
    """
    generator = np.random.default_rng(rng.getrandbits(64))
    leading = definition.rows[0].name

    def normal(kind: Kind, deviation: float = 1.0, mean: Any = 0.0) -> Any:
        shape = ((rows,) if kind.over_rows else ()) + ((features,) if kind.over_features else ())
        values = deviation * generator.standard_normal(shape) + (np.reshape(mean, (-1, 1)) if np.ndim(mean) else mean)
        largest = LARGEST_EXPONENT if deviation < 100 else 5 * LARGEST_EXPONENT
        return np.minimum(values, largest) if 1 < deviation < MODERATE else values

    inputs: dict[str, Any] = {}
    sizes: dict[str, float] = {}
    for entry in definition.passed:
        scaled = entry.name == leading or (entry.kind is Kind.ROW and rng.random() < 0.5)
        sizes[entry.name] = deviation if scaled and not 1 / MODERATE < deviation < MODERATE else 1.0
        if entry.kind is Kind.CONSTANT:
            inputs[entry.name] = constant(entry)
        elif entry.name in gone:
            inputs[entry.name] = None
        elif entry.kind.is_integer:
            inputs[entry.name] = places(entry.kind, rows, features, generator)
        else:
            inputs[entry.name] = normal(entry.kind, deviation, mean) if scaled else normal(entry.kind)
    inputs |= random_numbers(definition, inputs, rows, features)
    cotangents: dict[str, Any] = {name: normal(definition.output_kind(name)) for name in definition.outputs}
    if len(cotangents) > 1 and rng.random() < 0.3:
        cotangents[rng.choice(sorted(cotangents))] = None
    directions = {n: normal(definition.input(n).kind, sizes[n]) for n in moving(definition, inputs, rng)}
    return Point(Case(name, rows, features, inputs, cotangents), directions)
