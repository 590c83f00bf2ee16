"""Shared reductions: means and sums of a row that differ by row scalars are made of one.

With one `gamma` a row, `mean(gamma*dy*xhat)` is `gamma*mean(dy*xhat)`. The gradient of `gamma` is `sum(dy*xhat)`, or
`D*mean(dy*xhat)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sympy import Expr, Mul, S

from lngen.algebra.equations import Names
from lngen.algebra.symbols import D, FeatureSum, Mean, RowScalarSymbol, TypedSymbol, axes
from lngen.plan.lines import ProgramLine
from lngen.plan.passes.scales import row_scalars_apart

_LINEAR = (Mean, FeatureSum)


@dataclass(frozen=True)
class _Scaled:
    """The body of a reduction as row scalars times the rest, with all scaled rows written out."""

    line: ProgramLine
    factors: frozenset[Expr]
    rest: Expr


def shared_reductions(lines: Sequence[ProgramLine], names: Names) -> list[ProgramLine]:
    """Return lines in which each group of means and sums that differ by row scalars is made of one reduction.

    It is the mean, if there is one, since a sum may overflow where a mean does not.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> dy, g, gamma, m, s = RowSymbol("dy"), RowSymbol("g"), *map(RowScalarSymbol, ("gamma", "m", "dbeta"))
    >>> lines = [ProgramLine(g, gamma*dy, 1), ProgramLine(m, Mean(g), 2), ProgramLine(s, FeatureSum(dy), 3)]
    >>> for line in shared_reductions(lines, Names([])):
    ...     print(line.symbol, "=", line.expression)
    g = gamma*dy
    m_unscaled = Mean(dy)
    m = gamma*m_unscaled
    dbeta = m_unscaled*D
    """
    scaled = {
        line.symbol: line.expression
        for line in lines
        if axes(line.symbol).features and S.One not in row_scalars_apart(line.expression) and not line.stops
    }
    groups: dict[Expr, list[_Scaled]] = {}
    for line in lines:
        if isinstance(line.expression, _LINEAR) and axes(line.symbol).rows and not (line.correction or line.stops):
            found = _apart(line, scaled)
            groups.setdefault(found.rest, []).append(found)
    placed = {line.symbol: place for place, line in enumerate(lines)}
    made: dict[TypedSymbol, list[ProgramLine]] = {}
    for group in groups.values():
        fewest = min((each.factors for each in group), key=len)
        head = Mean if any(isinstance(each.line.expression, Mean) for each in group) else FeatureSum
        of_fewest = [each.line for each in group if each.factors == fewest]
        one = next((line for line in of_fewest if isinstance(line.expression, head)), None)
        body = (one or of_fewest[0]).expression.args[0]
        first = group[0].line
        is_known = all(placed[symbol] < placed[first.symbol] for symbol in body.free_symbols if symbol in placed)
        if len(group) > 1 and is_known and all(fewest <= each.factors for each in group):
            one = one or ProgramLine(
                RowScalarSymbol(names.fresh(f"{first.symbol.name}_unscaled")), head(body), first.step
            )
            made |= {each.line.symbol: _made_of(one, each, fewest) for each in group}
            made[first.symbol].insert(0, one)
    return [each for line in lines for each in made.get(line.symbol, [line])]


def _made_of(one: ProgramLine, each: _Scaled, fewest: frozenset[Expr]) -> list[ProgramLine]:
    """The line of a reduction that is made of one; none of that one itself."""
    if each.line == one:
        return []
    count = D if isinstance(one.expression, Mean) and isinstance(each.line.expression, FeatureSum) else 1
    return [replace(each.line, expression=Mul(*(each.factors - fewest), one.symbol, count))]


def _apart(line: ProgramLine, scaled: dict[TypedSymbol, Expr]) -> _Scaled:
    body = line.expression.args[0]
    while (written := body.xreplace(scaled)) != body:
        body = written
    factors, rest = row_scalars_apart(body)
    return _Scaled(line, frozenset(Mul.make_args(factors)) - {S.One}, rest)
