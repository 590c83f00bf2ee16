"""`docs/errors.md`: it is fresh, and has every refusal that the parser can give."""

from __future__ import annotations

import functools
import re
import runpy
from typing import Any

import pytest

from tests.shipped import ROOT

PAGE = ROOT / "docs" / "errors.md"


@functools.cache
def made() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "make_errors.py"))


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
