"""Plain forward-mode differentiation of a definition: what anybody gets who evaluates it with its chain rule."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from lngen.checks.layer import Case
from lngen.language.definition import Definition
from lngen.language.oracle.evaluate import evaluate
from lngen.language.parsing import parse
from lngen.language.syntax import Kind
from tests.fuzz.answers import GRADIENT, OUTPUT, SECOND, SECOND_OF_COTANGENT, TANGENT, Point, Results
from tests.fuzz.axes import without_axes
from tests.fuzz.hyperdual import Hyperdual


def in_rows(text: str) -> Definition:
    """The layer of a text with parameters of each row's own: Features are Rows of it, Scalars are RowScalars.

    >>> print(in_rows("def f(x: Row, w: Feature = 1): return w * x").input("w").kind)
    Kind.ROW
    """
    function = without_axes(text)
    own = {"Feature": "Row", "Scalar": "RowScalar", "Data['d']": "Data"}
    for argument in function.args.args:
        assert argument.annotation
        if (name := own.get(ast.unparse(argument.annotation))) is not None:
            argument.annotation = ast.Name(name)
    return parse(ast.unparse(function))


def differentiated(
    definition: Definition,
    rows: Definition,
    point: Point,
    numbers: Hyperdual,
    tangents_only: bool = False,
    places: Sequence[tuple[str, int]] | None = None,
) -> Results:
    """Outputs, gradients, tangents and second gradients at a point, by plain differentiation.

    `rows` is `in_rows` of the definition's text. With `tangents_only` outputs and tangents, which take one column.
    `places` are the entries of inputs whose gradients there are, by input and feature: else all, a column each.
    """
    case, directions = point.case, point.directions
    there = [entry for entry in definition.differentiable if case.inputs.get(entry.name) is not None]
    if places is None:
        places = [
            (entry.name, place) for entry in there for place in range(case.features if entry.kind.over_features else 1)
        ]
    places = places[:1] if tangents_only else places
    given: dict[str, Any] = {}
    for entry in definition.inputs:
        value = case.inputs.get(entry.name)
        if entry.kind is Kind.CONSTANT or value is None:
            given[entry.name] = value
            continue
        shape = (case.rows, case.features) if entry.kind.over_features else (case.rows,)
        if entry.kind.is_integer:
            given[entry.name] = np.broadcast_to(value, (len(places), *shape)) if entry.kind.over_rows else value
            continue
        first = np.zeros((len(places), *shape), int)
        for number, (name, place) in enumerate(places):
            if name == entry.name:
                first[(number, ..., place) if entry.kind.over_features else number] = 1
        given[entry.name] = numbers.of(value, first, numbers.weight(directions.get(entry.name, 0)))
    with np.errstate(all="ignore"):
        outputs = evaluate(rows, given, numbers)
        results: Results = {(OUTPUT, name): value["value"][0] for name, value in outputs.items()}
        if not tangents_only:
            results |= _contracted(definition, case, numbers, outputs, places, GRADIENT)
        if directions:
            results |= {(TANGENT, name): value["second"][0] for name, value in outputs.items()}
        if directions and not tangents_only:
            results |= _contracted(definition, case, numbers, outputs, places, SECOND)
            given_cotangents = [name for name, value in case.cotangents.items() if value is not None]
            results |= {(SECOND_OF_COTANGENT, name): outputs[name]["second"][0] for name in given_cotangents}
    return results


def _contracted(
    definition: Definition, case: Case, numbers: Hyperdual, outputs: Any, places: Sequence[tuple[str, int]], what: str
) -> Results:
    """The parts of the outputs that move with each input, contracted with the cotangents."""
    results: Results = {}
    part = "first" if what == GRADIENT else "mixed"
    for entry in definition.differentiable:
        mine = [number for number, (name, _) in enumerate(places) if name == entry.name]
        moved: Any = numbers.lifted(0)
        for name, value in case.cotangents.items():
            if mine and value is not None:
                terms = numbers.operate("*", outputs[name][part][mine], numbers.weight(value))
                moved = numbers.operate("+", moved, numbers.total(terms) if terms.ndim == 3 else terms)
        if mine:
            moved = np.moveaxis(moved, 0, -1)  # (rows, places)
            moved = moved if entry.kind.over_rows else numbers.total(moved.T)
            results[what, entry.name] = moved if entry.kind.over_features else moved[..., 0]
    return results
