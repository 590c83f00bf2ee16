"""Row programs written by hand for the tests of the backends, in the exact form of the planner.

`demo_centred` subtracts its mean and divides by its deviation. `demo_tanh` has a learned Scalar and no reduction in its
forward. `demo_residual` has two row inputs, two outputs, a saved output and one gradient for two inputs.
"""

from __future__ import annotations

from fractions import Fraction

import sympy

from lngen.algebra.symbols import FeatureSymbol, RowScalarSymbol, RowSymbol, ScalarSymbol
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

x, y, dx, dy = (RowSymbol(name) for name in ("x", "y", "dx", "dy"))
g, xhat, x_centred, x_shifted = (RowSymbol(name) for name in ("g", "xhat", "x_centred", "x_shifted"))
mu, mu_residual, var = (RowScalarSymbol(name) for name in ("mu", "mu_residual", "var"))
mean_g, mean_g_xhat = RowScalarSymbol("mean_g"), RowScalarSymbol("mean_g_xhat")
rstd = RowScalarSymbol("rstd", positive=True)
gamma, beta, dgamma, dbeta = (FeatureSymbol(name) for name in ("gamma", "beta", "dgamma", "dbeta"))
eps = ScalarSymbol("eps", positive=True)

GAMMA = Parameter("gamma", gamma, "Feature", ONE)
BETA = Parameter("beta", beta, "Feature", ZERO)
EPS = Parameter("eps", eps, "Constant", Fraction(1, 100000))

_CENTRED_OPTIONAL = (("gamma", ONE), ("beta", ZERO))

CENTRED_FORWARD = RowProgram(
    layer="demo_centred",
    direction="forward",
    minimum_features=1,
    rows=(RowArgument("x", x, "input"),),
    parameters=(GAMMA, BETA, EPS),
    prologue=(),
    stages=(
        Stage(reductions=(FeatureReduction(mu, "mean", x, 1),)),
        Stage(
            temps=(Assignment(x_shifted, x - mu, 2),),
            reductions=(FeatureReduction(mu_residual, "mean", x_shifted, 2),),
            correction=True,
        ),
        Stage(
            temps=(Assignment(x_centred, x_shifted - mu_residual, 2),),
            reductions=(FeatureReduction(var, "mean", x_centred**2, 3),),
            row_scalars=(Assignment(rstd, 1 / sympy.sqrt(var + eps), 4),),
        ),
        Stage(
            temps=(Assignment(xhat, x_centred * rstd, 5), Assignment(y, gamma * xhat + beta, 6)),
            stores=(Store(("y",), y),),
        ),
    ),
    epilogue=(),
    saved=(mu, mu_residual, rstd),
    results=(Store(("y",), y),),
    optional=_CENTRED_OPTIONAL,
)

CENTRED_BACKWARD = RowProgram(
    layer="demo_centred",
    direction="backward",
    minimum_features=1,
    rows=(RowArgument("x", x, "saved input"), RowArgument("dy", dy, "cotangent")),
    parameters=(GAMMA,),
    prologue=(),
    stages=(
        Stage(
            temps=(
                Assignment(x_shifted, x - mu, 2),
                Assignment(x_centred, x_shifted - mu_residual, 2),
                Assignment(xhat, x_centred * rstd, 5),
                Assignment(g, dy * gamma, 7),
            ),
            reductions=(
                FeatureReduction(mean_g, "mean", g, 9),
                FeatureReduction(mean_g_xhat, "mean", g * xhat, 9),
            ),
            rows_reductions=(RowsReduction(dgamma, dy * xhat, 8), RowsReduction(dbeta, dy, 8)),
        ),
        Stage(
            temps=(Assignment(dx, rstd * (g - mean_g - xhat * mean_g_xhat), 10),),
            stores=(Store(("dx",), dx),),
        ),
    ),
    epilogue=(),
    saved=(mu, mu_residual, rstd),
    results=(Store(("dx",), dx), Store(("dgamma",), dgamma), Store(("dbeta",), dbeta)),
    optional=_CENTRED_OPTIONAL,
)

alpha, dalpha = ScalarSymbol("alpha"), ScalarSymbol("dalpha")
t = RowSymbol("t")
dalpha_row = RowScalarSymbol("dalpha_row")
ALPHA = Parameter("alpha", alpha, "Scalar", ONE)

_TANH_OPTIONAL = (("alpha", ONE), ("gamma", ONE), ("beta", ZERO))

TANH_FORWARD = RowProgram(
    layer="demo_tanh",
    direction="forward",
    minimum_features=1,
    rows=(RowArgument("x", x, "input"),),
    parameters=(ALPHA, GAMMA, BETA),
    prologue=(),
    stages=(
        Stage(
            temps=(Assignment(t, sympy.tanh(alpha * x), 1), Assignment(y, gamma * t + beta, 2)),
            stores=(Store(("y",), y),),
        ),
    ),
    epilogue=(),
    saved=(),
    results=(Store(("y",), y),),
    optional=_TANH_OPTIONAL,
)

TANH_BACKWARD = RowProgram(
    layer="demo_tanh",
    direction="backward",
    minimum_features=1,
    rows=(RowArgument("x", x, "saved input"), RowArgument("dy", dy, "cotangent")),
    parameters=(ALPHA, GAMMA),
    prologue=(),
    stages=(
        Stage(
            temps=(
                Assignment(t, sympy.tanh(alpha * x), 1),
                Assignment(g, gamma * dy * (1 - t**2), 3),
                Assignment(dx, alpha * g, 4),
            ),
            reductions=(FeatureReduction(dalpha_row, "sum", g * x, 5),),
            stores=(Store(("dx",), dx),),
            rows_reductions=(
                RowsReduction(dgamma, dy * t, 6),
                RowsReduction(dbeta, dy, 6),
                RowsReduction(dalpha, dalpha_row, 5),
            ),
        ),
    ),
    epilogue=(),
    saved=(),
    results=(
        Store(("dx",), dx),
        Store(("dalpha",), dalpha),
        Store(("dgamma",), dgamma),
        Store(("dbeta",), dbeta),
    ),
    optional=_TANH_OPTIONAL,
)

h, r, dh = RowSymbol("h"), RowSymbol("r"), RowSymbol("dh")
ms = RowScalarSymbol("ms")

_RESIDUAL_OPTIONAL = (("gamma", ONE),)

RESIDUAL_FORWARD = RowProgram(
    layer="demo_residual",
    direction="forward",
    minimum_features=1,
    rows=(RowArgument("x", x, "input"), RowArgument("r", r, "input")),
    parameters=(GAMMA, EPS),
    prologue=(),
    stages=(
        Stage(
            temps=(Assignment(h, x + r, 1),),
            reductions=(FeatureReduction(ms, "mean", h**2, 2),),
            row_scalars=(Assignment(rstd, 1 / sympy.sqrt(ms + eps), 3),),
            stores=(Store(("h",), h),),
        ),
        Stage(
            temps=(Assignment(xhat, h * rstd, 4), Assignment(y, gamma * xhat, 5)),
            stores=(Store(("y",), y),),
        ),
    ),
    epilogue=(),
    saved=(rstd,),
    results=(Store(("y",), y), Store(("h",), h)),
    optional=_RESIDUAL_OPTIONAL,
)

RESIDUAL_BACKWARD = RowProgram(
    layer="demo_residual",
    direction="backward",
    minimum_features=1,
    rows=(
        RowArgument("h", h, "saved output"),
        RowArgument("dy", dy, "cotangent"),
        RowArgument("dh", dh, "cotangent"),
    ),
    parameters=(GAMMA,),
    prologue=(),
    stages=(
        Stage(
            temps=(Assignment(xhat, h * rstd, 4), Assignment(g, dy * gamma, 6)),
            reductions=(FeatureReduction(mean_g_xhat, "mean", g * xhat, 7),),
            rows_reductions=(RowsReduction(dgamma, dy * xhat, 6),),
        ),
        Stage(
            temps=(Assignment(dx, dh + rstd * (g - xhat * mean_g_xhat), 8),),
            stores=(Store(("dx", "dr"), dx),),
        ),
    ),
    epilogue=(),
    saved=(rstd,),
    results=(Store(("dx", "dr"), dx), Store(("dgamma",), dgamma)),
    optional=_RESIDUAL_OPTIONAL,
)
