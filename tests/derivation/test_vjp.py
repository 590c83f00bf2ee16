"""Contributions of each equation to the unsimplified adjoint and tangent, and names; values are proved."""

from __future__ import annotations

import pytest
import sympy

from lngen.algebra.equations import Equation
from lngen.algebra.symbols import (
    AttainsFirst,
    D,
    FeatureSymbol,
    Mean,
    RowMax,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    StopGradient,
    SumRows,
    TypedSymbol,
    Where,
)
from lngen.derivation.from_definition import translate
from lngen.derivation.jvp import moved_by
from lngen.derivation.vjp import adjoint, contributions
from lngen.language.parsing import parse

x, z, y, dy = RowSymbol("x"), RowSymbol("z"), RowSymbol("y"), RowSymbol("dy")
m, t, dm = RowScalarSymbol("m"), RowScalarSymbol("t"), RowScalarSymbol("dm")
w, alpha = FeatureSymbol("w"), ScalarSymbol("alpha")


@pytest.mark.parametrize(
    ("equation", "bar", "expected"),
    [
        # elementwise: to a row as it is, to a row scalar as a sum over features
        (Equation(y, x * m), dy, {x: dy * m, m: D * Mean(dy * x)}),
        # to a Feature over rows, to a Scalar over both
        (Equation(y, w * alpha), dy, {w: SumRows(dy * alpha), alpha: SumRows(D * Mean(w * dy))}),
        # a mean sends 1/D to each feature, a sum 1
        (Equation(m, Mean(x * z)), dm, {x: dm * z / D, z: dm * x / D}),
        (Equation(m, D * Mean(x)), dm, {x: dm}),
        # to a row scalar under its body a mean sends what all features send
        (Equation(m, Mean(x - t)), dm, {t: -dm, x: dm / D}),
        # a cotangent that is the same for all features still comes from D of them
        (Equation(y, x - m), dm, {m: -D * dm, x: dm}),
        # the largest entry alone
        (Equation(m, RowMax(x)), dm, {x: dm * AttainsFirst(x, m)}),
        # a select stays one, with everything inside, also when it comes with the cotangent
        (Equation(y, Where(x > 0, x**2, z)), dy, {x: Where(x > 0, 2 * dy * x, 0), z: Where(x > 0, 0, dy)}),
        (Equation(y, sympy.log(x)), Where(z > 0, dy, 0), {x: Where(z > 0, dy / x, 0)}),
        # nothing through a stopped gradient, or a stopped equation
        (Equation(y, x * StopGradient(z)), dy, {x: dy * StopGradient(z)}),
        (Equation(m, RowMax(x), stopped=True), dm, {}),
    ],
)
def test_contributions(equation: Equation, bar: sympy.Expr, expected: dict[TypedSymbol, sympy.Expr]) -> None:
    assert {c.target: c.expression for c in contributions(equation, bar)} == expected


def test_cotangents_do_not_take_names_of_the_definition() -> None:
    # dh is a name of the user's; the cotangent of h has to go by another.
    forward = translate(parse("def f(x: Row):\n    h = x*2\n    dh = h*h\n    y = dh*h\n    return y"))
    names = [q.symbol.name for q in adjoint(forward).equations]
    assert "dh" not in names
    assert "dh_2" in names


def test_selects_on_one_condition_are_added_up_inside_a_tangent() -> None:
    g, dx, dg = (RowSymbol(name) for name in ("g", "dx", "dg"))
    moved = moved_by(Equation(y, Where(x > 0, g * x, 0)), {x: dx, g: dg})
    assert moved == Where(x > 0, g * dx + dg * x, 0)
