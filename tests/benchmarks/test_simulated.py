"""The benchmark on a simulated GPU: its cases, what it makes of the simulator's answers, its record."""

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
    table_of,
    written,
)
from lngen.extensions.simt.driver import script
from tests.requirements import needs_simulator, simulator

TYPES = {"T": "f16", "P": "f16", "A": "f32"}
KINDS = {"i64": "long long", "i32": "int", "f32": "A"}
COUNTED = {"rows": "rows", "D": "D", "grid0": "blocks"}


def made(folder: Path, *given: Any, **more: Any) -> dict[str, Any]:
    return written(Case(*given, **{"rows": 3, **more}), folder)


def declared(source: Path, kernel: str) -> list[tuple[str, str]]:
    """The types and names of a kernel's parameters, from the emitted file; `Z_` spells Z in C++."""
    text = re.sub(r"\\\n\s+|__restrict__ ", "", source.read_text())
    found = dict(re.findall(r"LNGEN_KERNEL\((\w+)_##TYPE, T, [\w:]+, \(([^)]*)\)", text))
    parameters = found[kernel.removeprefix(f"{source.parent.name}_")]
    pairs = (item.removeprefix("const ").rsplit(" ", 1) for item in parameters.split(", "))
    return [(kind, name.removeprefix("save_").removesuffix("_")) for kind, name in pairs]


def passed(case: dict[str, Any], argument: Any) -> tuple[str, str]:
    """The same of what a case passes, an array's type as the simulator's."""
    if isinstance(argument, str):
        return case["arrays"][argument]["dtype"], argument.replace("out ", "out_").split()[-1]
    ((kind, value),) = argument.items()
    return KINDS[kind], COUNTED.get(value, "")


@pytest.mark.parametrize(("layer", "direction"), [*zip(of_rows(), DIRECTIONS * len(of_rows()), strict=False)])
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


# ---- the answers of a simulator


def test_wrong_results_fail_and_are_not_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(simulated, "RECORD", tmp_path / "record.json")
    monkeypatch.setattr(simulated, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(simulated, "as_launched", lambda case: case)
    (tmp_path / "page.md").write_text(f"Above.\n\n{simulated._MADE}of before")
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "h200x6o.config").touch()
    answer = dict.fromkeys(simulated._KEPT, 1) | {"cycles": [2000, 300], "bytes": 4000, "roof": "copy"}
    answer |= {"reference": "none", "errors": {"out y": [0.5, False]}, "warnings": []}
    (tmp_path / "measure.py").write_text(f"import json; json.dump([{answer!r}], open('found.json', 'w'))")
    few = ["--layer", "layer_norm", "--direction", "forward", "--D", "1024", "--dtype", "bf16"]
    assert simulated.main(["--gpusim", str(tmp_path), *few, "--write"]) == 1
    assert "WRONG: out y by 5.0e-01" in capsys.readouterr().out
    assert not (tmp_path / "record.json").exists()


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
