"""`benchmarks.torch_call`: its tables."""

import subprocess
import sys

import pytest

from tests.requirements import NO_TORCH, needs_gxx
from tests.shipped import ROOT

pytest.importorskip("torch", reason=NO_TORCH)
pytestmark = needs_gxx


@pytest.mark.exhaustive
def test_each_case_has_a_line():
    command = [sys.executable, "-m", "benchmarks.torch_call", "--rounds", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=300)
    lines = done.stdout.splitlines()
    assert sum(line.startswith("2 x 16 x 64 ") for line in lines) == 2
    assert sum(line.startswith("group_norm ") for line in lines) == 1
