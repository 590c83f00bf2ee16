import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from lngen.derivation.derivation import Proof, StepEvidence
from lngen.derivation.gradients import derive
from lngen.errors import printable
from lngen.language.parsing import load, parse
from lngen.pipeline import stages
from lngen.plan.planner import plan
from lngen.report import cost_entries, escape, formulas, printed, report, to_console
from tests.shipped import DEFINITIONS, shipped
from tests.tiers import sample

ROOT = Path(__file__).parents[1]
FEW = [ROOT / "derive" / "rms_norm.py"]
FORMATS = ("text", "markdown", "json")

HOSTILE = (
    '''r"""# [bold]title[/bold] `code` <script> $x$ | [/] [link](x) \\\\[red] \\\\input{secret}

* a list | *of* _things_ & more \x1b[2J '''
    + "word" * 60
    + '''
"""
from lngen.language import Row


def hostile(x: Row):
    y = x + 1  # ``` [/bold] \\end{document} \x1b[31m
    return y
'''
)


def planned(path):
    return stages.planned(load(path), proved=False)


def with_proofs(layer, *proofs):
    derivation = replace(layer.derivation, proofs=proofs)
    steps = tuple(replace(step, evidence=StepEvidence("50 digits", digits=50)) for step in derivation.steps)
    return replace(layer, derivation=replace(derivation, steps=steps))


@pytest.fixture(scope="module")
def centred():
    return planned(ROOT / "derive" / "layer_norm.py")


def test_formulas_are_those_of_the_textbook(centred):
    lines = formulas(centred)
    assert (lines["forward"], lines["backward"]) == (
        (
            "mu = mean(x)",
            "var = mean((x - mu)**2)",
            "rstd = 1/sqrt(var + eps)",
            "xhat = rstd*(x - mu)",
            "y = gamma*xhat + beta",
        ),
        (
            "g = gamma*dy",
            "dx = rstd*(g - mean(g) - xhat*mean(g*xhat))",
            "dgamma = sum_rows(dy*xhat)",
            "dbeta = sum_rows(dy)",
        ),
    )


@pytest.mark.parametrize("path", sample(DEFINITIONS, FEW, DEFINITIONS[::8]), ids=lambda path: path.stem)
def test_every_formula_of_the_derivation_is_in_the_text(path):
    layer = planned(path)
    text = report(layer)
    assert max(len(line) for line in text.splitlines()) <= 110
    assert all(line == line.rstrip() for line in text.splitlines())
    shown = re.sub(r"\s+", "", text)
    for line in formulas(layer)["backward"]:
        assert re.sub(r"\s+", "", line) in shown
    for step in layer.derivation.steps:
        assert re.search(rf"^ *{step.number}  {re.escape(step.rule)}\b", text, re.MULTILINE)
    for hazard in json.loads(report(layer, "json"))["hazards"]:
        assert re.sub(r"\s+", "", hazard["text"]) in shown


@pytest.mark.ci
def test_the_evidence_is_visible_at_a_glance(centred):
    good, bad = Proof("exact", "dx is zero", True, "gradients"), Proof("exact", "dgamma is zero", False)
    assert "not proved: no evidence was asked for" in report(centred)
    assert "proved: 1 gradient: exact" in report(with_proofs(centred, good))
    shown = report(with_proofs(centred, good, bad))
    assert "NOT PROVED: 1 of 2 statements failed" in shown
    assert "FAILED  exact: dgamma is zero" in shown
    assert "both sides agree to 50 of 50 digits" in shown
    assert "NOT PROVED: 1 of 2" in report(with_proofs(centred, good, bad), "markdown")


def unfolded(document: str) -> tuple[list[str], list[str]]:
    """The lines of a document that are read at once, and those of its details, each kind after its own rules."""
    visible, folded, is_open = [], [], False
    lines = document.splitlines()
    for number, line in enumerate(lines):
        if line == "<details>":
            assert not is_open
            # GitHub reads Markdown, formulas with it, after an empty line alone.
            assert re.fullmatch(r"<summary>[^<>]+</summary>", lines[number + 1])
            assert lines[number + 2] == ""
        elif line == "</details>":
            assert is_open
            assert lines[number - 1] == ""
        is_open = line == "<details>" or (is_open and line != "</details>")
        (folded if is_open else visible).append(line)
    assert not is_open
    assert visible.count("$$") % 2 == folded.count("$$") % 2 == 0
    return visible, folded


@pytest.mark.parametrize("path", sample(DEFINITIONS, FEW, DEFINITIONS[::8]), ids=lambda path: path.stem)
def test_markdown_has_the_result_first_and_folds_every_step(path):
    layer = planned(path)
    visible, folded = unfolded(report(layer, "markdown"))
    fence = visible[visible.index("```python") + 1 : visible.index("```")]
    assert fence == ["# forward", *formulas(layer)["forward"], "# backward", *formulas(layer)["backward"]]
    steps = len(json.loads(report(layer, "json"))["steps"])
    for lines, numbers in ((folded, [*range(1, steps + 1)]), (visible, [])):
        assert [int(line.split()[1][:-1]) for line in lines if re.match(r"### \d+\. ", line)] == numbers


def test_markdown_of_layer_norm_is_short_before_it_unfolds():
    visible, folded = unfolded(shipped("layer_norm").text("derivation.md"))
    assert len(list(filter(None, visible))) <= 150 < len(folded)


def test_a_console_gets_colour_and_a_pipe_the_plain_text(centred):
    plain, coloured = io.StringIO(), io.StringIO()
    to_console(centred, Console(file=plain, width=110))
    to_console(centred, Console(file=coloured, width=110, force_terminal=True, color_system="standard"))
    assert plain.getvalue() == printed(centred).plain
    assert "\x1b[" in coloured.getvalue()
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured.getvalue()) == plain.getvalue()


@pytest.mark.parametrize("format", FORMATS)
def test_what_a_user_writes_acts_on_nothing(format):
    shown = report(plan(derive(parse(HOSTILE))), format)
    assert all(character.isprintable() or character == "\n" for character in shown)
    if format == "text":
        assert "[bold]title[/bold]" in shown
        assert max(len(line) for line in shown.splitlines()) <= 110
    if format == "markdown":
        assert "\n# \\[bold" not in shown
        assert "\\<script>" in shown
        assert "\n````python\n" in shown
    if format == "json":
        assert "[bold]title[/bold]" in json.loads(shown)["citation"][0]


@given(st.text(max_size=60))
def test_markup_of_any_text_is_that_text(text):
    assert Text.from_markup(f"[bold]{escape.markup(text)}[/]", emoji=False).plain == printable(text)
    assert Text.from_markup(f"{escape.markup(text)}[bold]b[/]", emoji=False).plain == f"{printable(text)}b"


def test_json_keeps_its_schema(centred):
    document = json.loads(report(with_proofs(centred, Proof("exact", "dx", True)), "json"))
    assert document["schema"] == 1
    assert document["gradients"][0]["text"] == "rstd*(g - mean(g) - xhat*mean(g*xhat))"
    assert document["where"][0]["name"] == "g"
    assert document["proofs"] == [{"kind": "exact", "statement": "dx", "passed": True, "about": "", "count": 1}]
    fields = "number part rule target before after contributions uses reason operations_before operations_after"
    fields += " evidence"
    assert sorted(document["steps"][0]) == sorted(fields.split())
    assert document["cost"] == cost_entries(centred)
    assert document["cost"]["backward"]["row_tensors_read"] == 2
    assert document["plan"][0]["reads"] == ["x", "gamma", "beta", "eps"]
