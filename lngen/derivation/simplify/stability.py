"""Rewrites that change no value and lose fewer digits. Each states its condition, and the audit shows where it was
used."""

from __future__ import annotations

from dataclasses import replace

import sympy
from sympy import Add, Expr, Pow

from lngen.derivation.simplify.exponentials import (
    exponentials_of_logarithms,
    logarithms_of_exponentials,
    stop_at_cancelling_extremes,
)
from lngen.derivation.simplify.linear import TooManyTermsError, expand_linear
from lngen.derivation.simplify.normal import in_normal_distribution
from lngen.derivation.simplify.normalized import in_normalized
from lngen.derivation.simplify.products import cancelled_in_means, in_known_products, in_scaled_rows
from lngen.derivation.simplify.selects import whole_selects
from lngen.derivation.simplify.shifts import shift_exponentials
from lngen.derivation.simplify.trail import Trail
from lngen.expressions.equations import Equation, Forward, Names, leading_to
from lngen.expressions.reductions import known_sign, split_statement
from lngen.expressions.symbols import (
    Complement,
    Mean,
    RowScalarSymbol,
    RowSymbol,
    TypedSymbol,
    axes,
    is_row,
    operation_count,
    stand_in,
    symbol_like,
    whole,
)


def stable_forward(forward: Forward, trail: Trail) -> Forward:
    """All forward rules, in order."""
    forward = centre_statistics(in_normal_distribution(forward, trail), trail)
    forward = stop_at_cancelling_extremes(forward, trail)
    for rule in (exponentials_of_logarithms, logarithms_of_exponentials, shift_exponentials):
        forward = rule(forward, trail)
    return forward


def stable_lines(equations: tuple[Equation, ...], forward: Forward, trail: Trail, names: Names) -> tuple[Equation, ...]:
    """All rules for what is derived from a forward, its gradients, its tangents and theirs, in order."""
    equations = difference_of_squares(equations, forward, trail)
    equations = whole_complements(equations, trail, names)
    for rule in (in_known_products, in_scaled_rows):
        equations = rule(equations, forward, trail)
    equations = in_normalized(cancelled_in_means(equations, trail), forward, trail, names)
    return whole_selects(equations, forward, trail)


# ---- statistics that a shift of their row does not change


def centre_statistics(forward: Forward, trail: Trail) -> Forward:
    """A statistic that a shift of its row leaves alone is computed from the centred row.

    `Mean(x**2) - Mean(x)**2` subtracts two numbers that agree in all their digits when the row is far from zero. With
    `c = x - Mean(x)`, whose mean is zero, it is `Mean(c**2)`, exactly and without the subtraction. Condition: written
    in c and multiplied out, `Mean(x)` is gone from the expression.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
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
        expression = split_statement(centred, done, names, whole=bare)
        symbol = type(equation.symbol)(equation.symbol.name, **known_sign(expression))
        renamed[equation.symbol] = symbol
        done.append(replace(equation, symbol=symbol, expression=expression))
    outputs = tuple(renamed.get(symbol, symbol) for symbol in forward.outputs)
    return replace(forward, equations=leading_to(outputs, done), outputs=outputs)


def _centred(equation: Equation, done: list[Equation], names: Names, trail: Trail) -> Expr | None:
    """The right-hand side with every such statistic in it centred, new means and centred rows added to `done`."""
    mean_of = {q.symbol: q.expression for q in done if isinstance(q.reduction, Mean)}
    sums = sorted(equation.expression.atoms(Add), key=lambda e: (-operation_count(e), sympy.default_sort_key(e)))
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
    mean, centred = stand_in("mean", Mean(row)), stand_in("centred", row)
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


def whole_complements(equations: tuple[Equation, ...], trail: Trail, names: Names) -> tuple[Equation, ...]:
    """What a sigmoid leaves to 1 as a difference, on a line of its own where it is a term of a longer sum.

    SymPy has `(1 - s)/2 + p` as `1/2 - s/2 + p`: the digits of `1 - s` are lost where s is near 1 and p small.

    >>> s, p, g = RowSymbol("s"), RowSymbol("p"), RowSymbol("g")
    >>> given = (Equation(RowSymbol("dx"), g*(Complement(s)/2 + p)), Equation(RowSymbol("dz"), g*Complement(s)))
    >>> for q in whole_complements(given, Trail(), Names([])):
    ...     print(q.symbol, "=", q.expression)
    s_complement = 1 - s
    dx = g*(p + s_complement/2)
    dz = g*s_complement
    """
    known: dict[Expr, TypedSymbol] = {}
    result: list[Equation] = []
    for equation in equations:
        sums = equation.expression.atoms(Add)
        terms = {
            part for total in sums for term in total.args if isinstance(part := term.as_coeff_Mul()[1], Complement)
        }
        for complement in sorted(terms - known.keys(), key=sympy.default_sort_key):
            stem = complement.args[0].name if isinstance(complement.args[0], TypedSymbol) else "sigmoid"
            known[complement] = symbol_like(names.fresh(f"{stem}_complement"), complement)
            result.append(Equation(known[complement], whole(complement)))
            reason = "among the terms of a sum its digits would be lost"
            trail.derived("complement", known[complement], None, result[-1].expression, reason)
        result.append(replace(equation, expression=whole(equation.expression.xreplace(known))))
    return tuple(result)
