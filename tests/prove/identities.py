"""True statements of any expressions, and the same with one change."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import sympy
from sympy import Add, Eq, Expr, Mul, Rational, cos, erf, exp, log, sign, sin, sqrt, tanh

from lngen.algebra.normal import Phi
from lngen.algebra.symbols import AttainsFirst, D, Mean, RowMax, Sigmoid, Softplus, SumRows, Where, axes
from tests.prove.statements import EPS, GAMMA, KINDS, MU, ONE, S, Statement, X, Z, flag, modulus

IDENTITIES: tuple[Callable[[Expr, Expr], tuple[Expr, Expr]], ...] = (
    lambda u, v: (Mean(u - Mean(u)) + v, v),
    lambda u, v: (Mean((u - Mean(u)) ** 2) * v, v * (Mean(u**2) - Mean(u) ** 2)),
    lambda u, v: (Mean(MU * u + v), MU * Mean(u) + Mean(v)),
    lambda u, v: (Mean(GAMMA * SumRows(u)), SumRows(Mean(GAMMA * u))),
    lambda u, v: (SumRows(u * S + v), S * SumRows(u) + SumRows(v)),
    lambda u, v: (Mean(u**2 / (u**2 + EPS)), 1 - EPS * Mean(1 / (u**2 + EPS))),
    lambda u, v: (v / sqrt(u**2 + EPS) + u, v * sqrt(u**2 + EPS) / (u**2 + EPS) + u),
    lambda u, v: (Mean(exp(u - MU)), exp(-MU) * Mean(exp(u))),
    lambda u, v: (log(Mean(exp(u - RowMax(u)))) + RowMax(u), log(Mean(exp(u)))),
    lambda u, v: (RowMax(2 * u - MU) + v, 2 * RowMax(u) - MU + v),
    lambda u, v: (modulus(u) * sign(u) + v, u + v),
    lambda u, v: (Where(u > v, u - v, 0) + Where(v > u, v - u, 0), modulus(u - v)),
    lambda u, v: (Where(u > v, u, v) + Where(u > v, v, u), u + v),
    lambda u, v: ((u + v) ** 3, u**3 + 3 * u**2 * v + 3 * u * v**2 + v**3),
    lambda u, v: (tanh(u) * v, v * (2 * Sigmoid(2 * u) - 1)),
    lambda u, v: (erf(-u) + v, v - erf(u)),
    lambda u, v: (Phi(u) + Phi(-u) - v, 1 - v),
    lambda u, v: (D * Mean(AttainsFirst(u, RowMax(u))) * v, v),
    lambda u, v: (modulus(u - RowMax(u)) * v, v * (RowMax(u) - u)),
    lambda u, v: (RowMax(exp(u)) * v, v * exp(RowMax(u))),
    lambda u, v: (RowMax(modulus(u)) ** 2 + v, RowMax(u**2) + v),
    lambda u, v: (modulus(RowMax(u**2) + 1), RowMax(u**2) + 1),
    lambda u, v: (AttainsFirst(u, RowMax(u)) * flag(u >= RowMax(u)), AttainsFirst(u, RowMax(u))),
    lambda u, v: (log(u**2) + v, 2 * log(modulus(u)) + v),
    lambda u, v: (log(Sigmoid(u)) - v, -Softplus(-u) - v),
    lambda u, v: (v * sin(u) ** 2 + v * cos(u) ** 2, v),
    lambda u, v: (v / cos(u), v * cos(u) / (1 - sin(u) ** 2)),
    lambda u, v: (Where(u > 1, modulus(u), v), Where(u > 1, u, v)),
    lambda u, v: (Where(u > 0, flag(u > 1) * v, 0), flag(u > 1) * v),
    lambda u, v: (Where(u > v, Where(v > 0, modulus(u), 1), 2), Where(u > v, Where(v > 0, u, 1), 2)),
    lambda u, v: (flag(RowMax(u) >= u) * v, v),
    lambda u, v: (sqrt((u - v) ** 2), modulus(u - v)),
    lambda u, v: (v * sign(u) ** 2 / u, v / u),
    lambda u, v: (RowMax(tanh(u)) - v, tanh(RowMax(u)) - v),
)
"""True statements, of any two expressions."""


def by_chance(generator: random.Random, depth: int) -> Expr:
    """An expression."""
    if depth == 0:
        return generator.choice([X, Z, GAMMA, MU, S, EPS, D, X, Z, Rational(generator.randint(-3, 3), 2)])

    def inner() -> Expr:
        return by_chance(generator, depth - 1)

    made: tuple[Callable[[], Expr], ...] = (
        lambda: inner() + inner(),
        lambda: inner() + inner(),
        lambda: inner() * inner(),
        lambda: inner() * inner(),
        lambda: Mean(inner()),
        lambda: inner() ** 2,
        lambda: 1 / (inner() ** 2 + EPS),
        lambda: exp(inner()),
        lambda: modulus(inner()),
        lambda: Where(generator.choice([X, MU, Z - X]) > 0, inner(), inner()),
        lambda: RowMax(inner()),
        lambda: sin(inner()),
    )
    return generator.choice(made)()


def identities(generator: random.Random, count: int) -> Iterator[Statement]:
    """True statements, each of the identities in turn."""
    for number in range(count):
        depth = generator.choice((0, 1, 1, 2))
        u, v = by_chance(generator, depth), by_chance(generator, generator.choice((0, 1)))
        at = number % len(IDENTITIES)
        yield Statement(f"identity {at}", *map(sympy.sympify, IDENTITIES[at](u, v)))


def perturbed(generator: random.Random, count: int) -> Iterator[Statement]:
    """Identities with one change: a sign, a factor, a term, a mean that is split, a number of features."""
    for statement in identities(generator, count):
        left, right = statement.left, statement.right
        side = generator.choice((left, right))
        found = [*changes(side)]
        for kind, wrong in generator.sample(found, min(3, len(found))):
            pair = (wrong, right) if side == left else (left, wrong)
            yield Statement(kind, *pair)
        features = generator.randint(1, 6)
        size = generator.choice((X, MU, ONE, Mean(Z)))
        yield Statement("one D", left, right + size * flag(Eq(D, features)))
        others = Mul(*(D - k for k in range(1, 7) if k != features))
        yield Statement("one D", left + size * others / 120, right)


def changes(side: Expr) -> Iterator[tuple[str, Expr]]:
    """An expression with one change in any of its parts, by the kind of change."""
    for part in sympy.preorder_traversal(side):
        if isinstance(part, Expr):
            yield from _changes(part, side)


def _changes(part: Expr, side: Expr) -> Iterator[tuple[str, Expr]]:
    def put(other: Expr) -> Expr:
        return side.xreplace({part: other})

    if isinstance(part, Add):
        yield "changed sign", put(part - 2 * part.args[-1])
        yield "missing term", put(part - part.args[0])
    if isinstance(part, (Mean, RowMax)) and len(part.args[0].args) > 1:
        factors = Mul.make_args(part.args[0])
        if len(factors) > 1:
            yield "split mean", put(Mul(*(part.func(f) if axes(f).features else f for f in factors)))
        yield "wrong D", put(part * D / (D + 1))
        yield "wrong D", put(part / D)
    if isinstance(part, Where):
        condition, chosen, otherwise = part.args
        closed = {sympy.StrictGreaterThan: sympy.Ge, sympy.GreaterThan: sympy.Gt}.get(type(condition))
        if closed is not None:
            yield "kinks", put(Where(closed(*condition.args), chosen, otherwise))
        yield "masks", put(Where(condition, otherwise, chosen))
    if not part.is_number:
        yield "factor", put(2 * part)
        yield "factor", put(part + MU)
        yield "signs", put(modulus(part))
        yield "signs", put(-part)


def near_true(generator: random.Random, count: int) -> Iterator[Statement]:
    """All statements of each kind, and as many identities, each changed in several ways."""
    for kind in KINDS:
        yield from kind()
    yield from perturbed(generator, count)
