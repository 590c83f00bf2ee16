"""Values of a program's names at a point, for a few rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sympy import Expr

from lngen.algebra.numeric import Arithmetic, evaluate_expression
from lngen.algebra.symbols import D, TypedSymbol, axes
from lngen.plan.program import RowProgram
from lngen.prove.programs import equations_of
from lngen.runtime.protocol.directions import FEATURE, ROW, ROW_SCALAR, Entry


class ProgramValues:
    """The values of a program's names at a point, for all rows: what its equations say of the given ones."""

    def __init__(
        self,
        program: RowProgram,
        rows: int,
        features: int,
        given: Mapping[TypedSymbol, Any],
        arithmetic: Arithmetic,
    ) -> None:
        self.rows, self.features = rows, features
        self.equations = {q.symbol: q for q in equations_of(program)}
        self.known: dict[TypedSymbol, Any] = dict(given)
        self._arithmetic = arithmetic

    def of(self, symbol: TypedSymbol, rows: slice) -> Any:
        """Return the values of a symbol in some rows."""
        if symbol in self.known:
            value = self.known[symbol]
            return value[rows] if axes(symbol).rows and isinstance(value, np.ndarray) and value.ndim else value
        return self.evaluated(self.equations[symbol].expression, rows)

    def evaluated(self, expression: Expr, rows: slice) -> Any:
        """Return the value of an expression in some rows."""
        met = [s for s in expression.free_symbols if s in self.equations or s in self.known]
        environment: dict[Any, Any] = {s: self.of(s, rows) for s in met}
        environment[D] = self.features
        return evaluate_expression(expression, environment, self._arithmetic)


def wide(symbol: TypedSymbol, value: Any) -> Any:
    """Return a value with an axis of one feature, if it is a number of each row."""
    return np.asarray(value, object).reshape(-1, 1) if axes(symbol) == (True, False) else value


def shape_of(each: Entry, rows: int, features: int) -> tuple[int, ...]:
    """Return the shape of an argument or a result of a layer on rows."""
    return {ROW: (rows, features), ROW_SCALAR: (rows,), FEATURE: (features,)}.get(each.part, ())
