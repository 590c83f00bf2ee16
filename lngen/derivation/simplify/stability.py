"""Rewrites that change no value and lose fewer digits. Each states its condition, and the audit shows where it was
used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import sympy
from sympy import Add, Expr

from lngen.algebra.equations import Equation, Forward, Names
from lngen.algebra.symbols import Complement, TypedSymbol, symbol_like, whole
from lngen.derivation.simplify.exponentials import stop_at_cancelling_extremes
from lngen.derivation.simplify.forms import BESIDE_ONE, FORMS, in_forms, tails_of_sigmoids, zero_means
from lngen.derivation.simplify.line_rules import LineRewrite, LineRule, applied
from lngen.derivation.simplify.normal import in_normal_distribution
from lngen.derivation.simplify.normalized import in_normalized
from lngen.derivation.simplify.products import in_known_products, in_scaled_rows
from lngen.derivation.simplify.selects import named_selects, whole_selects
from lngen.derivation.simplify.shifts import shift_exponentials
from lngen.derivation.simplify.trail import Trail


def stable_forward(forward: Forward, trail: Trail) -> Forward:
    """All forward rules, in order."""
    forward = in_forms(FORMS, in_normal_distribution(forward, trail), trail)
    forward = shift_exponentials(stop_at_cancelling_extremes(forward, trail), trail)
    return in_forms(BESIDE_ONE, forward, trail)


def stable_lines(equations: tuple[Equation, ...], forward: Forward, trail: Trail, names: Names) -> tuple[Equation, ...]:
    """All rules for what is derived from a forward, its gradients, its tangents and theirs, in order."""

    def after(equations: tuple[Equation, ...], *rules: LineRule) -> tuple[Equation, ...]:
        for rule in rules:
            equations = applied(rule, equations, forward, trail)
        return equations

    equations = after(equations, zero_means, tails_of_sigmoids, difference_of_squares)
    equations = after(whole_complements(equations, trail, names), in_known_products, in_scaled_rows)
    return after(in_normalized(equations, forward, trail, names), whole_selects, named_selects)


# ---- gradients


def difference_of_squares(lines: tuple[Equation, ...], forward: Forward) -> Iterator[LineRewrite]:
    """`1 - t**2` as `(1 - t)*(1 + t)` where t is a tanh: near t = 1 the square has already lost the digits.

    >>> from lngen.derivation.simplify.line_rules import applied
    >>> from lngen.algebra.symbols import RowSymbol
    >>> t, g = RowSymbol("t"), RowSymbol("g")
    >>> tanh = Equation(t, sympy.tanh(RowSymbol("u")))
    >>> layer = Forward("f", (), (), (tanh,), ())
    >>> applied(difference_of_squares, (Equation(RowSymbol("du"), g*(1 - t**2)),), layer)[0].expression
    g*(1 - t)*(t + 1)
    """
    tanhs = [q.symbol for q in forward.equations if isinstance(q.expression, sympy.tanh)]
    table = {form: (1 - t) * (1 + t) for t in tanhs for form in (1 - t**2, Complement(t**2))}
    reason = "near 1 the square has lost the digits that the difference needs"
    yield LineRewrite("difference of squares", reason, lambda e: e.xreplace(table))


def whole_complements(equations: tuple[Equation, ...], trail: Trail, names: Names) -> tuple[Equation, ...]:
    """Write 1 less a sigmoid as a difference, on a line of its own if it is a term of a longer sum.

    SymPy turns `(1 - s)/2 + p` into `1/2 - s/2 + p`: the digits of `1 - s` are lost where s is near 1 and p is small.

    >>> from lngen.algebra.symbols import RowSymbol
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
