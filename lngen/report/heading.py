"""Heading of an emitted file: what made it, how to make it again, and what to mind."""

from __future__ import annotations

import re
from pathlib import PurePath

from lngen.derivation.derivation import Direction
from lngen.emit import Notes
from lngen.emit.backends import backend
from lngen.language.definition import Definition
from lngen.plan.planner import Plan
from lngen.report.audit import hazards, warning
from lngen.report.formulas import formulas, in_parts
from lngen.runtime.cache import digest
from lngen.runtime.emitted import BACKENDS
from lngen.version import __version__

_SAFE_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,80}")
# In this order: what takes the place of one must not make another.
_UNSAFE_IN_COMMENTS = (
    ("\\", "/"),
    ("*/", "* /"),
    ("/*", "/ *"),
    ("??/", "? ?/"),
    ("-->", "- ->"),
    ("--!>", "- -!>"),
)


def notes(planned: Plan, backend: str) -> Notes:
    """Return what a backend writes besides the code: the title, the lines at the top, formulas, names of callers."""
    definition = planned.derivation.definition
    lines: dict[Direction, tuple[str, ...]] = {}
    for direction, each in formulas(planned).items():
        first, last = in_parts(definition, direction)
        lines[direction] = (*first, *each, *last)
    renamed = (f"{name} is the {written} of the definition" for name, written in definition.renamed)
    return Notes(
        layer=definition.name,
        title=_title(definition),
        header=header(planned, backend),
        formulas={**lines, "forward": (*renamed, *lines["forward"])},
        inputs=tuple(entry.name for entry in definition.positional),
        data=tuple(entry.name for entry in definition.data),
        nonnegative=definition.needed_positive,
        renamed=definition.renamed,
        counterparts=definition.counterparts,
        layout=definition.layout,
        sizes=definition.sizes,
        patterns={entry.name: entry.pattern for entry in definition.inputs if entry.pattern},
        parts=definition.parts,
    )


def header(planned: Plan, name: str | None = None) -> tuple[str, ...]:
    """The comment lines at the top of an emitted file, each safe in a Python, a C and an HTML comment.

    `name` is that of the backend that emits the file; None is the derivation as a document.
    """
    definition = planned.derivation.definition
    file = file_word(definition)
    option = "" if name is None or name in BACKENDS else f" --backend {name}"
    remark = backend(name).remark(planned) if name else ""
    made = f"Made by lngen {__version__} from the definition of {definition.name}"
    lines = [
        f"{made}; derivation.md has its steps, cost and evidence.",
        f"Do not edit; edit {file} and run: lngen derive {file}{option}"
        if file != "FILE"
        else "Do not edit; edit the definition and run: lngen derive FILE" + option,
        *_open_line(remark),
        *_open_line(warning(hazards(planned))),
        f"definition sha256:{digest([definition.canonical()])}",
    ]
    return tuple(comment_safe(line) for line in lines)


def file_word(definition: Definition) -> str:
    """The name of the definition's file as a word of a command; `FILE` where it has none that is safe to type.

    >>> from lngen.language.parsing import parse
    >>> [file_word(parse("def f(x: Row): return 2*x", name)) for name in ("some/where/f.py", "<a string>")]
    ['f.py', 'FILE']
    """
    file = PurePath(definition.filename).name
    return file if _SAFE_FILE_NAME.fullmatch(file) else "FILE"


def _open_line(words: str) -> tuple[str, ...]:
    return (f"{words[0].upper()}{words[1:]}.",) if words else ()


def comment_safe(line: str) -> str:
    r"""One line of plain ASCII that can neither end nor continue a comment.

    >>> comment_safe("a */ b\n\\")
    'a * / b /'
    """
    text = " ".join(line.split()).encode("ascii", "replace").decode()
    text = "".join(char for char in text if char.isprintable())
    for found, instead in _UNSAFE_IN_COMMENTS:
        text = text.replace(found, instead)
    return text


def _title(definition: Definition) -> str:
    """The first line of the docstring, safe inside a docstring."""
    first = definition.docstring.strip().partition("\n")[0]
    return comment_safe(first).replace('"', "'") or definition.name
