"""Powers whose exponent is no number, and the remedy where it varies: right also where the base is zero."""

from __future__ import annotations

import functools
import re
from dataclasses import replace

import numpy as np
import pytest

from lngen.derivation.derivation import EVERY_D
from lngen.derivation.from_definition import to_sympy, translate
from lngen.derivation.gradients import derive
from lngen.errors import DefinitionError
from lngen.language.oracle.evaluate import FLOAT64, LONGDOUBLE, Numbers, evaluate, mp_numbers
from lngen.language.parsing import instead, parse
from lngen.prove import equal, prove
from tests import derivatives


def power(base: str, exponent: str) -> str:
    """The remedy as it is printed, with a base and an exponent put in."""
    names = {"a": base, "b": exponent}
    return re.sub(r"\b[ab]\b", lambda found: names[found[0]], instead.POWER_OF)


FOCAL = """
def focal(x: Row, t: Data{g}):
    p = exp(x)/sum(exp(x))
    q = 1 - sum(t*p)
    y = {power}
    return y
"""


def limits(a: np.ndarray, p: float) -> tuple[np.ndarray, ...]:
    """a**p and its derivatives: by a, by p, by a twice, by a and p, by p twice; their limits where a is 0."""

    def power(times: float, exponent: float) -> np.ndarray:
        return times * a**exponent if times else 0 * a

    def with_logarithm(values: np.ndarray, times: int = 1) -> np.ndarray:
        return np.where(a == 0, 0, values * np.log(a) ** times)

    mixed = np.where(a == 0, 0, power(p, p - 1) * np.log(a) + a ** (p - 1))
    return (a**p, power(p, p - 1), with_logarithm(a**p), power(p * (p - 1), p - 2), mixed, with_logarithm(a**p, 2))


@pytest.mark.parametrize(
    ("exponent", "dtype"), [*zip([0.0, 0.5, 1.0, 1.5, 2.0, 3.0], [np.float32, np.float64] * 3, strict=True)]
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of entries that are infinite, or that a select leaves out
def test_every_direction_has_its_limit_at_zero(exponent: float, dtype: type) -> None:
    module = derivatives.module("def f(x: Row, p: Scalar): return x**p\n")
    x, p = np.array([[0.0, 0.25, 1.0, 3.0]], dtype), np.asarray(exponent, dtype)
    one = np.ones_like(x)
    with np.errstate(all="ignore"):
        y, by_x, by_p, by_xx, by_xp, by_pp = limits(x.astype(float), exponent)
    close = functools.partial(np.testing.assert_allclose, rtol=2e-6 if dtype is np.float32 else 1e-14)
    out, saved = module.forward(x, p)
    close(out, y)
    first = module.backward(saved, one)
    close(first.dx, by_x)
    close(first.dp, by_p.sum())
    close(module.jvp(saved, one, np.asarray(0.5, dtype)), by_x + 0.5 * by_p)
    of_x = module.backward_backward(saved, one, ddx=one)
    of_p = module.backward_backward(saved, one, ddp=np.ones((), dtype))
    close(of_x.dx, by_xx)
    close(of_x.ddy, by_x)
    close(of_p.dp, by_pp.sum())
    close(of_p.dx[:, 1:], by_xp[:, 1:])
    if exponent > 1:  # otherwise the limit of a**(p - 1)*log(a) is infinite, and no order of differentiation has it
        close(of_x.dp, by_xp.sum())
        close(of_p.dx, by_xp)
    close(of_p.ddy, by_p)


def test_a_base_below_zero_is_refused_where_that_is_seen() -> None:
    with pytest.raises(DefinitionError, match="the base is negative"):
        parse("def f(x: Row, p: Scalar): return x*(-2)**p")
    with pytest.raises(DefinitionError, match="not a real number, whatever the inputs"):
        translate(parse("def f(x: Row, p: Scalar): return (-exp(x))**p"))
    assert parse("def f(x: Row, p: Scalar): return x*(D - 3)**p").minimum_features == 3


@pytest.mark.parametrize("numbers", [FLOAT64, LONGDOUBLE, mp_numbers(40)])
def test_the_oracle_has_powers_of_every_number_type(numbers: Numbers) -> None:
    definition = parse("def f(x: Row, p: Scalar): return x**p")
    x = np.array([[0.0, 0.25, 3.0, np.inf]])
    for exponent in (0.0, 0.5, 2.5):
        (y,) = evaluate(definition, {"x": x, "p": np.asarray(exponent)}, numbers).values()
        np.testing.assert_allclose(y.astype(float), x**exponent, rtol=1e-15)
    (y,) = evaluate(definition, {"x": -x, "p": np.asarray(0.5)}, numbers).values()
    assert [value != value for value in y.flat[1:3]] == [True, True]


@pytest.mark.ci
@pytest.mark.parametrize("wrong", ["p*a**p", "(p - 1)*a**(p - 1)", "a**(p - 1)"])
def test_a_wrong_derivative_is_refused_by_the_proofs(wrong: str) -> None:
    made = derive(parse("def f(a: Row, p: Constant): return a**p"))
    (line,) = (q for q in made.backward if q.symbol.name == "da")
    base, exponent, cotangent = (next(s for s in line.expression.free_symbols if s.name == n) for n in ("a", "p", "dy"))
    assert all(proof.passed for proof in prove(made).proofs)
    written = parse(f"def f(a: Row, p: Constant): return {wrong}").statements[0].expression
    changed = to_sympy(written, {"a": base, "p": exponent})
    backward = tuple(replace(q, expression=cotangent * changed) if q is line else q for q in made.backward)
    found = prove(replace(made, backward=backward)).proofs
    assert any(not proof.passed and proof.statement.startswith("da ") for proof in found), found


@pytest.mark.ci
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_focal_loss_has_a_gradient_where_one_class_is_certain(dtype: type) -> None:
    """The probability of the others is 0 in floats, and a logarithm of it would be no number."""
    module = derivatives.module(FOCAL.format(power=power("q", "g"), g=", g: Constant = 2"))
    x, t = np.array([[2000, 0, 0], [1, 2, 0.5]], dtype), np.array([[1, 0, 0], [0, 1, 0]], dtype)
    y, saved = module.forward(x, t)
    dx = module.backward(saved, np.ones(2, dtype)).dx
    assert np.isfinite(y).all()
    assert np.isfinite(dx).all()
    squared = derivatives.module(FOCAL.format(power="q**2", g=""))
    wanted, saved = squared.forward(x, t)
    tolerance = {"rtol": 1e-5 if dtype is np.float32 else 1e-12, "atol": 1e-30}
    np.testing.assert_allclose(y, wanted, **tolerance)
    np.testing.assert_allclose(dx, squared.backward(saved, np.ones(2, dtype)).dx, **tolerance)


def test_no_sign_is_taken_for_granted() -> None:
    """A whole power of what is below zero has a value, though no derivation rests on it."""
    kinds = {"p": "Scalar"}
    assert equal("x**p", "abs(x)**p", kinds=kinds).refuted
    assert equal("x*x**(p - 1)", "x**p", kinds=kinds).grade == EVERY_D
