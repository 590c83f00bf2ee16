"""Expressions as terms of Lean 4 over Mathlib's real numbers.

>>> from lngen.algebra.symbols import D, Mean, RowScalarSymbol, RowSymbol
>>> x, mu, var = RowSymbol("x"), RowScalarSymbol("mu"), RowScalarSymbol("var")
>>> print(lean(Mean((x - mu)**2)))
(∑ j, (s.x n j - s.mu n) ^ 2) / (D : ℝ)
>>> print(lean(x/sympy.sqrt(var + 1)))
s.x n i / Real.sqrt (1 + s.var n)
"""

from __future__ import annotations

from collections.abc import Mapping

import sympy
from sympy import Expr, Symbol

from lngen.algebra.notation import Order
from lngen.algebra.notation.plain import WORDS, Text, text
from lngen.algebra.symbols import (
    ENTRY_OF,
    PLACE,
    D,
    Mean,
    Reduction,
    RowMax,
    RowMin,
    StopGradient,
    SumRows,
    axes,
    of_number,
)
from lngen.errors import LngenError

ROW, FEATURE = "n", "i"
"""Indices of a row and of a feature in a statement."""

_BOUND = {"": "i", "i": "j", "j": "k", "n": "m", "m": "l"}
"""Index of a sum inside a term that has an index already."""

_MATHLIB = {"exp": "exp", "log": "log", "sin": "sin", "cos": "cos", "tanh": "tanh"}
_MATHLIB |= {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
_KEYWORDS = """
abbrev at axiom by calc class def deriving do else end example export extends finally for from fun have if import in
include inductive infix instance let local macro match meta mut mutual namespace noncomputable notation omit open opaque
postfix prefix private protected public return rfl section set_option show sorry structure suffices then theorem this
try unless universe using variable where while with mk rec recOn casesOn noConfusion Prop Sort Type
"""
_RESERVED = frozenset(_KEYWORDS.split())
_PRODUCT = 1


class UnsaidError(LngenError):
    """An expression that is not exported; the message names what stands in the way."""


def lean_name(name: str) -> str:
    """A name as an identifier of Lean.

    >>> lean_name("xhat"), lean_name("at")
    ('xhat', '«at»')
    """
    return f"«{name}»" if name in _RESERVED else name


def lean(expression: Expr, order: Order = (), held: Mapping[Symbol, str] | None = None) -> str:
    """An expression as a term, of row `n` and feature `i`; `held` are variables of its own for some symbols.

    Raises UnsaidError for what is not exported: selects, places in a row, functions that Mathlib lacks.
    """
    return LeanText(order, held or {}).of(expression)


class LeanText(Text):
    """Writes expressions as terms of Lean. Values are functions of a row, of a feature, or of both."""

    times, over = " * ", " / "

    def __init__(self, order: Order, held: Mapping[Symbol, str], row: str = ROW, feature: str = FEATURE) -> None:
        super().__init__(order)
        self.held, self.row, self.feature = held, row, feature

    def symbol(self, e: Symbol) -> str:
        if e == D:
            return "(D : ℝ)"
        if e == PLACE:
            return self.other(e)
        if e in self.held:
            return self.held[e]
        varies = axes(e)
        indices = [self.row] * varies.rows + [self.feature] * varies.features
        return " ".join([f"s.{lean_name(e.name)}", *indices])

    def constant(self, e: Expr) -> str:
        known = {sympy.pi: "Real.pi", sympy.E: "Real.exp 1"}
        return known[e] if e in known else self.other(e)

    def raised(self, e: Expr) -> str:
        if not (isinstance(e, sympy.Pow) and e.exp.is_Rational):
            return self.other(e)
        if e.exp.q == 1:
            return f"{self._within(e.base, 3)} ^ {e.exp}"
        if e.exp.q == 2:
            root = f"Real.sqrt ({self.of(e.base)})"
            return root if e.exp.p == 1 else f"{root} ^ {e.exp.p}"
        return f"{self._within(e.base, 3)} ^ ({e.exp.p} / {e.exp.q} : ℝ)"

    def reduction(self, e: Reduction) -> str:
        inner = LeanText(self.order, self.held, self.row, _BOUND[self.feature])
        if isinstance(e, (RowMax, RowMin)):
            return f"({'⨆' if isinstance(e, RowMax) else '⨅'} {inner.feature}, {inner.of(e.args[0])})"
        total = f"(∑ {inner.feature}, {inner._within(e.args[0], _PRODUCT)})"
        return f"{total} / (D : ℝ)" if isinstance(e, Mean) else total

    def sum_rows(self, e: SumRows) -> str:
        inner = LeanText(self.order, self.held, _BOUND[self.row], self.feature)
        return f"(∑ {inner.row}, {inner._within(e.args[0], _PRODUCT)})"

    def stop_gradient(self, e: StopGradient) -> str:
        return self.of(e.args[0])

    def function(self, e: Expr) -> str:
        inner = self.of(e.args[0])
        if isinstance(e, sympy.Abs):
            return f"abs ({inner})"
        entry = ENTRY_OF[type(e)]
        if entry.name in _MATHLIB:
            return f"Real.{_MATHLIB[entry.name]} ({inner})"
        return self.other(e) if entry.written is None else f"({self.of(of_number(entry.name, e.args[0]))})"

    def relation(self, e: Expr) -> str:
        return self.other(e)

    def other(self, e: Expr) -> str:
        raise UnsaidError(f"{WORDS.get(type(e), text(e))} has no term here")

    def _binds(self, e: Expr) -> int:
        return _PRODUCT if isinstance(e, Mean) else super()._binds(e)
