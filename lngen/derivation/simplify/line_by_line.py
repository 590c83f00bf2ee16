"""The JVP and the double backward as the chain rule gives them: what stands where nothing shorter is found.

The derivative of a long line is as many long terms as the line has symbols, and the derivative of that is longer by the
same factor again. So long lines are taken apart first: then the work grows with the length of a definition and not with
its square.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sympy import Add, Expr, Mul, Pow
from sympy.logic.boolalg import Boolean

from lngen.derivation.jvp import tangent
from lngen.derivation.simplify.function_values import with_value
from lngen.derivation.simplify.inline import too_long
from lngen.derivation.simplify.linear import split_rows_sum, tree_size
from lngen.derivation.simplify.trail import Trail
from lngen.derivation.vjp import Contribution, adjoint
from lngen.expressions.equations import Equation, Forward, Names, tangent_symbol
from lngen.expressions.symbols import AttainsFirst, RowMax, RowMin, StopGradient, TypedSymbol, Where, symbol_like

_LONG = 30
_FACTORS = 6

# What is compared has to be the forward's own to the last bit, and what is not chosen is not to be computed.
_WHOLE = (Where, AttainsFirst, RowMax, RowMin, StopGradient, Boolean)


def any_too_long(equations: Iterable[Equation]) -> bool:
    """Whether a line is longer than any that a shorter form is looked for."""
    return any(too_long(equation.expression) for equation in equations)


def in_short_lines(forward: Forward) -> Forward:
    """A forward with long lines taken apart, parts of them under names.

    >>> import sympy
    >>> from lngen.expressions.symbols import RowSymbol
    >>> x, y, *many = (RowSymbol(name) for name in "xyabcdefghij")
    >>> long = sympy.Mul(*(x + other for other in many))
    >>> for equation in in_short_lines(Forward("f", (), (x, *many), (Equation(y, long),), (y,))).equations:
    ...     print(equation.symbol, "=", equation.expression)
    part = (a + x)*(b + x)*(c + x)*(d + x)*(e + x)*(f + x)
    part_2 = (g + x)*(h + x)*(i + x)*(j + x)
    y = part*part_2
    """
    names = Names.of(forward)
    lines: list[Equation] = []

    def short(expression: Expr) -> Expr:
        if tree_size(expression, _LONG) <= _LONG or isinstance(expression, _WHOLE):
            return expression
        expression = expression.func(*(short(argument) for argument in expression.args))
        if tree_size(expression, _LONG) <= _LONG:
            return expression
        if isinstance(expression, (Add, Mul)) and len(expression.args) > _FACTORS:
            groups = [expression.args[at : at + _FACTORS] for at in range(0, len(expression.args), _FACTORS)]
            return short(expression.func(*(named(expression.func(*group)) for group in groups)))
        return expression.func(*(named(argument) for argument in expression.args))

    def named(part: Expr) -> Expr:
        if tree_size(part, _FACTORS) <= _FACTORS or isinstance(part, _WHOLE) or not part.free_symbols:
            return part
        symbol = symbol_like(names.fresh("part"), part)
        lines.append(Equation(symbol, part))
        return symbol

    for equation in forward.equations:
        if equation.stopped:
            lines.append(equation)
        elif isinstance(inner := equation.reduction, (RowMax, RowMin)) or inner is None:
            lines.append(replace(equation, expression=short(equation.expression)))
        else:
            body = short(inner.args[0])
            lines.append(replace(equation, expression=equation.expression / inner * inner.func(body)))
    return replace(forward, equations=tuple(lines))


def plain_tangents(forward: Forward, trail: Trail) -> tuple[Equation, ...]:
    """The tangents line by line, each derivative written with the function's own value."""
    said: dict[TypedSymbol, Expr] = {}

    def tell(symbol: TypedSymbol, sent: Sequence[Contribution]) -> None:
        said[symbol] = trail.chain_rule(symbol, sent, "what it moves by when what it is made of moves")

    found = tangent(forward, tell)
    for equation in found.equations:
        reason = "the sum of means is the mean of the sum, and selects on one condition are one"
        trail.derived("collected", equation.symbol, said[equation.symbol], equation.expression, reason)
    own = {equation.symbol for equation in found.equations}
    results = [Equation(tangent_symbol(output), moved) for output, moved in found.results]
    for equation in results:
        if equation.symbol not in own:
            trail.derived("chain rule", equation.symbol, None, equation.expression, "what it moves by, under its name")
    results = [equation for equation in results if equation.symbol not in own]
    return _with_values((*found.equations, *results), forward, trail)


def plain_cotangents(forward: Forward, trail: Trail) -> tuple[Equation, ...]:
    """The adjoint line by line, each derivative written with the function's own value."""
    found = adjoint(forward, lambda symbol, sent: trail.chain_rule(symbol, sent, "what reaches it"))
    equations = _with_values(found.equations, forward, trail)
    return trail.rewritten("sums over rows", "as few as spare operations", equations, split_rows_sum)


def _with_values(equations: tuple[Equation, ...], forward: Forward, trail: Trail) -> tuple[Equation, ...]:
    lines = [q for q in forward.equations if isinstance(q.expression, Pow) or q.expression.is_Function]
    known = [(line, line.expression.free_symbols) for line in lines]

    def change(expression: Expr) -> Expr:
        free = expression.free_symbols
        for line, read in known:
            if read <= free:
                expression = with_value(expression, line)
                free = expression.free_symbols
        return expression

    reason = "a derivative written with what the function is called"
    return trail.rewritten("value of a function", reason, equations, change)
