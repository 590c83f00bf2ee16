"""The gradients block by block: textbook forms as text, and what must not be multiplied by zero."""

from __future__ import annotations

import numpy as np
import pytest

from lngen.algebra.numeric import Arithmetic, evaluate_equations
from lngen.algebra.symbols import D
from lngen.derivation.gradients import derive
from lngen.language.parsing import parse
from tests.corpus import backward

TEXTBOOK = {
    # the constant beside the root: two factors, and a guard where the row is zero
    "eps_outside": [
        "g = gamma*dy",
        "dx = -inv_root*xhat*Mean(g*xhat) + scale*(g - Mean(g))",
        "dgamma = SumRows(dy*xhat)",
        "dbeta = SumRows(dy)",
    ],
    "rectified": ["dx = Where(x <= 0, 0, gamma*dy)", "dgamma = SumRows(Where(x <= 0, 0, dy*x))"],
    "largest_entry": [
        "first_row_max = AttainsFirst(Abs(x), row_max)",
        "dx = scale*(dy - first_row_max*FeatureSum(dy*y)*sign(x))",
    ],
    "only_row_scalars": ["dx = 2*dz", "da = dy*(1 - y)*(y + 1)"],
    # no gradient, whatever the path
    "stopped_product": ["dx = mean_r_x*dy", "dr = 0"],
    "one_value_two_names": ["dx = da + db + Mean(-da - db)"],
    "scaled_inside": [
        "du = rstd*(dy - y*Mean(dy*y) - Mean(dy))",
        "dx = du*alpha",
        "dalpha = SumRows(FeatureSum(du*x))",
    ],
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
