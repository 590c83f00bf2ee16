"""Products in an order in which no partial product leaves the range of a float.

`g*e*e*r*r`, with `e` of 1e30 and `r` of 1e-30, is multiplied as `g*(e*r)*(e*r)`. It is a line of a program like any
other, so a backend has nothing to know of it but not to undo it (`lngen.growth`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import sympy
from sympy import Expr, Mul, Pow

from lngen.growth import Growth
from lngen.schedule import Line
from lngen.symbolic import TypedSymbol, symbol_like
from lngen.translate import Names

_NOTHING_BESIDE = 50
"""How many times the degree of a power of a row that of an exponential is, at least."""


def grown(growth: Iterable[Growth], lines: Sequence[Line]) -> tuple[Growth, ...]:
    """The growth at each end, after what lines assign."""
    values = [(line.symbol, line.expression) for line in lines]
    return tuple(end.after(values) for end in growth)


def balanced(lines: Sequence[Line], growth: Growth, names: Names) -> list[Line]:
    """Lines in which a factor that grows meets one that shrinks before others, where a partial product would overreach.

    >>> from lngen.growth import EXPONENTIAL
    >>> from lngen.symbolic import RowScalarSymbol, RowSymbol
    >>> e, g, r = RowSymbol("e"), RowSymbol("g"), RowScalarSymbol("r")
    >>> growth = Growth({e: EXPONENTIAL, r: -EXPONENTIAL}, most=EXPONENTIAL)
    >>> for line in balanced([Line(RowSymbol("dx"), e*r*(e*g - 1)*r, 7)], growth, Names([])):
    ...     print(line.symbol, "=", line.expression)
    e_scaled = r*e
    dx = r*e_scaled*(e*g - 1)
    """
    known: dict[Expr, TypedSymbol] = {}
    result: list[Line] = []
    (growth,) = grown([growth], lines)

    def named(product: Expr, step: int) -> TypedSymbol:
        nonlocal growth
        if product not in known:
            stem = next((f.name for f in product.args if isinstance(f, TypedSymbol) and growth.degree(f) > 0), "part")
            known[product] = symbol_like(names.fresh(f"{stem}_scaled"), product)
            growth = growth.with_value(known[product], growth.degree(product))
            result.append(Line(known[product], product, step))
        return known[product]

    def settled(expression: Expr, step: int) -> Expr:
        if not growth.overreach(expression):
            return expression
        expression = expression.func(*(settled(argument, step) for argument in expression.args))
        while isinstance(expression, Mul) and growth.overreach_of(expression.args):
            pair = _opposite(expression, growth)
            if pair is None:
                break
            expression = expression / pair * named(pair, step)
        return expression

    for line in lines:
        result.append(replace(line, expression=settled(line.expression, line.step)))
    return result


def _opposite(product: Mul, growth: Growth) -> Expr | None:
    """One of the power that grows most times one of the power that shrinks most; names first.

    None where one lacks, or is nothing beside the other: `z*s`, where the sigmoid `s` vanishes, is hardly larger than
    `s`.
    """
    factors = sorted(product.args, key=lambda factor: sympy.default_sort_key(_once(factor)))
    factors.sort(key=lambda factor: not isinstance(_once(factor), TypedSymbol))
    grows, shrinks = (_once(most(factors, key=growth.degree)) for most in (max, min))
    less, more = sorted((growth.degree(grows), -growth.degree(shrinks)))
    return shrinks * grows if less > 0 and less * _NOTHING_BESIDE > more else None


def _once(factor: Expr) -> Expr:
    """The base of a whole power, or its reciprocal."""
    if isinstance(factor, Pow) and factor.exp.is_Integer:
        return factor.base if factor.exp > 0 else 1 / factor.base
    return factor
