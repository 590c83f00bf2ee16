"""Differences of functions that lose all digits where they nearly cancel, written so that nothing cancels.

`1 - tanh(u)` is 0 in float32 from u = 9 on, where it is 3e-8; `2*sigmoid(-2*u)` has all digits. Each rule here is an
identity of real functions that holds for every argument. So it changes no value and no derivative, and a definition
may be spelled either way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial

import sympy
from sympy import Add, Expr, Mul, Pow, S

from lngen.algebra.equations import Forward
from lngen.algebra.symbols import (
    NOTHING,
    D,
    Expm1,
    Log1p,
    Mean,
    RowSymbol,
    Sigmoid,
    Softplus,
    axes,
)
from lngen.derivation.simplify.exponentials import reads_exponential
from lngen.derivation.simplify.factors import divides, without
from lngen.derivation.simplify.line_rules import rewritten_forward
from lngen.derivation.simplify.linear import TooManyTermsError, multiply_out
from lngen.derivation.simplify.trail import Trail

Found = Iterator[tuple[tuple[Expr, ...], Expr]]
"""Terms of a sum that a rule takes together, and what they are."""

Sums = Callable[[tuple[Expr, ...], Mapping[Expr, Expr]], Found]
"""A rule, which is given the terms of a sum and the values of names."""


ANGLE = "where the angle is small the difference has no digits, and this form has all"
_ONE = "beside 1 the digits of what is small are lost"
TAIL = "near its limit the difference has no digits, and this form has all"


def without_cancelling(forward: Forward, trail: Trail) -> Forward:
    """All rules of this module, in order."""
    for name, reason, rule in (
        ("tail of a function", TAIL, tails),
        ("half an angle", ANGLE, half_angles),
        ("softplus reflected", "where it is large the difference has no digits, and this form has all", softpluses),
        ("conjugate", "where both are close the difference has no digits, and their sum has all", conjugates),
        ("rest of a share", "where it is nearly all the difference has no digits, and the sum of the rest has", rests),
    ):
        forward = rewritten_forward(name, reason, partial(_in_sums, rule=rule), forward, trail)
    return forward


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


def _in_sums(e: Expr, values: Mapping[Expr, Expr], rule: Sums) -> Expr:
    """An expression with a rule used on every sum; functions are found under their names."""
    raised = {power.base for power in e.atoms(Pow)} if rule is conjugates else ()
    after = e.replace(
        lambda part: isinstance(part, Add) and part not in raised,
        lambda total: taken_together(total.args, values, rule),
    )
    return e if _is_gate(e, after, values) else after


def _is_gate(before: Expr, after: Expr, values: Mapping[Expr, Expr]) -> bool:
    """Test whether a gate stays beside its tail, as in `s*x + (1 - s)*z`: derivatives are short in one of them."""
    parts = before.free_symbols | before.atoms(sympy.tanh, Sigmoid)
    gates = {part for part in parts if isinstance(values.get(part, part), (sympy.tanh, Sigmoid))}
    tails = after.atoms(sympy.tanh, Sigmoid) - before.atoms(sympy.tanh, Sigmoid)
    return bool(tails and gates) and after.has(*gates)


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


def tails(terms: tuple[Expr, ...], values: Mapping[Expr, Expr]) -> Found:
    """Write the distance of a tanh or a sigmoid from its limit as a tail: `1 - tanh(u)` is `2*sigmoid(-2*u)`.

    Condition: nothing else of the expression reads the function.
    Proof: tanh(u) = 1 - 2/(exp(2*u) + 1) and sigmoid(-u) = 1/(exp(u) + 1) = 1 - sigmoid(u).

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, g = RowSymbol("x"), RowSymbol("g")
    >>> sums = (1 - sympy.tanh(x), g + g*sympy.tanh(x), 1 - sympy.tanh(x)**2, 3 - 3*Sigmoid(x), Sigmoid(x) - S(1)/2)
    >>> [taken_together(total.args, {}, tails) for total in sums]
    [2*Sigmoid(-2*x), 2*g*Sigmoid(2*x), 4*Sigmoid(-2*x)*Sigmoid(2*x), 3*Sigmoid(-x), tanh(x/2)/2]
    """
    for term, value, times in factors(terms, values):
        function, power = value.as_base_exp()
        (u,) = function.args if isinstance(function, (sympy.tanh, Sigmoid)) else (S.Zero,)
        if isinstance(function, sympy.tanh) and power == 1:
            yield (term, -times), -2 * times * Sigmoid(-2 * u)
            yield (term, times), 2 * times * Sigmoid(2 * u)
        elif isinstance(function, sympy.tanh) and power == 2:
            yield (term, -times), -4 * times * Sigmoid(2 * u) * Sigmoid(-2 * u)
        elif isinstance(function, Sigmoid) and power == 1:
            yield (term, -times), -times * Sigmoid(-u)
            yield (term, -times / 2), times * sympy.tanh(u / 2) / 2


def half_angles(terms: tuple[Expr, ...], values: Mapping[Expr, Expr]) -> Found:
    """Write 1 less a cosine by half the angle: `1 - cos(u)` is `2*sin(u/2)**2`.

    Proof: cos(u) = cos(u/2)**2 - sin(u/2)**2, and the two squares add up to 1.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x = RowSymbol("x")
    >>> sums = (1 - sympy.cos(x), 1 + sympy.cos(x), 1 - sympy.cos(x)**2, 1 - sympy.sin(x)**2)
    >>> [taken_together(total.args, {}, half_angles) for total in sums]
    [2*sin(x/2)**2, 2*cos(x/2)**2, sin(x)**2, cos(x)**2]
    """
    other = {sympy.cos: sympy.sin, sympy.sin: sympy.cos}
    for term, value, times in factors(terms, values):
        function, power = value.as_base_exp()
        if isinstance(function, sympy.cos) and power == 1:
            yield (term, -times), -2 * times * sympy.sin(function.args[0] / 2) ** 2
            yield (term, times), 2 * times * sympy.cos(function.args[0] / 2) ** 2
        elif type(function) in other and power == 2:
            yield (term, -times), -times * other[type(function)](function.args[0]) ** 2


def softpluses(terms: tuple[Expr, ...], values: Mapping[Expr, Expr]) -> Found:
    """Reflect a softplus less its argument: `softplus(u) - u` is `softplus(-u)`, also if written with log and exp.

    Proof: log(1 + exp(u)) - u = log((1 + exp(u))*exp(-u)).

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x = RowSymbol("x")
    >>> sums = (Softplus(x) - x, 2*Softplus(x + 1) - 2*x - 2, sympy.log(1 + sympy.exp(x)) - x)
    >>> [taken_together(total.args, {}, softpluses) for total in sums]
    [Softplus(-x), 2*Softplus(-x - 1), log(1 + exp(-x))]
    """
    for term, value, times in factors(terms, values):
        [inside] = value.args if isinstance(value, (Softplus, sympy.log, Log1p)) else [S.Zero]
        inside = inside - 1 if isinstance(value, sympy.log) else inside
        inside = values.get(inside, inside)
        if isinstance(value, Softplus):
            u = value.args[0]
        elif isinstance(inside, sympy.exp):
            u = inside.args[0]
        else:
            continue
        reflected = {Softplus: Softplus(-u), Log1p: Log1p(sympy.exp(-u))}
        named = next((other for other in terms if values.get(-other / times) == u), None)
        yield (
            (term, *(Add.make_args(-times * u) if named is None else (named,))),
            times * reflected.get(type(value), sympy.log(1 + sympy.exp(-u))),
        )


def conjugates(terms: tuple[Expr, ...], values: Mapping[Expr, Expr]) -> Found:
    """A root less what is close to it: `sqrt(a) - b` is `(a - b**2)/(sqrt(a) + b)`.

    Condition: a is positive and b is not negative by its form, so that their sum is positive; in `a - b**2` terms
    cancel until one is left, a power of a row that has a name if b is a constant; and the difference is not raised to a
    power, to which that term would be raised first.
    Proof: (sqrt(a) - b)*(sqrt(a) + b) = a - b**2.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x = RowSymbol("x")
    >>> sums = (sympy.sqrt(x**2 + 1) - sympy.Abs(x), sympy.sqrt(x**2 + 1) - 1, sympy.sqrt(x**2 + 4) - x)
    >>> [taken_together(total.args, {}, conjugates) for total in sums]
    [1/(sqrt(x**2 + 1) + Abs(x)), x**2/(sqrt(x**2 + 1) + 1), -x + sqrt(x**2 + 4)]
    """
    for term, value, times in factors(terms, values):
        if not (isinstance(value, Pow) and value.exp == S.Half):
            continue
        inside = values.get(value.base, value.base)
        for other in terms:
            b = -other / times
            if other == term or not (inside.is_positive and b.is_nonnegative):
                continue
            left = inside - b**2
            with suppress(TooManyTermsError):
                left = multiply_out(left) if isinstance(left, Add) else left
            # The derivative of a root less a constant has no difference: `in_roots` finds it, in a row that has a name.
            short = axes(b) != NOTHING or isinstance(left.as_coeff_Mul()[1].as_base_exp()[0], RowSymbol)
            if short and not isinstance(left, Add):
                yield (term, other), times * left / (term / times + b)


def rests(terms: tuple[Expr, ...], values: Mapping[Expr, Expr]) -> Found:
    """Write 1 less a share of a sum as the share of the rest: `1 - a/(a + b)` is `b/(a + b)`.

    So is the weighted share of a row: `1 - sum(t*p)` is `sum((1 - t)*p)` where `p = u/sum(u)`.
    Condition: a is a term of what it is divided by, or the sum of the same row times weights.
    Proof: 1 - a/s = (s - a)/s; and sum(p) = sum(u)/sum(u) = 1.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> x, z, t, p, u = (RowSymbol(name) for name in "xztpu")
    >>> taken_together((1 - x/(x + z)).args, {}, rests)
    z/(x + z)
    >>> s, a, m = (RowScalarSymbol(name) for name in "sam")
    >>> row = {s: D*Mean(u), p: u/s, m: D*Mean(t*p), a: D*Mean(t*u)}
    >>> [taken_together(total.args, row, rests) for total in (1 - m, 1 - a/s)]
    [D*Mean(p*(1 - t)), D*Mean(u*(1 - t))/s]
    """
    for term in terms:
        for other in terms:
            share = -term / other
            for factor in Mul.make_args(term):
                whole, power = factor.as_base_exp()
                part = share / factor
                total, sum_of = values.get(whole, whole), values.get(part, part)
                if power == -1 and isinstance(total, Add) and part in total.args:
                    yield (term, other), other * (total - part) / whole
                elif power == -1 and (rest := _rest(sum_of, total)) is not None:
                    yield (term, other), other * rest / whole
            for row, weight in _shares(values.get(share, share), values):
                yield (term, other), other * D * Mean((1 - weight) * row)


def _rest(part: Expr, total: Expr) -> Expr | None:
    """The rest of a mean or a sum of a row, less a weighted one."""
    for times in (S.One, D):
        if isinstance(part / times, Mean) and isinstance(total / times, Mean):
            weighted, row = (part / times).args[0], (total / times).args[0]
            if divides(row, weighted) and weighted != row:
                return times * Mean((1 - without(weighted, row)) * row)
    return None


def _shares(total: Expr, values: Mapping[Expr, Expr]) -> Iterator[tuple[Expr, Expr]]:
    """Rows whose sum is 1 that a sum over the features is the weighted sum of, and the weights."""
    if not isinstance(total / D, Mean):
        return
    body = (total / D).args[0]
    for row in Mul.make_args(body):
        for below in Mul.make_args(values.get(row, S.One)):
            if _is_sum_of(values.get(row, row) / below, below, values):
                yield row, body / row
    for below in Mul.make_args(body):
        for row in Mul.make_args(body):
            if _is_sum_of(row, below, values):
                yield row * below, body / row / below


def _is_sum_of(row: Expr, below: Expr, values: Mapping[Expr, Expr]) -> bool:
    """Test whether a factor divides by the sum of a row."""
    whole, power = below.as_base_exp()
    return bool(power == -1 and values.get(whole) == D * Mean(row))
