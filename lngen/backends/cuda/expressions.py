"""SymPy expressions as CUDA C++ in the compute type `A`.

A literal is written `A(0.5)`: a constant of the compute type, never a double that the kernel would have to
convert. Functions are called in the namespace `math` of `rows.cuh`, which holds the overloads for float and
double.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import sympy
from sympy import Add, Expr, Mul, Pow, Symbol
from sympy.core.relational import Relational
from sympy.logic.boolalg import And, BooleanFalse, BooleanTrue, Not, Or

from lngen.backends.cuda.presence import Presence, beyond, cpp
from lngen.backends.expressions import decimal, factors_in_order, number_of, terms_in_order
from lngen.errors import LngenError
from lngen.expressions.symbols import ENTRY_OF, D, Where
from lngen.plan.passes.moments import CALLED
from lngen.plan.presence import ALWAYS, Condition

_COMPARISONS = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "==", "!=": "!="}

# Precedence of the printed text.
_SUM, _PRODUCT, _ATOM = range(3)

_LARGEST = sympy.Float("1.7e308")


def literal(value: Expr | Fraction) -> str:
    """An exact number as a constant of the compute type.

    >>> from sympy import Integer, Rational, pi, sqrt
    >>> [literal(number) for number in (Integer(3), Rational(-1, 2), Rational(1, 3), sqrt(pi))]
    ['A(3)', 'A(-0.5)', 'A(0.33333333333333333333)', 'A(1.7724538509055160273)']
    """
    number = number_of(value) if isinstance(value, Fraction) else value
    if number.is_Integer and abs(number) < 2**31:
        return f"A({int(number)})"
    text = decimal(number, 20)
    if abs(number.evalf()) > _LARGEST:
        raise LngenError(f"the number {text} is larger than any double; use smaller constants")
    return f"A({text})" if "." in text or "e" in text else f"A({text}.0)"


class Printer:
    """Printer of the expressions of one program; `names` maps symbols to names.

    A term with an absent input as a factor is not computed: it is printed as `(HAS_dh ? dh*w : A(0))`, which the
    compiler decides.
    """

    select = "({} ? {} : {})"
    """Template of a choice by a condition on values."""

    def __init__(self, names: Mapping[Symbol, str], presence: Presence) -> None:
        self._names = names
        self._presence = presence

    def line(self, expression: Expr, given: Condition = ALWAYS) -> str:
        """An expression as the right-hand side of an assignment that is reached only where `given` holds."""
        text, _ = self._print(expression, given)
        plain = isinstance(expression, Symbol) or self._is_literal(expression)
        guarded = not plain and not given.implies(self._presence.nonzero(expression))
        return text[1:-1] if guarded else text

    def _print(self, node: Expr, given: Condition) -> tuple[str, int]:
        """The text of an expression, and how tightly it holds; `given` is known to be true here."""
        if isinstance(node, Symbol):
            return self._symbol(node), _ATOM
        if self._is_literal(node):
            return literal(node), _ATOM
        nonzero = self._presence.nonzero(node)
        if not given.implies(nonzero):
            text, _ = self._print(node, given & nonzero)
            condition = cpp(beyond(nonzero, given))
            return f"({f'({condition})' if ' ' in condition else condition} ? {text} : A(0))", _ATOM
        if isinstance(node, Add):
            return self._sum(node, given), _SUM
        if isinstance(node, Mul):
            return self._product(node, given), _PRODUCT
        if isinstance(node, Pow):
            return self._power(node, given)
        if isinstance(node, Where):
            condition, chosen, otherwise = node.args
            texts = (
                self._truth(condition, given),
                self._print(chosen, given)[0],
                self._print(otherwise, given)[0],
            )
            return self.select.format(*texts), _ATOM
        if type(node) in ENTRY_OF:
            entry = ENTRY_OF[type(node)]
            return self._call(entry.cuda or f"math::{entry.name}", node.args[0], given), _ATOM
        if type(node) in CALLED:
            return f"{CALLED[type(node)]}({', '.join(self._print(part, given)[0] for part in node.args)})", _ATOM
        raise LngenError(
            f"the CUDA backend cannot print {type(node).__name__}, which occurs in {node}; "
            "write the definition with the functions of lngen.language"
        )

    def _is_literal(self, node: Expr) -> bool:
        # SymPy can evaluate every function but this one at a number.
        return bool(node.is_number and not node.has(Where))

    def _symbol(self, symbol: Symbol) -> str:
        if symbol not in self._names:
            raise LngenError(f"the CUDA backend was given an expression with {symbol}, which nothing defines")
        return self._names[symbol]

    def _sum(self, node: Expr, given: Condition) -> str:
        text = ""
        for sign, term in terms_in_order(node):
            printed = self._at_least(term, _PRODUCT, given)
            text += f" {'+' if sign > 0 else '-'} {printed}" if text else f"{'' if sign > 0 else '-'}{printed}"
        return text

    def _product(self, node: Expr, given: Condition) -> str:
        coefficient, numerator, denominator = factors_in_order(node)
        factors = [self._at_least(factor, _ATOM, given) for factor in numerator]
        sign = "-" if coefficient == -1 and factors else ""
        if abs(coefficient) != 1 or not factors:
            factors.insert(0, literal(coefficient))
        text = sign + "*".join(factors)
        if denominator == (D,):
            return f"math::quotient({text}, {self._symbol(D)})"
        if denominator:
            below = "*".join(self._at_least(factor, _ATOM, given) for factor in denominator)
            text += f" / ({below})" if len(denominator) > 1 else f" / {below}"
        return text

    def _power(self, node: Expr, given: Condition) -> tuple[str, int]:
        base, exponent = node.args
        if exponent == sympy.Rational(-1, 2):
            return self._call("math::rsqrt", base, given), _ATOM
        if exponent.is_number and exponent.is_negative:
            return f"A(1) / {self._at_least(Pow(base, -exponent), _ATOM, given)}", _PRODUCT
        doubled = 2 * exponent
        if not doubled.is_Integer:
            return f"math::pow({self._print(base, given)[0]}, {self._print(exponent, given)[0]})", _ATOM
        whole, half = divmod(int(doubled), 2)
        root = self._call("math::sqrt", base, given) if half else ""
        if not whole:
            return root, _ATOM
        text = self._whole_power(base, whole, given)
        return (f"{text}*{root}", _PRODUCT) if root else (text, _ATOM if text.startswith("math") else _PRODUCT)

    def _whole_power(self, base: Expr, exponent: int, given: Condition) -> str:
        text = self._print(base, given)[0]
        if exponent == 1:
            return self._at_least(base, _ATOM, given)
        if exponent == 2 and isinstance(base, Symbol):
            return f"{text}*{text}"
        return f"math::power<{exponent}>({text})"

    def _call(self, function: str, argument: Expr, given: Condition) -> str:
        return f"{function}({self._print(argument, given)[0]})"

    def _truth(self, node: sympy.Basic, given: Condition) -> str:
        if isinstance(node, Relational) and node.rel_op in _COMPARISONS:
            left, right = (self._print(side, given)[0] for side in node.args)
            return f"{left} {_COMPARISONS[node.rel_op]} {right}"
        if isinstance(node, (BooleanTrue, BooleanFalse)):
            return "true" if node == sympy.true else "false"
        if isinstance(node, Not):
            return f"!({self._truth(node.args[0], given)})"
        if isinstance(node, (And, Or)):
            parts = sorted(self._truth(part, given) for part in node.args)
            return (" && " if isinstance(node, And) else " || ").join(f"({part})" for part in parts)
        raise LngenError(f"the CUDA backend cannot print the condition {node}")

    def _at_least(self, node: Expr, tight: int, given: Condition) -> str:
        text, holds = self._print(node, given)
        # A sign in front of a factor would read as a subtraction.
        return f"({text})" if holds < tight or (text.startswith("-") and holds < _ATOM) else text
