"""The page as `lngen derive --html`, `DerivedLayer.page` and a notebook have it; `lngen.pipeline.pages` says more."""

from lngen.extensions.page.page import fragment, page

__all__ = ["fragment", "page"]
