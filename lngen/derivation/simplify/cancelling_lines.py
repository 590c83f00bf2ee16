"""Differences of functions in what is derived from a forward, written so that nothing cancels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import sympy
from sympy import Add, Basic, Expr, Mul, Pow, S

from lngen.algebra.equations import Equation, Forward, Names
from lngen.algebra.symbols import (
    NOTHING,
    Complement,
    Reduction,
    Sigmoid,
    SumRows,
    TypedSymbol,
    axes,
    operation_count,
    symbol_like,
)
from lngen.derivation.simplify.cancelling import ANGLE, TAIL, Found, factors, half_angles, taken_together
from lngen.derivation.simplify.line_rules import LineRewrite
from lngen.derivation.simplify.trail import Trail

_LONGEST_CANCELLED = 40
"""The operations of a line in which a quotient is cancelled."""


def known_complements(lines: tuple[Equation, ...], forward: Forward) -> Iterator[LineRewrite]:
    """Write what a sigmoid leaves to 1 by its name, and 1 less that as the sigmoid.

    >>> from lngen.derivation.simplify.line_rules import applied
    >>> from lngen.algebra.symbols import RowSymbol
    >>> s, t, u, g = (RowSymbol(name) for name in "stug")
    >>> layer = Forward("f", (), (), (Equation(s, Sigmoid(u)), Equation(t, sympy.tanh(u))), ())
    >>> lines = tuple(Equation(RowSymbol("du"), line) for line in (g - g*Complement(t**2), s - Complement(s)))
    >>> for q in applied(known_complements, lines, layer):
    ...     print(q.symbol, "=", q.expression)
    du = g*t**2
    du = tanh(u/2)
    """
    values, sigmoids = _values_and_sigmoids(forward)
    symbols = {argument: s for s, argument in sigmoids.items()}
    named = {Complement(s): symbols[-argument] for s, argument in sigmoids.items() if -argument in symbols}

    def change(e: Expr) -> Expr:
        e = e.replace(Add, lambda *terms: taken_together(terms, values, complements)).xreplace(named)
        return e.replace(Add, lambda *terms: taken_together(terms, sigmoids, opposites))

    yield LineRewrite("complement", "what it leaves to 1 is known, or taken off again", change)


def halved_angles(lines: tuple[Equation, ...], forward: Forward) -> Iterator[LineRewrite]:
    """The forward rule of half an angle, in a line.

    >>> from lngen.derivation.simplify.line_rules import applied
    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, g = RowSymbol("x"), RowSymbol("g")
    >>> line = Equation(RowSymbol("dx"), g*(1 - sympy.cos(x)))
    >>> applied(halved_angles, (line,), Forward("f", (), (), (), ()))[0].expression
    2*g*sin(x/2)**2
    """
    values = {q.symbol: q.expression for q in forward.equations}
    yield LineRewrite(
        "half an angle", ANGLE, lambda e: e.replace(Add, lambda *t: taken_together(t, values, half_angles))
    )


def named_tails(equations: tuple[Equation, ...], forward: Forward, trail: Trail, names: Names) -> tuple[Equation, ...]:
    """Write what a sigmoid leaves to 1, if it is a factor of a line, as a sigmoid under a name.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> s, u, g = (RowSymbol(name) for name in "sug")
    >>> layer = Forward("f", (), (), (Equation(s, Sigmoid(u)),), ())
    >>> for q in named_tails((Equation(RowSymbol("du"), g*s*Complement(s)),), layer, Trail(), Names([])):
    ...     print(q.symbol, "=", q.expression)
    s_complement = Sigmoid(-u)
    du = g*s*s_complement
    """
    values, sigmoids = _values_and_sigmoids(forward)
    result: list[Equation] = []
    known: dict[Expr, TypedSymbol] = {}
    for equation in equations:
        for complement in sorted(set(_bare(equation.expression)) - known.keys(), key=sympy.default_sort_key):
            symbol = complement.args[0]
            if symbol not in sigmoids:
                continue
            tail = Sigmoid(-values[symbol].args[0])
            known[complement] = symbol_like(names.fresh(f"{symbol.name}_complement"), tail)
            result.append(Equation(known[complement], tail))
            trail.derived("tail of a function", known[complement], 1 - symbol, tail, TAIL)
        table = {complement: known[complement] for complement in _bare(equation.expression) if complement in known}
        result.append(replace(equation, expression=_with_bare(equation.expression, table)))
    return tuple(result)


def _values_and_sigmoids(forward: Forward) -> tuple[dict[TypedSymbol, Expr], dict[TypedSymbol, Expr]]:
    """Return what the symbols of a forward stand for, and the arguments of those that are sigmoids."""
    values = {q.symbol: q.expression for q in forward.equations}
    return values, {s: value.args[0].xreplace(values) for s, value in values.items() if isinstance(value, Sigmoid)}


def _bare(e: Expr) -> Iterator[Expr]:
    """The complements that are factors of a line: as a term of a sum they may be as small as they are."""
    if isinstance(e, Complement):
        yield e
    elif isinstance(e, (Mul, Pow, Reduction, SumRows)):
        for argument in e.args:
            yield from _bare(argument)


def _with_bare(e: Expr, table: Mapping[Expr, Expr]) -> Expr:
    if isinstance(e, (Mul, Pow, Reduction, SumRows)):
        return e.func(*(_with_bare(argument, table) for argument in e.args))
    return table.get(e, e)


def complements(terms: tuple[Expr, ...], values: Mapping[Expr, Expr]) -> Found:
    """Write 1 - (1 - u) as u."""
    for term, value, times in factors(terms, {}):
        if isinstance(value, Complement):
            yield (term, -times), -times * value.args[0]


def opposites(terms: tuple[Expr, ...], arguments: Mapping[Expr, Expr]) -> Found:
    """A sigmoid less what it leaves to 1, and no more: `sigmoid(u) - sigmoid(-u)` is `tanh(u/2)`."""
    for term in terms if len(terms) == 2 else ():
        for factor in Mul.make_args(term):
            times = term / factor
            if isinstance(factor, Complement) and factor.args[0] in arguments:
                yield (term, -times * factor.args[0]), -times * sympy.tanh(arguments[factor.args[0]] / 2)
            for other in arguments if factor in arguments else ():
                if arguments[other] == -arguments[factor]:
                    yield (term, -times * other), times * sympy.tanh(arguments[factor] / 2)


def in_roots(lines: tuple[Equation, ...], forward: Forward) -> Iterator[LineRewrite]:
    """The derivative of `r - b`, a root less a constant that a forward has as `n/(r + b)`, is that of the root.

    Condition: with `n = r**2 - b**2` put in and cancelled against `r + b` it is shorter, and nothing is taken off r.

    >>> from lngen.derivation.simplify.line_rules import applied
    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, y, u, r, g = (RowSymbol(name) for name in "xyurg")
    >>> layer = (Equation(u, x**2 + 1), Equation(r, sympy.sqrt(u)), Equation(y, x**2/(r + 1)))
    >>> line = Equation(RowSymbol("dx"), g*x*(2 - y/r)/(r + 1))
    >>> applied(in_roots, (line,), Forward("f", (), (), layer, ()))[0].expression
    g*x/r
    """
    values = {q.symbol: q.expression for q in forward.equations}
    roots = [symbol for symbol, value in values.items() if isinstance(value, Pow) and value.exp == S.Half]

    def changed(line: Expr) -> Expr:
        sums = {power.base for power in line.atoms(Pow) if power.exp.is_negative and isinstance(power.base, Add)}
        for total in sorted(sums, key=sympy.default_sort_key):
            for root in (root for root in roots if root in total.args and axes(total - root) == NOTHING):
                shorter = _root_put_in(line, root, total - root, values)
                line = line if shorter is None else shorter
        return line

    yield LineRewrite("conjugate", "the derivative of a root less a constant is that of the root", changed)


def _root_put_in(line: Expr, root: TypedSymbol, b: Expr, values: Mapping[Expr, Expr]) -> Expr | None:
    square = values[root].base
    times, power = (values.get(square, square) - b**2).as_coeff_Mul()
    row, exponent = power.as_base_exp()
    if not exponent.is_Integer or operation_count(line) > _LONGEST_CANCELLED:
        return None
    by_root = {s: value for s, value in values.items() if (1 / (root + b)) in value.atoms(Pow)}

    def is_high(e: Basic) -> bool:
        base, n = e.as_base_exp() if isinstance(e, Expr) else (e, S.One)
        return base == row and bool(n.is_Integer and n >= exponent)

    def put_in(e: Expr) -> Expr:
        _, n = e.as_base_exp()
        return row ** (n % exponent) * ((root**2 - b**2) / times) ** (n // exponent)

    found = line.xreplace(by_root).replace(is_high, put_in)
    found = sympy.cancel(found)
    takes_off = any(root in total.free_symbols and _subtracts(total) for total in found.atoms(Add))
    return None if takes_off or operation_count(found) >= operation_count(line) else found


def _subtracts(total: Expr) -> bool:
    return any(term.as_coeff_Mul()[0].is_negative for term in total.args)
