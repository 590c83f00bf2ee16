"""Rows on both sides of each threshold: right code holds there, and a mistake on any side is caught."""

import tempfile
from functools import cache
from pathlib import Path

import pytest

from lngen import pipeline
from tests import corpus
from tests.check.mutants import threshold_mutants
from tests.check.thresholds import failures, planted

REFERENCES = {}


@cache
def made(name):
    return pipeline.derived(corpus.definition(name), proved=False)


def caught(name, mutant, backend, **options):
    """What first speaks against a layer with a mistake; the mistake has to be in it."""
    with tempfile.TemporaryDirectory() as folder:
        assert planted(made(name), Path(folder), mutant.rewrite), "nothing was planted"
        found = failures(made(name), Path(folder) / name, backend, REFERENCES, near=mutant.near, **options)
        return next(found, None)


@pytest.mark.parametrize("mutant", [*threshold_mutants()], ids=lambda mutant: mutant.name)
def test_numpy_thresholds_with_a_mistake_on_one_side_are_caught(mutant):
    assert caught("layer_norm", mutant, "numpy")
