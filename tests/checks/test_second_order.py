"""The checks of `jvp` and `backward_backward`: what is right passes, and what is planted is caught."""

import numpy as np
import pytest

from lngen.checks import check, reference
from lngen.checks.layer import Case
from lngen.language.parsing import parse
from tests.derivatives import layer, source
from tests.shipped import NAMES
from tests.tiers import sample

SHAPES = tuple((rows, features) for rows in (0, 1, 5) for features in (1, 2, 7, 33, 128))
KINDS = ("tangents", "second order")
DEFINITIONS = sorted(
    {*NAMES, "residual_add", "norm_of_norm", "tanh_scale", "statistics_out", "rectified", "stopped_product"}
    | {
        "masked_exponentials",
        "eps_outside",
        "mean_abs",
        "product_of_rows",
        "feature_maximum",
        "clipped",
        "range_of_normalized",
    }
)


FEW = ("layer_norm", "range_of_normalized", "rectified")


@pytest.mark.parametrize("name", sample(DEFINITIONS, FEW))
def test_what_is_emitted_passes(name):
    report = check(layer(name), SHAPES, kinds=KINDS)
    assert [item for item in report.evidence if not item.passed] == []
    assert {item.kind for item in report.evidence} == set(KINDS)
    # Nothing is compared under a bound so loose that it says nothing; of one feature little is known to begin with.
    for item in report.evidence:
        assert item.bound is None or item.bound <= (1e-8 if item.shape[1] == 1 else 1e-9)


@pytest.mark.parametrize(
    ("function", "old", "new"),
    [
        ("jvp", "by_row(np.subtract, x_dot, mean_x_dot", "by_row(np.add, x_dot, mean_x_dot"),
        ("jvp", "np.multiply(xhat, mean_x_dot_xhat", "np.multiply(x, mean_x_dot_xhat"),
        ("jvp", "np.multiply, xhat, gamma_dot_wide", "np.multiply, xhat, gamma_wide"),
        ("jvp", "np.add, y_dot, beta_dot", "np.subtract, y_dot, beta_dot"),
        ("backward_backward", "row_dot(ddx, g)", "row_dot(ddx, dy)"),
        ("backward_backward", "np.multiply, dy, ddgamma", "np.subtract, dy, ddgamma"),
        ("backward_backward", "_rows.sum_rows(", "(lambda *a: None)("),
        ("backward_backward", "mean_g_xhat * 3.0", "mean_g_xhat * 2.0"),
    ],
)
def test_a_planted_mistake_is_caught(function, old, new):
    files = source("layer_norm")
    text = files["numpy_backend.py"]
    start = text.index(f"def _{function}_of_rows(")
    end = text.index("\ndef ", start + 1) if "\ndef " in text[start + 1 :] else len(text)
    body = text[start:end]
    if old not in body:
        pytest.fail(f"{old} is not in the emitted code: plant another mistake")
    changed = text[:start] + body.replace(old, new, 1) + text[end:]
    report = check(layer("layer_norm", {**files, "numpy_backend.py": changed}), [(5, 7)], kinds=KINDS)
    failed = {item.what for item in report.failures}
    assert failed
    # Nothing that was derived is needed to see it: two differences of the definition do.
    assert function == "jvp" or "<w, dJ^T v> by differences of the definition" in failed


def test_a_mixed_derivative_is_that_of_the_gradients_along_a_direction():
    definition = parse("def f(x: Row, w: Feature):\n    y = x**3*w\n    z = x*w\n    return y, z\n")
    x, w, dy, dz, vx, vw, cy, cz, ux, uw = np.random.default_rng(0).normal(size=(10, 1, 3))
    case = Case("", 1, 3, {"x": x, "w": w[0]}, dict(zip(definition.outputs, (dy, dz), strict=True)))
    along = {"x": vx, "w": vw[0], **dict(zip([f"d{name}" for name in definition.outputs], (cy, cz), strict=True))}
    # What dx = 3*dy*x**2*w + dz*w and dw = dy*x**3 + dz*x move by.
    of_x = 3 * (cy * x**2 * w + 2 * dy * x * vx * w + dy * x**2 * vw) + cz * w + dz * vw
    of_w = cy * x**3 + 3 * dy * x**2 * vx + cz * x + dz * vx
    expected = (ux * of_x + uw * of_w).sum()
    assert abs(reference.mixed(definition, case, along, {"x": ux, "w": uw[0]}) - expected) < 1e-14 * abs(expected)
