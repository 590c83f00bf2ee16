"""Rows on both sides of each threshold: right code holds there, and a mistake on any side is caught."""

import tempfile
from functools import cache
from pathlib import Path

import pytest

from lngen import pipeline
from lngen.check.on_device import device
from tests import corpus
from tests.check import cpu_mutants, kernel_mutants, mutants
from tests.check.thresholds import failures, planted
from tests.requirements import has_gpu, needs_gxx, needs_pycuda
from tests.tiers import sample

REFERENCES = {}
FEW = ("the second piece alone",)
ON_DEVICE = [pytest.mark.ci, pytest.mark.cuda, needs_pycuda, *([] if has_gpu() else [needs_gxx])]


@cache
def made(name):
    return pipeline.derived(corpus.definition(name), proved=False)


def caught(name, mutant, backend, **options):
    """What first speaks against a layer with a mistake; the mistake has to be in it."""
    with tempfile.TemporaryDirectory() as folder:
        assert planted(made(name), Path(folder), mutant.rewrite), "nothing was planted"
        found = failures(made(name), Path(folder) / name, backend, REFERENCES, near=mutant.near, **options)
        return next(found, None)


@pytest.mark.parametrize("mutant", [*mutants.threshold_mutants()], ids=lambda mutant: mutant.name)
def test_numpy_thresholds_with_a_mistake_on_one_side_are_caught(mutant):
    assert caught("layer_norm", mutant, "numpy")


@needs_gxx
@pytest.mark.parametrize(
    "mutant",
    sample([*cpu_mutants.threshold_mutants()], lambda mutant: mutant.name in FEW),
    ids=lambda mutant: mutant.name,
)
def test_compiled_thresholds_with_a_mistake_on_one_side_are_caught(mutant):
    assert caught("layer_norm", mutant, "cpu", types=("float64",))


@pytest.mark.parametrize(
    "mutant",
    [pytest.param(mutant, marks=ON_DEVICE) for mutant in kernel_mutants.threshold_mutants()],
    ids=lambda mutant: mutant.name,
)
def test_cuda_layouts_with_a_mistake_in_one_are_caught(mutant):
    with device():
        assert caught("layer_norm", mutant, "cuda", types=("float64", "float16"))
