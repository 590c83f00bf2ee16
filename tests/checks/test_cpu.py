"""Compiled kernels held to every check of the NumPy code, and every mistake planted into them caught."""

from __future__ import annotations

from functools import cache

import pytest

import lngen
from lngen.checks import DTYPES, KINDS, check
from lngen.checks.derived import checkable
from lngen.checks.emitted import CheckRequest, check_emitted
from lngen.language.parsing import parse
from lngen.pipeline import stages
from tests import corpus
from tests.checks.cpu_mutants import SEEN_BY, SHAPES, caught_by, cpu_mutants, kernels, kill_table, planted
from tests.checks.mutants import markdown
from tests.checks.test_mutants import PAGE
from tests.requirements import needs_gxx
from tests.shipped import NAMES, ROOT, WHOLE, shipped
from tests.tiers import sample

pytestmark = needs_gxx

# Extremes that are not beyond 0.
EXTREMES = "def extremes(x: Row): return x*max(-1 - x**2) + min(1 + x**2)"

# Two means and sums over rows; extremes; a sum over all entries. Between them they have every mistake.
PLANTED = ("layer_norm", EXTREMES, "gated_residual")
MORE = ("scaled_inside", "residual_add")
FEW = ("sums over rows without those since the last join",)
MUTANTS = [*cpu_mutants(["gamma", "beta"])]

# Two norms; a softmax, a class for each row; a norm without Features.
ENTIRE = (*WHOLE, "cross_entropy", "adaptive_layer_norm")
REST = [name for name in NAMES if name not in ENTIRE]
FIRST_ORDER = tuple(kind for kind in KINDS if kind not in ("tangents", "second order", "contracts"))
"""Kinds for which kernels are compiled once or twice; the others need kernels for every set of absent inputs."""


@cache
def derived(name):
    definition = corpus.definition(name) if name in corpus.NAMES else parse(name)
    return stages.derived(definition, proved=False)


@pytest.mark.parametrize("name", sample(NAMES, (), ("softmax",)))
def test_every_shipped_layer_passes(name):
    dtypes = DTYPES if name in WHOLE else DTYPES[:2]
    report = check_emitted(shipped(name), ROOT / "generated" / name, "cpu", CheckRequest(dtypes=dtypes), print)
    assert report.passed, report.failures
    assert {item.dtype for item in report.evidence} >= {*dtypes}
    assert {item.kind for item in report.evidence} >= {"contracts", "precision", "hard inputs", "second order"}


@pytest.mark.parametrize("name", sample(REST, (), ()))
def test_the_rest_pass_what_is_of_the_first_order(name):
    """The second order of these layers is NumPy's, to rounding: see tests/emit/test_cpu_backend.py."""
    layer = checkable(shipped(name).plan, lngen.load(name, backend="cpu"))
    report = check(layer, dtypes=DTYPES[:2], backend_name="cpu", kinds=FIRST_ORDER)
    assert report.passed, report.failures
    assert {item.kind for item in report.evidence} >= {"precision", "hard inputs"}


@pytest.mark.parametrize(
    "mutant",
    sample(MUTANTS, (), lambda mutant: mutant.name in FEW or mutant in MUTANTS[::4]),
    ids=lambda mutant: mutant.name,
)
def test_each_is_caught_in_a_norm_or_has_nothing_to_be_planted_into(mutant):
    kinds = caught_by(derived("layer_norm"), mutant, {})
    apart = ("imum that begins", "over all entries")
    assert kinds if not any(part in mutant.name for part in apart) else kinds is None


@cache
def kills(name):
    return kill_table(derived(name))


def section(name):
    """The part of the page about mistakes that is of a layer's compiled kernels."""
    title = name if name in corpus.NAMES else derived(name).definition.name
    return markdown({f"{title}, compiled": kills(name)})


@pytest.mark.parametrize("name", sample([*PLANTED[1:], *MORE], (), PLANTED[1:]))
def test_no_mistake_survives(name):
    assert len(kills(name)) >= 3
    assert [kill.mutant for kill in kills(name) if not kill.caught_by] == []
    assert name in MORE or section(name) in PAGE.read_text(encoding="utf-8"), "run: python -m tests.checks.test_mutants"


@pytest.mark.ci
def test_each_mistake_is_planted_somewhere():
    sources = [kernels(derived(name)) for name in PLANTED]
    assert [mutant.name for mutant in cpu_mutants([]) if all(mutant.rewrite(text) == text for text in sources)] == []


@pytest.mark.parametrize("name", sample([*PLANTED, *MORE], (), PLANTED))
def test_kernels_without_a_mistake_pass_in_small_pieces(name, tmp_path):
    """Evidence catches the mistake, and not the small pieces of the kernels."""
    made = derived(name)
    module = planted(made, tmp_path, lambda text: text + "\n")
    report = check(checkable(made.plan, module), SHAPES, ("float64",), "cpu", kinds=SEEN_BY)
    assert report.passed, report.failures
