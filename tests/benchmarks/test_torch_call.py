"""`benchmarks.torch_call`: its tables, and the kernels that a call launches."""

import subprocess
import sys

import pytest

from tests.requirements import NO_TORCH, needs_gxx, needs_pycuda
from tests.shipped import ROOT

pytest.importorskip("torch", reason=NO_TORCH)
pytestmark = [needs_gxx, needs_pycuda]


@pytest.mark.exhaustive
def test_a_call_is_one_launch_forward_and_two_backward():
    command = [sys.executable, "-m", "benchmarks.torch_call", "--rounds", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=300)
    lines = done.stdout.splitlines()
    assert sum(line.startswith("2 x 16 x 64 ") for line in lines) == 3
    assert sum(line.startswith("group_norm ") for line in lines) == 1
    assert lines[-1] == "launches: 1 of forward, 3 of forward and backward"
