"""Cases of several axes such that every two values of different axes meet in some case."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Pair = tuple[tuple[str, Any], tuple[str, Any]]


def pairs_of(case: Mapping[str, Any]) -> set[Pair]:
    """The pairs of values of a case, each value with the name of its axis.

    >>> pairs_of({"type": "f32", "rows": 3})
    {(('type', 'f32'), ('rows', 3))}
    """
    return {*itertools.combinations(case.items(), 2)}


Allowed = Callable[[Mapping[str, Any]], bool]


def pairwise(axes: Mapping[str, Sequence[Any]], allowed: Allowed = bool, tries: int = 8) -> list[dict[str, Any]]:
    """Cases in which each pair of values of two axes is; the same ones on every run.

    `allowed` tests a case of some of the axes or all. Raises ValueError where a pair is in no case that is allowed.

    Each next case is the best of some `tries`: it begins with a pair that is left, and takes on every other axis a
    value that makes the most pairs that are left.

    >>> made = pairwise({"a": (1, 2, 3), "b": "xy", "c": (True, False)})
    >>> len(made) < 3 * 2 * 2, len(set().union(*map(pairs_of, made))) == 3 * 2 + 3 * 2 + 2 * 2
    (True, True)
    >>> made = pairwise({"a": (1, 2), "b": (1, 2), "c": (1, 2)}, lambda case: case.get("a") != 2 or case.get("b") != 2)
    Traceback (most recent call last):
    ValueError: no case is allowed with (('a', 2), ('b', 2))
    """
    generator = random.Random(0)
    every = itertools.combinations([[(name, value) for value in values] for name, values in axes.items()], 2)
    left = dict.fromkeys(pair for one, other in every for pair in itertools.product(one, other))
    cases = []
    while left:
        grown = (_grown(axes, left, generator, allowed) for _ in range(tries))
        cases.append(max(grown, key=lambda case: _new(case, left)))
        for pair in pairs_of(cases[-1]):
            left.pop(pair, None)
    return cases


def _grown(
    axes: Mapping[str, Sequence[Any]], left: Mapping[Pair, None], generator: random.Random, allowed: Allowed
) -> dict[str, Any]:
    pair = generator.choice([*left])
    case = dict(pair)
    for name in generator.sample([*axes], len(axes)):
        if name not in case:
            values = [v for v in generator.sample([*axes[name]], len(axes[name])) if allowed({**case, name: v})]
            if not values:
                raise ValueError(f"no case is allowed with {pair}")
            case[name] = max(values, key=lambda value: _new(_ordered(axes, {**case, name: value}), left))
    return _ordered(axes, case)


def _ordered(axes: Mapping[str, Any], case: Mapping[str, Any]) -> dict[str, Any]:
    return {name: case[name] for name in axes if name in case}


def _new(case: Mapping[str, Any], left: Mapping[Pair, None]) -> int:
    return sum(pair in left for pair in pairs_of(case))
