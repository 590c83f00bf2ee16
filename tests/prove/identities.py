"""True statements of any expressions, the same with one change, and random ones about what guards a zero."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import reduce

import sympy
from sympy import Add, Eq, Expr, Mul, Rational, cos, erf, exp, log, sign, sin, sqrt, tanh
from sympy.core.relational import Relational

from lngen.algebra.normal import Phi
from lngen.algebra.symbols import (
    PLACE,
    AttainsFirst,
    D,
    Mean,
    Power,
    RowMax,
    RowMin,
    Sigmoid,
    Softplus,
    SumRows,
    Where,
    axes,
)
from tests.prove.statements import EPS, GAMMA, KINDS, LABEL, MU, ONE, S, Statement, T, X, Z, flag, modulus

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


# ---- what guards a zero

# What may be zero, and is for few rows, features or sizes.
_ZERO = (
    X, X - 1, X - Z, MU, S, MU - T, X * Z, MU * X, GAMMA * X, Mean(X), X - Mean(X), Mean(X**2), RowMax(modulus(X)),
    X - RowMax(X), RowMin(X), modulus(X) - 1, SumRows(X), D - 1, D - 2, PLACE - 1, PLACE - LABEL, LABEL + 1, LABEL - D,
    X**2 - Z**2, Where(X > 0, X, 0), Where(X > 0, X, 0) + Where(Z > 0, Z, 0),
)  # fmt: skip
_PLAIN = (X, Z, MU, S, EPS, GAMMA, D, sympy.S.One, sympy.Integer(2), sympy.S.Zero, Mean(Z))
_OUTER: tuple[Callable[[Expr], Expr], ...] = (
    modulus, sign, exp, tanh, cos, RowMax, RowMin, Mean, SumRows, lambda u: u**2, lambda u: log(1 + u**2),
    lambda u: 1 / (1 + u**2), lambda u: sqrt(modulus(u)), lambda u: sqrt(sympy.Pow(u, 2, evaluate=False)),
    lambda u: Where(u > 0, u, 0), lambda u: Where(u > 1, 1, Where(u < 0, 0, u)), lambda u: Power(modulus(u), S),
    lambda u: u + Z, lambda u: u * MU, lambda u: u * AttainsFirst(X, RowMax(X)),
)  # fmt: skip


def _guarded(dice: random.Random) -> Expr:
    """A select with what has no value on its other side, or a power of what may be zero."""
    u, v = dice.choice(_ZERO), dice.choice(_PLAIN)
    size = modulus(u)
    poles = (
        1 / u,
        v / u,
        u**-2,
        u / size,
        size / u,
        log(size),
        v / sqrt(size),
        Power(size, -EPS),
        u / Where(u > 0, u, 0),
    )
    compare = dice.choice((Eq, Eq, sympy.Le, sympy.Lt, sympy.Ge, sympy.Gt))
    other = dice.choice((v, dice.choice(_PLAIN), Power(size, dice.choice((S, EPS, D, S + 1, S - 1))), u + v))
    select = Where(compare(u, 0), other, dice.choice(poles))
    return dice.choice((select, select, other, sign(u) * v))


def _alike(part: Expr, dice: random.Random) -> Iterator[Expr]:
    """Expressions with the value of a part wherever it has one."""
    yield from (Where(part > 0, part, 0) + Where(part < 0, part, 0), sign(part) * modulus(part))
    if isinstance(part, Where) and isinstance(part.args[0], Relational):
        condition, a, b = part.args
        u = condition.lhs - condition.rhs
        yield from (Where(condition.negated, b, a), Where(condition, a, 0) + Where(condition.negated, b, 0))
        yield Where(condition, Where(condition.negated, 7, a), b)
        if isinstance(condition, Eq):
            yield from (Where(u > 0, b, Where(u < 0, b, a)), Where(condition, a + u * X, b * sign(u) ** 2))
            yield Where(condition, a, b * u**2 / modulus(u) ** 2)
    if isinstance(part, sympy.Abs):
        yield Where(part.args[0] > 0, part.args[0], -part.args[0])
    if isinstance(part, RowMax):
        yield -RowMin(-part.args[0])
    if isinstance(part, Power):
        yield Power(part.base, part.exp / 2) ** 2
    inner = [p for p in part.args if isinstance(p, Where)]
    if inner and not isinstance(part, (Mean, RowMax, RowMin, SumRows, Where, AttainsFirst)):
        condition, a, b = inner[0].args
        yield Where(condition, part.xreplace({inner[0]: a}), part.xreplace({inner[0]: b}))


def _near(part: Expr, dice: random.Random) -> Iterator[Expr]:
    """Expressions with the value of a part in one orthant, at generic points, or for most sizes."""
    u = dice.choice(_ZERO)
    yield from (part * sign(u) ** 2, part + flag(Eq(u, 0)), modulus(part))
    yield part + flag(dice.choice((Eq(D, 2), Eq(PLACE, 1), LABEL < -1, LABEL >= D)))
    if isinstance(part, Where) and isinstance(part.args[0], Relational):
        condition, a, b = part.args
        closed = {">": sympy.Ge, ">=": sympy.Gt, "<": sympy.Le, "<=": sympy.Lt}.get(condition.rel_op, Eq)
        yield from (b, Where(condition, a + 1, b), Where(condition, dice.choice(_PLAIN), b))
        yield Where(closed(*condition.args), a, b)
    if isinstance(part, sympy.Abs):
        yield from (part.args[0], -part.args[0])
    if isinstance(part, sign):
        yield from (part**2, sympy.S.One, 2 * flag(part.args[0] > 0) - 1)
    if isinstance(part, (RowMax, RowMin, Mean)):
        yield from (part.args[0], RowMax(part.args[0]), Mean(part.args[0]))
    if isinstance(part, Power):
        base, exponent = part.args
        yield from (Where(base > 0, part, 1), Power(base, exponent + 1) / base, exp(exponent * log(base)))
    if isinstance(part, AttainsFirst):
        yield flag(Eq(*part.args))


def _rewritten(e: Expr, dice: random.Random, rewrites: Callable[..., Iterator[Expr]], times: int) -> Expr:
    for _ in range(times):
        parts = [part for part in sympy.preorder_traversal(e) if isinstance(part, Expr) and not part.is_number]
        part = dice.choice(parts or [e])
        e = e.xreplace({part: dice.choice([*rewrites(part, dice)])})
    return e


def guarded(dice: random.Random) -> Iterator[Statement]:
    """Statements without end: an expression and the same, rewritten by what holds, and by what nearly does.

    What nearly holds does so in one orthant, at generic points, or for most numbers of features.
    """
    while True:
        with suppress(TypeError):  # SymPy knows of some that are compared that they are not real
            e = reduce(lambda e, f: f(e), dice.choices(_OUTER, k=dice.choice((1, 1, 2, 3))), _guarded(dice))
            e = dice.choice((e, e, e + _guarded(dice), e * _guarded(dice)))
            left = _rewritten(e, dice, _alike, dice.choice((0, 0, 1)))
            right = _rewritten(e, dice, _alike, dice.choice((0, 1, 1, 2)))
            right = _rewritten(right, dice, _near, dice.choice((0, 1, 1, 1)))
            if left != right:
                yield Statement("guarded", left, right)
