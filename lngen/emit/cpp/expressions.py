"""SymPy expressions as C++ of a type `A`: a number, or a vector of numbers on a processor.

A literal is written `A(0.5)`: a constant of the compute type, never a double that a kernel would have to convert.
Functions are called in the namespace `math`. An argument that a call leaves out is a type of its own (`absence.h`), so
that `x*Zero()` is `Zero()`. An operand that may be such a type is converted where C++ needs a number.

Integers are computed as such, and become an `A` where a real number is computed of them. A comparison of two integers
is one of integers, which is exact where `A` is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import sympy
from sympy import Add, Expr, Mul, Pow, Symbol
from sympy.core.relational import Relational

from lngen.algebra.fold import Fold
from lngen.algebra.symbols import ENTRY_OF, HEADS, PLACE, D, Where, axes, holds_integers, is_integer, of_number
from lngen.emit.expressions import decimal, factors_in_order, number_of, terms_in_order
from lngen.errors import LngenError
from lngen.plan.passes.moments import CALLED

# Precedence of the printed text.
_SUM, _PRODUCT, _ATOM = range(3)

_LARGEST = sympy.Float("1.7e308")

ZERO_AT_ZERO = {head for name, head in HEADS.items() if of_number(name, sympy.S.Zero) == 0}
"""Functions that are zero at zero: `absence.h` has them for the type of an absent argument."""


def literal(value: Expr | Fraction) -> str:
    """An exact number as a constant of the compute type.

    >>> from sympy import Integer, Rational, pi, sqrt
    >>> [literal(number) for number in (Integer(3), Rational(-1, 2), Rational(1, 3), sqrt(pi))]
    ['A(3)', 'A(-0.5)', 'A(0.33333333333333333333)', 'A(1.7724538509055160273)']
    """
    number = number_of(value) if isinstance(value, Fraction) else value
    if number.is_Integer and abs(number) < 2**31:
        return f"A({int(number)})"
    return f"A({real(number)})"


def real(number: Expr) -> str:
    """An exact number as a literal of C++; raises LngenError if it is larger than any double."""
    text = decimal(number, 20)
    if abs(number.evalf()) > _LARGEST:
        raise LngenError(f"the number {text} is larger than any double; use smaller constants")
    return text if "." in text or "e" in text else f"{text}.0"


def names_type(text: str) -> bool:
    """Test whether a text names the type `A`.

    >>> names_type("at(X) + A(1)"), names_type("choose<A>(a > b, a, b)"), names_type("at(A_B) + at(B_A)")
    (True, True, False)
    """
    return re.search(r"\bA[(>]", text) is not None


class Kinds(NamedTuple):
    """Types that a value may have for some inputs: `zero` for `Zero`, `other` for another number known as a type."""

    zero: bool = False
    other: bool = False

    @property
    def known(self) -> bool:
        """Test whether it may be a number that is known as a type."""
        return self.zero or self.other


REAL = Kinds()


def is_literal(node: Expr) -> bool:
    """Test whether an expression is printed as one number: SymPy can evaluate every function but a select at one."""
    return bool(node.is_number and not node.has(Where))


class _KindsOf(Fold[Kinds]):
    """The walk to the kinds of an expression, from those of symbols."""

    def __init__(self, kinds: Mapping[Symbol, Kinds]) -> None:
        self.kinds = kinds

    def stays_zero(self, e: Expr) -> bool:
        """Test whether an expression is `Zero` wherever its type is known."""
        kinds = self.of(e)
        return kinds.zero and not kinds.other

    def symbol(self, e: Symbol) -> Kinds:
        return self.kinds.get(e, REAL)

    def add(self, e: Add) -> Kinds:
        parts = [*map(self.of, e.args)]
        known = all(part.known for part in parts)
        return Kinds(known, known and any(part.other for part in parts))

    def multiply(self, e: Mul) -> Kinds:
        # Of -1 a sign is printed.
        parts = [self.of(part) for part in e.args if part != -1]
        return Kinds(any(part.zero for part in parts), all(part.other for part in parts))

    def where(self, e: Where) -> Kinds:
        return Kinds(all(self.of(part).zero for part in e.args[1:]))

    def power(self, e: Pow) -> Kinds:
        if e.exp == 2 and isinstance(e.base, Symbol):
            return self.of(e.base)  # it is printed as a product
        return Kinds(bool(e.exp.is_positive) and self.stays_zero(e.base))

    def function(self, e: Expr) -> Kinds:
        return Kinds(type(e) in ZERO_AT_ZERO and self.stays_zero(e.args[0]))

    def other(self, e: Expr) -> Kinds:
        return REAL


def _sum(e: Expr, printed: Callable[[Expr], str]) -> tuple[str, int]:
    """Return the text of a sum, and how tightly it holds, given how its terms are printed."""
    text = ""
    for sign, term in terms_in_order(e):
        text += f" {'+' if sign > 0 else '-'} {printed(term)}" if text else f"{'' if sign > 0 else '-'}{printed(term)}"
    return text, _SUM


def _in_brackets(text: str, holds: int, tight: int) -> str:
    """Return an operand, in brackets where it holds less tightly than is asked for."""
    # A sign in front of a factor would read as a subtraction.
    return f"({text})" if holds < tight or (text.startswith("-") and holds < _ATOM) else text


class _IntegerText(Fold[tuple[str, int]]):
    """The walk to the text of an integer, within what `of` prints."""

    cannot = "the C++ backend cannot write as an integer"

    def __init__(self, of: CppPrinter) -> None:
        self.names, self.kinds = {**of.names, **of.integers}, of.kinds

    def line(self, e: Expr) -> str:
        """Return the text of one side of a comparison."""
        return self.of(e)[0]

    def number(self, e: Expr) -> tuple[str, int]:
        return str(e), _ATOM if e >= 0 else _SUM

    def symbol(self, e: Symbol) -> tuple[str, int]:
        if e not in self.names:
            raise LngenError(f"the C++ backend was given an expression with {e}, which nothing defines")
        return f"integer({self.names[e]})" if self.kinds.get(e, REAL).known else self.names[e], _ATOM

    def add(self, e: Add) -> tuple[str, int]:
        return _sum(e, lambda term: self._at_least(term, _PRODUCT))

    def multiply(self, e: Mul) -> tuple[str, int]:
        coefficient, factors, _ = factors_in_order(e)
        sign = "-" if coefficient < 0 else ""
        numbers = [str(abs(coefficient))] if abs(coefficient) != 1 else []
        return sign + "*".join(numbers + [self._at_least(factor, _ATOM) for factor in factors]), _PRODUCT

    def power(self, e: Pow) -> tuple[str, int]:
        return "*".join([self._at_least(e.base, _ATOM)] * int(e.exp)), _PRODUCT

    def _at_least(self, e: Expr, tight: int) -> str:
        return _in_brackets(*self.of(e), tight)


@dataclass(frozen=True)
class CppPrinter(Fold[tuple[str, int]]):
    """Printer of expressions: the text of each symbol, and the kinds of those that an absent input may determine.

    With `is_entry`, the text is for an entry of a row, where `A` may be a vector: parts that do not vary over the
    features are made vectors before they are computed with. What one of the `largest` entries is taken from is rounded
    first, as it was where that entry was found: of the product fused with the difference, what rounding took from the
    largest one would be left, 2**70 for numbers of 1e30.
    """

    cannot = "the C++ backend cannot write"

    names: Mapping[Symbol, str]
    kinds: Mapping[Symbol, Kinds]
    is_entry: bool = False
    integers: Mapping[Symbol, str] = field(default_factory=dict)
    largest: Collection[Symbol] = ()

    def line(self, expression: Expr, *, varies: bool = False) -> str:
        """An expression as a right-hand side, of type `A` if it `varies` over the features and is no integer."""
        if holds_integers(expression):
            return self._of_integers.of(expression)[0]
        text, _ = self.of(expression)
        return f"A({text})" if varies and self._is_alone(expression) and not is_literal(expression) else text

    def kinds_of(self, node: Expr) -> Kinds:
        """The kinds of an expression."""
        return self._kinds.of(node)

    @cached_property
    def _kinds(self) -> _KindsOf:
        return _KindsOf(self.kinds)

    @cached_property
    def _of_integers(self) -> _IntegerText:
        return _IntegerText(self)

    def number(self, node: Expr) -> str:
        """The text of an operand that has to be of type `A`."""
        text = self.of(node)[0]
        is_number = self._is_alone(node) and not is_literal(node)
        return f"A({text})" if self.kinds_of(node).known or (is_number and not text.startswith("A(")) else text

    def _argument(self, node: Expr) -> str:
        """The text of an operand that may also be Zero."""
        return self.of(node)[0] if self._kinds.stays_zero(node) else self.number(node)

    def of(self, e: Expr) -> tuple[str, int]:
        """The text of an expression, and how tightly it holds."""
        if is_literal(e):
            return literal(e), _ATOM
        if holds_integers(e) and e != PLACE:
            return f"A({self._of_integers.of(e)[0]})", _ATOM
        return super().of(e)

    def symbol(self, e: Symbol) -> tuple[str, int]:
        """The text of a symbol."""
        if e not in self.names:
            raise LngenError(f"the C++ backend was given an expression with {e}, which nothing defines")
        return self.names[e], _ATOM

    def add(self, e: Add) -> tuple[str, int]:
        """The text of a sum."""
        for m in self.largest:
            if e.coeff(m) == -1:
                return f"math::difference({self.number(e + m)}, {self.number(m)})", _ATOM
        alone = self._is_alone(e)
        return _sum(e, lambda term: self._at_least(term, _PRODUCT, alone))

    def multiply(self, e: Mul) -> tuple[str, int]:
        """The text of a product."""
        coefficient, numerator, denominator = factors_in_order(e)
        alone = self._is_alone(e)
        factors = [self._at_least(factor, _ATOM, alone) for factor in numerator]
        sign = "-" if coefficient == -1 and factors else ""
        if abs(coefficient) != 1 or not factors:
            factors.insert(0, literal(coefficient))
        text = sign + "*".join(factors)
        if denominator == (D,):
            return f"math::quotient({text}, {self.number(D)})", _PRODUCT
        if denominator:
            below = "*".join(self._at_least(factor, _ATOM, alone) for factor in denominator)
            text += f" / ({below})" if len(denominator) > 1 else f" / {below}"
        return text, _PRODUCT

    def power(self, e: Pow) -> tuple[str, int]:
        """The text of a power."""
        base, exponent = e.args
        if exponent == sympy.Rational(-1, 2):
            return f"math::rsqrt({self.number(base)})", _ATOM
        if exponent.is_number and exponent.is_negative:
            return f"A(1) / {self._at_least(Pow(base, -exponent), _ATOM)}", _PRODUCT
        doubled = 2 * exponent
        if not doubled.is_Integer:
            return f"math::pow({self.number(base)}, {self.number(exponent)})", _ATOM
        whole, half = divmod(int(doubled), 2)
        root = f"math::sqrt({self._argument(base)})" if half else ""
        if not whole:
            return root, _ATOM
        text = self._whole_power(base, whole)
        return (f"{text}*{root}", _PRODUCT) if root else (text, _ATOM if text.startswith("math") else _PRODUCT)

    def _whole_power(self, base: Expr, exponent: int) -> str:
        if exponent == 1:
            return self._at_least(base, _ATOM)
        if exponent == 2 and isinstance(base, Symbol):
            text = self.of(base)[0]
            return f"{text}*{text}"
        return f"math::power<{exponent}>({self._argument(base)})"

    def where(self, e: Where) -> tuple[str, int]:
        """The text of a select."""
        return f"choose<A>({', '.join(self.of(part)[0] for part in e.args)})", _ATOM

    def relation(self, e: Relational) -> tuple[str, int]:
        """The text of a comparison."""
        exact = all(map(is_integer, e.args)) and any(map(holds_integers, e.args))
        return f" {e.rel_op} ".join(map(self._of_integers.line if exact else self.number, e.args)), _SUM

    def function(self, e: Expr) -> tuple[str, int]:
        """The text of a call of a function."""
        entry, argument = ENTRY_OF[type(e)], e.args[0]
        printed = self._argument(argument) if type(e) in ZERO_AT_ZERO else self.number(argument)
        return f"{entry.cuda or f'math::{entry.name}'}({printed})", _ATOM

    def other(self, e: Expr) -> tuple[str, int]:
        """The text of a call of what a pass of the plan has put there."""
        if type(e) not in CALLED:
            return super().other(e)
        return f"{CALLED[type(e)]}({', '.join(map(self.number, e.args))})", _ATOM

    def _is_alone(self, e: Expr) -> bool:
        """Test whether nothing in a part of an entry varies over the features."""
        return self.is_entry and not axes(e).features

    def _at_least(self, node: Expr, tight: int, alone: bool = False) -> str:
        text, holds = self.of(node)
        if alone and isinstance(node, Symbol) and not text.startswith("A("):
            return f"A({text})"
        return _in_brackets(text, holds, tight)
