"""The standard normal distribution as derivations have it: its function Phi, and its density phi.

They are recognized in a forward and shown. What evaluates or emits takes them `in_elementary` functions, which are what
the backends have.
"""

from __future__ import annotations

import sympy
from sympy import Expr

from lngen.algebra.symbols import Elementwise


class Phi(Elementwise):
    """(1 + erf(u/sqrt(2)))/2.

    >>> x = sympy.Symbol("x", real=True)
    >>> (x*Phi(x)).diff(x), in_elementary(Phi(x))
    (x*NormalDensity(x) + Phi(x), erf(sqrt(2)*x/2)/2 + 1/2)
    """

    def _written_out(self) -> Expr:
        return (1 + sympy.erf(self.args[0] / sympy.sqrt(2))) / 2

    def fdiff(self, argindex: int = 1) -> Expr:
        return NormalDensity(self.args[0])

    def _eval_is_positive(self) -> bool:
        return True


class NormalDensity(Elementwise):
    """phi(u) = exp(-u**2/2)/sqrt(2*pi).

    >>> x = sympy.Symbol("x", real=True)
    >>> NormalDensity(x).diff(x), in_elementary(NormalDensity(x))
    (-x*NormalDensity(x), sqrt(2)*exp(-x**2/2)/(2*sqrt(pi)))
    """

    def _written_out(self) -> Expr:
        return sympy.exp(-(self.args[0] ** 2) / 2) / sympy.sqrt(2 * sympy.pi)

    def fdiff(self, argindex: int = 1) -> Expr:
        return -self.args[0] * self

    def _eval_is_positive(self) -> bool:
        return True


def in_elementary(expression: Expr) -> Expr:
    """Return an expression with Phi and phi written by `erf` and `exp`."""
    for head in (Phi, NormalDensity):
        expression = expression.replace(head, lambda u, head=head: head(u)._written_out())
    return expression
