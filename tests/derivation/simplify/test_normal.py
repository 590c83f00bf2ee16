"""The normal distribution is recognized by its form."""

import pytest

from lngen.algebra.normal import NormalDensity, Phi, in_elementary
from lngen.derivation.simplify import derive
from lngen.derivation.simplify.second_order import second_order
from lngen.language.parsing import parse
from lngen.plan.planner import plan
from lngen.prove import prove
from lngen.report import formulas


def lines(text: str) -> list[str]:
    return [line for found in formulas(plan(second_order(derive(parse(text))))).values() for line in found]


@pytest.mark.ci
@pytest.mark.parametrize("body", ["gelu(x)", "x*(1 + erf(x/sqrt(2)))/2", "0.5*x*(1 + erf(x*sqrt(0.5)))"])
def test_the_gradient_is_the_textbooks(body: str) -> None:
    text = f"def f(x: Row): return {body}"
    assert {"Phi_x = Phi(x)", "dx = dy*(Phi_x + x*phi(x))", "d2x = ddx*dy*phi(x)*(2 - x**2)"} <= set(lines(text))
    assert all(proof.passed and proof.claimed for proof in prove(second_order(derive(parse(text)))).proofs)


def test_programs_have_neither() -> None:
    for program in plan(second_order(derive(parse("def f(x: Row): return gelu(x)")))).programs():
        for _, value in program.values():
            assert not value.atoms(Phi, NormalDensity)
            assert in_elementary(value) == value
