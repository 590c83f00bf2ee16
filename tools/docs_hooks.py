"""Hooks of the documentation site: the page of every layer, and links to what a checkout has beside docs/."""

from __future__ import annotations

import re
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from lngen.cli import layers
from lngen.extensions.page.site import site
from lngen.pipeline.stages import derived

_PAGES = "derivations"
_DERIVATION = re.compile(r"\]\(\.\./generated/(\w+)/derivation\.md\)")
_TO_MARKDOWN = re.compile(r'href="([^":]+)\.md"')
_OUTSIDE = re.compile(r"\[([^\]]*)\]\(\.\./(?!generated/)[^)]*\)")


def on_files(files: Files, config: MkDocsConfig, **_: Any) -> Files:
    """Add what `lngen site` writes."""
    made = site([derived(definition) for definition in layers.definitions([])])
    for path, text in made.items():
        files.append(File.generated(config, f"{_PAGES}/{path}", content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """A derivation is a page of the site; what else lies outside of docs/ is named and not linked to.

    >>> on_page_markdown("[a](../generated/softmax/derivation.md), [b](../benchmarks/README.md)")
    '[a](derivations/layers/softmax.html), b'
    """
    return _OUTSIDE.sub(r"\1", _DERIVATION.sub(rf"]({_PAGES}/layers/\1.html)", markdown))


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """A notebook's links to pages, which are those of its Markdown."""
    return _TO_MARKDOWN.sub(r'href="\1.html"', html) if page.file.src_uri.endswith(".ipynb") else html
