"""Rewrites that lose fewer digits: what they write, where they apply, that they change no value, what they save."""

from __future__ import annotations

import numpy as np
import pytest
from sympy import Add

from lngen.algebra.equations import Equation, Forward
from lngen.algebra.numeric import Arithmetic, evaluate_equations
from lngen.algebra.symbols import D, RowMax, RowSymbol, Where
from lngen.derivation.simplify import derive, line_rules
from lngen.derivation.simplify.exponentials import stop_at_cancelling_extremes
from lngen.derivation.simplify.second_order import second_order
from lngen.derivation.simplify.shifts import shift_exponentials
from lngen.derivation.simplify.stability import difference_of_squares
from lngen.language.parsing import parse
from tests.derivation.simplify.rules import applied, assert_same_outputs, random_point

GATES = ("sigm", "tanh")

SHIFTS = [
    # under a name, and without
    "def f(x: Row): return exp(x)/sum(exp(x))",
    "def f(x: Row):\n    z = exp(x)\n    s = sum(z)\n    return z/s",
    # a logarithm takes the factor out as a term
    "def f(x: Row): return x - log(sum(exp(x)))",
    "def f(x: Row): return log(mean(exp(x)))*x",
    # several sums, powers of one exponential, exponents that are multiples
    "def f(x: Row, w: Feature): return sum(w*exp(x))/sum(exp(x))*x",
    "def f(x: Row): return exp(x)/sqrt(sum(exp(2*x)))",
    "def f(x: Row): return exp(x)**4/sum(exp(x))**4",
    # largest and smallest of what has the factor
    "def f(x: Row): return x*max(exp(x))/sum(exp(x))",
    # a weight in the exponent
    "def f(x: Row, w: Feature): return exp(w*x)/sum(exp(w*x))",
    # what the user shifted by something else
    "def f(x: Row): return exp(x - mean(x))/sum(exp(x - mean(x)))",
]


MORE_SHIFTS = [
    # beside what is no exponential, or another one
    "def f(x: Row): return x/(1 + sum(exp(x)))",
    "def f(x: Row, s: RowScalar): return exp(x)/(exp(s) + sum(exp(x)))",
    "def f(x: Row, s: Scalar):\n    e = exp(x)\n    k = exp(s)\n    return e/(2*k + sum(e) + 1e-6)",
    "def f(x: Row): return log(1 + sum(exp(x)))*x",
    "def f(x: Row): return log1p(sum(exp(x)))*x",
    "def f(x: Row, z: Row): return sum(exp(z))/(sum(exp(x)) + sum(exp(z)))*x",
    # each sum with its own
    "def f(x: Row, z: Row): return x*(log(sum(exp(x)) + sum(exp(z))) - log(sum(exp(z))))",
    "def f(x: Row):\n    e = exp(x)\n    p = e/sum(e)\n    y = e/(1 + sum(e))\n    return y, p",
    # an entry at a time
    "def f(x: Row): return log(1 + exp(x))",
    "def f(x: Row, z: Row): return exp(x)/(exp(x) + exp(z))",
    "def f(x: Row): return x/(1 + exp(-3*x))",
    "def f(x: Row): return (exp(x) - exp(-x))/(exp(x) + exp(-x))",
    "def f(x: Row, a: RowScalar): return x/(1 + exp(a))",
    # selects
    "def f(x: Row, m: Row): return where(m > -9, exp(x), 0)/sum(where(m > -9, exp(x), 0))",
    "def f(x: Row, m: Row):\n    e = exp(x)\n    k = where(m > 0, e, 0)\n    return k/(1 + sum(k))",
    "def f(x: Row, m: Row): return where(m > 0, exp(x)/sum(exp(x)), 0)",
    # the same for all rows
    "def f(x: Row, w: Feature): return x*exp(w)/sum(exp(w))",
]


@pytest.mark.parametrize("text", [*SHIFTS, *MORE_SHIFTS])
def test_exponentials_under_a_sum_are_shifted(text: str) -> None:
    before, after, trail = applied(shift_exponentials, text)
    assert {step.rule for step in trail.steps} == {"largest exponent taken out"}
    shifts = [q.expression for q in after.equations if q.stopped]
    assert len(shifts) == len(trail.steps)
    assert all(isinstance(shift, (RowMax, Where)) for shift in shifts)
    assert len(shifts) == 1 or text in MORE_SHIFTS
    assert_same_outputs(before, after)
    # Nothing overflows where the exponent is 1e4.
    point = random_point(before, scale=1e4)
    with np.errstate(all="ignore"):
        values = evaluate_equations(after.equations, point, Arithmetic())
    assert all(np.all(np.isfinite(np.asarray(values[output], float))) for output in after.outputs)


@pytest.mark.parametrize(
    "text",
    [
        "def f(x: Row): return exp(x)*x",  # no sum
        "def f(x: Row): return x*sum(exp(x))",  # the output keeps the factor
        "def f(x: Row): return tanh(sum(exp(x)))*x",  # a function that the factor does not leave
        "def f(x: Row): return exp(x)/stop_gradient(sum(exp(x)))",  # here the shift would need a gradient
        "def f(x: Row): return exp(x - max(x))/sum(exp(x - max(x)))",  # shifted already
        "def f(x: Row): return x/(1 + sum(exp(-x**2)))",  # never large
        "def f(x: Row): return x/sum(exp(x))*exp(mean(x))",  # large where each exponential is small
        "def f(x: Row, z: Row): return exp(z)/(1 + sum(exp(x)))",  # the output has another exponential
        # what is divided by would be 0 where none of the largest is in it
        "def f(x: Row, m: Row): return x*mean(exp(x))/sum(where(m > 0, exp(x), 0))",
    ],
)
def test_other_exponentials_stay(text: str) -> None:
    before, after, trail = applied(shift_exponentials, text)
    assert after.equations == before.equations
    assert not trail.steps


CANCELLING = [
    "def f(x: Row):\n    m = max(x)\n    return x - m - log(sum(exp(x - m)))",
    "def f(x: Row):\n    m = min(x)\n    u = x - m\n    return u - log(mean(exp(u)))",
    "def f(x: Row):\n    m = max(x)\n    return m + log(sum(exp(x - m)))",
    "def f(x: Row, t: Row):\n    m = max(x)\n    return sum(t*(x - m - log(sum(exp(x - m)))))",
    "def f(x: Row, s: Scalar):\n    m = max(x)\n    return exp(s*(x - m))/sum(exp(s*(x - m)))",
    "def f(x: Row):\n    m = max(x)\n    return (x - m) - mean(x - m)",
]

STAYING = [
    # an output keeps it, in whatever disguise
    "def f(x: Row): return x - max(x)",
    "def f(x: Row):\n    m = max(x)\n    return m + 2*log(sum(exp(x - m)))",
    "def f(x: Row):\n    m = max(x)\n    return exp(x - m)/(1 + sum(exp(x - m)))",
    "def f(x: Row):\n    m = max(x)\n    y = exp(x - m)/sum(exp(x - m))\n    return y, m",
    "def f(x: Row):\n    m = max(x)\n    return where(x - m > -1, x, 0)",
]


@pytest.mark.parametrize("text", CANCELLING)
def test_an_extreme_that_cancels_needs_no_gradient(text: str) -> None:
    _, after, _ = applied(stop_at_cancelling_extremes, text)
    assert [q.symbol.name for q in after.equations if q.stopped] == ["m"]


@pytest.mark.parametrize("text", STAYING)
def test_an_extreme_that_reaches_an_output_needs_one(text: str) -> None:
    before, after, trail = applied(stop_at_cancelling_extremes, text)
    assert after == before
    assert not trail.steps


GUARDED = [
    "def f(x: Row, eps: Constant = 1e-5): return x/maximum(sqrt(sum(x**2)), eps)",
    "def f(x: Row):\n    n = sqrt(sum(x**2))\n    return where(n > 0.5, x/n, x)",
    "def f(x: Row):\n    n = sqrt(sum(x**2))\n    return x*minimum(1, 1/n)",
    "def f(x: Row):\n    n = sqrt(sum(x**2))\n    return x*where(n > 0.5, 1/n, 2)",
    "def f(x: Row):\n    n = sqrt(mean((x - mean(x))**2))\n    return (x - mean(x))*where(n > 0.1, 1/n, 3)",
]


@pytest.mark.parametrize("text", GUARDED)
def test_what_a_select_guards_stays_guarded(text: str) -> None:
    # At a row of zeros the layer is a constant times the row, and so is its gradient.
    made = derive(parse(text))
    x, dy = made.forward.symbols[0], made.adjoint.cotangents[0]
    point = {x: np.zeros((2, 5)), dy: np.arange(10.0).reshape(2, 5), D: 5.0}
    point |= dict.fromkeys(made.forward.symbols[1:], 0.1)
    with np.errstate(all="ignore"):
        values = evaluate_equations(made.forward.equations, point, Arithmetic())
        values = evaluate_equations(made.backward, values, Arithmetic())
    found = values[made.gradients[0][1]]
    assert np.all(np.isfinite(found))
    centred = "mean(x)" in text
    wanted = point[dy] - point[dy].mean(-1, keepdims=True) if centred else point[dy]
    assert np.ptp(found[wanted != 0] / wanted[wanted != 0]) < 1e-12


def test_a_masked_sum_is_not_made_worse() -> None:
    made = derive(parse("def f(x: Row, m: Row): return where(m > 0, exp(x), 0)/sum(where(m > 0, exp(x), 0))"))
    x, m = made.forward.symbols
    point = {x: np.array([[0.0, 1.0, 1e4]]), m: np.array([[1.0, 1.0, -1.0]]), D: 3.0}
    with np.errstate(all="ignore"):
        values = evaluate_equations(made.forward.equations, point, Arithmetic())
    np.testing.assert_allclose(values[made.forward.outputs[0]], [[1 / (1 + np.e), np.e / (1 + np.e), 0]])


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


@pytest.mark.parametrize("gate", ["silu(x)**2", "sigmoid(x)**3*x", "tanh(x)*x", "sigmoid(x)**2*(1 - sigmoid(x))*x**2"])
def test_what_a_gate_leaves_to_one_is_not_multiplied_out(gate: str) -> None:
    """`6*s**2 - 10*s + 4` is zero at s = 1, where `4*(1 - s)**2 - 2*s*(1 - s)` is as good as 1 - s."""
    made = second_order(derive(parse(f"def f(x: Row): return {gate}")))
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
    gradient = Equation(RowSymbol("du"), g * (1 - t**2))
    assert line_rules.applied(difference_of_squares, (gradient,), layer) == (gradient,)


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
