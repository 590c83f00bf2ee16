"""Products that have a name already are written by it."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr, Mul

from lngen.notation import text
from lngen.simplify.linear import operation_count, with_product
from lngen.simplify.sweep import Trail
from lngen.symbolic import TypedSymbol, is_row
from lngen.translate import Equation, Forward


def in_known_products(equations: tuple[Equation, ...], forward: Forward, trail: Trail) -> tuple[Equation, ...]:
    """Gradients in which a product of two row values of the forward stands under the forward's name for it.

    A row and a function of it, `silu_z = z*sigmoid_z`, are one value of the forward; the derivative of the function
    brings their product back. Written by its name it is computed once.

    >>> from lngen.symbolic import RowSymbol
    >>> z, s, p, g = (RowSymbol(name) for name in ("z", "s", "p", "g"))
    >>> layer = Forward("f", (), (), (Equation(p, z*s),), ())
    >>> in_known_products((Equation(RowSymbol("dz"), g*s*(1 + z - s*z)),), layer, Trail())[0].expression
    g*s*(-p + z + 1)
    """
    for known in forward.equations:
        product = known.expression
        if not isinstance(product, Mul) or len(product.args) != 2 or not all(_is_row_name(f) for f in product.args):
            continue
        result = []
        for equation in equations:
            after = with_product(equation.expression, known.symbol, product)
            if operation_count(after) < operation_count(equation.expression):
                reason = f"{known.symbol} = {text(product)} is known from the forward"
                trail.add("backward", "known product", equation.symbol, equation.expression, after, reason)
                equation = replace(equation, expression=after)
            result.append(equation)
        equations = tuple(result)
    return equations


def _is_row_name(expression: Expr) -> bool:
    return isinstance(expression, TypedSymbol) and is_row(expression)
