"""The grid, and the record of a run: what is in it, that it is whole, and how it reads as tables."""

import doctest
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import grid, machine, results, tables
from benchmarks.results import Results


@pytest.mark.parametrize("module", [grid, machine, results])
def test_examples(module: Any) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


def test_no_tensor_of_the_grid_fits_into_a_cache_and_none_is_larger_than_allowed() -> None:
    sizes = [case.tensor_bytes / grid.MIB for case in grid.cases()]
    assert min(sizes) > 63
    assert max(sizes) == 512
    assert max(case.tensor_bytes for case in grid.cases(10)) <= 10 * grid.MIB


def test_the_grid_has_each_length_in_both_main_types_and_no_case_twice() -> None:
    cases = grid.cases()
    assert len(set(cases)) == len(cases)
    for dtype in grid.MAIN_DTYPES:
        assert {case.features for case in cases if case.dtype == dtype} == set(grid.FEATURES)
    assert {case.dtype for case in cases} == set(grid.ITEMSIZE)
    assert set(grid.compiled_cases()) <= set(cases)


def test_a_row_longer_than_the_largest_tensor_is_one_row() -> None:
    assert grid.sized("f64", 65536, 0).rows == 1


def section(rate: float, share: float) -> dict[str, Any]:
    return {
        "bytes": 1,
        "microseconds": [1, 2, 3],
        "gigabytes_per_second": [rate - 1, rate, rate + 1],
        "of_copy": [share] * 3,
    }


COPIES = {name: section(4000, 1) for name in ("copy by the driver", "copy by a kernel", "two reads, one write")}


def case(dtype: str = "bf16", **sections: dict[str, Any]) -> dict[str, Any]:
    shape = {"layer": "a_layer", "dtype": dtype, "features": 4096, "rows": 32768, "tensor_bytes": 256 * grid.MIB}
    return {**shape, "sections": COPIES | {name.replace("_", " "): value for name, value in sections.items()}}


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


def test_a_file_that_cannot_be_written_leaves_the_old_one_and_nothing_else(record: Results) -> None:
    before = record.path.read_text()
    with pytest.raises(UnicodeEncodeError):
        results.write(record.path, "\ud800")
    assert record.path.read_text() == before
    assert len(list(record.path.parent.iterdir())) == 2


def test_a_record_of_another_schema_is_refused(record: Results) -> None:
    results.write(record.path, json.dumps({"schema": 99}))
    with pytest.raises(ValueError, match="schema 99; this reads 1"):
        Results.read(record.path)


def test_quartiles_of_one_value() -> None:
    assert results.quartiles([2.5]) == [2.5, 2.5, 2.5]


def test_the_table_has_a_column_for_what_was_measured_and_none_for_what_was_not(record: Results) -> None:
    cases = [
        case(forward=section(3900, 0.975), backward=section(3600, 0.9)),
        case("f32", torch_forward=section(3000, 0.75)),
    ]
    record.put("benchmark", {"cases": cases, "overheads": [], "faults": ["a | b"]})
    text = tables.document(record.record)
    assert "| type | D | rows | forward | torch forward | backward |" in text
    assert "| bf16 | 4096 | 32768 | 3900 (98 %) |  | 3600 (90 %) |" in text
    assert "| f32 | 4096 | 32768 |  | 3000 (75 %) |  |" in text
    assert "| 256 | 2 | 4000 | 4000 | 4000 |" in text
    assert "* a \\| b" in text


def test_what_was_compiled_stands_beside_the_same_shape(record: Results) -> None:
    cases = [case(forward=section(3900, 1)), case(forward=section(1, 0.1), torch_compiled_forward=section(3800, 1))]
    record.put("benchmark", {"cases": cases})
    assert "| bf16 | 4096 | 32768 | 3900 (100 %) | 3800 (100 %) |" in tables.document(record.record)


def test_the_emulators_times_are_said_to_be_none_of_a_gpu(tmp_path: Path) -> None:
    emulated = Results.begin(tmp_path, "emulator", "emulator")
    assert "no times of a GPU" in tables.document(emulated.record)


def test_clocks_are_read_where_there_is_nvidia_smi_and_never_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert machine.clocks() == {}
    program = tmp_path / "nvidia-smi"
    program.write_text(
        f'#!/bin/sh\necho "$@" > {tmp_path}/asked\necho "A GPU, 580.1, 345, 3201, 1980, 3201, 700.00, 30, Enabled"\n'
    )
    program.chmod(0o755)
    assert machine.clocks()["clocks.mem"] == "3201"
    assert (tmp_path / "asked").read_text().startswith("--query-gpu=name,")
    program.write_text("#!/bin/sh\nexit 9\n")
    assert machine.clocks() == {}


def test_the_home_folder_is_not_told() -> None:
    assert machine.anonymous(f"in {Path.home()}/x") == "in ~/x"
