"""The page as `lngen derive --html`, `DerivedLayer.page` and a notebook have it; `lngen.pipeline.pages` says more."""

from __future__ import annotations

from lngen.extensions.page.machine_code import machine_code, require
from lngen.extensions.page.page import fragment
from lngen.extensions.page.page import page as page_of
from lngen.extensions.page.plots import measured
from lngen.pipeline.stages import Derived

__all__ = ["fragment", "page", "require"]


def page(layer: Derived, arch: str | None = None) -> str:
    """The page of a layer, with its errors as measured here and now, and with its kernels for an architecture."""
    machine = None if arch is None else machine_code(layer, arch)
    return page_of(layer, measured(layer), machine=machine)
