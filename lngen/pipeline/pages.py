"""Pages for a browser, which an extension makes of a layer: `html` of `lngen.reports`."""

from __future__ import annotations

from typing import Protocol

from lngen import entry_points
from lngen.errors import LngenError
from lngen.pipeline.stages import Derived
from lngen.plan.planner import Plan


class Pages(Protocol):
    """Interface of the module of such an extension."""

    def page(self, layer: Derived) -> str:
        """The page of a layer."""

    def fragment(self, plan: Plan) -> str:
        """The result and its steps, to stand within another page."""


def pages() -> Pages:
    """The extension that makes pages. Raises LngenError if there is none."""
    found: Pages | None = entry_points.find(entry_points.REPORTS, "html")
    if found is None:
        raise LngenError("no extension here makes pages (html of lngen.reports): install lngen-derive again.")
    return found
