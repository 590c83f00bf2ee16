"""Equalities of a derivation shown for every D: its steps, and what the unsimplified chain rule says of its results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from sympy import Expr

from lngen.derivation.derivation import Derivation, Derivative, Direction, Step
from lngen.derivation.double_backward import backward_as_forward
from lngen.derivation.jvp import tangent
from lngen.derivation.vjp import adjoint
from lngen.expressions.equations import Equation
from lngen.expressions.symbols import TypedSymbol, operation_count
from lngen.prove.budget import Budget, TooLargeError
from lngen.prove.generators import minus
from lngen.prove.names import Names
from lngen.prove.row_algebra import RowAlgebra, UndefinedError
from lngen.prove.vanishing import vanishes

_WORK = 100_000
"""Work that one equality may take, a unit being two terms multiplied."""

_WORK_TO_MATCH = 5_000
_WORK_OF_ALL = 500_000
_OPERATIONS = 200


class NotShownError(Exception):
    """The two sides were not seen to be equal; the message says why."""


def shown_equal(left: Expr, right: Expr, names: Names, work: int = _WORK) -> frozenset[TypedSymbol]:
    """Show that two expressions are equal for every D, and say which names were looked into.

    Raises NotShownError.
    """
    opened: frozenset[TypedSymbol] = frozenset()
    with names.algebra.budget.limited(work):
        while not _equal(left, right, names, opened):
            last = names.last((left, right), opened)
            if last is None:
                raise NotShownError("the two sides have different forms")
            opened |= {last}
    return opened


def _equal(left: Expr, right: Expr, names: Names, opened: frozenset[TypedSymbol]) -> bool:
    try:
        return vanishes(minus(names.form(left, opened), names.form(right, opened)), names.algebra)
    except TooLargeError as error:
        raise NotShownError(str(error)) from None
    except UndefinedError:
        raise NotShownError("it divides by what is always zero") from None
    except RecursionError:
        raise NotShownError("the expressions are nested too deeply") from None


def _needed(left: Expr, right: Expr, names: Names, opened: frozenset[TypedSymbol]) -> frozenset[TypedSymbol]:
    """Fewer of the names, so that no other one of them can be left closed."""
    for name in names.in_order(opened):
        fewer = opened - {name}
        with suppress(NotShownError), names.algebra.budget.limited(_WORK_TO_MATCH):
            if _equal(left, right, names, fewer):
                opened = fewer
    return opened


class EverySize:
    """A derivation's equalities, each asked for by itself."""

    def __init__(self, derivation: Derivation) -> None:
        self.derivation = derivation
        self._worlds: dict[Direction, Names] = {}
        self._budget = Budget(_WORK_OF_ALL)

    def _names(self) -> Names:
        return Names(RowAlgebra(self._budget), self.derivation.definition.minimum_features)

    def world(self, part: Direction) -> Names:
        """What names stand for in the steps of a direction."""
        if part not in self._worlds:
            d = self.derivation
            names = self._names()
            names.give(d.forward.equations)
            names.give(d.written.equations)
            derivative = d.derivatives().get("backward" if part == "forward" else part)
            if derivative is not None:
                names.give(derivative.equations)
                names.give(Equation(step.target, step.after) for step in derivative.steps)
            self._worlds[part] = names
        return self._worlds[part]

    def step(self, step: Step) -> tuple[TypedSymbol, ...]:
        """Show a step, and say which equations it rests on, in order. Raises NotShownError."""
        assert step.before is not None
        names = self.world(step.part)
        opened = shown_equal(step.before, step.after, names)
        return names.in_order(_needed(step.before, step.after, names, opened))

    # ---- results against the chain rule, unsimplified

    def gradients(self) -> Iterator[tuple[str, Expr, Expr, Names]]:
        """Each gradient, beside the adjoint of the definition as written."""
        d = self.derivation
        names, own = self._both(d.backward, {})
        own.give(d.written.equations)
        own.give(d.adjoint.equations)
        for (_, gradient), (_, plain) in zip(d.gradients, d.adjoint.gradients, strict=True):
            yield gradient.name, gradient, own(plain), names

    def tangents(self) -> Iterator[tuple[str, Expr, Expr, Names]]:
        """Each tangent of an output, beside the tangent of the definition as written."""
        d = self.derivation
        assert d.jvp is not None
        along = tangent(d.written)
        names, own = self._both(d.jvp.equations, dict(zip(along.arguments, d.jvp.arguments, strict=True)))
        own.give(d.written.equations)
        own.give(along.equations)
        for (name, symbol), (_, plain) in zip(d.jvp.results, along.results, strict=True):
            yield name, symbol, own(plain), names

    def double_backward(self) -> Iterator[tuple[str, Expr, Expr, Names]]:
        """Each result of the double backward, beside the adjoint of the unsimplified adjoint."""
        d = self.derivation
        assert d.backward_backward is not None
        given, found = d.adjoint, d.backward_backward
        if max(operation_count(q.expression) for q in (*d.written.equations, *given.equations)) > _OPERATIONS:
            raise NotShownError("the unsimplified adjoint is too long to differentiate again")
        whole = backward_as_forward(d.written, given.cotangents, given.equations, given.gradients)
        double = adjoint(whole.forward)
        names, own = self._both(found.equations, dict(zip(double.cotangents, found.arguments, strict=True)))
        own.give(whole.forward.equations)
        own.give(double.equations)
        for (name, symbol), (_, plain) in zip(found.results, double.gradients, strict=True):
            yield name, symbol, own(plain), names

    def _both(
        self, equations: Iterable[Equation], arguments: Mapping[TypedSymbol, TypedSymbol]
    ) -> tuple[Names, _Written]:
        names = self._names()
        names.give(self.derivation.forward.equations)
        names.give(equations)
        return names, _Written(names, arguments)


class _Written:
    """The names of the definition as written, apart from those of the normal form unless they are shown to be equal."""

    def __init__(self, names: Names, arguments: Mapping[TypedSymbol, TypedSymbol]) -> None:
        self._names = names
        self._table = dict(arguments)

    def __call__(self, e: Expr) -> Expr:
        """An expression of the definition as written, in the names that its values have here."""
        return e.xreplace(self._table)

    def give(self, equations: Iterable[Equation]) -> None:
        """Note equations under names of their own, or under those of equal values that are called the same."""
        for equation in equations:
            meaning = self(equation.expression)
            alike = self._names.called(equation.symbol)
            if alike is not None:
                try:
                    shown_equal(alike, meaning, self._names, _WORK_TO_MATCH)
                except NotShownError:
                    alike = None
            if alike is None:
                alike = type(equation.symbol)(f"{equation.symbol.name} as written")
                self._names.give([replace(equation, symbol=alike, expression=meaning)])
            self._table[equation.symbol] = alike
