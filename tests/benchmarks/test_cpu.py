"""The benchmark on the processor: that its peers compute one thing, and how a record reads."""

from typing import Any

import pytest

from benchmarks.cpu import __main__ as cpu
from benchmarks.cpu import measure, report
from benchmarks.cpu.cases import FAST_PATH, Case

SMALL = (32, 16, 64)
OWN = ("emitted", "emitted out=", "textbook", "minimal")


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return measure.measured(Case("layer_norm", SMALL, "float64"), OWN, rounds=2)


@pytest.mark.ci
def test_every_peer_has_its_times_and_ratios(found: dict[str, Any]) -> None:
    assert list(found["peers"]) == list(OWN)
    for name, peer in found["peers"].items():
        assert all(low <= middle <= high for low, middle, high in (peer["forward"], peer["backward"]))
        assert set(peer["ratio"]) == {"emitted", "emitted out="} - {name}


def test_a_peer_that_computes_something_else_is_not_timed() -> None:
    samples = {"emitted": [[1.0, 2.0]], "plain": [[1.0, 2.1]]}
    with pytest.raises(RuntimeError, match="plain computes something else than emitted at layer_norm 4x8x16 float32"):
        measure._require_agreement(Case("layer_norm", FAST_PATH[0], "float32"), samples)


@pytest.mark.ci
def test_the_tables_of_a_record(found: dict[str, Any]) -> None:
    large = {**found, "shape": (32, 128, 256)}
    record = {"machine": cpu.machine.facts(), "cases": [found, large], "import_seconds": [0.01, 0.02, 0.03]}
    text = report.tables(record)
    assert "| textbook |" in text
    assert "| float64 | 32 x 128 x 256 |" in text
    assert "takes 20 ms after NumPy's own" in text


def test_cases_that_are_not_measured_again_keep_their_figures_of_the_same_machine():
    def record(commit: str, processors: int, layers: str) -> dict[str, Any]:
        facts = {"commit": commit, "processors": processors}
        case = {"of": commit, "shape": [4, 8, 16], "dtype": "float32"}
        return {"machine": facts, "cases": [{**case, "layer": layer} for layer in layers]}

    earlier = record("a", 2, "xyz")
    found = cpu.with_earlier(record("b", 2, "y"), earlier)
    assert [(case["layer"], case["of"]) for case in found["cases"]] == [("x", "a"), ("y", "b"), ("z", "a")]
    assert found["machine"]["commit"] == "b"
    assert cpu.with_earlier(record("b", 4, "y"), earlier) == record("b", 4, "y")
    assert cpu.with_earlier(earlier, {}) == earlier
