"""Memory traffic of a row program.

>>> from lngen.language.parsing import parse
>>> from lngen.plan.planner import plan
>>> from lngen.derivation.gradients import derive
>>> layer = plan(derive(parse('''
... from lngen.language import Row, mean
... def centred(x: Row):
...     return x - mean(x)
... ''')))
>>> forward = cost(layer.forward)
>>> forward.tensors
2
>>> forward.at(rows=16384, features=768, itemsize=2, accumulate_itemsize=4)
(50331648, 50364416)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

import sympy
from sympy import Expr

from lngen.algebra.symbols import D, TypedSymbol, axes
from lngen.plan.cost.operations import Operations, operations
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.casts import itemsize

ROWS = sympy.Symbol("rows", integer=True, nonnegative=True)
ITEMSIZE = sympy.Symbol("itemsize", integer=True, positive=True)
ACCUMULATE_ITEMSIZE = sympy.Symbol("accumulate_itemsize", integer=True, positive=True)

INTEGER_ITEMSIZE = 8
"""Bytes of an integer, such as a label of PyTorch. A caller may pass a narrower type."""


@dataclass(frozen=True)
class SmallerArray:
    """Array read or written that lacks axes of the rows: those that it has, and its bytes an entry if not the rows'."""

    name: str
    axes: tuple[str, ...]
    own: int | None = None

    def bytes(self, sizes: Mapping[str, int], itemsize: int) -> int:
        """Bytes moved, given the size of each axis and of an entry of rows.

        >>> SmallerArray("scale", ("b", "d")).bytes({"b": 2, "t": 100, "d": 3}, 4)
        24
        """
        return (self.own or itemsize) * prod(sizes[axis] for axis in self.axes)


@dataclass(frozen=True)
class Cost:
    """Cost of one direction.

    `rows_read` and `rows_written` count tensors of the rows' shape. `scalars_read` and `scalars_written` count row
    scalars that are inputs, cotangents or results, in the rows' type. `saved` counts the row scalars saved for
    backward, in the accumulation type. `features` and `numbers` count Features and Scalars read or written.
    `partial_features` and `partial_numbers` are sums over rows, with one partial result for every block of rows.
    `own_rows` and the others are the sizes, in bytes, of those among them that have a type of their own: integers, and
    results that are cast. `smaller` are arrays read or written that lack axes of the rows. Their size is not a formula
    in rows and D, and `bytes` has none of it.
    """

    operations: Operations
    rows_read: int
    rows_written: int
    scalars_read: int
    scalars_written: int
    saved: int
    features: int
    numbers: int
    partial_features: int
    partial_numbers: int
    own_rows: tuple[int, ...] = ()
    own_scalars: tuple[int, ...] = ()
    own_features: tuple[int, ...] = ()
    own_numbers: tuple[int, ...] = ()
    smaller: tuple[SmallerArray, ...] = ()

    @property
    def tensors(self) -> int:
        """Row tensors moved: each is read or written once."""
        return self.rows_read + self.rows_written

    @property
    def row_bytes(self) -> Expr:
        """Bytes moved for an entry of a row."""
        return _bytes(self.tensors, self.own_rows)

    @property
    def scalar_bytes(self) -> Expr:
        """Bytes per row of the row scalars that are inputs, cotangents or results."""
        return _bytes(self.scalars_read + self.scalars_written, self.own_scalars)

    @property
    def bytes(self) -> Expr:
        """Bytes moved, in rows, D, itemsize and accumulate_itemsize; partial sums excluded."""
        scalars = self.scalar_bytes + self.saved_bytes_per_row
        return ROWS * (D * self.row_bytes + scalars) + self.parameter_bytes

    @property
    def saved_bytes_per_row(self) -> Expr:
        """Bytes per row that are kept between forward and backward besides the caller's own arrays."""
        return self.saved * ACCUMULATE_ITEMSIZE

    @property
    def parameter_bytes(self) -> Expr:
        """Bytes of Features and Scalars, once per call."""
        of_rows = D * (self.features - len(self.own_features)) + self.numbers - len(self.own_numbers)
        return ITEMSIZE * of_rows + D * sum(self.own_features) + sum(self.own_numbers)

    @property
    def partial_bytes(self) -> Expr:
        """Bytes that each block of rows writes for the sums over rows."""
        return ACCUMULATE_ITEMSIZE * (D * self.partial_features + self.partial_numbers)

    @property
    def flops(self) -> Expr:
        """Operations, in rows and D."""
        return self.operations.total(ROWS)

    def at(self, rows: int, features: int, itemsize: int, accumulate_itemsize: int) -> tuple[int, int]:
        """Bytes moved and operations done for a shape: `features` is D, sizes are in bytes."""
        values = {ROWS: rows, D: features, ITEMSIZE: itemsize, ACCUMULATE_ITEMSIZE: accumulate_itemsize}
        return int(self.bytes.subs(values)), int(self.flops.subs(values))


def _bytes(count: int, own: tuple[int, ...]) -> Expr:
    """Bytes of an entry of several arrays, some of them of types of their own with these sizes."""
    return (count - len(own)) * ITEMSIZE + sum(own)


def cost(program: RowProgram) -> Cost:
    """The cost of a program in which every row is read once and every result written once."""
    used, casts = program.read(), dict(program.casts)
    given = [*((row.name, row.symbol) for row in program.rows), *((p.name, p.symbol) for p in program.parameters)]
    read = {symbol: name for name, symbol in given if symbol in used}
    made = [(n, store.symbol) for store in program.results for n in store.names if store.symbol not in program.saved]
    own = {name: itemsize(target) for name, target in casts.items()}
    own |= {name: INTEGER_ITEMSIZE for symbol, name in read.items() if symbol.is_integer}
    axes_of = dict(program.smaller)
    taken = [(name, symbol) for symbol, name in read.items() if symbol not in program.saved]

    def whole(pairs: Iterable[tuple[str, TypedSymbol]], rows: bool, features: bool) -> list[str]:
        return [name for name, symbol in pairs if name not in axes_of and axes(symbol) == (rows, features)]

    def sizes(rows: bool, features: bool) -> tuple[int, ...]:
        return tuple(own[name] for name in whole([*taken, *made], rows, features) if name in own)

    return Cost(
        operations=operations(program),
        rows_read=len(whole(taken, True, True)),
        rows_written=len(whole(made, True, True)),
        scalars_read=len(whole(taken, True, False)),
        scalars_written=len(whole(made, True, False)),
        saved=len(program.saved),
        features=len(whole([*taken, *made], False, True)),
        numbers=len(whole([*taken, *made], False, False)),
        partial_features=sum(axes(r.symbol).features for stage in program.stages for r in stage.rows_reductions),
        partial_numbers=sum(not axes(r.symbol).features for stage in program.stages for r in stage.rows_reductions),
        own_rows=sizes(True, True),
        own_scalars=sizes(True, False),
        own_features=sizes(False, True),
        own_numbers=sizes(False, False),
        smaller=tuple(
            SmallerArray(name, axes_of[name], own.get(name)) for name, _ in (*taken, *made) if name in axes_of
        ),
    )


def reductions(program: RowProgram) -> int:
    """Reductions over the feature axis that a row takes; one that only measures rounding is not counted."""
    return sum(len(stage.reductions) for stage in program.stages if not stage.correction)
