"""Hooks of the documentation site: links to what a checkout has and the site has elsewhere."""

from __future__ import annotations

import re
from typing import Any

_DERIVATION = re.compile(r"\]\(\.\./generated/(\w+)/derivation\.md\)")
_OUTSIDE = re.compile(r"\[([^\]]*)\]\(\.\./(?!generated/)[^)]*\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A derivation is a page of the site; what else lies outside of docs/ is named and not linked to.

    >>> on_page_markdown("[a](../generated/softmax/derivation.md), [b](../benchmarks/README.md)")
    '[a](layers/softmax.html), b'
    """
    return _OUTSIDE.sub(r"\1", _DERIVATION.sub(r"](layers/\1.html)", markdown))
