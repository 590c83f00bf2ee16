"""Equalities for every D: all that hold of the layers are shown, and nothing that does not hold is."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest
import sympy
from sympy import Expr, Rational

import lngen.prove
from lngen.algebra.budget import Budget
from lngen.algebra.equations import Equation
from lngen.algebra.symbols import (
    FeatureSymbol,
    Mean,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    TypedSymbol,
)
from lngen.derivation.derivation import EVERY_D, FIFTY, QUOTIENTS
from lngen.derivation.gradients import derive
from lngen.derivation.second_order import with_second_order
from lngen.language.parsing import parse
from lngen.prove import prove
from lngen.prove.every_size import EverySize, NotShownError, shown_equal
from lngen.prove.names import Meanings
from lngen.prove.row_algebra import RowAlgebra
from tests.corpus import FILES, derivation
from tests.prove.planted import PLANTED, planted
from tests.tiers import sample

X, Z = RowSymbol("x"), RowSymbol("z")
GAMMA, MU, S = FeatureSymbol("gamma"), RowScalarSymbol("mu"), ScalarSymbol("s")
EPS = ScalarSymbol("eps", positive=True)


def equal(left: Expr, right: Expr, *equations: Equation) -> bool:
    names = Meanings(RowAlgebra(Budget(10**6)))
    names.give(equations)
    return equal_within(left, right, names)


SEARCH = re.compile(r"derivation\.(rules|gradients|reverse_pass|tangents|second_order|normal_form)\b")
"""Modules that search for a short form."""


def test_nothing_of_the_search_for_short_forms_is_used():
    for file in Path(lngen.prove.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                said = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
                assert not any(SEARCH.search(name) for name in said), f"{file.name} imports {said}"


# ---- the layers


@pytest.mark.ci
@pytest.mark.parametrize("name", sample(tuple(FILES), ("layer_norm", "softmax", "mean_abs_norm", "eps_outside")))
def test_every_statement_of_every_layer_is_exact(name: str) -> None:
    made = prove(with_second_order(derivation(name)))
    assert all(proof.passed for proof in made.proofs), made.proofs
    assert {proof.kind for proof in made.proofs if proof.about != QUOTIENTS} == {EVERY_D}, made.proofs
    about = {proof.about for proof in made.proofs if proof.kind == EVERY_D}
    assert about >= {"outputs", "steps", "given equations", "gradients", "tangents", "second-order gradients"}
    written = {q.symbol.name for q in made.written.equations if q.named}
    for step in (step for derivative in made.derivatives().values() for step in derivative.steps):
        # A line without evidence gives a name to something, and says no more.
        names_something = step.before is None and not step.contributions and step.target.name not in written
        assert step.evidence is not None or (names_something and step.rule not in ("gradient", "chain rule")), step


@pytest.mark.ci
def test_a_step_says_what_it_rests_on():
    made = prove(derivation("layer_norm"))
    rested = [step.evidence.names for step in made.steps if step.evidence is not None]
    # A line that needs the definition of one name and of no other says so.
    assert ("x_centred",) in rested


@pytest.mark.ci
def test_what_is_not_shown_falls_back_to_digits():
    # That one is above the other takes an argument from their sum, which is none of ours.
    made = prove(derive(parse("def f(x: Row): return maximum(x**2 - 2*x + 2, 0)*mean(x)")))
    assert all(proof.passed for proof in made.proofs)
    wrong = tuple(replace(s, after=s.after + s.target) if s.before is not None else s for s in made.steps)
    for proof in prove(replace(made, steps=wrong)).proofs:
        assert proof.passed == (proof.about != "steps" or proof.kind != FIFTY)


# ---- points that refute

NAMED = (Equation(MU, Mean(X)), Equation(S, ScalarSymbol("t") ** 2))


@pytest.mark.parametrize(
    ("left", "right", "opened", "differs"),
    [
        (Mean(X - MU), sympy.S.Zero, (), True),
        (Mean(X - MU), sympy.S.Zero, (MU,), False),
        # A name has the sign of what it stands for, and no other value.
        (sympy.Abs(S), S, (), False),
        (sympy.Abs(X), X, (), True),
        # A small fault, and a difference that is rounding, also where it decides a sign.
        (Mean(X - MU), Rational(1, 10**8), (MU,), True),
        (sympy.sign(Mean(X - MU)) * (Z + 10**5), sympy.S.Zero, (MU,), False),
        # Positive values are tried where the others have no logarithm.
        (sympy.log(X * Z), sympy.log(X), (), True),
        (sympy.log(-1 - X**2), sympy.S.Zero, (), False),
    ],
)
def test_point_differs_where_the_names_opened_are_too_few(
    left: Expr, right: Expr, opened: tuple[TypedSymbol, ...], differs: bool
):
    names = Meanings(RowAlgebra(Budget()))
    names.give(NAMED)
    assert names.differ_at_random_points(left, right, frozenset(opened)) == differs
    # The same answer when it is asked again, after other names were opened.
    names.differ_at_random_points(left, right, names.given)
    assert names.differ_at_random_points(left, right, frozenset(opened)) == differs


def equal_within(left: Expr, right: Expr, names: Meanings) -> bool:
    try:
        shown_equal(left, right, names)
    except NotShownError:
        return False
    return True


@pytest.mark.parametrize("name", sample(PLANTED, [*PLANTED][::6]))
def test_no_wrong_gradient_is_shown_to_hold(name: str) -> None:
    shown = []
    for equality in EverySize(planted(name)).gradients():
        try:
            equality.show()
            shown.append(True)
        except NotShownError:
            shown.append(False)
    assert not all(shown)


# ---- rules, one by one


def test_what_a_symbol_claims_is_not_taken_on_trust():
    claimed = RowScalarSymbol("r", positive=True)
    assert equal(sympy.Abs(claimed, evaluate=False), claimed)
    assert not equal(sympy.Abs(claimed, evaluate=False), claimed, Equation(claimed, Mean(X)))
    with pytest.raises(TypeError, match="varies over less"):
        equal(X, X, Equation(RowScalarSymbol("m"), X))
