"""Which lines are there when an input is left out.

A kernel is compiled for the inputs that are present. What a line depends on is a `Condition`: a disjunction
of sets of presence flags, each of which suffices. Two questions have such an answer: where is a value not
zero of itself (a cotangent that is left out is zero, and so is what it multiplies), and where is it used by
anything that is stored.

>>> r, beta = Condition.of("r"), Condition.of("beta")
>>> (r | (r & beta)).flags
(('r',),)
>>> (r | beta).cpp(), (r & beta).cpp(), ALWAYS.cpp(), NEVER.cpp()
('HAS_beta || HAS_r', 'HAS_beta && HAS_r', 'true', 'false')
>>> (r & beta).implies(r), r.implies(r & beta)
(True, False)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy
from sympy import Expr, Symbol

from lngen.backends.spelling import belongs_to
from lngen.program import RowProgram
from lngen.symbolic import Expm1, Log1p, Reduction, TypedSymbol, Where


@dataclass(frozen=True)
class Condition:
    """A disjunction of conjunctions of presence flags; it has no negation, so the shortest form is unique."""

    flags: tuple[tuple[str, ...], ...]

    @staticmethod
    def of(flag: str) -> Condition:
        """True where the input is present."""
        return Condition(((flag,),))

    def __or__(self, other: Condition) -> Condition:
        return _shortest([*self.flags, *other.flags])

    def __and__(self, other: Condition) -> Condition:
        return _shortest([(*left, *right) for left in self.flags for right in other.flags])

    def implies(self, other: Condition) -> bool:
        """Whether `other` holds wherever this one does."""
        return all(any(set(need) <= set(have) for need in other.flags) for have in self.flags)

    def given(self, known: Condition) -> Condition:
        """What is left to ask where `known` holds; a disjunction says too little to shorten anything.

        >>> Condition((("a", "b"),)).given(Condition.of("a")).flags
        (('b',),)
        """
        if len(known.flags) != 1:
            return self
        return _shortest([tuple(flag for flag in term if flag not in known.flags[0]) for term in self.flags])

    def cpp(self) -> str:
        """As a constant expression of C++."""
        if not self.flags:
            return "false"
        terms = [" && ".join(f"HAS_{flag}" for flag in term) or "true" for term in self.flags]
        alone = len(terms) == 1
        return " || ".join(term if alone or "&&" not in term else f"({term})" for term in terms)


def _shortest(terms: Iterable[tuple[str, ...]]) -> Condition:
    sets = {frozenset(term) for term in terms}
    kept = [term for term in sets if not any(other < term for other in sets)]
    return Condition(tuple(sorted(tuple(sorted(term)) for term in kept)))


NEVER = Condition(())
ALWAYS = Condition(((),))

# Functions that are zero at zero: nothing of them is left where their argument is left out.
_ODD_AT_ZERO = (sympy.tanh, sympy.sin, sympy.erf, sympy.Abs, sympy.sign, Expm1, Log1p)


def flags(program: RowProgram) -> dict[str, Condition]:
    """The presence of each argument that may be left out: an optional input, one cotangent of several."""
    names = dict(program.optional).keys()
    cotangents = [argument.name for argument in program.rows if argument.origin == "cotangent"]
    return {name: Condition.of(name) for name in (*names, *(cotangents if len(cotangents) > 1 else ()))}


def result_condition(names: tuple[str, ...], program: RowProgram) -> Condition:
    """Where a result is wanted: an output always, the gradient of an input where the input is present."""
    if program.direction == "forward":
        return ALWAYS
    optional = dict(program.optional)
    wanted = NEVER
    for name in names:
        source = belongs_to(name)
        wanted = wanted | (Condition.of(source) if source in optional else ALWAYS)
    return wanted


class Presence:
    """Where each value of a program is not zero of itself, and where it is used."""

    def __init__(self, program: RowProgram) -> None:
        self._program = program
        names = [argument.name for argument in program.rows if argument.origin == "cotangent"]
        self._cotangents = names if len(names) > 1 else []
        self._nonzero: dict[Symbol, Condition] = {}
        self._used: dict[Symbol, Condition] = {}
        self._walk_down()
        self._walk_up()

    def nonzero(self, expression: Expr) -> Condition:
        """Where an expression is anything but a zero that follows from what is left out."""
        return self._settled(self._nonzero_of(expression))

    def _nonzero_of(self, expression: Expr) -> Condition:
        if isinstance(expression, Symbol):
            return self._nonzero.get(expression, ALWAYS)
        if expression.is_Number:
            return NEVER if expression.is_zero else ALWAYS
        if isinstance(expression, (sympy.Add, sympy.Mul)):
            inner = [self.nonzero(argument) for argument in expression.args]
            return _any(inner) if isinstance(expression, sympy.Add) else _all(inner)
        if isinstance(expression, Where):
            return _any([self.nonzero(expression.args[1]), self.nonzero(expression.args[2])])
        if isinstance(expression, sympy.Pow):
            return self.nonzero(expression.base) if expression.exp.is_positive else ALWAYS
        if isinstance(expression, (Reduction, *_ODD_AT_ZERO)):
            return self.nonzero(expression.args[0])
        return ALWAYS

    def used(self, symbol: Symbol) -> Condition:
        """Where a value has to be there."""
        return self._settled(self._used.get(symbol, NEVER))

    def needed(self, symbol: Symbol) -> Condition:
        """Where a value is used and is not zero: where computing it is any use."""
        return self._settled(self.used(symbol) & self.nonzero(symbol))

    def _settled(self, condition: Condition) -> Condition:
        """The same condition, given that some cotangent is there: a backward without any is refused."""
        for term in condition.flags:
            rest = tuple(flag for flag in term if flag not in self._cotangents)
            if rest != term and all(Condition(((*rest, name),)).implies(condition) for name in self._cotangents):
                condition = condition | Condition((rest,))
        return condition

    def _walk_down(self) -> None:
        program = self._program
        given = flags(program)
        neutral = dict(program.optional)
        arguments = [(row.name, row.symbol) for row in program.rows]
        for name, symbol in [*arguments, *((p.name, p.symbol) for p in program.parameters)]:
            vanishes = name in given and neutral.get(name, 0) == 0
            self._nonzero[symbol] = given[name] if vanishes else ALWAYS
        for symbol, expression in _definitions(program):
            self._nonzero[symbol] = self.nonzero(expression)

    def _walk_up(self) -> None:
        program = self._program
        for store in program.results:
            self._use(store.symbol, result_condition(store.names, program))
        for symbol in program.saved:
            self._use(symbol, ALWAYS if program.direction == "forward" else NEVER)
        before: dict[Symbol, Condition] | None = None
        while before != self._used:
            # Again, for what an earlier stage uses of a later one's lines: it computes them for itself.
            before = dict(self._used)
            for symbol, expression in reversed(_definitions(program)):
                self._use(expression, self.used(symbol))

    def _use(self, expression: sympy.Basic, where: Condition) -> None:
        if isinstance(expression, Symbol):
            self._used[expression] = self.used(expression) | where
            return
        if isinstance(expression, Expr):
            where = where & self.nonzero(expression)
        for argument in expression.args:
            self._use(argument, where)


def _definitions(program: RowProgram) -> list[tuple[TypedSymbol, Expr]]:
    """Every computed value of a program and its expression, in the order of computation."""
    found = [(line.symbol, line.expression) for line in program.prologue]
    for stage in program.stages:
        found += [(line.symbol, line.expression) for line in stage.temps]
        found += [(line.symbol, line.body) for line in stage.reductions]
        found += [(line.symbol, line.expression) for line in stage.row_scalars]
        found += [(line.symbol, line.body) for line in stage.rows_reductions]
    return found + [(line.symbol, line.expression) for line in program.epilogue]


def _any(conditions: list[Condition]) -> Condition:
    result = NEVER
    for condition in conditions:
        result = result | condition
    return result


def _all(conditions: list[Condition]) -> Condition:
    result = ALWAYS
    for condition in conditions:
        result = result & condition
    return result
