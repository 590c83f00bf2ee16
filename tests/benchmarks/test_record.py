"""The grid, and the record of a run: what is in it, that it is whole, and how it reads as tables."""

import json
from pathlib import Path

import pytest

from benchmarks import grid, machine, results
from benchmarks.layers import names
from benchmarks.results import Results


def test_no_tensor_of_the_grid_fits_into_a_cache_and_none_is_larger_than_allowed() -> None:
    jobs = [job for job in grid.jobs(names()) if job.case.rows not in grid.FEW_ROWS]
    sizes = [job.case.tensor_bytes / grid.MIB for job in jobs]
    assert min(sizes) > 63
    assert max(sizes) == 512
    assert max(job.case.tensor_bytes for job in grid.jobs(names(), 10, 10)) <= 10 * grid.MIB


def test_the_grid_has_each_length_and_type_of_the_first_layers_every_layer_and_no_case_twice() -> None:
    jobs = grid.jobs(names())
    assert len({(job.layer, job.case) for job in jobs}) == len(jobs)
    assert {job.layer for job in jobs} == set(names())
    for dtype in (*grid.MAIN_DTYPES, grid.OTHER_DTYPE):
        for layer in grid.FULL:
            own = {job.case.features for job in jobs if (job.layer, job.case.dtype) == (layer, dtype)}
            assert own == set(grid.FEATURES)
            assert (min(own), max(own)) == (128, 262144)
    # The most telling first, with all peers.
    assert all(job.slow_peers and job.layer in grid.FULL for job in jobs[:8])


@pytest.fixture
def record(tmp_path: Path) -> Results:
    return Results.begin(tmp_path / "new", "NVIDIA H200", "gpu")


def test_a_record_is_on_disk_from_its_beginning_and_whole_after_every_change(record: Results) -> None:
    assert record.path.name == "nvidia-h200.json"
    record.put("tests", {"status": "passed", "summary": "12 passed"})
    record.put("tests", {"seconds": 3.0})
    read = Results.read(record.path)
    assert read.record["stages"]["tests"] == {"status": "passed", "summary": "12 passed", "seconds": 3.0}
    assert not read.record["complete"]
    assert "did not come to its end" in record.path.with_suffix(".md").read_text()
    read.finish()
    assert json.loads(record.path.read_text())["complete"]
    assert "did not come to its end" not in record.path.with_suffix(".md").read_text()
    assert sorted(path.name for path in record.path.parent.iterdir()) == ["nvidia-h200.json", "nvidia-h200.md"]


def test_a_record_of_another_schema_is_refused(record: Results) -> None:
    results.write(record.path, json.dumps({"schema": 99}))
    with pytest.raises(ValueError, match=f"schema 99; this reads {results.SCHEMA}"):
        Results.read(record.path)


def test_the_home_folder_is_not_told() -> None:
    assert machine.anonymous(f"in {Path.home()}/x") == "in ~/x"
