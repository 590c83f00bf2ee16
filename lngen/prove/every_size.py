"""Equalities of a derivation shown for every D: its steps, and its results beside the unsimplified chain rule's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from sympy import Expr

from lngen.algebra.budget import Budget, TooLargeError
from lngen.algebra.equations import Equation
from lngen.algebra.symbols import TypedSymbol, operation_count
from lngen.derivation.derivation import Derivation, Direction, Step
from lngen.derivation.double_backward import backward_as_forward
from lngen.derivation.jvp import tangent
from lngen.derivation.short_lines import in_short_lines
from lngen.derivation.vjp import adjoint
from lngen.prove.facts import Facts
from lngen.prove.generators import ONE, UndefinedError, minus
from lngen.prove.names import Meanings
from lngen.prove.printed import PrintedEquality
from lngen.prove.row_algebra import RowAlgebra
from lngen.prove.vanishing import vanishes

_WORK = 200_000
"""Work that one equality may take, a unit being two terms multiplied."""

_WORK_TO_MATCH = 5_000
_WORK_OF_CLAIM = 20_000
_WORK_OF_ALL = 1_500_000
_OPERATIONS = 200


class NotShownError(Exception):
    """The two sides were not seen to be equal; the message says why."""


def shown_equal(
    left: Expr,
    right: Expr,
    names: Meanings,
    work: int = _WORK,
    *,
    together: bool = False,
    opened: frozenset[TypedSymbol] = frozenset(),
) -> frozenset[TypedSymbol]:
    """Show that two expressions are equal for every D, and return the names that were opened.

    Names are opened one at a time, or all visible ones together, which is faster and tells less; those of `opened` come
    first. Raises NotShownError.
    """
    with names.algebra.budget.limited(work):
        while not _equal(left, right, names, opened):
            closed = names.next((left, right), opened, together)
            if not closed:
                raise NotShownError("the two sides have different forms")
            opened |= closed
    if names.differ_at_whole_numbers(left, right, opened):
        raise NotShownError("the algebra has both sides equal, and a point has them apart: a fault of the algebra")
    return opened


def _equal(left: Expr, right: Expr, names: Meanings, opened: frozenset[TypedSymbol]) -> bool:
    try:
        names.algebra.budget.spend(1)
        if names.differ_at_random_points(left, right, opened):
            return False
        difference = minus(names.form(left, opened), names.form(right, opened))
        facts = Facts(names.algebra, poles=names.poles((left, right), opened))
        if not difference or vanishes(difference, names.algebra, facts):
            return True
        defined = names.powers_defined((left, right), opened)
        return defined != ONE and vanishes(names.algebra.of.product(difference, defined), names.algebra, facts)
    except TooLargeError as error:
        raise NotShownError(str(error)) from None
    except UndefinedError:
        raise NotShownError("it divides by what is always zero") from None
    except RecursionError:
        raise NotShownError("the expressions are nested too deeply") from None


def _needed(left: Expr, right: Expr, names: Meanings, opened: frozenset[TypedSymbol]) -> frozenset[TypedSymbol]:
    """Return a subset of the names in which each name is needed: closing any of them loses the proof.

    A name is needed if the sides differ at a point once it is closed. Most often those names are enough: they are tried
    together first.
    """
    needed = {name for name in opened if names.differ_at_random_points(left, right, opened - {name})}
    with suppress(NotShownError), names.algebra.budget.limited(_WORK_TO_MATCH):
        if _equal(left, right, names, frozenset(needed)):
            return frozenset(needed)
    for name in names.in_order(opened - needed):
        fewer = opened - {name}
        with suppress(NotShownError), names.algebra.budget.limited(_WORK_TO_MATCH):
            if _equal(left, right, names, fewer):
                opened = fewer
    return opened


@dataclass(frozen=True)
class Equality:
    """Equality of a result with the expression that it has to equal."""

    name: str
    found: Expr
    wanted: Expr
    names: Meanings

    def show(self) -> None:
        """Raises NotShownError where it is not seen to hold for every D."""
        shown_equal(self.found, self.wanted, self.names, together=True)


class EverySize:
    """A derivation's equalities, each asked for by itself."""

    def __init__(self, derivation: Derivation) -> None:
        self.derivation = derivation
        self._worlds: dict[Direction, Meanings] = {}
        self._lines: dict[Direction, Meanings] = {}

    @cached_property
    def _forward(self) -> Meanings:
        """The names of the normal form of the forward."""
        names = Meanings(RowAlgebra(Budget(_WORK_OF_ALL), self.derivation.definition.minimum_features))
        names.give(self.derivation.forward.equations)
        return names

    def world(self, part: Direction) -> Meanings:
        """Return the meanings of the names in the steps of a direction."""
        if part not in self._worlds:
            d = self.derivation
            names = self._worlds[part] = self._forward.branch()
            names.give(d.written.equations)
            derivative = d.derivatives().get("backward" if part == "forward" else part)
            if derivative is not None:
                names.give(derivative.equations)
                names.give(Equation(step.target, step.after) for step in derivative.steps)
        return self._worlds[part]

    def step(self, step: Step) -> tuple[TypedSymbol, ...]:
        """Show a step, and say which equations it rests on, in order. Raises NotShownError."""
        assert step.before is not None
        names = self.world(step.part)
        opened = shown_equal(step.before, step.after, names)
        return names.in_order(_needed(step.before, step.after, names, opened))

    # ---- what lines say besides

    def claim(self, claim: PrintedEquality) -> None:
        """Show the claim of a printed line; raises NotShownError."""
        left, right = claim.left, claim.right
        if claim.written:
            names, left, right = self._written.names, self._written.beside(left), self._written(right)
        else:
            names = self._line(claim.part)
        try:
            shown_equal(left, right, names, _WORK_TO_MATCH, opened=claim.opened & names.given)
        except NotShownError:
            shown_equal(left, right, names, _WORK_OF_CLAIM)

    def _line(self, part: Direction) -> Meanings:
        if part not in self._lines:
            # The double backward tells lines of the gradients, which were derived before it.
            self._lines[part] = self.world(part).branch()
            self._lines[part].give(self.derivation.backward)
        return self._lines[part]

    @cached_property
    def _written(self) -> NamesApart:
        """The names of the definition as written, beside those of the normal form."""
        own = NamesApart(self._forward.branch(), {})
        own.give(self.derivation.written.equations)
        return own

    # ---- results against the chain rule, unsimplified

    def gradients(self) -> Iterator[Equality]:
        """Each gradient, beside the adjoint of the definition as written."""
        d = self.derivation
        names, own = self._both(d.backward, {})
        own.give(d.adjoint.equations)
        for (_, gradient), (_, plain) in zip(d.gradients, d.adjoint.gradients, strict=True):
            yield Equality(gradient.name, gradient, own(plain), names)

    def tangents(self) -> Iterator[Equality]:
        """Each tangent of an output, beside the tangent of the definition as written."""
        d = self.derivation
        assert d.jvp is not None
        along = tangent(d.written)
        names, own = self._both(d.jvp.equations, dict(zip(along.arguments, d.jvp.arguments, strict=True)))
        own.give(along.equations)
        for (name, symbol), (_, plain) in zip(d.jvp.results, along.results, strict=True):
            yield Equality(name, symbol, own(plain), names)

    def double_backward(self) -> Iterator[Equality]:
        """Each result of the double backward, beside the adjoint of the unsimplified adjoint."""
        d = self.derivation
        assert d.backward_backward is not None
        given, found = d.adjoint, d.backward_backward
        whole = backward_as_forward(d.written, given.cotangents, given.equations, given.gradients)
        layer = whole.forward
        if max(operation_count(q.expression) for q in layer.equations) > _OPERATIONS:
            layer = in_short_lines(layer)
        double = adjoint(layer)
        names, own = self._both(found.equations, dict(zip(double.cotangents, found.arguments, strict=True)))
        own.give(layer.equations)
        own.give(double.equations)
        for (name, symbol), (_, plain) in zip(found.results, double.gradients, strict=True):
            yield Equality(name, symbol, own(plain), names)

    def _both(
        self, equations: Iterable[Equation], arguments: Mapping[TypedSymbol, TypedSymbol]
    ) -> tuple[Meanings, NamesApart]:
        own = self._written.branch(arguments)
        own.names.give(equations)
        return own.names, own


class NamesApart:
    """Names of other equations, apart from those of the normal form unless they are shown to be equal.

    They are the definition's as written, or those of an emitted program.
    """

    def __init__(self, names: Meanings, arguments: Mapping[TypedSymbol, TypedSymbol]) -> None:
        self.names = names
        self._table = dict(arguments)
        self._noted: dict[TypedSymbol, Expr] = {}

    def branch(self, arguments: Mapping[TypedSymbol, TypedSymbol]) -> NamesApart:
        """Return the same names, to which more may be given apart, with `arguments` that have other names here."""
        other = NamesApart(self.names.branch(), {**self._table, **arguments})
        other._noted |= self._noted
        return other

    def __call__(self, e: Expr) -> Expr:
        """An expression of the definition as written, in the names that its values have here."""
        return e.xreplace(self._table)

    def beside(self, e: Expr) -> Expr:
        """Replace the symbols of an expression without a value in the normal form by the definition's."""
        return e.xreplace({s: named for s, named in self._table.items() if s not in self.names.given})

    def give(self, equations: Iterable[Equation]) -> None:
        """Note equations under names of their own, or under those of equal values with the same name."""
        for equation in equations:
            meaning = self(equation.expression)
            if self._noted.get(equation.symbol) == meaning:
                continue
            self._noted[equation.symbol] = meaning
            alike = self.names.called(equation.symbol)
            if alike is not None and self.names.meaning[alike] != meaning:
                try:
                    shown_equal(alike, meaning, self.names, _WORK_TO_MATCH)
                except NotShownError:
                    alike = None
            if alike is None:
                alike = type(equation.symbol)(f"{equation.symbol.name} as written")
                self.names.give([replace(equation, symbol=alike, expression=meaning)])
            self._table[equation.symbol] = alike
