"""Errors of lngen.

Every fault of a user's input is one `LngenError`: it names the fault, the place and the remedy. Any other error is a
bug of lngen.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_INDENT = 4
_LINE_WIDTH = 120


class LngenError(Exception):
    """Error that the user can put right; the message names the fault, the place and the remedy."""

    def _render_traceback_(self) -> list[str]:
        """Return the lines that a notebook shows instead of a traceback."""
        return [f"{type(self).__name__}: {self}"]


class DefinitionError(LngenError):
    """A definition that the language does not allow.

    `line` and `column` count characters from 1. `code` is the stable name of the refusal: `docs/errors.md` lists
    each with an example and with the definition that its remedy leads to. `str(error)` is the whole report:

    >>> print(DefinitionError("f.py", 2, 12, "nothing is called 'z'", "assign 'z' first", "    return z"))
    f.py:2:12: nothing is called 'z'
            return z
                   ^
      remedy: assign 'z' first
    """

    def __init__(
        self, filename: str, line: int, column: int, message: str, remedy: str, source_line: str, code: str = ""
    ) -> None:
        self.filename = filename
        self.line = line
        self.column = column
        self.message = message
        self.remedy = remedy
        self.source_line = source_line
        self.code = code
        super().__init__(filename, line, column, message, remedy, source_line, code)

    def __str__(self) -> str:
        return self.within(_INDENT + _LINE_WIDTH)

    def within(self, columns: int) -> str:
        """The report with no more of the source line than fits into so many columns."""
        shown, offset = _window(self.source_line, self.column, min(_LINE_WIDTH, columns - _INDENT))
        where = f"{printable(self.filename)}:{self.line}:{self.column}"
        place = f"    {shown}\n    {' ' * offset}^\n" if shown.strip() else ""
        return f"{where}: {printable(self.message)}\n{place}  remedy: {printable(self.remedy)}"


def printable(text: str) -> str:
    r"""The text with every character that could act on a terminal escaped.

    >>> print(printable("a\x1b[2Jb\tc\nd"))
    a\x1b[2Jb\tc\nd
    """
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def printable_lines(text: str) -> str:
    r"""Return the text as `printable` does, its lines kept.

    >>> print(printable_lines("a\x1b[2J\nb"))
    a\x1b[2J
    b
    """
    return "\n".join(map(printable, text.split("\n")))


def nearest(name: str, names: Iterable[str]) -> str:
    """Ask for the nearest of some names, in words to end a message with; empty where none is near.

    >>> nearest("meen", ["mean", "max"]), nearest("x", ["mean"])
    (' Did you mean mean?', '')
    """
    near = difflib.get_close_matches(name, [*names], n=1)
    return f" Did you mean {near[0]}?" if near else ""


def counted(number: int, noun: str) -> str:
    """A number and its noun.

    >>> counted(1, "file"), counted(2, "file")
    ('1 file', '2 files')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _window(source_line: str, column: int, width: int) -> tuple[str, int]:
    """The part of an escaped line that is worth printing, and where the caret stands in it."""
    before = printable(source_line[: column - 1])
    after = printable(source_line[column - 1 :])
    # A caret past the end of the line (a missing operand) keeps its distance.
    offset = len(before) + max(0, column - 1 - len(source_line))
    if len(before) + len(after) <= width:
        return before + after, offset
    head = before if len(before) <= width // 2 else "..." + before[-(width // 2) :]
    room = width - len(head)
    tail = after if len(after) <= room else after[: room - len("...")] + "..."
    return head + tail, len(head) + offset - len(before)


class CompileError(LngenError):
    """A C++ or CUDA compiler refused a source; the message is the compiler's."""


class ToolchainMissing(LngenError):
    """Error for a missing compiler or missing headers; the message says what to install."""
