"""The gradients of a forward in normal form, one row class after the other, from the last to the first.

The cotangent of a row value that enters a class from outside is an *atom* of that class (`g` in the textbook formula).
So a norm of a norm is two textbook formulas one after the other, and not one long expansion. Inside a class, the chain
rule is written out in full and then shortened by the change of basis.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import sympy
from sympy import Add, Expr, Pow

from lngen.algebra.budget import limited_work, spend
from lngen.algebra.equations import ATOM, Equation, Forward
from lngen.algebra.symbols import (
    ENTRY_OF,
    Reduction,
    RowMax,
    RowMin,
    RowScalarSymbol,
    SumRows,
    TypedSymbol,
    Where,
    axes,
    heads_that,
    is_row,
    symbol_like,
)
from lngen.derivation.derivative_pass import DerivativePass
from lngen.derivation.inline import joined, too_long
from lngen.derivation.rules.basis import Basis, cost, in_best_basis, tell_change_of_basis
from lngen.derivation.rules.factors import common_factors
from lngen.derivation.rules.known_values import with_value
from lngen.derivation.rules.linearity import (
    TooManyTermsError,
    expand_linear,
    reductions_in,
    split_rows_sum,
    stages_in,
    tree_size,
)
from lngen.derivation.rules.row_classes import RowClass
from lngen.derivation.trail import UNSIMPLIFIED, Trail
from lngen.derivation.vjp import Contribution, contributions, summed

_LONGEST_COTANGENT = 1_500
"""The nodes of a cotangent that are counted as work."""

_LONGEST_CANCELLING = 1_000
"""The nodes of a cotangent that is written out to see whether it is zero; that of a shift has 100."""


class _SentCotangent(NamedTuple):
    """Cotangent that an equation sends to an operand: by the name of the one that it comes from, and written out.

    It comes from `outside` where it enters the row class of the operand.
    """

    by_name: Contribution
    written: Expr
    outside: bool


class ReversePass(DerivativePass):
    """`run` returns the equations of the gradients, `bases` what was chosen on the way."""

    words = "the gradient of {}"

    def __init__(self, forward: Forward, trail: Trail, candidates: Collection[TypedSymbol] = ()) -> None:
        super().__init__(forward, trail, candidates, forward.differentiable, forward.cotangent)
        self.class_of = {symbol: c for c in self.classes for symbol in c.symbols}
        self.bases: dict[TypedSymbol, Basis] = {}
        self.unbounded = _unbounded(forward)
        self._selects: dict[Expr, Where] = {}
        self._sent: dict[TypedSymbol, list[_SentCotangent]] = {}
        self._atoms: dict[TypedSymbol, Expr] = {}
        self._settled: dict[TypedSymbol, TypedSymbol] = {}

    def run(self) -> tuple[Equation, ...]:
        """All cotangent equations, results last."""
        for output in self.forward.outputs:
            cotangent = self.forward.cotangent(output)
            self._sent.setdefault(output, []).append(
                _SentCotangent(Contribution(output, output, cotangent), cotangent, True)
            )
        for equation in reversed(self.forward.equations):
            self._equation(equation)
        for symbol in self.forward.differentiable:
            self._input(symbol)
        return tuple(self.equations)

    # ---- the pass

    def _equation(self, equation: Equation) -> None:
        symbol = equation.symbol
        bar = self._row_cotangent(symbol) if is_row(symbol) else self._total(symbol)
        extreme = isinstance(equation.reduction, (RowMax, RowMin))
        if bar != 0 and extreme and (self._tells(equation) or not equation.stopped) and self._vanishes(bar, symbol):
            return
        if bar == 0 or equation.stopped:
            return
        bar = self._bounded(symbol, bar)
        called = self._collected(symbol, bar)
        selected, attains = self._selected(equation, bar), self.first(equation)
        found = tuple(contributions(equation, selected, attains))
        named = found if called == bar else contributions(equation, called, attains)
        for contribution, by_name in zip(found, named, strict=True):
            # The chain rule itself is never given up; what is made of it is, by whoever asked for TooLargeError.
            with suppress(TooManyTermsError):
                spend(tree_size(contribution.expression, _LONGEST_COTANGENT))
            target, expression = contribution.target, with_value(contribution.expression, equation)
            leaves = is_row(symbol) and is_row(target) and not self._same_class(symbol, target)
            by_name = replace(by_name, expression=with_value(by_name.expression, equation))
            self._sent.setdefault(target, []).append(_SentCotangent(by_name, expression, leaves))

    def _tells(self, equation: Equation) -> bool:
        """Test whether to show that the gradient of a shift is zero, after a rule has cut it off."""
        return equation.stopped and not equation.named and self.trail.derivative == "backward"

    def _part(self, symbol: TypedSymbol, *, outside: bool) -> Expr:
        """Return the part of a cotangent that comes from outside the row class of its value, or from inside."""
        return Add(*(sent.written for sent in self._sent.get(symbol, ()) if sent.outside == outside))

    def _total(self, symbol: TypedSymbol) -> Expr:
        return self._part(symbol, outside=True) + self._part(symbol, outside=False)

    def _contributions_from(self, symbol: TypedSymbol, *, outside: bool) -> list[Contribution]:
        return [sent.by_name for sent in self._sent.get(symbol, ()) if sent.outside == outside]

    def _contributions_to(self, symbol: TypedSymbol) -> list[Contribution]:
        """Return the contributions to a value by name; those to a row from outside its class may have one together."""
        outside, inside = (self._contributions_from(symbol, outside=place) for place in (True, False))
        if outside and inside and symbol in self._atoms:
            outside = [Contribution(symbol, symbol, self._atoms[symbol])]
        return [*outside, *inside]

    def _collected(self, symbol: TypedSymbol, bar: Expr) -> Expr:
        """Return the symbol of a cotangent for later steps, which read `dvar` where lines read its expression."""
        if symbol in self._settled:
            return self._settled[symbol]
        if isinstance(bar, TypedSymbol):
            return bar
        return self.called(symbol, self._contributions_to(symbol))

    def _bounded(self, symbol: TypedSymbol, bar: Expr) -> Expr:
        """A cotangent that has become too long to be written out where it is used goes on under a name.

        Each value that is used twice doubles what is written out. No textbook's formula is that long, so nothing
        short is lost, and a definition of many lines takes a time that grows with its lines.
        """
        if not too_long(bar):
            return bar
        cotangent = self.whole(symbol)
        self._append(cotangent, bar)
        before = self.tell(symbol, self._contributions_to(symbol))
        reason = "too long to be written out further: no shorter form is looked for"
        self.trail.derived(UNSIMPLIFIED, cotangent, before, bar, reason)
        return cotangent

    def _selected(self, equation: Equation, bar: Expr) -> Expr:
        """A cotangent that a select switched off stays switched off where what it meets may be infinite."""
        outer = self._selects.get(bar)
        unbounded = self.unbounded & {equation.symbol, *equation.expression.free_symbols}
        if outer is None or not unbounded:
            return bar
        return Where(outer.args[0], *(branch if branch == 0 else bar for branch in outer.args[1:]))

    def _row_cotangent(self, symbol: TypedSymbol) -> Expr:
        row_class = self.class_of[symbol]
        atom = self._atom(symbol)
        bar = atom + self._part(symbol, outside=False)
        if symbol != row_class.root or bar == atom:
            return bar
        cotangent = self.whole(symbol)
        expression = self._simplify(row_class, symbol, cotangent, bar)
        if expression == 0 or isinstance(expression, TypedSymbol) or _is_multiple(expression):
            self._settled[symbol] = cotangent
            return expression
        self._append(cotangent, expression)
        return cotangent

    def _atom(self, symbol: TypedSymbol) -> Expr:
        """The cotangent that enters a class from outside, under a name of its own."""
        whole = expression = self._part(symbol, outside=True)
        if not too_long(expression):
            expression = common_factors(expression)
        short = expression == 0 or isinstance(expression, TypedSymbol) or _is_multiple(expression)
        sent = self._contributions_from(symbol, outside=True)
        part = bool(self._contributions_from(symbol, outside=False))
        if part and isinstance(expression, TypedSymbol):
            return expression  # It has a name, and the value's own is that of the whole.
        self._atoms[symbol] = expression
        if short and expression == summed(sent):
            return expression
        # Of the second order, and beside those of norms, there are several: one that is the whole has its name.
        several = self.forward.again or not self.class_of[symbol].reductions
        own = short and not part
        named = own or (several and not (part or symbol in self.wholes))
        wanted = f"{self.forward.cotangent(symbol).name}_part" if part else ATOM
        name = self.whole(symbol) if named else symbol_like(self.names.fresh(wanted), symbol)
        reason = f"the gradient of {symbol.name}"
        if part:
            ways = ", ".join(dict.fromkeys(c.source.name for c in sent if c.source != symbol))
            reason = f"the part of {reason} that comes through {ways}"
        self.trail.written_out(name, self.trail.chain_rule(name, sent, reason), whole)
        self.trail.derived("common factors", name, whole, expression, "taken out of the sum")
        if not own:
            self._atoms[symbol] = name
        if short:
            return expression
        self._append(name, expression)
        return name

    def _append(self, symbol: TypedSymbol, expression: Expr) -> None:
        self.equations.append(Equation(symbol, expression))
        selects = [f for f in sympy.Mul.make_args(expression) if isinstance(f, Where) and sympy.S.Zero in f.args[1:]]
        if selects:
            self._selects[symbol] = selects[0]

    def _simplify(self, row_class: RowClass, target: TypedSymbol, shown: TypedSymbol, expression: Expr) -> Expr:
        """The gradient of `target`, in the basis of its row in which it is shortest; its steps are told of `shown`.

        Where all work is spent only common factors are taken out.
        """
        sent, reason = self._contributions_to(target), f"the gradient of {target.name}"
        expression = self._with_named_sums(row_class, expression)
        try:
            basis, short = in_best_basis(row_class, expression)
        except TooManyTermsError:
            short, before = common_factors(expression), summed(sent)
            given_up = "the definition has taken all the work that it may: no shorter form is looked for"
            if before == short:
                self.trail.chain_rule(shown, sent, f"{reason}; {given_up}", UNSIMPLIFIED)
            else:
                self.trail.chain_rule(shown, sent, reason)
                self.trail.derived(UNSIMPLIFIED, shown, before, short, given_up)
            return short
        self.trail.written_out(shown, self.trail.chain_rule(shown, sent, reason), expression)
        if basis is not None:
            self.bases[row_class.root] = basis
        tell_change_of_basis(self.trail, shown, row_class, basis, expression, short)
        return short

    def _with_named_sums(self, row_class: RowClass, expression: Expr) -> Expr:
        """A sum that has nothing of the class in it, and stands twice, under a name: no basis then multiplies it out.

        So the gradient of `sum(p*(log(p) - log(m)))` with normalized exponentials p is `p*(g - sum(g*p))`.
        """
        own = {*row_class.symbols, *(q.symbol for q in (*row_class.reductions, *row_class.functions))}
        for part in sorted(_sums_without(own, expression), key=sympy.default_sort_key):
            if expression.count(part) > 1:
                name = symbol_like(self.names.fresh(ATOM), part)
                self.trail.derived("name", name, None, part, "it stands more than once")
                self._append(name, part)
                expression = expression.xreplace({part: name})
        return expression

    def _input(self, symbol: TypedSymbol) -> None:
        gradient = self.whole(symbol)
        if is_row(symbol):
            row_class = self.class_of[symbol]
            atom = self._atom(symbol)
            bar = atom + self._part(symbol, outside=False)
            expression = bar if bar == atom else self._simplify(row_class, symbol, gradient, bar)
            if expression == atom:
                sent = [Contribution(symbol, symbol, atom)] if atom != 0 else []
                self.tell(symbol, sent)
        else:
            total = self._total(symbol)
            expression = _shortest_total(total)
            before = self.trail.chain_rule(
                gradient, self._contributions_to(symbol), f"what reaches {symbol.name} from every row"
            )
            self.trail.written_out(gradient, before, total)
            self.trail.derived(
                "sums over rows", gradient, total, expression, "in as few sums as need no more operations"
            )
            expression = self._in_chosen_bases(gradient, expression)
        self.equations.append(Equation(gradient, expression))

    def _in_chosen_bases(self, target: TypedSymbol, expression: Expr) -> Expr:
        short = self.in_known_bases(expression)
        for basis in self.bases.values() if short != expression else ():
            body = expression.args[0] if isinstance(expression, SumRows) else expression
            after = self.in_known_bases(expression, (basis,))
            reason = f"written in {basis.symbol}"
            self.trail.derived("change of basis", target, expression, after, reason, uses=basis.uses(body))
            expression = after
        return short

    def inlined(self, equations: tuple[Equation, ...], results: Collection[TypedSymbol]) -> tuple[Equation, ...]:
        """A row cotangent that is used once written out where it is used, if that makes the whole no longer.

        The gradient of `exp(x)/sum(exp(x))` comes as `dz*z` with `dz = (g - sum(g*y))/s`; together they are
        `y*(g - sum(g*y))`.
        """

        def forms(value: Equation, reader: Equation, written: Expr) -> Iterator[Expr]:
            several = reader.expression.count(value.symbol) > 1
            # A result that is only another name for it will take its place.
            if reader.expression == value.symbol or (several and self.forward.again):
                return
            found = [common_factors(written), self.in_known_bases(written)]
            with suppress(TooManyTermsError):
                found.append(common_factors(expand_linear(written)))
            yield from (form for form in found if not several or _saves_reduction(form, value, reader))

        return joined(equations, results, forms, self.trail)

    # ---- shared

    def in_known_bases(self, expression: Expr, bases: Collection[Basis] | None = None) -> Expr:
        """An expression in the bases chosen so far, where that makes it shorter; also inside a sum over rows."""
        if isinstance(expression, SumRows):
            return SumRows(self.in_known_bases(expression.args[0], bases))
        for basis in self.bases.values() if bases is None else bases:
            with suppress(TooManyTermsError):
                candidate = basis.try_on(expression)
                if cost(candidate)[:3] < cost(expression)[:3]:
                    expression = candidate
        return expression

    def _vanishes(self, bar: Expr, symbol: TypedSymbol) -> bool:
        """Test whether a cotangent is zero for every input, once everything in it is written out."""
        table = {equation.symbol: equation.expression for equation in self.equations}
        while bar.free_symbols & table.keys():
            bar = bar.xreplace(table)
            if tree_size(bar, _LONGEST_CANCELLING) > _LONGEST_CANCELLING:
                return False
        uses: dict[Expr, Expr] = {}
        known = {q.reduction: q.symbol * q.reduction / q.expression for q in self.forward.equations if q.reduction}
        try:
            with limited_work():
                for basis in self.bases.values():
                    uses |= dict(basis.uses(bar))
                    bar = basis.try_on(bar)
                if bar != 0:
                    bar = expand_linear(bar)
                    uses |= {mean: value for mean, value in known.items() if bar.has(mean)}
                    bar = expand_linear(bar.xreplace(known))
        except TooManyTermsError:
            return False
        if bar != 0:
            return False
        reason = f"no gradient goes through {symbol.name}, for no result depends on it"
        before = self.tell(symbol, self._contributions_to(symbol))
        self.trail.derived("a shift that cancels", self.whole(symbol), before, bar, reason, uses=uses.items())
        return True

    def _same_class(self, a: TypedSymbol, b: TypedSymbol) -> bool:
        return a in self.class_of and self.class_of[a] is self.class_of.get(b)


def _saves_reduction(short: Expr, value: Equation, reader: Equation) -> bool:
    """Test whether two lines in one have fewer reductions than apart."""
    return reductions_in(short) < reductions_in(value.expression) + reductions_in(reader.expression)


def _is_multiple(expression: Expr) -> bool:
    """Test whether an expression is a number times one value of a row, which needs no name.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> _is_multiple(-RowScalarSymbol("dy") / 2), _is_multiple(-RowSymbol("dy") / 2)
    (True, False)
    """
    return isinstance(expression, sympy.Mul) and isinstance(expression.as_coeff_Mul()[1], RowScalarSymbol)


def _sums_without(symbols: Collection[TypedSymbol], expression: Expr) -> set[Expr]:
    """The largest sums of rows in an expression that have none of some symbols in them, and no reduction."""
    if isinstance(expression, Add) and is_row(expression) and expression.free_symbols.isdisjoint(symbols):
        return set() if expression.atoms(Reduction) else {expression}
    return set().union(*(_sums_without(symbols, argument) for argument in expression.args))


def _shortest_total(total: Expr) -> Expr:
    """Return the gradient of a parameter as one sum over rows, or as one sum for each path.

    One sum takes fewer operations. But where a path leads through a reduction over features, as for `w/sum(w)`, one sum
    would have to wait for the reduction in every row; two sums do not wait.
    """
    apart = Add(*(split_rows_sum(term) for term in Add.make_args(total)))
    # A common factor of both is a factor of a finite sum: a select keeps its guarded value.
    apart = apart if apart.atoms(Where) else common_factors(apart)
    return min(split_rows_sum(total), apart, key=lambda e: (_stages(e), *cost(e)))


def _stages(expression: Expr) -> int:
    """Return the number of stages over a row in a parameter's gradient: one more for each that a row has to wait
    for.
    """
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
