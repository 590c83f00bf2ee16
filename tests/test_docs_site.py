"""The documentation as pages: it builds without a warning, and every link leads somewhere."""

import functools
import os
import re
import runpy
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.requirements import needs_mkdocs
from tests.shipped import ROOT

pytestmark = needs_mkdocs


class Links(HTMLParser):
    """Links of a page, and the anchors that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.to: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.to.append(given["href"])
        if tag in ("link", "script", "img") and given.get("rel") != "canonical":
            self.loaded += [given[name] for name in ("href", "src") if name in given]


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "pages"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(ROOT)}
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site) -> dict[Path, Links]:
    return {path.resolve(): Links(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


@pytest.mark.exhaustive
def test_every_link_leads_somewhere(site, pages):
    broken = []
    for page, links in pages.items():
        for link in links.to:
            target, _, anchor = unquote(link).partition("#")
            # The page for what is not found is served from anywhere, so its links begin at the root.
            if re.match(r"[a-z]+:", target) or page.name == "404.html":
                continue
            place = (page.parent / target).resolve() if target else page
            there = pages.get(place)
            if not place.exists() or (anchor and there is not None and anchor not in there.anchors):
                broken.append(f"{page.relative_to(site.resolve())}: {link}")
    assert len(pages) >= 20
    assert broken == []


@pytest.mark.exhaustive
def test_nothing_is_loaded_from_elsewhere(pages):
    assert [link for links in pages.values() for link in links.loaded if "//" in link] == []


@pytest.mark.exhaustive
def test_the_tutorial_was_run(site):
    text = (site / "tutorial.html").read_text(encoding="utf-8")
    assert "write mean(x): values have no methods" in text
    assert "Traceback" not in text


@functools.cache
def tutorial() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "make_tutorial.py"))


@pytest.mark.ci
def test_the_tutorial_is_stored_with_what_its_cells_print():
    stored = tutorial()["nbformat"].read(ROOT / "docs" / "tutorial.ipynb", as_version=4)
    cells = [cell for cell in stored.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == [*range(1, len(cells) + 1)]
    printed, anew = (
        # Digits past the sixth depend on the machine.
        [re.sub(r"(\d\.\d{5})\d*", r"\1", text) for text in tutorial()["printed"](notebook)]
        for notebook in (stored, tutorial()["executed"]())
    )
    assert printed == anew, "run: python docs/make_tutorial.py"
    assert sum(map(bool, printed)) >= 6


@pytest.mark.exhaustive
def test_the_reference_has_every_public_name(site):
    import lngen

    text = (site / "reference" / "lngen.html").read_text(encoding="utf-8")
    assert [name for name in ("derive", "load", "DerivedLayer", "LngenError") if f">{name}<" not in text] == []
    assert set(lngen.__all__) >= {"derive", "load", "DerivedLayer", "LngenError"}
