"""Helpers of the tests of pages in a browser."""

import functools

from lngen.page import plots
from lngen.page.page import page
from tests.shipped import shipped

OPEN_ALL = "() => document.querySelectorAll('details').forEach((part) => { part.open = true; })"


@functools.cache
def whole(name: str) -> str:
    """A page with its plots."""
    layer = shipped(name)
    return page(layer, plots.measured(layer))
