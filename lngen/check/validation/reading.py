"""A recorded graph read back into expressions, in the names of the program that the text was printed from.

A node whose expression is that of a line of the program is the line's name; a reduction that is none has a name of its
own, whose meaning the prover may open.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy
from sympy import Expr

from lngen.algebra.symbols import (
    HEADS,
    PLACE,
    AttainsFirst,
    D,
    FeatureSum,
    Power,
    RowMax,
    RowMin,
    RowScalarSymbol,
    TypedSymbol,
    Where,
    axes,
    stand_in,
)
from lngen.check.validation.program_lines import NEVER, ProgramLines
from lngen.check.validation.recording import Place, RecordedKernel
from lngen.check.validation.traced import Traced, constants
from lngen.plan.passes.moments import CorrectedProducts, CorrectedSquares, written_out

_REDUCTIONS = {"sum": FeatureSum, "max": RowMax, "min": RowMin}
_CORRECTED = {"corrected_squares": CorrectedSquares, "corrected_products": CorrectedProducts}
_COMPARED = {"<": sympy.Lt, "<=": sympy.Le, ">": sympy.Gt, ">=": sympy.Ge, "==": sympy.Eq, "!=": sympy.Ne}


OTHER = stand_in("other", RowScalarSymbol)
"""Number of a row in the place of its largest entry, whatever it is."""


class Reading:
    """The expressions of a kernel's nodes."""

    def __init__(self, kernel: RecordedKernel, lines: ProgramLines, symbols: Mapping[Place, Expr]) -> None:
        self.kernel, self.lines, self.symbols = kernel, lines, symbols
        self._of: dict[int, Any] = {}
        self._first: dict[TypedSymbol, Expr] = {}
        for number, (operation, *operands) in kernel.nodes.items():
            made = self._made(number, operation, operands)
            self._of[number] = lines.known(made) if isinstance(made, Expr) else made

    def __getitem__(self, node: int) -> Expr:
        return self._of[node]

    def _made(self, number: int, operation: str, operands: list[str]) -> Any:
        match operation:
            case "number":
                return self._constant(operands[0])
            case "entry" | "scalar" | "total":
                return self.symbols.get((operands[0], int(operands[1])), NEVER)
            case "features":
                return D
            case "place":
                return PLACE
            case "other":
                return OTHER
            case "uniform":
                return self._random(int(operands[0]), self._of[int(operands[1])])
        return self._computed(number, operation, [self._of[int(each)] for each in operands])

    def _computed(self, number: int, operation: str, of: list[Any]) -> Any:
        match operation:
            case "add":
                return of[0] + of[1]
            case "subtract":
                return of[0] - of[1]
            case "multiply":
                return of[0] * of[1]
            case "divide":
                return of[0] / of[1]
            case "negate":
                return -of[0]
            case "sqrt" | "rsqrt":
                return of[0] ** sympy.Rational(1 if operation == "sqrt" else -1, 2)
            case "pow":
                return of[0] ** of[1] if of[1].is_Rational else Power(*of)
            case "select":
                return self._select(*of)
            case "first":
                return self._first_of(number, of[0])
            case "uninitialized":
                return NEVER
        if operation in _COMPARED:
            return _COMPARED[operation](*of)
        if operation in _CORRECTED:
            return written_out(_CORRECTED[operation](*of))
        if operation in _REDUCTIONS:
            return self.lines.name(_REDUCTIONS[operation](of[0]), number)
        return HEADS[operation](of[0])

    def _constant(self, text: str) -> Expr:
        """Return the exact number of a literal: one of the program that it is the nearest float to, or a fraction."""
        if text.lstrip("-").isdigit():
            return sympy.Integer(text)
        value = float(text)
        if value in self.lines.numbers:
            return self.lines.numbers[value]
        with constants(each for each in self.lines.numbers.values() if not each.is_Rational):
            return Traced.of(value).expression

    def _random(self, stream: int, seed: Expr) -> Expr:
        made = (row.symbol for row in self.lines.program.random if row.stream == stream and row.seed == seed)
        return next(made, NEVER)

    def _first_of(self, number: int, distance: Expr) -> Expr:
        """Return the place of the first of the least distances from an extreme, of which one is 0."""
        match distance:
            case Where(args=(sympy.Eq(args=(body, extreme)), sympy.S.Zero, size)) if size == abs(body - extreme):
                if axes(body).features and not axes(extreme).features:
                    first = stand_in(f"first {number}", extreme)
                    self._first[first] = AttainsFirst(body, extreme)
                    return first
        return NEVER

    def _select(self, condition: Any, chosen: Expr, otherwise: Expr) -> Expr:
        if isinstance(condition, sympy.Eq) and PLACE in condition.args:
            for first in self._first.keys() & set(condition.args):
                attained = self._first[first]
                return attained * chosen + (1 - attained) * otherwise if otherwise else attained * chosen
        return Where(condition, chosen, otherwise)
