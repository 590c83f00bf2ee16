"""The grid, and the record of a run: what is in it, that it is whole, and how it reads as tables."""

import json
from pathlib import Path

import pytest

from benchmarks import machine, results
from benchmarks.results import Results


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
