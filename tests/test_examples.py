import os
import subprocess
import sys

import pytest

from tests.shipped import ROOT

pytestmark = pytest.mark.ci

MISSING = "torch is not installed, so there is nothing to show: pip install torch\n"
WITHOUT_TORCH = "import runpy, sys; sys.modules['torch'] = None; runpy.run_path(sys.argv[1], run_name='__main__')"


def run(*arguments: object, cwd) -> str:
    """Run Python from another folder, as a reader does; what it printed."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, *map(str, arguments)]
    result = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def test_the_tiny_model_learns(tmp_path):
    lines = run(ROOT / "examples" / "train_tiny_model.py", cwd=tmp_path).splitlines()
    losses = [float(line.split()[-1]) for line in lines]
    assert losses[0] > 0.5
    assert losses[-1] < 0.01
    assert losses == sorted(losses, reverse=True)


def test_ones_own_layer_passes_its_checks(tmp_path):
    printed = run(ROOT / "examples" / "own_layer.py", cwd=tmp_path)
    assert "gradients: dx (4, 8), dgamma (8,), dalpha ()" in printed
    ours, theirs = printed.split("dalpha: ")[1].split("\n")[0].split(", by difference ")
    assert float(ours) == pytest.approx(float(theirs), rel=1e-7)
    assert printed.endswith(" checks, 0 failed\n")
    assert list(tmp_path.iterdir()) == []


def test_without_torch_the_example_says_so(tmp_path):
    assert run("-c", WITHOUT_TORCH, ROOT / "examples" / "torch_function.py", cwd=tmp_path) == MISSING


def test_the_torch_example_agrees_with_torch_or_says_that_there_is_none(tmp_path):
    printed = run(ROOT / "examples" / "torch_function.py", cwd=tmp_path)
    if printed != MISSING:
        assert [line.split()[0] for line in printed.splitlines()] == ["y", "dx", "dgamma", "dbeta"]
