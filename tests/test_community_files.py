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
