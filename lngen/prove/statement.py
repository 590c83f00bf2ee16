"""A statement of a user's own, and the grade of evidence that it has."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import mpmath
import numpy as np
import sympy
from sympy import Expr
from sympy.core.relational import Relational

from lngen.algebra.budget import Budget
from lngen.algebra.equations import Equation
from lngen.algebra.numeric import Arithmetic, Environment, evaluate_equations, evaluate_expression
from lngen.algebra.symbols import PLACE, AttainsFirst, D, Power, SumRows, TypedSymbol, axes, symbol_like
from lngen.derivation.derivation import EVERY_D, FIFTY, NONE
from lngen.derivation.from_definition import DecidedError, NotRealError, symbol_of, to_sympy
from lngen.errors import LngenError, printable
from lngen.language import FUNCTIONS, KIND_NAMES
from lngen.language.names import fault
from lngen.language.parsing.expressions import Scope
from lngen.language.parsing.source import Source, syntax_tree
from lngen.language.syntax import Kind
from lngen.prove.digits import DIGITS, MOST_FEATURES, REQUIRED, Sides, agreement, compared, shape_of
from lngen.prove.every_size import NotShownError, shown_equal
from lngen.prove.names import Meanings
from lngen.prove.row_algebra import RowAlgebra

Said: TypeAlias = str | Expr | int

_WORK = 500_000
_SIZES = 13
_TURNS = 6
_INPUTS = ("-2 -1 0 0 0 1 2", "0 0 1", "-1 1", "1 2 3", "-3 -1 0")
_CLEAR = mpmath.mpf(10) ** -15


@dataclass(frozen=True)
class Verdict:
    """Verdict on a statement: its grade, and its grounds.

    `grade` is one of `exact at every D`, `50 digits` and `none`, as in the evidence of a derivation. `names` are the
    equations that were opened. `digits` is the number of equal digits if that is the evidence, and `reason` says why
    the grade is no better. If `refuted`, the sides differ at a point, which `reason` names: the statement is false.
    """

    grade: str
    names: tuple[str, ...] = ()
    digits: int | None = None
    reason: str = ""
    refuted: bool = False


def equal(
    left: Said,
    right: Said,
    equations: Iterable[str | Equation] | Mapping[str, str] = (),
    minimum_features: int = 1,
    kinds: Mapping[str, str] | None = None,
) -> Verdict:
    """Decide whether two expressions are equal for every number of features D, wherever both are defined.

    They are texts in the language of definitions, or expressions of `lngen.algebra.symbols`. Equations give names
    to expressions, each of inputs and names before it: `"mu = mean(x)"`, or `{"mu": "mean(x)"}`. `kinds` maps inputs to
    kinds, as in a definition. Any other input is a Row with any value; but `eps` is a Constant, and so positive. D is
    `minimum_features` or more.

    If the algebra does not show it, both sides are compared at points, first at small whole numbers, where ties and
    zeros are.

    >>> equal("mean((x - mu)**2)", "mean(x**2) - mu**2", ["mu = mean(x)"])
    Verdict(grade='exact at every D', names=('mu',), digits=None, reason='', refuted=False)
    >>> print(equal("mean(x*z)", "mean(x)*mean(z)").reason)
    refuted at D = 3, x = [-1, 0, 0], z = [0, 1, 0]: left is 0 and right is -0.111111
    >>> equal("mean(mu*x)", "mu*mean(x)", kinds={"mu": "RowScalar"}).grade
    'exact at every D'

    Raises LngenError for an invalid expression or equation, or for an invalid name, kind or number.
    """
    if not isinstance(minimum_features, int) or not 1 <= minimum_features <= MOST_FEATURES:
        raise LngenError(f"minimum_features is {minimum_features!r}. Pass a whole number from 1 to {MOST_FEATURES}.")
    reader = _Reader(dict(kinds or {}))
    given = reader.equations(equations)
    sides = reader.side("left", left), reader.side("right", right)
    names = Meanings(RowAlgebra(Budget(_WORK), minimum_features))
    try:
        names.give(given)
    except TypeError as error:
        raise LngenError(f"an equation: {error}. Give the name the kind of what it stands for.") from None
    try:
        opened = shown_equal(*sides, names)
    except NotShownError as error:
        meaning = tuple(replace(q, expression=_in_numbers(q.expression)) for q in given)
        statement = _NumericStatement(_in_numbers(sides[0]), _in_numbers(sides[1]), meaning)
        return _at_points(statement, minimum_features, str(error))
    return Verdict(EVERY_D, tuple(symbol.name for symbol in names.in_order(opened)))


# ---- reading


@dataclass
class _Reader:
    """Texts in the language of definitions; each new name is an input."""

    said: dict[str, str]
    kinds: dict[str, Kind] = field(default_factory=dict)
    symbols: dict[str, Expr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, kind in self.said.items():
            if kind not in KIND_NAMES:
                raise LngenError(f"kinds[{name!r}] is {kind!r}. The kinds are {', '.join(KIND_NAMES)}.")
            self._checked("kinds", name)

    def equations(self, given: Iterable[str | Equation] | Mapping[str, str]) -> tuple[Equation, ...]:
        if isinstance(given, str):
            given = [given]
        if isinstance(given, Mapping):
            given = [f"{name} = {meaning}" for name, meaning in given.items()]
        return tuple(q if isinstance(q, Equation) else self._equation(q, n) for n, q in enumerate(given, 1))

    def _equation(self, written: Any, number: int) -> Equation:
        where = f"equation {number}"
        tree, source = self._tree(where, written)
        match tree.body:
            case [ast.Assign(targets=[ast.Name(id=name)], value=value)]:
                pass
            case _:
                raise LngenError(f'{where} is {printable(repr(written))}. Write one like "mu = mean(x)".')
        self._checked(where, name)
        if name in self.said:
            raise LngenError(f"kinds[{name!r}]: {where} says what it is. Leave it out of the kinds.")
        if name in self.symbols:
            raise LngenError(f"{where}: {name!r} has been used already. Give each name once, before it is used.")
        meaning, kind = self._expression(value, source)
        symbol = symbol_like(name, meaning)
        self.kinds[name], self.symbols[name] = kind, symbol
        return Equation(symbol, meaning, named=True)

    def side(self, where: str, written: Said) -> Expr:
        if isinstance(written, Expr) or type(written) is int:
            side = written if isinstance(written, Expr) else sympy.Integer(written)
            strange = sorted(str(s) for s in side.free_symbols if not isinstance(s, TypedSymbol))
            if strange:
                raise LngenError(f"{where}: {strange[0]} says not what it varies over. Make it a RowSymbol or another.")
            return side
        tree, source = self._tree(where, written)
        match tree.body:
            case [ast.Expr(value=value)]:
                return self._expression(value, source)[0]
            case _:
                raise LngenError(f'{where} is {printable(repr(written))}. Write one expression, as "x - mean(x)".')

    def _tree(self, where: str, written: Any) -> tuple[ast.Module, Source]:
        if not isinstance(written, str):
            raise LngenError(f"{where} is a {type(written).__name__}. Pass a text, as in a definition.")
        source = Source.of(written.strip(), where)
        return syntax_tree(source), source

    def _expression(self, node: ast.expr, source: Source) -> tuple[Expr, Kind]:
        parts = list(ast.walk(node))
        called = [part.func for part in parts if isinstance(part, ast.Call)]
        for part in parts:
            known = {*self.kinds, *FUNCTIONS, *KIND_NAMES, "D", "pi"}
            if isinstance(part, ast.Name) and part not in called and part.id not in known:
                self._input(part.id, source.filename)
        expression, _ = Scope(source, self.kinds).read(node)
        try:
            return to_sympy(expression, self.symbols), expression.kind
        except DecidedError as error:
            raise LngenError(f"{source.filename}: {error}. Write the value that is chosen.") from None
        except NotRealError:
            raise LngenError(f"{source.filename}: a comparison with what is infinite or not real.") from None

    def _input(self, name: str, where: str) -> None:
        self._checked(where, name)
        kind = Kind(self.said.get(name, "Constant" if name == "eps" else "Row"))
        positive = {"positive": True} if kind is Kind.CONSTANT else {}
        self.kinds[name], self.symbols[name] = kind, symbol_of(kind, name, **positive)

    def _checked(self, where: str, name: str) -> None:
        wrong = fault(name)
        if wrong:
            raise LngenError(f"{where}: the name {printable(name)!r} {wrong}. Choose another.")


# ---- points


def _in_numbers(e: Expr) -> Expr:
    """An expression whose exponents are numbers: of others the base has to be positive."""
    return e.replace(
        lambda part: isinstance(part, sympy.Pow) and not part.exp.is_Rational,
        lambda part: sympy.exp(part.exp * sympy.log(part.base), evaluate=False),
    )


@dataclass(frozen=True)
class _NumericStatement:
    left: Expr
    right: Expr
    equations: tuple[Equation, ...]

    @property
    def all(self) -> tuple[Expr, ...]:
        return (*(q.expression for q in self.equations), self.left, self.right)

    @property
    def inputs(self) -> list[TypedSymbol]:
        given = {q.symbol for q in self.equations} | {D, PLACE}
        return sorted({s for e in self.all for s in e.free_symbols} - given, key=lambda symbol: str(symbol.name))

    def sides(self, point: Environment, arithmetic: Arithmetic) -> Sides:
        values = evaluate_equations(self.equations, point, arithmetic)
        left, right = (np.asarray(evaluate_expression(e, values, arithmetic)) for e in (self.left, self.right))
        yield "", left, right

    def critical(self, point: Environment, arithmetic: Arithmetic) -> Iterator[tuple[bool, Any]]:
        """Yield each part that has a pole, a jump or an end at zero.

        A part is a flag, true if it is compared with zero, and its value.
        """
        values = evaluate_equations(self.equations, point, arithmetic)
        for part in dict.fromkeys(part for e in self.all for part in sympy.preorder_traversal(e)):
            if isinstance(part, (Relational, AttainsFirst)):
                a, b = (np.asarray(evaluate_expression(e, values, arithmetic)) for e in part.args[:2])
                yield True, a - b
            elif isinstance(part, sympy.sign):
                yield True, evaluate_expression(part.args[0], values, arithmetic)
            elif isinstance(part, (sympy.log, Power)) or (isinstance(part, sympy.Pow) and not part.exp.is_positive):
                yield False, evaluate_expression(part.args[0], values, arithmetic)


def _at_points(statement: _NumericStatement, smallest: int, why: str) -> Verdict:
    """Judge a statement that is not shown by its values at points."""
    worst = DIGITS
    tried: list[int] = []
    try:
        with mpmath.workdps(DIGITS):
            for features, turn in ((f, t) for t in range(_TURNS) for f in range(smallest, smallest + _SIZES)):
                point = _point(statement, features, turn)
                if not _is_clear(statement, point):
                    continue
                found = _counterexample(statement, point)
                if found:
                    return Verdict(NONE, reason=f"refuted at D = {features}{found}", refuted=True)
                if turn + 1 == _TURNS:
                    for _, agreed in compared(partial(_where_finite, statement, point)):
                        worst = min(worst, agreed)
                        tried.append(features)
    except (TypeError, OverflowError):
        return Verdict(NONE, reason=f"{why}, and it has no value at a point")
    if not tried:
        return Verdict(NONE, reason=f"{why}, and no point was found at which both sides are finite")
    at = f"D = {tried[0]} to {tried[-1]}"
    if worst < REQUIRED:
        return Verdict(NONE, digits=worst, reason=f"{why}, and both sides agree to {worst} digits only, {at}")
    return Verdict(FIFTY, digits=worst, reason=f"{why}; compared at {at}")


def _point(statement: _NumericStatement, features: int, turn: int) -> Environment:
    """Seeded values of the inputs: small whole numbers, and in the last turn decimals."""
    generator = random.Random(1000 * turn + features)
    last = turn + 1 == _TURNS

    def drawn(symbol: TypedSymbol) -> Any:
        if symbol.is_integer:
            value = mpmath.mpf(generator.randint(-2, features + 1))
        elif last:
            value = mpmath.mpf(generator.randint(-(10**12), 10**12)) / 10**12
        else:
            value = mpmath.mpf(generator.choice(_INPUTS[turn].split()))
        return abs(value) + mpmath.mpf(1 if value == 0 else 0) / 2 if symbol.is_positive else value

    point: Environment = {D: mpmath.mpf(features)}
    for symbol in statement.inputs:
        shape = shape_of(symbol, features)
        flat = [drawn(symbol) for _ in range(int(np.prod(shape)))]
        point[symbol] = np.array(flat, dtype=object).reshape(shape) if shape else flat[0]
    return point


def _twice(values: Any, more: Any) -> Iterator[tuple[Any, Any]]:
    return zip(np.asarray(values, dtype=object).flat, np.asarray(more, dtype=object).flat, strict=True)


def _is_clear(statement: _NumericStatement, point: Environment) -> bool:
    """Test whether rounding cannot decide the value of the statement at a point.

    No part with a pole or a jump is zero within rounding, and every compared value is defined.
    """
    values = statement.critical(point, Arithmetic(DIGITS))
    with mpmath.workdps(2 * DIGITS):
        again = statement.critical(point, Arithmetic(2 * DIGITS))
        for (jumps, one), (_, more) in zip(values, again, strict=True):
            for a, b in _twice(one, more):
                if not mpmath.isfinite(a) or not mpmath.isfinite(b):
                    if jumps:
                        return False
                elif abs(a - b) > _CLEAR * abs(b):
                    return False
    return True


def _counterexample(statement: _NumericStatement, point: Environment) -> str:
    """A point, and both sides where they differ by more than rounding, to stand behind "D = 3"; "" for none."""
    ((_, *values),) = statement.sides(point, Arithmetic(DIGITS))
    with mpmath.workdps(2 * DIGITS):
        ((_, *more),) = statement.sides(point, Arithmetic(2 * DIGITS))
        arrays = np.broadcast_arrays(values[0], more[0], values[1], more[1])
        for at in np.ndindex(arrays[0].shape):
            one, again, other, other_again = (array[at] for array in arrays)
            if not all(map(mpmath.isfinite, (one, again, other, other_again))):
                continue
            apart = abs(again - other_again)
            rounding = max(abs(one - again), abs(other - other_again))
            if rounding <= _CLEAR * apart and agreement(again, other_again, DIGITS) < REQUIRED:
                where = _written(statement, point, at)
                return f"{where}: left is {_short(again)} and right is {_short(other_again)}"
    return ""


def _where_finite(statement: _NumericStatement, point: Environment, arithmetic: Arithmetic) -> Sides:
    """Yield both sides at the entries at which both are finite."""
    for key, left, right in statement.sides(point, arithmetic):
        pairs = zip(*(side.flat for side in np.broadcast_arrays(left, right)), strict=True)
        finite = [(a, b) for a, b in pairs if mpmath.isfinite(a) and mpmath.isfinite(b)]
        if finite:
            yield key, np.array([a for a, _ in finite], dtype=object), np.array([b for _, b in finite], dtype=object)


def _written(statement: _NumericStatement, point: Environment, at: tuple[int, ...]) -> str:
    """The inputs, of the row that it is about where rows do not meet, and which feature it is about."""
    apart = not any(e.has(SumRows) for e in statement.all)
    said = ""
    for symbol in statement.inputs:
        values = np.asarray(point[symbol], dtype=object)
        if symbol.varies.rows and apart:
            values = values[at[0] if len(at) == 2 else 0]
        shown = np.array([_short(value) for value in values.flat], dtype=object).reshape(values.shape).tolist()
        said += f", {symbol.name} = {shown}".replace("'", "")
    if at and axes(statement.left - statement.right).features:
        said += f", feature {at[-1]}"
    return said


def _short(value: Any) -> str:
    return str(mpmath.nstr(value, 6).removesuffix(".0"))
