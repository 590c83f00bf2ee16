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
from posixpath import normpath

from lngen import runtime
from lngen.paths import RUNTIME

FIRST = "__init__.py"
"""The file that makes the folder a package: every layer that needs a file needs it."""

_INCLUDE = re.compile(r'^\s*#\s*include\s*"(?P<path>[^"]+)"', re.MULTILINE)


@cache
def runtime_files() -> dict[str, str]:
    """The text of each file of the runtime, by its path there."""
    folder = Path(runtime.__path__[0])
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*.*"))
        if path.suffix in (".py", ".cuh", ".h", ".c", ".cpp")
    }


def needed(files: Mapping[str, str]) -> frozenset[str]:
    """The files of the runtime that the files of a layer need, by their texts; none of those that need only a library.

    >>> sorted(needed({"kernels.cu": '#include "../_runtime/cuda/shapes.cuh"'}))
    ['__init__.py', 'cuda/__init__.py', 'cuda/shapes.cuh']
    """
    found: set[str] = set()
    reached = {*_there(path for name, text in files.items() for path in _needs(f"layer/{name}", text))}
    reached |= {FIRST} if reached else set()
    while reached:
        found |= reached
        reached = set(_there(path for name in reached for path in _needs_of_runtime(name))) - found
    return frozenset(found)


def _there(paths: Iterable[str]) -> Iterator[str]:
    """Return the paths that are files of the runtime, as paths in its folder."""
    names = (path.removeprefix(f"{RUNTIME}/") for path in paths)
    return (name for name in names if name in runtime_files())


@cache
def _needs_of_runtime(name: str) -> frozenset[str]:
    path = PurePosixPath(RUNTIME, name)
    packages = (str(folder / FIRST) for folder in path.parents)
    return frozenset((*packages, *_needs(str(path), runtime_files()[name])))


def _needs(name: str, text: str) -> Iterator[str]:
    """The paths of files that a file may need; all paths start in the folder of the layers."""
    folder = PurePosixPath(name).parent
    if not name.endswith(".py"):
        yield from (normpath(folder / found["path"]) for found in _INCLUDE.finditer(text))
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level:
            start = [folder, *folder.parents][min(node.level, len(folder.parents) + 1) - 1]
            module = start.joinpath(*(node.module or "").split("."))
            for place in (module, *(module / alias.name for alias in node.names)):
                yield from (f"{place}.py", str(place / FIRST))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (str(folder / f"{node.value}{suffix}") for suffix in (".c", ".cpp"))
