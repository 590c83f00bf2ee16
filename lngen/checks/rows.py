"""Definition with a value per row for everything, so that many changed copies of its rows are one evaluation.

Rows are independent, so a hundred columns to perturb are a hundred times as many rows. Parameters are shared by all
rows. In the *spread* definition a Feature is therefore a Row and a Scalar a RowScalar, with equal values in every row.
The gradient of a parameter is then the sum of its copies' gradients over rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lngen.checks.layer import Array, Case
from lngen.language import FUNCTIONS
from lngen.language.definition import Definition, Input, Statement
from lngen.language.oracle.evaluate import evaluate
from lngen.language.oracle.random import drawn_from
from lngen.language.syntax import Call, Expression, Kind, Name, children, mapped

_BLOCK_ENTRIES = 1 << 15  # of one row value: half a MiB of complex numbers, which stays in cache

_SPREAD = {Kind.FEATURE: Kind.ROW, Kind.SCALAR: Kind.ROW_SCALAR, Kind.DATA_PER_FEATURE: Kind.DATA}
_SPREAD |= {Kind.INT_PER_FEATURE: Kind.INT, Kind.INT_NUMBER: Kind.INT_PER_ROW}


@cache
def spread(definition: Definition) -> Definition:
    """The definition with a value per row for every Feature and Scalar.

    >>> from lngen.language.parsing import parse
    >>> definition = parse("def f(x: Row, w: Feature = 0.5, a: Scalar = 0): return w*x**0.5 + a")
    >>> print(spread(definition).canonical())
    def f(x: Row, w: Row = 1/2, a: RowScalar = 0)
    y: Row = ((w * (x ** 1/2)) + a)
    return y
    """
    inputs = tuple(replace(entry, kind=_SPREAD.get(entry.kind, entry.kind)) for entry in definition.inputs)
    kinds = {entry.name: entry.kind for entry in inputs}
    statements: list[Statement] = []
    for statement in definition.statements:
        expression = _spread(statement.expression, kinds)
        statements.append(replace(statement, expression=expression, kind=expression.kind))
        kinds[statement.name] = expression.kind
    return replace(definition, inputs=inputs, statements=tuple(statements))


def _spread(expression: Expression, kinds: Mapping[str, Kind]) -> Expression:
    """The expression with the kinds that it has where its names have these."""
    if isinstance(expression, Name):
        return replace(expression, kind=Kind.join(kinds[expression.name]))
    if not children(expression):
        return expression
    made = mapped(expression, lambda part: _spread(part, kinds))
    kind = Kind.join(*(part.kind for part in children(made)))
    if isinstance(made, Call) and FUNCTIONS[made.function].role == "reduction":
        kind = Kind.of(kind.over_rows, over_features=False)
    return replace(made, kind=kind)


class Rows:
    """The rows of a case, to be evaluated in any number of changed copies.

    `lift` turns arrays into the number type: `astype` of a float type, or a conversion to mpmath.
    """

    def __init__(self, definition: Definition, case: Case, numbers: Any, lift: Callable[[Any], Array]) -> None:
        self.original = definition
        self.definition = spread(definition)
        self.case = case
        self.numbers = numbers
        self.lift = lift
        self.values: dict[str, Array | None] = {}
        for entry in definition.inputs:
            given = case.inputs.get(entry.name)
            if entry.draws:
                # A copy of a row keeps the random numbers of the row.
                given = drawn_from(entry.draws, case.inputs, case.shape)
            self.values[entry.name] = None if given is None else self.lift(given)
        self.cotangents = {name: None if v is None else lift(v) for name, v in case.cotangents.items()}

    def taken(self, entry: Input, value: Array, row: NDArray[np.intp]) -> Array:
        """The value of an input (or a direction in it) for some rows; a Constant stays one number."""
        if entry.kind is Kind.CONSTANT:
            return value
        return value[row] if entry.kind.over_rows else np.broadcast_to(value, (len(row), *value.shape))

    def at(self, row: NDArray[np.intp]) -> dict[str, Array | None]:
        """All inputs for some rows."""
        return {
            name: None if value is None else self.taken(self.original.input(name), value, row)
            for name, value in self.values.items()
        }

    def losses(
        self,
        name: str,
        copies: int,
        change: Callable[[Array, NDArray[np.intp], NDArray[np.intp]], Array],
        part: Callable[[Array], Array] = lambda value: value,
    ) -> Array:
        """<cotangents, outputs> of each row in each copy: shape (copies, rows).

        `change(values, copy, row)` returns the changed values of the input `name` for rows of one block;
        `copy` and `row` tell which they are. `part` is applied to the outputs first.
        """
        pieces = [
            self._block(name, copy, row, change, part)
            for copy, row in _blocks(copies, self.case.rows, self.case.features)
        ]
        flat = np.concatenate(pieces) if pieces else self.lift(np.zeros(0))
        return flat.reshape(copies, self.case.rows)

    def _block(
        self,
        name: str,
        copy: NDArray[np.intp],
        row: NDArray[np.intp],
        change: Any,
        part: Callable[[Array], Array],
    ) -> Array:
        inputs = self.at(row)
        inputs[name] = change(np.asarray(inputs[name]), copy, row)
        outputs = evaluate(self.definition, inputs, self.numbers)
        return self.loss(outputs, row, part)

    def loss(self, outputs: Mapping[str, Array], row: Any, part: Callable[[Array], Array]) -> Array:
        """<cotangents, outputs> of some rows."""
        total = self.lift(np.zeros(len(row)))
        # Products of float64 are added up in long double; the wider types add in themselves.
        wide = np.longdouble if total.dtype == np.float64 else None
        for name, value in outputs.items():
            cotangent = self.cotangents.get(name)
            if cotangent is not None and len(row):
                terms = part(value) * cotangent[row]
                total = total + terms.reshape(len(row), -1).sum(-1, dtype=wide)
        return total


def _blocks(copies: int, rows: int, features: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    height = max(1, _BLOCK_ENTRIES // max(1, features))
    for start in range(0, copies * rows, height):
        flat = np.arange(start, min(start + height, copies * rows))
        yield flat // rows, flat % rows
