"""Values that the forward has under a name: what is derived from it is written with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import sympy
from sympy import Expr, Mul, Pow

from lngen.algebra.equations import Equation
from lngen.algebra.notation import text
from lngen.algebra.symbols import Complement, D, Mean, Reduction, Sigmoid, TypedSymbol, axes, is_row, operation_count
from lngen.derivation.rules.driver import Rewrite, System
from lngen.derivation.rules.factors import divides, with_product, without


def with_value(expression: Expr, equation: Equation) -> Expr:
    """A derivative written with the function's own value: `1 - tanh(u)**2` is `1 - t**2`, in one piece.

    Not with that of an output which varies over more than the function does, as `softplus(mean(x - x))`.
    """
    value = equation.expression
    if axes(value) != axes(equation.symbol):
        return with_complements(expression)
    if isinstance(value, Pow):
        ratio: Callable[[Expr], Expr] = lambda e: e.exp / value.exp  # noqa: E731
        return expression.replace(
            lambda e: isinstance(e, Pow) and e.base == value.base and ratio(e).is_Integer,
            lambda e: equation.symbol ** ratio(e),
        )
    if value.is_Function and not equation.reduction:
        return with_complements(expression.xreplace({value: equation.symbol}), (equation,))
    return with_complements(expression)


def with_complements(expression: Expr, values: Iterable[Equation] = ()) -> Expr:
    """Write 1 less a sigmoid, and 1 less the square of a tanh, as one factor, which is not multiplied out.

    A sigmoid is recognized by its name among `values`, or as it stands.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> s, t, z = RowSymbol("s"), RowSymbol("t"), RowSymbol("z")
    >>> with_complements(s*(1 - s) + 1 - t**2, (Equation(s, Sigmoid(z)), Equation(t, sympy.tanh(z))))
    s*Complement(s) - t**2 + 1
    >>> with_complements(s*(1 - s)*(1 - t**2), (Equation(s, Sigmoid(z)), Equation(t, sympy.tanh(z))))
    s*Complement(s)*Complement(t**2)
    """
    expression = expression.xreplace({1 - sigmoid: Complement(sigmoid) for sigmoid in expression.atoms(Sigmoid)})
    for value in values:
        if isinstance(value.expression, Sigmoid):
            expression = expression.xreplace({1 - value.symbol: Complement(value.symbol)})
        elif isinstance(value.expression, sympy.tanh):
            square = Complement(value.symbol**2)
            expression = expression.xreplace({1 - value.symbol**2: square})
            expression = with_product(expression, square, (1 - value.symbol) * (1 + value.symbol))
    return expression


def known_products(system: System) -> Iterator[Rewrite]:
    """Gradients in which a product of two row values of the forward stands under the forward's name for it.

    A row and a function of it, `silu_z = z*sigmoid_z`, are one value of the forward; the derivative of the function
    brings their product back. Written by its name it is computed once.

    >>> from lngen.algebra.equations import Forward, Names
    >>> from lngen.algebra.symbols import RowSymbol
    >>> z, s, p, g = (RowSymbol(name) for name in ("z", "s", "p", "g"))
    >>> layer = Forward("f", (), (), (Equation(p, z*s),), ())
    >>> [rewrite.change(g*s*(1 + z - s*z)) for rewrite in known_products(System(layer, (), Names([])))]
    [g*s*(-p + z + 1)]

    A quotient is one too: the square of a divisor may be too large or too small for a float.

    >>> quotient = Forward("f", (), (), (Equation(p, 3*z/s),), ())
    >>> [rewrite.change(-3*g*z/s**2) for rewrite in known_products(System(quotient, (), Names([])))]
    [-g*p/s]
    """
    for known in system.forward.equations:
        number = known.expression.as_independent(*(known.expression.free_symbols - {D}), as_Add=False)[0]
        product = known.expression / number
        rows = isinstance(product, Mul) and len(product.args) == 2 and all(_is_row_name(f) for f in product.args)
        # D - 1 is zero in a row of one feature: what the forward multiplies by, no gradient may divide by.
        if (rows and number == 1) or (_divides(product) and number.is_zero is False):
            reason = f"{known.symbol} = {text(known.expression)} is known from the forward"
            yield Rewrite(partial(_with_shorter_product, symbol=known.symbol / number, product=product), reason)


def _with_shorter_product(e: Expr, symbol: Expr, product: Expr) -> Expr:
    return min(e, with_product(e, symbol, product), key=operation_count)


def _divides(product: Expr) -> bool:
    """Test whether a product divides a row by a row."""
    below = (factor for factor in Mul.make_args(product) if isinstance(factor, Pow) and factor.exp.is_negative)
    return is_row(product) and any(is_row(factor) for factor in below)


def _is_row_name(expression: Expr) -> bool:
    return isinstance(expression, TypedSymbol) and is_row(expression)


def known_scaled_rows(system: System) -> Iterator[Rewrite]:
    """Gradients in which a row of the forward and the scale that it has there meet, by the forward's name for the two.

    With `p = r*e`, where `e` is large and `r` as small, `r**2*Mean(g*e)` is `r*Mean(g*p)`: the square of `r` may be too
    small for a float, and `e*e` too large for one, long before a value of the forward is.

    >>> from lngen.algebra.equations import Forward, Names
    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> e, p, g, r = *map(RowSymbol, ("e", "p", "g")), RowScalarSymbol("r")
    >>> layer = Forward("f", (), (), (Equation(p, r*e),), ())
    >>> [rewrite.change(r*g - r**2*Mean(e*g)) for rewrite in known_scaled_rows(System(layer, (), Names([])))]
    [r*g - r*Mean(g*p)]
    """
    for known in system.forward.equations:
        value = known.expression
        scale = Mul(*(factor for factor in Mul.make_args(value) if axes(factor) == (True, False)))
        if is_row(known.symbol) and isinstance(value, Mul) and scale != 1 and is_row(value / scale):
            reason = f"{known.symbol} = {text(value)} is known from the forward, and neither too large nor too small"
            change = partial(_with_scaled, scaled=known.symbol, scale=scale, row=value / scale)
            yield Rewrite(change, reason)


def known_means(system: System) -> Iterator[Rewrite]:
    """Write means, and other reductions, by the names that the forward has for them.

    >>> from lngen.algebra.equations import Forward, Names
    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> x, m = RowSymbol("x"), RowScalarSymbol("m")
    >>> layer = Forward("f", (), (), (Equation(m, Mean(x)),), ())
    >>> [rewrite.change(x - Mean(x)) for rewrite in known_means(System(layer, (), Names([])))]
    [-m + x]
    """
    known = {q.expression: q.symbol for q in system.forward.equations if isinstance(q.expression, Reduction)}
    yield Rewrite(lambda e: e.xreplace(known))


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
