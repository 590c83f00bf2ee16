"""Upper bounds by extremes: expressions that are never above an extreme, found in the lines that compute it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import sympy
from sympy import Expr

from lngen.algebra.symbols import RowMax, StopGradient, TypedSymbol, Where

LOWEST = -(sympy.Integer(10) ** 38)
"""Exponent of an entry that a select leaves out, in the largest exponent.

It may be any number, since the shift cancels. Exponents of a layer are not below it.
"""


def larger(a: Expr, b: Expr) -> Expr:
    """The larger of two values; on a tie, and where either is NaN, the second.

    >>> larger(sympy.Symbol("a"), sympy.S.Zero)
    Where(a > 0, a, 0)
    """
    return Where(a > b, a, b)


def arguments_of_larger(e: Expr) -> tuple[Expr, ...]:
    """Return a and b if an expression is a select of the larger of a and b; () if it is not.

    >>> a, b = sympy.symbols("a b")
    >>> [arguments_of_larger(e) for e in (larger(a, b), Where(a <= 1, 1, a), Where(a > 1, b, a))]
    [(a, b), (a, 1), ()]
    """
    if not isinstance(e, Where) or not isinstance(e.args[0], sympy.core.relational.Relational):
        return ()
    condition, chosen, otherwise = e.args
    greater, lesser = (chosen, otherwise) if isinstance(condition, (sympy.Gt, sympy.Ge)) else (otherwise, chosen)
    if isinstance(condition, (sympy.Gt, sympy.Ge, sympy.Lt, sympy.Le)) and condition.args == (greater, lesser):
        return greater, lesser
    return ()


def differences(values: Iterable[tuple[TypedSymbol, Expr]], *, everywhere: bool = False) -> set[Expr]:
    """Return differences with an extreme, 0 at most: a row less its largest entry, a number less the larger of two.

    Of the largest of those entries that a select lets through, it is the difference of an entry that it does; with
    `everywhere` it is left out.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> x, m, s, t = RowSymbol("x"), *map(RowScalarSymbol, "mst")
    >>> sorted(map(str, differences([(m, RowMax(x)), (t, larger(m, s))])))
    ['-m + x', '-t + x', 'm - t', 's - t']
    """
    known = {s: e.args[0] if isinstance(e, StopGradient) else e for s, e in values}
    minus = {-value: symbol for symbol, value in known.items()}
    below: dict[Expr, set[Expr]] = {}
    for symbol, value in known.items():
        body = value.args[0] if isinstance(value, RowMax) else None
        of_row = () if body is None else [body] if everywhere else _let_through(body, known)
        found = {*arguments_of_larger(value), *of_row}
        found |= {lower for e in found for lower in below.get(e, ())}
        if found:
            below[symbol] = found
    result = {lower - symbol for symbol, found in below.items() for lower in found}
    # The same by a name of what is taken off.
    result |= {lower + minus[symbol] for symbol, found in below.items() if symbol in minus for lower in found}

    def is_below(e: Expr) -> bool:
        value = known.get(e, e)
        return value in result or value == 0 or (isinstance(value, Where) and all(map(is_below, value.args[1:])))

    return result | {e for value in known.values() for e in value.atoms(Where) if is_below(e)}


def _let_through(body: Expr, known: Mapping[TypedSymbol, Expr]) -> Iterator[Expr]:
    yield body
    value = known.get(body, body)
    if isinstance(value, Where):
        for branch in value.args[1:]:
            yield from _let_through(branch, known)
