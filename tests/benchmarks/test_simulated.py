"""The benchmark on a simulated GPU: its cases, what it makes of the simulator's answers, its record."""

import json
import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import simulated
from benchmarks.shipped import of_rows
from benchmarks.simulated_cases import (
    DIRECTIONS,
    Case,
    as_launched,
    cases,
    columns_grid,
    grid,
    table_of,
    usual_rows,
    written,
)
from benchmarks.simulated_tables import limit, line, summary
from lngen.errors import LngenError
from lngen.extensions.simt.driver import script
from lngen.runtime.cuda import grids
from tests.requirements import needs_nvrtc, needs_simulator, simulator
from tests.tiers import sample

TYPES = {"Row": "f16", "Parameter": "f16", "Computed": "f32"}
KINDS = {"i64": "long long", "i32": "int", "f32": "Computed"}
COUNTED = {"rows": "rows", "D": "D", "grid0": "blocks"}


def made(folder: Path, *given: Any, **more: Any) -> dict[str, Any]:
    return written(Case(*given, **{"rows": 3, **more}), folder)


def read(case: dict[str, Any], name: str) -> Any:
    """The numbers that an array is filled with, by its expression."""
    return eval(case["arrays"][name]["fill"], {"np": np})


def declared(source: Path, kernel: str) -> list[tuple[str, str]]:
    """The types and names of a kernel's parameters, from the head of the emitted file; `Z_` spells Z in C++."""
    head = re.sub(r"\n//\s+", " ", source.read_text())
    found = re.search(rf" {kernel}_<type>\(([^)]*)\)", head)
    assert found is not None
    pairs = (item.removeprefix("const ").rsplit(" ", 1) for item in re.split(r",\s+", found[1]))
    return [(kind, name.removeprefix("save_").removesuffix("_")) for kind, name in pairs]


def passed(case: dict[str, Any], argument: Any) -> tuple[str, str]:
    """The same of what a case passes, an array's type as the simulator's."""
    if isinstance(argument, str):
        return case["arrays"][argument]["dtype"], argument.replace("out ", "out_").split()[-1]
    ((kind, value),) = argument.items()
    return KINDS[kind], COUNTED.get(value, "")


@pytest.mark.parametrize("layer", sample(of_rows(), ["modulated_layer_norm", "scaled_softmax", "add_rms_norm"]))
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_what_is_passed_is_what_the_emitted_kernels_declare(layer: str, direction: str, tmp_path: Path) -> None:
    case = made(tmp_path, layer, direction, 16, "f16")
    constants = {each.symbol for each in table_of(layer).takes["forward"].constants}
    assert case["launches"]
    for launch in case["launches"]:
        kernel = launch["entry"].removesuffix("_f16")
        for (kind, name), argument in zip(declared(Path(case["source"]), kernel), launch["arguments"], strict=True):
            own_kind, own_name = passed(case, argument)
            assert own_kind == (TYPES[kind[:-1]] if kind.endswith("*") else kind)
            assert name in constants if own_name == "" else own_name == name
    assert {name for name in case["arrays"] if name.startswith("out ")} == set(case["check"])
    numbers = [np.load(path) for path in tmp_path.glob("*.npy")]
    assert numbers
    assert all(np.isfinite(value).all() for value in numbers)


def test_arrays_lie_as_those_of_the_figures_that_they_are_held_to(tmp_path: Path) -> None:
    forward = made(tmp_path, "rms_norm", "forward", 16, "bf16")
    assert list(forward["arrays"]) == ["in x", "in gamma", "room 0", "out y", "saved rstd"]
    backward = made(tmp_path, "layer_norm", "backward", 16, "bf16")
    assert list(backward["arrays"]) == [
        *("in x", "in dy", "in gamma", "room 0"),
        *("out dx", "the workspace", "out dgamma", "out dbeta"),
        *("saved mu", "saved mu_residual", "saved rstd"),
    ]


def test_what_is_right_is_computed_from_what_the_kernel_reads(tmp_path: Path) -> None:
    case = made(tmp_path, "softmax", "backward", 64, "bf16")
    y, dy = read(case, "in y"), read(case, "in dy")
    right = eval(case["check"]["out dx"], {"np": np})
    assert np.abs(y.sum(-1) - 1).max() > 1e-6  # rounded to bf16
    np.testing.assert_allclose(right, y * (dy - (y * dy).sum(-1, keepdims=True)), rtol=1e-12, atol=1e-15)


def test_bytes_and_roofs_are_those_of_tensors_of_rows(tmp_path: Path) -> None:
    found = [made(tmp_path, *which, 16, "f32") for which in (("add_rms_norm", "forward"), ("layer_norm", "backward"))]
    assert [(case["bytes"], case["roof"]) for case in found] == [(4 * 3 * 16 * 4, "copy"), (3 * 3 * 16 * 4, "triad")]


def test_arrays_that_lack_axes_are_passed_as_rows_and_not_counted(tmp_path: Path) -> None:
    """A group's channels move once, and the kernel's arguments would count them once for each sample."""
    case = made(tmp_path, "group_norm", "backward", 16, "bf16")
    tensors = [name for name, entry in case["arrays"].items() if entry["shape"] == ["rows", "D"]]
    assert tensors == ["in x", "in gamma", "in dy", "out dx", "out dgamma", "out dbeta"]
    assert (case["bytes"], case["roof"]) == (3 * 3 * 16 * 2, "triad")


def test_integers_are_places_in_a_row_and_casts_are_codes(tmp_path: Path) -> None:
    loss = made(tmp_path, "label_cross_entropy", "forward", 16, "bf16")
    assert loss["arrays"]["in label"]["dtype"] == loss["arrays"]["in ignore"]["dtype"] == "i32"
    assert set(read(loss, "in label")) <= {*range(16)}
    cast = made(tmp_path, "add_rms_norm_fp8", "forward", 16, "bf16")
    assert cast["arrays"]["out y"]["dtype"] == "u8"
    assert cast["bytes"] == 3 * 16 * (3 * 2 + 1)
    assert eval(cast["check"]["out y"], {"np": np}).dtype == np.uint8
    # A code that is next to the right one is within the tolerance, and the second next is not.
    assert 1 / 255 < cast["tolerance"] < 2 / 255


def test_what_is_left_out_is_passed_as_null(tmp_path: Path) -> None:
    case = made(tmp_path, "layer_norm", "backward", 16, "f32", without=("gamma", "beta"))
    assert {"-DLNGEN_WITHOUT_gamma", "-DLNGEN_WITHOUT_beta"} < set(case["defines"])
    (launch,) = case["launches"]
    assert launch["arguments"].count("null") == 2  # gamma and the workspace
    tangents = made(tmp_path, "layer_norm", "jvp", 16, "f32", without=("gamma",))
    assert "-DLNGEN_WITHOUT_gamma_dot" in tangents["defines"]
    assert tangents["launches"][0]["arguments"].count("null") == 2


@needs_nvrtc
@pytest.mark.parametrize(
    ("layer", "features", "added"),
    [("layer_norm", 1024, set()), ("group_norm", 8192, {"-DLNGEN_RESIDENT=512", "-DLNGEN_ROOM=100"})],
)
def test_a_kernel_that_would_spill_is_that_of_the_launcher(
    layer: str, features: int, added: set[str], tmp_path: Path
) -> None:
    case = made(tmp_path, layer, "backward", features, "bf16")
    assert {*as_launched(case)["defines"]} == {*case["defines"]} | added


def test_what_is_not_saved_is_passed_as_null(tmp_path: Path) -> None:
    case = made(tmp_path, "layer_norm", "forward", 16, "f32", saves=False)
    assert case["name"].endswith("f32 3 rows saving nothing")
    assert "-DLNGEN_SAVE_NOTHING" in case["defines"]
    assert case["launches"][0]["arguments"].count("null") == 3
    assert list(case["check"]) == ["out y"]


@pytest.mark.parametrize("rows", [1, 7, 24, 25, 100, 1024, 1025, 4096])
@pytest.mark.parametrize(("rows_per_block", "resident"), [(1, 4), (4, 1), (32, 16)])
def test_grids_are_those_of_the_launcher(rows: int, rows_per_block: int, resident: int) -> None:
    known = {"rows": rows, "rows_per_block": rows_per_block, "sms": 6, "ceil": math.ceil, "D": rows}
    for leaves_sums, launched in ((True, grids.grid), (False, grids.fullest_grid)):
        own = eval(grid(leaves_sums), {**known, "min": min, "resident": lambda: resident})
        assert own == launched(rows, rows_per_block, 6, resident)
    for width in (0, rows_per_block):
        own = eval(columns_grid(), {**known, "rows_per_block": width})
        assert own == grids.columns_grid(rows, width)


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (Case("layer_norm", "sideways", 16, "f32", 3), "has no sideways; it has forward, backward"),
        (Case("layer_norm", "forward", 16, "f32", 3, ("delta",)), "cannot do without delta; gamma, beta can be"),
        (Case("layer_norm", "jvp", 16, "f32", 3, saves=False), "jvp saves nothing anyway"),
    ],
)
def test_a_case_that_a_layer_does_not_have_is_refused(case: Case, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        case.check()


def test_the_record_has_two_norms_at_six_lengths_three_layers_at_two_and_others_at_one() -> None:
    found = cases()
    assert len(found) == len(set(found)) == 92
    assert all(case.rows == usual_rows(case.features, case.dtype) for case in found)
    assert [str(case) for case in cases(["l2_norm"], ["jvp"], rows=4)] == [
        "l2_norm jvp 1024 bf16 4 rows",
        "l2_norm jvp 4096 bf16 4 rows",
    ]


# ---- the answers of a simulator


ANSWER = {
    "reference": "layer_norm forward 1024 bf16", "roof": "copy", "cycles": [2000, 300], "bytes": 4000, "elements": 1000,
    "issue": 0.4, "scoreboard": 0.3, "pipe": 0.1, "idle": 0.2, "instructions": 10.123456, "registers": 32, "spilled": 0,
    "threads": 1024, "grid": 6, "block": 128, "warnings": [], "errors": {"out y": [1e-3, True]},
}  # fmt: skip
KNOWN = {
    "copy": {"cycles": [1000], "bytes": 4000},
    "apex layer_norm forward 1024 bf16": {"cycles": [2500], "bytes": 4000},
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the folder of a simulator with one answer, and with a failure for cases of f16.

    The record is in the folder too.
    """
    monkeypatch.setattr(simulated, "RECORD", tmp_path / "record.json")
    monkeypatch.setattr(simulated, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(simulated, "as_launched", lambda case: case)
    (tmp_path / "page.md").write_text(f"Above.\n\n{simulated._MADE}of before")
    (tmp_path / "reference.json").write_text(json.dumps({"h200x6o": KNOWN}))
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "h200x6o.config").touch()
    answers(tmp_path, ANSWER)
    return tmp_path


def answers(folder: Path, answer: dict[str, Any]) -> None:
    (folder / "measure.py").write_text(f"""
import json
case = json.load(open("case.json"))
if "f16" in case["launches"][0]["entry"].split("_"):
    raise SystemExit("no such\\nopcode")
json.dump([{{**{answer!r}, "reference": case["reference"]}}], open("found.json", "w"))
""")


def run(folder: Path, *more: str) -> int:
    few = ["--layer", "layer_norm", "--direction", "forward", "--D", "1024"]
    return simulated.main(["--gpusim", str(folder), *few, *more])


def test_a_kernel_that_cannot_be_compiled_is_a_case_that_failed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(case: dict[str, Any]) -> dict[str, Any]:
        raise LngenError("no NVRTC here.")

    monkeypatch.setattr(simulated, "as_launched", refused)
    assert run(folder, "--dtype", "bf16") == 1
    assert "cannot be simulated: no NVRTC here." in capsys.readouterr().out


def test_an_answer_is_set_beside_the_roof_apex_and_the_record(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "--dtype", "bf16", "--write") == 0
    first = capsys.readouterr().out
    assert "1024 bf16      2000+300  50 %   0.80      -   40 %" in first
    assert "time over Apex's, forward: 0.80 in the geometric mean of 1, 0.80 at most (layer_norm forward 1024" in first
    assert "| layer_norm | forward | 1024 | bf16 | 2000+300 | 50 % | 0.80 | 40 %" in (folder / "page.md").read_text()
    answers(folder, {**ANSWER, "cycles": [1000]})
    assert run(folder, "--dtype", "bf16") == 0
    assert "  0.40   0.50 " in capsys.readouterr().out


def test_a_case_that_fails_is_a_line_and_the_others_go_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "--dtype", "f16", "--dtype", "bf16", "--write") == 1
    out = capsys.readouterr().out
    assert "1024 f16  cannot be simulated: opcode\n" in out
    assert "2000+300" in out
    assert list(simulated.read(folder / "record.json")["h200x6o"]) == ["layer_norm forward 1024 bf16"]


def test_wrong_results_fail_and_are_not_recorded(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers(folder, {**ANSWER, "errors": {"out y": [0.5, False]}})
    assert run(folder, "--dtype", "bf16", "--write") == 1
    assert "WRONG: out y by 5.0e-01" in capsys.readouterr().out
    assert not (folder / "record.json").exists()


def test_other_sizes_are_beside_no_roof(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, "--dtype", "bf16", "--rows", "8") == 0
    assert "2000+300     -      -      - " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "--gpusim is missing"),
        (["--gpusim", "nowhere"], "nowhere has no measure.py"),
        (["--gpusim", "{folder}", "--without", "delta"], "cannot do without delta"),
        (["--gpusim", "{folder}", "--config", "h300"], "has no configuration h300; it has h200x6o"),
        (["--gpusim", "{folder}", "--D", "0"], "'0' is no whole number from 1 on"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_in_one_line(
    given: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        simulated.main([word.format(folder=folder) for word in given])
    assert message in capsys.readouterr().err.splitlines()[-1]


def test_a_record_is_read_as_it_was_written_and_one_of_another_schema_refused(tmp_path: Path) -> None:
    record: simulated.Record = {
        "h200L2": {"a forward 1 f32": {"cycles": [1, 2]}, "b": {"cycles": [3]}},
        "h200x6o": {"a": {"grid": 6}},
    }
    simulated.save(tmp_path / "record.json", record)
    assert simulated.read(tmp_path / "record.json") == record
    (tmp_path / "record.json").write_text("{")
    with pytest.raises(ValueError, match=r"record\.json is no JSON: .*; put back what was committed"):
        simulated.read(tmp_path / "record.json")
    (tmp_path / "record.json").write_text("{}")
    with pytest.raises(ValueError, match="schema None; this reads 1"):
        simulated.read(tmp_path / "record.json")


def test_the_page_has_the_tables_of_the_record() -> None:
    page = simulated.PAGE.read_text()
    assert simulated.with_tables(page, simulated.read(simulated.RECORD)) == page


def test_what_holds_a_kernel_is_read_off_its_stalls() -> None:
    found = {**ANSWER, "of_roof": 0.5}
    assert limit(found) == "loads"
    assert limit({**found, "idle": 0.35}) == "barriers"
    assert limit({**found, "issue": 0.65}) == "issue"
    assert limit({**found, "issue": 0.65, "of_roof": 0.95}) == "memory"


def test_means_are_of_what_can_be_compared() -> None:
    quick = {"cycles": [100], "bytes": 8, "of_roof": 0.9, "over_apex": 0.5}
    slow = {"cycles": [200], "bytes": 8, "of_roof": 0.8, "over_apex": 2.0}
    results: dict[str, simulated.Found] = {
        "a forward 1024 f32": quick,
        "a forward 2048 f32": slow,
        "a forward 64 f32": {"failed": "why"},
    }
    last = {"a forward 1024 f32": {"cycles": [50], "bytes": 8}, "a forward 2048 f32": {"cycles": [50], "bytes": 9}}
    assert summary(results, last) == [
        "time over Apex's, forward: 1.00 in the geometric mean of 2, 2.00 at most (a forward 2048 f32)",
        "time over the last record's, forward: 2.00 in the geometric mean of 1, 2.00 at most (a forward 1024 f32)",
        "share of the roof, forward, D >= 1024: 80 % at least (a forward 2048 f32)",
    ]
    assert line("a", {"failed": "why"}, None, 3) == "a   cannot be simulated: why"


@needs_simulator
@pytest.mark.ci
def test_a_small_case_on_the_simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = simulator()
    assert folder is not None
    # Another test may have put the emulator's nvcc before the real one.
    places = os.environ["PATH"].split(os.pathsep)
    monkeypatch.setenv("PATH", os.pathsep.join(place for place in places if Path(place) != script.write().parent))
    found = simulated.Simulator(folder, "h200x6o", 600).run(Case("layer_norm", "backward", 256, "bf16", 16))
    assert "failed" not in found, found
    assert found["wrong"] == ""
    assert len(found["cycles"]) == 2
