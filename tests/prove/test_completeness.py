"""True statements that users meet are shown, each beside a false one that looks alike and is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy
from sympy import Eq, Expr, Rational, cos, exp, log, sign, sin, tanh

from lngen.algebra.symbols import AttainsFirst, D, Mean, Power, RowMax, RowMin, Sigmoid, Softplus, Where
from lngen.derivation.derivation import EVERY_D, Derivation
from lngen.derivation.gradients import derive
from lngen.language.parsing import parse
from lngen.prove import equal, prove
from lngen.prove.every_size import EverySize, NotShownError
from tests.prove.statements import EPS, MAX, MIN, MU, ONE, S, X, Z, flag, modulus

FIRST = AttainsFirst(X, MAX)

# A true statement, and what the right-hand side is not.
STATEMENTS: dict[str, tuple[Expr, Expr, Expr]] = {
    "a sign from a branch": (Where(X > 1, modulus(X), Z), Where(X > 1, X, Z), Where(X >= 1, X, Z)),
    "a sign beside a number": (Where(X > 0, modulus(X + 1), 0), Where(X > 0, X + 1, 0), Where(X > -1, X + 1, 0)),
    "a condition in one": (Where(X > 0, flag(X > 1), 0), flag(X > 1), flag(X > 0)),
    "conditions in a row": (
        Where(X > Z, Where(Z > MU, flag(X > MU), 2), 2),
        Where(X > Z, Where(Z > MU, 1, 2), 2),
        Where(X > Z, Where(Z >= MU, 1, 2), 2),
    ),
    "the largest is above": (flag(MAX >= X), ONE, flag(MAX > X)),
    "the distance to the largest": (modulus(X - MAX), MAX - X, X - MAX),
    "the range": (modulus(MAX - MIN), MAX - MIN, MAX + MIN),
    "the largest exponential": (RowMax(exp(X)), exp(MAX), exp(MIN)),
    "the largest tanh": (RowMax(tanh(X)), tanh(MAX), tanh(-MAX)),
    "the smallest exponential of what falls": (RowMin(exp(-X)), exp(-MAX), exp(-MIN)),
    "the largest softplus": (RowMax(Softplus(X)), Softplus(MAX), Softplus(MIN)),
    "the largest square": (RowMax(X**2), RowMax(modulus(X)) ** 2, MAX**2),
    "the sign of the largest square": (sign(RowMax(X**2) + 1), ONE, sign(RowMax(X**2))),
    "the largest cube": (RowMax(X**3), MAX**3, -(MIN**3)),
    "where the largest is": (FIRST * flag(X >= MAX), FIRST, FIRST * flag(X > MAX)),
    "what is at the largest": (Mean(FIRST * exp(X) * Z), exp(MAX) * Mean(FIRST * Z), exp(MAX) * Mean(Z) / D),
    "a power times its base": (Power(X, S - 1) * X, Power(X, S), Power(X, S + 1)),
    "powers of one base": (Power(exp(X), S) * Power(exp(X), 1 - S), exp(X), exp(X) ** 2),
    "the logarithm of a power": (log(Power(exp(X) + 1, S)), S * log(exp(X) + 1), log(exp(X) + 1)),
    "the power of a size": (Power(modulus(X), 2 * S), Power(X**2, S), Power(X**2, 2 * S)),
    "the logarithm of a square": (log(X**2), 2 * log(modulus(X)), log(modulus(X))),
    "the logarithm of a sum squared": (log((X + Z) ** 2), 2 * log(modulus(X + Z)), 2 * log(modulus(X) + modulus(Z))),
    "the logarithm of a sigmoid": (log(Sigmoid(X)), -Softplus(-X), -Softplus(X)),
    "logarithms of sigmoids": (log(Sigmoid(X)) + log(1 - Sigmoid(X)), -Softplus(X) - Softplus(-X), -2 * Softplus(X)),
    "sin and cos": (sin(X) ** 2 + cos(X) ** 2, ONE, cos(2 * X)),
    "sin and cos in a mean": (Mean(sin(X) ** 2 * Z), Mean(Z) - Mean(cos(X) ** 2 * Z), Mean(Z) + Mean(cos(X) ** 2 * Z)),
    "one over cos": (1 / cos(X), cos(X) / (1 - sin(X) ** 2), cos(X) / (1 + sin(X) ** 2)),
    "a function that is zero at zero": (tanh(X) * flag(sympy.Ne(X, 0)), tanh(X), Sigmoid(X) - Rational(1, 2)),
    "a power with a symbol above": (
        (modulus(X) + 1) ** S * (modulus(X) + 1),
        (modulus(X) + 1) ** (S + 1),
        (modulus(X) + EPS) ** (S + 1),
    ),
    "the sign of a softplus": (modulus(Softplus(X * Z)), Softplus(X * Z), log(1 + X * Z)),
    "a value at zero": (Where(Eq(X, Z), exp(X - Z), 2), Where(Eq(X, Z), 1, 2), Where(Eq(X, Z), 2, 1)),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_is_shown_and_its_false_neighbour_is_not(name: str) -> None:
    left, right, wrong = map(sympy.sympify, STATEMENTS[name])
    assert equal(left, right).grade == EVERY_D
    assert equal(left, wrong).refuted


@pytest.mark.parametrize("text", ["x*sin(x) + mean(x)*cos(x)", "x + sin(x)**2", "mean(sin(x)**2)*cos(x)"])
def test_a_layer_with_sin_and_cos_is_exact(text: str) -> None:
    made = prove(derive(parse(f"def f(x: Row): return {text}")))
    assert {proof.kind for proof in made.proofs if proof.about in ("steps", "gradients")} == {EVERY_D}


def _closed(made: Derivation) -> Derivation:
    """The derivation with every `>` of its gradients a `>=`."""

    def closed(e: Expr) -> Expr:
        return e.replace(sympy.StrictGreaterThan, sympy.GreaterThan)

    return replace(made, backward=tuple(replace(q, expression=closed(q.expression)) for q in made.backward))


@pytest.mark.parametrize("text", ["where(x > 0, x, 2*exp(-x) - 2)", "where(x > 0, 3*x, x/cos(x))*mean(x)"])
def test_a_gradient_of_the_other_branch_at_a_kink_is_not_exact(text: str) -> None:
    made = derive(parse(f"def f(x: Row): return {text}"))
    shown = []
    for derivation in (made, _closed(made)):
        for equality in EverySize(derivation).gradients():
            try:
                equality.show()
                shown.append(True)
            except NotShownError:
                shown.append(False)
    assert shown == [True, False]
