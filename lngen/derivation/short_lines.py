"""Long lines taken apart, so that the work of differentiating grows with the length of a definition, not its square."""

from __future__ import annotations

from dataclasses import replace

from sympy import Add, Expr, Mul
from sympy.logic.boolalg import Boolean

from lngen.algebra.equations import Equation, Forward, Names
from lngen.algebra.symbols import AttainsFirst, RowMax, RowMin, StopGradient, Where, symbol_like

_LONG = 30
_FACTORS = 6

# Compared values have to be the forward's own to the last bit, and branches not chosen are not computed.
_WHOLE = (Where, AttainsFirst, RowMax, RowMin, StopGradient, Boolean)


def in_short_lines(forward: Forward) -> Forward:
    """A forward with long lines taken apart, parts of them under names.

    >>> import sympy
    >>> from lngen.algebra.symbols import RowSymbol
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
        if _is_short(expression, _LONG) or isinstance(expression, _WHOLE):
            return expression
        expression = expression.func(*(short(argument) for argument in expression.args))
        if _is_short(expression, _LONG):
            return expression
        if isinstance(expression, (Add, Mul)) and len(expression.args) > _FACTORS:
            groups = [expression.args[at : at + _FACTORS] for at in range(0, len(expression.args), _FACTORS)]
            return short(expression.func(*(named(expression.func(*group)) for group in groups)))
        return expression.func(*(named(argument) for argument in expression.args))

    def named(part: Expr) -> Expr:
        if _is_short(part, _FACTORS) or isinstance(part, _WHOLE) or not part.free_symbols:
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


def _is_short(expression: Expr, most: int) -> bool:
    """Test whether an expression has at most this many nodes, as a tree; no more nodes are visited."""
    pending = [expression]
    for _ in range(most):
        if pending:
            pending += pending.pop().args
    return not pending
