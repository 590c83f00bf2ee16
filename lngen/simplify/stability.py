"""Rewrites that change no value and lose fewer digits. Each states its condition, and the audit shows where it was
used."""

from __future__ import annotations

from dataclasses import replace

import sympy
from sympy import Add, Expr, Mul, Pow
from sympy.logic.boolalg import Boolean

from lngen.differentiate import merged, select
from lngen.simplify.exponentials import shift_exponentials, stop_at_cancelling_extremes
from lngen.simplify.linear import TooManyTermsError, expand_linear
from lngen.simplify.products import in_known_products, in_scaled_rows
from lngen.simplify.sweep import Trail
from lngen.symbolic import (
    AttainsFirst,
    Complement,
    Mean,
    RowScalarSymbol,
    RowSymbol,
    TypedSymbol,
    Where,
    axes,
    is_row,
    whole,
)
from lngen.translate import Equation, Forward, Names, known_sign, split_reductions


def stable_forward(forward: Forward, trail: Trail) -> Forward:
    """All forward rules, in order."""
    forward = stop_at_cancelling_extremes(centre_statistics(forward, trail), trail)
    return shift_exponentials(forward, trail)


def stable_lines(equations: tuple[Equation, ...], forward: Forward, trail: Trail) -> tuple[Equation, ...]:
    """All rules for what is derived from a forward, its gradients, its tangents and theirs, in order."""
    equations = difference_of_squares(equations, forward, trail)
    equations = tuple(replace(q, expression=whole(q.expression)) for q in equations)
    for rule in (in_known_products, in_scaled_rows):
        equations = rule(equations, forward, trail)
    return whole_selects(equations, trail)


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
    tanhs = [q.symbol for q in forward.equations if isinstance(q.expression, sympy.tanh)]
    table = {form: (1 - t) * (1 + t) for t in tanhs for form in (1 - t**2, Complement(t**2))}
    reason = "near 1 the square has lost the digits that the difference needs"
    return trail.rewritten("difference of squares", reason, equations, lambda e: e.xreplace(table))


# ---- what a select switches off


def whole_selects(equations: tuple[Equation, ...], trail: Trail) -> tuple[Equation, ...]:
    """A product with a select as a select of products: 0 times what was not chosen may be no number.

    >>> x, r, g, h = RowSymbol("x"), RowSymbol("r"), RowSymbol("g"), RowSymbol("h")
    >>> off = Equation(RowSymbol("dx"), r*(Where(x > 0, g, 0) + Where(x > 0, h, 0)))
    >>> whole_selects((off,), Trail())[0].expression
    Where(x > 0, r*(g + h), 0)

    What is 1 at the first feature that attains an extreme and 0 elsewhere is a select too, of what is divided by a
    number that may be zero:

    >>> m, first = RowScalarSymbol("m"), RowSymbol("first")
    >>> indicator, dx = Equation(first, AttainsFirst(x, m)), Equation(RowSymbol("dx"), g*first/m)
    >>> whole_selects((indicator, dx), Trail())[1].expression
    Where(first > 0, g/m, 0)
    """
    firsts = [q.symbol for q in equations if isinstance(q.expression, AttainsFirst)]
    reason = "0 times what is not chosen may be no number"
    return trail.rewritten("whole select", reason, equations, lambda e: _with_whole_selects(e, firsts))


def _with_whole_selects(expression: Expr, firsts: list[TypedSymbol]) -> Expr:
    if (not expression.atoms(Where) and expression.free_symbols.isdisjoint(firsts)) or isinstance(expression, Boolean):
        return expression
    expression = expression.func(*(_with_whole_selects(argument, firsts) for argument in expression.args))
    if isinstance(expression, Add):
        return merged(expression)
    if not isinstance(expression, Mul):
        return expression
    for first in firsts:
        if first in expression.args and any(_may_divide_by_zero(factor) for factor in expression.args):
            expression = Where(first > 0, expression / first, 0)
    factors = [factor for factor in Mul.make_args(expression) if isinstance(factor, Where) and 0 in factor.args[1:]]
    return select(expression) if factors else expression


def _may_divide_by_zero(factor: Expr) -> bool:
    return isinstance(factor, Pow) and bool(factor.exp.is_negative) and not factor.base.is_positive
