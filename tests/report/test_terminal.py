"""The report as text: as long as it may be, and readable as a derivation."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lngen.cli import app as cli
from lngen.pipeline.stages import planned
from lngen.plan.planner import Plan
from lngen.report import printed
from lngen.report.content import content
from tests import corpus
from tests.shipped import NAMES, shipped
from tests.tiers import sample

MOST = 40
LAYER = "layer_norm"
FUNCTIONS_SHOWN = {"phi", "Phi", "sign", "exp", "sigmoid", "where"}
"""Functions of formulas that a definition need not name: those of derivatives, and what others are written with."""


@pytest.fixture(scope="module")
def plan() -> Plan:
    return planned(corpus.definition(LAYER))


def lines(plan: Plan, *, full: bool = False, width: int = 110) -> list[str]:
    return printed(plan, width, full=full).plain.splitlines()


def run(*arguments: object, columns: int = 110) -> list[str]:
    result = CliRunner().invoke(cli.app, [str(each) for each in arguments], env={"COLUMNS": str(columns)})
    told = [line for line in result.stderr.splitlines() if ": derived, " not in line]
    assert (result.exit_code, told) == (0, [])
    return result.stdout.splitlines()


@pytest.mark.parametrize("columns", [100, 110])
def test_derive_prints_a_layer_on_a_screen(columns, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a long path of a folder would take lines of its own
    shown = run("derive", LAYER, "--out", "layers", columns=columns)
    assert next(i for i, line in enumerate(shown) if line.startswith("wrote ")) <= MOST
    assert max(map(len, shown)) <= columns
    assert [line.split(": ")[0].rpartition("/")[2] for line in shown if line.startswith("wrote ")] == [
        "_runtime",
        LAYER,
    ]


def test_a_screen_has_forward_shortening_steps_evidence_and_the_gradients_last(plan):
    shown, said = lines(plan), content(plan)
    numbers = [int(found[1]) for line in shown if (found := re.match(r" *(\d+)  ", line))]
    assert numbers == [13, 14, 15, 16, 17]
    assert "  By the chain rule, in --full line by line: drstd, dvar, dx_centred, dmu" in shown
    places = [
        next(i for i, line in enumerate(shown) if line.startswith(start))
        for start in ("Layer normalization", "  mu ", "  x_centred = x - mu", "  13 ", "  proved: ", "  --full ")
    ]
    assert places == sorted(places)
    assert [line.strip().replace("  ", "").replace(" ", "") for line in shown[-3:]] == [
        each.line.replace(" ", "") for each in said.gradients
    ]


@pytest.mark.parametrize("name", sample(NAMES, ("softmax", "cross_entropy"), NAMES))
def test_every_name_on_a_screen_is_told_or_an_argument(name):
    """A reader needs no other page: each name of a step stands in the forward, in the legend or among the inputs."""
    said = content(shipped(name).plan)
    shown = lines(said.plan)
    told = {found[1] for line in shown if (found := re.match(r"  (\w+) +=", line))}
    told |= {*re.findall(r"\w+", " ".join([*said.legend, said.plan.derivation.definition.source]))}
    read = set()
    for line in shown:
        if found := re.match(r"(?: *\d+  \S.*?  +)(\w+ )?(?: *)= (.*)", line):
            read |= {*re.findall(r"[A-Za-z_]\w*", found[2].partition("  # ")[0])}
    assert read - told - FUNCTIONS_SHOWN == set()


def test_full_has_all_parts_in_their_order(plan):
    shown, said = lines(plan, full=True), content(plan)
    titles = [
        "Definition",
        *[part.title for part in said.parts],
        "Evidence",
        "Plan",
        "Where digits can be lost",
        "Cost",
    ]
    places = [next(i for i, line in enumerate(shown) if line.startswith(title)) for title in titles]
    assert places == sorted(places)
    grade = "(each step is exact at every D, or names a value)"
    assert len([line for line in shown if line.endswith(grade)]) == 4


def test_options_that_have_nothing_to_print_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        Path(f"{name}.py").write_text(f"from lngen.language import Row\n\n\ndef {name}(x: Row):\n    return 2 * x\n")
    for words, message in (
        (("a.py", "b.py", "--full"), "of several layers a line each is printed"),
        (("a.py", "--format", "json", "--full"), "--format json prints the whole report"),
    ):
        result = CliRunner().invoke(cli.app, ["derive", *words, "--out", "layers"])
        assert (result.exit_code, result.stdout) == (2, "")
        assert message in " ".join(re.sub(r"[│\n]", " ", result.stderr).split())
    assert not Path("layers").exists()
