"""Derivatives of functions, stated where the chain rule first goes through one.

They are what differentiation itself uses: `lngen.algebra.symbols.derivative` of the function by its argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from sympy import Expr, Function, Pow, Symbol

from lngen.algebra.symbols import (
    AttainsFirst,
    Power,
    Reduction,
    StopGradient,
    SumRows,
    TypedSymbol,
    Where,
    derivative,
    stand_in,
)
from lngen.derivation.derivation import Step
from lngen.report.formulas import Formula
from lngen.report.spelled import spelled

_NO_RULE = (Reduction, SumRows, Where, AttainsFirst, StopGradient)


class Derivatives:
    """States each derivative once: `met` are the functions that have been stated."""

    def __init__(self, equations: Iterable[tuple[TypedSymbol, Expr]], order: tuple[str, ...]) -> None:
        self.value: Mapping[Expr, Expr] = dict(equations)
        self.order = order
        self.met: set[object] = set()

    def used(self, step: Step) -> Iterator[Formula]:
        """The derivatives that a step of the chain rule uses, and no step before it."""
        for sent in step.contributions:
            # A tangent moves its operand's way, a gradient the other: the function is that of either end.
            for value, operand in ((sent.source, sent.target), (sent.target, sent.source)):
                for function in _functions(self.value.get(value, value), operand):
                    kind = function.exp if isinstance(function, Pow) else type(function)
                    if kind not in self.met:
                        self.met.add(kind)
                        yield stated(function, self.order)


def _functions(e: Expr, operand: Symbol) -> list[Expr]:
    """Functions, roots and reciprocals of what an operand is in, inner ones first."""
    found = [f for f in e.atoms(Function, Pow) if operand in f.args[0].free_symbols and not isinstance(f, _NO_RULE)]
    found = [f for f in found if not isinstance(f, Pow) or (f.exp.is_Rational and not (f.exp.is_Integer and f.exp > 0))]
    return sorted(found, key=lambda f: (len(str(f)), str(f)))


def stated(function: Expr, order: tuple[str, ...] = ()) -> Formula:
    """The derivative of a function by its argument, which is called u where it has no name.

    >>> import sympy
    >>> from lngen.algebra.symbols import RowSymbol, Sigmoid
    >>> z = RowSymbol("z")
    >>> for f in (Sigmoid(z), sympy.exp(2*z), 1/sympy.sqrt(z + 1)):
    ...     print(stated(f).line)
    sigmoid'(z) = sigmoid(z)*(1 - sigmoid(z))
    exp'(u) = exp(u)
    (1/sqrt(u))' = -1/(2*u**(3/2))
    """
    argument = function.args[0]
    u = argument if isinstance(argument, Symbol) else stand_in("argument", argument)
    plain = function.func(u, *function.args[1:])
    words = {} if u == argument else {u: ("u", "u")}
    shown, sign = spelled(plain, order, words)
    slope, slope_sign = spelled(derivative(plain, u), order, words)
    word, bracket, rest = shown.partition("(")
    left = f"({shown})'" if isinstance(plain, (Pow, Power)) else f"{word}'{bracket}{rest}"
    return Formula(left, slope, rf"\left({sign}\right)^{{\prime}} = {slope_sign}")
