"""SymPy expressions as C++ of a type `A`: a number, or a vector of numbers on a processor.

A literal is written `A(0.5)`: a constant of the compute type, never a double that a kernel would have to convert.
Functions are called in the namespace `math`. An argument that a call leaves out is a type of its own (`absence.h`), so
that `x*Zero()` is `Zero()`. An operand that may be such a type is converted where C++ needs a number.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import sympy
from sympy import Add, Expr, Mul, Pow, Symbol
from sympy.core.relational import Relational
from sympy.logic.boolalg import And, BooleanFalse, BooleanTrue, Not, Or

from lngen.algebra.symbols import ENTRY_OF, HEADS, D, Where, axes, of_number
from lngen.emit.expressions import decimal, factors_in_order, number_of, terms_in_order
from lngen.errors import LngenError
from lngen.plan.passes.moments import CALLED

_COMPARISONS = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "==", "!=": "!="}

# Precedence of the printed text.
_SUM, _PRODUCT, _ATOM = range(3)

_LARGEST = sympy.Float("1.7e308")

# Functions that are zero at zero: absence.h has them for the type of an absent argument.
_ZERO_AT_ZERO = {head for name, head in HEADS.items() if of_number(name, sympy.S.Zero) == 0}


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


@dataclass(frozen=True)
class CppPrinter:
    """Printer of expressions: the text of each symbol, and the kinds of those that an absent input may determine.

    With `is_entry`, the text is for an entry of a row, where `A` may be a vector: parts that do not vary over the
    features are made vectors before they are computed with.
    """

    names: Mapping[Symbol, str]
    kinds: Mapping[Symbol, Kinds]
    is_entry: bool = False

    def line(self, expression: Expr, *, varies: bool = False) -> str:
        """An expression as a right-hand side, of type `A` if it `varies` over the features."""
        if varies and self.is_entry and not axes(expression).features and not self._is_literal(expression):
            return f"A({self._print(expression)[0]})"
        return self._print(expression)[0]

    def kinds_of(self, node: Expr) -> Kinds:
        """The kinds of an expression."""
        if isinstance(node, Symbol):
            return self.kinds.get(node, REAL)
        if self._is_literal(node):
            return REAL
        if isinstance(node, Add):
            parts = [self.kinds_of(part) for part in node.args]
            known = all(part.known for part in parts)
            return Kinds(known, known and any(part.other for part in parts))
        if isinstance(node, Mul):
            parts = [self.kinds_of(part) for part in node.args]
            return Kinds(any(part.zero for part in parts), all(part.other for part in parts))
        if isinstance(node, Where):
            zero = all(self.kinds_of(part).zero for part in node.args[1:])
            return Kinds(zero)
        if isinstance(node, Pow):
            return Kinds(bool(node.exp.is_positive) and self._stays_zero(node.base))
        if type(node) in _ZERO_AT_ZERO:
            return Kinds(self._stays_zero(node.args[0]))
        return REAL

    def _stays_zero(self, node: Expr) -> bool:
        kinds = self.kinds_of(node)
        return kinds.zero and not kinds.other

    def number(self, node: Expr) -> str:
        """The text of an operand that has to be of type `A`."""
        text = self._print(node)[0]
        is_number = self.is_entry and not axes(node).features and not self._is_literal(node)
        return f"A({text})" if self.kinds_of(node).known or (is_number and not text.startswith("A(")) else text

    def _argument(self, node: Expr) -> str:
        """The text of an operand that may also be Zero."""
        return self._print(node)[0] if self._stays_zero(node) else self.number(node)

    def _print(self, node: Expr, alone: bool = False) -> tuple[str, int]:
        """The text of an expression, and how tightly it holds; `alone` if nothing in it varies over the features."""
        if isinstance(node, Symbol):
            return f"A({self._symbol(node)})" if alone else self._symbol(node), _ATOM
        if self._is_literal(node):
            return literal(node), _ATOM
        alone = self.is_entry and not axes(node).features
        if isinstance(node, Add):
            return self._sum(node, alone), _SUM
        if isinstance(node, Mul):
            return self._product(node, alone), _PRODUCT
        if isinstance(node, Pow):
            return self._power(node)
        if isinstance(node, Where):
            condition, chosen, otherwise = node.args
            texts = self._truth(condition), self._print(chosen)[0], self._print(otherwise)[0]
            return f"choose<A>({', '.join(texts)})", _ATOM
        if type(node) in ENTRY_OF:
            entry = ENTRY_OF[type(node)]
            argument = node.args[0]
            printed = self._argument(argument) if type(node) in _ZERO_AT_ZERO else self.number(argument)
            return f"{entry.cuda or f'math::{entry.name}'}({printed})", _ATOM
        if type(node) in CALLED:
            return f"{CALLED[type(node)]}({', '.join(map(self.number, node.args))})", _ATOM
        raise LngenError(
            f"the C++ backend cannot print {type(node).__name__}, which occurs in {node}; "
            "write the definition with the functions of lngen.language"
        )

    def _is_literal(self, node: Expr) -> bool:
        # SymPy can evaluate every function but this one at a number.
        return bool(node.is_number and not node.has(Where))

    def _symbol(self, symbol: Symbol) -> str:
        if symbol not in self.names:
            raise LngenError(f"the C++ backend was given an expression with {symbol}, which nothing defines")
        return self.names[symbol]

    def _sum(self, node: Expr, alone: bool) -> str:
        text = ""
        for sign, term in terms_in_order(node):
            printed = self._at_least(term, _PRODUCT, alone)
            text += f" {'+' if sign > 0 else '-'} {printed}" if text else f"{'' if sign > 0 else '-'}{printed}"
        return text

    def _product(self, node: Expr, alone: bool) -> str:
        coefficient, numerator, denominator = factors_in_order(node)
        factors = [self._at_least(factor, _ATOM, alone) for factor in numerator]
        sign = "-" if coefficient == -1 and factors else ""
        if abs(coefficient) != 1 or not factors:
            factors.insert(0, literal(coefficient))
        text = sign + "*".join(factors)
        if denominator == (D,):
            return f"math::quotient({text}, {self.number(D)})"
        if denominator:
            below = "*".join(self._at_least(factor, _ATOM, alone) for factor in denominator)
            text += f" / ({below})" if len(denominator) > 1 else f" / {below}"
        return text

    def _power(self, node: Expr) -> tuple[str, int]:
        base, exponent = node.args
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
            text = self._symbol(base)
            return f"{text}*{text}"
        return f"math::power<{exponent}>({self._argument(base)})"

    def _truth(self, node: sympy.Basic) -> str:
        if isinstance(node, Relational) and node.rel_op in _COMPARISONS:
            left, right = (self.number(side) for side in node.args)
            return f"{left} {_COMPARISONS[node.rel_op]} {right}"
        if isinstance(node, (BooleanTrue, BooleanFalse)):
            return "true" if node == sympy.true else "false"
        if isinstance(node, Not):
            return f"!({self._truth(node.args[0])})"
        if isinstance(node, (And, Or)):
            parts = sorted(map(self._truth, node.args))
            return (" && " if isinstance(node, And) else " || ").join(f"({part})" for part in parts)
        raise LngenError(f"the C++ backend cannot print the condition {node}")

    def _at_least(self, node: Expr, tight: int, alone: bool = False) -> str:
        text, holds = self._print(node, alone)
        # A sign in front of a factor would read as a subtraction.
        return f"({text})" if holds < tight or (text.startswith("-") and holds < _ATOM) else text
