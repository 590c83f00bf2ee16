"""Growth of the values of a program.

`e = exp(x)` may be 1e30 and `r = 1/sum(e)` then is 1e-30. Their product is an ordinary number, but `g*e*e*r*r` passes
through `e*e`, which is infinite in float32. So each value gets a *degree*, the power with which it grows with the rows:
1 for a row that is an argument, more than any power of one for an exponential, 0 for a bounded value. A product adds
degrees, a power multiplies them, a sum has its largest. A partial product that grows faster than all values of the
forward may be infinite where they are finite, and one that shrinks as fast may be 0 where the product is not. Near zero
the same holds with the degrees of the rows negated: there their reciprocals grow.

A degree is an estimate of the size, not of the value. It decides only the order of multiplication, and which selects
include the factors beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import floor
from typing import Any

import sympy
from sympy import Add, Expr, Mul, Pow, Rational, Symbol
from sympy.core.relational import Relational

from lngen.algebra.exponentials import never_positive
from lngen.algebra.extremes import differences
from lngen.algebra.fold import Fold
from lngen.algebra.symbols import (
    Asin,
    Atan,
    AttainsFirst,
    Expm1,
    Log1p,
    Reduction,
    RowMin,
    Sigmoid,
    Softplus,
    SumRows,
    TypedSymbol,
    Where,
    axes,
    heads_that,
    is_row,
)

Value = tuple[TypedSymbol, Expr]
"""A symbol and what is assigned to it."""

ARGUMENT = Rational(1)
EXPONENTIAL = Rational(100)

_NONE = Rational(0)
_DEEP = EXPONENTIAL / 4
_NOTHING = EXPONENTIAL * _DEEP / 2
_BOUNDED = (AttainsFirst, *heads_that(lambda entry: entry.bounded))
_LIKE_ITS_ARGUMENT = (sympy.tanh, sympy.sin, sympy.erf, Asin, Atan, Expm1, Log1p)
"""Functions whose values near zero are as small as their arguments."""


@dataclass(frozen=True)
class BelowZero:
    """Properties of a value that is never above 0."""

    is_deep: bool
    """True if some entry of a row makes it far below 0."""
    everywhere: bool
    """True if it is so in the whole row, and not just where a select chooses the row whose largest entry is taken."""


@dataclass(frozen=True)
class Growth(Fold[Rational]):
    """The degrees of the values of a program, and the largest that its forward has, which is 1 at least.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> x, e, r = RowSymbol("x"), RowSymbol("e"), RowScalarSymbol("r")
    >>> growth = Growth({x: ARGUMENT, e: EXPONENTIAL, r: -EXPONENTIAL})
    >>> [growth.degree(u) for u in (x**2, x*e*r, 1 + r, 1/(e + 1), sympy.tanh(x), sympy.exp(x), 1 - Sigmoid(x))]
    [2, 1, 0, -100, 0, 100, -100]
    >>> [growth.degree(u) for u in (sympy.tanh(r), sympy.cos(r), Log1p(r), sympy.log(r))]
    [-100, 0, -100, 1]
    """

    degrees: Mapping[TypedSymbol, Rational] = field(default_factory=dict)
    most: Rational = ARGUMENT
    complements: Mapping[TypedSymbol, Rational] = field(default_factory=dict)
    """The degree of what each sigmoid of an exponent that grows leaves to 1."""
    vanishing: Rational | None = None
    """Exponents of a larger degree are far below zero, where an exponential, a sigmoid and a softplus vanish."""
    at_most_one: tuple[TypedSymbol, ...] = ()
    """Exponentials of what is never above 0."""
    below_zero: Mapping[Expr, BelowZero] = field(default_factory=dict)
    """Values and exponents that are never above 0."""
    beside: Growth | None = None
    """Growth of the other entries of a row, if only some have exponents far below zero."""
    small: tuple[TypedSymbol, ...] = ()
    """The arguments that are near zero: their reciprocals grow."""

    @classmethod
    def at_the_ends(cls, arguments: Sequence[TypedSymbol], values: Sequence[Value]) -> tuple[Growth, ...]:
        """The growth of a forward where its exponents are large, where they are far below zero, and in a row of both;
        and where exponents are large, but those that grow as an exponential does are far below zero. Then where all
        arguments are near zero; and of several rows each on its own, and all but each.

        >>> from lngen.algebra.symbols import Mean, RowScalarSymbol, RowSymbol
        >>> x, e, y, r, s = *map(RowSymbol, ("x", "e", "y")), *map(RowScalarSymbol, "rs")
        >>> values = [(e, sympy.exp(x)), (y, 1/e), (r, 1/Mean(e)), (s, 1/Mean(x))]
        >>> ends = Growth.at_the_ends([x], values)
        >>> for symbol in y, r, s:
        ...     print([growth.degree(symbol) for growth in ends])
        [-100, 100, 100, -100, 0]
        [-100, 100, -100, -100, 0]
        [-1, -1, -1, -1, 1]
        """
        above, below, deep = (cls(vanishing=end).of_forward(arguments, values) for end in (None, _NONE, _DEEP))
        both = cls(vanishing=_NONE, beside=above).of_forward(arguments, values)
        near_zero = cls(small=tuple(arguments)).of_forward(arguments, values)
        rows = tuple(filter(is_row, arguments))
        apart = [each for row in rows for each in ((row,), tuple(other for other in rows if other != row))]
        unlike = [cls(small=each).of_forward(rows, values) for each in dict.fromkeys(apart) if len(rows) > 1]
        return above, below, both, deep, near_zero, *unlike

    def of_forward(self, arguments: Iterable[TypedSymbol], values: Sequence[Value]) -> Growth:
        """The growth of a forward: as much as its values grow, those of its gradients may.

        How much they shrink says nothing: a value of the forward may vanish where its gradient does not. The factors
        of a product are not values of it one by one: what is written `m*m*(m/x)` never is `m**3`.

        >>> from lngen.algebra.symbols import RowSymbol
        >>> x, y = RowSymbol("x"), RowSymbol("y")
        >>> [Growth().of_forward([x], [(y, value)]).most for value in (x**4, x**3/(x + 1), x**5*(x**3 + 1)**-1)]
        [4, 2, 3]
        """
        rows = [symbol for symbol in arguments if axes(symbol).rows]
        given = {symbol: -ARGUMENT if symbol in self.small else ARGUMENT for symbol in rows}
        growth = replace(self, degrees=given).after(values)
        reached = (growth.degree(part) for _, value in values for part in _values_in(value))
        # An exponential of an exponential that vanishes is 0, and its reciprocal has no value.
        return replace(growth, most=max([ARGUMENT, *(degree for degree in reached if degree < _NOTHING)]))

    def after(self, values: Sequence[Value]) -> Growth:
        """The same with the degrees of what is assigned next.

        What is never above 0, as a row less its largest entry, has an exponential that does not grow. What is bounded
        has no degree.

        >>> from lngen.algebra.symbols import RowMax, RowScalarSymbol, RowSymbol
        >>> x, m, c, e = RowSymbol("x"), RowScalarSymbol("m"), RowSymbol("c"), RowSymbol("e")
        >>> shifted = (m, RowMax(x)), (c, x - m), (e, sympy.exp(c))
        >>> Growth({x: ARGUMENT}).after(shifted).degrees
        {x: 1, m: 1, c: 1}
        """
        found = self if self.beside is None else replace(self, beside=self.beside.after(values))
        everywhere = never_positive(values, [e for e, known in self.below_zero.items() if known.everywhere])
        below = everywhere | differences(values)
        for symbol, expression in values:
            exponents = (function.args[0] for function in expression.atoms(sympy.exp, Expm1))
            for e in (*exponents, expression) if below else ():
                if e in below:
                    found = found._with_below_zero(e, e in everywhere, *([symbol] if e == expression else []))
            if complement := found._complement(expression):
                found = replace(found, complements={**found.complements, symbol: complement})
            bounded = isinstance(expression, sympy.exp) and expression.args[0] in found.below_zero
            if bounded:
                found = replace(found, at_most_one=(*found.at_most_one, symbol))
            degree = found.degree(expression)
            if degree or not (bounded or found._is_bounded(expression)):
                found = found.with_value(symbol, degree)
        return found

    def _with_below_zero(self, value: Expr, everywhere: bool, *names: TypedSymbol) -> Growth:
        """The same with a value that is never above 0: a row less its largest entry is 0 there, far below it beside."""
        in_row = axes(value).features and any(not axes(symbol).features for symbol in value.free_symbols)
        deep = {s for s in value.free_symbols if s in self.below_zero and self.below_zero[s].is_deep}
        known = BelowZero(in_row or value.has(Reduction) or bool(deep), everywhere)
        return replace(self, below_zero={**self.below_zero, **dict.fromkeys((value, *names), known)})

    def with_value(self, symbol: TypedSymbol, degree: Rational) -> Growth:
        """The same with one degree more."""
        return replace(self, degrees={**self.degrees, symbol: degree})

    def renamed(self, new: Callable[[TypedSymbol], TypedSymbol]) -> Growth:
        """The same of other symbols."""
        return replace(
            self,
            degrees={new(symbol): degree for symbol, degree in self.degrees.items()},
            complements={new(symbol): degree for symbol, degree in self.complements.items()},
            at_most_one=tuple(map(new, self.at_most_one)),
            below_zero={e.xreplace({s: new(s) for s in e.free_symbols}): known for e, known in self.below_zero.items()},
            beside=None if self.beside is None else self.beside.renamed(new),
        )

    def degree(self, expression: Expr) -> Rational:
        """The power with which an expression grows; that of a symbol that nothing is known of is 0."""
        return self.of(expression)

    def symbol(self, e: Symbol) -> Rational:
        return self.degrees.get(e, _NONE)

    def add(self, e: Add) -> Rational:
        return self._of_one_less(e) or max(map(self.degree, e.args))

    def multiply(self, e: Mul) -> Rational:
        return sum(map(self.degree, e.args), _NONE)

    def power(self, e: Pow) -> Rational:
        return self.degree(e.base) * (e.exp if e.exp.is_Rational else 0)

    def where(self, e: Where) -> Rational:
        return max(map(self.degree, e.args[1:]))

    def function(self, e: Expr) -> Rational:
        inner = self.degree(e.args[0]) if len(e.args) == 1 else _NONE
        if inner < 0 and isinstance(e, _LIKE_ITS_ARGUMENT):
            return inner
        if isinstance(e, (sympy.log, Log1p)):
            return abs(inner) // EXPONENTIAL
        if isinstance(e, (sympy.exp, Expm1, Sigmoid, Softplus)):
            return self._of_exponent(e)
        return inner if isinstance(e, sympy.Abs) else _NONE

    def reduction(self, e: Reduction) -> Rational:
        each = [end.degree(e.args[0]) for end in (self, self.beside) if end is not None]
        return min(each) if isinstance(e, RowMin) else max(each)

    def sum_rows(self, e: SumRows) -> Rational:
        return self.degree(e.args[0])

    stop_gradient = sum_rows

    def other(self, e: Any) -> Rational:
        return _NONE

    def _of_exponent(self, function: Expr) -> Rational:
        (exponent,) = function.args
        exponential = self._exponential(exponent)
        if isinstance(function, Softplus) and exponential >= 0:
            return self.degree(exponent)
        if isinstance(function, Sigmoid):
            return min(_NONE, exponential)
        if isinstance(function, Expm1):
            return max(_NONE, exponential)
        # The square of an exponential is one exponential to SymPy.
        return exponential * max(1, floor(abs(exponent.as_coeff_Mul()[0])))

    def _exponential(self, exponent: Expr) -> Rational:
        """The degree of an exponential. A normalised row has degree 0, and is the larger the longer it is."""
        times, value = exponent.as_coeff_Mul()
        known = self.below_zero.get(exponent, self.below_zero.get(value) if times > 0 else None)
        if known is not None:
            return -EXPONENTIAL if known.is_deep and self.beside is not None else _NONE
        degree = self.degree(exponent)
        if degree < 0 or self._is_bounded(exponent):
            return _NONE
        return -_power_of_e(degree) if self._may_vanish(exponent, degree) else _power_of_e(degree)

    def _may_vanish(self, exponent: Expr, degree: Rational) -> bool:
        """Test whether the exponential of an exponent of that degree does not grow."""
        if exponent.is_nonpositive:
            return True
        if self.vanishing is None or exponent.is_nonnegative or not (self.beside is None or axes(exponent).features):
            return False
        return self.vanishing == 0 or bool(degree > self.vanishing)

    def _of_one_less(self, total: Add) -> Rational:
        """The degree of a sum that is what a sigmoid leaves to 1; 0 of another one."""
        if len(total.args) != 2 or sympy.S.One not in total.args:
            return _NONE
        rest = 1 - total
        return self.complements.get(rest, self._complement(rest))

    def _complement(self, sigmoid: Expr) -> Rational:
        return -max(_NONE, self._exponential(sigmoid.args[0])) if isinstance(sigmoid, Sigmoid) else _NONE

    def _is_bounded(self, expression: Expr) -> bool:
        """Test whether an expression is of order one for every row."""
        return isinstance(expression, _BOUNDED) or expression.free_symbols.isdisjoint(self.degrees)

    def overreach(self, expression: Expr) -> Rational:
        """Return the excess of partial products over the range of the forward's values, on either side.

        Factors that vary over the same axes are multiplied first, those that grow and those that shrink each on their
        own. A product may be as large or as small as its value, in whatever order it is multiplied.

        >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
        >>> e, p, r = RowSymbol("e"), RowSymbol("p"), RowScalarSymbol("r")
        >>> growth = Growth({e: EXPONENTIAL, r: -EXPONENTIAL}, most=EXPONENTIAL)
        >>> growth.overreach(p*e*r), growth.overreach(e**2*r**2*p)
        (0, 100)
        >>> growth = Growth({p: -ARGUMENT, e: ARGUMENT, r: -ARGUMENT})
        >>> growth.overreach(p*e*r), growth.overreach(p**2*e), growth.overreach(p**2*r)
        (0, 1, 0)
        """
        if not expression.args or isinstance(expression, Relational):
            return _NONE
        own = self.overreach_of(expression.args) if isinstance(expression, Mul) else _NONE
        return max([own, *map(self.overreach, expression.args)])

    def overreach_of(self, factors: Iterable[Expr]) -> Rational:
        """Return the excess of the product of these factors."""
        partial: dict[tuple[object, bool], Rational] = {}
        whole = _NONE
        for factor in factors:
            grows = self.degree(factor)
            whole += grows
            key = (axes(factor), bool(grows > 0))
            partial[key] = partial.get(key, _NONE) + abs(grows)
        # Beside what vanishes or grows as an exponential does, a power is nothing.
        own = whole if abs(whole) < _DEEP else _NONE
        # A value that vanishes for good stays 0 in every product.
        beyond = (
            degree - max(self.most, own if grows else -own)
            for (_, grows), degree in partial.items()
            if grows or degree < _NOTHING
        )
        return max([_NONE, *beyond])


def _power_of_e(degree: Rational) -> Rational:
    """The degree of the exponential of what has that degree: larger where that is an exponential itself.

    >>> [_power_of_e(degree) for degree in (ARGUMENT, EXPONENTIAL + ARGUMENT)]
    [100, 2500]
    """
    return EXPONENTIAL if degree <= _DEEP else _DEEP * _power_of_e(degree / _DEEP)


def _values_in(expression: Expr) -> Iterator[Expr]:
    """An expression and what it is made of, but of a product not its powers."""
    yield expression
    for part in expression.args:
        if isinstance(expression, Mul) and isinstance(part, Pow):
            yield from _values_in(part.base)
        elif isinstance(part, Expr):
            yield from _values_in(part)
