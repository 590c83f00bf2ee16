"""Sizes of the repository against `budget.toml`."""

import pytest

from lngen.language.parsing import load
from lngen.pipeline.stages import derived
from tests.work import calls_of
from tools import budget, house

REMEDY = (
    "Take something away, or let an issue that adds a capability say by how much its number in budget.toml may rise."
)


@pytest.mark.parametrize("table", ["code", "lines", "vendored", "exceptions"])
def test_no_part_is_over_its_budget(table):
    found = getattr(budget, table)()
    wrong = budget.over(found, budget.limits()[table])
    assert not wrong, "\n".join([*wrong, *budget.grown(found), REMEDY])


@pytest.mark.ci
def test_deriving_takes_no_more_work_than_its_budget(monkeypatch, tmp_path):
    monkeypatch.setenv("LNGEN_CACHE", str(tmp_path))
    definition = load(house.ROOT / "derive" / f"{budget.LAYER}.py")
    calls = calls_of(derived, definition)[1] // 1000
    assert not budget.over({"thousand calls to derive a layer": calls}, budget.limits()["work"]), REMEDY


def test_each_exception_is_of_a_file_that_is_there():
    assert [path for path in budget.private_tests() if not (house.ROOT / path).is_file()] == []


def test_over_one_more_line_than_allowed_is_told():
    assert budget.over({"plan": 12}, {"plan": 11}) == ["plan: 12 of at most 11"]
    assert budget.over({"plan": 11}, {"plan": 11}) == []


def test_over_a_part_without_a_limit_is_told():
    assert budget.over({"plan": 1, "new": 1}, {"plan": 1}) == ["new: not in both the repository and budget.toml"]
