"""Text cut to a width: prose at spaces, formulas at operators, names in a column."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from lngen.errors import printable
from lngen.report.formulas import Formula

WIDTH = 110
"""No line of plain text is longer."""

_NAME_COLUMN = 28
_LEAST_CELL = 20


def prose(words: str, width: int, indent: str = "") -> list[str]:
    """Words as lines of at most `width`, each after `indent`.

    >>> prose("a few words", 9, "  ")
    ['  a few', '  words']
    """
    shown = printable(" ".join(words.split()))
    return textwrap.wrap(shown, width, initial_indent=indent, subsequent_indent=indent) or [indent.rstrip()]


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


def aligned(formulas: Sequence[Formula], width: int, indent: str) -> list[str]:
    """Formulas below each other, their equals signs in a column."""
    column = min(max((len(f.name) for f in formulas), default=0), _NAME_COLUMN)
    lines = []
    for formula in formulas:
        first = f"{indent}{formula.name.ljust(column)} = "
        lines += expression(formula.text, width, first, " " * (len(indent) + column + 3))
    return lines


def table(rows: Iterable[Sequence[str]], width: int, indent: str = "  ") -> list[str]:
    """Rows of cells in columns. A cell that is too wide is wrapped below itself: the last one, then the widest others.

    >>> print("\\n".join(table([("a few words", "and more of them than there is room for")], 44)))
      a few words  and more of them than there
                   is room for
    """
    cells = [[printable(cell) for cell in row] for row in rows]
    if not cells:
        return []
    *sizes, last = (max(len(row[i]) for row in cells) for i in range(len(cells[0])))
    room = width - len(indent) - 2 * len(sizes)
    longest_word = max((len(word) for row in cells for word in row[-1].split()), default=0)
    last = min(last, max(room - sum(sizes), longest_word, _LEAST_CELL))
    while sum(sizes) + last > room and max(sizes) > _LEAST_CELL:
        sizes[sizes.index(max(sizes))] -= 1
    lines = []
    for row in cells:
        wrapped = (
            textwrap.wrap(c, max(n, 1), break_long_words=False) for c, n in zip(row, (*sizes, last), strict=True)
        )
        for parts in zip_longest(*wrapped, fillvalue="") if any(row) else [row]:
            line = "  ".join(part.ljust(size) for part, size in zip(parts, (*sizes, last), strict=True))
            lines.append((indent + line).rstrip())
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
    """Where to break: before the outermost operator in the second half of the room, else wherever one is."""
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
