"""Hooks of hatchling's for lngen's distributions, beside `pyproject.toml`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_PICTURE = re.compile(r"!\[[^\]]*\]\((?!https?:)[^)]*\)")
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((?!https?:|mailto:)[^)]*\)")
_CODE = re.compile(r"(^```.*?^```$|`[^`\n]*`)", re.MULTILINE | re.DOTALL)


def on_an_index(readme: str) -> str:
    """The README as a package index shows it: a picture or a link into this repository leads nowhere there.

    Of a link its text stays; what is code stays as it is.

    >>> on_an_index("![a page](docs/page.png) See [rules](docs/rules.md), [PyPI](https://pypi.org), `[a](b)`.")
    ' See rules, [PyPI](https://pypi.org), `[a](b)`.'
    """
    parts = _CODE.split(readme)
    parts[::2] = [_LINK.sub(r"\1", _PICTURE.sub("", part)) for part in parts[::2]]
    return "".join(parts)


class MetadataHook(MetadataHookInterface):
    """The long description of the distribution."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add it to the metadata of `pyproject.toml`."""
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": on_an_index(text)}


class EditableHook(BuildHookInterface[Any]):
    """The file by which an environment imports the finder of `tools/editable`."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add it to an editable wheel, whose first `.pth` file has put the folder of the finder on the path."""
        if version == "editable":
            build_data["force_include_editable"]["tools/editable/names.pth"] = "_lngen_derive_names.pth"
