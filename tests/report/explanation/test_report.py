import json
import re

import pytest

from lngen.report import report
from lngen.report.content import content
from tests.report.explanation.layers import defined, shipped

TITLES = [
    "Reductions",
    "Saved for backward",
    "Time and memory",
    "Edge cases",
    "Danger zones",
    "How one kernel does it",
]


def test_the_sections_stand_below_the_evidence_and_are_short():
    shown = report(shipped("layer_norm"), "markdown")
    begin, end = shown.index("## Reductions"), shown.index("## Plan")
    assert shown.index("## Evidence") < begin
    assert re.findall("^## (.*)$", shown[begin:end], re.MULTILINE) == TITLES
    assert len(shown[begin:end].splitlines()) < 60


def test_json_has_what_content_has():
    plan = defined("soft_max")
    said = json.loads(report(plan, "json"))["explanation"]
    assert [section["title"] for section in said] == TITLES
    for entry, section in zip(said, content(plan).explanation, strict=True):
        assert entry["paragraphs"] == list(section.paragraphs)
        assert entry["table"] == (
            section.table and {"header": list(section.table.header), "rows": [list(row) for row in section.table.rows]}
        )


def test_latex_has_each_section_and_columns_for_each_table():
    shown = report(shipped("layer_norm"), "latex")
    for title in TITLES:
        assert rf"\subsection*{{{title}}}" in shown
    tables = re.findall(r"\\begin\{tabular\}\{(p[^\n]*)\}\n([^\n]*)\\\\", shown)
    assert len(tables) == 3
    for columns, header in tables:
        assert columns.count("p{") == header.count(" & ") + 1


@pytest.mark.parametrize("name", ["soft_max", "swish_scale", "residual_add"])
def test_every_row_of_a_table_is_as_long_as_its_header(name):
    for section in content(defined(name)).explanation:
        assert section.paragraphs
        for row in section.table.rows if section.table else ():
            assert len(row) == len(section.table.header)
            assert all(row)


def test_a_sentence_is_no_longer_than_it_has_to_be():
    for section in content(shipped("layer_norm")).explanation:
        for sentence in re.split(r"[.:;] ", " ".join(section.paragraphs)):
            assert len(sentence.split()) <= 35, sentence
