"""One walk over an expression, with a method for each head.

An expression becomes text, LaTeX, C++, operations of NumPy, numbers, polynomials by one walk each: a `Fold`, whose
methods say what becomes of a sum, a product, a mean. The heads that an expression may have are listed here alone.
"""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any, ClassVar, Generic, TypeVar

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanAtom

from lngen.algebra.normal import NormalDensity, Phi
from lngen.algebra.symbols import ENTRY_OF, AttainsFirst, Complement, Power, Reduction, StopGradient, SumRows, Where
from lngen.errors import LngenError

_METHODS: dict[type, str] = {
    sympy.Symbol: "symbol",
    sympy.Number: "number",
    sympy.NumberSymbol: "number",
    sympy.Add: "add",
    sympy.Mul: "multiply",
    sympy.Pow: "power",
    Power: "power",
    Relational: "relation",
    BooleanAtom: "truth",
    Where: "where",
    Reduction: "reduction",
    SumRows: "sum_rows",
    AttainsFirst: "attains_first",
    StopGradient: "stop_gradient",
    Complement: "complement",
    NormalDensity: "normal",
    Phi: "normal",
    **dict.fromkeys(ENTRY_OF, "function"),
}
"""The method of a `Fold` for each head: all heads that a derivation has, a class standing for its subclasses."""


@cache
def _method(head: type) -> str:
    return next((_METHODS[kind] for kind in head.__mro__ if kind in _METHODS), "other")


Value = TypeVar("Value")


class Fold(Generic[Value]):
    """A walk that gives each part of an expression a value, a part that occurs twice once.

    A subclass has a method for each head that it tells apart, of the names in `_METHODS`, which asks for the values of
    parts by `of`. All others are `other`, which refuses them unless the subclass says what they are.

    >>> from lngen.algebra.symbols import Mean, RowSymbol
    >>> class Reductions(Fold[int]):
    ...     cannot = "nobody counts"
    ...     def symbol(self, e): return 0
    ...     def add(self, e): return sum(map(self.of, e.args))
    ...     def reduction(self, e): return 1 + self.of(e.args[0])
    >>> x, y = RowSymbol("x"), RowSymbol("y")
    >>> Reductions().of(x + Mean(y + Mean(x)))
    2
    >>> Reductions().of(Mean(x) + x * y)
    Traceback (most recent call last):
    lngen.errors.LngenError: nobody counts Mul, which occurs in x*y
    """

    cannot: str = "no meaning is known for"
    """Words before the name of a head that is refused."""
    refusal: ClassVar[type[Exception]] = LngenError
    """The error for such a head."""

    @cached_property
    def _values(self) -> dict[Any, Value]:
        return {}

    def of(self, e: Any) -> Value:
        """Return the value of an expression or a condition."""
        if e not in self._values:
            self._values[e] = self.of_head(e)
        return self._values[e]

    def of_head(self, e: Any) -> Value:
        """Return the value by the method for the head of an expression."""
        head: Any = type(e)
        found: Value = getattr(self, _method(head), self.other)(e)
        return found

    def other(self, e: Any) -> Value:
        """Refuse a head that the walk has no method for."""
        raise self.refusal(f"{self.cannot} {type(e).__name__}, which occurs in {e}")
