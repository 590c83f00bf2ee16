"""Compare the size of the repository with `budget.toml`, where a number goes down and rises only by a decision.

python -m tools.budget          each count beside its limit; exit status 1 where one is over

Sizes are lines of code by package (`tools.house`), and lines of tests and of emitted files. The files and lines that
`lngen derive layer_norm --out` writes for a backend count too, and the calls of functions that deriving it takes.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

from tools import house

FILE = house.ROOT / "budget.toml"
LAYER = "layer_norm"
"""The layer whose emission and derivation are counted."""


def limits() -> dict[str, dict[str, int]]:
    """Return the most that each count may be, by its table and name in `budget.toml`."""
    tables: dict[str, dict[str, int]] = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return tables


def code() -> dict[str, int]:
    """Count lines of code by package, and of the core and the extensions in all."""
    return {name: house.counted(files)[2] for name, files in house.groups().items() if name != "tests"}


def lines() -> dict[str, int]:
    """Count lines of what is not a package: tests, and what `lngen derive` wrote."""
    return {name: house.lines(house.texts(files)) for name, files in _others().items()}


def _others() -> dict[str, list[Path]]:
    generated = house.ROOT / "generated"
    emitted = [path for path in house.files_in(generated) if path.relative_to(generated).parts[0] != "_runtime"]
    return {"tests": house.groups()["tests"], "generated": emitted}


def vendored() -> dict[str, int]:
    """Count files and lines that a layer for one backend consists of, its part of `_runtime` included."""
    from lngen.language.parsing import load
    from lngen.pipeline.files.manifest import shared_emission
    from lngen.pipeline.stages import derived
    from lngen.runtime.emitted import BACKENDS

    definition = load(house.ROOT / "derive" / f"{LAYER}.py")
    found = {}
    for backend in BACKENDS:
        layer = derived(definition, backends=[backend]).emission
        texts = [
            text for path, text in (*layer.files, *shared_emission([layer]).files) if not path.endswith(_DOCUMENTS)
        ]
        found[f"{backend} files"] = len(texts)
        found[f"{backend} lines"] = sum(len(text.splitlines()) for text in texts)
    return found


_DOCUMENTS = (".md", ".json")


def exceptions() -> dict[str, int]:
    """Count the files of tests that read private names of lngen, those that `pyproject.toml` lists for ruff."""
    return {"tests of private names": len(private_tests())}


def private_tests() -> list[str]:
    """Return the files of tests that may read private names."""
    project = tomllib.loads((house.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    ignored: dict[str, list[str]] = project["tool"]["ruff"]["lint"]["per-file-ignores"]
    return [path for path, rules in ignored.items() if "SLF001" in rules and path.startswith("tests/")]


def over(found: dict[str, int], allowed: dict[str, int]) -> list[str]:
    """List what is over its limit, and what has none.

    >>> over({"plan": 12, "emit": 7}, {"plan": 11, "emit": 7})
    ['plan: 12 of at most 11']
    """
    if unknown := found.keys() ^ allowed.keys():
        return [f"{name}: not in both the repository and budget.toml" for name in sorted(unknown)]
    return [f"{name}: {count} of at most {allowed[name]}" for name, count in found.items() if count > allowed[name]]


def grown(names: Iterable[str]) -> Iterator[str]:
    """Yield the files of some parts that have most more lines than when `budget.toml` was last changed.

    Without the history of git nothing is yielded.
    """
    parts = {**house.groups(), **_others()}
    files = {str(path.relative_to(house.ROOT)) for name in names for path in parts.get(name, ())}
    last = _git("log", "-1", "--format=%H", "--", FILE.name).strip()
    changes = [line.split("\t") for line in _git("diff", "--numstat", last).splitlines()] if last else []
    more = [(int(added) - int(gone), path) for added, gone, path in changes if path in files and added != "-"]
    yield from (f"{path}: {count} more lines" for count, path in sorted(more, reverse=True)[:5] if count > 0)


def _git(*words: str) -> str:
    run = subprocess.run(["git", *words], cwd=house.ROOT, capture_output=True, text=True, check=False)
    return run.stdout if run.returncode == 0 else ""


def main() -> int:
    """Print each count beside its limit, and the files that grew where one is over."""
    found = {"code": code(), "lines": lines(), "vendored": vendored(), "exceptions": exceptions()}
    allowed, status = limits(), 0
    for table, counts in found.items():
        for name, count in counts.items():
            print(f"{table + '.' + name:44}{count:>9}{allowed[table].get(name, 0):>9}")
        if wrong := over(counts, allowed[table]):
            print("\n".join([*wrong, *grown(counts)]))
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
