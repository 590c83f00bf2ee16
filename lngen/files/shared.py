"""Files that the layers of a folder share, those of `lngen.runtime`, and which of them a layer needs.

A file needs what it imports, or includes, or calls by its name where that is of another language. Nothing lists the
files of a backend.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path, PurePosixPath

from lngen import runtime
from lngen.files.paths import RUNTIME

FIRST = "__init__.py"
"""The file that makes the folder a package: every layer needs it."""

_INCLUDE = re.compile(r'^\s*#\s*include\s*"(?P<path>[^"]+)"', re.MULTILINE)


@cache
def runtime_files() -> dict[str, str]:
    """The text of each file of the runtime, by name."""
    folder = Path(runtime.__path__[0])
    return {
        path.name: path.read_text(encoding="utf-8")
        for path in sorted(folder.iterdir())
        if path.suffix in (".py", ".cuh", ".h", ".c", ".cpp")
    }


def needed(files: Mapping[str, str]) -> frozenset[str]:
    """The files of the runtime that the files of a layer need, by their texts.

    >>> sorted(needed({"kernels.cu": '#include "../_runtime/cuda/moments.cuh"'}))
    ['__init__.py', 'moments.cuh', 'rows.cuh']
    """
    found: set[str] = set()
    reached = {FIRST, *_named((_needs(path, text, (RUNTIME,)) for path, text in files.items()))}
    while reached:
        found |= reached
        reached = set(_named(map(_needs_of_runtime, reached))) - found
    return frozenset(found)


def _named(names: Iterable[Iterable[str]]) -> Iterator[str]:
    return (name for several in names for name in several if name in runtime_files())


@cache
def _needs_of_runtime(path: str) -> frozenset[str]:
    return frozenset(_needs(path, runtime_files()[path], ()))


def _needs(path: str, text: str, package: tuple[str, ...]) -> Iterator[str]:
    """The names of files that a file may need; `package` is where they are, seen from what it is relative to."""
    if not path.endswith(".py"):
        yield from (PurePosixPath(found["path"]).name for found in _INCLUDE.finditer(text))
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level == 1 + len(package):
            place = tuple(node.module.split(".")) if node.module else ()
            if place[: len(package)] == package:
                names = place[len(package) :] or [alias.name for alias in node.names]
                yield from (f"{name}.py" for name in names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not package:
            yield from (f"{node.value}{suffix}" for suffix in (".c", ".cpp"))
