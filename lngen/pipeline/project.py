"""The user's project: what `[tool.lngen]` of a `pyproject.toml` says.

It is looked for from a folder upwards. The first file that has the table is it; one without the table is passed over.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lngen.emit.backends import named, with_needed
from lngen.errors import LngenError, printable
from lngen.pipeline.files import manifest
from lngen.runtime.emitted import BACKENDS

_KEYS = ("backends",)


@dataclass(frozen=True)
class Project:
    """The settings of a project, and the file that has them. None is what the file does not say."""

    file: Path | None = None
    backends: tuple[str, ...] | None = None


def project(folder: Path) -> Project:
    """The settings that hold for a folder, which need not be there yet; empty ones without a file that has any.

    Raises LngenError, with the file and the key, for what is no TOML, an unknown key or a wrong value.
    """
    for place in (folder.absolute(), *folder.absolute().parents):
        file = place / "pyproject.toml"
        table = _table(file)
        if table is not None:
            return _read(file, table)
    return Project()


def _table(file: Path) -> object:
    if not file.is_file():
        return None
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else f"it is no TOML: {error}"
        raise LngenError(f"{_shown(file)}: {printable(str(why))}. lngen looks there for [tool.lngen].") from None
    tool = document.get("tool")
    return tool.get("lngen") if isinstance(tool, dict) else None


def _read(file: Path, table: object) -> Project:
    where = f"{_shown(file)}: tool.lngen"
    if not isinstance(table, dict):
        raise LngenError(f'{where}: write a table, such as [tool.lngen] with backends = ["numpy", "cuda"].')
    for key in table:
        if key not in _KEYS:
            raise LngenError(f"{where}.{printable(key)}: there is no such key; there is {', '.join(_KEYS)}.")
    return Project(file, named(table["backends"], f"{where}.backends") if "backends" in table else None)


def _shown(file: Path) -> str:
    return printable(str(file))


def backends_for(name: str, folder: Path | None, asked: Sequence[str] | None = None) -> tuple[str, ...]:
    """The backends to emit a layer for in a folder: those asked for, else its project's, else those it has, else all.

    A project is that of the folder, or of the working directory where there is no folder. Raises as `project` does.
    """
    if asked is not None:
        return with_needed(asked)
    said = project(Path() if folder is None else folder).backends
    if said is not None or folder is None:
        return said or BACKENDS
    there = manifest.backends_of(folder / name)
    return with_needed(there) if there else BACKENDS
