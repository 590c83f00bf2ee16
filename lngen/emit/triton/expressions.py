"""Expressions as Triton, under the conditions in which their terms are there.

A term that absent arguments make 0 is printed under its condition only. A sum of several such terms is added up on
lines of its own, each under an `if` that is decided when the kernel is compiled:

    y_dot = 0.0
    if HAS_x_dot:
        y_dot += (x_dot - mean_x_dot)*rstd
    if HAS_beta_dot:
        y_dot += beta_dot
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import sympy
from sympy import Expr, Symbol

from lngen.algebra.fold import Fold
from lngen.algebra.normal import in_elementary
from lngen.algebra.symbols import ENTRY_OF, PLACE, D, Power, holds_integers, is_integer
from lngen.emit.cpp.expressions import is_literal
from lngen.emit.cpp.presence import Presence
from lngen.emit.expressions import decimal, factors_in_order, is_short, terms_in_order
from lngen.emit.spelling import reading
from lngen.emit.triton.lines import Line, condition_text
from lngen.errors import LngenError
from lngen.plan.passes.moments import CALLED
from lngen.plan.presence import ALWAYS, NEVER, Condition

SUM, PRODUCT, ATOM = range(3)
"""Rank of how tightly a text holds together."""

OWN = {"asin", "acos", "atan", "tanh", "expm1", "log1p", "softplus", "sign"}
"""Functions that Triton lacks and a file has itself."""

_LARGEST = 2**31


def number(value: Expr) -> str:
    """A number as a constant of the compute type, whatever it meets.

    >>> number(sympy.Integer(2)), number(sympy.Rational(1, 2)), number(sympy.Rational(1, 10))
    ('2.0', '0.5', 'tl.full([1, 1], 0.1, A)')
    """
    text = repr(float(decimal(value, 20)))
    return text if is_short(value) else f"tl.full([1, 1], {text}, A)"


class TritonPrinter(Fold[tuple[str, int]]):
    """Walk from an expression to its text, and how tightly that holds together.

    `names` are the variables of symbols. What is printed is compiled where `given` holds; `base` begins the names of
    sums that are added up on lines of their own, which `lines` then has.
    """

    cannot = "the Triton backend cannot write"

    def __init__(
        self, names: Mapping[Symbol, str], presence: Presence, given: Condition = ALWAYS, base: str = ""
    ) -> None:
        self.names, self.presence, self.given, self.base = names, presence, given, base
        self.lines: list[Line] = []
        self.parts: list[str] = []

    def text(self, expression: Expr) -> str:
        """Return the text of an expression, of the compute type or a number."""
        return self.of(in_elementary(expression))[0]

    def assigned(self, expression: Expr, remark: str) -> list[Line]:
        """Return the lines that compute the value called `base`."""
        expression = in_elementary(expression)
        if isinstance(expression, sympy.Add) and not self._is_whole(expression):
            found = self._added_up(self.base, expression, remark)
            return [*self.lines, *found]
        if holds_integers(expression):
            text = _TritonIntegers(self).of(expression)[0]
        else:
            text = number(expression) if is_literal(expression) else self.of(expression)[0]
        return [*self.lines, (self.given, f"{self.base} = {text}{remark}")]

    # ---- presence

    def _is_whole(self, e: Expr) -> bool:
        """Test whether all terms of a sum are there."""
        return all(self.given.implies(self.presence.nonzero(term)) for _, term in terms_in_order(e))

    def _under(self, there: Condition) -> TritonPrinter:
        """The walk under a further condition, which adds its lines to those of this one."""
        inner = TritonPrinter(self.names, self.presence, self.given & there, self.base)
        inner.lines, inner.parts = self.lines, self.parts
        return inner

    def _added_up(self, name: str, e: Expr, remark: str = "") -> list[Line]:
        """The lines that add up terms, each where it is there."""
        found: list[Line] = []
        for there, terms in groupby(terms_in_order(e), key=lambda term: self.presence.nonzero(term[1]) & self.given):
            if there == NEVER:
                continue
            signed = [(sign, _at_least(self._under(there).of(term), PRODUCT)) for sign, term in terms]
            if not found and self.given.implies(there):
                found.append((there, f"{name} = {_sum(signed)}{remark}"))
                continue
            if not found:
                found.append((self.given, f"{name} = 0.0"))
            takes_off = len(signed) == 1 and signed[0][0] < 0
            found.append(
                (there, f"{name} {'-=' if takes_off else '+='} {signed[0][1] if takes_off else _sum(signed)}{remark}")
            )
        return found or [(self.given, f"{name} = 0.0{remark}")]

    def of(self, e: Any) -> tuple[str, int]:
        if is_literal(e) and not isinstance(e, sympy.logic.boolalg.BooleanAtom):
            return self.number(e)
        if not isinstance(e, Expr):
            return super().of(e)
        there = self.presence.nonzero(e)
        if there == NEVER:
            return "0.0", ATOM
        if self._is_conditional(e):
            return f"({self._under(there).of(e)[0]} if {condition_text(there)} else 0.0)", ATOM
        if e == D:
            return "length", ATOM
        if holds_integers(e):
            return f"{_at_least(_TritonIntegers(self).of(e), ATOM)}.to(A)", ATOM
        return super().of(e)

    def _is_conditional(self, e: Expr) -> bool:
        """Test whether an expression is 0 where something is left out; a sum has its terms under conditions."""
        there = self.presence.nonzero(e)
        return there != NEVER and not self.given.implies(there) and not isinstance(e, sympy.Add)

    # ---- heads

    def number(self, e: Any) -> tuple[str, int]:
        if e.is_Integer and abs(e) < _LARGEST:
            return str(int(e)), ATOM if e >= 0 else SUM
        return repr(float(decimal(e, 20))), ATOM if e >= 0 else SUM

    def symbol(self, e: Symbol) -> tuple[str, int]:
        if e not in self.names:
            problem = f"an expression with {reading(str(e))}, which nothing defines"
            raise LngenError(f"the Triton backend was given {problem}")
        return self.names[e], ATOM

    def add(self, e: Expr) -> tuple[str, int]:
        if self._is_whole(e):
            return _sum([(sign, _at_least(self.of(term), PRODUCT)) for sign, term in terms_in_order(e)]), SUM
        self.parts.append(f"{self.base}_part{len(self.parts) + 1 if self.parts else ''}")
        name = self.parts[-1]
        self.lines += self._added_up(name, e)
        return name, ATOM

    def multiply(self, e: Expr) -> tuple[str, int]:
        coefficient, numerator, denominator = factors_in_order(e)
        factors = [_at_least(self.of(factor), ATOM) for factor in numerator]
        sign = "-" if coefficient.is_negative and factors else ""
        size = abs(coefficient)
        below = list(denominator)
        if isinstance(size, sympy.Rational) and factors and size.q != 1 and not is_short(size):
            size, below = sympy.Integer(size.p), [*below, sympy.Integer(size.q)]
        if size != 1 or not factors:
            factors.insert(0, self.number(size if sign else size * sympy.sign(coefficient))[0])
        text = sign + "*".join(factors)
        if below:
            under = "*".join(_at_least(self.of(factor), ATOM) for factor in below)
            text += f"/({under})" if len(below) > 1 else f"/{under}"
        return text, PRODUCT

    def power(self, e: Any) -> tuple[str, int]:
        base, exponent = e.args
        if isinstance(e, Power) or not (2 * exponent).is_Integer:
            return f"power({self.text(base)}, {self.text(exponent)})", ATOM
        if exponent == -sympy.S.Half:
            return f"tl.rsqrt({self.text(base)})", ATOM
        if exponent.is_negative:
            return f"1/{_at_least(self.of(base**-exponent), ATOM)}", PRODUCT
        whole, half = divmod(int(2 * exponent), 2)
        factors = [_at_least(self.of(base), ATOM)] * whole + [f"tl.sqrt({self.text(base)})"] * half
        return "*".join(factors), PRODUCT if len(factors) > 1 else ATOM

    def where(self, e: Expr) -> tuple[str, int]:
        condition, *sides = e.args
        texts = [self.of(side)[0] for side in sides]
        if all(map(is_literal, sides)):
            return f"tl.where({self.of(condition)[0]}, {', '.join(map(number, sides))}).to(A)", ATOM
        return f"tl.where({self.of(condition)[0]}, {', '.join(texts)})", ATOM

    def relation(self, e: Any) -> tuple[str, int]:
        exact = all(map(is_integer, e.args)) and any(map(holds_integers, e.args))
        walk: Fold[tuple[str, int]] = _TritonIntegers(self) if exact else self
        return f" {e.rel_op} ".join(_at_least(walk.of(side), SUM) for side in e.args), SUM

    def function(self, e: Expr) -> tuple[str, int]:
        name = ENTRY_OF[type(e)].name
        u = e.args[0]
        text = self.of(u)[0]
        if self._is_conditional(u):
            text = text[1:-1]  # the call has parentheses
        return f"{name if name in OWN else f'tl.{name}'}({text})", ATOM

    def other(self, e: Expr) -> tuple[str, int]:
        if type(e) not in CALLED:
            return super().other(e)
        return f"{CALLED[type(e)]}({', '.join(map(self.text, e.args))})", ATOM


class _TritonIntegers(Fold[tuple[str, int]]):
    """Walk within integers, which stay such; those of arrays have 64 bits."""

    cannot = "the Triton backend cannot write as an integer"

    def __init__(self, outer: TritonPrinter) -> None:
        self.outer = outer

    def of(self, e: Any) -> tuple[str, int]:
        return ("D", ATOM) if e == D else self.of_head(e)

    def number(self, e: Any) -> tuple[str, int]:
        return str(e), ATOM if e >= 0 else SUM

    def symbol(self, e: Symbol) -> tuple[str, int]:
        return self.outer.symbol(e)

    def add(self, e: Expr) -> tuple[str, int]:
        return _sum([(sign, _at_least(self.of(term), PRODUCT)) for sign, term in terms_in_order(e)]), SUM

    def multiply(self, e: Expr) -> tuple[str, int]:
        return "*".join(self._wide(factor) for factor in e.args), PRODUCT

    def power(self, e: Any) -> tuple[str, int]:
        return "*".join([self._wide(e.base)] * int(e.exp)), PRODUCT

    def _wide(self, e: Expr) -> str:
        # The product of two places may need more than 32 bits.
        return f"{self.of(e)[0]}.to(tl.int64)" if e in (PLACE, D) else _at_least(self.of(e), ATOM)


def _sum(terms: Sequence[tuple[int, str]]) -> str:
    """Terms with their signs as a sum."""
    (sign, first), *others = terms
    return "".join(["-" * (sign < 0) + first, *(f" {'+' if sign > 0 else '-'} {text}" for sign, text in others)])


def _at_least(printed: tuple[str, int], tight: int) -> str:
    text, holds = printed
    return f"({text})" if holds < tight or (text.startswith("-") and holds < ATOM) else text
