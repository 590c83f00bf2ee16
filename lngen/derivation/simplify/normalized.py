"""Normalized exponentials, recognized by their form: exponentials over their sum, which add up to 1."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

import sympy
from sympy import Expr

from lngen.algebra.equations import Equation, Forward, Names, read_by
from lngen.algebra.symbols import D, Mean, TypedSymbol, axes, is_row, stand_in, symbol_like
from lngen.derivation.simplify.line_rules import LineRewrite, rewritten
from lngen.derivation.simplify.linear import mean_of_product
from lngen.derivation.simplify.trail import NORMALIZED, Trail


def in_normalized(
    equations: tuple[Equation, ...], forward: Forward, trail: Trail, names: Names
) -> tuple[Equation, ...]:
    """`p = e/s` under a name in what is derived from a forward with `e = exp(u)` and `s = sum(e)`; and its sum is 1.

    Condition: in a line with p in the place of e, s cancels wherever it stands. Proof: e is p*s, and s, which is the
    same for all features, leaves every mean. The sum of p is sum(e)/s, which is 1; and that of `exp(u - log(s))`, which
    is p again.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> u, e, g, w = (RowSymbol(name) for name in "uegw")
    >>> s = RowScalarSymbol("s", positive=True)
    >>> layer = Forward("f", (), (), (Equation(e, sympy.exp(u)), Equation(s, D*Mean(e))), ())
    >>> given = (Equation(RowSymbol("du"), w*e/s - e*D*Mean(w*e)/s**2 + g*Mean(e)/s),)
    >>> for line in in_normalized(given, layer, Trail(), Names([])):
    ...     print(line.symbol, "=", line.expression)
    p = e/s
    du = g/D + p*w - p*D*Mean(p*w)
    """
    own = dict(_that_sum_to_one(forward))
    read = read_by(equations)
    for exponential, total in _exponentials_with_sums(forward):
        form = exponential.symbol / total
        # One that the forward has, if it is there anyway, or that an earlier line is.
        known = [s for s, e in own.items() if e == form and s in read]
        known += [q.symbol for q in equations if q.expression == form]
        p = next(iter(known), None) or stand_in("normalized", form)
        moved = [(q, _with_normalized(q.expression, p, exponential.symbol, total)) for q in equations if q.symbol != p]
        if not known:
            if not any(after for _, after in moved):
                continue
            new = symbol_like(names.fresh("p"), form)
            moved = [(q, None if after is None else after.xreplace({p: new})) for q, after in moved]
            p = new
        uses = ((exponential.symbol, p * total), (Mean(p), 1 / D))
        line = [] if p in own else [Equation(p, form)]
        if line:
            trail.derived(
                "normalized exponentials",
                p,
                None,
                form,
                f"exponentials of {exponential.expression.args[0]} over their sum",
            )
        lines: list[Equation] = []
        for q, after in moved:
            expression = q.expression if after is None else after.xreplace({Mean(p): 1 / D})
            one = after is not None and expression != after
            if p in expression.free_symbols:
                lines += line
                line = []
            reason = "and its sum is 1" if one else f"written in {p}, from which {total} cancels"
            trail.derived(NORMALIZED, q.symbol, q.expression, expression, reason, uses=uses if one else uses[:1])
            lines.append(replace(q, expression=expression))
        equations = (*lines, *line)
    ones = {Mean(symbol): 1 / D for symbol in own}
    return rewritten(LineRewrite(NORMALIZED, "their sum is 1", lambda e: e.xreplace(ones)), equations, trail)


def written_out(
    equations: Iterable[Equation], forward: Forward, results: Collection[TypedSymbol]
) -> tuple[Equation, ...]:
    """Lines without these names: what one is divided by meets other numbers of the row before it meets a row.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> u, e, g, p = (RowSymbol(name) for name in "uegp")
    >>> s = RowScalarSymbol("s", positive=True)
    >>> layer = Forward("f", (), (), (Equation(e, sympy.exp(u)), Equation(s, D*Mean(e))), ())
    >>> [q.expression for q in written_out((Equation(p, e/s), Equation(RowSymbol("du"), p*Mean(g*p))), layer, ())]
    [e*Mean(e*g)/s**2]
    """
    forms = {exponential.symbol / total for exponential, total in _exponentials_with_sums(forward)}
    table = {q.symbol: q.expression for q in equations if q.expression in forms and q.symbol not in results}

    def changed(e: Expr) -> Expr:
        return e if e.free_symbols.isdisjoint(table) else e.xreplace(table).replace(Mean, mean_of_product)

    return tuple(replace(q, expression=changed(q.expression)) for q in equations if q.symbol not in table)


def _exponentials_with_sums(forward: Forward) -> Iterator[tuple[Equation, TypedSymbol]]:
    """The exponentials of rows whose sum has a name, with it."""
    sums = {q.expression: q.symbol for q in forward.equations}
    for q in forward.equations:
        if isinstance(q.expression, sympy.exp) and is_row(q.symbol) and D * Mean(q.symbol) in sums:
            yield q, sums[D * Mean(q.symbol)]


def _that_sum_to_one(forward: Forward) -> Iterator[tuple[TypedSymbol, Expr]]:
    """The rows of a forward that are such, as quotients or as exponentials of their logarithms, and of what."""
    value = {q.symbol: q.expression for q in forward.equations}
    parts = {symbol: e for symbol, e in value.items() if axes(symbol) == (True, False) and not e.atoms(Mean)}
    for exponential, total in _exponentials_with_sums(forward):
        exponent = exponential.expression.args[0]
        for q in forward.equations:
            if not is_row(q.symbol):
                continue
            if q.expression.xreplace(parts) == exponential.symbol / total:
                yield q.symbol, exponential.symbol / total
            if isinstance(q.expression, sympy.exp):
                inner = q.expression.args[0]
                left = (exponent - value.get(inner, inner)).xreplace(value)
                if left == sympy.log(total):
                    yield q.symbol, exponential.symbol / total


def _with_normalized(e: Expr, p: TypedSymbol, exponential: TypedSymbol, total: TypedSymbol) -> Expr | None:
    """An expression in p and without the sum; None if there is none."""
    if not e.free_symbols >= {exponential, total}:
        return None
    moved = e.xreplace({exponential: p * total}).replace(Mean, mean_of_product)
    return None if total in moved.free_symbols else moved
