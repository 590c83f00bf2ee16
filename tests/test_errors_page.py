"""`docs/errors.md`: it is fresh, and has every refusal that the parser can give."""

from __future__ import annotations

import ast
import functools
import re
import runpy
from collections.abc import Iterator
from typing import Any

import pytest

from docs.refusals import SECTIONS
from lngen.language.parsing import expressions, parser
from tests.shipped import ROOT

PAGE = ROOT / "docs" / "errors.md"

# What no example shows: Python's own parser or tokenizer has to trip over the text, differently in each version.
WITHOUT_EXAMPLE = {
    "found type parameters",
    "an expression is nested too deeply",
    "the text cannot be read as Python syntax",
    "the text cannot be split into tokens",
    "found {}",  # the messages of the tables, which are looked at by themselves
    "not Python syntax: {}",
}


@functools.cache
def made() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "make_errors.py"))


@functools.cache
def refusals() -> list[Any]:
    return [made()["refusal"](example) for section in SECTIONS for example in section.examples]


def messages() -> Iterator[str]:
    """Every message that a refusal of the parser is made with; `{}` stands for what varies."""
    for file in sorted((ROOT / "lngen" / "language" / "parsing").glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                place = {"refuse": 2, "_refuse": 2, "error_at": 2, "Fault": 2, "error": 3}.get(called)
                if place is not None and len(node.args) > place:
                    yield from _texts(node.args[place])


def _texts(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)


def test_there_are_messages_to_look_for() -> None:
    assert len(set(messages())) > 60


@pytest.mark.parametrize("message", sorted(set(messages()) - WITHOUT_EXAMPLE))
def test_every_refusal_has_an_example(message: str) -> None:
    pattern = re.compile(".*".join(map(re.escape, message.split("{}"))), re.DOTALL)
    assert any(pattern.fullmatch(refusal.message) for refusal in refusals()), message


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


def test_every_call_is_refused_with_a_remedy() -> None:
    module = made()["layer"]()
    for text in made()["CALLS"]:
        found = made()["call"](module, text)
        assert re.match(r"(Type|Value)Error: .*; pass |ValueError: .*left out, so pass None", found), text
    assert made()["call"](module, "forward(x, alpha=np.int64(2), threads=np.int64(2))") == ""


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text(encoding="utf-8") == made()["text"](), "run: python docs/make_errors.py"
