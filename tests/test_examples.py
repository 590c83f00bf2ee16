import itertools
import os
import subprocess
import sys

import pytest

from tests.requirements import needs_torch
from tests.shipped import ROOT

pytestmark = pytest.mark.ci

MISSING = "PyTorch is not installed, so there is nothing to show: pip install torch\n"
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


def test_a_network_of_objects_learns_and_is_loaded_as_it_was_saved(tmp_path):
    *lines, loaded = run(ROOT / "examples" / "train_numpy.py", cwd=tmp_path).splitlines()
    losses = [float(line.split()[-1]) for line in lines]
    assert losses[0] > 0.5
    assert losses[-1] < 0.05
    assert losses == sorted(losses, reverse=True)
    assert loaded == "loaded, it is the same"


def test_ones_own_layer_passes_its_checks(tmp_path):
    printed = run(ROOT / "examples" / "own_layer.py", cwd=tmp_path)
    assert "gradients: dx (4, 8), dgamma (8,), dalpha ()" in printed
    ours, theirs = printed.split("dalpha: ")[1].split("\n")[0].split(", by difference ")
    assert float(ours) == pytest.approx(float(theirs), rel=1e-7)
    assert printed.endswith(" checks, 0 failed\n")
    assert list(tmp_path.iterdir()) == []


def test_without_torch_the_example_says_so(tmp_path):
    assert run("-c", WITHOUT_TORCH, ROOT / "examples" / "train_in_pytorch.py", cwd=tmp_path) == MISSING


@needs_torch
def test_models_train_with_emitted_norms_as_with_those_of_pytorch(tmp_path):
    program = ROOT / "examples" / "train_in_pytorch.py"
    lines = run(program, "--steps", 2, "--without-compile", cwd=tmp_path).splitlines()
    assert lines[0] == "GPT: 9 norms, such as blocks.0.before: RMSNorm is computed by rms_norm"
    assert lines[2] in (ROOT / "docs" / "how_to" / "pytorch.md").read_text()
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[4:]]
    assert [cells[:2] for cells in table] == list(
        map(list, itertools.product(["GPT", "ViT"], ["PyTorch's", "emitted"]))
    )
    assert all(float(cells[4]) < 1e-4 for cells in table[1::2])
