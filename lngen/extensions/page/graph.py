"""The values of a program as a graph, a band for each stage, drawn as SVG.

Colours and fonts are the page's, by class; a node is a link to the step that its value comes from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from lngen.algebra.notation import text
from lngen.algebra.symbols import D, TypedSymbol, axes
from lngen.extensions.page.layout import Layout, layout, ranks
from lngen.extensions.page.mathml import tspans
from lngen.plan.program import Line, RowProgram, RowsReduction

_RANK, _NODE, _SIDE = 56.0, 28.0, 16.0
_KINDS = {(True, True): "row", (True, False): "row-scalar", (False, True): "feature", (False, False): "scalar"}


@dataclass(frozen=True)
class _GraphNode:
    name: str
    kind: str
    band: int
    step: int
    formula: str
    is_argument: bool = False
    is_result: bool = False

    @property
    def width(self) -> float:
        return 24.0 + 8.5 * len(self.name)


def graph(program: RowProgram) -> str:
    """The graph of a direction as an SVG element."""
    nodes, edges, titles = _values(program)
    order = sorted(nodes, key=lambda name: nodes[name].band)
    # An argument stands above what reads it, whatever the order of arguments is.
    order.sort(key=lambda name: (nodes[name].band, not nodes[name].is_argument))
    rank = ranks(order, edges, {name: nodes[name].band for name in nodes})
    placed = layout(rank, edges, lambda name: nodes[str(name)].width)
    return "\n".join(_drawn(program, nodes, placed, titles))


def _values(program: RowProgram) -> tuple[dict[str, _GraphNode], list[tuple[str, str]], dict[int, str]]:
    lines: list[tuple[int, Line]] = []
    titles: dict[int, str] = {}

    def add(band: int, title: str, found: tuple[Line, ...]) -> None:
        if found:
            titles[band] = title
            lines.extend((band, line) for line in found)

    add(0, "once per call", program.prologue)
    for number, stage in enumerate(program.stages, 1):
        add(number, f"stage {number}" + (", correction" if stage.correction else ""), stage.lines())
    add(len(program.stages) + 1, "after the rows", program.epilogue)
    results = {store.symbol for store in program.results}
    nodes: dict[str, _GraphNode] = {}
    edges: list[tuple[str, str]] = []
    arguments = {row.symbol: row for row in program.rows} | {p.symbol: p for p in program.parameters}
    for band, line in lines:
        reads = sorted(line.body.free_symbols - {D}, key=lambda symbol: symbol.name)
        for symbol in reads:
            if symbol in arguments and symbol.name not in nodes:
                nodes[symbol.name] = _GraphNode(symbol.name, _kind(symbol), band, 0, "an argument", is_argument=True)
        expression = line.body if isinstance(line, RowsReduction) else line.expression
        over_rows = "sum over the rows of " if isinstance(line, RowsReduction) else ""
        formula = f"{line.symbol.name} = {over_rows}{text(expression)}"
        is_result = line.symbol in results
        nodes[line.symbol.name] = _GraphNode(
            line.symbol.name, _kind(line.symbol), band, line.step, formula, False, is_result
        )
        edges += [(symbol.name, line.symbol.name) for symbol in reads if symbol.name in nodes]
    return nodes, edges, titles


def _kind(symbol: TypedSymbol) -> str:
    return _KINDS[axes(symbol)]


def _drawn(program: RowProgram, nodes: dict[str, _GraphNode], placed: Layout, titles: dict[int, str]) -> Iterator[str]:
    """The drawing, from the back to the front."""
    last = max(placed.rank.values(), default=0)
    left = 118.0
    width, height = left + placed.width + 2 * _SIDE, _RANK * (last + 1) + _SIDE
    summary = escape(f"Dependencies of the values of {program.direction}, by stage", quote=True)
    yield (
        f'<svg class="graph" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
        f' role="group" aria-label="{summary}">'
    )
    for place, (band, title) in enumerate(titles.items()):
        inside = [placed.rank[name] for name in nodes if nodes[name].band == band]
        top, bottom = _RANK * min(inside) + 4, _RANK * (max(inside) + 1) + 4
        shade = "even" if place % 2 else "odd"
        yield f'<rect class="band {shade}" x="0" y="{top:.0f}" width="{width:.0f}" height="{bottom - top:.0f}"/>'
        word, comma, rest = title.partition(", ")
        yield f'<text class="band-title" x="12" y="{top + 20:.0f}">{word}</text>'
        if comma:
            yield f'<text class="band-title" x="12" y="{top + 36:.0f}">{rest}</text>'

    def middle(rank: int) -> float:
        return _RANK * rank + _RANK / 2 + 4

    for (source, target), route in placed.routes.items():
        points = [(x + left + _SIDE, middle(rank)) for x, rank in route]
        points[0] = (points[0][0], points[0][1] + _NODE / 2)
        points[-1] = (points[-1][0], points[-1][1] - _NODE / 2 - 5)
        path = _curve(points)
        yield f'<path class="edge" data-ends="{source} {target}" d="{path}"/>'
    for name, node in nodes.items():
        x, y = placed.x[name] + left + _SIDE, middle(placed.rank[name])
        states = "".join(
            f" {word}" for word, holds in (("argument", node.is_argument), ("result", node.is_result)) if holds
        )
        corner = _NODE / 2 if node.kind in ("row-scalar", "scalar") else 4
        body = (
            f"<title>{escape(node.formula)}</title>"
            f'<rect x="{x - node.width / 2:.1f}" y="{y - _NODE / 2:.1f}" width="{node.width:.0f}" height="{_NODE:.0f}"'
            f' rx="{corner:.0f}"/><text x="{x:.1f}" y="{y + 5:.1f}">{tspans(name)}</text>'
        )
        attributes = f'class="node {node.kind}{states}" data-name="{name}"'
        if node.step:
            yield f'<a href="#step-{node.step}" {attributes}>{body}</a>'
        else:
            yield f"<g {attributes}>{body}</g>"
    yield "</svg>"


def _curve(points: list[tuple[float, float]]) -> str:
    """A smooth path downwards through points, upright at both ends.

    >>> _curve([(0.0, 0.0), (10.0, 30.0), (30.0, 60.0)])
    'M0 0C0 10 5 20 10 30S30 50 30 60'
    """
    slopes = [0.0, *((right - left) / 2 for (left, _), (right, _) in zip(points, points[2:], strict=False)), 0.0]
    path = f"M{points[0][0]:.0f} {points[0][1]:.0f}"
    for at, ((x0, y0), (x1, y1)) in enumerate(pairwise(points)):
        first = f"C{x0 + slopes[at] / 3:.0f} {(2 * y0 + y1) / 3:.0f} " if at == 0 else "S"
        path += f"{first}{x1 - slopes[at + 1] / 3:.0f} {(y0 + 2 * y1) / 3:.0f} {x1:.0f} {y1:.0f}"
    return path
