"""The lines of a program, as names: what an expression is that of, and whether two are equal for every D."""

from __future__ import annotations

import operator
import random
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import mpmath
import numpy as np
import sympy
from sympy import Expr

from lngen.algebra.equations import Equation
from lngen.algebra.numeric import Arithmetic, evaluate_expression
from lngen.algebra.symbols import (
    PLACE,
    SYMBOL_OF_AXES,
    AttainsFirst,
    Axes,
    D,
    FeatureSum,
    Mean,
    Reduction,
    SumRows,
    TypedSymbol,
    axes,
    stand_in,
)
from lngen.check.validation.traced import numbers_in
from lngen.plan.program import RowProgram
from lngen.prove.budget import Budget
from lngen.prove.digits import drawn, is_finite
from lngen.prove.every_size import NotShownError, shown_equal
from lngen.prove.names import Meanings
from lngen.prove.programs import equations_of
from lngen.prove.row_algebra import RowAlgebra

NEVER = SYMBOL_OF_AXES[Axes(rows=True, features=True)]("never written ")
"""Value that is read where nothing was written."""

_INFINITE = (sympy.nan, sympy.zoo, sympy.oo, -sympy.oo)
_WORK_OF_ALL, _WORK, _WORK_OF_NODE = 1_000_000, 100_000, 5_000
_WITH_TOTALS: Mapping[type, tuple[type, ...]] = {FeatureSum: (Mean,)}
_POINTS, _APART = 12, 1e-12
_RANGES = ((0, 1), (-1, 1), (-6, 6))


class ProgramLines:
    """The lines of a program in a case, and the names that values of a text have among them.

    `neutral` has the values of the arguments that are left out.
    """

    def __init__(self, program: RowProgram, neutral: Mapping[TypedSymbol, Expr]) -> None:
        self.program = program
        self.names = Meanings(RowAlgebra(Budget(_WORK_OF_ALL), program.minimum_features))
        self.strange: list[tuple[str, bool]] = []
        self.numbers = dict(_numbers(program))
        self._called: dict[Expr, Expr] = {SumRows(sympy.S.Zero): sympy.S.Zero}
        self._alike: dict[object, list[TypedSymbol]] = {}
        """The names whose values have each mark."""
        self._table: dict[Expr, Expr] = dict(neutral)
        for line in equations_of(program):
            expression = self.known(line.expression.xreplace(self._table))
            if expression.is_Atom or expression.is_number:
                # Of a number more is known than of a name, such as its sign.
                self._table[line.symbol] = expression
            else:
                self._name(line.symbol, expression)

    @property
    def spent(self) -> int:
        """The work that was taken, in terms multiplied."""
        return _WORK_OF_ALL - self.names.algebra.budget.left

    def wanted(self, symbol: TypedSymbol) -> Expr:
        """Return what a symbol of the program is in the case."""
        return symbol.xreplace(self._table)

    def known(self, made: Expr) -> Expr:
        """Return an expression in the names of lines, for itself and for its parts: those that have their values."""
        if made in self._called or made.is_Atom:
            found = self._called.get(made, made)
            return self._called.get(found, found)
        parts = [*map(self.known, made.args)]
        expression = made if all(map(operator.is_, parts, made.args)) else made.func(*parts)
        if expression not in self._called:
            self._called[expression] = self._recognized(expression)
        found = self._called[made] = self._called[expression]
        return found

    def _recognized(self, expression: Expr) -> Expr:
        """Return the name of the line that an expression is seen to be equal to, or the expression."""
        mark = self._mark(expression) if isinstance(expression, Expr) and expression.args else None
        for line in () if mark is None else self._alike.get(mark, ()):
            # What is made of a line is not that line computed once more.
            is_new = line not in expression.free_symbols and axes(line) == axes(expression)
            if is_new and not self.trouble(expression, line, _WORK_OF_NODE)[0]:
                return line
        return expression

    def name(self, expression: Expr, number: int) -> Expr:
        """Return the name of a reduction, or of a sum over rows, and note one that is equal to no line."""
        found = self.known(expression)
        if not isinstance(found, (Reduction, SumRows)):
            return found
        refuted = True
        for line, meaning in self.names.meaning.items():
            if axes(line) == axes(found) and isinstance(meaning, (type(found), *_WITH_TOTALS.get(type(found), ()))):
                # Of a mean the text has the sum too.
                value = line if type(meaning) is type(found) else line * D
                trouble, differs = self.trouble(found, value)
                if not trouble:
                    self._called[found] = value
                    return value
                refuted &= differs
        if not found.has(NEVER):
            self.strange.append((str(found), refuted))
        symbol = stand_in(f"node {number} of {len(self._called)}", found)
        self._name(symbol, found)
        return symbol

    def _name(self, symbol: TypedSymbol, expression: Expr) -> None:
        self._called[expression] = symbol
        self.names.give([Equation(symbol, expression)])
        self._alike.setdefault(self._mark(symbol), []).append(symbol)

    def _mark(self, expression: Expr) -> object:
        """Return digits of values at points, which differ for expressions that are not equal; None says nothing."""
        values = [point.value(expression) for point in self._loose]
        if any(value is None for value in values) or not any(np.any(value) for value in values):
            return None
        return tuple(mpmath.nstr(each, 12) for value in values for each in np.ravel(value))

    def trouble(self, found: Expr, wanted: Expr, work: int = _WORK) -> tuple[str, bool]:
        """Return why two expressions are not seen to be equal for every D, and whether a point refutes it; or ""."""
        if found.has(NEVER):
            return "a value is read that was never written, or an argument that is left out", True
        if found == wanted:
            return "", False
        if found.has(*_INFINITE) and not wanted.has(*_INFINITE):
            return f"{found} is not {wanted}", True
        if any(self._differ(found, wanted, self._points)):
            return f"{found} is not {wanted}", True
        try:
            opened = self.names.apart(found, wanted)
            shown_equal(found, wanted, self.names, work, together=True, opened=opened)
        except NotShownError as error:
            differ = any(self._differ(found, wanted, self._ties))
            return f"{found} is not{'' if differ else ' seen to be'} {wanted}: {error}", differ
        return "", False

    def _differ(self, found: Expr, wanted: Expr, points: Iterable[_Point]) -> Iterator[bool]:
        """Yield, for some points, whether two expressions have different finite values there."""
        for point in points:
            one, other = point.value(found), point.value(wanted)
            if one is not None and other is not None and is_finite(one) and is_finite(other):
                yield bool(np.any(abs(one - other) > _APART * (1 + abs(other))))

    def _point(self, seed: int, *, is_loose: bool = False, is_tied: bool = False) -> _Point:
        return _Point(self.names.meaning, self.program.minimum_features, seed, is_loose, is_tied)

    @cached_property
    def _points(self) -> list[_Point]:
        return [*map(self._point, range(_POINTS))]

    @cached_property
    def _ties(self) -> list[_Point]:
        return [self._point(seed, is_tied=True) for seed in range(_POINTS)]

    @cached_property
    def _loose(self) -> list[_Point]:
        return [self._point(seed, is_loose=True) for seed in (1, 2)]


class _Point:
    """Values of names at a point: of those that stand for something each is worked out once.

    Where it is loose, what says which entry is the largest is any number: of an extreme that is saved, none is. Where
    it is tied, values are whole numbers, so that many are equal.
    """

    def __init__(
        self, meaning: Mapping[TypedSymbol, Expr], smallest: int, seed: int, is_loose: bool, is_tied: bool
    ) -> None:
        self.meaning, self.seed, self.features, self.is_loose = meaning, seed, smallest + 1 + seed % 4, is_loose
        self.is_tied = is_tied
        self._arithmetic = Arithmetic(mpmath.mp.dps)
        self._of: dict[Any, Any] = {D: mpmath.mpf(self.features)}

    def value(self, expression: Expr) -> Any:
        """Return the value of an expression, or None if it has none."""
        for symbol in expression.free_symbols - self._of.keys() - {PLACE}:
            meaning = self.meaning.get(symbol)
            is_drawn = meaning is None or (self.is_loose and isinstance(meaning, AttainsFirst))
            # The meaning of a name is made of those before it.
            self._of[symbol] = self._drawn(symbol) if is_drawn else self.value(meaning)
        try:
            return evaluate_expression(expression, self._of, self._arithmetic)
        except (TypeError, ValueError, ArithmeticError):
            return None

    def _drawn(self, symbol: TypedSymbol) -> Any:
        draw = random.Random(f"{self.seed} {symbol} {axes(symbol)}")
        low, high = _RANGES[self.seed % len(_RANGES)]
        # What a symbol claims may have made an expression shorter.
        found = drawn(symbol, self.features, draw, 0 if symbol.is_nonnegative else low, high)
        return np.frompyfunc(mpmath.nint, 1, 1)(found) if self.is_tied else found


def _numbers(program: RowProgram) -> Iterable[tuple[float, Expr]]:
    """Yield the numbers of a program by the floats that a text has for them, and their inverses."""
    for number in numbers_in(line.body for line in program.lines()):
        if not number.is_zero:
            yield from ((float(each), each) for each in (number, -number, 1 / number))
