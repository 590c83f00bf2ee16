"""The standard normal distribution, recognized by its form."""

from __future__ import annotations

import sympy
from sympy import Add, Expr

from lngen.algebra.equations import Forward
from lngen.algebra.normal import Phi
from lngen.derivation.simplify.line_rules import rewritten_forward
from lngen.derivation.simplify.trail import Trail


def in_normal_distribution(forward: Forward, trail: Trail) -> Forward:
    """`1 + erf(v)` as `2*Phi(sqrt(2)*v)`.

    Condition: the two terms have one coefficient, or opposite ones, erf being odd. Proof: the definition of the
    distribution function, Phi(u) = (1 + erf(u/sqrt(2)))/2. Its derivative is the density.

    >>> from lngen.derivation.from_definition import translate
    >>> from lngen.language.parsing import parse
    >>> for text in ("x*(1 + erf(x/sqrt(2)))/2", "1 - erf(x)", "x*erf(x)"):
    ...     made = translate(parse(f"def f(x: Row): return {text}"))
    ...     print(in_normal_distribution(made, Trail()).equations[-1].expression)
    x*Phi(x)
    2*Phi(-sqrt(2)*x)
    x*erf(x)
    """
    reason = "the distribution function or the density of a standard normal"
    return rewritten_forward("normal distribution", reason, lambda e, _: e.replace(Add, _distribution), forward, trail)


def _distribution(*terms: Expr) -> Expr:
    for term in terms:
        times, function = term.as_coeff_Mul()
        for sign in (1, -1) if isinstance(function, sympy.erf) else ():
            if sign * times in terms:
                rest = (other for other in terms if other not in (term, sign * times))
                return Add(2 * sign * times * Phi(sign * sympy.sqrt(2) * function.args[0]), *rest)
    return Add(*terms)
