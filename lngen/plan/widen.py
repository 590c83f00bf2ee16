"""Choice of layers that are computed in a wider type than that of their rows.

`lngen.plan.passes.balance` orders products so that no partial one leaves the range of a float, where an order does
that. No order may do so where an exponential has no largest exponent subtracted, or where a power is high: a second
gradient holds `e**3` and `1/e**3`, each in a sum of its own. Such a layer reads rows of float32, computes in float64
and rounds its results, as every layer does with rows of 16 bits. Small powers of any float32 are in the range of
float64. Rows of float64 stay: a GPU has no wider type, and `longdouble` on a processor takes ten to twenty times as
long.

One type serves all directions: a saved row scalar has the digits of the values that are computed again beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import sympy
from sympy import Expr, Mul, Rational
from sympy.core.relational import Relational

from lngen.algebra.growth import ARGUMENT, EXPONENTIAL, Growth
from lngen.algebra.symbols import TypedSymbol, axes, is_row
from lngen.plan.planner import Plan
from lngen.plan.program import RowProgram

HIGHEST_POWER = Rational(8)
"""The power that float32 holds of every entry of a row of float16: 65504**8 is 3.39e38."""

HIGHEST_BESIDE_ZERO = Rational(5)
"""The same beside a factor that vanishes, where infinity is no large result but 0*inf, which is NaN.

float32 holds five powers of 5e7 (3.4e38**(1/5)), and of 2.6e6 beside a direction that is as large as the row.
"""

HIGHEST_RECIPROCAL = Rational(3)
"""Highest power of a row in a divisor.

A row may be as small as 1e-12 before the power of its reciprocal leaves float32.
"""


def widened(plan: Plan) -> Plan:
    """The plan, with its programs marked as wide where a value of one of them may leave the range of its type."""
    is_wide = any(out_of_range(plan, program) for program in plan.programs())
    marked = {program.direction: replace(program, is_wide=is_wide) for program in plan.programs()}
    return replace(
        plan,
        forward=marked["forward"],
        backward=marked["backward"],
        jvp=marked.get("jvp"),
        backward_backward=marked.get("backward_backward"),
    )


def out_of_range(plan: Plan, program: RowProgram) -> list[TypedSymbol]:
    """Return the values of a program of the plan that may leave the range of the rows' type."""
    # With the forward's lines: a row less its largest entry is known by the line of that entry.
    values = [*plan.forward.values(), *program.values()]
    small = Growth({symbol: -ARGUMENT for symbol in plan.derivation.forward.symbols if axes(symbol).rows}).after(values)
    # An exponent that is a quotient of rows is far below zero where the divisor is near zero, too.
    rows = [symbol for symbol in plan.derivation.forward.symbols if is_row(symbol)]
    unlike = [replace(end, vanishing=Rational(0)) for end in plan.forward.growth if 0 < len(end.small) < len(rows)]
    alike = [end for end in plan.forward.growth if not end.small]
    ends = [end.after(values) for end in (*alike, *(end.of_forward(rows, plan.forward.values()) for end in unlike))]
    return [
        s
        for s, e in program.values()
        if grows_too_far(s, e, ends)
        or any(product.grows > HIGHEST_RECIPROCAL for product in _products(small, _unless_bounded(s, e, small)))
    ]


def grows_too_far(symbol: TypedSymbol, value: Expr, ends: Iterable[Growth]) -> bool:
    """Test whether a product in a value grows or shrinks faster than `HIGHEST_POWER` of the rows, at some end.

    A product that vanishes as an exponential does may become 0, which is right beside a finite value: a lower power is
    then too high for it. A quotient by such a product grows, and is found by its growth.

    >>> from lngen.algebra.symbols import RowSymbol, Sigmoid
    >>> x, y, e = RowSymbol("x"), RowSymbol("y"), RowSymbol("e")
    >>> ends = Growth.at_the_ends([x], [(y, x), (e, y**3)])
    >>> [grows_too_far(RowSymbol("v"), value, ends) for value in (e*x**5, e**3*x, x*Sigmoid(x), 1/Sigmoid(x))]
    [False, True, False, True]
    >>> [grows_too_far(RowSymbol("v"), value, ends) for value in (x**7, x**7*Sigmoid(x), x**5*Sigmoid(x))]
    [False, True, False]
    """
    for end in ends:
        for product in _products(end, _unless_bounded(symbol, value, end)):
            highest = HIGHEST_BESIDE_ZERO if product.vanishes else HIGHEST_POWER
            if product.grows > highest or product.shrinks > HIGHEST_POWER:
                return True
    return False


def _unless_bounded(symbol: TypedSymbol, value: Expr, end: Growth) -> Expr:
    """Return a value, or its exponent if the value is known to be at most 1."""
    bounded = isinstance(value, sympy.exp) and (symbol in end.at_most_one or not end.degree(symbol))
    return value.args[0] if bounded else value


class _ProductDegrees(NamedTuple):
    """Degrees of the growing and of the shrinking factors of a product, and whether one of them is practically 0."""

    grows: Rational
    shrinks: Rational
    vanishes: bool


def _products(end: Growth, value: Expr) -> Iterator[_ProductDegrees]:
    """Yield the products in a value; any other value is a product of a single factor."""
    if not isinstance(value, Expr) or isinstance(value, Relational):
        return
    degrees = [end.degree(factor) for factor in Mul.make_args(value)]
    zeros = [degree for degree in degrees if degree <= -EXPONENTIAL / 2]
    grows = sum((degree for degree in degrees if degree > 0), Rational(0))
    yield _ProductDegrees(grows, grows - sum(degrees) + sum(zeros), bool(zeros))
    for part in value.args:
        yield from _products(end, part)
