"""Merge of reductions over shards, so that a reduction that needs another one shares its exchange.

Let `m` be the mean or the largest entry of a row. Before the exchange a shard knows only its own, `m_k`. The shard
reduces about `m_k`, which *stands in* for m, and the merge, which knows both, corrects for the shift. Each rule is an
identity in the shift between them (`Share.identity`, which `tests/plan` expands for every layer), so that no exchange
is saved by an assumption.

*Moments.* With `b_k = m_k - m`, `x - m = (x - m_k) + b_k`, so that for every p

    sum((x - m)**p) = sum over parts and j of C(p, j) * b_k**(p - j) * sum((x - m_k)**j),

which for p = 2 and exact means is the formula of Chan, Golub & LeVeque (1979), "Updating formulae and a pairwise
algorithm for computing sample variances", Stanford STAN-CS-79-773. Here the sum of (x - m_k) is not taken to be zero:
it is the residual of m_k, and its contribution is added. So the residual of a mean (p = 1) and the spread about the
corrected mean come out of the same sums.

*What it costs in digits.* Let u be the unit roundoff, and g = n*u the bound of a sum of n terms. Let |c| be the norm
(sum of the p-th powers of |x - m|)**(1/p) over the features of a shard. By the inequality of Jensen |b_k| * n**(1/p) <=
|c|, so |x - m_k| has the norm 2*|c| at most, and the terms of the merge together 3**p * |c|**p. Each is computed to (g
+ 2*p*u) of itself. The merge of P parts adds (P + 2)*u. To first order a moment is off by

    3**p * (g + (2*p + P + 2)*u) * sum(|x - m|**p),

against g * sum(|x - m|**p) on one process, g with all features. `HIGHEST` keeps 3**p below a hundred. The same holds
for the product of two rows, each centred on its own mean, and for one centred row times weights w. The norms of both
then take the place of the sum (p = 2, by Cauchy and Schwarz). An even power is never negative: a negative rounded value
is set to 0.

*Exponentials.* With m the largest entry and `b_k = m_k - m`, which is not positive,

    sum(w*exp(a*(x - m))) = sum over parts of exp(a*b_k) * sum(w*exp(a*(x - m_k))),    a > 0

(Milakov & Gimelshein, 2018, "Online normalizer calculation", arXiv:1805.02867, over parts in place of entries.) No
factor is above 1, and exp(a*b_k) has a relative error of (a*|b_k| + 1)*u, where t*exp(-t) is at most 1/e. The error of
the sum is at most (g + (P + 2)*u + u) times the sum of |w|*exp(a*(x - m)), plus u/e times the sum of |w| over a shard.
One process has the second error too, since it rounds each x - m. The least entry is the mirror image, a < 0. A shard
whose entries are all -inf, as a mask leaves them, has no finite m_k. The least finite number stands in for it: all of
the sums are then zero and no factor is NaN.

*A row less its largest entry, times weights* (p = 1) is summed as (x - m_k) + b_k, two terms of one sign: nothing
cancels that did not before.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import comb
from typing import Literal

import sympy
from sympy import Add, Expr, Mul, Pow, S
from sympy.core.relational import Relational

from lngen.algebra.equations import Names
from lngen.algebra.symbols import (
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    TypedSymbol,
    Where,
    is_row,
    symbol_like,
    varies_over_features,
)
from lngen.plan.lines import ProgramLine
from lngen.plan.program import FeatureReduction

HIGHEST = 4
"""The highest power of a centred row whose sum is merged: the bound has 3**p in it."""


@dataclass(frozen=True)
class Share:
    """Share of a reduction: the sum over shards of `coefficient` times the sum of `body` on a shard.

    The merge computes coefficients, where a symbol with a value on each shard is a row symbol.
    """

    coefficient: Expr
    body: Expr


@dataclass(frozen=True)
class Shared:
    """A sum that is merged. `is_nonnegative` says that rounding alone can make it negative."""

    shares: tuple[Share, ...]
    is_nonnegative: bool


@dataclass(frozen=True)
class StandIn:
    """Substitute of a mean or an extreme on a shard: the value `sent`, and the finite value `used`."""

    of: FeatureReduction
    sent: RowScalarSymbol
    used: RowScalarSymbol

    @property
    def column(self) -> RowSymbol:
        """Return the symbol of the used values of all shards, in the merge."""
        return RowSymbol(self.used.name)


@dataclass(frozen=True)
class _ShardForm:
    """Value that waits for the exchange, `local*factor + by`, where the shard has `local`.

    Either `factor` or `by` is trivial. `about` is the kind of the substitute for the subtracted value.
    """

    local: Expr
    by: Expr = S.Zero
    factor: Expr = S.One
    about: Literal["", "mean", "max", "min"] = ""


class Merging:
    """Rules of one exchange: its `number`, the `lines` of the program, and the exchange after which each is `known`.

    `part_lines` and `merge_lines` are further lines of the shard and of the merge, in order.
    """

    def __init__(
        self,
        names: Names,
        lines: Mapping[TypedSymbol, ProgramLine],
        known: Mapping[TypedSymbol, int],
        number: int,
        largest: ScalarSymbol,
    ) -> None:
        self._names, self._lines, self._known, self._number, self._largest = names, lines, known, number, largest
        self.part_lines: list[ProgramLine] = []
        self.merge_lines: list[ProgramLine] = []
        self.stand_ins: dict[TypedSymbol, StandIn] = {}
        self._forms: dict[Expr, _ShardForm | None] = {}
        self._step = 0

    def stands_in(self, reduction: FeatureReduction) -> None:
        """Note a reduction of this exchange whose own value of a part may stand in for it."""
        if reduction.operator == "sum":
            return
        sent = RowScalarSymbol(self._names.fresh(f"{reduction.symbol.name}_part"))
        used = sent
        if reduction.operator != "mean":
            used = RowScalarSymbol(self._names.fresh(f"{reduction.symbol.name}_finite"))
            self.part_lines.append(ProgramLine(used, self._finite(sent, reduction), reduction.step))
            columns = RowSymbol(sent.name), RowSymbol(used.name)
            self.merge_lines.append(ProgramLine(columns[1], self._finite(columns[0], reduction), reduction.step))
        self.stand_ins[reduction.symbol] = StandIn(reduction, sent, used)

    def _finite(self, value: TypedSymbol, reduction: FeatureReduction) -> Expr:
        """Return the extreme of a shard, finite where that of all is: the extreme of nothing is infinite."""
        least, most = -self._largest, self._largest
        above = Where(sympy.Gt(value, most), most, value) if reduction.operator == "min" or reduction.shift else value
        return Where(sympy.Lt(value, least), least, above) if reduction.operator == "max" else above

    # ---- sums

    def shared(self, reduction: FeatureReduction) -> Shared | None:
        """Return the merge of a sum or a mean, without its division by D; None if no rule applies."""
        if reduction.operator not in ("sum", "mean"):
            return None
        self._step = reduction.step
        whole = self._form(reduction.body)
        terms = [reduction.body] if whole or not isinstance(reduction.body, Add) else [*reduction.body.args]
        found = [self._product(term) for term in terms]
        shares = [share for each in found if each for share in each.shares]
        is_nonnegative = len(found) == 1 and found[0] is not None and found[0].is_nonnegative
        return None if None in found else Shared(tuple(shares), is_nonnegative)

    def _product(self, term: Expr) -> Shared | None:
        """The rule for a product of rows that are shifted, rows that are scaled, and weights that wait for nothing."""
        weight, factor = S.One, S.One
        shifted: list[tuple[_ShardForm, int]] = []
        for each in Mul.make_args(term):
            base, power = each.as_base_exp()
            if not (power.is_Integer and power > 0):
                base, power = each, S.One
            form = self._form(base)
            if form is None:
                return None
            if form.by != 0:
                shifted.append((form, int(power)))
            else:
                weight, factor = weight * form.local**power, factor * form.factor**power
        degree = sum(power for _, power in shifted)
        is_plain = not varies_over_features(weight) and factor == 1
        if degree > HIGHEST or (degree > 1 and not (is_plain and all(form.about == "mean" for form, _ in shifted))):
            return None
        shares = []
        for powers in product(*(range(power + 1) for _, power in shifted)):
            coefficient, body = factor, weight
            for (form, power), j in zip(shifted, powers, strict=True):
                coefficient *= comb(power, j) * form.by ** (power - j)
                body *= form.local**j
            shares.append(Share(coefficient, body))
        return Shared(tuple(shares), weight == 1 and len(shifted) == 1 and degree % 2 == 0)

    # ---- values that wait

    def _waits(self, expression: Expr) -> bool:
        return any(self._known.get(symbol, -1) >= self._number for symbol in expression.free_symbols)

    def _form(self, value: Expr) -> _ShardForm | None:
        if not self._waits(value):
            return _ShardForm(value)
        if value not in self._forms:
            self._forms[value] = self._formed(value)
        return self._forms[value]

    def _formed(self, value: Expr) -> _ShardForm | None:
        if not is_row(value):
            return None
        if isinstance(value, TypedSymbol):
            form = self._form(self._lines[value].expression) if value in self._lines else None
            return form and self._named(value.name, form, self._lines[value].step)
        if isinstance(value, Add):
            return self._sum(value)
        if isinstance(value, sympy.exp):
            return self._exponential(value)
        if isinstance(value, Mul):
            return self._scaled(value)
        if isinstance(value, Pow) and value.exp.is_Integer and value.exp > 0:
            base = self._form(value.base)
            return (
                None
                if base is None or base.by != 0
                else _ShardForm(base.local**value.exp, factor=base.factor**value.exp)
            )
        if isinstance(value, Where):
            return self._chosen(value)
        return None

    def _named(self, name: str, form: _ShardForm, step: int) -> _ShardForm:
        """Name the parts of a form: the local value on the shard, and the added value in the merge."""
        local, by, factor = form.local, form.by, form.factor
        if not isinstance(local, TypedSymbol):
            local = symbol_like(self._names.fresh(f"{name}_part"), form.local)
            self.part_lines.append(ProgramLine(local, form.local, step))
        if by != 0:
            by = RowSymbol(self._names.fresh(f"{name}_by"))
            self.merge_lines.append(ProgramLine(by, form.by, step))
        if factor != 1:
            factor = RowSymbol(self._names.fresh(f"{name}_factor"))
            self.merge_lines.append(ProgramLine(factor, form.factor, step))
        return _ShardForm(local, by, factor, form.about)

    def _sum(self, value: Add) -> _ShardForm | None:
        """Return the form of a row less a substitute, or of a shifted row less row scalars."""
        scalars = [term for term in value.args if self._waits(term) and not varies_over_features(term)]
        if not scalars:
            return None
        rest = Add(*(term for term in value.args if term not in scalars))
        if self._waits(rest):
            form = self._form(rest)
            return form and (
                _ShardForm(form.local, form.by + Add(*scalars), about=form.about) if form.factor == 1 else None
            )
        for term in scalars:
            stand_in = self.stand_ins.get(-term)
            if stand_in and stand_in.of.body == rest:
                others = [other for other in scalars if other != term]
                by = stand_in.column - stand_in.of.symbol + Add(*others)
                operator = stand_in.of.operator
                assert operator != "sum"
                return _ShardForm(rest - stand_in.used, by, about=operator)
        return None

    def _exponential(self, value: Expr) -> _ShardForm | None:
        coefficient, shifted = value.args[0].as_coeff_Mul()
        form = self._form(shifted)
        falls = {"max": coefficient > 0, "min": coefficient < 0}
        if form is None or form.factor != 1 or not falls.get(form.about):
            return None
        return _ShardForm(sympy.exp(coefficient * form.local), factor=sympy.exp(coefficient * form.by))

    def _scaled(self, value: Mul) -> _ShardForm | None:
        forms = [self._form(factor) for factor in value.args]
        if any(form is None or form.by != 0 for form in forms):
            return None
        found = [form for form in forms if form is not None]
        return _ShardForm(Mul(*(form.local for form in found)), factor=Mul(*(form.factor for form in found)))

    def _chosen(self, value: Where) -> _ShardForm | None:
        condition, chosen, otherwise = value.args
        if not isinstance(condition, Relational) or self._waits(condition):
            return None
        forms = [self._form(branch) for branch in (chosen, otherwise) if branch != 0]
        if any(form is None or form.by != 0 for form in forms) or len({form.factor for form in forms if form}) > 1:
            return None
        local = [S.Zero if branch == 0 else self._local(branch) for branch in (chosen, otherwise)]
        return _ShardForm(Where(condition, *local), factor=next(form.factor for form in forms if form))

    def _local(self, branch: Expr) -> Expr:
        form = self._form(branch)
        assert form is not None
        return form.local

    # ---- proof

    def identity(self, reduction: FeatureReduction, shared: Shared) -> Expr:
        """Return the terms of a sum less those of its shares, with all lines of shards and of the merge written out.

        The difference is zero, whatever the substitutes are.
        """
        columns = {RowSymbol(s.used.name): s.used for s in self.stand_ins.values()}
        columns |= {RowSymbol(s.sent.name): s.sent for s in self.stand_ins.values()}
        own = {symbol: line.expression for symbol, line in self._lines.items() if self._waits(line.expression)}
        own |= {line.symbol: line.expression for line in (*self.part_lines, *self.merge_lines)}
        own = {symbol: value for symbol, value in own.items() if is_row(symbol) and symbol not in columns}

        def written_out(expression: Expr) -> Expr:
            while table := {s: own[s] for s in expression.free_symbols if s in own}:
                expression = expression.xreplace(table)
            return expression.xreplace(columns)

        terms = Add(*(share.coefficient * share.body for share in shared.shares))
        difference = written_out(reduction.body) - written_out(terms)
        branches = [difference.replace(Where, lambda *args, at=at: args[at]) for at in (1, 2)]
        return Add(*(sympy.expand(sympy.powsimp(sympy.expand(branch))) ** 2 for branch in branches))
