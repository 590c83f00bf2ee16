"""Definitions that words on the command line name, and the folder of emitted files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from lngen import paths
from lngen.errors import LngenError, nearest, printable
from lngen.language.definition import Definition
from lngen.language.parsing import load
from lngen.pipeline.files import manifest


def definitions_folder() -> Path:
    """The folder of definitions: the checkout's, else `derive/` here, else the one that came with lngen."""
    return Path("derive") if paths.packaged and in_project() else paths.derive_folder()


def output_folder() -> Path:
    """Return the default output folder: the checkout's `generated/`, else `generated/` in the current folder."""
    return Path("generated") if paths.packaged else paths.generated_folder()


def in_project() -> bool:
    """Test whether the current folder is a checkout or has a folder `derive`; emitted code is then written by
    default.
    """
    return not paths.packaged or Path("derive").is_dir()


def every_file() -> tuple[Path, ...]:
    """The definition files of the folder, sorted. Raises LngenError if there are none."""
    folder = definitions_folder()
    files = tuple(sorted(folder.glob("*.py")))
    if not files:
        raise LngenError(f"{shown(folder)} holds no definition; name a FILE.")
    return files


def file_of(word: str) -> Path:
    """The definition file that a word means: a path, or a layer's name.

    Raises LngenError for an unknown name; the message lists the known ones and the nearest.
    """
    path = Path(word)
    if path.exists() and not path.is_dir():
        return path
    beside = definitions_folder() / (word if word.endswith(".py") else f"{word}.py")
    if path.name == word and beside.is_file():
        return beside
    if path.name != word or word.endswith(".py"):
        return path  # reading it says what is wrong with it
    return _file_defining(word)


def definition_of(word: str) -> Definition:
    """The definition that a word means: one in a file, or that of a folder which lngen wrote.

    A layer's name is that of its definition, also where a folder is called so.
    """
    path = Path(word)
    is_name = path.name == word and (definitions_folder() / f"{word}.py").is_file()
    is_folder = not is_name and (path / manifest.MANIFEST).is_file()
    return manifest.definition_in(path) if is_folder else load(file_of(word))


def definitions(words: Sequence[str]) -> tuple[Definition, ...]:
    """The definitions of the words, or all there are. All are read before any is used.

    Raises LngenError if two of them are called the same, for one would overwrite the other.
    """
    found: dict[str, tuple[Path, Definition]] = {}
    for definition in map(definition_of, words) if words else map(load, every_file()):
        file = Path(definition.filename)
        if definition.name in found and found[definition.name][0].resolve() != file.resolve():
            first = found[definition.name][0]
            raise LngenError(
                f"{shown(first)} and {shown(file)} both define {definition.name}. "
                "Rename one of them, or derive them into different folders with --out."
            )
        found[definition.name] = (file, definition)
    return tuple(definition for _, definition in found.values())


def with_all(words: Sequence[str], out: Path | None) -> list[str]:
    """The words, and one for each other layer that lngen wrote to a folder. Raises LngenError if there is no layer."""
    if out is None:
        raise LngenError("--all derives the layers of a folder again: say with --out DIR which folder.")
    named = [definition_of(word).name for word in words]
    # Beside a folder's name, a word that is a name alone means the definition file of that name.
    found = [*words, *(f"{out}{os.sep}{folder.name}" for folder in manifest.layers_in(out, named))]
    if not found:
        raise LngenError(f"{shown(out)} holds no layer that lngen wrote; name a FILE.")
    return found


def shown(path: Path) -> str:
    """A path as it is printed: relative to where the user is, if it is below."""
    relative = os.path.relpath(path)
    return printable(os.fspath(path) if relative.startswith("..") else relative)


def _file_defining(name: str) -> Path:
    """The file whose function has that name; a file need not be called like its function."""
    names: dict[str, Path] = {}
    for file in every_file():
        try:
            names[load(file).name] = file
        except LngenError:
            continue  # only the file that was asked for has to be right
    if name in names:
        return names[name]
    if Path(name).is_dir():
        raise LngenError(
            f"{printable(name)} is a folder, and none that lngen wrote a layer to. Name one in it, or a file."
        )
    if Path(f"{name}.py").is_file():
        raise LngenError(
            f"there is no layer {printable(name)!r}. For the file of that name, write {printable(name)}.py."
        )
    raise LngenError(
        f"there is no layer {printable(name)!r}.{nearest(name, names)} There are {', '.join(names) or 'none'}. "
        "A definition file is named by its path, such as ./mine.py."
    )
