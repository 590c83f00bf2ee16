"""`docs/errors.md`: it is fresh, and has every refusal that the parser can give."""

from __future__ import annotations

import functools
import re
import runpy
from typing import Any

import pytest

from docs.refusals import SECTIONS
from lngen.language.parsing import expressions, parser
from lngen.language.parsing.refusals import REFUSALS
from tests.shipped import ROOT

PAGE = ROOT / "docs" / "errors.md"

# Python's own parser or tokenizer has to trip over the text, differently in each version.
WITHOUT_EXAMPLE = {"type-parameters", "unreadable"}


@functools.cache
def made() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "make_errors.py"))


@functools.cache
def refusals() -> list[Any]:
    return [made()["refusal"](example) for section in SECTIONS for example in section.examples]


@pytest.mark.parametrize("code", sorted(set(REFUSALS) - WITHOUT_EXAMPLE))
def test_every_refusal_has_an_example(code: str) -> None:
    message, _ = REFUSALS[code]
    pattern = re.compile(".*".join(map(re.escape, re.split(r"\{[^}]*\}", message))), re.DOTALL)
    found = [refusal for refusal in refusals() if refusal.code == code]
    assert found, code
    assert all(pattern.fullmatch(refusal.message) for refusal in found), message


def test_every_entry_of_the_tables_has_an_example() -> None:
    shown = " ".join(refusal.message for refusal in refusals())
    tables: list[dict[Any, tuple[str, str]]] = [parser._REFUSED, expressions._REFUSED, expressions._OTHER_OPERATORS]
    # A slice stands in a subscript, a starred expression in a call: both are refused before they are reached. `await`
    # outside an async function is no syntax in every version.
    reached_first = {"a slice", "a starred expression", "await", "a tuple"}
    missing = [found for table in tables for found, _ in table.values() if found not in shown]
    assert set(missing) <= reached_first


def test_every_refusal_has_a_remedy() -> None:
    assert all(refusal.remedy for refusal in refusals())


@pytest.mark.ci
def test_every_call_is_refused_with_a_remedy() -> None:
    module = made()["layer"]()
    for text in made()["CALLS"]:
        found = made()["call"](module, text)
        assert re.match(r"(Type|Value)Error: .*; pass |ValueError: .*left out, so pass None", found), text
    assert made()["call"](module, "forward(x, alpha=np.int64(2), threads=np.int64(2))") == ""


@pytest.mark.ci
def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == made()["text"](), "run: python docs/make_errors.py"
