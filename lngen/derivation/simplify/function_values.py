"""Derivatives written with the values that the forward has."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import sympy
from sympy import Expr, Pow

from lngen.algebra.equations import Equation
from lngen.algebra.symbols import Complement, Sigmoid, axes
from lngen.derivation.simplify.factors import with_product


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
