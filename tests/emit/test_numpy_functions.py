"""Every expression head on its own: accuracy, extremes, folding, and what is refused."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy
from sympy import Rational

from lngen.algebra.symbols import (
    Expm1,
    FeatureSymbol,
    Log1p,
    RowScalarSymbol,
    RowSymbol,
    Sigmoid,
    Softplus,
    Where,
)
from lngen.emit.expressions import (
    decimal,
    factors_in_order,
    formula,
    is_short,
    power_chain,
    terms_in_order,
)
from lngen.emit.numpy import emit
from lngen.emit.numpy.presence import Cases
from lngen.errors import LngenError
from lngen.plan.presence import all_of, any_of
from lngen.plan.program import Assignment, Parameter, RowArgument, RowProgram, Stage, Store
from tests.emit.reference import load, notes_of

x, y, dx, dy = (RowSymbol(name) for name in ("x", "y", "dx", "dy"))


def elementwise(expression: sympy.Expr, parameters: tuple[Parameter, ...] = ()) -> tuple[RowProgram, RowProgram]:
    """y = expression, dx = dy*expression."""
    optional = tuple((p.name, p.default) for p in parameters if p.default is not None)
    forward = RowProgram(
        layer="elementwise",
        direction="forward",
        minimum_features=1,
        rows=(RowArgument("x", x, "input"),),
        parameters=parameters,
        prologue=(),
        stages=(Stage(temps=(Assignment(y, expression, 1),), stores=(Store(("y",), y),)),),
        epilogue=(),
        saved=(),
        results=(Store(("y",), y),),
        optional=optional,
    )
    backward = RowProgram(
        layer="elementwise",
        direction="backward",
        minimum_features=1,
        rows=(RowArgument("x", x, "saved input"), RowArgument("dy", dy, "cotangent")),
        parameters=parameters,
        prologue=(),
        stages=(Stage(temps=(Assignment(dx, dy * expression, 1),), stores=(Store(("dx",), dx),)),),
        epilogue=(),
        saved=(),
        results=(Store(("dx",), dx),),
        optional=optional,
    )
    return forward, backward


def emitted(expression: sympy.Expr, folder: Path, parameters: tuple[Parameter, ...] = ()) -> ModuleType:
    return load(*elementwise(expression, parameters), folder)


def text_of(expression: sympy.Expr, parameters: tuple[Parameter, ...] = ()) -> str:
    pair = elementwise(expression, parameters)
    return emit(pair, notes_of(pair[0]))["numpy_kernels.py"]


HEADS: dict[str, tuple[sympy.Expr, Any]] = {
    "exp": (sympy.exp(x), mpmath.exp),
    "log": (sympy.log(x**2 + 1), lambda u: mpmath.log(u * u + 1)),
    "sin": (sympy.sin(x), mpmath.sin),
    "cos": (sympy.cos(x), mpmath.cos),
    "tanh": (sympy.tanh(x), mpmath.tanh),
    "erf": (sympy.erf(x), mpmath.erf),
    "absolute": (sympy.Abs(x), abs),
    "sign": (sympy.sign(x), mpmath.sign),
    "sigmoid": (Sigmoid(x), lambda u: 1 / (1 + mpmath.exp(-u))),
    "softplus": (Softplus(x), lambda u: mpmath.log(1 + mpmath.exp(u))),
    "log1p": (Log1p(x**2), lambda u: mpmath.log1p(u * u)),
    "expm1": (Expm1(x), mpmath.expm1),
    "cube": (x**3, lambda u: u**3),
    "high power": (x**7, lambda u: u**7),
    "reciprocal": (1 / x, lambda u: 1 / u),
    "root": (sympy.sqrt(x**2 + 1), lambda u: mpmath.sqrt(u * u + 1)),
    "inverse root": (1 / sympy.sqrt(x**2 + 1), lambda u: 1 / mpmath.sqrt(u * u + 1)),
    "three halves": ((x**2 + 1) ** Rational(3, 2), lambda u: (u * u + 1) ** 1.5),
    "five thirds": ((x**2 + 1) ** Rational(-5, 3), lambda u: (u * u + 1) ** (mpmath.mpf(-5) / 3)),
    "third": (x / 3, lambda u: u / 3),
    "pi": (sympy.pi * x, lambda u: mpmath.pi * u),
    "root of pi": (x / sympy.sqrt(2 * sympy.pi), lambda u: u / mpmath.sqrt(2 * mpmath.pi)),
    "select": (Where(x > 1, x**2, -x), lambda u: u * u if u > 1 else -u),
    "negative": (-x, lambda u: -u),
}


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.longdouble])
def test_head(head: str, dtype: Any, tmp_path: Path) -> None:
    expression, exact = HEADS[head]
    module = emitted(expression, tmp_path)
    points = np.random.default_rng(3).uniform(-4, 4, (1, 200)).astype(dtype)
    got = module.forward(points)[0][0]
    assert got.dtype == dtype
    with mpmath.workdps(40):
        wanted = [exact(mpmath.mpf(np.format_float_positional(u, unique=True))) for u in points[0]]
        wanted_text = [mpmath.nstr(value, 30) for value in wanted]
    reference = np.asarray([np.longdouble(text) for text in wanted_text])
    # Each head is at most eight correctly rounded operations and one function of NumPy's, good to 4 ulp; the
    # decimal that mpmath was given is the shortest one that rounds to the entry, off by half an ulp times the
    # condition number.
    error = np.abs(got.astype(np.longdouble) - reference) / np.maximum(np.abs(reference), 1)
    # The emitted erf has the coefficients of float64 in longdouble too, and says so.
    kind = np.float64 if head == "erf" and dtype == np.longdouble else dtype
    assert error.max() < 40 * np.finfo(kind).eps


@pytest.mark.parametrize(("dtype", "ulps"), [(np.float32, 2), (np.float64, 2)])
def test_erf(dtype: Any, ulps: float, tmp_path: Path) -> None:
    module = emitted(sympy.erf(x), tmp_path)
    rng = np.random.default_rng(5)
    parts = (
        rng.uniform(-1.7, 1.7, 3000),
        rng.uniform(-7, 7, 2000),
        10.0 ** rng.uniform(-30, 0, 500),
        [0.0, 1.5, -1.5, float(np.nextafter(dtype(1.5), dtype(2)))],
    )
    points = np.concatenate(parts).astype(dtype)
    got = module.forward(points)[0]
    with mpmath.workdps(30):
        exact = [mpmath.erf(mpmath.mpf(float(u))) for u in points]
        spacing = np.spacing(np.asarray([float(abs(value)) for value in exact], dtype))
        error = [
            abs(mpmath.mpf(float(g)) - e) / mpmath.mpf(float(s)) for g, e, s in zip(got, exact, spacing, strict=True)
        ]
    assert max(error) < ulps
    extremes = np.asarray([np.inf, -np.inf, np.nan, 1e30, -1e30], dtype)
    np.testing.assert_array_equal(module.forward(extremes)[0], np.asarray([1, -1, np.nan, 1, -1], dtype))
    assert np.signbit(module.forward(np.asarray([-0.0], dtype))[0][0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extremes_without_warnings(dtype: Any, tmp_path: Path) -> None:
    points = np.asarray([-1e4, -800, -90, 0, 90, 800, 1e4], dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sigmoid = emitted(Sigmoid(x), tmp_path / "a").forward(points)[0]
        softplus = emitted(Softplus(x), tmp_path / "b").forward(points)[0]
    assert sigmoid[0] == 0
    assert sigmoid[3] == 0.5
    assert sigmoid[-1] == 1
    np.testing.assert_allclose(softplus[3:], [np.log(2), 90, 800, 1e4], rtol=1e-6)
    assert softplus[0] == 0


def test_the_side_not_taken_does_not_complain(tmp_path: Path) -> None:
    module = emitted(Where(x > 0, sympy.log(x) * 3 + 1 / sympy.sqrt(x), sympy.exp(-x) / (1 - x)), tmp_path)
    points = np.asarray([[-3.0, 0.0, 1.0, 4.0, 1e4], [-700.0, 1e-300, 1.0, 1.0, -1.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got, saved = module.forward(points)
        module.backward(saved, points)
    with np.errstate(all="ignore"):
        exact = np.where(points > 0, np.log(points) * 3 + 1 / np.sqrt(points), np.exp(-points) / (1 - points))
    np.testing.assert_allclose(got, exact, rtol=1e-14)


def test_a_mask_fits_what_it_guards(tmp_path: Path) -> None:
    """The root of a Feature and of a row scalar is not taken entry by entry, and takes no mask of entries."""
    w = FeatureSymbol("w")
    module = emitted(Where(x > 0, x * sympy.sqrt(w), x / w), tmp_path, (Parameter("w", w, "Feature", None),))
    points, weights = np.asarray([[1.0, -2.0, 3.0]]), np.asarray([4.0, 9.0, 16.0])
    np.testing.assert_array_equal(module.forward(points, weights)[0], [[2.0, -2 / 9, 12.0]])
    q = RowScalarSymbol("q")
    forward, backward = elementwise(Where(x > 0, x * sympy.sqrt(q), x))
    scalars = (RowArgument("q", q, "input"),)
    forward = replace(forward, rows=forward.rows + scalars)
    backward = replace(backward, rows=(*backward.rows, RowArgument("q", q, "saved input")))
    module = load(forward, backward, tmp_path / "row scalars")
    y, saved = module.forward(points, np.asarray([4.0]))
    np.testing.assert_array_equal(y, [[2.0, -2.0, 6.0]])
    gradients = module.backward(saved, points)
    np.testing.assert_array_equal(gradients.dx, [[2.0, 4.0, 18.0]])
    np.testing.assert_array_equal(gradients.dq, [0.0])


def test_unknown_heads_are_refused() -> None:
    with pytest.raises(LngenError, match=r"step 1, y = gamma\(x\): the NumPy backend cannot write gamma"):
        text_of(sympy.gamma(x))
    with pytest.raises(LngenError, match="cannot write And"):
        text_of(Where(sympy.And(x > 0, x < 1), x, 1))
    with pytest.raises(LngenError, match="q is used before it is assigned"):
        text_of(x * RowScalarSymbol("q"))
    with pytest.raises(LngenError, match="not a finite real number"):
        text_of(x * sympy.sqrt(-2) * sympy.sqrt(3))


def test_names_that_emitted_code_needs_are_refused() -> None:
    w = FeatureSymbol("threads")
    with pytest.raises(
        LngenError, match="cannot use the name threads, which is an argument of the emitted functions; choose another"
    ):
        text_of(x * w, (Parameter("threads", w, "Feature", None),))


@pytest.mark.parametrize("neutral", [0, 1, 3])
def test_neutral_values_fold(neutral: int, tmp_path: Path) -> None:
    w, v = FeatureSymbol("w"), FeatureSymbol("v")
    parameters = (Parameter("w", w, "Feature", Fraction(neutral)), Parameter("v", v, "Feature", Fraction(1)))
    module = emitted((1 + w) * x / v + sympy.sqrt(1 + w**2), tmp_path, parameters)
    points, weights = np.asarray([[0.5, -2.0]]), np.asarray([2.0, 4.0])
    for has_w, has_v in itertools.product((True, False), repeat=2):
        got = module.forward(points, weights if has_w else None, weights if has_v else None)[0]
        a, b = (weights if has_w else neutral), (weights if has_v else 1)
        np.testing.assert_allclose(got, (1 + a) * points / b + np.sqrt(1 + a**2), rtol=1e-15)


def test_literals_have_the_compute_type(tmp_path: Path) -> None:
    text = text_of(x / 3 + 0 * x + Rational(1, 2))
    assert '    # 1/3\n    constant_1 = dtype.type("0.3333333333333333333333333333333333333333")\n' in text
    assert "0.5" in text


def test_conditions_are_minimal_and_exact() -> None:
    cases = Cases(("a", "b", "c"))
    a, b, c = (cases.present(name) for name in cases.names)
    assert cases.condition(a & b | a & ~b & cases.everything) == "a is not None"
    assert cases.condition(a | b) == "a is not None or b is not None"
    products = [
        all_of(one if there else ~one for one, there in zip((a, b, c), signs, strict=True))
        for signs in itertools.product((False, True), repeat=3)
    ]
    for wanted in range(1, 255):
        text = cases.condition(any_of(product for number, product in enumerate(products) if wanted >> number & 1))
        for number, signs in enumerate(itertools.product((False, True), repeat=3)):
            values = {name: 1 if there else None for name, there in zip(cases.names, signs, strict=True)}
            assert bool(eval(text or "True", {}, values)) == bool(wanted >> number & 1)
    dont_care = Cases(("dy", "dh"), one_of=("dy", "dh"))
    assert dont_care.condition(dont_care.everything) == ""
    assert dont_care.condition(dont_care.everything & ~dont_care.present("dy")) == "dy is None"
    assert a & b & c


def test_of_many_arguments_a_condition_names_those_that_decide() -> None:
    cases = Cases(tuple(f"w{n}" for n in range(40)))
    present = [cases.present(name) for name in cases.names]
    text = cases.condition(present[7] & any_of(present[20:23]))
    assert text == "w7 is not None and (w20 is not None or w21 is not None or w22 is not None)"
    assert cases.condition(all_of(~one for one in present)).count(" is None") == 40


def test_orders() -> None:
    m = RowScalarSymbol("m")
    assert terms_in_order(-m - 2 * x) == [(-1, m), (-1, 2 * x)]
    assert factors_in_order(x).coefficient == 1
    assert formula(x - m - x * m / 3) == "x - m - x*m/3"
    assert decimal(sympy.Integer(10) ** 20) == "100000000000000000000"
    assert decimal(Rational(1, 10**30), 5) == "1e-30"
    assert not is_short(sympy.pi)
    for exponent in range(1, 65):
        value = 1
        for times_base in power_chain(exponent):
            value = value + 1 if times_base else 2 * value
        assert value == exponent
