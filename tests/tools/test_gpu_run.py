"""`make gpu` from end to end, on the emulator with toy shapes; its list of jobs, each with its sizes cut."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import compile as compile_ahead
from benchmarks import grid, layers, measure
from benchmarks.device import opened
from benchmarks.results import Results
from benchmarks.sections import ROOFS
from lngen.extensions.simt import driver
from tests.requirements import needs_gxx, needs_pycuda
from tests.shipped import LAYERS as SHIPPED
from tests.shipped import ROOT

LAYERS = {job.layer for job in grid.toy_jobs(layers.names())}


pytestmark = [
    pytest.mark.skipif(driver.has_device_files(), reason="a GPU's driver is there, and cannot be replaced"),
    needs_gxx,
    needs_pycuda,
]


def cut(job: grid.Job) -> grid.Case:
    return grid.Case(job.case.dtype, 64, 16)


JOBS = {job.layer: job for job in grid.jobs(layers.names())}
# A sum of rows alone, labels, runs and a cast: what the triad is given, and each way that arrays lie.
SOME = ("cross_entropy", "label_cross_entropy", "group_norm", "add_rms_norm_fp8")


def test_every_shipped_layer_is_timed_and_watched() -> None:
    assert set(JOBS) == {job.layer for job in grid.watched(layers.names())} == set(SHIPPED)


@pytest.mark.parametrize(
    "layer", [pytest.param(name, marks=pytest.mark.ci if name in SOME else pytest.mark.exhaustive) for name in JOBS]
)
def test_a_job_reads_and_writes_its_arrays_and_no_more(layer: str) -> None:
    """Check and time a layer beside the roofs, under the emulator's checker."""
    with opened(emulated=True) as device, driver.using(check=True):
        found = measure.layer(layer, cut(JOBS[layer]), device, rounds=1)
    assert {*ROOFS, "forward", "backward"} <= {*found["sections"]}


@pytest.mark.exhaustive
def test_a_roof_that_reads_past_an_array_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def with_one_number_a_row(self: layers.Calls, chosen: int) -> tuple[int, int, int]:
        buffers = self.sets[chosen]
        return buffers.inputs["x"].ptr, buffers.cotangents["dy"].ptr, buffers.gradients["dx"].ptr

    monkeypatch.setattr(layers.Calls, "rows", with_one_number_a_row)
    with opened(emulated=True) as device, driver.using(check=True), pytest.raises(Exception, match="out of bounds"):
        measure.layer("cross_entropy", cut(JOBS["cross_entropy"]), device, rounds=1)


@pytest.mark.ci
def test_what_is_compiled_ahead_is_what_is_timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path))
    (job,) = (job for job in grid.toy_jobs(layers.names()) if job.layer == "layer_norm")
    wanted = [(job.layer, job.case.dtype, job.case.features)]
    assert compile_ahead.compile_all(wanted, emulated=True, seconds=600) == ([], 1)
    kept = {*(tmp_path / "cuda").glob("*.cubin")}
    assert len(kept) == len(layers.DIRECTIONS)
    with opened(emulated=True) as device:
        measure.layer(job.layer, job.case, device, rounds=1)
    assert {*(tmp_path / "cuda").glob("*.cubin")} == kept


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
    assert list(stages) == ["device", "smoke", "compile", "benchmark", "sanitizer", "tests", "matrix"]
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
