"""A browser for the tests of pages."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.extensions.page.browsing import running_chromium


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with running_chromium() as running:
        yield running


@pytest.fixture
def visit(chromium, tmp_path) -> Iterator[Any]:
    """Open the text of a page; the test fails if the page said anything on its console, or asked for another file."""
    said: list[str] = []
    contexts = []

    def opened(text: str, name: str = "page", **options: Any) -> Any:
        file = tmp_path / f"{name}.html"
        file.write_text(text, encoding="utf-8")
        context = chromium.new_context(**({"viewport": {"width": 1024, "height": 800}} | options))
        contexts.append(context)
        shown = context.new_page()
        shown.on("console", lambda message: said.append(message.text))
        shown.on("pageerror", lambda error: said.append(str(error)))
        shown.on("request", lambda request: said.append(request.url) if not request.url.startswith("file:") else None)
        shown.goto(file.as_uri())
        return shown

    yield opened
    for context in contexts:
        context.close()
    assert said == []
