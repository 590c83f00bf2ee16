"""Layers that are computed in a wider type than that of their rows."""

import re
from types import ModuleType

import numpy as np
import pytest

from lngen.language.parsing import parse
from lngen.pipeline.files.loading import module_from_files
from lngen.pipeline.stages import Derived, derived
from lngen.plan.cost.units import parse_dtype
from lngen.report.audit import audit
from lngen.report.costs import size_rows
from tests.shipped import LAYERS, shipped
from tests.tiers import sample

LOG_SOFTMAX = "p = x - max(x) - log(sum(exp(x - max(x))))"
WIDE = {
    "an exponential without a shift": "return exp(x)/(1 + exp(x))**2 + exp(x)",
    "a reciprocal of what vanishes": "return 1/sigmoid(x)",
    "a high power": "return x**9",
    "a high power beside what vanishes": "return silu(x**3)",
    "powers of row scalars beside what vanishes": "return silu(mean(max(x)*x**3))",
    "a softmax under a root": "e = exp(x - max(x)); return (e/sum(e))**(1/3)",
    "what vanishes where another row is small": "return rsqrt(softplus(x/(z**4 + 1)))",
    "a reciprocal of the softmax at a label": f"{LOG_SOFTMAX}; return exp(-pick(p, label))",
    "an entry that the largest leaves out": "return exp(pick(x - max(where(index() > 2, x, 0)), label))",
}
NARROW = {
    "a softmax": "e = exp(x - max(x)); return e/sum(e)",
    "a gate": "return x*sigmoid(x)",
    "a gate of a square": "return silu(-x**2)",
    "a high power alone": "return x**7",
    "a power of a normalised row": "return (x/sqrt(mean(x**2) + 0.1))**12",
    "an exponential of a number": "return x*exp(4)",
    "a gate of a quotient of rows": "return silu(x/(z**2 + 1))",
    "a focal loss": f"{LOG_SOFTMAX}; t = pick(p, label); return (1 - exp(t))**2*t",
}


def made(body: str) -> Derived:
    others = {"z": ", z: Row", "label": ', label: Int["..."]'}
    given = "".join(others[name] for name in others if re.search(rf"\b{name}\b", body))
    return derived(parse(f"def f(x: Row{given}):\n    {body}"), proved=False)


def module(body: str) -> ModuleType:
    return module_from_files(made(body).files, "f")


@pytest.mark.ci
@pytest.mark.parametrize("body", sample(WIDE.values(), [*WIDE.values()][:2]), ids=WIDE)
def test_a_value_that_may_leave_the_range_makes_all_directions_wide(body):
    assert {program.is_wide for program in made(body).plan.programs()} == {True}


@pytest.mark.ci
@pytest.mark.parametrize("body", NARROW.values(), ids=NARROW)
def test_what_is_bounded_or_vanishes_needs_no_wider_type(body):
    assert {program.is_wide for program in made(body).plan.programs()} == {False}


@pytest.mark.ci
def test_no_shipped_layer_is_wide():
    assert not [name for name in LAYERS if shipped(name).plan.forward.is_wide]


@pytest.mark.parametrize(
    ("rows", "computed"),
    [(np.float16, np.float64), (np.float32, np.float64), (np.float64, np.float64), (np.longdouble, np.longdouble)],
)
def test_it_is_computed_in_float64_and_returned_in_the_type_of_the_rows(rows, computed):
    layer = module(WIDE["an exponential without a shift"])
    x = np.linspace(-1, 1, 6).reshape(2, 3).astype(rows)
    y, saved = layer.forward(x)
    assert saved.dtype == computed
    second = layer.backward_backward(saved, (x,), x)
    for result in (y, *layer.backward(saved, x), layer.jvp(saved, x), *second):
        assert result.dtype == rows


@pytest.mark.ci
def test_results_are_right_where_no_order_of_multiplication_is_in_range():
    """The second gradient of exp(x)**4 has 16*exp(4*x), which is 1e35: squares of exp(2*x) are on the way."""
    layer = module("e = exp(x); return e**4/(mean(e**4)/sum(x**2) + 1)")
    single = np.linspace(15, 20, 8, dtype=np.float32).reshape(2, 4)
    found = []
    for x in (single, single.astype(np.float64)):
        y, saved = layer.forward(x)
        found.append((y, *layer.backward(saved, x), layer.jvp(saved, x), *layer.backward_backward(saved, (x,), x)))
    for one, two in zip(*found, strict=True):
        assert np.abs(one - two).max() <= 2e-7 * np.abs(two).max()


@pytest.mark.ci
def test_kernels_compute_in_double():
    text = made(WIDE["a reciprocal of what vanishes"]).text("kernels.cu")
    assert "#define LNGEN_COMPUTE double\n" in text.partition("#include")[0]
    assert "LNGEN_COMPUTE" not in made(NARROW["a gate"]).text("kernels.cu")


@pytest.mark.ci
def test_the_audit_says_what_may_leave_the_range_and_what_is_done():
    found = audit(made(WIDE["a reciprocal of what vanishes"]).plan).hazards
    (first, *_) = (hazard for hazard in found if hazard.kind == "range")
    assert (first.where.direction, first.status) == ("forward", "removed")
    assert first.remedy == "rows of float32 and of 16 bits are computed in float64"
    assert not [hazard for hazard in audit(made(NARROW["a gate"]).plan).hazards if hazard.kind == "range"]


@pytest.mark.ci
def test_row_scalars_are_kept_in_it():
    """A saved mean of 32*512 rows takes eight bytes a row, and not four."""
    plan = made("return exp(x)/(mean(x**2) + 1)").plan
    (kept,) = [line for line in size_rows(plan, (32, 512, 768), parse_dtype("f32")) if line[0] == "kept for backward"]
    assert kept[1] == "0.13 MB"
