"""The tangents of a forward in normal form, one row class after the other, from the first to the last.

The same change of basis that shortens the gradients shortens these. The tangent of a row value that is the root of a
class is an *atom* of that class; whatever is affine in the root, and every row scalar made of the class, moves by an
expression in that atom, written out in full until it leaves the class and shortened there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import sympy
from sympy import Expr

from lngen.algebra.budget import spend
from lngen.algebra.equations import Equation, Forward, tangent_symbol
from lngen.algebra.symbols import TypedSymbol, is_row
from lngen.derivation.derivative_pass import DerivativePass
from lngen.derivation.inline import joined, too_long
from lngen.derivation.jvp import moved_by, moves
from lngen.derivation.rules.basis import Basis, in_best_basis, tell_change_of_basis
from lngen.derivation.rules.factors import common_factors
from lngen.derivation.rules.known_values import with_value
from lngen.derivation.rules.linearity import tree_size
from lngen.derivation.rules.row_classes import RowClass
from lngen.derivation.trail import Trail
from lngen.derivation.vjp import Contribution

_Way = tuple[RowClass, Basis | None, Expr, Expr]

_LONGEST_TANGENT = 1_000
"""Nodes of a tangent that are counted as work."""


class Tangents(DerivativePass):
    """The forward pass; `run` returns the equations of the tangents and what each output moves by.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.normal_form import named_structure
    >>> from lngen.derivation.from_definition import translate
    >>> text = '''
    ... from lngen.language import Row, Constant, mean, sqrt
    ... def scaled(x: Row, eps: Constant = 1e-5):
    ...     return x / sqrt(mean(x**2) + eps)
    ... '''
    >>> for equation in Tangents(named_structure(translate(parse(text)))[0]).run():
    ...     print(equation.symbol, "=", equation.expression)
    y_dot = rstd*(x_dot - y*Mean(x_dot*y))
    """

    words = "what {} moves by"

    def __init__(self, forward: Forward, candidates: Collection[TypedSymbol] = (), trail: Trail | None = None) -> None:
        super().__init__(forward, trail or Trail("jvp"), candidates, forward.outputs, tangent_symbol)
        self.inside: dict[TypedSymbol, Expr] = {s: tangent_symbol(s) for s in forward.differentiable}
        self.outside: dict[TypedSymbol, Expr] = dict(self.inside)
        # The explanation: the contributions of each tangent by name, and the tangent's own name.
        self.sent: dict[TypedSymbol, list[Contribution]] = {}
        self.names_of: dict[TypedSymbol, Expr] = dict(self.inside)
        self.class_of: dict[TypedSymbol, tuple[RowClass, ...]] = {s: (c,) for c in self.classes for s in c.symbols}
        for row_class in self.classes:
            for equation in (*row_class.reductions, *row_class.functions):
                self.class_of[equation.symbol] = (*self.class_of.get(equation.symbol, ()), row_class)

    def run(self) -> tuple[Equation, ...]:
        """All equations; those of the outputs have the names of their tangents."""
        for equation in self.forward.equations:
            self.inside[equation.symbol] = self._moved(equation)
        for output in self.forward.outputs:
            moved, tangent = self._outside(output), self.whole(output)
            if moved != tangent:
                self.trail.written_out(tangent, self.tell(output, self.sent.get(output, ())), moved)
                self.equations.append(Equation(tangent, moved))
        return self._inlined()

    def _moved(self, equation: Equation) -> Expr:
        own = self.class_of.get(equation.symbol, ())
        tangents = {
            symbol: self._inside(symbol) if self._share(symbol, own) else self._outside(symbol)
            for symbol in sorted(equation.expression.free_symbols, key=lambda symbol: symbol.name)
        }
        still = equation.stopped or all(tangents.get(s, 0) == 0 for s in equation.expression.free_symbols)
        attains = None if still else self.first(equation)
        moved = with_value(moved_by(equation, tangents, attains), equation)
        spend(tree_size(moved, _LONGEST_TANGENT))
        by_name = moves(equation, self.names_of, attains)
        sent = [replace(c, expression=with_value(c.expression, equation)) for c in by_name]
        self.sent[equation.symbol], self.names_of[equation.symbol] = sent, self.called(equation.symbol, sent)
        if (is_row(equation.symbol) and own[0].root == equation.symbol) or not own or too_long(moved):
            return self._named(equation.symbol, moved, common_factors(moved))
        return moved

    def _share(self, symbol: TypedSymbol, own: tuple[RowClass, ...]) -> bool:
        return any(row_class in own for row_class in self.class_of.get(symbol, ()))

    def _inside(self, symbol: TypedSymbol) -> Expr:
        return self.inside.get(symbol, sympy.S.Zero)

    def _outside(self, symbol: TypedSymbol) -> Expr:
        """Return the tangent of a value, shortened and named, when an equation outside its class asks for it."""
        if symbol not in self.outside:
            moved = short = self._inside(symbol)
            ways = []
            for row_class in self.class_of.get(symbol, ()):
                if short != 0 and not isinstance(short, TypedSymbol):
                    before = short
                    basis, short = in_best_basis(row_class, before)
                    ways.append((row_class, basis, before, short))
            self.outside[symbol] = self._named(symbol, moved, short, ways)
        return self.outside[symbol]

    def _named(self, symbol: TypedSymbol, moved: Expr, short: Expr, ways: Sequence[_Way] = ()) -> Expr:
        """Give a tangent its name, and tell how it got from the sum of its contributions to its short form."""
        if short == 0 or isinstance(short, TypedSymbol):
            return short
        known = next((q.symbol for q in self.equations if q.expression == short), None)
        if known is not None and type(known) is type(symbol):
            return known
        tangent = self.whole(symbol)
        self.trail.written_out(tangent, self.tell(symbol, self.sent.get(symbol, ())), moved)
        for way in ways:
            tell_change_of_basis(self.trail, tangent, *way)
        self.trail.derived("common factors", tangent, ways[-1][-1] if ways else moved, short, "taken out of the sum")
        self.equations.append(Equation(tangent, short))
        return tangent

    def _inlined(self) -> tuple[Equation, ...]:
        """A row tangent that one equation uses is written out there, if that makes the whole no longer.

        The tangent of `exp(x)/sum(exp(x))` comes as `(dz - y*sum(dz))/s` with `dz = dx*z`; together they are
        `y*(dx - sum(dx*y))`.
        """

        def forms(value: Equation, reader: Equation, written: Expr) -> Iterator[Expr]:
            yield common_factors(written)
            for row_class in self.classes:
                if written.free_symbols & set(row_class.symbols):
                    yield in_best_basis(row_class, written)[1]

        results = [self.whole(output) for output in self.forward.outputs]
        return joined(tuple(self.equations), results, forms, self.trail, last_first=True)
