"""The drivers of rules: they try each rewrite on each line, tell it and keep it.

A rule for what is derived from a forward is a function from the lines and their forward to its rewrites. It says what a
line becomes, and on which condition. `applied` has the loop, the steps and the comparison. A rule for the forward says
what an expression is, given the values of names; for these `rewritten_forward` has the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from sympy import Expr, default_sort_key

from lngen.algebra.equations import Equation, Forward, Names
from lngen.algebra.reductions import split_statement
from lngen.algebra.symbols import operation_count
from lngen.derivation.simplify.trail import Trail


def always(before: Expr, after: Expr) -> bool:
    """Keep every rewrite."""
    return True


def shorter(before: Expr, after: Expr) -> bool:
    """Keep a rewrite that takes fewer operations.

    >>> from sympy.abc import x, y
    >>> shorter(x + y + x*y, x + y), shorter(x, y)
    (True, False)
    """
    return operation_count(after) < operation_count(before)


@dataclass(frozen=True)
class LineRewrite:
    """Rewrite of lines by a rule of `lngen.derivation.rules`: its name, the reason in words, and what a line becomes.

    It is kept on a `condition` on the line before and after. `uses` are equations that hold; a step names those whose
    left side is in the line.
    """

    name: str
    reason: str
    rewrite: Callable[[Expr], Expr]
    condition: Callable[[Expr, Expr], bool] = always
    uses: Mapping[Expr, Expr] = field(default_factory=dict)


LineRule: TypeAlias = Callable[[tuple[Equation, ...], Forward], Iterable[LineRewrite]]


def applied(
    rule: LineRule, lines: tuple[Equation, ...], forward: Forward, trail: Trail | None = None
) -> tuple[Equation, ...]:
    """Return the lines after a rule, its steps in a trail if one is given."""
    trail = Trail() if trail is None else trail
    for rewrite in rule(lines, forward):
        lines = rewritten(rewrite, lines, trail)
    return lines


def rewritten(rewrite: LineRewrite, lines: Iterable[Equation], trail: Trail) -> tuple[Equation, ...]:
    """Return the lines after a rewrite, a step for each that is another one now.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, y, z = (RowSymbol(name) for name in "xyz")
    >>> trail, put_in = Trail(), LineRewrite("written out", "y is x", lambda e: e.xreplace({y: x}))
    >>> [q.expression for q in rewritten(put_in, (Equation(z, y + 1), Equation(z, x)), trail)], len(trail.steps)
    ([x + 1, x], 1)
    """
    result = []
    for line in lines:
        before, after = line.expression, rewrite.rewrite(line.expression)
        if after != before and rewrite.condition(before, after):
            met = sorted((left for left in rewrite.uses if before.has(left)), key=default_sort_key)
            uses = [(left, rewrite.uses[left]) for left in met]
            trail.derived(rewrite.name, line.symbol, before, after, rewrite.reason, uses=uses)
            line = replace(line, expression=after)
        result.append(line)
    return tuple(result)


def rewritten_forward(
    name: str, reason: str, change: Callable[[Expr, Mapping[Expr, Expr]], Expr], forward: Forward, trail: Trail
) -> Forward:
    """Return a forward after a rule: what `change` makes of each right-hand side, given the values of names before it.

    A value through which no gradient flows is none of those. A reduction that comes up has a line of its own.

    >>> import sympy
    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> made, trail = translate(parse("def f(x: Row): return (1 + x)*mean(x)")), Trail()
    >>> for q in rewritten_forward("written out", "", lambda e, values: sympy.expand(e), made, trail).equations:
    ...     print(q.symbol, "=", q.expression)
    mu = Mean(x)
    y = mu*x + mu
    """
    values: dict[Expr, Expr] = {}
    equations: list[Equation] = []
    names = Names.of(forward)
    for equation in forward.equations:
        after = change(equation.expression, values)
        trail.add("forward", name, equation.symbol, equation.expression, after, reason)
        if after != equation.expression:
            after = split_statement(
                after, equations, names, whole=replace(equation, expression=after).reduction is not None
            )
        equations.append(replace(equation, expression=after))
        if not equation.stopped:
            values[equation.symbol] = after
    return replace(forward, equations=tuple(equations))
