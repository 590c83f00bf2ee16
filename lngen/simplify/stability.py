"""Rewrites that change no value and lose fewer digits. Each states its condition, and the audit shows where it was
used."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

import sympy
from sympy import Add, Expr, Pow

from lngen.simplify.exponentials import shift_exponentials, stop_at_cancelling_extremes
from lngen.simplify.linear import TooManyTermsError, expand_linear
from lngen.simplify.sweep import Trail
from lngen.symbolic import (
    Mean,
    RowScalarSymbol,
    RowSymbol,
    Sigmoid,
    TypedSymbol,
    axes,
    is_row,
)
from lngen.translate import Equation, Forward, Names, known_sign, split_reductions


def stable_forward(forward: Forward, trail: Trail) -> Forward:
    """All forward rules, in order."""
    forward = stop_at_cancelling_extremes(centre_statistics(forward, trail), trail)
    return shift_exponentials(forward, trail)


# ---- statistics that a shift of their row does not change


def centre_statistics(forward: Forward, trail: Trail) -> Forward:
    """A statistic that a shift of its row leaves alone is computed from the centred row.

    `Mean(x**2) - Mean(x)**2` subtracts two numbers that agree in all their digits when the row is far from zero. With
    `c = x - Mean(x)`, whose mean is zero, it is `Mean(c**2)`, exactly and without the subtraction. Condition: written
    in c and multiplied out, `Mean(x)` is gone from the expression.

    >>> from lngen.definition import parse
    >>> from lngen.translate import translate
    >>> text = '''
    ... from lngen.language import Row, mean
    ... def spread(x: Row):
    ...     v = mean(x**2) - mean(x)**2
    ...     return x * v
    ... '''
    >>> for q in centre_statistics(translate(parse(text)), Trail()).equations:
    ...     print(q.symbol, "=", q.expression)
    mu = Mean(x)
    x_centred = -mu + x
    v = Mean(x_centred**2)
    y = v*x
    """
    names = Names.of(forward)
    done: list[Equation] = []
    renamed: dict[TypedSymbol, TypedSymbol] = {}
    for equation in forward.equations:
        equation = replace(equation, expression=equation.expression.xreplace(renamed))
        centred = _centred(equation, done, names, trail) if equation.reduction is None else None
        if centred is None:
            done.append(equation)
            continue
        bare = replace(equation, expression=centred).reduction is not None
        expression = split_reductions(centred, done, names, whole=bare)
        symbol = type(equation.symbol)(equation.symbol.name, **known_sign(expression))
        renamed[equation.symbol] = symbol
        done.append(replace(equation, symbol=symbol, expression=expression))
    outputs = tuple(renamed.get(symbol, symbol) for symbol in forward.outputs)
    return _without_unused(replace(forward, equations=tuple(done), outputs=outputs))


def _centred(equation: Equation, done: list[Equation], names: Names, trail: Trail) -> Expr | None:
    """The right-hand side with every such statistic in it centred, new means and centred rows added to `done`."""
    mean_of = {q.symbol: q.expression for q in done if isinstance(q.reduction, Mean)}
    sums = sorted(equation.expression.atoms(Add), key=lambda e: (-e.count_ops(), sympy.default_sort_key(e)))
    raw = moved = equation.expression
    for total in sums:
        if axes(total) != (True, False) or not moved.has(total):
            continue
        for row in _rows_meant(total, mean_of):
            terms = [t for t in total.args if {row} == set(_rows_meant(t, mean_of))]
            statistic = Add(*terms)
            written = statistic.xreplace(mean_of)
            better = _in_centred_row(written, row, done, names)
            if better is not None:
                moved = moved.xreplace({total: Add(better, *(t for t in total.args if t not in terms))})
                raw = raw.xreplace({total: Add(written, *(t for t in total.args if t not in terms))})
                break
    if moved == equation.expression:
        return None
    reason = "a shift of its row does not change it: computed from the centred row it needs no subtraction"
    trail.add("forward", "centred statistic", equation.symbol, raw, moved, reason)
    return moved


def _rows_meant(expression: Expr, mean_of: dict[TypedSymbol, Expr]) -> list[Expr]:
    """The rows whose powers an expression's means are means of."""
    rows: set[Expr] = set()
    for symbol in expression.free_symbols & mean_of.keys():
        for mean in mean_of[symbol].atoms(Mean):
            body = mean.args[0]
            rows.add(body.base if isinstance(body, Pow) and body.exp.is_Integer else body)
    return sorted((row for row in rows if is_row(row)), key=sympy.default_sort_key)


def _in_centred_row(written: Expr, row: Expr, done: list[Equation], names: Names) -> Expr | None:
    mean, centred = RowScalarSymbol("mean of the row"), RowSymbol("centred row")
    try:
        moved = expand_linear(written.xreplace({row: centred + mean})).xreplace({Mean(centred): sympy.S.Zero})
        moved = expand_linear(moved)
    except TooManyTermsError:
        return None
    if mean in moved.free_symbols or row.free_symbols & moved.free_symbols or not moved.atoms(Mean):
        return None
    known = {q.expression: q.symbol for q in done}
    stem = row.name if isinstance(row, TypedSymbol) else "u"
    if Mean(row) not in known:
        done.append(Equation(RowScalarSymbol(names.fresh("mu")), Mean(row)))
        known[Mean(row)] = done[-1].symbol
    shifted = row - known[Mean(row)]
    if shifted not in known:
        done.append(Equation(RowSymbol(names.fresh(f"{stem}_centred")), shifted))
        known[shifted] = done[-1].symbol
    return moved.xreplace({centred: known[shifted]})


def _without_unused(forward: Forward) -> Forward:
    equations = forward.equations
    while True:
        used = {s for q in equations for s in q.expression.free_symbols} | set(forward.outputs)
        kept = tuple(q for q in equations if q.symbol in used)
        if len(kept) == len(equations):
            return replace(forward, equations=kept)
        equations = kept


# ---- gradients


def difference_of_squares(equations: tuple[Equation, ...], forward: Forward, trail: Trail) -> tuple[Equation, ...]:
    """`1 - t**2` as `(1 - t)*(1 + t)` where t is a tanh: near t = 1 the square has already lost the digits.

    >>> t, g = RowSymbol("t"), RowSymbol("g")
    >>> tanh = Equation(t, sympy.tanh(RowSymbol("u")))
    >>> layer = Forward("f", (), (), (tanh,), ())
    >>> difference_of_squares((Equation(RowSymbol("du"), g*(1 - t**2)),), layer, Trail())[0].expression
    g*(1 - t)*(t + 1)
    """
    table = {
        1 - q.symbol**2: (1 - q.symbol) * (1 + q.symbol)
        for q in forward.equations
        if isinstance(q.expression, sympy.tanh)
    }
    reason = "near 1 the square has lost the digits that the difference needs"
    return trail.rewritten("difference of squares", reason, equations, lambda e: e.xreplace(table))


# ---- what a function leaves to 1


def complements(equations: tuple[Equation, ...], forward: Forward, trail: Trail) -> tuple[Equation, ...]:
    """`t - t*s` as `t*(1 - s)` where s is a sigmoid: its value lies between 0 and 1, and the two terms cancel near 1.

    >>> z, s, g = RowSymbol("z"), RowSymbol("s"), RowSymbol("g")
    >>> layer = Forward("f", (), (), (Equation(s, Sigmoid(z)),), ())
    >>> complements((Equation(RowSymbol("dz"), g*s*(1 + z - s*z)),), layer, Trail())[0].expression
    g*s*(z*(1 - s) + 1)
    """
    sigmoids = [q.symbol for q in forward.equations if isinstance(q.expression, Sigmoid)]
    reason = "where the sigmoid is near 1, a term and its product with it cancel"
    return trail.rewritten("complement", reason, equations, lambda e: reduce(_with_complement, sigmoids, e))


def _with_complement(expression: Expr, value: TypedSymbol) -> Expr:
    if value not in expression.free_symbols or not expression.args:
        return expression
    expression = expression.func(*(_with_complement(argument, value) for argument in expression.args))
    terms = expression.args if isinstance(expression, Add) else ()
    whole = [term for term in terms if term != 1 and -term * value in terms]
    if not whole:
        return expression
    rest = Add(*(term for term in terms if term not in whole and term not in [-one * value for one in whole]))
    return rest + Add(*whole) * (1 - value)
