"""The grid, and the record of a run: what is in it, that it is whole, and how it reads as tables."""

import doctest
import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import grid, machine, plot, results, sections, tables
from benchmarks.layers import names
from benchmarks.results import Results
from tests.requirements import needs_matplotlib


@pytest.mark.parametrize("module", [grid, machine, results, sections])
def test_examples(module: Any) -> None:
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


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


def test_the_layers_that_are_asked_for_are_measured_alone() -> None:
    assert {job.layer for job in grid.jobs(["softmax"])} == {"softmax"}
    assert {job.layer for job in grid.watched(["softmax"])} == {"softmax"}


def test_a_row_longer_than_the_largest_tensor_is_one_row() -> None:
    assert grid.sized("f64", 65536, 0).rows == 1


def section(rate: float, share: float) -> dict[str, Any]:
    return {
        "bytes": 1,
        "microseconds": [1, 2, 3],
        "gigabytes_per_second": [rate - 1, rate, rate + 1],
        "roof": "copy",
        "of_roof": [share] * 3,
    }


ROOFS = {name: section(4000, 1) for name in sections.ROOFS}


def case(dtype: str = "bf16", features: int = 4096, **found: Any) -> dict[str, Any]:
    """The record of a shape; `best` and `left_out` are said, the rest are sections."""
    shape = {"layer": "a_layer", "dtype": dtype, "features": features, "rows": 32768, "tensor_bytes": 256 * grid.MIB}
    said = {"best_peer": found.pop("best", {}), "left_out": found.pop("left_out", {})}
    return {**shape, **said, "sections": ROOFS | {name.replace("__", " "): value for name, value in found.items()}}


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
    with pytest.raises(ValueError, match=f"schema 99; this reads {results.SCHEMA}"):
        Results.read(record.path)


@pytest.mark.parametrize("text", ["", "[1]", "no json"])
def test_what_is_no_record_is_refused(text: str, record: Results) -> None:
    results.write(record.path, text)
    with pytest.raises(ValueError, match="name another file"):
        Results.read(record.path)


def test_quartiles_of_one_value() -> None:
    assert results.quartiles([2.5]) == [2.5, 2.5, 2.5]


def test_the_tables_have_a_column_for_what_was_measured_and_none_for_what_was_not(record: Results) -> None:
    cases = [
        case(forward=section(3900, 0.975), backward=section(3600, 0.9), jvp=section(3500, 0.875)),
        case(
            "f32",
            forward=section(3800, 0.95),
            liger__forward=section(3000, 0.75),
            best={"forward": {"name": "liger", "ratio": [1.2, 1.27, 1.3]}},
            left_out={"apex": "apex, forward: y is wrong | far off"},
        ),
    ]
    record.put("benchmark", {"cases": cases, "overheads": [], "faults": ["a | b"], "peers": {"liger": "0.8.5"}})
    text = tables.document(record.record)
    assert "| type | D | rows | lngen | liger | best peer | ratio |" in text
    assert "| bf16 | 4096 | 32768 | 3900 (98 %) |  |  |  |" in text
    assert "| f32 | 4096 | 32768 | 3800 (95 %) | 3000 (75 %) | liger | 1.27 |" in text
    assert "| bf16 | 4096 | 32768 | 3600 (90 %) |" in text
    assert "| type | D | rows | jvp |\n| --- | --- | --- | --- |\n| bf16 | 4096 | 32768 | 3500 (88 %) |" in text
    assert "| a_layer | forward | 1 | 1.27 | 1.27 (liger, f32 32768 x 4096) |" in text
    assert "* apex is not compared at f32 32768 x 4096: apex, forward: y is wrong \\| far off" in text
    assert "| peers | liger: 0.8.5 |" in text
    assert "| 256 | 2 | 4000 | 4000 | 4000 |" in text
    assert "* a \\| b" in text


def test_what_is_plotted_is_the_share_of_the_roof_over_the_length(record: Results) -> None:
    lengths = (512, 1024, 4096)
    cases = [case(features=d, forward=section(1, 0.5 + d / 8192), torch__forward=section(1, 0.25)) for d in lengths]
    cases.append(case(features=4096, forward=section(1, 0.1)))  # another size, measured later
    assert plot.shares(cases) == {
        ("a_layer", "bf16", "forward"): {
            "lngen": {512: 56.25, 1024: 62.5, 4096: 100.0},
            "torch": dict.fromkeys(lengths, 25.0),
        }
    }
    assert plot.shares(cases[:2]) == {}
    record.put("benchmark", {"cases": cases[:2]})
    assert "three row lengths" in str(plot.draw(record))


@needs_matplotlib
@pytest.mark.ci
def test_the_plot_stands_beside_the_record(record: Results, capsys: pytest.CaptureFixture[str]) -> None:
    record.put("benchmark", {"cases": [case(features=d, forward=section(1, 0.9)) for d in (512, 1024, 4096)]})
    assert plot.main([str(record.path)]) == 0
    assert str(record.path.with_suffix(".png")) in capsys.readouterr().out
    assert record.path.with_suffix(".png").read_bytes().startswith(b"\x89PNG")
    assert len(list(record.path.parent.iterdir())) == 3
    assert plot.main([str(record.path.with_name("none.json"))]) == 1


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
