"""Rules that keep digits: where they are found, what only looks alike, float32 error with and without, and proofs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from sympy import Add

from lngen.algebra.equations import Equation, Forward, Names
from lngen.algebra.normal import NormalDensity, Phi, in_elementary
from lngen.algebra.numeric import Arithmetic, evaluate_equations
from lngen.algebra.symbols import D, RowSymbol, axes
from lngen.derivation import gradients
from lngen.derivation.gradients import derive
from lngen.derivation.rules import RULES
from lngen.derivation.rules.driver import System
from lngen.derivation.rules.stability import difference_of_squares
from lngen.derivation.rules.table import DEFINITION_RULES
from lngen.derivation.second_order import with_second_order
from lngen.language.parsing import parse
from lngen.plan.planner import plan
from lngen.prove import prove
from lngen.report import formulas
from tests.corpus import text_of
from tests.derivation.rules.written import applied, assert_same_outputs, normal_form

FORMS = tuple(rule for rule in RULES if rule.place == "expression" and rule.name != "normal distribution")
INPUTS = "x: Row, z: Row, v: Row, w: Feature"


def definition(body: str) -> str:
    """A definition with this body, whose last part is the value, of the inputs that it reads."""
    *lines, result = (part.strip() for part in body.split(";"))
    words = "".join(c if c.isalnum() or c == "_" else " " for c in body).split()
    arguments = ", ".join(each for each in INPUTS.split(", ") if each[0] in words)
    return f"def f({arguments}):\n" + "".join(f"    {line}\n" for line in (*lines, f"return {result}"))


WRITTEN = {
    "1 - tanh(x)": ["y = 2*Sigmoid(-2*x)"],
    "z + z*tanh(2*x)": ["y = 2*z*Sigmoid(4*x)"],
    "u = 2*x; t = tanh(u); z*(1 - t)": ["y = 2*z*Sigmoid(-2*u)"],
    "z*(softplus(2*x) - 2*x)": ["y = z*Softplus(-2*x)"],
    "softplus(x + z) - (x + z)": ["y = Softplus(-x - z)"],
    "(2*sqrt(x**2 + 1) - 2*abs(x))*z": ["y = 2*z/(sqrt(x**2 + 1) + Abs(x))"],
    "p = exp(x)/sum(exp(x)); sum(p*log(p))": ["y = FeatureSum(p*(x - log(sum_exp_x)))"],
    "p = exp(x)/sum(exp(x)); q = exp(z)/sum(exp(z)); sum(p*log(p/q))": [
        "y = FeatureSum(p*(x - z - log(sum_exp_x) + log(sum_exp_z)))"
    ],
    "log(sum(exp(x))/(sum(exp(x)) + sum(exp(z))))": ["y = log(sum_exp_x) - log(sum_exp_x + sum_exp_z)"],
    "z*(mean(x**2) - mean(x)**2)": ["var = Mean(x_centred**2)", "y = var*z"],
    # with the mean under the user's name
    "m = mean(x); s = rsqrt(mean(x**2) - m**2 + 1); (x - m)*s": ["x_centred = -m + x", "var = Mean(x_centred**2)"],
    # with sums for means
    "sum(x**2)/D - (sum(x)/D)**2": ["x_centred = -mu + x", "y = Mean(x_centred**2)"],
    # twice: two statistics of one row
    "a = mean(x**2) - mean(x)**2; b = mean(x)**2 - mean(x**2); x*a*b": ["a = Mean(x_centred**2)"],
    # beside a statistic of another row
    "x*(mean(x**2) - mean(x)**2 + mean(z))": ["mu_2 = Mean(z)", "var = Mean(x_centred**2)"],
    "z*(mean(x**3) - 3*mean(x)*mean(x**2) + 2*mean(x)**3)": ["mean_x_centred3 = Mean(x_centred**3)"],
    "mean(x*z) - mean(x)*mean(z) + mean(v)": ["mean_x_centred_z_centred = Mean(x_centred*z_centred)"],
    "sum(w*x**2)/sum(w) - (sum(w*x)/sum(w))**2": ["x_centred_2 = -mean_w_x_centred/mean_w + x_centred"],
}


@pytest.mark.parametrize("body", WRITTEN)
def test_a_form_is_found_in_a_definition(body: str) -> None:
    before, after, trail = applied(FORMS, definition(body))
    assert trail.steps
    lines = {*text_of(after.equations), *text_of(normal_form(after).equations)}
    assert lines >= {*WRITTEN[body]}, lines
    assert_same_outputs(before, after)


@pytest.mark.parametrize(
    "body",
    [
        "2 - tanh(x)",  # another limit
        "1 - tanh(x)**3",
        "z - tanh(x)",
        "t = stop_gradient(tanh(x)); x*(1 - t)",  # no gradient flows through t, and one would through another form
        "softplus(x) - 2*x",
        "softplus(x) - z",
        "sqrt(x**2 + 1) - x",  # of unknown sign
        "sqrt(x**2 + 1) - abs(z)",
        "sqrt(x**2 - 1) - abs(x)",  # the root may be of a negative number
        "(sqrt(x**2 + 1) - 1)**2",  # x**4 overflows first
        "log(x*z)",
        "log(x*z*exp(x))",  # the signs of two are not known
        "log(2 + x**2)*z",
        "log(1 + exp(x))*z",
        "z - exp(x)",
        "x*(mean(x**2) - mean(x))",  # a shift changes it
        "x*(mean(x**2) + mean(x)**2)",
        "x*(mean(w*x**2) - mean(w*x)**2)",  # a weighted mean does not centre
        "x*(mean(x**2) - mean(z)**2)",  # two rows
        "x*mean(x**2)*mean(x)**2",  # nothing is subtracted
        "mean(x*z) - 2*mean(x)*mean(z)",
        "mean(w*x**2)/mean(w) - mean(x)**2",  # centred on another mean
        "log(mean(exp(x))) - mean(x)",
    ],
)
def test_what_only_looks_alike_stays(body: str) -> None:
    before, after, trail = applied(FORMS, definition(body))
    assert after.equations == before.equations
    assert not trail.steps


# ---- digits

LOST = {
    # body: offset and scale of rows, the largest error of y with the form, and the least without
    "1 - tanh(x)": (9, 0.1, 2e-7, 1e-2),
    "1 - tanh(x)**2": (9, 0.1, 3e-7, 1e-2),
    "softplus(x) - x": (30, 0.1, 2e-7, 1),
    "sqrt(x**2 + 1) - abs(x)": (1e4, 1, 2e-7, 1),
    "sum(exp(x)/sum(exp(x))*log(exp(x)/sum(exp(x))))": (0, 70, 6e-2, np.inf),
    "sum(w*x**2)/sum(w) - (sum(w*x)/sum(w))**2": (1e4, 1, 3e-7, 1),
    "mean(x*z) - mean(x)*mean(z)": (1e4, 1, 5e-5, 1),
    "mean(x**2) - mean(x)**2": (1e4, 1, 1e-6, 1),
}


@pytest.mark.parametrize("body", LOST)
def test_float32_has_the_digits_with_a_form_and_not_without(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    offset, scale, most, least = LOST[body]
    assert error(body, offset, scale) < most
    monkeypatch.setattr(gradients, "DEFINITION_RULES", [rule for rule in DEFINITION_RULES if rule not in FORMS])
    without = error(body, offset, scale)
    assert without >= least or np.isnan(without)


def error(body: str, offset: float, scale: float) -> float:
    """The error of y in float32 beside its value in 60 digits, the largest of all entries."""
    forward, rng = derive(parse(definition(body))).forward, np.random.default_rng(3)
    drawn = {s: rng.standard_normal((8, 64) if axes(s).rows else 64) for s in forward.symbols}
    drawn = {s: offset + scale * v if axes(s).rows else abs(v) + 0.1 for s, v in drawn.items()}

    def y(arithmetic: Arithmetic, number: Callable[[float], Any]) -> Any:
        given = {s: np.vectorize(number, [arithmetic.dtype])(v.astype(np.float32)) for s, v in drawn.items()}
        return evaluate_equations(forward.equations, {**given, D: number(64)}, arithmetic)[forward.outputs[0]]

    with mpmath.workdps(60), np.errstate(all="ignore"):
        found, right = y(Arithmetic(dtype=np.float32), np.float32), y(Arithmetic(60), lambda v: mpmath.mpf(float(v)))
        return float(np.max(np.abs((found.astype(float) - right) / right).astype(float)))


# ---- proofs


@pytest.mark.ci
@pytest.mark.parametrize("body", [*WRITTEN, "1 + tanh(x)", "x*(mean(x*z) - mean(x)*mean(z))"])
def test_steps_of_forms_are_proved(body: str) -> None:
    made = prove(with_second_order(derive(parse(definition(body)))))
    assert all(proof.passed for proof in made.proofs)
    grades = {step.rule: step.evidence.grade for step in made.steps if step.before is not None and step.evidence}
    assert all(grade.startswith("exact at every D") for grade in grades.values()), grades


GRADIENTS = {
    "a = x - log(sum(exp(x))); b = z - log(sum(exp(z))); sum(exp(b)*(b - a))": [
        "g = -a + b",
        "p = exp_shifted/Z",
        "dx = dy*(-exp_shifted_2_scaled + p)",
        "dz = dy*exp_shifted_2_scaled*(g - FeatureSum(exp_shifted_2_scaled*g))",
    ],
    "1 + tanh(x)": ["dx = 4*dy*sigmoid_u*Sigmoid(-u)"],
    "mean(x*z) - mean(x)*mean(z)": ["dx = dy*z_centred/D", "dz = dy*x_centred/D"],
    "x*(mean(x*z) - mean(x)*mean(z))": [
        "dx = mean_x_centred_z_centred*dy + z_centred*Mean(dy*x)",
        "dz = x_centred*Mean(dy*x)",
    ],
    "sum(w*x**2)/sum(w) - (sum(w*x)/sum(w))**2": [
        "dx = 2*w*dy*x_centred_2/(D*mean_w)",
        "dw = (SumRows(dy*x_centred_2**2) - SumRows(dy*mean_w_x_centred_22)/mean_w)/(D*mean_w)",
    ],
}


@pytest.mark.parametrize("body", GRADIENTS)
def test_a_gradient_is_short(body: str) -> None:
    assert text_of(derive(parse(definition(body))).backward) == GRADIENTS[body]


# ---- gates


def test_difference_of_squares_keeps_the_digits() -> None:
    made = derive(parse("def f(x: Row): return tanh(x)"))
    (dx,) = made.backward
    assert str(dx.expression) == "dy*(1 - y)*(y + 1)"
    x, dy = made.forward.symbols[0], made.adjoint.cotangents[0]
    point = {x: np.array([[9.0]]), dy: np.array([[1.0]]), D: 1.0}
    values = evaluate_equations(made.forward.equations, point, Arithmetic())
    values = evaluate_equations(made.backward, values, Arithmetic())
    exact = 1 / np.cosh(np.longdouble(9)) ** 2
    # y is 1 - 3e-8, known to 1e-16: 1 - y keeps 8 digits, and 1 - y**2 would keep no more; the last one is not lost.
    assert abs(values[dx.symbol][0, 0] / exact - 1) < 1e-8


def test_a_complement_keeps_the_digits_of_a_gate() -> None:
    made = derive(parse("def f(x: Row): return silu(x)"))
    (dx,) = made.backward
    assert str(dx.expression) == "dy*sigmoid_x*(x*(1 - sigmoid_x) + 1)"
    x, dy = made.forward.symbols[0], made.adjoint.cotangents[0]
    point = {x: np.array([[3e9]]), dy: np.array([[1.0]]), D: 1.0}
    values = evaluate_equations(
        made.backward, evaluate_equations(made.forward.equations, point, Arithmetic()), Arithmetic()
    )
    # As `1 + x - x*sigmoid(x)` it would have lost ten digits of its 1.
    assert values[dx.symbol][0, 0] == 1


GATES = ("sigm", "tanh")


@pytest.mark.parametrize("gate", ["silu(x)**2", "sigmoid(x)**3*x", "tanh(x)*x", "sigmoid(x)**2*(1 - sigmoid(x))*x**2"])
def test_what_a_gate_leaves_to_one_is_not_multiplied_out(gate: str) -> None:
    """`6*s**2 - 10*s + 4` is zero at s = 1, where `4*(1 - s)**2 - 2*s*(1 - s)` is as good as 1 - s."""
    made = with_second_order(derive(parse(f"def f(x: Row): return {gate}")))
    jvp, second = made.jvp, made.backward_backward
    assert jvp is not None
    assert second is not None
    for equation in (*made.backward, *jvp.equations, *second.equations):
        for total in equation.expression.atoms(Add):
            terms = {s: [t.as_powers_dict()[s] for t in total.args] for s in total.free_symbols if s.name[:4] in GATES}
            # A power of the gate itself stands in no sum but beside what it leaves to 1.
            assert all(total == 1 - s or total == 1 + s or max(powers) <= 1 for s, powers in terms.items()), total


def test_difference_of_squares_needs_a_tanh() -> None:
    t, g = RowSymbol("t"), RowSymbol("g")
    layer = Forward("f", (), (), (Equation(t, g**2),), ())
    (rewrite,) = difference_of_squares(System(layer, (), Names([])))
    assert rewrite.change(g * (1 - t**2)) == g * (1 - t**2)


def test_a_large_offset_costs_no_digits() -> None:
    text = "def f(x: Row, eps: Constant = 1e-5): return (x - mean(x))*rsqrt(mean(x**2) - mean(x)**2 + eps)"
    made = derive(parse(text))
    rng = np.random.default_rng(0)
    x = (1e6 + rng.standard_normal((2, 64))).astype(np.float64)
    point = {s: {"x": x, "eps": 1e-5}[s.name] for s in made.forward.symbols} | {D: 64.0}
    found = evaluate_equations(made.forward.equations, point, Arithmetic())[made.forward.outputs[0]]
    wide = {s: np.asarray(v, np.longdouble) for s, v in point.items()}
    exact = evaluate_equations(made.forward.equations, wide, Arithmetic(dtype=np.longdouble))[made.forward.outputs[0]]
    assert np.max(np.abs(found - exact)) < 1e-9
    written = evaluate_equations(made.written.equations, point, Arithmetic())[made.written.outputs[0]]
    assert np.max(np.abs(written - exact)) > 1e-6


def formulas_of(text: str) -> list[str]:
    return [line for found in formulas(plan(with_second_order(derive(parse(text))))).values() for line in found]


@pytest.mark.ci
@pytest.mark.parametrize("body", ["gelu(x)", "x*(1 + erf(x/sqrt(2)))/2", "0.5*x*(1 + erf(x*sqrt(0.5)))"])
def test_the_gradient_is_the_textbooks(body: str) -> None:
    text = f"def f(x: Row): return {body}"
    assert {"Phi_x = Phi(x)", "dx = dy*(Phi_x + x*phi(x))", "d2x = ddx*dy*phi(x)*(2 - x**2)"} <= set(formulas_of(text))
    assert all(proof.passed and proof.claimed for proof in prove(with_second_order(derive(parse(text)))).proofs)


def test_programs_have_neither() -> None:
    for program in plan(with_second_order(derive(parse("def f(x: Row): return gelu(x)")))).programs():
        for _, value in program.values():
            assert not value.atoms(Phi, NormalDensity)
            assert in_elementary(value) == value
