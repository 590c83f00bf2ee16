"""The files that a platform shows beside a repository: they are there, and invent no address."""

import re

import pytest

import lngen
from tests.shipped import ROOT

FILES = ("CITATION.cff", "CODE_OF_CONDUCT.md", "LICENSE", "SECURITY.md", "pyproject.toml")


def test_the_citation_is_of_this_version() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.*)$", text, re.M)[1] == lngen.__version__
    assert re.search(r"^license: MIT$", text, re.M)
    assert re.search(r"^cff-version: 1\.2\.0$", text, re.M)


@pytest.mark.parametrize("name", FILES)
def test_a_community_file_names_no_address_of_a_person_or_a_server(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert re.findall(r"[\w.+-]+@[\w-]+\.\w+|https?://", text) == []


def test_security_and_conduct_say_how_to_report() -> None:
    assert "## How to report" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    assert "tell a maintainer" in (ROOT / "CODE_OF_CONDUCT.md").read_text(encoding="utf-8")


def test_issue_templates_ask_for_what_is_needed() -> None:
    templates = {
        path.name: path.read_text(encoding="utf-8") for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")
    }
    assert {"config.yml", "idea.yml", "refused_definition.yml", "wrong_result.yml"} <= set(templates)
    assert "lngen --version" in templates["wrong_result.yml"]
    for name in set(templates) - {"config.yml"}:
        assert re.match(r"name: .+\ndescription: .+\nlabels: \[\w+\]\nbody:\n", templates[name]), name
