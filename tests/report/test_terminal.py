"""The report as text: as long as it may be, and readable as a derivation."""

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from lngen.cli import app as cli
from lngen.derivation.derivation import StepEvidence
from lngen.pipeline.stages import planned
from lngen.plan.planner import Plan
from lngen.report import Shown, printed, report, to_console
from lngen.report.content import content
from tests import corpus
from tests.shipped import ROOT
from tests.tiers import sample

MOST = 122
LAYER = "layer_norm"


@pytest.fixture(scope="module")
def plan() -> Plan:
    return planned(corpus.definition(LAYER))


def lines(plan: Plan, shown: Shown | None = None, width: int = 110) -> list[str]:
    return printed(plan, shown or Shown(), width).plain.splitlines()


def run(*arguments: object, columns: int = 110) -> list[str]:
    result = CliRunner().invoke(cli.app, [str(each) for each in arguments], env={"COLUMNS": str(columns)})
    assert (result.exit_code, result.stderr) == (0, "")
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


@pytest.mark.parametrize(
    ("option", "title"),
    [("tangents", "The tangents"), ("second_order", "The gradients of the gradients"), ("plan", "Plan")],
)
def test_printed_with_an_option_has_that_part_and_no_longer_names_the_option(plan, option, title):
    shown = lines(plan, Shown(**{option: True}))
    assert [line for line in shown if line.startswith(title)]
    assert not [line for line in shown if line.startswith(f"  --{option.replace('_', '-')} ")]
    assert len(shown) > len(lines(plan))


def test_everything_is_the_report_as_text(plan):
    assert "\n".join(lines(plan, Shown.everything())) + "\n" == report(plan, "text")
    assert "More" not in lines(plan, Shown.everything())


def test_a_step_goes_on_with_the_equation_above(plan):
    shown = lines(plan)
    first = next(i for i, line in enumerate(shown) if " dx = " in line and re.match(r" *\d+ ", line))
    last = next(i for i, line in enumerate(shown) if line.endswith("# taken out of the sum"))
    equals = [line.index(" = ") for line in shown[first : last + 1] if re.match(r" *\d+ ", line)]
    assert len(equals) == 9
    assert set(equals) == {shown[first].index(" = ")}
    assert "= rstd*(g - mean(g) - xhat*mean(g*xhat))" in shown[last]
    # Nothing is written twice on the way.
    equations = [line for line in shown[first : last + 1] if not line.lstrip().startswith("# ")]
    formulas = [line.split("  # ")[0].split(" = ")[-1] for line in equations]
    assert len(formulas) == len(set(formulas))


def test_a_line_that_does_not_go_on_is_written_in_full(plan):
    derivation = plan.derivation
    last = max(step.number for step in derivation.steps if step.target.name == "dx")
    told = [step for step in derivation.steps if step.number != last - 1]
    shown = lines(replace(plan, derivation=replace(derivation, steps=tuple(told))))
    (head,) = (i for i, line in enumerate(shown) if re.match(rf" *{last} ", line))
    assert " dx = rstd*g - rstd*mean(g) - rstd*xhat*mean(g*xhat)" in shown[head]


def test_evidence_that_all_steps_have_stands_at_their_head(plan):
    grade = "(each step is exact at every D, or gives a name)"
    shown = lines(plan)
    assert len([line for line in shown if line.endswith(grade)]) == 2
    assert not [line for line in shown if re.match(r" *\d+  ", line) and "exact at" in line]


def test_evidence_that_one_step_lacks_stands_at_each_step_that_has_it(plan):
    derivation = plan.derivation
    weak = next(step for step in derivation.steps if step.before is not None and step.part == "backward")
    for evidence, words in ((None, None), (StepEvidence("50 digits", digits=50), "50 of 50 digits")):
        steps = tuple(replace(each, evidence=evidence) if each is weak else each for each in derivation.steps)
        shown = lines(replace(plan, derivation=replace(derivation, steps=steps)))
        gradient = "\n".join(shown[shown.index(next(line for line in shown if line.startswith("The gradient"))) :])
        gradient = re.sub(r"\s+(# )?", " ", gradient[: gradient.index("\nEvidence")])
        assert "each step is" not in gradient
        assert gradient.count("(exact at every D)") == sum(s.part == "backward" for s in steps) - 1
        assert words is None or words in gradient


@pytest.mark.ci
@pytest.mark.parametrize("name", sample(sorted(corpus.FILES), sorted(corpus.FILES)[::12]))
@pytest.mark.parametrize("width", [60])
def test_no_line_is_too_long_and_no_step_is_left_out(name, width):
    made = planned(corpus.definition(name), proved=False)
    out = io.StringIO()
    # Tables of several columns are wider than that, and are not cut.
    to_console(made, Console(file=out, width=width), Shown.everything())
    shown = re.sub(r"\nCost\n.*", "", out.getvalue(), flags=re.DOTALL)
    # A name that is longer than the room cannot be broken.
    words = max(len(word) for line in shown.splitlines() for word in line.split())
    assert max(map(len, shown.splitlines())) <= max(width, words + width // 4 + 16)
    numbers = [int(found) for found in re.findall(r"^ {1,4}(\d+)  \w", shown, re.MULTILINE)]
    assert numbers == [step.number for step in content(made).steps]


@pytest.mark.ci
def test_make_derive_is_two_screens(tmp_path):
    recipe = re.search(r"^derive: .*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe is not None
    shown = []
    for line in recipe[1].splitlines():
        command = line.strip().removeprefix("@")
        is_ours = command.startswith("$(RUN) -m lngen ")
        words = command.removeprefix("$(RUN) -m lngen ").split()
        shown += run(*words, "--out", tmp_path / "layers") if is_ours else [command]
    assert len(shown) <= 80
    (table,) = (i for i, line in enumerate(shown) if line.startswith("layer "))
    gradient = next(i for i, line in enumerate(shown) if line.startswith("  dx "))
    assert table < gradient < len(shown) - 6
    assert shown[-1].startswith("echo ")
    assert [line for line in shown if line.startswith("Next: ")]


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
