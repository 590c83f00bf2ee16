"""Emitted CUDA held to every check of the NumPy code: on the GPU where there is one, else on the emulator."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from lngen.checks import DTYPES, KINDS, Checkable, check
from lngen.checks.derived import checkable
from lngen.checks.evidence import metric_error
from lngen.checks.inputs import ordinary
from lngen.checks.layer import run
from lngen.checks.on_device import OnDevice, RunningOn, device
from lngen.emit.cpp.contract import DTYPES as STORAGE
from lngen.language.oracle.evaluate import LONGDOUBLE, evaluate
from lngen.language.parsing import load
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import derived
from tests.checks.layers import DEFINITIONS, OTHER_LAYERS
from tests.requirements import has_gpu, needs_gxx, needs_pycuda
from tests.shipped import ROOT
from tests.tiers import sample

pytestmark = [pytest.mark.cuda, needs_pycuda, *([] if has_gpu() else [needs_gxx])]

# These go through everything; of the other definitions a sample is run, and the rest by `make nightly`.
WHOLE = [path for path in DEFINITIONS if path.stem in ("layer_norm", "rms_norm")]
OTHERS = [path for path in DEFINITIONS if path not in WHOLE]
SOME = OTHERS[6::12]
# Integers, random numbers, casts and named axes, whose kernels are of rows.
BEYOND = [
    ROOT / "derive" / f"{name}.py"
    for name in (
        *("add_rms_norm_fp8", "causal_softmax", "dropout_add_layer_norm", "focal_loss", "group_norm", "head_rms_norm"),
        *("alibi_softmax", "info_nce", "label_cross_entropy", "rotary", "ada_layer_norm", "ada_layer_norm_zero"),
        *("batch_norm", "instance_norm", "layer_norm_hw", "packed_swiglu"),
    )
]
FEATURES = (1, 2, 7, 32, 33, 1000, 1025, 4097)
ROWS = (0, 1, 2, 37)
NUMBERS = tuple(kind for kind in KINDS if kind not in ("exact proof", "50 digits", "contracts", "hard inputs"))


def name(value: object) -> str:
    return value.stem if isinstance(value, Path) else str(value)


@pytest.fixture(scope="module", autouse=True)
def place() -> Iterator[RunningOn]:
    with device() as here:
        yield here


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("emitted")


@cache
def on_device(path: Path, folder: Path) -> Checkable:
    """A definition derived, planned, emitted as CUDA and loaded."""
    layer = derived(load(path), proved=False)
    manifest.write(layer.emission, folder)
    package = loading.load(folder / layer.emission.name).__name__
    backend = importlib.import_module(f"{package}.cuda_backend")
    return checkable(layer.plan, OnDevice(backend, STORAGE if path in WHOLE else ()))


def shapes() -> list[object]:
    """Each definition with each row length that it takes; CI runs the first of `WHOLE` at a length with a tail."""
    smallest = {path: load(path).minimum_features for path in DEFINITIONS}
    pairs = itertools.product(DEFINITIONS, FEATURES)
    return [
        pytest.param(
            path, features, marks=pytest.mark.ci if path == WHOLE[0] and features == 33 else pytest.mark.matrix
        )
        for path, features in pairs
        if features >= smallest[path]
    ]


def numbers(path: Path) -> tuple[str, ...]:
    """The kinds of evidence that are numbers."""
    # Where a definition subtracts E[x]**2 from E[x**2], the complex step of it is itself off by 1e-11.
    return tuple(kind for kind in NUMBERS if kind != "complex step" or path.stem != "naive_variance")


def assert_holds(path: Path, features: int, folder: Path, dtype: str, kinds: tuple[str, ...]) -> None:
    report = check(on_device(path, folder), [(rows, features) for rows in ROWS], (dtype,), "cuda", kinds=kinds)
    assert report.evidence
    assert report.passed, report.failures


@pytest.mark.parametrize(("path", "features"), shapes(), ids=name)
def test_float64(path: Path, features: int, folder: Path) -> None:
    assert_holds(path, features, folder, "float64", numbers(path))


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "float64"])
@pytest.mark.parametrize(("path", "features"), shapes(), ids=name)
def test_narrower_types(path: Path, features: int, dtype: str, folder: Path) -> None:
    assert_holds(path, features, folder, dtype, ("precision",))


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=pytest.mark.ci) for path in SOME]
    + [pytest.param(path, marks=pytest.mark.matrix) for path in (*OTHERS, *OTHER_LAYERS) if path not in SOME],
    ids=name,
)
def test_other_definitions(path: Path, folder: Path) -> None:
    # A shape with several rows per block and a tail, in the one type that every kind of evidence is for.
    assert_holds(path, 33, folder, "float64", numbers(path))


@pytest.mark.parametrize(
    ("path", "dtypes"),
    [
        pytest.param(WHOLE[0], ("float64", "bfloat16"), marks=pytest.mark.ci),
        *(pytest.param(path, DTYPES, marks=pytest.mark.matrix) for path in DEFINITIONS),
    ]
    + [pytest.param(path, DTYPES, marks=pytest.mark.exhaustive) for path in OTHER_LAYERS]
    + [pytest.param(path, ("float64",), marks=pytest.mark.exhaustive) for path in BEYOND],
    ids=lambda value: value.stem if isinstance(value, Path) else " ".join(value),
)
def test_contracts_and_hard_inputs(path: Path, dtypes: tuple[str, ...], folder: Path) -> None:
    report = check(on_device(path, folder), [], dtypes, "cuda", kinds=("contracts", "hard inputs"))
    assert report.passed, report.failures


@pytest.mark.parametrize(
    ("dtype", "offset", "bound"),
    sample([("float32", 1e4, 1e-6), ("float64", 1e8, 1e-14)], ()),
)
def test_a_large_offset_costs_no_digits(dtype: str, offset: float, bound: float, folder: Path) -> None:
    (path,) = [path for path in WHOLE if path.stem == "layer_norm"]
    layer = on_device(path, folder)
    assert layer.adjoint is not None
    case = ordinary(layer.definition, 3, 4096, seed=0)
    stored = replace(case, inputs={**case.inputs, "x": case.inputs["x"] + offset}).astype(dtype)
    answer = run(layer, stored)
    # The layer ignores a shift, and taking the offset off again is exact: so is the reference, to long double.
    exact = stored.exact()
    centred = {**exact.inputs, "x": exact.inputs["x"] - np.longdouble(offset)}
    assert metric_error(answer.outputs["y"], evaluate(layer.definition, centred, LONGDOUBLE)["y"]) < bound
    for name, gradient in layer.adjoint(centred, exact.cotangents).items():
        assert metric_error(answer.gradients[name], gradient) < bound, name


@pytest.mark.ci
def test_where_it_ran(place: RunningOn) -> None:
    assert place.emulated is not has_gpu()
    assert place.name
