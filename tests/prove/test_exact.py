"""The exact proof: it holds for every derivation, refutes every planted fault, and says what it proved."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy
from sympy import Expr

from lngen.algebra.budget import Budget, TooLargeError
from lngen.algebra.symbols import D, Mean, Sigmoid, Where
from lngen.derivation.derivation import NONE
from lngen.derivation.gradients import derive
from lngen.language.parsing import parse
from lngen.prove.exact import ExplicitAlgebra, _Explicit, _NoDerivativeError, exact_proofs
from lngen.prove.generators import UndefinedError
from tests.corpus import PROVED, SOME, derivation, proved
from tests.prove.planted import PLANTED, planted
from tests.tiers import sample
from tests.work import calls_of

a, b = sympy.symbols("a b", real=True)
eps = sympy.Symbol("eps", positive=True)
r = (a**2 + eps) ** sympy.Rational(-1, 2)

IDENTITIES = [
    # roots and their relations
    (r**2 * (a**2 + eps), 1),
    (sympy.sqrt(a**2 + eps) * r, 1),
    ((a**2 + eps) ** sympy.Rational(3, 4) / (a**2 + eps) ** sympy.Rational(1, 4), sympy.sqrt(a**2 + eps)),
    (r.diff(a), -a * r**3),
    # bases that differ by a number
    (sympy.sqrt(4 * a**2 + 4 * eps), 2 * sympy.sqrt(a**2 + eps)),
    (sympy.sqrt(8 * a**2 + 8 * eps), sympy.sqrt(2) * 2 * sympy.sqrt(a**2 + eps)),
    (sympy.sqrt(2) * sympy.sqrt(3), sympy.sqrt(6)),
    # a root under a fraction line
    (1 / (1 / r + eps), r / (1 + eps * r)),
    # exponentials add up, and leave a sum
    (sympy.exp(a + b), sympy.exp(a) * sympy.exp(b)),
    (sympy.exp(a - b) / (sympy.exp(a - b) + 1), sympy.exp(a) / (sympy.exp(a) + sympy.exp(b))),
    (1 / sympy.sqrt(sympy.exp(2 * a) + sympy.exp(2 * b)), sympy.exp(-a) / sympy.sqrt(1 + sympy.exp(2 * b - 2 * a))),
    (sympy.log(sympy.exp(a) + sympy.exp(b)), a + sympy.log(1 + sympy.exp(b - a))),
    (sympy.log(sympy.exp(a)), a),
    # an exponential of what itself has exponentials
    (sympy.exp(sympy.exp(a - b) / (1 + sympy.exp(a - b))), sympy.exp(sympy.exp(a) / (sympy.exp(a) + sympy.exp(b)))),
    # functions stand for themselves
    (Sigmoid(a).diff(a), Sigmoid(a) - Sigmoid(a) ** 2),
    (sympy.erf(a / sympy.sqrt(2)).diff(a), sympy.sqrt(2) / sympy.sqrt(sympy.pi) * sympy.exp(-(a**2) / 2)),
    # signs and selects, in every region
    (sympy.Abs(a * b), sympy.Abs(a) * sympy.Abs(b)),
    (sympy.sign(3 * a) * a, sympy.Abs(a)),
    (sympy.sign(a - b), -sympy.sign(b - a)),
    (sympy.sign(a**3 * r), sympy.sign(a)),
    (Where(a > b, a, b) + Where(a > b, b, a), a + b),
    (Where(a > b, a, b), (a + b + sympy.Abs(a - b)) / 2),
]


@pytest.mark.parametrize(("left", "right"), IDENTITIES)
def test_identities(left: sympy.Expr, right: sympy.Expr) -> None:
    assert ExplicitAlgebra(Budget()).vanishes(left - right)
    assert not ExplicitAlgebra(Budget()).vanishes(left - right + a)
    assert not ExplicitAlgebra(Budget()).vanishes(left - sympy.Rational(2) * right)


@pytest.mark.parametrize("base", [sympy.Integer(5), a**2 + eps])
def test_a_root_and_one_of_higher_order_are_not_independent(base: sympy.Expr) -> None:
    root, fourth = sympy.sqrt(base), sympy.root(base, 4)
    difference = base ** sympy.Rational(3, 4) / (b + root) - fourth * (1 - b / (b + root))
    algebra = ExplicitAlgebra(Budget())
    assert algebra.vanishes(b / (b + root) + 1 / (1 + b / root) - 1)
    assert algebra.vanishes(difference)
    assert not algebra.vanishes(difference + fourth)


def test_signs_of_what_cannot_be_negative() -> None:
    # A square of a sum is multiplied out, and told.
    above = sympy.expand((a - b) ** 2 + a**2) + eps
    assert not ExplicitAlgebra(Budget()).vanishes(sympy.Abs(above, evaluate=False) - above)
    told = ExplicitAlgebra(Budget())
    told.claim_not_negative((a - b) ** 2 + a**2)
    assert told.vanishes(sympy.Abs(above, evaluate=False) - above)
    assert not told.vanishes(sympy.Abs(above - 2 * eps, evaluate=False) - above + 2 * eps)


@pytest.mark.ci
def test_work_is_bounded() -> None:
    symbols = sympy.symbols("x:12", real=True)
    with pytest.raises(TooLargeError, match="terms"):
        ExplicitAlgebra(Budget()).vanishes(1 / sympy.sqrt(sum(symbols) ** 8 + 1) - 1)
    budget = Budget()
    with pytest.raises(TooLargeError):
        budget.spend(budget.left + 1)


# ---- derivations


@pytest.mark.parametrize("name", sample(PROVED, SOME))
def test_every_gradient_is_proved(name: str) -> None:
    made = proved(name)
    proofs = [proof for proof in made.proofs if proof.kind.startswith("exact at D = ")]
    assert len(proofs) == len(made.gradients)
    smallest = made.definition.minimum_features
    for proof, (symbol, gradient) in zip(proofs, made.gradients, strict=True):
        assert proof.passed, proof
        wanted = f"{gradient} - d/d{symbol} of the definition written out is identically zero"
        assert proof.statement.removeprefix("the unsimplified ").startswith(wanted)
        # Three sizes at least; that of one feature may have no derivative, the fourth may be too long.
        sizes = proof.kind.partition("D = ")[2].split(", ")
        assert {str(smallest + 1), str(smallest + 2)} <= set(sizes)


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm", "soft_max", "residual_add", "one_line", "gated_rms"])
def test_four_sizes_where_the_issue_asks_for_four(name: str) -> None:
    for proof in exact_proofs(derivation(name)):
        assert proof.kind == "exact at D = 1, 2, 3, 4"


@pytest.mark.parametrize("name", PLANTED)
def test_every_planted_fault_is_refuted(name: str) -> None:
    failed = [proof for proof in exact_proofs(planted(name)) if not proof.passed]
    assert failed
    assert all("differs from the derivative of the definition at D = " in proof.statement for proof in failed)


def test_a_fault_in_one_gradient_leaves_the_others_proved() -> None:
    by_name = {proof.statement.split()[0]: proof.passed for proof in exact_proofs(planted("dgamma without xhat"))}
    assert by_name == {"dx": True, "dgamma": False, "dbeta": True}


def test_names_with_digits_are_not_entries_of_a_row() -> None:
    # x at feature 1, and the row scalar x1: a proof that takes them for one would refute, or prove, anything.
    made = derivation("digits_in_names")
    assert all(proof.passed for proof in exact_proofs(made))
    dx = Mean(made.forward.symbols[0]) * made.adjoint.cotangents[0]
    wrong = replace(
        made,
        backward=tuple(replace(q, expression=dx) if q.symbol.name == "dx" else q for q in made.backward),
    )
    assert not all(proof.passed for proof in exact_proofs(wrong))


def test_largest_and_smallest_are_not_mixed_up() -> None:
    made = derive(parse("def f(x: Row): return x*(max(x) - min(x))"))
    assert all(proof.passed for proof in exact_proofs(made))


def test_what_is_too_large_is_said_and_not_held_against_the_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    def vanishes(algebra: ExplicitAlgebra, difference: Expr) -> bool:
        raise TooLargeError("too many sign regions")

    monkeypatch.setattr(ExplicitAlgebra, "vanishes", vanishes)
    (proof,) = exact_proofs(derivation("sign_and_abs"))
    assert proof.kind == NONE
    assert proof.passed
    assert "too many sign regions" in proof.statement


@pytest.mark.ci
def test_a_proof_stops_at_the_size_before() -> None:
    (proof,) = exact_proofs(derivation("high_power"))
    assert proof.passed
    assert proof.kind == "exact at D = 1, 2, 3"
    assert proof.statement.endswith("(not tried beyond: too many terms)")


@pytest.mark.ci
def test_deep_definitions_take_bounded_work() -> None:
    lines = "\n".join(f"    h{i} = tanh(h{i - 1})*rsqrt(mean(h{i - 1}**2) + eps)" for i in range(1, 8))
    made = derive(parse(f"def f(h0: Row, eps: Constant = 1e-5):\n{lines}\n    return h7"))
    proofs, calls = calls_of(exact_proofs, made)
    assert calls < 2_000_000
    assert all(proof.passed for proof in proofs)


def test_a_division_by_what_is_always_zero_is_undefined():
    zero = (a + b) ** 2 - a**2 - 2 * a * b - b**2
    for power in (-1, -2, sympy.Rational(-1, 2)):
        with pytest.raises(UndefinedError):
            ExplicitAlgebra(Budget()).vanishes(b * zero**power)


def test_nothing_is_proved_of_a_definition_that_always_divides_by_zero():
    text = "from lngen.language import Row, mean, sum\ndef f(x: Row): return x / sum(x - mean(x))**2"
    (proof,) = exact_proofs(derive(parse(text)))
    assert proof.kind == NONE
    assert "divides by zero at every D that was tried" in proof.statement


@pytest.mark.parametrize(
    "body", ["sqrt(1 + sigmoid(1/(x - mean(x))))", "maximum(1/(x - mean(x)), x)", "maximum(1/(max(x) - mean(x)), x)"]
)
def test_nothing_is_made_of_what_is_no_number_at_a_size(body: str) -> None:
    # Of one feature it divides by zero, and SymPy can neither approximate nor compare that.
    (proof,) = exact_proofs(derive(parse(f"def f(x: Row): return {body}")))
    assert proof.kind.startswith("exact at D = 2")
    assert "identically zero" in proof.statement


def test_what_a_select_leaves_out_may_be_no_number() -> None:
    world = _Explicit(1, ExplicitAlgebra(Budget()))
    assert world._at(Where(D > 1, 1 / (D - 1), 2), 0) == 2
    with pytest.raises(_NoDerivativeError):
        world._at(1 / (D - 1), 0)
