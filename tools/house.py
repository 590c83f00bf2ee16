"""Count what a maintainer has to know: lines and code lines of each package, and the moves of one derivation.

python -m tools.house          lines, and lines of code, by package
python -m tools.house --walk   the files that are entered while layer_norm is derived, proved and emitted, too

A line of code has a token that is neither a comment nor a docstring. `tokenize` and `ast` find these in Python; of C,
C++ and templates, comments are taken out.
"""

from __future__ import annotations

import argparse
import ast
import functools
import io
import os
import re
import sys
import tempfile
import tokenize
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
CORE = ("runtime", "language", "algebra", "derivation", "plan", "prove", "emit", "report", "pipeline", "checks", "cli")
"""The packages of the core, in the order in which data flows."""

_TEXT = {".py", ".jinja", ".h", ".c", ".cpp", ".cuh", ".cu", ".js", ".css", ".html", ".toml"}
_COMMENTS = re.compile(r"/\*.*?\*/|\{#.*?#\}|//[^\n]*", re.DOTALL)
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


@functools.cache
def code_lines(path: Path) -> int:
    """Return the number of lines of code of a file.

    >>> code_lines(Path(__file__)) < len(Path(__file__).read_text().splitlines())
    True
    """
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return sum(bool(line.strip()) for line in _COMMENTS.sub("", text).splitlines())
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _NO_CODE:
            found.update(range(token.start[0], token.end[0] + 1))
    return len(found - {*_docstring_lines(ast.parse(text))})


def _docstring_lines(tree: ast.Module) -> Iterator[int]:
    """Yield the lines of docstrings, and of texts that stand alone as those of attributes do."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def counted(files: Iterable[Path]) -> tuple[int, int, int]:
    """Return the number of files, their lines, and their lines of code."""
    every = texts(files)
    return len(every), lines(every), sum(map(code_lines, every))


def texts(files: Iterable[Path]) -> list[Path]:
    """Return those of the files that are counted."""
    return [path for path in files if path.suffix in _TEXT and path.is_file()]


def lines(files: Iterable[Path]) -> int:
    """Return the number of lines of files."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)


def groups() -> dict[str, list[Path]]:
    """Return the hand-written files by the part that they belong to."""
    found = {name: files_in(ROOT / "lngen" / name) for name in CORE}
    found["the package itself"] = sorted((ROOT / "lngen").glob("*.py"))
    templates = files_in(ROOT / "templates")
    of_pages = [path for path in templates if path.relative_to(ROOT / "templates").parts[0] in ("html",)]
    found["templates"] = [path for path in templates if path not in of_pages]
    extensions = [*files_in(ROOT / "lngen" / "extensions"), *of_pages]
    emulator = [path for path in extensions if path.is_relative_to(ROOT / "lngen" / "extensions" / "simt")]
    found["core"] = [path for files in found.values() for path in files]
    found["extensions without the emulator"] = [path for path in extensions if path not in emulator]
    found["emulator"] = emulator
    return found | {"tests": files_in(ROOT / "tests")}


def files_in(folder: Path) -> list[Path]:
    """Return the files below a folder, without those of Python's cache."""
    return sorted(path for path in folder.rglob("*") if "__pycache__" not in path.parts)


class Visit:
    """Files of lngen that calls enter, and the moves from one file to another."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.moves, self.last, self.folder = 0, "", str(ROOT / "lngen") + os.sep

    def __call__(self, frame: Any, event: str, argument: Any) -> None:
        """Note a call or a return, as `sys.setprofile` reports it."""
        name = frame.f_code.co_filename
        if event in ("call", "return") and name.startswith(self.folder):
            self.files.add(name)
            self.moves += name != self.last
            self.last = name


def walked(layer: str) -> Visit:
    """Return the walk of deriving, proving and emitting a layer, with nothing cached."""
    from lngen.language.parsing import load
    from lngen.pipeline.stages import derived

    definition, walk = load(ROOT / "derive" / f"{layer}.py"), Visit()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["LNGEN_CACHE"] = folder
        sys.setprofile(walk)
        try:
            derived(definition)
        finally:
            sys.setprofile(None)
    return walk


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--walk", action="store_true", help="derive layer_norm, and count the files that are entered")
    wanted = parser.parse_args()
    print(f"{'':34}{'files':>7}{'lines':>9}{'code':>9}")
    for name, files in groups().items():
        print(
            f"{name:34}" + "".join(f"{count:{width}}" for count, width in zip(counted(files), (7, 9, 9), strict=True))
        )
    print(f"\n{len(CORE)} packages in the core")
    if wanted.walk:
        walk = walked("layer_norm")
        print(f"layer_norm, derived, proved and emitted: {len(walk.files)} files, {walk.moves} moves between files")


if __name__ == "__main__":
    main()
