"""Row programs that use everything the interface can express; they are gradients of nothing.

`HEADS` has every function of an expression except the two that `WAVES` adds. `SINK` has several inputs and outputs of
each kind, and reductions of all four sorts in one stage. It has a prologue and an epilogue with reductions of Features,
and sums over rows into Features and into a Scalar. It also has an optional cotangent, and names that the emitted file
uses itself.
"""

from __future__ import annotations

from fractions import Fraction

import sympy
from sympy import Rational

from lngen.algebra.symbols import (
    AttainsFirst,
    D,
    Expm1,
    FeatureSum,
    FeatureSymbol,
    Log1p,
    Mean,
    RowMax,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    Sigmoid,
    Softplus,
    Where,
)
from lngen.plan.program import (
    Assignment,
    FeatureReduction,
    Parameter,
    RowArgument,
    RowProgram,
    RowsReduction,
    Stage,
    Store,
)

ONE, ZERO = Fraction(1), Fraction(0)

x, y, dx, dy, r = (RowSymbol(name) for name in ("x", "y", "dx", "dy", "r"))

_SMOOTH = sum(
    (
        sympy.exp(-(x**2)),
        sympy.log(2 + x**2),
        sympy.tanh(x) / (1 + x**4),
        sympy.erf(x),
        Sigmoid(5 * x),
        Softplus(x),
        Log1p(x**2),
        Expm1(x / 7),
    ),
    start=sympy.S.Zero,
)
_POWERS = (
    sympy.sqrt(2 + x**2)
    - (1 + x**2) ** Rational(-3, 2)
    + (1 + x**2) ** Rational(2, 3)
    + x**3 / sympy.sqrt(sympy.pi)
    - x**5 / (D + 10**10)
)
_CHOICES = (
    sympy.Abs(x)
    - sympy.sign(x)
    + Where(x > 1, x**2, Rational(1, 3))
    + Where(sympy.Le(x, -1), -x, Where(sympy.Ne(x, 0), 1, x))
)


_WAVES = sympy.sin(x) * sympy.cos(3 * x)


def heads_forward(more: sympy.Expr = sympy.S.Zero) -> RowProgram:
    """y = everything, and the mean of it."""
    smooth, powers, choices = (RowSymbol(name) for name in ("smooth", "powers", "choices"))
    mean_y = RowScalarSymbol("mean_y")
    return RowProgram(
        layer="heads",
        direction="forward",
        minimum_features=1,
        rows=(RowArgument("x", x, "input"),),
        parameters=(),
        prologue=(),
        stages=(
            Stage(
                temps=(
                    Assignment(smooth, _SMOOTH, 1),
                    Assignment(powers, _POWERS, 2),
                    Assignment(choices, _CHOICES, 3),
                    Assignment(y, smooth + powers + choices + more, 4),
                ),
                reductions=(FeatureReduction(mean_y, "mean", y, 5),),
                stores=(Store(("y",), y),),
            ),
        ),
        epilogue=(),
        saved=(mean_y,),
        results=(Store(("y",), y),),
        optional=(),
    )


def heads_backward() -> RowProgram:
    """No sums over rows, and so no second kernel."""
    mean_y = RowScalarSymbol("mean_y")
    return RowProgram(
        layer="heads",
        direction="backward",
        minimum_features=1,
        rows=(RowArgument("x", x, "saved input"), RowArgument("dy", dy, "cotangent")),
        parameters=(),
        prologue=(),
        stages=(Stage(temps=(Assignment(dx, dy * _SMOOTH - mean_y * _CHOICES, 6),), stores=(Store(("dx",), dx),)),),
        epilogue=(),
        saved=(mean_y,),
        results=(Store(("dx",), dx),),
        optional=(),
    )


s, z, dz, ds = (RowScalarSymbol(name) for name in ("s", "z", "dz", "ds"))
h, p, total = RowSymbol("row"), RowSymbol("p"), RowSymbol("total")
largest, smallest, square, average = (RowScalarSymbol(name) for name in ("largest", "smallest", "square", "average"))
scale, second = RowScalarSymbol("scale"), RowScalarSymbol("second")
w, v, w1, dw, dv, w_columns = (FeatureSymbol(name) for name in ("w", "v", "w1", "dw", "dv", "w_columns"))
alpha, dalpha, alpha_total = ScalarSymbol("alpha"), ScalarSymbol("dalpha"), ScalarSymbol("alpha_total")
m, k, q, c, eps = (ScalarSymbol(name) for name in ("m", "k", "q", "c", "eps"))
mixed, along = ScalarSymbol("mixed"), ScalarSymbol("along")
inner, outer, peak, whole = (ScalarSymbol(name) for name in ("inner", "outer", "peak", "whole"))

_OPTIONAL = (("r", ZERO), ("s", ONE), ("v", ZERO), ("alpha", Fraction(3, 2)))
_PARAMETERS = (
    Parameter("w", w, "Feature", None),
    Parameter("v", v, "Feature", ZERO),
    Parameter("alpha", alpha, "Scalar", Fraction(3, 2)),
    Parameter("eps", eps, "Constant", Fraction(1, 1000)),
)
_PROLOGUE = (
    Assignment(w1, 1 + w, 1),
    Assignment(m, Mean(w1**2), 2),
    Assignment(inner, Mean(w1), 3),
    Assignment(outer, Mean(inner * w1), 3),
    Assignment(k, 1 / sympy.sqrt(m + outer**2 + eps), 3),
    Assignment(peak, RowMax(w), 4),
    Assignment(whole, FeatureSum(w * k), 4),
    Assignment(q, peak + whole / D, 4),
    Assignment(c, alpha**2 + q, 5),
)


def sink_forward() -> RowProgram:
    """Two Row inputs, a RowScalar, two outputs of which one is a RowScalar."""
    return RowProgram(
        layer="sink",
        direction="forward",
        minimum_features=1,
        rows=(RowArgument("x", x, "input"), RowArgument("r", r, "input"), RowArgument("s", s, "input")),
        parameters=_PARAMETERS,
        prologue=_PROLOGUE,
        stages=(
            Stage(
                temps=(Assignment(h, s * x + alpha * r, 6),),
                reductions=(
                    FeatureReduction(largest, "max", h, 7),
                    FeatureReduction(smallest, "min", h * w1, 7),
                    FeatureReduction(square, "sum", h**2, 8),
                    FeatureReduction(average, "mean", h + v, 8),
                ),
                row_scalars=(Assignment(scale, 1 / sympy.sqrt(square / D + (largest - smallest) ** 2 + eps), 9),),
            ),
            Stage(
                temps=(Assignment(p, scale * (h - average), 10),),
                reductions=(FeatureReduction(second, "mean", p * w1, 11),),
                row_scalars=(Assignment(z, second * s + c, 12),),
                stores=(Store(("z",), z),),
            ),
            Stage(temps=(Assignment(y, w1 * p * k + v * second + c, 13),), stores=(Store(("y",), y),)),
        ),
        epilogue=(),
        saved=(scale, average),
        results=(Store(("y",), y), Store(("z",), z)),
        optional=_OPTIONAL,
    )


def sink_backward() -> RowProgram:
    """Two cotangents, a gradient of each kind, one array for two of them, a reducing epilogue."""
    a, b = RowScalarSymbol("a"), RowScalarSymbol("b")
    alpha_row = RowScalarSymbol("alpha_row")
    return RowProgram(
        layer="sink",
        direction="backward",
        minimum_features=1,
        rows=(
            RowArgument("x", x, "saved input"),
            RowArgument("s", s, "saved input"),
            RowArgument("y", y, "saved output"),
            RowArgument("dy", dy, "cotangent"),
            RowArgument("dz", dz, "cotangent"),
        ),
        parameters=_PARAMETERS,
        prologue=_PROLOGUE,
        stages=(
            Stage(
                temps=(Assignment(h, s * x, 6), Assignment(p, scale * (h - average) * w1, 7)),
                reductions=(FeatureReduction(a, "mean", dy * p, 8), FeatureReduction(b, "max", dy * y, 8)),
                row_scalars=(Assignment(ds, a * dz + b, 9),),
                stores=(Store(("ds",), ds),),
                rows_reductions=(
                    RowsReduction(w_columns, dy * p + dz * y / (2 + x**2), 10),
                    RowsReduction(dv, dy * second_guess(), 10),
                ),
            ),
            Stage(
                temps=(Assignment(total, k * (dy - a * p) + dz * w1, 11),),
                reductions=(FeatureReduction(alpha_row, "sum", total * x, 12),),
                rows_reductions=(RowsReduction(alpha_total, alpha_row * s, 12),),
                stores=(Store(("dx", "dr"), total),),
            ),
        ),
        epilogue=(
            Assignment(along, Mean(w_columns * w), 13),
            Assignment(mixed, along + alpha_total, 13),
            Assignment(dw, w_columns + mixed * w1 / D, 14),
            Assignment(dalpha, alpha_total * k, 15),
        ),
        saved=(scale, average),
        results=(
            Store(("dx", "dr"), total),
            Store(("ds",), ds),
            Store(("dw",), dw),
            Store(("dv",), dv),
            Store(("dalpha",), dalpha),
        ),
        optional=_OPTIONAL,
    )


def second_guess() -> sympy.Expr:
    """A body that depends on the row through row scalars alone."""
    return scale + average * w


def extremes_forward() -> RowProgram:
    """y = x - max(x*w) + max(w), and the least entry."""
    top, least, peak = RowScalarSymbol("top"), RowScalarSymbol("least"), ScalarSymbol("peak")
    return RowProgram(
        layer="extremes",
        direction="forward",
        minimum_features=1,
        rows=(RowArgument("x", x, "input"),),
        parameters=(Parameter("w", w, "Feature", None),),
        prologue=(Assignment(peak, RowMax(w), 1),),
        stages=(
            Stage(reductions=(FeatureReduction(top, "max", x * w, 2), FeatureReduction(least, "min", x, 2))),
            Stage(temps=(Assignment(y, x - top + peak, 3),), stores=(Store(("y",), y),)),
        ),
        epilogue=(),
        saved=(top, least),
        results=(Store(("y",), y),),
        optional=(),
    )


def extremes_backward() -> RowProgram:
    """Gradients that go to the first entry that attains an extreme, of a row and of a Feature."""
    top, least, peak = RowScalarSymbol("top"), RowScalarSymbol("least"), ScalarSymbol("peak")
    row_sum, dpeak = RowScalarSymbol("row_sum"), ScalarSymbol("dpeak")
    attained = AttainsFirst(x * w, top)
    return RowProgram(
        layer="extremes",
        direction="backward",
        minimum_features=1,
        rows=(RowArgument("x", x, "saved input"), RowArgument("dy", dy, "cotangent")),
        parameters=(Parameter("w", w, "Feature", None),),
        prologue=(Assignment(peak, RowMax(w), 1),),
        stages=(
            Stage(
                reductions=(FeatureReduction(row_sum, "sum", dy, 4),),
                rows_reductions=(RowsReduction(dpeak, row_sum, 4),),
            ),
            Stage(
                temps=(Assignment(dx, dy - row_sum * (w * attained - AttainsFirst(x, least)), 5),),
                stores=(Store(("dx",), dx),),
                rows_reductions=(RowsReduction(w_columns, -row_sum * x * attained, 6),),
            ),
        ),
        epilogue=(Assignment(dw, w_columns + dpeak * AttainsFirst(w, peak), 7),),
        saved=(top, least),
        results=(Store(("dx",), dx), Store(("dw",), dw)),
        optional=(),
    )


EXTREMES = (extremes_forward(), extremes_backward())
HEADS = (heads_forward(), heads_backward())
WAVES = (heads_forward(_WAVES), heads_backward())
SINK = (sink_forward(), sink_backward())
