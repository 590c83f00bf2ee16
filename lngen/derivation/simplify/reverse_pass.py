"""The gradients of a forward in normal form, one row class after the other, from the last to the first.

The cotangent of a row value that enters a class from outside is an *atom* of that class (`g` in the textbook formula),
so a norm of a norm is two textbook formulas one after the other and not one long expansion. Inside a class, the chain
rule is written out in full and then shortened by the change of basis.
"""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace

import sympy
from sympy import Add, Expr, Pow

from lngen.derivation.simplify.basis import Basis, cost, in_best_basis
from lngen.derivation.simplify.factors import common_factors
from lngen.derivation.simplify.function_values import with_value
from lngen.derivation.simplify.inline import inlined, no_longer, too_long
from lngen.derivation.simplify.linear import (
    MAXIMUM_TERMS,
    TooManyTermsError,
    expand_linear,
    split_rows_sum,
    stages_in,
    terms_bound,
    tree_size,
)
from lngen.derivation.simplify.row_classes import RowClass, row_classes
from lngen.derivation.simplify.trail import UNSIMPLIFIED, Trail
from lngen.derivation.simplify.work import spend
from lngen.derivation.vjp import contributions
from lngen.expressions.equations import ATOM, Equation, Forward, Names
from lngen.expressions.notation import text
from lngen.expressions.reductions import show_sums
from lngen.expressions.symbols import (
    ENTRY_OF,
    AttainsFirst,
    RowMax,
    RowMin,
    SumRows,
    TypedSymbol,
    Where,
    axes,
    heads_that,
    is_row,
    symbol_like,
)

_LONGEST_COTANGENT = 1_500
"""The nodes of a cotangent that are counted as work."""

_LONGEST_CANCELLING = 1_000
"""The nodes of a cotangent that is written out to see whether it is zero; that of a shift has 100."""


class ReversePass:
    """`run` returns the equations of the gradients, `bases` what was chosen on the way."""

    def __init__(self, forward: Forward, trail: Trail, candidates: Collection[TypedSymbol] = ()) -> None:
        """Only `candidates` are tried as bases in a class that has some of them besides its root, which rounds most."""
        self.forward = forward
        self.trail = trail
        self.classes = tuple(
            replace(c, candidates=tuple(symbol for symbol in c.symbols[1:] if symbol in candidates))
            for c in row_classes(forward)
        )
        self.class_of = {symbol: c for c in self.classes for symbol in c.symbols}
        self.bases: dict[TypedSymbol, Basis] = {}
        self.names = Names.of(forward)
        self.equations: list[Equation] = []
        self.unbounded = _unbounded(forward)
        self._order = tuple(s.name for s in (*forward.symbols, *(q.symbol for q in forward.equations)))
        self._selects: dict[Expr, Where] = {}
        self._outside: dict[TypedSymbol, Expr] = {}
        self._inside: dict[TypedSymbol, Expr] = {}

    def run(self) -> tuple[Equation, ...]:
        """All cotangent equations, results last."""
        for output in self.forward.outputs:
            self._send(self._outside, output, self.forward.cotangent(output))
        for equation in reversed(self.forward.equations):
            self._equation(equation)
        for symbol in self.forward.differentiable:
            self._input(symbol)
        return tuple(self.equations)

    # ---- the pass

    def _equation(self, equation: Equation) -> None:
        symbol = equation.symbol
        if is_row(symbol):
            bar = self._row_cotangent(symbol)
        else:
            bar = self._outside.get(symbol, sympy.S.Zero) + self._inside.get(symbol, sympy.S.Zero)
        if bar == 0 or equation.stopped:
            return
        if isinstance(equation.reduction, (RowMax, RowMin)) and self._vanishes(bar, symbol):
            return
        bar = self._bounded(symbol, bar)
        for contribution in contributions(equation, self._selected(equation, bar), self._attains(equation)):
            # The chain rule itself is never given up; what is made of it is, by whoever asked for TooMuchWorkError.
            with suppress(TooManyTermsError):
                spend(tree_size(contribution.expression, _LONGEST_COTANGENT))
            expression = with_value(contribution.expression, equation)
            same = self._same_class(symbol, contribution.target)
            leaves = is_row(symbol) and is_row(contribution.target) and not same
            self._send(self._outside if leaves else self._inside, contribution.target, expression)

    def _bounded(self, symbol: TypedSymbol, bar: Expr) -> Expr:
        """A cotangent that has become too long to be written out where it is used goes on under a name.

        Each value that is used twice doubles what is written out. No textbook's formula is that long, so nothing
        short is lost, and a definition of many lines takes a time that grows with its lines.
        """
        if not too_long(bar):
            return bar
        cotangent = symbol_like(self.names.fresh(self.forward.cotangent(symbol).name), symbol)
        self._append(cotangent, bar)
        reason = f"the cotangent of {symbol.name}, too long to be written out: no shorter form is looked for"
        self.trail.add("backward", UNSIMPLIFIED, cotangent, None, bar, reason)
        return cotangent

    def _selected(self, equation: Equation, bar: Expr) -> Expr:
        """A cotangent that a select switched off stays switched off where what it meets may be infinite."""
        outer = self._selects.get(bar)
        unbounded = self.unbounded & {equation.symbol, *equation.expression.free_symbols}
        if outer is None or not unbounded:
            return bar
        return Where(outer.args[0], *(branch if branch == 0 else bar for branch in outer.args[1:]))

    def _attains(self, equation: Equation) -> Expr | None:
        """Where a row attains its extreme, under a name: a value of the forward, to be compared as it was computed."""
        reduction = equation.reduction
        if not isinstance(reduction, (RowMax, RowMin)):
            return None
        where = AttainsFirst(reduction.args[0], equation.symbol)
        symbol = symbol_like(self.names.fresh(f"first_{equation.symbol.name}"), where)
        self.equations.append(Equation(symbol, where))
        reason = f"1 at the first feature that attains {equation.symbol.name}, 0 elsewhere"
        self.trail.add("backward", "subgradient", symbol, None, where, reason)
        return symbol

    def _row_cotangent(self, symbol: TypedSymbol) -> Expr:
        row_class = self.class_of[symbol]
        atom = self._atom(symbol)
        bar = atom + self._inside.get(symbol, sympy.S.Zero)
        if symbol != row_class.root or bar == atom:
            return bar
        cotangent = symbol_like(self.names.fresh(self.forward.cotangent(symbol).name), symbol)
        expression = self._simplify(row_class, symbol, cotangent, bar)
        if expression == 0 or isinstance(expression, TypedSymbol):
            return expression
        self._append(cotangent, expression)
        return cotangent

    def _atom(self, symbol: TypedSymbol) -> Expr:
        """The cotangent that enters a class from outside, under a name of its own."""
        expression = self._outside.get(symbol, sympy.S.Zero)
        if not too_long(expression):
            expression = common_factors(expression)
        if expression == 0 or isinstance(expression, TypedSymbol):
            return expression
        # Of the second order there are several: one that is the whole cotangent has the name of that.
        whole = self.forward.again and symbol not in self._inside
        return self._name(self.forward.cotangent(symbol).name if whole else ATOM, symbol, expression)

    def _name(self, wanted: str, like: TypedSymbol, expression: Expr) -> Expr:
        if expression == 0 or isinstance(expression, TypedSymbol):
            return expression
        symbol = symbol_like(self.names.fresh(wanted), like)
        self._append(symbol, expression)
        reason = f"the cotangent of {like.name}, by the chain rule"
        self.trail.add("backward", "chain rule", symbol, None, expression, reason)
        return symbol

    def _append(self, symbol: TypedSymbol, expression: Expr) -> None:
        self.equations.append(Equation(symbol, expression))
        selects = [f for f in sympy.Mul.make_args(expression) if isinstance(f, Where) and sympy.S.Zero in f.args[1:]]
        if selects:
            self._selects[symbol] = selects[0]

    def _simplify(self, row_class: RowClass, target: TypedSymbol, shown: TypedSymbol, expression: Expr) -> Expr:
        reason = f"the adjoint of everything between {target.name} and what leaves its row class"
        self.trail.add("backward", "chain rule", shown, None, expression, reason)
        try:
            basis, short = in_best_basis(row_class, expression)
            rewritten = expression if basis is None else basis.rewrite(expression)
        except TooManyTermsError:
            reason = "the definition has taken all the work that it may: no shorter form is looked for"
            short = common_factors(expression)
            self.trail.add("backward", UNSIMPLIFIED, shown, None, short, reason)
            return short
        if basis is None:
            reason = "taken out of the sum"
            if terms_bound(expression) > MAXIMUM_TERMS:
                reason = f"more than {MAXIMUM_TERMS} terms: not multiplied out, so no basis was tried"
            self.trail.add("backward", "common factors", shown, expression, short, reason)
            return short
        self.bases[row_class.root] = basis
        where = ", ".join(f"{s} = {self._text(e)}" for s, e in (*basis.substitutions, *basis.eliminations))
        reason = f"written in {basis.symbol}: {where}"
        self.trail.add("backward", "change of basis", shown, expression, rewritten, reason)
        used = ", ".join(f"{self._text(left)} = {self._text(right)}" for left, right in basis.identities)
        reason = f"in this basis {used}" if used else "common factors taken out"
        self.trail.add("backward", "identities" if used else "common factors", shown, rewritten, short, reason)
        return short

    def _text(self, expression: Expr) -> str:
        """An expression inside a reason, as the report writes it."""
        return text(show_sums(expression), self._order)

    def _input(self, symbol: TypedSymbol) -> None:
        gradient = self.forward.cotangent(symbol)
        if is_row(symbol):
            row_class = self.class_of[symbol]
            atom = self._atom(symbol)
            bar = atom + self._inside.get(symbol, sympy.S.Zero)
            expression = bar if bar == atom else self._simplify(row_class, symbol, gradient, bar)
        else:
            total = self._outside.get(symbol, sympy.S.Zero) + self._inside.get(symbol, sympy.S.Zero)
            expression = _shortest_total(total)
            reason = f"what reaches {symbol.name} from every row"
            self.trail.add("backward", "chain rule", gradient, None, expression, reason)
            short = self.in_known_bases(expression)
            self.trail.add("backward", "change of basis", gradient, expression, short, "written in the same basis")
            expression = short
        self.equations.append(Equation(gradient, expression))

    def inlined(self, equations: tuple[Equation, ...], results: Collection[TypedSymbol]) -> tuple[Equation, ...]:
        """A row cotangent that is used once written out where it is used, if that makes the whole no longer.

        The gradient of `exp(x)/sum(exp(x))` comes as `dz*z` with `dz = (g - sum(g*y))/s`; together they are
        `y*(g - sum(g*y))`.
        """

        def merged(value: Equation, reader: Equation, written: Expr) -> Expr | None:
            # A result that is only another name for it will take its place.
            stays = isinstance(value.expression, AttainsFirst) or reader.expression == value.symbol
            if stays or value.symbol in results or not is_row(value.symbol) or too_long(written):
                return None
            if reader.expression.count(value.symbol) != 1:
                return None
            forms = [common_factors(written), self.in_known_bases(written)]
            with suppress(TooManyTermsError):
                forms.append(common_factors(expand_linear(written)))
            short = no_longer(forms, value, reader)
            if short is not None:
                reason = f"{value.symbol.name} is used only here"
                self.trail.add("backward", "written out", reader.symbol, reader.expression, short, reason)
            return short

        return inlined(equations, merged)

    # ---- shared

    def in_known_bases(self, expression: Expr) -> Expr:
        """An expression in the bases chosen so far, where that makes it shorter; also inside a sum over rows."""
        if isinstance(expression, SumRows):
            return SumRows(self.in_known_bases(expression.args[0]))
        for basis in self.bases.values():
            with suppress(TooManyTermsError):
                candidate = basis.try_on(expression)
                if cost(candidate)[:3] < cost(expression)[:3]:
                    expression = candidate
        return expression

    def _vanishes(self, bar: Expr, symbol: TypedSymbol) -> bool:
        """Whether a cotangent is zero for every input, once everything in it is written out."""
        table = {equation.symbol: equation.expression for equation in self.equations}
        while bar.free_symbols & table.keys():
            bar = bar.xreplace(table)
            if tree_size(bar, _LONGEST_CANCELLING) > _LONGEST_CANCELLING:
                return False
        try:
            for basis in self.bases.values():
                bar = basis.try_on(bar)
        except TooManyTermsError:
            return False
        if bar != 0:
            return False
        reason = f"the results do not depend on {symbol.name}: what reaches it cancels by the identities"
        self.trail.add("backward", "a shift that cancels", self.forward.cotangent(symbol), None, bar, reason)
        return True

    def _same_class(self, a: TypedSymbol, b: TypedSymbol) -> bool:
        return a in self.class_of and self.class_of[a] is self.class_of.get(b)

    @staticmethod
    def _send(table: dict[TypedSymbol, Expr], target: TypedSymbol, expression: Expr) -> None:
        table[target] = table.get(target, sympy.S.Zero) + expression


def _shortest_total(total: Expr) -> Expr:
    """What reaches a parameter from every row as one sum over rows, or as one sum for each way it took.

    One sum spares operations. But where a way leads through a reduction over features, as for `w/sum(w)`, one sum
    would have to wait for it in every row; two sums wait for nothing.
    """
    apart = Add(*(split_rows_sum(term) for term in Add.make_args(total)))
    # What is taken out of both is taken out of a finite sum: a select keeps what it guards.
    apart = apart if apart.atoms(Where) else common_factors(apart)
    return min(split_rows_sum(total), apart, key=lambda e: (_stages(e), *cost(e)))


def _stages(expression: Expr) -> int:
    """How many stages over a row a parameter's gradient takes: one more for each that a row has to wait for."""
    return max(
        (stages_in(total.args[0]) + axes(total.args[0]).features for total in expression.atoms(SumRows)), default=0
    )


def _unbounded(forward: Forward) -> set[TypedSymbol]:
    """Values that a finite row may make infinite, or NaN: exponentials, logarithms, quotients."""
    found: set[TypedSymbol] = set()
    for equation in forward.equations:
        e = equation.expression
        quotient = any(not _is_whole(power.exp) and not power.base.is_positive for power in e.atoms(Pow))
        bounded = isinstance(e, _BOUNDED)
        if axes(e).rows and not bounded and (e.atoms(*_UNBOUNDED) or quotient or e.free_symbols & found):
            found.add(equation.symbol)
    return found


_BOUNDED = (RowMax, RowMin, *heads_that(lambda entry: entry.bounded))
_UNBOUNDED = tuple(head for head, entry in ENTRY_OF.items() if not entry.is_total)


def _is_whole(exponent: Expr) -> bool:
    return bool(exponent.is_Integer and exponent > 0)
