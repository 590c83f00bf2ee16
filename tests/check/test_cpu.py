"""Compiled kernels held to every check of the NumPy code, and every mistake planted into them caught."""

from __future__ import annotations

from functools import cache

import pytest

from lngen import pipeline
from lngen.check import DTYPES, check
from lngen.check.derived import checkable
from lngen.check.emitted import Asked, check_emitted
from lngen.language.parsing import parse
from tests import corpus
from tests.check.cpu_mutants import SHAPES, caught_by, cpu_mutants, kill_table, planted
from tests.requirements import needs_gxx
from tests.shipped import NAMES, ROOT, WHOLE, shipped
from tests.tiers import sample

pytestmark = needs_gxx

# Extremes that are not beyond 0.
EXTREMES = "def extremes(x: Row): return x*max(-1 - x**2) + min(1 + x**2)"

# Two means and sums over rows; extremes; a sum over all entries, and none over a row.
PLANTED = ("layer_norm", "scaled_inside", "gated_residual", EXTREMES, "residual_add")
FEW = ("the end of a row left out of its reductions", "sums over rows without those since the last join")
MUTANTS = [*cpu_mutants(["gamma", "beta"])]


@cache
def derived(name):
    definition = corpus.definition(name) if name in corpus.NAMES else parse(name)
    return pipeline.derived(definition, proved=False)


@pytest.mark.parametrize(
    ("name", "dtypes"),
    [
        *(pytest.param(name, DTYPES if name in WHOLE else DTYPES[:2], marks=pytest.mark.ci) for name in NAMES),
        *(pytest.param(name, DTYPES[2:], marks=pytest.mark.exhaustive) for name in NAMES if name not in WHOLE),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_every_shipped_layer_passes(name, dtypes):
    report = check_emitted(shipped(name), ROOT / "generated" / name, "cpu", Asked(dtypes=dtypes), print)
    assert report.passed, report.failures
    assert {item.dtype for item in report.evidence} >= {*dtypes}
    assert {item.kind for item in report.evidence} >= {"contracts", "precision", "hard inputs", "second order"}


@pytest.mark.parametrize("mutant", sample(MUTANTS, lambda mutant: mutant.name in FEW), ids=lambda mutant: mutant.name)
def test_each_is_caught_in_a_norm_or_has_nothing_to_be_planted_into(mutant):
    kinds = caught_by(derived("layer_norm"), mutant, {})
    apart = ("imum that begins", "over all entries")
    assert kinds if not any(part in mutant.name for part in apart) else kinds is None


@pytest.mark.ci
@pytest.mark.parametrize("name", PLANTED[1:])
def test_no_mistake_survives(name):
    kills = kill_table(derived(name))
    assert len(kills) >= 3
    assert [kill.mutant for kill in kills if not kill.caught_by] == []


@pytest.mark.ci
def test_each_mistake_is_planted_somewhere():
    found = {kill.mutant for name in PLANTED[1:] for kill in kill_table(derived(name))}
    assert found >= {mutant.name for mutant in cpu_mutants([])}


@pytest.mark.ci
@pytest.mark.parametrize("name", PLANTED)
def test_kernels_without_a_mistake_pass_in_small_pieces(name, tmp_path):
    """What is caught is the mistake, and not the pieces that it is looked for in."""
    made = derived(name)
    module = planted(made, tmp_path, lambda text: text + "\n")
    report = check(checkable(made.plan, module), SHAPES, ("float64", "float32"), "cpu")
    assert report.passed, report.failures
