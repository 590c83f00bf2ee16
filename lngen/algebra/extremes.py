"""Upper bounds by extremes: expressions that are never above an extreme, found in the lines that compute it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import sympy
from sympy import Expr

from lngen.algebra.symbols import RowMax, StopGradient, TypedSymbol, Where


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


def never_positive(values: Iterable[tuple[TypedSymbol, Expr]]) -> set[Expr]:
    """Differences with an extreme that are 0 at most: a row less its largest entry, a number less the larger of two.

    Of the largest of those entries that a select lets through, it is the difference of an entry that it does.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> x, m, s, t = RowSymbol("x"), *map(RowScalarSymbol, "mst")
    >>> sorted(map(str, never_positive([(m, RowMax(x)), (t, larger(m, s))])))
    ['-m + x', '-t + x', 'm - t', 's - t']
    """
    known = {s: e.args[0] if isinstance(e, StopGradient) else e for s, e in values}
    minus = {-value: symbol for symbol, value in known.items()}
    below: dict[Expr, set[Expr]] = {}
    for symbol, value in known.items():
        body = value.args[0] if isinstance(value, RowMax) else None
        found = set(arguments_of_larger(value) if body is None else _let_through(body, known))
        found |= {lower for e in found for lower in below.get(e, ())}
        if found:
            below[symbol] = found
    differences = {lower - symbol for symbol, found in below.items() for lower in found}
    # The same by a name of what is taken off.
    differences |= {lower + minus[symbol] for symbol, found in below.items() if symbol in minus for lower in found}
    selects = {part for value in known.values() for part in value.atoms(Where)}
    return differences | {e for e in selects if all(known.get(b, b) in differences | {0} for b in e.args[1:])}


def _let_through(body: Expr, known: Mapping[TypedSymbol, Expr]) -> Iterator[Expr]:
    yield body
    value = known.get(body, body)
    if isinstance(value, Where):
        for branch in value.args[1:]:
            yield from _let_through(branch, known)
