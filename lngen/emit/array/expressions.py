"""Expressions as text of an array library, in the order in which the other backends compute them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import Any

import sympy
from sympy import Expr

from lngen.algebra.fold import Fold
from lngen.algebra.normal import in_elementary
from lngen.algebra.symbols import (
    ENTRY_OF,
    PLACE,
    Power,
    TypedSymbol,
    Where,
    derivative,
    holds_integers,
    is_integer,
)
from lngen.emit.array.dialects import Dialect
from lngen.emit.expressions import decimal, factors_in_order, is_short, terms_in_order
from lngen.plan.program import OPERATORS

SUM, PRODUCT, POWER, ATOM = range(4)
"""Rank of how tightly a text holds together."""

_LARGEST = 2**31
_DIGITS = 17


def _are_exact(fraction: sympy.Rational) -> bool:
    """Test whether numerator and denominator are exact in float32, so that 2*x/3 is rounded once; else a decimal is."""
    return bool(max(abs(fraction.p), fraction.q) <= 2**24)


class ArrayPrinter(Fold[tuple[str, int]]):
    """Walk from an expression to its text, and how tightly that holds together.

    `names` are the variables of symbols, and `features` the axes of a row as text. Those `moving` have derivatives that
    the library is to find. Conditions of selects, which have none, read `plain` variables; some have names, `tests`.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> from lngen.emit.array.dialects import JNP
    >>> x, mu, var = RowSymbol("x"), RowScalarSymbol("mu"), RowScalarSymbol("var", positive=True)
    >>> ArrayPrinter(JNP, {s: s.name for s in (x, mu, var)}, "-1").text((x - mu) / sympy.sqrt(var))
    '(x - mu)*jax.lax.rsqrt(var)'
    """

    cannot = "no array library writes"

    def __init__(
        self,
        dialect: Dialect,
        names: Mapping[Any, str],
        features: str,
        moving: Collection[TypedSymbol] = (),
        tests: Mapping[Expr, str] = MappingProxyType({}),
        plain: Mapping[Any, str] | None = None,
    ) -> None:
        self.to, self.names, self.features, self.moving = dialect, names, features, moving
        self.tests, self.plain = tests, names if plain is None else plain

    def text(self, expression: Expr) -> str:
        """Return the text of an expression."""
        return self.of(in_elementary(expression))[0]

    def of(self, e: Any) -> tuple[str, int]:
        if getattr(e, "is_number", False) and e.is_real and not e.has(Where):
            return self.number(e)
        if isinstance(e, Expr) and holds_integers(e):  # an integer where a real number is computed of it
            return self.to.cast.format(self._inside(_Integers(self), e, ATOM), "dtype"), ATOM
        return super().of(e)

    def number(self, e: Any) -> tuple[str, int]:
        # An integer that 32 bits do not hold is no integer to a library, and 1e30 is one to Python.
        if e.is_Integer and abs(e) < _LARGEST:
            return str(int(e)), ATOM if e >= 0 else SUM
        return repr(float(e)) if e.is_Rational else decimal(e, _DIGITS), ATOM if e >= 0 else SUM

    def symbol(self, e: TypedSymbol) -> tuple[str, int]:
        return self.names[e], ATOM

    def add(self, e: Expr) -> tuple[str, int]:
        text = ""
        for sign, term in terms_in_order(e):
            printed = self._inside(self, term, PRODUCT)
            text += f" {'+' if sign > 0 else '-'} {printed}" if text else f"{'' if sign > 0 else '-'}{printed}"
        return text, SUM

    def multiply(self, e: Expr) -> tuple[str, int]:
        coefficient, above, below = factors_in_order(e)
        if self.to.rsqrt:  # a quotient by a root is a product
            roots = [factor for factor in below if isinstance(factor, sympy.Pow) and factor.exp == sympy.S.Half]
            above, below = (*above, *(1 / root for root in roots)), tuple(f for f in below if f not in roots)
        factors = [self._inside(self, factor, POWER) for factor in above]
        sign = "-" if coefficient.is_negative and factors else ""
        size = abs(coefficient)
        if isinstance(size, sympy.Rational) and factors and size.q != 1 and not is_short(size) and _are_exact(size):
            size, below = sympy.Integer(size.p), (*below, sympy.Integer(size.q))
        if size != 1 or not factors:
            factors.insert(0, self.number(size if sign else size * sympy.sign(coefficient))[0])
        text = sign + "*".join(factors)
        if below:
            under = "*".join(self._inside(self, factor, POWER) for factor in below)
            text += f"/({under})" if len(below) > 1 else f"/{under}"
        return text, PRODUCT

    def power(self, e: Any) -> tuple[str, int]:
        base, exponent = e.args
        if isinstance(e, Power) or not exponent.is_number:
            return f"{self._inside(self, base, ATOM)}**{self._inside(self, exponent, ATOM)}", POWER
        if exponent == -sympy.S.Half and self.to.rsqrt:
            return f"{self.to.rsqrt}({self.of(base)[0]})", ATOM
        if exponent.is_negative:
            return f"1/{self._inside(self, base**-exponent, POWER)}", PRODUCT
        if exponent == sympy.S.Half:
            return f"{self.to.module}.sqrt({self.of(base)[0]})", ATOM
        return f"{self._inside(self, base, ATOM)}**{self._inside(self, exponent, ATOM)}", POWER

    def where(self, e: Expr) -> tuple[str, int]:
        condition, chosen, otherwise = e.args
        test = self.tests.get(condition)
        if test is None:
            walk = ArrayPrinter(self.to, self.plain, self.features)
            test = walk.of(condition)[0]
        one, other = (
            self._branch(chosen, test),
            self._branch(otherwise, f"~{test}" if test.isidentifier() else f"~({test})"),
        )
        if chosen.is_number and otherwise.is_number:
            one = self.to.number.format(one)
        return f"{self.to.module}.where({test}, {one}, {other})", ATOM

    def _branch(self, e: Expr, test: str) -> str:
        """The text of what a select chooses where a test holds; elsewhere it is no function of its values.

        Its derivative there, which may be infinite, is else multiplied by zero.
        """
        factors = [s for s in e.free_symbols if s in self.moving and not derivative(e, s).is_number]
        names = {s: f"_within({test}, {self.names[s]})" for s in factors}
        own = {**self.names, **names}
        walk = ArrayPrinter(self.to, own, self.features, self.moving, self.tests, self.plain) if names else self
        return walk.of(e)[0]

    def relation(self, e: Any) -> tuple[str, int]:
        exact = all(map(is_integer, e.args)) and any(map(holds_integers, e.args))
        walk = _Integers(self) if exact else self
        return f" {e.rel_op} ".join(walk.of(side)[0] for side in e.args), SUM

    def truth(self, e: Any) -> tuple[str, int]:
        return str(bool(e)), ATOM

    def complement(self, e: Expr) -> tuple[str, int]:
        return self.of(1 - e.args[0])

    def function(self, e: Expr) -> tuple[str, int]:
        return f"{self.to.function(ENTRY_OF[type(e)].name)}({self.of(e.args[0])[0]})", ATOM

    def reduction(self, e: Expr) -> tuple[str, int]:  # of parameters, before the rows
        return self.to.reduced(OPERATORS[type(e)], self.of(e.args[0])[0], self.features), ATOM

    def attains_first(self, e: Expr) -> tuple[str, int]:
        # The entry nearest to the extreme: a compiler may round it otherwise where it is computed again.
        body, extreme = (self._inside(self, part, PRODUCT) for part in e.args)
        gap = f"{self.to.module}.abs({body} - {extreme})"
        return self.to.cast.format(f"_first({gap}, {self.names[PLACE]}, {self.features})", "dtype"), ATOM

    def _inside(self, walk: Fold[tuple[str, int]], e: Any, tight: int) -> str:
        text, holds = walk.of(e)
        return f"({text})" if holds < tight or (text.startswith("-") and holds < POWER) else text


class _Integers(ArrayPrinter):
    """Walk within integers, which stay such."""

    def __init__(self, outer: ArrayPrinter) -> None:
        super().__init__(outer.to, outer.names, outer.features, outer.moving, outer.tests, outer.plain)

    def of(self, e: Any) -> tuple[str, int]:
        return self.of_head(e)
