"""Layers in 2 and 4 processes: rows sharded, DDP, FSDP; `ranks.py` is what each process runs."""

import os
import subprocess
import sys

import pytest

from tests.requirements import needs_release, needs_torch
from tests.shipped import ROOT

CASES = ["sharded_rows", "random_rows", "data_parallel", "fully_sharded", "replaced", "a_collective_left_out", "bits"]


# Before, a DTensor has no running sum, and takes no sum with what processes have a mean of.
@needs_release("torch", "2.10", "shards less on processors")
@needs_torch
@pytest.mark.ci
@pytest.mark.parametrize("count", [2, 4])
def test_processes_together_compute_what_one_does(count, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-m", "tests.runtime.torch.ranks"]
    started = [
        subprocess.Popen(
            [*command, str(rank), str(count), str(tmp_path / "meet")],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(count)
    ]
    try:
        done = [each.communicate(timeout=240) for each in started]
    finally:
        for each in started:
            each.kill()
    assert [each.returncode for each in started] == [0] * count, "\n".join(error[-2000:] for _, error in done)
    assert done[0][0].split() == CASES
