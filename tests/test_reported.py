"""Faults that public reports of other projects have, or had here: each by the behaviour that a user sees."""

from __future__ import annotations

import importlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from lngen.errors import LngenError
from lngen.paths import require_package
from lngen.pipeline.files import loading
from lngen.runtime import cache
from tests.requirements import needs_gxx
from tests.shipped import ROOT

LOGITS = np.array([[2, -np.inf, 1], [0.5, 0.25, -np.inf]])
LABELS = np.array([0, 1])


def shipped(name: str, backend: str):
    return loading.load(ROOT / "generated" / name, backend)


@pytest.mark.parametrize("backend", ["numpy", pytest.param("cpu", marks=needs_gxx)])
def test_masked_logits_have_a_finite_cross_entropy(backend):
    """optax 896: a class that is masked by -inf, and no smoothing."""
    layer = shipped("label_cross_entropy", backend)
    with np.errstate(invalid="ignore"):  # of what the select leaves
        y, saved = layer.forward(LOGITS, LABELS)
        (dx,) = layer.backward(saved, np.ones(2))
        tangent = layer.jvp(saved, along := np.arange(6.0).reshape(2, 3))
        smoothed, _ = layer.forward(LOGITS, LABELS, smoothing=0.1)
    np.testing.assert_allclose(y, [np.log1p(np.exp(-1)), np.log1p(np.exp(0.25))])
    assert np.isfinite(dx).all()
    np.testing.assert_allclose(tangent, (dx * along).sum(-1))
    assert np.isinf(smoothed).all()


@pytest.mark.parametrize("backend", ["numpy", pytest.param("cpu", marks=needs_gxx)])
def test_a_focal_loss_whose_exponent_is_zero_is_a_cross_entropy(backend):
    """optax 1267: 0 to the power of 0, and its derivative."""
    x, label = np.array([[100.0, -100, -100], [1, 2, 3]]), np.array([0, 1])
    with np.errstate(divide="ignore", invalid="ignore"):  # of what the select leaves
        y, saved = shipped("focal_loss", backend).forward(x, label, gamma=0)
        (dx,) = shipped("focal_loss", backend).backward(saved, np.ones(2))
    other = shipped("label_cross_entropy", backend)
    expected, kept = other.forward(x, label)
    np.testing.assert_allclose(y, expected, atol=1e-15)
    np.testing.assert_allclose(dx, other.backward(kept, np.ones(2)).dx, atol=1e-15)


@pytest.mark.parametrize("backend", ["numpy", pytest.param("cpu", marks=needs_gxx)])
def test_large_constant_rows_have_a_norm_while_their_sum_is_a_number(backend):
    """mlx 2238: beyond, the sum of a row overflows before the mean is taken."""
    y, _ = shipped("layer_norm", backend).forward(np.full((2, 8), np.finfo(np.float32).max / 8, np.float32))
    np.testing.assert_array_equal(y, 0)


@pytest.mark.parametrize("name", ["softmax", "logsumexp", "log_softmax"])
def test_an_exponential_that_is_too_small_is_no_error(name):
    """HIPS autograd 110: `np.errstate(all="raise")` and harmless underflow; at once and in blocks."""
    layer = shipped(name, "numpy")
    for rows in (2, 4096):
        x = np.broadcast_to(np.array([0.0, -1000, -744.5, 1] * 64), (rows, 256)).copy()
        with np.errstate(all="raise"):
            y, saved = layer.forward(x)
            layer.backward(saved, np.ones_like(y))


def test_an_array_of_objects_is_told_as_one():
    with pytest.raises(TypeError, match=r"x is of dtype object; pass an array of floats"):
        shipped("softmax", "numpy").forward(np.array([[1, None]], object))


@pytest.mark.parametrize("name", ["numpy", "torch", "jax", "random"])
def test_a_folder_that_would_hide_a_package_is_refused(name, tmp_path):
    with pytest.raises(LngenError, match=f"would hide the package {name}"):
        require_package(tmp_path / name)


def test_a_user_without_a_home_has_a_cache_that_is_not_kept(monkeypatch):
    """pytorch 140765: a uid without an entry in the list of users."""

    def no_home():
        raise RuntimeError("Could not determine home directory.")

    for variable in ("LNGEN_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    assert cache.root() == Path(os.sep, ".cache", "lngen")


def test_a_compiler_whose_name_is_no_text_has_a_digest():
    assert len(cache.digest([os.fsdecode(b"g\xff++")])) == 64


def test_a_package_inside_of_a_zip_file_computes_by_numpy_and_says_why(tmp_path, monkeypatch):
    """Compilers read files, and Python reads from an archive too."""
    for name in ("_runtime", "softmax"):
        shutil.copytree(ROOT / "generated" / name, tmp_path / "zipped" / name, ignore=shutil.ignore_patterns("*.pyc"))
    monkeypatch.syspath_prepend(shutil.make_archive(str(tmp_path / "made"), "zip", tmp_path, "zipped"))
    x, softmax = np.array([[0, np.log(3)]]), importlib.import_module("zipped.softmax")
    np.testing.assert_allclose(softmax.Softmax()(x), [[0.25, 0.75]])
    with pytest.raises(RuntimeError, match="is inside of another file; unpack that; numpy_backend works without"):
        importlib.import_module("zipped.softmax.cpu_backend").forward(x)


FORK = """
import os, sys, threading, time
from pathlib import Path
from lngen.runtime import cache

path, held = Path(sys.argv[1]), threading.Event()

def hold():
    with cache.alone(path):
        held.set()
        time.sleep(0.5)

thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
if not child:
    if sys.argv[2] == "wait":
        with cache.alone(path):
            os._exit(0)
    time.sleep(60)
    os._exit(0)
print(child, flush=True)
if sys.argv[2] == "die":
    os._exit(0)
thread.join()
if sys.argv[2] == "wait":
    os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this processor has no fork")
@pytest.mark.parametrize("what", ["wait", "stay", "die"])
def test_a_lock_ends_with_its_owner_though_a_process_was_forked(what, tmp_path):
    """moonrepo 2524, bugs of locks and forks: the child waits for it, lives on without, or outlives the owner."""
    (tmp_path / "kept").mkdir(mode=0o700)
    lock = tmp_path / "kept" / ".lock"
    begun = time.monotonic()
    owner = subprocess.Popen([sys.executable, "-c", FORK, lock, what], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    child = int(owner.stdout.readline())
    try:
        assert owner.wait(timeout=30) == 0
        with cache.alone(lock):
            pass
        assert time.monotonic() - begun < 30
    finally:
        owner.stdout.close()
        if what != "wait":
            os.kill(child, signal.SIGKILL)
