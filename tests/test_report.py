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
from lngen.derivation.simplify import derive
from lngen.errors import LngenError, printable
from lngen.language.parsing import load, parse
from lngen.layout import expression, table
from lngen.pipeline import stages
from lngen.plan.cost import parse_dtype
from lngen.plan.planner import plan
from lngen.report import Shown, cost_entries, cost_line, cost_report, escape, formulas, printed, report, to_console
from lngen.report.content import content
from tests.shipped import DEFINITIONS
from tests.tiers import sample

ROOT = Path(__file__).parents[1]
FEW = [ROOT / "derive" / "rms_norm.py"]
FORMATS = ("text", "markdown", "latex", "json")

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
def test_the_order_is_definition_forward_identities_steps_evidence_plan_hazards_cost(centred):
    headings = ["Definition", "Forward", "Identities", *(part.title for part in content(centred).parts)]
    headings += ["What the rules say", "Evidence", "Plan", "Where digits can be lost", "Cost"]
    shown = report(centred)
    places = [re.search(f"^{heading}", shown, re.MULTILINE).start() for heading in headings]
    assert places == sorted(places)


@pytest.mark.ci
def test_the_evidence_is_visible_at_a_glance(centred):
    good, bad = Proof("exact", "dx is zero", True, "gradients"), Proof("exact", "dgamma is zero", False)
    assert "not proved: no evidence was asked for" in report(centred)
    assert "proved: 1 gradient: exact" in report(with_proofs(centred, good))
    shown = report(with_proofs(centred, good, bad))
    assert "NOT PROVED: 1 of 2 statements failed" in shown
    assert "FAILED  exact: dgamma is zero" in shown
    assert "both sides agree to 50 of 50 digits" in shown
    for format in ("markdown", "latex"):
        assert "NOT PROVED: 1 of 2" in report(with_proofs(centred, good, bad), format)


def test_a_console_gets_colour_and_a_pipe_the_plain_text(centred):
    plain, coloured = io.StringIO(), io.StringIO()
    to_console(centred, Console(file=plain, width=110))
    to_console(centred, Console(file=coloured, width=110, force_terminal=True, color_system="standard"))
    assert plain.getvalue() == printed(centred, Shown()).plain
    assert "\x1b[" in coloured.getvalue()
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured.getvalue()) == plain.getvalue()


@pytest.mark.parametrize("width", [50, 80])
def test_a_narrow_console_is_kept_to(centred, width):
    out = io.StringIO()
    to_console(centred, Console(file=out, width=width))
    # The three columns of the cost tables cannot be narrower than what is in them.
    shown = re.sub(r"\nCost\n.*(?=\nMore)", "", out.getvalue(), flags=re.DOTALL)
    assert "Where digits" in shown
    assert "More\n" in shown
    assert max(len(line) for line in shown.splitlines()) <= width


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
    if format == "latex":
        assert shown.count(r"\end{document}") == 1
        assert r"\input" not in shown
    if format == "json":
        assert "[bold]title[/bold]" in json.loads(shown)["citation"][0]


@given(st.text(max_size=60))
def test_markup_of_any_text_is_that_text(text):
    assert Text.from_markup(f"[bold]{escape.markup(text)}[/]", emoji=False).plain == printable(text)
    assert Text.from_markup(f"{escape.markup(text)}[bold]b[/]", emoji=False).plain == f"{printable(text)}b"


@given(st.text(alphabet="ab +*/-()", min_size=1, max_size=200), st.integers(20, 80))
def test_a_broken_formula_is_the_formula(text, width):
    lines = expression(text, width, "y = ", "    ")
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", f"y = {text}")


def test_a_formula_is_broken_at_the_outermost_operator():
    assert expression("a*(b + c) + d*(e + f)", 16) == ["a*(b + c)", "+ d*(e + f)"]


def test_a_table_keeps_its_columns():
    assert table([("a", "b c"), ("long", "d")], 40) == ["  a     b c", "  long  d"]


def test_markdown_has_each_formula_once_and_as_mathematics(centred):
    shown = report(centred, "markdown")
    assert "$$\n\\mathrm{d}\\gamma = \\sum_{\\mathrm{rows}} \\mathrm{d}y \\thinspace \\hat{x}\n$$" in shown
    assert "dgamma = sum_rows(dy*xhat)" not in shown.split("## Plan")[0]
    assert r"\underbrace{\mathrm{rstd} \thinspace g}_{\text{through } \hat{x}}" in shown
    assert r"&= \cdots \textcolor{teal}{-\frac{2 \thinspace \mathrm{d}(\sigma^{2}) \thinspace" in shown
    assert shown.count("$$") % 2 == 0
    assert shown.count("```") % 2 == 0


@pytest.mark.ci
def test_latex_is_a_whole_document(centred):
    shown = report(centred, "latex")
    assert "% Needs the packages amsmath, xcolor and geometry." in shown
    assert shown.count(r"\[ ") == shown.count(r" \]")
    environments = re.findall(r"\\(begin|end)\{(\w+\*?)\}", shown)
    open_ones = []
    for what, name in environments:
        if what == "begin":
            open_ones.append(name)
        else:
            assert open_ones.pop() == name
    assert open_ones == []


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


def test_another_format_is_refused(centred):
    with pytest.raises(LngenError, match="Use text, markdown, latex or json"):
        report(centred, "html")


def test_a_cost_has_times_where_a_bandwidth_is_given(centred):
    without = cost_report(centred, (32, 512, 768), parse_dtype("bf16"))
    timed = cost_report(centred, (32, 512, 768), parse_dtype("bf16"), 4.3e12)
    assert " us" not in without
    # 50.53 MB at 4.3 TB/s.
    assert "11.8 us" in timed
    assert "4.3 TB/s" in timed
    assert "12 in 7 kernels" in timed
    assert cost_line(centred).startswith("forward 2 row tensors (1 read, 1 written), 9 flops per row element")
