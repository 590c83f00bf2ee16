"""Rows of every power of two and of its neighbours, where a block of a kernel ends."""

import pytest

import lngen
from lngen.checks.callables.checking import SWEEP
from lngen.checks.derived import checkable
from lngen.checks.runner import check
from tests.requirements import needs_gxx
from tests.shipped import NAMES, shipped
from tests.tiers import sample


@pytest.mark.parametrize("backend", [pytest.param("cpu", marks=needs_gxx), "numpy"])
@pytest.mark.parametrize("name", sample(NAMES, (), ("rms_norm", "softmax")))
def test_rows_of_any_length_have_their_values_and_gradients(name, backend):
    layer = checkable(shipped(name).plan, lngen.load(name, backend=backend))
    report = check(layer, SWEEP, ("float32",), backend, kinds=("precision",))
    least = shipped(name).definition.minimum_features
    assert len(report.evidence) >= 2 * sum(features >= least for _, features in SWEEP)
    assert report.passed, report.failures
