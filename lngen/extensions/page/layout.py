"""Layout of a directed acyclic graph: nodes in ranks from top to bottom, with few crossing edges.

Sugiyama's method has four steps: ranks by the longest path, a waypoint where an edge passes a rank, an order in each
rank by the median of neighbours, and places nearest to those medians without overlap.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TypeAlias

Key: TypeAlias = Hashable
Edge: TypeAlias = tuple[Key, Key]

_SWEEPS = 12
_GAP = 18.0
_STRAIGHT = 8.0


@dataclass(frozen=True)
class Layout:
    """`x` of each node's middle, its rank, and for each edge the middles that it passes, ends included."""

    x: Mapping[Key, float]
    rank: Mapping[Key, int]
    routes: Mapping[Edge, tuple[tuple[float, int], ...]]
    width: float


def ranks(nodes: Sequence[Key], edges: Iterable[Edge], bands: Mapping[Key, int]) -> dict[Key, int]:
    """The rank of each node, `nodes` in an order in which edges lead forward: bands do not share a rank.

    >>> ranks("abcd", [("a", "b"), ("a", "d")], {"a": 0, "b": 0, "c": 1, "d": 1})
    {'a': 0, 'b': 1, 'c': 2, 'd': 2}
    """
    before = defaultdict(list)
    for source, target in edges:
        before[target].append(source)
    found: dict[Key, int] = {}
    free = 0
    for band in sorted({bands[node] for node in nodes}):
        first = free
        for node in (node for node in nodes if bands[node] == band):
            found[node] = max([first, *(found[source] + 1 for source in before[node] if source in found)])
            free = max(free, found[node] + 1)
    return {node: found[node] for node in nodes}


def layout(rank: Mapping[Key, int], edges: Sequence[Edge], width: Callable[[Key], float]) -> Layout:
    """Places for nodes of these ranks; an edge leads from a lower rank to a higher one.

    >>> placed = layout({"a": 0, "b": 1, "c": 1}, [("a", "b"), ("a", "c")], lambda node: 20.0)
    >>> placed.x, placed.width
    ({'a': 29.0, 'b': 10.0, 'c': 48.0}, 58.0)
    """
    rows: list[list[Key]] = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    for node, at in rank.items():
        rows[at].append(node)
    above: dict[Key, list[Key]] = defaultdict(list)
    below: dict[Key, list[Key]] = defaultdict(list)
    routes: dict[Edge, list[Key]] = {}
    for source, target in edges:
        waypoints = [(source, target, at) for at in range(rank[source] + 1, rank[target])]
        for waypoint in waypoints:
            rows[waypoint[2]].append(waypoint)
        route = routes[source, target] = [source, *waypoints, target]
        for one, other in pairwise(route):
            below[one].append(other)
            above[other].append(one)
    _order(rows, above, below)
    x = _places(rows, above, below, lambda node: width(node) if node in rank else 0.0)
    least = min((x[node] - width(node) / 2 for node in rank), default=0.0)
    x = {node: at - least for node, at in x.items()}
    all_ranks = {node: at for at, row in enumerate(rows) for node in row}
    return Layout(
        {node: round(x[node], 1) for node in rank},
        rank,
        {edge: tuple((round(x[node], 1), all_ranks[node]) for node in route) for edge, route in routes.items()},
        max((x[node] + width(node) / 2 for node in rank), default=0.0),
    )


def _order(rows: list[list[Key]], above: Mapping[Key, list[Key]], below: Mapping[Key, list[Key]]) -> None:
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        place = {node: at for row in rows for at, node in enumerate(row)}
        neighbours = above if down else below
        for row in rows if down else reversed(rows):
            row.sort(key=partial(_middle, neighbours=neighbours, place=place))
            place.update((node, at) for at, node in enumerate(row))


def _middle(node: Key, neighbours: Mapping[Key, list[Key]], place: Mapping[Key, int]) -> float:
    """The middle of a node's neighbours in the rank beside its own; its own place where it has none."""
    beside = neighbours.get(node, [])
    return sum(place[other] for other in beside) / len(beside) if beside else float(place[node])


def _places(
    rows: list[list[Key]],
    above: Mapping[Key, list[Key]],
    below: Mapping[Key, list[Key]],
    width: Callable[[Key], float],
) -> dict[Key, float]:
    x: dict[Key, float] = {}
    for row in rows:
        x.update(zip(row, _apart([0.0] * len(row), [width(node) for node in row]), strict=True))
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 == 0 else reversed(rows):
            wanted = []
            for node in row:
                beside = [*above.get(node, []), *below.get(node, [])]
                wanted.append(sum(x[other] for other in beside) / len(beside) if beside else x[node])
            x.update(zip(row, _apart(wanted, [width(node) for node in row]), strict=True))
    return x


def _apart(wanted: Sequence[float], widths: Sequence[float]) -> list[float]:
    """The places nearest to those wanted, in the same order, with room between.

    Least squares with the distances as constraints: pool adjacent violators, after each distance is taken off. What has
    no width is a waypoint, and counts more, so that edges are straight.

    >>> _apart([0.0, 0.0, 100.0], [10.0, 10.0, 10.0])
    [-14.0, 14.0, 100.0]
    """
    offsets, at = [], 0.0
    for index, width in enumerate(widths):
        at += 0.0 if index == 0 else (widths[index - 1] + width) / 2 + _GAP
        offsets.append(at)
    pools: list[tuple[float, float, int]] = []
    for target, offset, width in zip(wanted, offsets, widths, strict=True):
        mean, weight, size = target - offset, 1.0 if width else _STRAIGHT, 1
        while pools and pools[-1][0] > mean:
            other, heavy, count = pools.pop()
            mean, weight, size = (mean * weight + other * heavy) / (weight + heavy), weight + heavy, size + count
        pools.append((mean, weight, size))
    base = [mean for mean, _, size in pools for _ in range(size)]
    return [start + offset for start, offset in zip(base, offsets, strict=True)]
