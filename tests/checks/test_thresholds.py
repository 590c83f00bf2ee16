"""Rows on both sides of each threshold: right code holds there, and a mistake on any side is caught."""

import tempfile
from contextlib import nullcontext
from functools import cache
from pathlib import Path

import pytest

from lngen.checks import thresholds
from lngen.checks.derived import checkable
from lngen.checks.emitted import BACKENDS
from lngen.checks.on_device import device
from lngen.emit.backends import WITHIN
from lngen.language.parsing import parse
from lngen.pipeline import stages
from lngen.pipeline.files import loading, manifest
from tests import corpus
from tests.checks import cpu_mutants, kernel_mutants, mutants
from tests.checks.thresholds import failures, loaded, planted
from tests.requirements import has_gpu, needs_gxx, needs_pycuda
from tests.shipped import NAMES
from tests.tiers import sample

REFERENCES = {}  # of layer_norm, which mistakes are planted into
BY_CHANNEL = 'def f(x: Array["n c h"], s: Data["c"]): return s*(x - mean(x, "h"))'  # one gradient, in a tuple
FEW = ("the second piece alone",)
PIECES = [*cpu_mutants.threshold_mutants()]
ON_DEVICE = [pytest.mark.cuda, needs_pycuda, *([] if has_gpu() else [needs_gxx])]


@cache
def made(name):
    return stages.derived(corpus.definition(name), proved=False)


def caught(name, mutant, backend, **options):
    """Return the first failure of a layer with a planted mistake."""
    with tempfile.TemporaryDirectory() as folder:
        assert planted(made(name), Path(folder), mutant.rewrite), "nothing was planted"
        found = failures(made(name), Path(folder) / name, backend, REFERENCES, near=mutant.near, **options)
        return next(found, None)


def sides(folder, name, backend, rewrite=lambda text: text):
    planted(made(name), folder, rewrite)
    subject = checkable(made(name).plan, loaded(folder / name, backend))
    return thresholds.sides(subject, backend, ("float64",), False)


def test_thresholds_of_every_backend_that_computes_are_told():
    assert {*thresholds.THRESHOLDS} == {*BACKENDS, *WITHIN} - {*loading.FRAMEWORKS}


@pytest.mark.ci
@pytest.mark.parametrize(
    ("backend", "old", "new", "length"),
    [
        ("numpy", "PIECE = 1024", "PIECE = 320", 641),
        pytest.param("cpu", "PIECE = 1024", "PIECE = 320", 321, marks=needs_gxx),
        pytest.param("cuda", "MOST_THREADS = 1024;", "MOST_THREADS = 128;", None, marks=[pytest.mark.ci, *ON_DEVICE]),
    ],
)
def test_sides_of_code_with_another_size_are_at_that_size(backend, old, new, length, tmp_path):
    with device() if backend == "cuda" else nullcontext():
        lengths = [
            {side.shape[1] for side in sides(tmp_path / str(place), "rms_norm", backend, rewrite)}
            for place, rewrite in enumerate([lambda text: text, lambda text: text.replace(old, new)])
        ]
    new = lengths[1] - lengths[0]
    assert new if length is None else length in new, sorted(new)


@pytest.mark.ci
@pytest.mark.parametrize("name", sample(NAMES, ("layer_norm", "softmax")))
def test_layers_hold_on_both_sides_of_each_threshold(name, tmp_path):
    """Compiled code too: see test_cpu.py."""
    manifest.write(made(name).emission, tmp_path)
    assert [*failures(made(name), tmp_path / name, "numpy", {})] == []


@pytest.mark.ci
def test_a_layer_of_named_axes_holds_on_both_sides_of_each_threshold(tmp_path):
    layer = stages.derived(parse(BY_CHANNEL), proved=False, backends=["numpy"])
    manifest.write(layer.emission, tmp_path)
    assert [*failures(layer, tmp_path / "f", "numpy", {})] == []


@pytest.mark.parametrize("dtype", sample(["float16", "float64"], (), ()))
@pytest.mark.parametrize("name", [pytest.param("layer_norm", marks=[*ON_DEVICE])])
def test_kernels_hold_in_each_layout(name, dtype, tmp_path):
    manifest.write(made(name).emission, tmp_path)
    with device():
        assert [*failures(made(name), tmp_path / name, "cuda", {}, types=(dtype,))] == []


@pytest.mark.ci
@pytest.mark.parametrize("mutant", [*mutants.threshold_mutants()], ids=lambda mutant: mutant.name)
def test_numpy_thresholds_with_a_mistake_on_one_side_are_caught(mutant):
    assert caught("layer_norm", mutant, "numpy")


@needs_gxx
@pytest.mark.parametrize(
    "mutant",
    sample(PIECES, (), lambda mutant: mutant.name in FEW or mutant in PIECES[::3]),
    ids=lambda mutant: mutant.name,
)
def test_compiled_thresholds_with_a_mistake_on_one_side_are_caught(mutant):
    assert caught("layer_norm", mutant, "cpu", types=("float64",))


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(mutant, marks=[pytest.mark.exhaustive if place % 3 else pytest.mark.ci, *ON_DEVICE])
        for place, mutant in enumerate(kernel_mutants.threshold_mutants())
    ],
    ids=lambda mutant: mutant.name,
)
def test_cuda_layouts_with_a_mistake_in_one_are_caught(mutant):
    with device():
        assert caught("layer_norm", mutant, "cuda", types=("float64", "float16"))
