"""Second moments about a mean in the sweep that measures its correction.

A row that is centred on its own mean, `s = x - mu`, is centred twice, the second time on `r = mean(s)`, the
residual of the mean. Its second moment waits for r, which costs a sweep over the row and a barrier. But

    sum((s - r)**2) = sum(s**2) - r*sum(s) - r*(sum(s) - D*r)

holds for every number r, so that both sums are taken in one sweep. This is the shifted data algorithm with the mean
itself as the shift (Chan, Golub & LeVeque, 1983, "Algorithms for computing the sample variance", The American
Statistician 37(3), section 4). The same holds for the product of two centred rows.

>>> from lngen.algebra.symbols import RowSymbol
>>> x, s, c = (RowSymbol(name) for name in ("x", "s", "c"))
>>> mu, r, var = (RowScalarSymbol(name) for name in ("mu", "r", "var"))
>>> correction = Stage((Assignment(s, x - mu, 2),), (FeatureReduction(r, "mean", s, 2),), correction=True)
>>> following = Stage((Assignment(c, s - r, 2),), (FeatureReduction(var, "mean", c**2, 3),))
>>> stage, rest = joined(correction, following, Names([]), most_sums=64)
>>> for line in stage.lines():
...     print(line.symbol, "=", line.expression)
s = -mu + x
sum_s = FeatureSum(s)
squares_s = FeatureSum(s**2)
r = sum_s/D
var = CorrectedSquares(squares_s, sum_s, r, D)/D
>>> rest.temps
(Assignment(symbol=c, expression=-r + s, step=2),)

*What it costs in digits.* Let u be the unit roundoff, and g = n*u the bound of a sum of depth n: `n - 1` additions, and
the rounding of a square. Let m be the mean of s and v the mean of (s - m)**2, both exact. Then |sum(s)~ - D*m| is at
most g*sum|s|, and |sum(s**2)~ - D*(v + m**2)| <= g*D*(v + m**2). By Cauchy and Schwarz |m|*sum|s| <= D*(v + m**2). The
remainder of a division is exact, and the two fused steps of `mathematics.h` and a division round once each. To first
order the mean is off from that of (s - r)**2 by at most

    (3*g + 3*u) * (v + m**2),

against g*v where the row is centred first. The two bounds agree as long as m, the residual of the mean, is below the
deviation of the row. It is above it only in rows whose entries differ by a few units in the last place of the mean. The
sums of such a row add small multiples of that unit, and are exact as long as they have no more digits than the type:
the bound then is 3*u*v, and a row of equal entries gives 0. If they have more digits, the error is g times the square
of a few units in the last place of the mean.

*Range.* The squares overflow where those of the centred row do, and in one case more: where the mean is so large that
the square of its residual overflows, |mu| above some 1e24 in float. The result then is infinite, and not NaN. Among
rows with such a mean, only those with almost equal entries have a variance in range.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from sympy import Expr, Function, Mul, Pow

from lngen.algebra.equations import Names
from lngen.algebra.symbols import D, RowScalarSymbol, TypedSymbol, is_row
from lngen.plan.program import Assignment, FeatureReduction, RowProgram, Stage


class CorrectedSquares(Function):  # type: ignore[misc]
    """Function `CorrectedSquares(sum(s**2), sum(s), r, D)`: sum((s - r)**2), where r is the rounded sum(s)/D."""

    nargs = 4


class CorrectedProducts(Function):  # type: ignore[misc]
    """`CorrectedProducts(sum(s*t), sum(s), r, sum(t), q, D)`: sum((s - r)*(t - q)), r = sum(s)/D, q = sum(t)/D."""

    nargs = 6


CALLED: Mapping[type, str] = {CorrectedSquares: "corrected_squares", CorrectedProducts: "corrected_products"}
"""Name of each operation in `mathematics.h`."""


def written_out(expression: Expr) -> Expr:
    """Return an expression with the sums that its corrections stand for.

    >>> q, s, r = map(RowScalarSymbol, "qsr")
    >>> written_out(CorrectedSquares(q, s, r, D)) == q - r*s - r*(s - D*r)
    True
    """
    return expression.replace(
        CorrectedSquares, lambda squares, s, r, width: squares - r * s - r * (s - width * r)
    ).replace(CorrectedProducts, lambda products, s, r, t, q, width: products - r * t - q * (s - width * r))


def with_corrected_moments(program: RowProgram, most_sums: int) -> RowProgram:
    """Return the program with each correction joined to the stage after it, where the two can share a sweep.

    They can if each reduction of that stage is a second moment of rows that the correction centres, or reads nothing
    that is known only after the correction. A joined stage has at most `most_sums` reductions.
    """
    stages: list[Stage] = []
    waiting, names = list(program.stages), program.names()
    while waiting:
        stage = waiting.pop(0)
        may_join = stage.correction
        while may_join and waiting and (found := joined(stage, waiting[0], names, most_sums)):
            stage, rest = found
            waiting[:2] = _first_of(rest, waiting[1:2])
        stages.append(stage)
    return replace(program, stages=tuple(stages))


def joined(correction: Stage, following: Stage, names: Names, most_sums: int) -> tuple[Stage, Stage] | None:
    """Join two stages into one; return the joined stage and the rest, or None if they cannot be joined.

    The rest are row values, and results from them, that need the sums of the joined stage.
    """
    sweep = _JoinedStage(correction, following, names)
    for item in following.reductions:
        sweep.take(item)
    after = _known_after(correction) | _known_after(following)
    needs = partial(_needed, values={temp.symbol: temp.expression for temp in following.temps})
    waits = any(needs(item.body) & after for item in sweep.reductions)
    if waits or not following.reductions or len(sweep.reductions) > most_sums:
        return None
    stores = [s for s in following.stores if not (is_row(s.symbol) and needs(s.symbol) & after)]
    over_rows = [total for total in following.rows_reductions if not (is_row(total.body) and needs(total.body) & after)]
    early = [item.body for item in sweep.reductions] + [s.symbol for s in stores] + [total.body for total in over_rows]
    needed = set[TypedSymbol]().union(*map(needs, early))
    stage = Stage(
        temps=(*correction.temps, *(temp for temp in following.temps if temp.symbol in needed)),
        reductions=tuple(sweep.reductions),
        row_scalars=(*sweep.residuals, *correction.row_scalars, *sweep.moments, *following.row_scalars),
        stores=(*correction.stores, *stores),
        rows_reductions=(*correction.rows_reductions, *over_rows),
    )
    rest = Stage(
        temps=tuple(temp for temp in following.temps if temp.symbol not in needed),
        stores=tuple(s for s in following.stores if s not in stores),
        rows_reductions=tuple(total for total in following.rows_reductions if total not in over_rows),
    )
    return stage, rest


class _JoinedStage:
    """The reductions of two joined stages, and the row scalars that are computed from them."""

    def __init__(self, correction: Stage, following: Stage, names: Names) -> None:
        self._names = names
        self.reductions = [*correction.reductions]
        self.residuals: list[Assignment] = []
        self.moments: list[Assignment] = []
        self._values = {temp.symbol: temp.expression for temp in (*correction.temps, *following.temps)}
        self._residual_of = {
            item.body - item.symbol: item
            for item in correction.reductions
            if item.operator == "mean" and is_row(item.body)
        }

    def take(self, item: FeatureReduction) -> None:
        """Add a reduction: a second moment as sums over the shifted rows, any other as it is."""
        factors = self._factors(item)
        if factors is None:
            self.reductions.append(item)
            return
        s, t = factors
        about = [self._sum_of(s), s.symbol]
        head, word = CorrectedSquares, f"squares_{s.body}"
        if s != t:
            about += [self._sum_of(t), t.symbol]
            head, word = CorrectedProducts, f"products_{s.body}_{t.body}"
        moment = head(self._sum(word, s.body * t.body, item.step), *about, D)
        value = moment / D if item.operator == "mean" else moment
        self.moments.append(Assignment(item.symbol, value, item.step))

    def _factors(self, item: FeatureReduction) -> tuple[FeatureReduction, FeatureReduction] | None:
        """Return the corrections of two centred rows, if a reduction adds up the product of the rows."""
        body = self._written_out(item.body)
        factors = (body.base, body.base) if isinstance(body, Pow) and body.exp == 2 else body.args
        if item.operator not in ("mean", "sum") or not isinstance(body, (Mul, Pow)) or len(factors) != 2:
            return None
        s, t = (self._residual_of.get(self._written_out(factor)) for factor in factors)
        return (s, t) if s and t else None

    def _written_out(self, value: Expr) -> Expr:
        """Return the sum, the product or the function that a row's name stands for."""
        while value in self._values:
            value = self._values[value]
        return value

    def _sum_of(self, residual: FeatureReduction) -> RowScalarSymbol:
        """Return the sum over a shifted row; the correction, its mean, is computed from it from now on."""
        total = self._sum(f"sum_{residual.body}", residual.body, residual.step)
        if residual in self.reductions:
            self.reductions.remove(residual)
            self.residuals.append(Assignment(residual.symbol, total / D, residual.step))
        return total

    def _sum(self, name: str, body: Expr, step: int) -> RowScalarSymbol:
        for known in self.reductions:
            if known.operator == "sum" and known.body == body:
                return known.symbol
        self.reductions.append(FeatureReduction(RowScalarSymbol(self._names.fresh(name)), "sum", body, step))
        return self.reductions[-1].symbol


def _known_after(stage: Stage) -> set[TypedSymbol]:
    return {item.symbol for item in stage.reductions} | {line.symbol for line in stage.row_scalars}


def _needed(body: Expr, values: Mapping[TypedSymbol, Expr]) -> set[TypedSymbol]:
    """Return all symbols in a body, through the values of symbols."""
    found: set[TypedSymbol] = set()
    waiting = [*body.free_symbols]
    while waiting:
        if (symbol := waiting.pop()) not in found:
            found.add(symbol)
            waiting += values[symbol].free_symbols if symbol in values else ()
    return found


def _first_of(rest: Stage, following: Sequence[Stage]) -> list[Stage]:
    """Move the rest of a stage into the following stage, or keep it if there is none."""
    if not following:
        return [rest] if rest.stores or rest.rows_reductions else []
    (stage,) = following
    return [
        replace(
            stage,
            temps=(*rest.temps, *stage.temps),
            stores=(*rest.stores, *stage.stores),
            rows_reductions=(*rest.rows_reductions, *stage.rows_reductions),
        )
    ]
