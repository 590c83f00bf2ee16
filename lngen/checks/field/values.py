"""Values of a program's names at a point, for a few rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy

from lngen.algebra.numeric import Arithmetic, evaluate_expression
from lngen.algebra.symbols import D, TypedSymbol, axes
from lngen.plan.program import RowProgram
from lngen.prove.programs import equations_of
from lngen.runtime.protocol.directions import FEATURE, ROW, ROW_SCALAR, Entry


class ProgramValues:
    """The values of a program's names at a point, for all rows: what its equations say of the given ones."""

    def __init__(
        self, program: RowProgram, features: int, given: Mapping[TypedSymbol, Any], arithmetic: Arithmetic
    ) -> None:
        self._equations = {q.symbol: q.expression for q in equations_of(program)}
        self._known: dict[Any, Any] = {**given, D: arithmetic.number(sympy.Integer(features))}
        self._arithmetic = arithmetic

    def of(self, symbol: TypedSymbol) -> Any:
        """Return the values of a symbol."""
        if symbol not in self._known:
            expression = self._equations[symbol]
            for met in expression.free_symbols & self._equations.keys():
                self.of(met)
            self._known[symbol] = evaluate_expression(expression, self._known, self._arithmetic)
        return self._known[symbol]


def wide(symbol: TypedSymbol, value: Any) -> Any:
    """Return a value with an axis of one feature, if it is a number of each row."""
    return value.reshape(-1, 1) if axes(symbol) == (True, False) else value


def shape_of(each: Entry, rows: int, features: int) -> tuple[int, ...]:
    """Return the shape of an argument or a result of a layer on rows."""
    return {ROW: (rows, features), ROW_SCALAR: (rows,), FEATURE: (features,)}.get(each.part, ())
