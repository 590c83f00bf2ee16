"""The smallest number of features that a definition allows.

A divisor such as `D - 1` is zero for D = 1, so 2 is the smallest legal D; a larger one must be legal too.
Divisors, and arguments of roots and logarithms, are looked at where they are made of D and numbers alone: at D = 1 to
64, and at three large D, where one that is not met refuses the definition.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from typing import Any

from lngen.language.definition import Statement
from lngen.language.parsing.folding import Fault, Value, fold
from lngen.language.syntax import Binary, Call, Expression, Negate, Number, walk

_FIRST = 64
_LARGE = (1000, 1_000_000, 2**31)


class _Need(enum.Enum):
    """Conditions on an operand."""

    NONZERO = "other than zero"
    POSITIVE = "positive"
    NOT_NEGATIVE = "not negative"

    def met(self, value: Any) -> bool:
        if self is _Need.NONZERO:
            return bool(value != 0)
        return bool(value > 0 or (value == 0 and self is _Need.NOT_NEGATIVE))


def minimum_features(statements: Iterable[Statement]) -> int:
    """The smallest D from which every divisor made of D and numbers is nonzero and every root of one is real.

    Raises Fault where that is not one of the first 64.

    >>> from lngen.language.parsing import parse
    >>> minimum_features(parse("def f(x: Row): return x / (D - 1) / (4 - D**2)").statements)
    3
    """
    every = tuple(statements)
    parts = [*dict.fromkeys(c for s in every for node in walk(s.expression) for c in _conditions(node))]
    smallest = 1
    for features in (*range(1, _FIRST + 1), *_LARGE):
        values: dict[str, Value] = {}
        for statement in every:
            with suppress(Fault):  # a fault is for the condition to report that the statement breaks
                value = None if statement.kind.over_rows else fold(statement.expression, features, values)
                values |= {} if value is None else {statement.name: value}
        for operand, need in parts:
            value = None
            with suppress(Fault):
                value = fold(operand, features, values)
            if value is not None and not need.met(value):
                if features > _FIRST:
                    raise Fault(operand, "every-d", need=need.value)
                smallest = features + 1
    return smallest


def _conditions(node: Expression) -> Iterator[tuple[Expression, _Need]]:
    match node:
        case Binary("/", _, right):
            yield from ((factor, _Need.NONZERO) for factor in _factors(right))
        case Binary("**", left, Number(exponent)) if exponent.denominator != 1:
            yield left, _Need.NOT_NEGATIVE if exponent > 0 else _Need.POSITIVE
        case Binary("**", left, Number(exponent)) if exponent < 0:
            yield from ((factor, _Need.NONZERO) for factor in _factors(left))
        case Binary("**", argument, exponent) if not isinstance(exponent, Number):
            yield argument, _Need.NOT_NEGATIVE
        case Call("sqrt", (argument,)):
            yield argument, _Need.NOT_NEGATIVE
        case Call("rsqrt" | "log", (argument,)):
            yield argument, _Need.POSITIVE
        case Call("log1p", (argument,)):
            one = Number(Fraction(1), argument.kind, argument.span)
            yield Binary("+", one, argument, argument.kind, argument.span), _Need.POSITIVE


def _factors(expression: Expression) -> Iterator[Expression]:
    """Yield expressions of which one is zero exactly where this one is."""
    match expression:
        case Binary("*", left, right):
            yield from _factors(left)
            yield from _factors(right)
        case Binary("/", operand, _) | Negate(operand) | Call("sqrt" | "abs" | "stop_gradient", (operand,)):
            yield from _factors(operand)
        case Binary("**", base, Number(exponent)) if exponent > 0:
            yield from _factors(base)
        case _:
            yield expression
