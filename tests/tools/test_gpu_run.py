"""`make gpu` from end to end, on the emulator with toy shapes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import grid, layers
from benchmarks.results import Results
from lngen.extensions.simt import driver
from tests.requirements import needs_gxx, needs_pycuda
from tests.shipped import ROOT

LAYERS = {job.layer for job in grid.toy_jobs(layers.names())}


@pytest.mark.skipif(driver.has_device_files(), reason="a GPU's driver is there, and cannot be replaced")
@needs_gxx
@needs_pycuda
@pytest.mark.ci
def test_every_stage_runs_and_is_recorded(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "tools.gpu",
        "--emulator",
        "--quick",
        "--seconds",
        "1800",
        "--results",
        str(tmp_path),
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    record = Results.read(tmp_path / "emulator.json").record
    assert (record["complete"], record["place"]) == (True, "emulator")
    stages = record["stages"]
    assert list(stages) == ["device", "smoke", "tests", "compile", "benchmark", "matrix", "sanitizer"]
    assert stages["tests"]["passed"] > 0
    assert stages["compile"]["compiled"] == stages["compile"]["layers_and_shapes"] > 0
    benchmark = stages["benchmark"]
    assert benchmark["faults"] == []
    assert {case["layer"] for case in benchmark["cases"]} == LAYERS
    assert all(low <= middle <= high for case in benchmark["cases"] for section in case["sections"].values()
               for low, middle, high in [section["microseconds"]])  # fmt: skip
    text = (tmp_path / "emulator.md").read_text(encoding="utf-8")
    assert "no times of a GPU" in text
    assert all(f"### {name}" in text for name in LAYERS)
    assert str(ROOT) not in text + (tmp_path / "emulator.json").read_text(encoding="utf-8")
    assert text in done.stdout
