"""The JVP and the double backward as the chain rule gives them: what stands where nothing shorter is found.

The derivative of a long line is as many long terms as the line has symbols, and the derivative of that is longer by the
same factor again. So long lines are taken apart first (`lngen.derivation.short_lines`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sympy import Expr, Pow

from lngen.algebra.equations import Equation, Forward, tangent_symbol
from lngen.algebra.symbols import TypedSymbol
from lngen.derivation.jvp import tangent
from lngen.derivation.simplify.function_values import with_value
from lngen.derivation.simplify.inline import too_long
from lngen.derivation.simplify.line_rules import LineRewrite, rewritten
from lngen.derivation.simplify.linear import split_rows_sum
from lngen.derivation.simplify.trail import Trail
from lngen.derivation.vjp import Contribution, adjoint


def any_too_long(equations: Iterable[Equation]) -> bool:
    """Test whether a line is too long for a search for shorter forms."""
    return any(too_long(equation.expression) for equation in equations)


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
    return rewritten(
        LineRewrite("sums over rows", "in as few sums as need no more operations", split_rows_sum), equations, trail
    )


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
    return rewritten(LineRewrite("value of a function", reason, change), equations, trail)
