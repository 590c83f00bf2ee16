"""Rules of the printer of array code, each with a case that it does not hold for, and plain NumPy that is run."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy
from sympy import Rational

from lngen.algebra.symbols import (
    PLACE,
    AttainsFirst,
    D,
    FeatureSymbol,
    Mean,
    Power,
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
from lngen.plan.program import (
    Assignment,
    FeatureReduction,
    Line,
    Parameter,
    RowArgument,
    RowProgram,
    Stage,
    Store,
)

X, R, X_DOT, R_DOT = (RowSymbol(name) for name in ("x", "r", "x_dot", "r_dot"))
MU, LABEL = RowScalarSymbol("mu"), RowScalarSymbol("i", integer=True)
V = RowScalarSymbol("v", positive=True)
G, S, Y = FeatureSymbol("g"), ScalarSymbol("s"), RowSymbol("y")


def printed(expression: Any, to: Dialect = JNP, features: str = "-1") -> str:
    names = {symbol: symbol.name for symbol in expression.free_symbols} | {PLACE: "index", D: "D"}
    return ArrayPrinter(to, names, features).text(expression)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (X - MU, "x - mu"),
        (-X - MU, "-x - mu"),
        (G * (X - MU), "(x - mu)*g"),
        (-G * X, "-x*g"),
        (G * X**2, "x**2*g"),
        (Power(X + 1, S) ** 2, "((x + 1)**s)**2"),
        ((X**S) ** 2, "x**(2*s)"),
        (X / sympy.sqrt(V), "x*jax.lax.rsqrt(v)"),
        (sympy.sqrt(V), "jnp.sqrt(v)"),
        (V ** Rational(-1, 4), "1/v**0.25"),
        (X / (V * (1 + V)), "x/(v*(v + 1))"),
        (X / 3, "x/3"),
        (X / 2, "0.5*x"),
        (X * (1 - X), "(1 - x)*x"),
        (sympy.exp(X) + sympy.erf(X), "jax.lax.erf(x) + jnp.exp(x)"),
        (Mean(G), "jnp.mean(g, axis=-1, keepdims=True)"),
        (Where(X > 0, X, 0), "jnp.where(x > 0, x, 0)"),
        (Where(sympy.Eq(PLACE, LABEL), X, 0), "jnp.where(index == i, x, 0)"),
        (AttainsFirst(X, MU), "_first(jnp.abs(x - mu), index, -1).astype(dtype)"),
        (D * X, "x*D"),
    ],
)
def test_an_expression_is_printed_in_the_order_in_which_it_is_computed(expression, text):
    assert printed(expression) == text


def test_a_quotient_by_a_root_is_one_where_there_is_no_rsqrt():
    assert printed(X / sympy.sqrt(V), NUMPY) == "x/np.sqrt(v)"
    assert printed(1 / sympy.sqrt(V), NUMPY) == "1/np.sqrt(v)"


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


# ---- lines


def program(
    *lines: Line, results: Collection[Any] = (), tangents: Collection[RowSymbol] = (), **fields: Any
) -> RowProgram:
    """A program of some lines, whose rows are x and r."""
    rows = tuple(RowArgument(s.name, s, "input") for s in (X, R))
    rows += tuple(RowArgument(s.name, s, "tangent") for s in tangents)
    parameters = (Parameter("g", G, "Feature", None),)
    stores = tuple(Store((s.name,), s) for s in results)
    stage = Stage(
        temps=tuple(line for line in lines if isinstance(line, Assignment)),
        reductions=tuple(line for line in lines if isinstance(line, FeatureReduction)),
    )
    return RowProgram("f", "forward", 1, rows, parameters, (), (stage,), (), (), stores, (), **fields)


ROWS, NAMED = ArrayAxes(), ArrayAxes(("n", "g", "c"), ("g", "c"), True)


def lines_of(*lines: Line, layout: ArrayAxes = ROWS, optional: Collection[str] = (), **fields: Any) -> Any:
    made = ArrayText(program(*lines, **fields), JNP, layout, optional)
    return SimpleNamespace(texts=[line.text.partition("  # ")[0] for line in made.lines()], text=made)


def test_a_reduction_is_over_the_axes_of_a_row_that_its_value_has():
    reduced = FeatureReduction(MU, "mean", X, 1)
    assert lines_of(reduced).texts == ["mu = jnp.mean(x, axis=-1, keepdims=True)"]
    assert lines_of(reduced, layout=NAMED).texts == ["mu = jnp.mean(x, axis=(1, 2), keepdims=True)"]
    lacks = {"layout": NAMED, "smaller": (("x", ("n", "g")),)}
    assert lines_of(reduced, **lacks).texts == ["mu = jnp.mean(x, axis=1, keepdims=True)"]
    total = FeatureReduction(MU, "sum", X, 1)
    assert lines_of(total, **lacks).texts == ["mu = (jnp.sum(x, axis=1, keepdims=True))*shape[2]"]


def test_a_shift_is_clipped_and_another_extreme_is_not():
    for shift, text in (
        (True, "mu = jnp.clip(jnp.max(x, axis=-1, keepdims=True), -largest, largest)"),
        (False, "mu = jnp.max(x, axis=-1, keepdims=True)"),
    ):
        found = lines_of(FeatureReduction(MU, "max", X, 1, shift=shift))
        assert found.texts == [text]
        assert bool(found.text.head(found.texts)) is shift


def test_a_line_shows_what_it_stops():
    stopped = Assignment(Y, X - MU, 2, stops=(MU,))
    assert lines_of(FeatureReduction(MU, "mean", X, 1), stopped).texts[0] == "y = x - jax.lax.stop_gradient(mu)"
    assert lines_of(FeatureReduction(MU, "mean", X, 1), replace(stopped, stops=())).texts[0] == "y = x - mu"


def test_what_is_left_out_has_axes_where_a_reduction_needs_them():
    reduced = FeatureReduction(MU, "mean", R, 1)
    assert lines_of(reduced, optional=["r"]).text.full
    assert not lines_of(reduced).text.full
    assert not lines_of(FeatureReduction(MU, "mean", R * X, 1), optional=["r"]).text.full


def test_sizes_places_and_largest_numbers_are_there_where_they_are_read():
    found = lines_of(Assignment(Y, X * D, 1))
    assert found.text.head(found.texts) == ["D = shape[-1]"]
    found = lines_of(Assignment(Y, X * PLACE, 1), layout=NAMED)
    assert found.text.head(found.texts) == [
        "D = shape[1]*shape[2]",
        "index = jnp.arange(D).reshape(1, shape[1], shape[2])",
    ]
    found = lines_of(Assignment(Y, X * G, 1))
    assert found.text.head(found.texts) == []


# ---- tangents


def tangents_of(*lines: Line, **fields: Any) -> list[tuple[str, tuple[str, ...]]]:
    given = program(*lines, results=[Y], tangents=[X_DOT, R_DOT], **fields)
    made = TangentText(given, JNP, ArrayAxes(), (), ["x_dot", "r_dot"])
    return [(line.text.partition("  # ")[0], line.wanted) for line in made.lines()]


def test_a_sum_is_taken_apart_by_the_tangents_that_move():
    assert tangents_of(Assignment(Y, X_DOT * R + R_DOT * X, 1)) == [
        ("y = 0", ()),
        ("y += r*x_dot", ("x_dot",)),
        ("y += r_dot*x", ("r_dot",)),
    ]


def test_a_term_keeps_its_factors_where_one_tangent_moves():
    found = tangents_of(FeatureReduction(MU, "mean", X_DOT, 2), Assignment(Y, G * (X_DOT - MU), 3))
    assert ("y += (x_dot - mu)*g", ("x_dot",)) in found
    apart = tangents_of(Assignment(Y, G * (X_DOT - R_DOT), 1))
    assert sorted(apart[1:]) == [("y += -r_dot*g", ("r_dot",)), ("y += x_dot*g", ("x_dot",))]


def test_a_select_of_multiples_becomes_a_multiple_of_a_select():
    chosen = Where(X > 0, X_DOT / X, 0)
    assert tangents_of(Assignment(Y, chosen, 1))[1] == ("y += jnp.where(x > 0, 1/x, 0)*x_dot", ("x_dot",))
    plain = Where(X > 0, X_DOT, 0)
    assert tangents_of(Assignment(Y, plain, 1))[1] == ("y += jnp.where(x > 0, x_dot, 0)", ("x_dot",))


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
