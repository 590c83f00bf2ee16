"""Emitted code as lines that lead to the steps they come from: the comments of the code say from which."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from lngen.emit.render import Markup

_STEP = re.compile(r"(#|//) step (\d+)\b")
_COMMENT = re.compile(r"(?:#(?!include|define|if|el|endif|error|pragma)|//).*$")
_KEYWORD_LIST = """
and as assert break class continue def elif else except finally for from if import in is lambda None not or pass raise
return try while with True False
template typename struct const static auto void int unsigned bool float double using inline namespace constexpr public
switch case default extern __global__ __device__ __shared__ __forceinline__ __launch_bounds__
"""
_KEYWORDS = frozenset(_KEYWORD_LIST.split())


_AROUND = 8


@dataclass(frozen=True)
class Line:
    """A line of a file. `step` is where it comes from, 0 for none; the first of a step's lines is a `link` to it."""

    number: int
    step: int
    link: bool
    code: Markup


def listing(code: str, names: Collection[str]) -> list[Line]:
    """The lines of a file; `names` of the derivation are `<u>` in those that come from a step: a page has many.

    A comment of its own speaks for the lines that follow it, as deep as it stands.

    >>> [(line.number, line.step) for line in listing("def f():\\n    # step 2: y\\n    y = 1\\n\\n    z = 1", {"y"})]
    [(1, 0), (2, 2), (3, 2), (4, 0), (5, 0)]
    """
    found = []
    step, depth, prose = 0, 0, False
    for number, line in enumerate(code.splitlines(), 1):
        said = _STEP.search(line)
        indent = len(line) - len(line.lstrip())
        if not line.strip() or indent < depth:
            step = 0
        own = step
        if said:
            own = int(said[2])
            if line.lstrip().startswith(said[1]):
                step, depth = own, indent
        prose_here = prose or '"""' in line
        prose ^= line.count('"""') % 2 == 1
        words = _words(line, (), ()) if prose_here else _coloured(line, names if own else ())
        found.append(Line(number, own, bool(said), Markup("".join(words))))
    return found


def _coloured(line: str, names: Collection[str]) -> Iterator[str]:
    comment = _COMMENT.search(line)
    code = line[: comment.start()] if comment else line
    yield from _words(code, names)
    if comment:
        yield f"<i>{''.join(_words(comment[0], names, frozenset()))}</i>"


def _words(text: str, names: Collection[str], keywords: Collection[str] = _KEYWORDS) -> Iterator[str]:
    at = 0
    for word in re.finditer(r"(?<![\w.])[A-Za-z_]\w*", text):
        if word[0] in names or word[0] in keywords:
            yield escape(text[at : word.start()])
            yield f"<u>{word[0]}</u>" if word[0] in names else f"<b>{word[0]}</b>"
            at = word.end()
    yield escape(text[at:])


def without_the_rest(lines: Sequence[Line]) -> list[Line | int]:
    """The lines that come from a step and those around them; for a long run of others how many there are.

    >>> lines = [Line(number, int(number == 50), number == 50, Markup("")) for number in range(1, 61)]
    >>> [f"{entry} more" if isinstance(entry, int) else entry.number for entry in without_the_rest(lines)]
    ['41 more', 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60]
    """
    stepped = [at for at, line in enumerate(lines) if line.step]
    found: list[Line | int] = []
    end = 0
    for at in [*stepped, None]:
        run = lines[end : len(lines) if at is None else at]
        after = run[:_AROUND] if end else []
        before = run[max(len(after), len(run) - _AROUND) :] if at is not None else []
        left_out = len(run) - len(after) - len(before)
        if left_out <= _AROUND:
            found += run
        else:
            found += [*after, left_out, *before]
        if at is not None:
            found.append(lines[at])
            end = at + 1
    return found


def lines_of(step: int, lines: Collection[Line]) -> tuple[int, ...]:
    """The numbers of the lines at which the code begins that comes from a step."""
    return tuple(line.number for line in lines if line.step == step and line.link)
