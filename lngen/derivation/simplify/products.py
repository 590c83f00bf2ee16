"""Products that have a name already are written by it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sympy import Expr, Mul, Pow

from lngen.algebra.equations import Equation, Forward
from lngen.algebra.notation import text
from lngen.algebra.symbols import D, Mean, TypedSymbol, axes, is_row
from lngen.derivation.simplify.factors import divides, with_product, without
from lngen.derivation.simplify.line_rules import LineRewrite, shorter


def in_known_products(lines: tuple[Equation, ...], forward: Forward) -> Iterator[LineRewrite]:
    """Gradients in which a product of two row values of the forward stands under the forward's name for it.

    A row and a function of it, `silu_z = z*sigmoid_z`, are one value of the forward; the derivative of the function
    brings their product back. Written by its name it is computed once.

    >>> from lngen.derivation.simplify.line_rules import applied
    >>> from lngen.algebra.symbols import RowSymbol
    >>> z, s, p, g = (RowSymbol(name) for name in ("z", "s", "p", "g"))
    >>> layer = Forward("f", (), (), (Equation(p, z*s),), ())
    >>> applied(in_known_products, (Equation(RowSymbol("dz"), g*s*(1 + z - s*z)),), layer)[0].expression
    g*s*(-p + z + 1)

    A quotient is one too: the square of a divisor may be too large or too small for a float.

    >>> quotient = Forward("f", (), (), (Equation(p, 3*z/s),), ())
    >>> applied(in_known_products, (Equation(RowSymbol("ds"), -3*g*z/s**2),), quotient)[0].expression
    -g*p/s
    """
    for known in forward.equations:
        number = known.expression.as_independent(*(known.expression.free_symbols - {D}), as_Add=False)[0]
        product = known.expression / number
        rows = isinstance(product, Mul) and len(product.args) == 2 and all(_is_row_name(f) for f in product.args)
        # D - 1 is zero in a row of one feature: what the forward multiplies by, no gradient may divide by.
        if (rows and number == 1) or (_divides(product) and number.is_zero is False):
            reason = f"{known.symbol} = {text(known.expression)} is known from the forward"
            change = partial(with_product, symbol=known.symbol / number, product=product)
            yield LineRewrite("known product", reason, change, shorter)


def _divides(product: Expr) -> bool:
    """Test whether a product divides a row by a row."""
    below = (factor for factor in Mul.make_args(product) if isinstance(factor, Pow) and factor.exp.is_negative)
    return is_row(product) and any(is_row(factor) for factor in below)


def _is_row_name(expression: Expr) -> bool:
    return isinstance(expression, TypedSymbol) and is_row(expression)


def in_scaled_rows(lines: tuple[Equation, ...], forward: Forward) -> Iterator[LineRewrite]:
    """Gradients in which a row of the forward and the scale that it has there meet, by the forward's name for the two.

    With `p = r*e`, where `e` is large and `r` as small, `r**2*Mean(g*e)` is `r*Mean(g*p)`: the square of `r` may be too
    small for a float, and `e*e` too large for one, long before a value of the forward is.

    >>> from lngen.derivation.simplify.line_rules import applied
    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> e, p, g, r = *map(RowSymbol, ("e", "p", "g")), RowScalarSymbol("r")
    >>> layer = Forward("f", (), (), (Equation(p, r*e),), ())
    >>> applied(in_scaled_rows, (Equation(RowSymbol("de"), r*g - r**2*Mean(e*g)),), layer)[0].expression
    r*g - r*Mean(g*p)
    """
    for known in forward.equations:
        value = known.expression
        scale = Mul(*(factor for factor in Mul.make_args(value) if axes(factor) == (True, False)))
        if is_row(known.symbol) and isinstance(value, Mul) and scale != 1 and is_row(value / scale):
            reason = f"{known.symbol} = {text(value)} is known from the forward, and neither too large nor too small"
            change = partial(_with_scaled, scaled=known.symbol, scale=scale, row=value / scale)
            yield LineRewrite("known scaled row", reason, change)


def _with_scaled(expression: Expr, scaled: TypedSymbol, scale: Expr, row: Expr) -> Expr:
    if not expression.args:
        return expression
    expression = expression.func(*(_with_scaled(argument, scaled, scale, row) for argument in expression.args))
    while isinstance(expression, Mul) and divides(scale, expression):
        for factor in (expression, *expression.args):
            body = factor.args[0] if isinstance(factor, Mean) else factor
            if divides(row, body) and (factor is expression or isinstance(factor, Mean)):
                replaced = body / row * scaled
                expression = without(expression, scale, factor) * (
                    Mean(replaced) if isinstance(factor, Mean) else replaced
                )
                break
        else:
            return expression
    return expression
