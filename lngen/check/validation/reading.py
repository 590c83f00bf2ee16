"""A recorded graph read back into expressions, in the names of the program that the text was printed from.

A node whose expression is that of a line of the program is the line's name; a reduction that is none has a name of its
own, whose meaning the prover may open.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import mpmath
import numpy as np
import sympy
from sympy import Expr

from lngen.algebra.equations import Equation
from lngen.algebra.numeric import Arithmetic, evaluate_equations, evaluate_expression
from lngen.algebra.symbols import (
    HEADS,
    PLACE,
    SYMBOL_OF_AXES,
    AttainsFirst,
    Axes,
    D,
    FeatureSum,
    Mean,
    Power,
    RowMax,
    RowMin,
    SumRows,
    TypedSymbol,
    Where,
    axes,
    stand_in,
)
from lngen.check.validation.recording import Place, RecordedKernel
from lngen.check.validation.traced import Traced, constants, numbers_in
from lngen.plan.passes.moments import CorrectedProducts, CorrectedSquares, written_out
from lngen.plan.program import RowProgram
from lngen.prove.budget import Budget
from lngen.prove.digits import drawn, is_finite
from lngen.prove.every_size import NotShownError, shown_equal
from lngen.prove.names import Meanings
from lngen.prove.programs import equations_of
from lngen.prove.row_algebra import RowAlgebra

NEVER = SYMBOL_OF_AXES[Axes(rows=True, features=True)]("never written ")
"""Value that is read where nothing was written."""

_REDUCTIONS = {"sum": FeatureSum, "max": RowMax, "min": RowMin}
_CORRECTED = {"corrected_squares": CorrectedSquares, "corrected_products": CorrectedProducts}
_COMPARED = {"<": sympy.Lt, "<=": sympy.Le, ">": sympy.Gt, ">=": sympy.Ge, "==": sympy.Eq, "!=": sympy.Ne}

_INFINITE = (sympy.nan, sympy.zoo, sympy.oo, -sympy.oo)
_WORK_OF_ALL = 1_000_000
_POINTS, _APART = 4, 1e-12


class ProgramLines:
    """The lines of a program in a case, and the names that values of a text have among them.

    `neutral` has the values of the arguments that are left out.
    """

    def __init__(self, program: RowProgram, neutral: Mapping[TypedSymbol, Expr]) -> None:
        self.program = program
        self.names = Meanings(RowAlgebra(Budget(_WORK_OF_ALL), program.minimum_features))
        self.called: dict[Expr, TypedSymbol] = {}
        self.strange: list[tuple[str, bool]] = []
        self.numbers = dict(_numbers(program))
        self._table: dict[Expr, Expr] = dict(neutral)
        for line in equations_of(program):
            expression = line.expression.xreplace(self._table).xreplace({SumRows(sympy.S.Zero): sympy.S.Zero})
            if expression in self.called or expression.is_Atom:
                self._table[line.symbol] = self.called.get(expression, expression)
            else:
                self._name(line.symbol, expression)

    def wanted(self, symbol: TypedSymbol) -> Expr:
        """Return what a symbol of the program is in the case."""
        return symbol.xreplace(self._table)

    def name(self, expression: Expr, number: int) -> Expr:
        """Return the name of a reduction, or of a sum over rows, and note one that is equal to no line."""
        if expression not in self.called and not expression.is_Atom:
            alike = [(type(e), s) for e, s in self.called.items() if axes(s) == axes(expression)]
            lines = [s for kind, s in alike if kind is type(expression)]
            lines += [s * D for kind, s in alike if kind is Mean and isinstance(expression, FeatureSum)]
            symbol = stand_in(f"node {number} of {len(self.called)}", expression)
            self._name(symbol, expression)
            troubles = [self.trouble(symbol, line) for line in lines]
            if all(trouble for trouble, _ in troubles) and not expression.has(NEVER):
                self.strange.append((str(expression), all(refuted for _, refuted in troubles)))
        return self.called.get(expression, expression)

    def _name(self, symbol: TypedSymbol, expression: Expr) -> None:
        self.called[expression] = symbol
        self.names.give([Equation(symbol, expression)])

    def trouble(self, found: Expr, wanted: Expr) -> tuple[str, bool]:
        """Return why two expressions are not seen to be equal for every D, and whether a point refutes it; or ""."""
        if found.has(NEVER):
            return "a value is read that was never written, or an argument that is left out", True
        if found == wanted:
            return "", False
        if found.has(*_INFINITE) and not wanted.has(*_INFINITE):
            return f"{found} is not {wanted}", True
        if any(self._differ(found, wanted)):
            return f"{found} is not {wanted}", True
        try:
            shown_equal(found, wanted, self.names, together=True)
        except NotShownError as error:
            return f"{found} is not seen to be {wanted}: {error}", False
        return "", False

    def _differ(self, found: Expr, wanted: Expr) -> Iterator[bool]:
        """Yield, for some points, whether two expressions have different finite values there."""
        meaning = self.names.meaning
        equations = [Equation(symbol, expression) for symbol, expression in meaning.items()]
        free = {s for e in (found, wanted, *meaning.values()) for s in e.free_symbols} - meaning.keys() - {D, PLACE}
        for seed in range(_POINTS):
            generator, features = random.Random(seed), self.program.minimum_features + 1 + seed % 3
            low = -1 if seed % 2 else 0
            point: dict[Any, Any] = {s: drawn(s, features, generator, low, 1) for s in sorted(free, key=str)}
            arithmetic = Arithmetic(mpmath.mp.dps)
            try:
                values = evaluate_equations(equations, {**point, D: mpmath.mpf(features)}, arithmetic)
                one, other = (evaluate_expression(e, values, arithmetic) for e in (found, wanted))
            except (TypeError, ValueError, ArithmeticError, KeyError):
                continue
            if is_finite(one) and is_finite(other):
                yield bool(np.any(abs(one - other) > _APART * (1 + abs(other))))


class Reading:
    """The expressions of a kernel's nodes."""

    def __init__(self, kernel: RecordedKernel, lines: ProgramLines, symbols: Mapping[Place, Expr]) -> None:
        self.kernel, self.lines, self.symbols = kernel, lines, symbols
        self._of: dict[int, Any] = {}
        self._first: dict[TypedSymbol, Expr] = {}
        for number, (operation, *operands) in kernel.nodes.items():
            made = self._made(number, operation, operands)
            self._of[number] = lines.called.get(made, made)

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
            case "uniform":
                return self._random(int(operands[0]), self._of[int(operands[1])])
            case "sum" if (mean := Mean(self._of[int(operands[0])])) in self.lines.called:
                # Of a mean the text has the sum too; that may be another line.
                total = self.lines.called.get(FeatureSum(self._of[int(operands[0])]))
                return self.lines.called[mean] * D if total is None else total
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


def _numbers(program: RowProgram) -> Iterable[tuple[float, Expr]]:
    """Yield the numbers of a program by the floats that a text has for them, and their inverses."""
    for number in numbers_in(line.body for line in program.lines()):
        if not number.is_zero:
            yield from ((float(each), each) for each in (number, -number, 1 / number))
