"""The report as text: as long as it may be, and readable as a derivation."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lngen.cli import app as cli
from lngen.pipeline.stages import planned
from lngen.plan.planner import Plan
from lngen.report import Shown, printed
from lngen.report.content import content
from tests import corpus

MOST = 122
LAYER = "layer_norm"


@pytest.fixture(scope="module")
def plan() -> Plan:
    return planned(corpus.definition(LAYER))


def lines(plan: Plan, shown: Shown | None = None, width: int = 110) -> list[str]:
    return printed(plan, shown or Shown(), width).plain.splitlines()


def run(*arguments: object, columns: int = 110) -> list[str]:
    result = CliRunner().invoke(cli.app, [str(each) for each in arguments], env={"COLUMNS": str(columns)})
    told = [line for line in result.stderr.splitlines() if ": derived, " not in line]
    assert (result.exit_code, told) == (0, [])
    return result.stdout.splitlines()


@pytest.mark.parametrize("columns", [100, 110])
def test_derive_prints_a_layer_on_two_screens(columns, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a long path of a folder would take lines of its own
    shown = run("derive", LAYER, "--out", "layers", columns=columns)
    assert len(shown) <= MOST
    assert max(map(len, shown)) <= columns
    assert [line.split(": ")[0].rpartition("/")[2] for line in shown if line.startswith("wrote ")] == [
        "_runtime",
        LAYER,
    ]


def test_printed_has_result_gradient_evidence_digits_and_cost_and_names_the_rest(plan):
    shown = lines(plan)
    said = content(plan)
    titles = [said.parts[0].title, said.parts[1].title, "Evidence", "Where digits can be lost", "Cost", "More"]
    places = [next(i for i, line in enumerate(shown) if line.startswith(title)) for title in titles]
    assert places == sorted(places)
    for option in ("--tangents", "--second-order", "--plan", "--full"):
        assert len([line for line in shown if line.startswith(f"  {option} ")]) == 1
    for part in said.parts[2:]:
        assert not [line for line in shown if line.startswith(part.title)]


def test_evidence_that_all_steps_have_stands_at_their_head(plan):
    grade = "(each step is exact at every D, or names a value)"
    shown = lines(plan)
    assert len([line for line in shown if line.endswith(grade)]) == 2
    assert not [line for line in shown if re.match(r" *\d+  ", line) and "exact at" in line]


def test_options_that_have_nothing_to_print_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        Path(f"{name}.py").write_text(f"from lngen.language import Row\n\n\ndef {name}(x: Row):\n    return 2 * x\n")
    for words, message in (
        (("a.py", "b.py", "--plan"), "of several layers a line each is printed"),
        (("a.py", "b.py", "--brief"), "of several layers a line each is printed"),
        (("a.py", "--format", "json", "--full"), "--format json prints the whole report"),
        (("a.py", "--brief", "--full"), "--brief prints less, and another option more"),
    ):
        result = CliRunner().invoke(cli.app, ["derive", *words, "--out", "layers"])
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in " ".join(re.sub(r"[│\n]", " ", result.stderr).split())
    assert not Path("layers").exists()
