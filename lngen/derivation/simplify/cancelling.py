"""A small value beside 1, which would round it away: `log(1 + u)` is `log1p(u)`, and `exp(u) - 1` is `expm1(u)`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import sympy
from sympy import Add, Expr, Mul, S

from lngen.algebra.equations import Forward
from lngen.algebra.symbols import Expm1, Log1p
from lngen.derivation.simplify.exponentials import reads_exponential
from lngen.derivation.simplify.line_rules import rewritten_forward
from lngen.derivation.simplify.trail import Trail

Found = Iterator[tuple[tuple[Expr, ...], Expr]]
"""Terms of a sum that a rule takes together, and what they are."""

Sums = Callable[[tuple[Expr, ...], Mapping[Expr, Expr]], Found]
"""A rule, which is given the terms of a sum and the values of names."""

_ONE = "beside 1 the digits of what is small are lost"


def one_apart(forward: Forward, trail: Trail) -> Forward:
    """`log(1 + u)` as `log1p(u)` and `exp(u) - 1` as `expm1(u)`: in a sum with 1 the digits of a small u are lost.

    Condition: u has no exponential, whose largest exponent is taken out of the sum.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> for text in ("log(1 + x**2)", "3*exp(x) - 3", "log(1 + exp(x))"):
    ...     print(one_apart(translate(parse(f"def f(x: Row): return {text}")), Trail()).equations[-1].expression)
    Log1p(x**2)
    3*Expm1(x)
    log(exp(x) + 1)
    """

    def change(e: Expr, values: Mapping[Expr, Expr]) -> Expr:
        def logarithm(u: Expr) -> Expr:
            total = values.get(u, u)
            plain = isinstance(total, Add) and S.One in total.args and not reads_exponential(total, values)
            return Log1p(total - 1) if plain else sympy.log(u)

        e = e.replace(sympy.log, logarithm)
        return e.replace(Add, lambda *terms: taken_together(terms, values, exponentials_less_one))

    return rewritten_forward("one apart", _ONE, change, forward, trail)


def exponentials_less_one(terms: tuple[Expr, ...], values: Mapping[Expr, Expr]) -> Found:
    """Write an exponential less 1 without the difference: `exp(u) - 1` is `expm1(u)`."""
    for term, value, times in factors(terms, values):
        if isinstance(value, sympy.exp):
            yield (term, -times), times * Expm1(value.args[0])


def taken_together(terms: tuple[Expr, ...], values: Mapping[Expr, Expr], rule: Sums) -> Expr:
    """A sum with the terms that a rule takes together as what they are."""
    for found, written in rule(terms, values):
        rest = list(terms)
        if all(term in rest for term in found):
            for term in found:
                rest.remove(term)
            return taken_together((written, *rest), values, rule) if rest else written
    return Add(*terms)


def factors(terms: tuple[Expr, ...], values: Mapping[Expr, Expr]) -> Iterator[tuple[Expr, Expr, Expr]]:
    """Each factor of each term: the term, what the factor is, and what it is multiplied by."""
    for term in terms:
        for factor in Mul.make_args(term):
            base, power = factor.as_base_exp()
            value = values.get(base, base) ** power
            yield term, values.get(factor, value), term / factor
