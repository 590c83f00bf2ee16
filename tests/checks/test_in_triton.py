"""Triton's kernels under the checks, on a pretended GPU, and mistakes that these find."""

import re

import pytest

from lngen.checks.emitted import CheckRequest, check_emitted, hindrance
from lngen.checks.frameworks import KIND
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import derived
from tests.requirements import needs_triton
from tests.shipped import LAYERS, shipped
from tests.tiers import sample

pytestmark = needs_triton

FEW = ("alibi_softmax", "softmax")
"""Rows that have no axis in common, and rows that have one; a check takes half a minute."""

QUICK = CheckRequest(shapes=[(5, 33)], dtypes=["float32"], at_thresholds=False)
LONG = CheckRequest(shapes=[(2, 3)], dtypes=["float32"])


def checked(name, folder, changes=(), request=QUICK):
    """The report on a layer, of whose files some have changed."""
    made = shipped(name)
    manifest.write(made.emission, folder)
    for file, old, new in changes:
        path = folder / file
        text, count = re.subn(old, new, path.read_text(encoding="utf-8"))
        assert count, "nothing was planted"
        path.write_text(text, encoding="utf-8")
    return check_emitted(made, folder / name, "triton", request, print)


@pytest.mark.parametrize("name", sample(LAYERS, (), FEW))
def test_every_layer_passes(name, tmp_path):
    report = checked(name, tmp_path)
    assert [(each.what, each.detail) for each in report.failures] == []
    assert "by launches of kernels" in {each.what for each in report.evidence}
    if name != "alibi_softmax":
        assert {"forward vs oracle", "precision", "contracts", KIND} <= {each.kind for each in report.evidence}


KERNELS, PAGE, RUNTIME = "rms_norm/triton_kernels.py", "rms_norm/torch_backend.py", "_runtime/torch/gpu.py"
SILENT = """def launch(kernel, *given):
    if 'backward' not in kernel.fn.__name__:
        _launch(kernel, *given)


def _launch(kernel"""
NARROW = "(x*x).to(tl.bfloat16 if A == tl.float32 else A).to(A)"
MISTAKES = {
    "no call launches": (RUNTIME, r"return known and", "return False and known and", "run as Python"),
    "a gradient without its kernel": (RUNTIME, r"def launch\(kernel", SILENT, "complex step"),
    "rows beyond the grid": (
        KERNELS,
        r"range\(program \* ROWS, rows,",
        "range(program*ROWS, program*ROWS+1,",
        "thresholds",
    ),
    "the end of a long row": (KERNELS, r"TILE if WHOLE else D, TILE", "TILE if WHOLE else D - 1, TILE", "thresholds"),
    "sums kept in 16 bits": (KERNELS, r"ms_sum \+= x\*x", f"ms_sum += {NARROW}", "precision"),
    "memory that nobody wrote": (KERNELS, r"d, dx, inside", "d, dx, inside & (d < D - 1)", "complex step"),
    "a stride of a cotangent": (PAGE, r"\*dy_strides", "*x_strides", "contracts"),
}


@pytest.mark.exhaustive
def test_both_sides_of_each_threshold_hold(tmp_path):
    report = checked("layer_norm", tmp_path, (), LONG)
    assert [(each.what, each.detail) for each in report.failures] == []
    assert {8192, 8193, 16384, 16385} <= {e.shape[1] for e in report.evidence if e.kind == "thresholds"}


@pytest.mark.parametrize("mistake", sample(MISTAKES, (), ("sums kept in 16 bits", "a gradient without its kernel")))
def test_a_planted_mistake_is_found(mistake, tmp_path):
    file, old, new, kind = MISTAKES[mistake]
    request = LONG if kind == "thresholds" else QUICK
    failures = checked("rms_norm", tmp_path, [(file, old, new)], request).failures
    assert kind in {each.kind for each in failures if "files are what lngen emits" not in each.what}


def test_a_layer_without_pytorch_says_what_writes_it(tmp_path, monkeypatch):
    monkeypatch.setattr(loading, "is_installed", lambda name: name != "triton")
    assert hindrance(tmp_path, "triton") == "Triton is not installed"
    assert derived(shipped("rms_norm").definition, backends=["torch"]).text("triton_kernels.py")
