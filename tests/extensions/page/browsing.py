"""Helpers of the tests of pages in a browser."""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lngen.extensions.page.page import page
from tests.requirements import browser
from tests.shipped import shipped

OPEN_ALL = "() => document.querySelectorAll('details').forEach((part) => { part.open = true; })"


@functools.cache
def whole(name: str) -> str:
    """The page of a layer."""
    return page(shipped(name))


@contextmanager
def running_chromium() -> Iterator[Any]:
    """Run Chromium for the tests of a module."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        yield running
        running.close()
