"""Layers whose outputs or gradients are not of the usual kinds, from definition to checked NumPy."""

import numpy as np
import pytest

from lngen.check import check
from lngen.check.derived import checkable
from lngen.language.parsing import parse
from lngen.pipeline.files.loading import module_from_files
from lngen.pipeline.stages import derived
from tests.tiers import sample

STATISTICS = '''"""A norm that returns its statistics too: row scalars that are outputs and saved."""

from lngen.language import Constant, Row, mean, sqrt


def statistics(x: Row, eps: Constant = 1e-5):
    mu = mean(x)
    var = mean((x - mu) ** 2)
    y = (x - mu) / sqrt(var + eps)
    return y, mu, var
'''

STOPPED = '''"""A norm whose statistic is taken as given: no gradient flows through it."""

from lngen.language import Constant, Feature, Row, mean, rsqrt, stop_gradient


def stopped(x: Row, gamma: Feature = 1, eps: Constant = 1e-5):
    scale = stop_gradient(rsqrt(mean(x**2) + eps))
    y = gamma * x * scale
    return y
'''

LINEAR_OUT = '''"""A weighted sum of the row: only a row scalar comes out."""

from lngen.language import Feature, Row, Scalar, sum


def linear_out(x: Row, w: Feature, b: Scalar = 0):
    s = sum(x * w) + b
    return s
'''


@pytest.mark.ci
@pytest.mark.parametrize(
    "text", sample([STATISTICS, STOPPED, LINEAR_OUT], [STOPPED]), ids=["statistics", "stopped", "linear_out"]
)
def test_it_is_derived_emitted_and_passes_every_check(text):
    made = derived(parse(text))
    module = module_from_files(made.files, f"emitted_{made.definition.name}")
    report = check(checkable(made.plan, module), shapes=[(3, 7), (2, 1)])
    assert [(e.kind, e.what, e.detail) for e in report.failures] == []


@pytest.mark.ci
def test_an_output_that_is_saved_is_saved_as_computed():
    made = derived(parse(STATISTICS))
    assert {symbol.name for symbol in made.plan.forward.saved} >= {"mu_saved"}
    assert [store.names for store in made.plan.forward.results] == [("y",), ("mu",), ("var",)]


def test_a_constant_under_a_root_may_not_be_negative():
    """The derivation writes c for sqrt(c**2): a negative one would be a wrong number without a word."""
    text = "def f(x: Row, c: Constant = 1, k: Constant = 1): return x*sqrt(c**2) + k"
    made = derived(parse(text))
    module = module_from_files(made.files, "emitted_signed")
    x = np.ones((2, 3))
    for c in (-1.0, -1, np.asarray(-0.5), np.float32(-1)):
        with pytest.raises(ValueError, match=r"c is .*; pass 0 or more: the gradients take it to be positive"):
            module.forward(x, c=c)
    np.testing.assert_array_equal(module.forward(x, c=0.0, k=-2.0)[0], np.full((2, 3), -2.0))
    assert '_launcher.finite("c", c, signed=False)' in made.text("cuda_backend.py")
    assert '_launcher.finite("k", k)' in made.text("cuda_backend.py")


@pytest.mark.ci
@pytest.mark.parametrize(("least", "proved"), [(3, True), (900, False), (100_000, False)])
def test_rows_that_have_to_be_long_are_derived_in_time_and_say_what_was_not_proved(least, proved):
    made = derived(parse(f"def f(x: Row, g: Feature = 1): return g*x/(D - {least}) + mean(x)"))
    outcomes = {proof.kind: proof.outcome for proof in made.plan.derivation.proofs}
    if proved:
        assert set(outcomes.values()) == {"ok"}
        return
    assert outcomes["none"] == "open"
    assert not any(kind.startswith("exact at D") for kind in outcomes)
    page = " ".join(made.text("derivation.md").split())
    assert f"the smallest D is {least + 1}" in page
    if least < 1000:
        assert outcomes["exact at every D"] == "ok"
        assert "2 gradients with rows written out: no claim" in page
    else:
        assert "not proved: nothing is claimed" in page
        assert "2 gradients: no claim" in made.text("kernels.cu").partition("#include")[0]
