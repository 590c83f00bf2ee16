"""Proofs that the programs which backends print, after every pass, equal the derivation.

A program and the derivation's equations are two definitions of the same results. Lines of equal names are compared
first, so that a result is shown from values that are shown already. The values of backward, the JVP and the double
backward start from what the program of the forward saves.

*Absence.* An input that is left out is its neutral value: 1 or 0, as the definition says, and 0 for a cotangent or a
tangent. An equality that holds for every value of an input holds for that one, wherever both sides are defined. So no
case has to be shown by itself, but that no divisor of the program is zero in it. Results do not read each other, so
that one that is not wanted changes no other.

*Corrections.* The residual of a mean is zero in exact arithmetic, and a backend may skip it in some rows. The results
are shown once with each residual, and once with 0 in the place of all.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, combinations

import sympy
from sympy import Expr, Pow

from lngen.algebra.budget import Budget
from lngen.algebra.equations import Equation
from lngen.algebra.numeric import Arithmetic, Environment, evaluate_equations
from lngen.algebra.symbols import PLACE, Power, TypedSymbol, is_integer, renamed
from lngen.derivation.derivation import EVERY_D, FIFTY, NONE, Derivation, Proof
from lngen.plan.passes.moments import written_out
from lngen.plan.passes.places import there
from lngen.plan.program import Parameter, RowArgument, RowProgram
from lngen.prove.digits import MOST_FEATURES, REQUIRED, Sides, at_every_size, drawn, is_finite
from lngen.prove.every_size import NamesApart, NotShownError, shown_equal
from lngen.prove.generators import UndefinedError
from lngen.prove.names import Meanings
from lngen.prove.row_algebra import RowAlgebra

ABOUT = "emitted programs"
_WORK_OF_ALL = 2_000_000
_MOST_OF_A_DIVISOR = 10


def program_proofs(derivation: Derivation, handed: Mapping[str, Sequence[RowProgram]]) -> Iterator[Proof]:
    """Yield the proofs that programs are equal to the derivation; `handed` has those of each group of backends."""
    if derivation.definition.minimum_features > MOST_FEATURES:
        return
    shown: dict[str, list[str]] = {backends: [] for backends in handed}
    judged: dict[tuple[RowProgram, RowProgram], dict[str, str]] = {}
    for backends, program, found in _beside(derivation, handed):
        # Most programs are those of the other backends, too.
        key = found.forward.program, program
        open_ = judged[key] = judged[key] if key in judged else found.open()
        if not open_:
            shown[backends].append(program.direction)
            continue
        text = f"{program.direction} for {backends}, beside the derivation"
        why = "; ".join(f"{name}: {reason}" for name, reason in open_.items())
        try:
            digits = found.digits(open_)
        except TypeError as error:
            yield Proof(NONE, f"{text}: {error}", False, ABOUT)
            continue
        if digits is None:
            yield Proof(NONE, f"{text}: no finite value was found ({why})", True, ABOUT)
        else:
            yield Proof(FIFTY, f"{text}: equal to {digits} digits ({why})", digits >= REQUIRED, ABOUT)
    if all(len(shown[backends]) == len(programs) for backends, programs in handed.items()):
        names = ", ".join(handed)
    else:
        names = "; ".join(f"{backends} in {', '.join(names)}" for backends, names in shown.items() if names)
    if names:
        count = sum(map(len, shown.values()))
        yield Proof(EVERY_D, f"{names} compute what was derived, whatever is left out", True, ABOUT, count)


def _beside(
    derivation: Derivation, handed: Mapping[str, Sequence[RowProgram]]
) -> Iterator[tuple[str, RowProgram, _Program]]:
    beside: dict[RowProgram, _ProgramOfForward] = {}
    for backends, programs in handed.items():
        forward = beside.setdefault(programs[0], _ProgramOfForward(derivation, programs[0]))
        for program in programs:
            yield backends, program, _Program(forward, program)


def equations_of(program: RowProgram, skips_corrections: bool = False) -> list[Equation]:
    """Return the lines of a program as equations.

    A place of an extreme is no equation: to compare a place with it is `AttainsFirst`.

    >>> from lngen.algebra.symbols import Mean, RowScalarSymbol, RowSymbol
    >>> from lngen.plan.program import Assignment, FeatureReduction, Stage
    >>> x, s, r = RowSymbol("x"), RowSymbol("s"), RowScalarSymbol("r")
    >>> stage = Stage((Assignment(s, x - 1, 1),), (FeatureReduction(r, "mean", s, 1),), correction=True)
    >>> program = RowProgram("f", "forward", 1, (), (), (), (stage,), (), (), (), ())
    >>> [q.expression for q in equations_of(program)], equations_of(program, skips_corrections=True)[1].expression
    ([x - 1, Mean(s)], 0)
    """
    corrections = {item.symbol for stage in program.stages if stage.correction for item in stage.reductions}
    equal = {q for line in program.lines() for q in line.body.atoms(sympy.Eq) if q.args[0] == PLACE}
    compared_with = {q.args[1] for q in equal if not is_integer(q.args[1])}
    indicators: dict[Expr, Expr] = {}
    found = []
    for line in program.lines():
        if line.symbol in compared_with:
            indicators[there(line.symbol)] = line.body.xreplace(indicators)
            continue
        zero = skips_corrections and line.symbol in corrections
        found.append(Equation(line.symbol, sympy.S.Zero if zero else written_out(line.expression.xreplace(indicators))))
    return found


@dataclass(frozen=True)
class _ProgramOfForward:
    """The program of the forward, whose names are compared once with those of the derivation's forward."""

    derivation: Derivation
    program: RowProgram

    def new_names(self) -> Meanings:
        """Return meanings of no name yet."""
        return Meanings(RowAlgebra(Budget(_WORK_OF_ALL), self.derivation.definition.minimum_features))

    @cached_property
    def names(self) -> NamesApart:
        """Names of the program; raises TypeError for one that varies over less than what it stands for."""
        return self._beside(equations_of(self.program))

    @cached_property
    def names_without_corrections(self) -> NamesApart:
        """The same, with 0 for the residuals of means."""
        return self._beside(equations_of(self.program, skips_corrections=True))

    def _beside(self, equations: Iterable[Equation]) -> NamesApart:
        names = self.new_names()
        names.give(self.derivation.forward.equations)
        own = NamesApart(names, {})
        own.give(equations)
        return own


@dataclass(frozen=True)
class _Program:
    """A direction's program beside the derivation; it starts from what the program of `forward` saves."""

    forward: _ProgramOfForward
    program: RowProgram

    @property
    def derivation(self) -> Derivation:
        return self.forward.derivation

    @property
    def results(self) -> list[tuple[str, TypedSymbol, TypedSymbol]]:
        """Each result's name, its symbol in the derivation, and its symbol in the program."""
        d, direction = self.derivation, self.program.direction
        wanted = dict(
            zip(d.definition.outputs, d.forward.outputs, strict=True)
            if direction == "forward"
            else d.derivatives()[direction].results
        )
        given = {name: store.symbol for store in self.program.results for name in store.names}
        return [(name, symbol, given[name]) for name, symbol in wanted.items()]

    def derived(self) -> Iterator[Equation]:
        """Equations of the derivation that lead to the results."""
        yield from self.derivation.forward.equations
        if self.program.direction != "forward":
            yield from self.derivation.derivatives()[self.program.direction].equations

    def equations(self, skips_corrections: bool = False) -> tuple[list[Equation], Mapping[Expr, Expr]]:
        """Return the equations of both programs, and the new names of what they assign differently."""
        before = equations_of(self.forward.program, skips_corrections)
        if self.program is self.forward.program:
            return before, {}
        known = {q.symbol: q.expression for q in before}
        found, table = before, dict[Expr, Expr]()
        for q in equations_of(self.program, skips_corrections):
            expression = q.expression.xreplace(table)
            if q.symbol in known and known[q.symbol] != expression:
                table[q.symbol] = renamed(q.symbol, f"{q.symbol.name} of {self.program.direction}")
            if known.get(q.symbol) != expression:
                found.append(Equation(table.get(q.symbol, q.symbol), expression))
        return found, table

    def open(self) -> dict[str, str]:
        """Return the results that are not shown to be equal for every D in every case, each with the reason."""
        wrong = dict.fromkeys(self._not_neutral(), "another value where it is left out")
        found = wrong or self._not_equal()
        if not found and any(stage.correction for stage in (*self.forward.program.stages, *self.program.stages)):
            found = self._not_equal(skips_corrections=True)
        return found or self._undefined()

    def _not_equal(self, skips_corrections: bool = False) -> dict[str, str]:
        equations, table = self.equations(skips_corrections)
        try:
            own = self.forward.names_without_corrections if skips_corrections else self.forward.names
            own = own.branch({})
            own.names.give(self.derived())
            own.give(equations)
        except TypeError as error:
            return {name: str(error) for name, _, _ in self.results}
        found = {}
        for name, wanted, symbol in self.results:
            try:
                shown_equal(own(symbol.xreplace(table)), wanted, own.names, together=True)
            except NotShownError as error:
                found[name] = str(error)
        return found

    def _undefined(self) -> dict[str, str]:
        """Return the divisors that are zero where arguments are left out, unless one of the derivation is zero too."""
        equations, _ = self.equations()
        neutral = self._neutral()
        reached = _reached(equations, neutral)
        for divisor in _divisors(equations):
            flags = sorted({s for symbol in divisor.free_symbols for s in reached.get(symbol, ())}, key=str)
            if len(flags) > _MOST_OF_A_DIVISOR:
                return {str(divisor): "too many arguments to try each case"}
            for left_out in chain.from_iterable(combinations(flags, size) for size in range(1, len(flags) + 1)):
                case = [Equation(symbol, neutral[symbol]) for symbol in left_out]
                derived = list(self.derived())
                if self._is_zero(divisor, [*case, *equations]) and not any(
                    self._is_zero(each, [*case, *derived]) for each in _divisors(derived)
                ):
                    return {str(divisor): f"it is zero without {', '.join(map(str, left_out))}"}
        return {}

    def _neutral(self) -> dict[TypedSymbol, Expr]:
        """The values of arguments that may be left out."""
        given: dict[TypedSymbol, Expr] = {}
        for program in (self.forward.program, self.program):
            neutral = program.neutral()
            arguments: list[RowArgument | Parameter] = [*program.rows, *program.parameters]
            given |= {each.symbol: sympy.Rational(neutral[each.name]) for each in arguments if each.name in neutral}
        return given

    def _not_neutral(self) -> Iterator[str]:
        """Yield the arguments that are left out for another value than the definition's, or 0 for a direction's own."""
        own = dict(self.forward.program.optional)
        inputs = {each.name: each.default for each in self.derivation.definition.inputs}
        for name, value in self.program.optional:
            if value != (inputs[name] if name in own else 0):
                yield name

    def _is_zero(self, e: Expr, equations: Iterable[Equation]) -> bool:
        names = self.forward.new_names()
        names.give(equations)
        try:
            return not names.form(e, names.given)
        except UndefinedError:
            return True

    def digits(self, open_: Iterable[str]) -> int | None:
        """Return the digits to which some results agree with the derivation's, the worst over several D."""
        found = at_every_size(self.derivation, 0, partial(self._values, set(open_)))
        return min((agreed for *_, agreed in found), default=None)

    def _values(self, open_: set[str], features: int, point: Environment, arithmetic: Arithmetic) -> Sides:
        derivative = self.derivation.derivatives().get(self.program.direction)
        generator = random.Random(features)
        moved = derivative.arguments if derivative else ()
        point = point | {symbol: drawn(symbol, features, generator, -1, 1) for symbol in moved}
        equations, table = self.equations()
        derived = evaluate_equations(self.derived(), point, arithmetic)
        own = evaluate_equations(equations, point, arithmetic)
        for name, wanted, symbol in self.results:
            if name in open_ and is_finite(derived[wanted]):
                yield name, own[symbol.xreplace(table)], derived[wanted]


def _divisors(equations: Iterable[Equation]) -> set[Expr]:
    """Return what equations divide by or take the logarithm of, or a root that is divided by."""
    parts = {part for q in equations for part in q.expression.atoms(Pow, sympy.log, Power)}
    return {part.args[0] for part in parts if isinstance(part, (sympy.log, Power)) or part.exp.is_negative}


def _reached(equations: Iterable[Equation], starts: Iterable[TypedSymbol]) -> dict[TypedSymbol, frozenset[TypedSymbol]]:
    """Return the symbols among `starts` that each symbol is computed from.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, w, y = map(RowSymbol, ("x", "w", "y"))
    >>> _reached([Equation(y, x*w)], [w])[y]
    frozenset({w})
    """
    found = {symbol: frozenset({symbol}) for symbol in starts}
    for q in equations:
        found[q.symbol] = frozenset().union(*(found.get(symbol, ()) for symbol in q.expression.free_symbols))
    return found
