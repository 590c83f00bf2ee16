"""Hooks of hatchling's for lngen's distributions, beside `pyproject.toml`."""

from __future__ import annotations

import json
import re
import tempfile
from hashlib import sha256
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


class RuntimeHook(BuildHookInterface[Any]):
    """What a wheel has in the place of a link: copies of the runtime, and the file of an editable install."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add to an editable wheel what imports the finder of `tools/editable`, and to another one the runtime."""
        if version == "editable":
            build_data["force_include_editable"]["tools/editable/names.pth"] = "_lngen_derive_names.pth"
        elif self.target_name == "wheel":
            self._copies = tempfile.TemporaryDirectory()
            for path, text in runtime_copies(Path(self.root), self.metadata.version).items():
                copy = Path(self._copies.name, path)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(text)
                build_data["force_include"][str(copy)] = f"lngen/generated/_runtime/{path}"


def runtime_copies(root: Path, version: str) -> dict[str, bytes]:
    """The files of `lngen/runtime` by their paths there, and the manifest with which `lngen derive --out` writes them.

    lngen itself cannot be asked: what builds a wheel has none of its dependencies.
    """
    folder = root / "lngen" / "runtime"
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*.*"))
        if path.suffix in (".py", ".cuh", ".h", ".c", ".cpp")
    }
    manifest = {
        "files": {path: sha256(text).hexdigest() for path, text in files.items()},
        "lngen": version,
        "name": "_runtime",
    }
    return {**files, "manifest.json": (json.dumps(manifest, indent=2, sort_keys=True) + "\n").encode()}
