"""Sums of exponentials less the largest entry: two sweeps over a row that a device may make one.

A sweep finds `m`, the largest of some value of an entry, and the next adds up terms with `exp(value - m)` as a factor.
A device that has the largest entry so far, `m_0`, adds up the terms with `m_0` in the place of m, and corrects:

    sum(w*exp(value - m)) = exp(m_0 - m)*sum(w*exp(value - m_0))

(Milakov & Gimelshein, 2018, "Online normalizer calculation", arXiv:1805.02867.) The text has both sweeps as functions,
of which the second is one of m; which of them a device joins is its driver's affair.
"""

from __future__ import annotations

import sympy
from sympy import Add, Basic, Expr, Mul, S, Symbol

from lngen.algebra.symbols import Where
from lngen.emit.cpp.sweeps import Recomputed, Sweep


def joined(first: Sweep, second: Sweep, recomputed: Recomputed) -> tuple[int, int] | None:
    """Return the index of the largest entry among the reductions of a sweep, and the set of sums of the next that have
    an exponential less it as a factor; None if the two cannot be one.

    Other sums of the next read nothing of the first.
    """
    extremes = [index for index, item in enumerate(first.reductions) if item.shift and item.operator == "max"]
    operators = {item.operator for item in second.reductions}
    if len(extremes) != 1 or first.columns or first.stores or second.columns or second.stores:
        return None
    if not operators <= {"sum", "mean"} or any(item.operator == "first" for item in first.reductions):
        return None
    largest = first.reductions[extremes[0]]
    made = {item.symbol for item in first.reductions} | {line.symbol for line in first.scalars}
    if made & recomputed.closure(second.roots)[1] - {largest.symbol}:
        return None
    value = _written_out(largest.body, recomputed)
    degrees = [_degree(_written_out(item.body, recomputed), largest.symbol, value) for item in second.reductions]
    if None in degrees or 1 not in degrees:
        return None
    return extremes[0], sum(1 << index for index, degree in enumerate(degrees) if degree)


def _written_out(body: Expr, recomputed: Recomputed) -> Expr:
    """Return a value of an entry without the names of others."""
    for line in reversed(recomputed.closure([body])[0]):
        body = body.xreplace({line.symbol: line.expression})
    return body


def _degree(term: Expr, m: Symbol, value: Expr) -> int | None:
    """Return 1 for what has `exp(value - m)` as its one factor with m, 0 for what is free of m, and None otherwise.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> x, w, m = RowSymbol("x"), RowSymbol("w"), RowScalarSymbol("m")
    >>> terms = w*sympy.exp(x - m), w*x, sympy.exp(w - m), sympy.exp(x - m)**2, w + sympy.exp(x - m)
    >>> [_degree(term, m, x) for term in terms]
    [1, 0, None, None, None]
    """
    if m not in term.free_symbols:
        return 0
    match term:
        case sympy.exp(args=(exponent,)):
            return 1 if sympy.expand(exponent + m - value) == 0 else None
        case Mul(args=factors):
            degrees = [_degree(factor, m, value) for factor in factors]
            return 1 if None not in degrees and degrees.count(1) == 1 else None
        case Add(args=terms):
            return 1 if {_degree(each, m, value) for each in terms} == {1} else None
        case Where(args=(condition, *branches)) if m not in condition.free_symbols:
            sides = [(branch, side) for side, branch in enumerate(branches, 1) if branch != S.Zero]
            chosen = [(_chosen(branch, condition, side), _chosen(value, condition, side)) for branch, side in sides]
            return 1 if {_degree(branch, m, each) for branch, each in chosen} == {1} else None
    return None


def _chosen(value: Expr, condition: Basic, side: int) -> Expr:
    """Return a value where a condition holds, side 1, or does not, side 2; in a function, too."""
    return value.replace(lambda e: isinstance(e, Where) and e.args[0] == condition, lambda e: e.args[side])
