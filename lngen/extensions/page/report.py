"""The page as `lngen derive --html`, `DerivedLayer.page` and a notebook have it; `lngen.pipeline.pages` says more."""

from __future__ import annotations

from lngen.extensions.page.page import fragment
from lngen.extensions.page.page import page as page_of
from lngen.extensions.page.plots import measured
from lngen.pipeline.stages import Derived

__all__ = ["fragment", "page"]


def page(layer: Derived) -> str:
    """The page of a layer, with its errors as measured here and now."""
    return page_of(layer, measured(layer))
