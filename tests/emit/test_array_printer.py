"""Rules of the printer of array code, each with a case that it does not hold for, and plain NumPy that is run."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

from lngen.algebra.symbols import (
    PLACE,
    D,
    FeatureSymbol,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    StopGradient,
    Where,
)
from lngen.emit.array import JNP, NUMPY, ArrayText, Dialect
from lngen.emit.array.arrays import number
from lngen.emit.array.expressions import ArrayPrinter
from lngen.emit.array.lines import ArrayAxes
from lngen.emit.array.tangents import TangentText
from lngen.errors import LngenError
from lngen.language.parsing import parse
from lngen.pipeline.stages import planned

X, R, X_DOT, R_DOT = (RowSymbol(name) for name in ("x", "r", "x_dot", "r_dot"))
MU, LABEL = RowScalarSymbol("mu"), RowScalarSymbol("i", integer=True)
V = RowScalarSymbol("v", positive=True)
G, S, Y = FeatureSymbol("g"), ScalarSymbol("s"), RowSymbol("y")


def printed(expression: Any, to: Dialect = JNP, features: str = "-1") -> str:
    names = {symbol: symbol.name for symbol in expression.free_symbols} | {PLACE: "index", D: "D"}
    return ArrayPrinter(to, names, features).text(expression)


def test_an_integer_of_32_bits_is_one_and_a_larger_one_a_float():
    assert printed(X + 2**30) == "x + 1073741824"
    assert printed(X + 10**38) == "x + 1e+38"
    assert printed(X + sympy.pi) == "x + 3.1415926535897932"
    assert [number(Fraction(value)) for value in (7, 10**30, "0.1", -1)] == ["7", "1e+30", "0.1", "-1"]


def test_an_integer_is_a_number_of_the_type_where_it_meets_one_and_stays_one_otherwise():
    assert printed(X * (PLACE - LABEL)) == "(index - i).astype(dtype)*x"
    assert printed(Where(PLACE <= LABEL + 1, X, 0)) == "jnp.where(index <= i + 1, x, 0)"
    assert printed(Where(PLACE <= S, X, 0)) == "jnp.where(index.astype(dtype) <= s, x, 0)"


def test_a_head_that_no_library_has_is_refused():
    with pytest.raises(LngenError, match="no array library writes StopGradient"):
        printed(StopGradient(X))


# ---- the same lines in plain NumPy

TEXTS = {
    "a norm": "def f(x: Row, g: Feature = 1): return g*(x - mean(x))/sqrt(mean((x - mean(x))**2) + 0.1)",
    "a softmax": "def f(x: Row, g: Feature = 1): return exp(g*x)/sum(exp(g*x))",
    "an extreme": "def f(x: Row, g: Feature = 1): return g*x - max(x)",
    "places": "def f(x: Row, g: Feature = 1): return where(index() <= 2, x*g, 0)/D",
}


@pytest.mark.ci
@pytest.mark.parametrize("name", TEXTS)
def test_lines_in_plain_numpy_are_the_definition_and_its_tangent(name):
    definition = parse(TEXTS[name])
    plan = planned(definition, proved=False)
    assert plan.jvp
    random = np.random.default_rng(0)
    x, g, moved = random.normal(size=(3, 5)), random.normal(size=5), random.normal(size=(3, 5))

    def first(gap: Any, index: Any, axis: int) -> Any:
        return index == gap.argmin(axis, keepdims=True)

    def run(x: Any) -> dict[str, Any]:
        values = {"np": np, "x": x, "g": g, "shape": x.shape, "dtype": x.dtype, "_first": first}
        text = ArrayText(plan.forward, NUMPY, ArrayAxes(), ())
        lines = [line.text for line in text.lines()]
        exec("\n".join([*text.head(lines), *lines]), values)
        return values

    values = run(x)
    text = TangentText(plan.jvp, NUMPY, ArrayAxes(), (), ["x_dot", "g_dot"])
    lines = [line.text for line in text.lines() if not line.wanted or "x_dot" in line.wanted]
    values |= {"x_dot": moved}
    exec("\n".join([*text.head(lines), *lines]), values)
    step = 1e-6
    slope = (run(x + step * moved)["y"] - run(x - step * moved)["y"]) / (2 * step)
    np.testing.assert_allclose(np.broadcast_to(values["y_dot"], x.shape), slope, rtol=1e-6, atol=1e-8)
