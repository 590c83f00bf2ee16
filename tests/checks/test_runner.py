"""Whole reports: right layers pass, whatever the definition; the command to repeat a failure is in it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from lngen.checks import FULL_SHAPES, KINDS, QUICK_SHAPES, Checkable, check
from lngen.checks.derived import checkable
from lngen.derivation.gradients import derive
from lngen.language.parsing import parse
from lngen.pipeline import stages
from lngen.pipeline.files.loading import NUMPY, module_from_files
from lngen.plan.planner import plan
from tests.checks.layers import DEFINITIONS, OTHER_LAYERS, derived, two_functions
from tests.shipped import NAMES
from tests.tiers import LAYERS, sample

WITHOUT = (
    "modulo a prime",
    "run as Python",
    "checker",
    "tangents",
    "second order",
    "transformations",
    "thresholds",
)
"""Kinds of evidence that do not exist for two functions: they have no text and no thresholds."""


@pytest.mark.ci
def test_two_functions_pass_with_every_kind_of_evidence():
    report = check(two_functions())
    assert report.passed, report.failures
    assert [kind for kind in KINDS if any(item.kind == kind for item in report.evidence)] == [
        kind for kind in KINDS[2:] if kind not in WITHOUT
    ]
    order = [KINDS.index(item.kind) for item in report.evidence]
    assert order == sorted(order)
    assert {item.shape for item in report.evidence} >= set(QUICK_SHAPES)


# CI runs layers that have every construct between them, `make nightly` all.
SOME = [path for path in OTHER_LAYERS if path.stem in LAYERS]


def _all_but(some, paths):
    return [*some, *(pytest.param(path, marks=pytest.mark.matrix) for path in paths if path not in some)]


# An affine norm; an exponential.
FEW = ("layer_norm", "soft_max")


@pytest.mark.parametrize(
    "path",
    sample(
        [*DEFINITIONS, *_all_but(SOME, OTHER_LAYERS)],
        lambda path: getattr(path, "stem", None) in FEW,
        [*DEFINITIONS, *SOME],
    ),
    ids=lambda path: path.stem,
)
def test_every_definition_passes(path):
    report = check(derived(path))
    assert report.passed, report.failures
    if path.stem in NAMES:
        # The bound gives way only where a gradient is known less well: with one feature, of which nothing is left.
        steps = [i for i in report.evidence if i.kind == "complex step" and i.bound is not None and i.shape[1] > 1]
        assert {item.bound for item in steps} <= {1e-13, 0.0}


@pytest.mark.parametrize(
    "path",
    sample(_all_but([path for path in DEFINITIONS if path.stem == "rms_norm"], [*DEFINITIONS, *OTHER_LAYERS]), []),
    ids=lambda path: path.stem,
)
def test_every_definition_passes_at_every_shape(path):
    # The complex step differentiates the definition as written. Where that subtracts E[x]**2 from E[x**2], the
    # reference itself is off by 1e-11; the other kinds of evidence do not depend on it.
    kinds = [kind for kind in KINDS if kind != "complex step" or path.stem != "naive_variance"]
    report = check(derived(path), FULL_SHAPES, ("float64", "float32", "float16"), kinds=kinds)
    assert report.passed, report.failures


def test_too_few_features_are_left_out():
    (path,) = [path for path in DEFINITIONS if path.stem == "unbiased"]
    report = check(derived(path), [(2, 1), (2, 2)], kinds=("complex step",))
    assert {item.shape for item in report.evidence} == {(2, 2)}


@pytest.mark.ci
def test_large_shapes_are_sampled_and_probed_along_directions():
    report = check(two_functions(), [(100, 1100)], ("float64",), kinds=("complex step",))
    assert report.passed, report.failures
    assert any("32 of 1100 columns" in item.detail for item in report.evidence)
    assert sum("null-space-orthogonal" in item.what for item in report.evidence) >= 3


def test_without_programs_there_are_no_derived_bounds():
    plain = replace(two_functions(), forward_program=None, backward_program=None, adjoint=None)
    report = check(plain, [(2, 5)], kinds=("complex step", "precision"))
    assert report.passed, report.failures
    assert not any(item.kind == "precision" for item in report.evidence)


def test_a_failure_says_where_and_how_to_see_it_again():
    def backward(saved, dy, **options):
        gradients = two_functions().module.backward(saved, dy, **options)
        gradients.dx[-1] *= 1.01
        return gradients

    wrong = replace(two_functions(), module=SimpleNamespace(forward=two_functions().module.forward, backward=backward))
    report = check(wrong, [(5, 7)], ("float64",), seed=3, kinds=("complex step",))
    (failure,) = report.failures
    assert "only the last row is wrong" in failure.detail
    assert "--shape 5,7 --dtype float64 --seed 3" in failure.detail


def test_an_exception_is_a_failure_not_a_traceback():
    def forward(*inputs, **options):
        raise ZeroDivisionError("oh")

    broken = replace(two_functions(), module=SimpleNamespace(forward=forward, backward=two_functions().module.backward))
    report = check(broken, [(2, 3)], ("float64",))
    assert not report.passed
    assert any("ZeroDivisionError: oh" in item.detail for item in report.failures)


@pytest.mark.parametrize(
    ("what", "change"),
    [
        ("inputs are never written", lambda x: x.__imul__(1.0)),
        ("two runs give the same bits", lambda x: None),
        ("memory that is aligned to its entries alone", lambda x: x.ctypes.data % 16 and 1 / 0),
        ("non-contiguous inputs give the same result", lambda x: x.flags.c_contiguous or 1 / 0),
    ],
)
def test_broken_contracts_are_noticed(what, change):
    calls = iter(range(10**6))

    def backward(saved, dy, **options):
        change(saved.x)
        gradients = two_functions().module.backward(saved, dy, **options)
        if what.startswith("two runs"):
            gradients.dx[...] += 1e-15 * next(calls)
        return gradients

    wrong = replace(two_functions(), module=SimpleNamespace(forward=two_functions().module.forward, backward=backward))
    report = check(wrong, [], ("float64",), kinds=("contracts",))
    assert what in [item.what for item in report.failures]


@pytest.mark.ci
def test_the_same_seed_gives_the_same_report():
    first, second = (check(two_functions(), [(2, 3)], ("float32",), seed=5) for _ in range(2))
    assert first == second
    assert np.isfinite([item.error for item in first.evidence if item.error is not None]).all()


def test_a_gradient_that_is_no_number_where_the_definition_has_one_is_caught():
    # At a kink, and where no error bound is known, a NaN is still one that the definition does not have.
    text = "def f(x: Row, eps: Constant = 1e-12): return x/maximum(sqrt(sum(x**2)), eps)"
    definition = parse(f"from lngen.language import Constant, Row, maximum, sqrt, sum\n\n\n{text}\n")

    def forward(x, *, eps=1e-12, out=None):
        wide = x.astype(np.result_type(x, np.float32))
        scale = np.maximum(np.sqrt(np.sum(wide**2, -1, keepdims=True)), eps)
        return (wide / scale).astype(x.dtype), (x, wide, scale, eps)

    def backward(saved, dy, *, out=None):
        x, wide, scale, eps = saved
        along = np.sum(wide * dy, -1, keepdims=True) / scale**2
        dx = (dy - np.where(scale > eps, wide * along, 0)) / scale
        return ((spoil(dx, x)).astype(x.dtype),)

    made = plan(derive(definition))
    layer = Checkable(definition, SimpleNamespace(forward=forward, backward=backward), made.forward, made.backward)
    spoil = lambda dx, x: dx  # noqa: E731
    assert check(layer, [], ("float64",), kinds=("hard inputs",)).failures == ()
    spoil = lambda dx, x: np.where(np.any(x, -1, keepdims=True), dx, np.nan)  # noqa: E731
    failures = check(layer, [], ("float64",), kinds=("hard inputs",)).failures
    assert [item.what for item in failures] == ["rows of zeros: dx is finite where the definition's is"]


@pytest.mark.parametrize(
    ("condition", "silent", "right", "wrong"),
    [
        ("x/m > 1", True, "mask = xhat > 1.0", "mask = xhat > 1.5"),
        ("(x/m > 1) & (x > 3)", False, "mask_2 = x > 3.0", "mask_2 = (x > 3.0) | (m == 0.0)"),
    ],
)
def test_a_comparison_with_a_pole_claims_nothing_unless_another_decides(condition, silent, right, wrong):
    # Of the ties the first row has a mean of zero, and no entry above 3.
    text = f"def f(x: Row):\n    m = mean(x)\n    y = where({condition}, x, m)\n    return y"
    made = stages.derived(parse(text), proved=False, backends=["numpy"])

    def of_ties(old, new):
        files = {NUMPY: made.files[NUMPY].replace(old, new, 1)}
        layer = checkable(made.plan, module_from_files(files, "f"))
        report = check(layer, [], ("float64", "float32"), kinds=("hard inputs",))
        return report, [item for item in report.evidence if item.what == "ties: y"]

    report, ties = of_ties("", "")
    assert report.failures == ()
    assert [item.detail.startswith("no claim on 7 of 28 entries") for item in ties] == [silent, silent]
    assert [item.passed for item in of_ties(right, wrong)[1]] == [False, False]
