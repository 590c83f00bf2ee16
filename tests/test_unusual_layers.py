"""Layers whose outputs or gradients are not of the usual kinds, from definition to checked NumPy."""

import pytest

from lngen.check import check
from lngen.check.derived import checkable
from lngen.check.mutants import module_from_text
from lngen.definition import parse
from lngen.emission import derived

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


@pytest.mark.parametrize("text", [STATISTICS, STOPPED, LINEAR_OUT], ids=["statistics", "stopped", "linear_out"])
def test_it_is_derived_emitted_and_passes_every_check(text):
    made = derived(parse(text))
    module = module_from_text(made.text("numpy_backend.py"), f"emitted_{made.definition.name}")
    report = check(checkable(made.plan, module), shapes=[(3, 7), (2, 1)])
    assert [(e.kind, e.what, e.detail) for e in report.failures] == []


def test_an_output_that_is_saved_is_saved_as_computed():
    made = derived(parse(STATISTICS))
    assert {symbol.name for symbol in made.plan.forward.saved} >= {"mu_saved"}
    assert [store.names for store in made.plan.forward.results] == [("y",), ("mu",), ("var",)]
