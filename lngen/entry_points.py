"""Extensions, found by entry points: lngen's own are declared and found as a stranger's are.

A distribution declares in its metadata what it has for a group, by name. Nothing is imported before it is asked for,
and one that is broken is one error, which names the distribution. In a checkout lngen's own are read from
`pyproject.toml`, since the metadata of an editable install may be older.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from lngen import paths
from lngen.errors import LngenError
from lngen.version import DISTRIBUTION

VERBS = "lngen.verbs"
"""Functions with the annotations of Typer, each a command of `lngen` that has the entry point's name."""

REPORTS = "lngen.reports"
"""Reports that are files of their own; `lngen.pipeline.pages` says what one named `html` has."""

BACKENDS = "lngen.backends"
"""Backends of a layer, each an object of `lngen.emit.backends.Backend`."""

DEVICES = "lngen.devices"
"""Devices that run CUDA without a GPU; `lngen.checks.emulator` says what one has."""

_FILE = "entry_points.txt"


@dataclass(frozen=True)
class Extension:
    """Entry point of a distribution: its name in a group, and the object that it stands for."""

    group: str
    name: str
    value: str
    distribution: str

    def load(self, made: Callable[[Any], Any] = lambda found: found) -> Any:
        """The object, or what is `made` of it. Raises LngenError, with the distribution, if there is no such object."""
        try:
            return made(importlib.metadata.EntryPoint(self.name, self.value, self.group).load())
        except (Exception, SystemExit) as error:  # whatever the code of a stranger raises
            raise LngenError(
                f"the extension {self.name} ({self.group}) of {self.distribution} is broken: {self.value}: "
                f"{type(error).__name__}: {error}. Install it anew, or remove it: pip uninstall {self.distribution}."
            ) from error


@cache
def extensions(group: str) -> Mapping[str, Extension]:
    """The extensions of a group by name, lngen's own first. The first distribution on the path has a name."""
    found: dict[str, Extension] = {}
    for extension in (*_declared_here(group), *_installed(group)):
        found.setdefault(extension.name, extension)
    return found


def find(group: str, name: str, made: Callable[[Any], Any] = lambda found: found) -> Any:
    """Load the extension with a name, and return what is `made` of it; None if there is none. Raises as `load` does."""
    extension = extensions(group).get(name)
    return None if extension is None else extension.load(made)


def each(group: str, tell: Callable[[str], None], made: Callable[[Any], Any] = lambda found: found) -> dict[str, Any]:
    """Load each extension of a group, and return what is `made` of it; `tell` gets a sentence about a broken one."""
    found: dict[str, Any] = {}
    for name, extension in extensions(group).items():
        try:
            found[name] = extension.load(made)
        except LngenError as error:
            tell(str(error))
    return found


def _declared_here(group: str) -> Iterator[Extension]:
    declared = paths.project_table().get("entry-points", {}).get(group, {})
    yield from (Extension(group, name, value, DISTRIBUTION) for name, value in declared.items())


def _installed(group: str) -> Iterator[Extension]:
    for distribution in importlib.metadata.distributions():
        # What has nothing for lngen need not be understood: a search passes by what another project has wrong.
        if group not in _text_of(distribution):
            continue
        called = str(distribution.metadata["Name"])
        if paths.packaged or called != DISTRIBUTION:
            try:
                entries = [(entry.name, entry.value) for entry in distribution.entry_points.select(group=group)]
            except (TypeError, ValueError):
                entries = [(called, _FILE)]  # an error once it is asked for
            yield from (Extension(group, name, value, called) for name, value in entries)


def _text_of(distribution: importlib.metadata.Distribution) -> str:
    try:
        return distribution.read_text(_FILE) or ""
    except (OSError, UnicodeError):
        return ""
