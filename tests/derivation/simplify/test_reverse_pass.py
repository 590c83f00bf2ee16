"""The gradients block by block: textbook forms as text, and what must not be multiplied by zero."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from lngen.algebra.equations import Equation
from lngen.algebra.numeric import Arithmetic, evaluate_equations
from lngen.algebra.symbols import D, RowScalarSymbol, RowSymbol, Softplus
from lngen.derivation.simplify import derive
from lngen.derivation.simplify.function_values import with_value
from lngen.language.parsing import parse
from tests.corpus import backward, text_of

CENTRED = [
    "g = gamma*dy",
    "dx = rstd*(g - xhat*Mean(g*xhat) - Mean(g))",
    "dgamma = SumRows(dy*xhat)",
    "dbeta = SumRows(dy)",
]

TEXTBOOK = {
    "layer_norm": CENTRED,
    "one_line": CENTRED,
    "naive_variance": CENTRED,
    "rms_norm": ["g = gamma*dy", "dx = rstd*(g - xhat*Mean(g*xhat))", "dgamma = SumRows(dy*xhat)"],
    # the constant beside the root: two factors, and a guard where the row is zero
    "eps_outside": [
        "g = gamma*dy",
        "dx = -inv_root*xhat*Mean(g*xhat) + scale*(g - Mean(g))",
        "dgamma = SumRows(dy*xhat)",
        "dbeta = SumRows(dy)",
    ],
    "gated_rms": [
        "g = gamma*dy*silu_z",
        "dx = rstd*(g - xhat*Mean(g*xhat))",
        "dz = gamma*dy*sigmoid_z*xhat*(z*(1 - sigmoid_z) + 1)",
        "dgamma = SumRows(dy*silu_z*xhat)",
    ],
    # two outputs: the cotangent of the sum comes on top, and both inputs share one gradient
    "residual_add": [
        "g = gamma*dy",
        "dx = rstd*(g - xhat*Mean(g*xhat) - Mean(g)) + dh",
        "dr = dx",
        "dgamma = SumRows(dy*xhat)",
        "dbeta = SumRows(dy)",
    ],
    "soft_max": ["dx = y*(dy - FeatureSum(dy*y))"],
    # the shift that the user takes out needs no gradient
    "shifted_by_user": ["dx = y*(dy - FeatureSum(dy*y))"],
    "log_partition": ["p = exp_shifted/Z", "dx = dy*p"],
    "log_probability": ["p = exp_shifted/Z", "dx = dy - p*FeatureSum(dy)"],
    "tanh_scale": [
        "du = gamma*dy*(1 - tanh_u)*(tanh_u + 1)",
        "dx = du*alpha",
        "dalpha = SumRows(FeatureSum(du*x))",
        "dgamma = SumRows(dy*tanh_u)",
        "dbeta = SumRows(dy)",
    ],
    "unbiased": ["dx = rstd*(dy - y*FeatureSum(dy*y)/(D - 1) - Mean(dy))"],
    "fourth_power": ["g = gamma*dy", "dx = scale*(g - xhat**3*Mean(g*xhat))", "dgamma = SumRows(dy*xhat)"],
    "mean_abs": [
        "g = gamma*dy",
        "dx = scale*(g + (Mean(sign(xhat)) - sign(xhat))*Mean(g*xhat) - Mean(g))",
        "dgamma = SumRows(dy*xhat)",
    ],
    # a norm of a norm: two textbook formulas, one after the other
    "norm_of_norm": [
        "dh = rstd_2*(dy - y*Mean(dy*y))",
        "g = gamma*dh",
        "dx = rstd*(g - xhat*Mean(g*xhat) - Mean(g))",
        "dgamma = SumRows(dh*xhat)",
    ],
    "residual": ["g = gamma*dy", "dx = rstd*(g - xhat*Mean(g*xhat)) + dy", "dgamma = SumRows(dy*xhat)"],
    "weighted_mean_square": ["dx = rstd*(-w*y*Mean(dy*y) + dy)", "dw = -SumRows(y**2*Mean(dy*y))/2"],
    "product_of_rows": ["dx = mean_x_z*dy + z*Mean(dy*x)", "dz = x*Mean(dy*x)"],
    "offset_weight": ["g = dy*(w + 1)", "dx = rstd*(g - xhat*Mean(g*xhat))", "dw = SumRows(dy*xhat)"],
    "modulated": [
        "g = dy*(a + 1)",
        "dx = rstd*(g - xhat*Mean(g*xhat) - Mean(g))",
        "da = FeatureSum(dy*xhat)",
        "db = dy",
    ],
    "then_gelu": [
        "dh = dy*(Phi_h + h*NormalDensity(h))",
        "g = gamma*dh",
        "dx = rstd*(g - xhat*Mean(g*xhat))",
        "dgamma = SumRows(dh*xhat)",
    ],
    "rectified": ["dx = Where(x <= 0, 0, gamma*dy)", "dgamma = SumRows(Where(x <= 0, 0, dy*x))"],
    # a sum of Features: no sum over rows holds a factor that is the same for all rows
    "feature_sum": ["dx = w*dy/sum_w", "dw = (SumRows(dy*x) - SumRows(FeatureSum(w*dy*x))/sum_w)/sum_w"],
    "largest_entry": [
        "first_row_max = AttainsFirst(Abs(x), row_max)",
        "dx = scale*(dy - first_row_max*FeatureSum(dy*y)*sign(x))",
    ],
    "statistics_out": ["dx = dmu/D - drstd*rstd**2*y/D + rstd*(dy - y*Mean(dy*y) - Mean(dy))"],
    "gated_residual": [
        "g = dy*alpha",
        "dx = rstd*(g - xhat*Mean(g*xhat)) + dy",
        "dalpha = SumRows(FeatureSum(dy*xhat))",
    ],
    "only_row_scalars": ["dx = 2*dz", "da = dy*(1 - y)*(y + 1)"],
    # no gradient, whatever the path
    "stopped_product": ["dx = mean_r_x*dy", "dr = 0"],
    "sum_of_centred": ["dx = 0"],
    "same_for_all_features": ["dx = -Mean(dy)"],
    "one_value_two_names": ["dx = da + db + Mean(-da - db)"],
    # an expression that is centred is a row like another
    "centred_cube": ["dx = 3*rstd*x**2*(dy - y*Mean(dy*y) - Mean(dy))"],
    "scaled_inside": [
        "du = rstd*(dy - y*Mean(dy*y) - Mean(dy))",
        "dx = du*alpha",
        "dalpha = SumRows(FeatureSum(du*x))",
    ],
    "inline_naive_variance": ["dx = rstd*(dy - y*Mean(dy*y) - Mean(dy))"],
    "probabilities_centred": ["dx = rstd*(dy - y*Mean(dy*y) - Mean(dy))"],
    "constant_zero": ["dx = rstd*(dy - y*Mean(dy*y))"],
    "constant_without_default": ["dx = rstd*(dy - y*Mean(dy*y))"],
    # what a cotangent meets after a select stays under it
    "masked_exponentials": ["dx = Where(m > 0, inv_sum_z_shifted*exp_u*(dy - FeatureSum(dy*y)), 0)", "dm = 0"],
    "clipped": ["dx = scale*dy + Where(root <= 1/2, 0, -inv_root*y*Mean(dy*y))"],
    # the user's names are nobody else's
    "other_names": [
        "g_2 = xhat*dy",
        "dg = rstd_2*(g_2 - ghat*Mean(g_2*ghat) - Mean(g_2))",
        "dxhat = SumRows(dy*ghat)",
        "drstd = SumRows(dy)",
    ],
}


@pytest.mark.parametrize("name", TEXTBOOK)
def test_textbook_form(name: str) -> None:
    assert backward(name) == TEXTBOOK[name]


@pytest.mark.parametrize(
    "body",
    [
        "where(m > 0, exp(x), 0)",
        "where(m > 0, log(x), 1)",
        "where(m > 0, 1/x, 0)*x",
        "where(m > 0, exp(x)*exp(2*m)*x, 0)",
        "where(m > 0, exp(exp(x))**2, x)",
    ],
)
def test_what_a_select_leaves_out_has_no_influence(body: str) -> None:
    # Where m is negative, x is such that the branch not chosen is infinite or NaN.
    made = derive(parse(f"def f(x: Row, m: Row):\n    z = {body}\n    y = z*mean(z)\n    return y"))
    x = np.array([[0.5, -1e5, 0.25, 0.0, 1e5]])
    m = np.array([[1.0, -1.0, 2.0, -1.0, -2.0]])
    chosen = np.where(m > 0, x, 0.5)
    results = []
    for row in (x, chosen):
        point = {s: {"x": row, "m": m}[s.name] for s in made.forward.symbols} | {D: 5.0}
        point |= {made.adjoint.cotangents[0]: np.array([[1.0, 2.0, -1.0, 3.0, 0.5]])}
        with np.errstate(all="ignore"):
            values = evaluate_equations(made.forward.equations, point, Arithmetic())
            values = evaluate_equations(made.backward, values, Arithmetic())
        results.append([np.broadcast_to(values[d], (1, 5))[m > 0] for _, d in made.gradients])
    assert np.all(np.isfinite(results[0]))
    if "x)" not in body.rpartition(",")[2]:
        np.testing.assert_allclose(results[0], results[1], rtol=1e-12)


def test_blocks_do_not_grow_into_each_other() -> None:
    # Four norms one after the other: each formula is as long as that of one.
    lines = "\n".join(f"    h{i} = w*h{i - 1}*rsqrt(mean(h{i - 1}**2) + eps)" for i in range(1, 5))
    text = f"def f(h0: Row, w: Feature, eps: Constant = 1e-5):\n{lines}\n    return h4"
    made = text_of(derive(parse(text)).backward)
    norms = [line for line in made if line.startswith("dh")]
    assert len(norms) == 4
    assert max(len(line) for line in norms) < 60


def test_a_value_is_not_called_by_what_varies_over_more() -> None:
    u, x, t, r = RowSymbol("u"), RowSymbol("x"), RowSymbol("t"), RowScalarSymbol("r")
    assert with_value(x / sympy.sqrt(u), Equation(t, sympy.sqrt(u))) == x / t
    log_2 = Softplus(sympy.S.Zero)
    for number in (log_2, 1 / sympy.sqrt(log_2)):
        assert with_value(x * number, Equation(r, number)) == x * number


def test_the_gradient_through_one_way_is_not_called_the_whole_one() -> None:
    """A part of a gradient that another cotangent is already is told with the other parts, in one line."""
    made = derive(parse("def f(x: Row, w: Feature):\n    c = x - w + sum(x)\n    return sin(c)*(x - mean(x))"))
    (first,) = (step for step in made.steps if step.target.name == "dx" and step.before is None)
    assert sorted(sent.source.name for sent in first.contributions) == ["mu", "sum_x", "total", "x_centred"]
