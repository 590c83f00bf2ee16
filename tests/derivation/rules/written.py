"""Symbols to write a rule with, and what holds of it: its form, and its value at random numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import sympy

from lngen.algebra.equations import Forward, Names
from lngen.algebra.numeric import Arithmetic, evaluate_equations, evaluate_expression
from lngen.algebra.symbols import (
    D,
    FeatureSum,
    FeatureSymbol,
    Mean,
    RowMax,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    SumRows,
    Where,
)
from lngen.derivation.from_definition import translate
from lngen.derivation.normal_form import named_structure
from lngen.derivation.rules.driver import Rule, System, run
from lngen.derivation.trail import Trail
from lngen.language.parsing import parse

x, t, g = RowSymbol("x"), RowSymbol("t"), RowSymbol("g")
mu, r = RowScalarSymbol("mu"), RowScalarSymbol("r", positive=True)
w, alpha = FeatureSymbol("w"), ScalarSymbol("alpha")

Function = Callable[[sympy.Expr], sympy.Expr]


def assert_rewrites(rule: Function, before: sympy.Expr, after: str) -> None:
    """A rule gives this form, which has the same value."""
    found = rule(before)
    names = {str(s): s for s in (x, t, g, mu, r, w, alpha)} | {
        k.__name__: k for k in (Mean, RowMax, FeatureSum, SumRows, Where)
    }
    assert found == sympy.sympify(after, locals=names | {"D": D})
    rng = np.random.default_rng(1)
    point = {s: rng.standard_normal((3, 5)) for s in (x, t, g)}
    point |= {mu: rng.standard_normal((3, 1)), r: rng.random((3, 1)) + 0.5}
    point |= {w: rng.standard_normal(5), alpha: 1.7, D: 5}
    values = [np.asarray(evaluate_expression(e, point, Arithmetic()), float) for e in (before, found)]
    np.testing.assert_allclose(*np.broadcast_arrays(*values), rtol=1e-12, atol=1e-13)


def normal_form(forward: Forward) -> Forward:
    """A forward with its structure named."""
    return named_structure(forward)[0]


def applied(rules: Iterable[Rule], text: str) -> tuple[Forward, Forward, Trail]:
    """A forward before and after rules, and the steps."""
    before, trail = translate(parse(text)), Trail()
    return before, run(rules, System(before, (), Names([])), trail).forward, trail


def random_point(forward: Forward, scale: float = 1.0) -> dict[object, object]:
    """Random values for the inputs of a forward, in 3 rows of 6."""
    rng = np.random.default_rng(3)
    shapes = {(True, True): (3, 6), (True, False): (3, 1), (False, True): (6,), (False, False): ()}
    point: dict[object, object] = {D: 6.0}
    for symbol in forward.symbols:
        point[symbol] = rng.standard_normal(shapes[tuple(symbol.varies)]) * (scale if symbol.varies.rows else 1)
    return point


def assert_same_outputs(before: Forward, after: Forward) -> None:
    """Two forwards have the same outputs at a random point."""
    point = random_point(before)
    values = [evaluate_equations(f.equations, point, Arithmetic()) for f in (before, after)]
    for old, new in zip(before.outputs, after.outputs, strict=True):
        assert old.name == new.name
        np.testing.assert_allclose(values[0][old], values[1][new], rtol=1e-11, atol=1e-12)
