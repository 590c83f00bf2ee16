"""A shift that the user took out of exponentials needs no gradient. What the largest exponent is taken out of is in
`shifts`."""

from __future__ import annotations

from dataclasses import replace

import sympy
from sympy import Expr

from lngen.algebra.equations import Forward
from lngen.algebra.symbols import RowMax, RowMin, TypedSymbol, axes
from lngen.derivation.simplify.homogeneous import Homogeneous, NotAPowerError, Taken
from lngen.derivation.simplify.linear import TooManyTermsError, expand_linear, multiply_out, tree_size
from lngen.derivation.simplify.trail import Trail

_LONGEST_WRITTEN_OUT = 200
"""The nodes of a value in which an extreme is followed: what is written out doubles with each use."""


def stop_at_cancelling_extremes(forward: Forward, trail: Trail) -> Forward:
    """No gradient flows through a largest or smallest entry that cancels in every output.

    `x - m - log(sum(exp(x - m)))` with `m = max(x)` is the same for every m. Taken for a number of its own, m is
    followed through the definition: exp(x - m) has the factor exp(-m). Condition: written out, m is gone from every
    output. Then so is its gradient, whatever the row attains its maximum at.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> text = '''
    ... from lngen.language import Row, exp, log, max, sum
    ... def log_partition(x: Row):
    ...     m = max(x)
    ...     return m + log(sum(exp(x - m)))
    ... '''
    >>> for q in stop_at_cancelling_extremes(translate(parse(text)), Trail()).equations:
    ...     print(q.symbol, "=", q.expression, "stopped" * q.stopped, end=";")
    m = RowMax(x) stopped;sum_exp_x = D*Mean(exp(-m + x)) ;y = m + log(sum_exp_x) ;
    """
    result = []
    for equation in forward.equations:
        extreme = isinstance(equation.expression, (RowMax, RowMin)) and not equation.stopped
        if extreme and _cancels(equation.symbol, forward):
            reason = f"{equation.symbol} cancels in every output: no gradient flows through it"
            trail.add("forward", "a shift that cancels", equation.symbol, None, equation.expression, reason)
            equation = replace(equation, stopped=True)
        result.append(equation)
    return replace(forward, equations=tuple(result))


def _cancels(extreme: TypedSymbol, forward: Forward) -> bool:
    """Test whether an extreme m cancels in every output: `exp(x - m)/sum(exp(x - m))` is the same for every m."""
    rule = Homogeneous(extreme, {})
    written_out: dict[Expr, Expr] = {}
    for equation in forward.equations:
        moved = equation.expression.xreplace(written_out)
        if extreme not in moved.free_symbols and moved.free_symbols.isdisjoint(rule.values):
            continue
        if tree_size(moved, _LONGEST_WRITTEN_OUT) > _LONGEST_WRITTEN_OUT:
            return False
        try:
            for exponential in moved.atoms(sympy.exp):
                rule.values[exponential] = _factored(exponential.args[0], extreme)
            plain, degree, *_ = rule.taken_out(moved)
            if extreme in plain.free_symbols:
                plain = expand_linear(plain)
        except (TooManyTermsError, NotAPowerError):
            return False
        if degree != 0:
            kept = plain if extreme in plain.free_symbols else equation.symbol
            rule.values[equation.symbol] = Taken(kept, degree)
        elif extreme in plain.free_symbols:
            written_out[equation.symbol] = plain
    left = {*written_out, *rule.values, extreme}
    return left.isdisjoint(forward.outputs)


def _factored(exponent: Expr, extreme: TypedSymbol) -> Taken:
    """`exp(u + c*m)` as `exp(m)**c * exp(u)`, where c is the same for all features of a row."""
    exponent = multiply_out(exponent)
    multiple = exponent.coeff(extreme)
    if axes(multiple).features or extreme in multiple.free_symbols:
        return Taken(sympy.exp(exponent), sympy.S.Zero)
    return Taken(sympy.exp(exponent - multiple * extreme), multiple)
