"""Offsets: what all entries of a row have in common leaves a difference of them before anything is rounded.

The loss of a label is `log_Z + m - x_label`, where m is the row's largest entry. Added from the left, `log_Z` loses the
digits that m has before it. `x_label - m` is exact where the two are near, and a mean of `x - m` keeps its digits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import sympy
from sympy import Add, Expr, Mul

from lngen.algebra.equations import Names
from lngen.algebra.symbols import PLACE, FeatureSum, Mean, RowScalarSymbol, TypedSymbol, Where
from lngen.plan.lines import ProgramLine


@dataclass(frozen=True)
class Offset:
    """The largest entry of the row that a row scalar is made of, and the line of the row scalar less that entry."""

    largest: TypedSymbol
    line: ProgramLine


def offsets_of(lines: Sequence[ProgramLine], names: Names) -> dict[TypedSymbol, Offset]:
    """Find the row scalars of a forward that are to be taken less the largest entry of their row.

    They are one entry of the row, by its place, and the mean.
    """
    largest = {line.expression.args[0]: line.symbol for line in lines if line.operator == "max"}
    named = {line.expression: line.symbol for line in lines}
    found = {line.symbol: offset for line in lines if (offset := _offset(line, largest, named, names))}
    changed = [line for line in lines if _less(line.expression, found) != line.expression]
    read = frozenset[TypedSymbol]().union(*(_less(line.expression, found).free_symbols for line in changed))
    stopped = {m for line in changed for m in line.stops}
    kept = {symbol: offset for symbol, offset in found.items() if offset.line.symbol in read}
    return {s: replace(o, line=replace(o.line, stops=(o.largest,) * (o.largest in stopped))) for s, o in kept.items()}


def _offset(
    line: ProgramLine, largest: Mapping[Expr, TypedSymbol], named: Mapping[Expr, TypedSymbol], names: Names
) -> Offset | None:
    row = line.expression.args[0] if line.operator == "mean" else row_of_entry(line.expression)
    if row not in largest:
        return None
    m = largest[row]
    value = Mean(named.get(row - m, row - m)) if line.operator == "mean" else line.symbol - m
    return Offset(m, ProgramLine(RowScalarSymbol(names.fresh(f"{line.symbol.name}_shifted")), value, line.step))


def row_of_entry(e: Expr) -> Expr | None:
    """Return the row of which a sum is the one entry at a place; None where it is something else.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> row_of_entry(FeatureSum(Where(sympy.Eq(PLACE, RowScalarSymbol("i")), RowSymbol("x"), 0)))
    x
    """
    body = e.args[0] if isinstance(e, FeatureSum) else None
    if not isinstance(body, Where) or not isinstance(body.args[0], sympy.Eq):
        return None
    condition, row, otherwise = body.args
    return row if PLACE in condition.args and otherwise == 0 else None


def less_largest(lines: Sequence[ProgramLine], offsets: Mapping[TypedSymbol, Offset]) -> list[ProgramLine]:
    """Return lines in which differences of an entry, the mean and the largest entry of a row are taken less that.

    >>> from lngen.algebra.symbols import RowMax, RowSymbol
    >>> x, m, s, i, y, log_Z = RowSymbol("x"), *map(RowScalarSymbol, ("m", "s", "i", "y", "log_Z"))
    >>> entry = FeatureSum(Where(sympy.Eq(PLACE, i), x, 0))
    >>> lines = [ProgramLine(m, RowMax(x), 1), ProgramLine(s, entry, 2), ProgramLine(y, log_Z + m - s, 3)]
    >>> for line in less_largest(lines, offsets_of(lines, Names([])))[1:]:
    ...     print(line.symbol, "=", line.expression)
    s = FeatureSum(Where(Eq(index(), i), x, 0))
    s_shifted = -m + s
    y = log_Z - s_shifted
    """
    own = {line.symbol for line in lines}
    waiting = {symbol: offset for symbol, offset in offsets.items() if symbol in own}
    result: list[ProgramLine] = []
    for line in lines:
        changed = replace(line, expression=_less(line.expression, offsets))
        for symbol in [s for s, o in waiting.items() if o.line.symbol in changed.expression.free_symbols]:
            result.append(waiting.pop(symbol).line)
        result.append(changed)
    return result


def _less(e: Expr, offsets: Mapping[TypedSymbol, Offset]) -> Expr:
    """Return an expression in which each sum that a common offset does not change is one of values less it."""
    if not offsets or not e.args or e.free_symbols.isdisjoint(offsets):
        return e
    e = e.func(*(_less(argument, offsets) for argument in e.args))
    for m in dict.fromkeys(offset.largest for offset in offsets.values()):
        shifted = {symbol: offset.line.symbol for symbol, offset in offsets.items() if offset.largest == m}
        e = _sum_less(e, m, shifted) if isinstance(e, Add) else e
    return e


def _sum_less(e: Expr, m: TypedSymbol, shifted: Mapping[TypedSymbol, TypedSymbol]) -> Expr:
    factors: dict[TypedSymbol, Expr] = {}
    others = []
    for term in e.args:
        own = [factor for factor in Mul.make_args(term) if factor == m or factor in shifted]
        rest = term / own[0] if own else term
        if len(own) == 1 and rest.free_symbols.isdisjoint({m, *shifted}):
            factors[own[0]] = factors.get(own[0], 0) + rest
        else:
            others.append(term)
    moves = sympy.expand(Add(*factors.values())) != 0
    return e if moves else Add(*others, *(c * shifted[s] for s, c in factors.items() if s != m))
