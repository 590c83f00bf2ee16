"""Text cut to a width: prose at spaces, formulas at operators, names in a column."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any, Protocol

from lngen.errors import printable

WIDTH = 110
"""No line of plain text is longer."""

NARROWEST = 40
"""Minimum width of a layout; a narrower column has no room for a formula."""

_AT_SPACES: dict[str, Any] = {"break_long_words": False, "break_on_hyphens": False}
_EQUATION = re.compile(r"\w+ = ")
_NAME_COLUMN = 28
_LEAST_CELL = 20


def prose(words: str, width: int, indent: str = "") -> list[str]:
    """Words as lines of at most `width`, each after `indent`.

    >>> prose("a few words", 9, "  ")
    ['  a few', '  words']
    """
    shown = printable(" ".join(words.split()))
    return textwrap.wrap(shown, width, initial_indent=indent, subsequent_indent=indent) or [indent.rstrip()]


def wrapped(text: str, width: int) -> str:
    """The lines of a text as lines of at most `width`, without a word broken.

    >>> print(wrapped("  a line that is indented, and a word: a_name_that_stays_whole", 20))
      a line that is
      indented, and a
      word:
      a_name_that_stays_whole
    """
    lines = []
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip(" ")))
        lines += textwrap.wrap(line, width, subsequent_indent=indent, **_AT_SPACES) or [""]
    return "\n".join(lines)


def expression(text: str, width: int, first: str = "", rest: str | None = None) -> list[str]:
    """A formula as lines, broken before an operator, the outermost there is room for.

    `first` stands before the first line and `rest` before the others.

    >>> print("\\n".join(expression("rstd*(g - mean(g)) + xhat*mean(g*xhat)", 24, "dx = ", "     ")))
    dx = rstd*(g - mean(g))
         + xhat*mean(g*xhat)
    """
    rest = " " * len(first) if rest is None else rest
    lines, prefix = [], first
    while len(prefix) + len(text) > width:
        at = _break(text, max(width - len(prefix), 8))
        if at >= len(text):
            break
        lines.append((prefix + text[:at]).rstrip())
        text, prefix = text[at:].lstrip(), rest
    return [*lines, prefix + text]


class NamedFormula(Protocol):
    """Formula with a name and a right-hand side."""

    @property
    def name(self) -> str: ...

    @property
    def text(self) -> str: ...


def aligned(formulas: Sequence[NamedFormula], width: int, indent: str) -> list[str]:
    """Formulas below each other, their equals signs in a column."""
    column = min(max((len(f.name) for f in formulas), default=0), _NAME_COLUMN)
    lines = []
    for formula in formulas:
        first = f"{indent}{formula.name.ljust(column)} = "
        lines += expression(formula.text, width, first, " " * (len(indent) + column + 3))
    return lines


def table(rows: Iterable[Sequence[str]], width: int, indent: str = "  ") -> list[str]:
    """Rows of cells in columns. A cell that is too wide is wrapped below itself: the last one, then the widest others.

    A cell may have lines of its own. It is wrapped at spaces, and a formula without any at its operators.

    >>> print("\\n".join(table([("a few words", "and more of them than there is room for")], 44)))
      a few words  and more of them than there
                   is room for
    """
    cells = [["\n".join(map(printable, _lines(cell))) for cell in row] for row in rows]
    if not cells:
        return []
    *sizes, last = (max(len(line) for row in cells for line in _lines(row[i])) for i in range(len(cells[0])))
    room = width - len(indent) - 2 * len(sizes)
    words = (word for row in cells for word in row[-1].split())
    longest_word = max((len(part) for word in words for part in expression(word, _LEAST_CELL)), default=0)
    last = min(last, max(room - sum(sizes), longest_word, _LEAST_CELL))
    while sum(sizes) + last > room and max(sizes) > _LEAST_CELL:
        sizes[sizes.index(max(sizes))] -= 1
    lines = []
    for row in cells:
        wrapped = (_wrapped(cell, max(size, 1)) for cell, size in zip(row, (*sizes, last), strict=True))
        for parts in zip_longest(*wrapped, fillvalue="") if any(row) else [row]:
            line = "  ".join(part.ljust(size) for part, size in zip(parts, (*sizes, last), strict=True))
            lines.append((indent + line).rstrip())
    return lines


def _lines(cell: str) -> list[str]:
    return cell.splitlines() or [""]


def _wrapped(cell: str, width: int) -> list[str]:
    lines = []
    for line in _lines(cell):
        if _EQUATION.match(line):
            lines += expression(line, width, "", "    ")
        else:
            lines += [part for piece in textwrap.wrap(line, width, **_AT_SPACES) for part in expression(piece, width)]
    return lines


def cut(line: str, width: int) -> list[str]:
    """A line of source as it stands, broken where it is too long; nothing of it can act on a terminal.

    >>> cut("def f(x: Row, eps: Constant = 1e-5):", 30)
    ['def f(x: Row, eps: Constant =', '        1e-5):']
    """
    shown = printable(line.expandtabs(4).rstrip())
    inner = " " * (len(shown) - len(shown.lstrip()) + 8)
    return textwrap.wrap(shown, width, subsequent_indent=inner, break_on_hyphens=False) or [""]


def _break(text: str, room: int) -> int:
    """Return where to break: before the outermost operator in the second half of the room, else at any operator."""
    depth, best, key = 0, len(text), (99, 0)
    for at, character in enumerate(text):
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        if at > room:
            break
        spaced = re.match(r" [-+<>=!]+ ", text[at:]) is not None
        product = character in "*/" and at > 0 and "*" not in (text[at - 1], text[at + 1 : at + 2])
        comma = at > 0 and text[at - 1] == ","
        if at == 0 or not (spaced or product or comma):
            continue
        candidate = (depth + (2 if product else 0) + (4 if at < room // 3 else 0), -at)
        if candidate <= key:
            best, key = at, candidate
    if best == len(text):
        later = re.compile(r" [-+<>=] |(?<=,) ").search(text, room)
        best = later.start() if later else len(text)
    return best
