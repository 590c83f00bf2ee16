"""Presence of each line in a kernel, by the inputs that are given.

A kernel is compiled for the inputs that are present. A `Condition` on presence flags answers two questions about a
value. May it be other than zero? An absent cotangent is zero, and so is every product with it. Is it used by a stored
result? A further input never undoes either, so the products of a condition have no negation.

>>> r, beta = Condition.of("r"), Condition.of("beta")
>>> cpp(r | beta), cpp(r & beta), cpp(ALWAYS), cpp(NEVER)
('HAS_beta || HAS_r', 'HAS_beta && HAS_r', 'true', 'false')
"""

from __future__ import annotations

import sympy
from sympy import Expr, Symbol

from lngen.algebra.symbols import Reduction, Where
from lngen.emit.cpp.expressions import ZERO_AT_ZERO
from lngen.emit.spelling import belongs_to
from lngen.plan.presence import ALWAYS, NEVER, Condition, all_of, any_of
from lngen.plan.program import RowProgram


def cpp(condition: Condition) -> str:
    """A condition as a constant expression of C++."""
    if not condition:
        return "false"
    terms = [" && ".join(f"HAS_{flag}" for flag, _ in product) or "true" for product in condition.products()]
    alone = len(terms) == 1
    return " || ".join(term if alone or "&&" not in term else f"({term})" for term in terms)


def flags(program: RowProgram) -> dict[str, Condition]:
    """Return the presence of each optional argument: an input, one cotangent of several, a tangent."""
    cotangents = program.cotangents()
    names = (*dict(program.optional), *(cotangents if len(cotangents) > 1 else ()))
    return {name: Condition.of(name) for name in names}


def result_condition(names: tuple[str, ...], program: RowProgram) -> Condition:
    """Return the condition under which a result is needed.

    An output and its tangent always are, a gradient if its owner is present.
    """
    if not program.direction.startswith("backward"):
        return ALWAYS
    given = flags(program)
    return any_of([given.get(belongs_to(name), ALWAYS) for name in names])


class Presence:
    """Conditions of a program's values: under which a value may be other than zero, and under which it is used."""

    def __init__(self, program: RowProgram) -> None:
        self._program = program
        names = program.cotangents()
        self._cotangents = names if len(names) > 1 else ()
        self._bodies = {line.symbol: line.body for line in program.lines()}
        self._nonzero: dict[Expr, Condition] = {}
        self._used: dict[Symbol, Condition] = {}
        self._walk_down()
        self._walk_up()

    def nonzero(self, expression: Expr) -> Condition:
        """Return the condition under which an expression may be other than the zero of an absent input."""
        if expression not in self._nonzero:
            self._nonzero[expression] = self._settled(self._nonzero_of(expression))
        return self._nonzero[expression]

    def _nonzero_of(self, expression: Expr) -> Condition:
        if isinstance(expression, Symbol):
            return self.nonzero(self._bodies[expression]) if expression in self._bodies else ALWAYS
        if expression.is_Number:
            return NEVER if expression.is_zero else ALWAYS
        if isinstance(expression, (sympy.Add, sympy.Mul)):
            inner = [self.nonzero(argument) for argument in expression.args]
            return any_of(inner) if isinstance(expression, sympy.Add) else all_of(inner)
        if isinstance(expression, Where):
            return any_of([self.nonzero(expression.args[1]), self.nonzero(expression.args[2])])
        if isinstance(expression, sympy.Pow):
            return self.nonzero(expression.base) if expression.exp.is_positive else ALWAYS
        if isinstance(expression, Reduction) or type(expression) in ZERO_AT_ZERO:
            return self.nonzero(expression.args[0])
        return ALWAYS

    def used(self, symbol: Symbol) -> Condition:
        """Return the condition under which a value is used."""
        return self._settled(self._used.get(symbol, NEVER))

    def needed(self, symbol: Symbol) -> Condition:
        """Return the condition under which a value must be computed: it is used, and may be other than zero."""
        return self._settled(self.used(symbol) & self.nonzero(symbol))

    def _settled(self, condition: Condition) -> Condition:
        """Simplify a condition, given that some cotangent is present: a backward without any is refused."""
        whichever = all_of(condition.given([name]) for name in self._cotangents)
        for product in condition.products() if self._cotangents else ():
            rest = all_of(Condition.of(flag) for flag, _ in product if flag not in self._cotangents)
            if rest.implies(whichever):
                condition |= rest
        return condition

    def _walk_down(self) -> None:
        program = self._program
        given = flags(program)
        neutral = dict(program.optional)
        arguments = [(row.name, row.symbol) for row in program.rows]
        for name, symbol in [*arguments, *((p.name, p.symbol) for p in program.parameters)]:
            vanishes = name in given and neutral.get(name, 0) == 0
            self._nonzero[symbol] = given[name] if vanishes else ALWAYS
        for line in program.lines():
            self.nonzero(line.symbol)

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
            for line in reversed([*program.lines()]):
                self._use(line.body, self.used(line.symbol))
            for row in program.random:
                self._use(row.seed, self.used(row.symbol))

    def _use(self, expression: sympy.Basic, where: Condition) -> None:
        if isinstance(expression, Symbol):
            self._used[expression] = self.used(expression) | where
            return
        if isinstance(expression, Expr):
            where = where & self.nonzero(expression)
        for argument in expression.args:
            self._use(argument, where)
