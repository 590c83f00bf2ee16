"""Statements near true ones, by kind: most are false, and which are is for an evaluator to say.

Each kind is aimed at a rule: a sign at zero, a factor that may vanish, the branch of a root, one number of features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import sympy
from sympy import Eq, Expr, Mul, Ne, Rational, cos, erf, exp, log, sign, sin, sqrt, tanh

from lngen.algebra.equations import Equation
from lngen.algebra.normal import Phi
from lngen.algebra.symbols import (
    AttainsFirst,
    D,
    FeatureSum,
    FeatureSymbol,
    Mean,
    RowMax,
    RowMin,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    Sigmoid,
    Softplus,
    SumRows,
    Where,
    axes,
)

X, Z = RowSymbol("x"), RowSymbol("z")
GAMMA, MU, S = FeatureSymbol("gamma"), RowScalarSymbol("mu"), ScalarSymbol("s")
EPS = ScalarSymbol("eps", positive=True)
T, LABEL = RowScalarSymbol("t"), RowScalarSymbol("label", integer=True)
SYMBOLS = (X, Z, GAMMA, MU, S, EPS, T, LABEL)
MAX, MIN = RowMax(X), RowMin(X)
ONE = sympy.S.One
ZERO = sympy.S.Zero


@dataclass(frozen=True)
class Statement:
    """Two sides, and what kind of mistake they are after."""

    kind: str
    left: Expr
    right: Expr
    equations: tuple[Equation, ...] = ()

    def __str__(self) -> str:
        given = "".join(f", {q.symbol} = {q.expression}" for q in self.equations)
        return f"{self.kind}: {self.left} == {self.right}{given}"


def modulus(u: Expr) -> Expr:
    """Abs, as it is written."""
    return sympy.Abs(u, evaluate=False)


def flag(condition: object) -> Expr:
    """1 where a condition holds, 0 elsewhere."""
    return sympy.sympify(Where(condition, 1, 0))


# What may be zero, or tie with zero.
ZEROS = (
    X, Z, MU, S, X - Z, X - MU, X + Z, X * Z, GAMMA * X, GAMMA * X - S, S * MU, Mean(X), X - Mean(X), Mean(X * Z),
    X**2, MAX, X - MAX, X - MIN, modulus(X) - modulus(Z), X - 1, X**2 - Z**2, SumRows(X), cos(X) - 1, Mean(X**2) - MU,
)  # fmt: skip


def beside(u: Expr) -> Iterator[Expr]:
    """Values that stand beside the sign of u."""
    yield from (ONE, X, Z + 1, MU, Mean(X * Z), EPS, exp(-X), exp(X - MU), 1 / cos(MU), SumRows(X * Z))
    for f in (exp, cos, tanh, Sigmoid, Softplus, Phi, erf):
        yield f(u)
        yield f(-u)
    yield from (exp(u) ** -2, 1 / cos(u), 1 / Phi(u), 1 / Sigmoid(u), cos(u) ** 2, 1 / (1 + exp(u)), 1 / Softplus(u))
    yield from (sqrt(u**2 + EPS), 1 / sqrt(u**2 + EPS), 1 / (u**2 + EPS), 1 / (modulus(u) + 1), log(u**2 + EPS))
    yield from (u + 1, u**2 + u + 1, 1 / (u + 1), 1 / sqrt(u + 1), 1 / (u - 1), (u + EPS) ** -1, exp(1 / (u**2 + 1)))
    yield from (Mean(Z / (u * Z + 1)), Mean(X * u + 1), Mean(exp(-u) * X), RowMax(X + u), exp(-MAX), exp(-Mean(X)))
    yield exp(-X) / Mean(exp(-X))


def at_zero() -> Iterator[Statement]:
    """Kinks and ties at zero."""
    for u in ZEROS:
        for e in beside(u):
            yield Statement("kinks", e * flag(Ne(u, 0)), e)
            yield Statement("kinks", Where(u >= 0, e, 0), Where(u > 0, e, 0))
            yield Statement("kinks", Where(Eq(u, 0), 7, e), e)
            yield Statement("kinks", sign(u) ** 2 * e, e)


def quotients() -> Iterator[Statement]:
    """Means of quotients whose coefficient may vanish."""
    over = (MU, S, MU * S, Mean(Z), RowMax(Z), MU - S, S**2 * MU)
    for c, top, base, k in product(
        over, (X, X**2, X * Z, GAMMA * X), (ONE, EPS), (-1, Rational(-1, 2), Rational(-3, 2))
    ):
        quotient = Mean(top * (c * X + base) ** k)
        yield Statement("quotients", Where(Eq(c, 0), 7, quotient), quotient)
        if k == -1:
            yield Statement("quotients", SumRows(quotient * sign(c) ** 2), SumRows(quotient))
            other = Mean(top * (c * X**2 + base) ** k)
            yield Statement("quotients", other * flag(Ne(c, 0)), other)
            shared = Mean(top * exp(-X) / (c + exp(X)))
            yield Statement("quotients", Where(Eq(c, 0), 7, shared), shared)


def hidden_poles() -> Iterator[Statement]:
    """Quotients that a select, in a mean or beside, keeps from their pole."""
    for u, pole in product((X, MU, X - Z), (1, 2, Rational(1, 2))):
        # That row may have a value where another has none.
        yield Statement("hidden poles", SumRows(Where(Eq(u, 0), 7, 3)) + u**-pole, SumRows(3 + 0 * X) + u**-pole)
        yield Statement("hidden poles", SumRows(sign(u) ** 2) + u**-pole, SumRows(ONE) + u**-pole)
        yield Statement("hidden poles", SumRows(sign(u) ** 2 * X) + log(u), SumRows(X) + log(u))
    over = (S, MU, MU - S, S * MU, Z, X + Z)
    conditions = (X > 0, X < 0, Z >= 0, X > Z, X + Z < 0)
    for c, condition, top in product(over, conditions, (ONE, X, X * Z)):
        sides = [Where(condition, top / c, 0), Where(condition, 0, top / c), Where(condition, 1, top / c)]
        for side in sides:
            for whole in (Mean(side), RowMax(side), SumRows(side), 1 / (1 + side), log(1 + side), 1 / Mean(side), side):
                if axes(c).features > axes(whole).features:
                    yield Statement("hidden poles", whole, 2 * whole)
                    continue
                yield Statement("hidden poles", Where(Eq(c, 0), 9, whole), whole)
            again = Where(condition, top * sign(c) / modulus(c), 0)
            yield Statement("hidden poles", again + Where(Eq(c, 0), 7, 3), Where(condition, top / c, 0) + 3)
    for u, rest in ((X + Z, Z), (X + Z, X), (X - MU, -MU), (X - MU, X), (S * X + Z, Z), (X - Z, X)):
        for condition in (u < 0, u > 0, u <= 0, Ne(u, 0)):
            for power in (1, 2):
                left = Mean(Where(condition, (u - rest) / u**power, 0))
                both = Mean(Where(u > 0, u ** (1 - power), 0)), Mean(Where(condition, rest / u**power, 0))
                right = 1 - both[0] - both[1]
                yield Statement("hidden poles", left, right)
                # The quotient is met before the sign.
                yield Statement("hidden poles", Where(S > 0, 1 / u, left), Where(S > 0, 1 / u, right))
                yield Statement("hidden poles", left, 1 - both[1])
                yield Statement("hidden poles", left + flag(Eq(Mean(X), 0)), left)


def roots() -> Iterator[Statement]:
    """Branches of roots."""
    bases = (X, Z, MU, S, X - MU, X + Z, X * Z, GAMMA * X, Mean(X), X + 1, MAX)
    half = Rational(1, 2)
    for u, k in product(bases, (1, 3, -1, 5)):
        square = sympy.Pow(sympy.expand(u**2), half * k, evaluate=False)
        yield Statement("roots", square, u**k)
        yield Statement("roots", square, modulus(u) ** k * sign(u))
        yield Statement("roots", (u**4 + 0 * X) ** (Rational(k, 4)) * u, modulus(u) ** k * modulus(u))
    for u, v in product(bases, repeat=2):
        if u != v:
            yield Statement("roots", sqrt(u**2 * v**2), u * v)
            yield Statement("roots", sqrt(u**2 + v**2), u + v)
            yield Statement("roots", sqrt(u * v), sqrt(-u) * sqrt(-v) * sign(u))
            yield Statement("roots", sqrt(sympy.expand(u * v)) * modulus(u), u * sqrt(sympy.expand(u * v)))
    for u, v, w in product(bases[:7], repeat=3):
        if len({u, v, w}) == 3:
            parts = (sqrt(sympy.expand(a * b)) for a, b in ((u, v), (v, w), (u, w)))
            yield Statement("roots", Mul(*parts), sympy.expand(u * v * w))


def exponents() -> Iterator[Statement]:
    """Exponents that are no numbers."""
    for c in (1, 2, 3, Rational(1, 2)):
        yield Statement("exponents", sympy.Integer(-1) ** D * c**D, c**D)
        yield Statement("exponents", sympy.Pow(-c, D + 1, evaluate=False), sympy.Pow(c, D + 1, evaluate=False))
        yield Statement("exponents", sympy.Pow(-c, 2 * D - 1, evaluate=False), -sympy.Pow(c, D, evaluate=False))
    for u, k in product((X, MU, X - Z, S * X, MAX, X + 1, Mean(X), GAMMA), (S, MU, D, S + 1, 2 * S, D * S, S * MU)):
        yield Statement("exponents", (-u) ** k, u**k)
        yield Statement("exponents", exp(k * log(u**2) / 2), u**k)
        yield Statement("exponents", (u**2) ** (k / 2), u**k)
        yield Statement("exponents", modulus(u) ** k, u**k)
        yield Statement("exponents", (EPS + u**2) ** (k + 1), (EPS + u**2) ** k * EPS)
        yield Statement("exponents", EPS ** (k + u), EPS**k * EPS ** (-u))


def masks() -> Iterator[Statement]:
    """Selects in selects: what follows from a branch, and what only seems to."""
    numbers = (-1, 0, 1, Rational(1, 2))
    for u, a, b in product((X, X - Z, X * Z, MU, S * X, Mean(X), 2 * X - MU), numbers, numbers):
        yield Statement("masks", Where(u > a, flag(u > b), 0), flag(u > a))
        yield Statement("masks", Where(u >= a, flag(u > b), 0), flag(u >= b))
        yield Statement("masks", Where(u > a, modulus(u + b), Z), Where(u > a, u + b, Z))
        yield Statement("masks", Where(u < a, modulus(u - b), Z), Where(u < a, b - u, Z))
        yield Statement("masks", Where(Eq(u, a), u**2 + X, b), Where(Eq(u, a), a * b + X, b))
    for u, v, w in product((X, Z, MU, S, X + 1, GAMMA), repeat=3):
        if len({u, v, w}) == 3:
            inner = flag(u > w)
            yield Statement("masks", Where(u > v, Where(v > w, inner, 5), 5), Where(u > v, inner, 5))
            yield Statement("masks", Where(u >= v, Where(v >= w, inner, 5), 5), Where(u >= v, Where(v >= w, 1, 5), 5))
            yield Statement("masks", Where(u > v, u, v) + Where(u >= v, w, u), w + v)
            yield Statement("masks", Mean(Where(u > v, u, w)), Mean(Where(u > v, u, 0)) + Mean(Where(v > u, w, 0)))


def solved() -> Iterator[Statement]:
    """Yield statements that hold where a sum is zero, and others that would hold if one could divide by it."""
    roots_of = (X + Z, Z + MU, X - S, X * Z, X**2 + Z)
    for w, u in product(roots_of, (MU, X, Z, S)):
        for r in (sqrt(w), w, w**2, exp(w), cos(w)):
            for zero, p in ((u * r + w, u + r), (u * r + w, u * r**2 + w * r + 0 * X), (u * r - w, r), (u + w, r)):
                yield Statement("solved", Where(Eq(zero, 0), p, 0), ZERO)
                yield Statement("solved", Where(Eq(zero, 0), exp(p), 1), ONE)
                yield Statement("solved", p * (1 - flag(Ne(zero, 0))), ZERO)


def attained() -> Iterator[Statement]:
    """The first feature at an extreme, under a scale, and beside other extremes."""
    for u, m in product((X, X - MU, X * Z, X**2, X + Z, exp(X)), (MU, MAX, MIN, S, Mean(X))):
        first = AttainsFirst(u, m)
        for scale in (S, S**2, MU, -S, MU * S, S - MU, S + 1):
            yield Statement("attained", AttainsFirst(scale * u, scale * m), first)
        yield Statement("attained", AttainsFirst(-u, m), first)
        yield Statement("attained", AttainsFirst(u + 1, m), first)
        yield Statement("attained", D * Mean(first), ONE)
        yield Statement("attained", first * u, first * MAX)
        yield Statement("attained", Mean(first * Z), Mean(Z) / D)
        yield Statement("attained", first * flag(u >= m), ONE)
        yield Statement("attained", first, flag(Eq(u, m)))
        yield Statement("attained", first * flag(u > m) + 1, first + 1)
        yield Statement("attained", Mean(first * flag(u >= MAX)), 1 / D)
        yield Statement("attained", RowMax(-u), m)
        for f in (exp, lambda v: 1 / (v + 1), lambda v: sqrt(v + 2), sin):
            yield Statement("attained", Mean(first * f(u) * Z), Mean(first * f(MAX) * Z))
            yield Statement("attained", Mean(first * f(u)), f(m) / D)
            quotient = Mean(first * f(u))
            yield Statement("attained", Where(Eq(m, -1), 7, quotient), quotient)


def extremes() -> Iterator[Statement]:
    """Extremes of functions: which rise, which fall, which do neither."""
    functions: tuple[Callable[[Expr], Expr], ...] = (
        exp, tanh, Sigmoid, Softplus, erf, Phi, sin, cos, modulus, lambda u: u**2, lambda u: u**3, lambda u: u**4,
        lambda u: 1 / u, lambda u: u**-2, lambda u: u**-3, sqrt, lambda u: 1 / sqrt(u), lambda u: log(u**2),
        lambda u: S * u, lambda u: MU * u, lambda u: u * Z, lambda u: exp(S * u), lambda u: exp(-u), lambda u: u - u**2,
        lambda u: 1 / (u**2 + EPS), lambda u: 1 / (u + 5), lambda u: S * exp(u), lambda u: u**2 * exp(u),
        lambda u: S / u, lambda u: Where(u > 0, u, 0), lambda u: Where(u > 0, u, 1), lambda u: log(1 + u**2),
        lambda u: u**2 + u,
    )  # fmt: skip
    for f, u in product(functions, (X, -X, X - MU, X + Z)):
        for one, other in ((RowMax, RowMin), (RowMin, RowMax)):
            yield Statement("extremes", one(f(u)), f(other(u)))
            yield Statement("extremes", one(f(u)), f(one(u)))
            yield Statement("extremes", one(f(u)), -other(f(-u)))
    for u, v in product((X, Z, X + Z, X * Z, MU, X**2), repeat=2):
        yield Statement("extremes", RowMax(u + v), RowMax(u) + RowMax(v))
        yield Statement("extremes", flag(RowMax(u) > v), ONE)
        yield Statement("extremes", flag(RowMin(u) >= v), ONE)
        yield Statement("extremes", modulus(RowMax(u) - v), v - RowMax(u))
        yield Statement("extremes", modulus(RowMax(u) - v), RowMax(u) - v)
        yield Statement("extremes", modulus(RowMax(u) + v), RowMax(u) + v)


def signs() -> Iterator[Statement]:
    """Indicators and signs of products and sums, and of what cannot be negative."""
    terms = (X, Z, MU, S, X - MU, Mean(X), GAMMA, X * Z, MAX)
    for u, v in product(terms, repeat=2):
        yield Statement("signs", sign(u * v), sign(u))
        yield Statement("signs", sign(u + v), sign(u))
        yield Statement("signs", modulus(u) + modulus(v), modulus(u + v))
        yield Statement("signs", flag(u > 0) + flag(u < 0), flag(Eq(v, v + 1)) + 1)
        yield Statement("signs", modulus(u) * sign(v), u)
        yield Statement("signs", flag(u > v), 1 - flag(v > u))
        yield Statement("signs", sign(u**2 + v), ONE)
    not_negative = (X**2, Mean(X**2), modulus(X), RowMax(X**2), Mean(modulus(X)), X**2 * MU**2, SumRows(X**2))
    for q, t in product(not_negative, (ZERO, -EPS, MU, -1, X, -(X**2), S * X)):
        yield Statement("signs", flag(q + t > 0), ONE)
        yield Statement("signs", flag(q + t >= 0), ONE)
        yield Statement("signs", modulus(q + t), q + t)
        yield Statement("signs", modulus(q + t), -q - t)
    for q in (Mean(X * Z), Mean(X**3), X + Z, S**2 - EPS, MAX, Mean(X) ** 2 - Mean(X**2), Mean(X), EPS - 1, D - 2):
        yield Statement("signs", modulus(q), q)
        yield Statement("signs", flag(q > 0), ONE)
        for claim in ({"positive": True}, {"nonnegative": True}):
            name = (RowSymbol if axes(q).features else RowScalarSymbol)("r", **claim)
            if axes(q).rows:
                yield Statement("signs", modulus(name), name, (Equation(name, q),))
                yield Statement("signs", sqrt(sympy.Pow(name, 2, evaluate=False)), name, (Equation(name, q),))
                yield Statement("signs", flag(sympy.Gt(name, -1, evaluate=False)), ONE, (Equation(name, q),))


def functions() -> Iterator[Statement]:
    """Logarithms, the normal distribution, tanh, sin and cos."""
    terms = (X, MU, X - Z, S * X, Mean(X), X * Z, MAX, GAMMA + X)
    for u in terms:
        for f in (Phi, erf, tanh, Sigmoid, Softplus, sin, cos, exp):
            yield Statement("functions", f(-u), f(u))
            yield Statement("functions", f(-u), -f(u))
            yield Statement("functions", f(-u), 1 - f(u))
            yield Statement("functions", f(2 * u), 2 * f(u))
            yield Statement("functions", f(u) ** 2, 1 - f(-u) ** 2)
            yield Statement("functions", modulus(f(u)), f(u))
            yield Statement("functions", flag(f(u) > 0), ONE)
        yield Statement("functions", sin(u) ** 2 - cos(u) ** 2, ONE)
        yield Statement("functions", sin(u) ** 2 + cos(2 * u) ** 2, ONE)
        yield Statement("functions", sin(u) ** 4 + cos(u) ** 4, ONE)
        yield Statement("functions", sqrt(1 - sin(u) ** 2), cos(u))
        yield Statement("functions", Where(cos(u) > 0, sqrt(1 - sin(u) ** 2), 0), cos(u))
        yield Statement("functions", Mean(sin(u + X) ** 2), Mean(cos(u + X) ** 2) + 1)
        yield Statement("functions", 1 / cos(u) ** 2, 1 - sin(u) ** 2 / cos(u) ** 2)
        yield Statement("functions", log(Sigmoid(u)), -Softplus(u))
        yield Statement("functions", log(Sigmoid(u)), Softplus(-u))
        yield Statement("functions", log(1 - Sigmoid(u)), -Softplus(-u))
        yield Statement("functions", log(u**2 + 1), 2 * log(modulus(u) + 1))
        yield Statement("functions", exp(log(u**2) / 2), u)
        yield Statement("functions", exp(log(u**2) * Rational(3, 2)), u**3)
        yield Statement("functions", modulus(log(modulus(u) + EPS)), log(modulus(u) + EPS))
        yield Statement("functions", RowMax(log(X**2 + u**2)), log(MAX**2 + u**2))
        for v in terms:
            if u != v:
                yield Statement("functions", log(u**2 + v**2), log(u**2) + log(v**2))
                yield Statement("functions", log(modulus(u) + modulus(v)), log(modulus(u + v)))
                yield Statement("functions", log(u**2 * v**2), 2 * log(modulus(u)))
                yield Statement("functions", exp(u + v), exp(u) + exp(v))
                yield Statement("functions", sin(u + v), sin(u) * cos(v) - cos(u) * sin(v))
                yield Statement("functions", tanh(u + v), tanh(u) + tanh(v))


def sums() -> Iterator[Statement]:
    """Means and sums over rows of products."""
    for u, v in product((X, Z, MU, S, GAMMA, X * Z, X**2, exp(X)), repeat=2):
        yield Statement("sums", Mean(u * v), Mean(u) * Mean(v))
        yield Statement("sums", SumRows(u * v), u * SumRows(v))
        yield Statement("sums", Mean(u * SumRows(v)), SumRows(Mean(u * v)))
        yield Statement("sums", SumRows(u) * SumRows(v), SumRows(u * v))
        yield Statement("sums", u * SumRows(v), v * SumRows(u))
        yield Statement("sums", FeatureSum(u * v), Mean(u * v))
        yield Statement("sums", Mean((u + v) ** 2), Mean(u**2) + Mean(v) ** 2 + 2 * Mean(u * v))
        yield Statement("sums", SumRows(Mean(u) * v), SumRows(u * Mean(v)))


KINDS = (
    at_zero, quotients, hidden_poles, roots, exponents, masks, solved, attained, extremes, signs, functions, sums
)  # fmt: skip
