"""The text of a function: names that do not collide, and lines with the conditions that they are under."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from lngen.backends.layout import comment, condition, wrapped

_TARGET = re.compile(r"(?:read_|place_)?(\w+?)(?:_sums|_block)? = ")
"""Pattern of the name that a line assigns, without prefixes and suffixes for its memory."""


_WORD = re.compile(r"[^\W\d]\w*")

_IN_PLACE = ("_rows.residual(", "_rows.less_residual(")
"""Helpers that also write to their arguments."""


class LocalNames:
    """Names of one scope: the derivation's, and further ones.

    >>> names = LocalNames(["buffer"])
    >>> names.internal("buffer"), names.internal("part"), names.internal("part")
    ('buffer_2', 'part', 'part_2')
    """

    def __init__(self, own: Iterable[str]) -> None:
        self._taken = set(own)

    def internal(self, name: str) -> str:
        """A name for something of the emitted code's own, with a number after it if it is taken."""
        spelled, number = name, 1
        while spelled in self._taken:
            number += 1
            spelled = f"{name}_{number}"
        self._taken.add(spelled)
        return spelled


@dataclass(frozen=True)
class CodeLine:
    """Line and its condition, "" for none.

    A heading is a comment on the lines after it.
    """

    text: str
    condition: str = ""
    heading: str = ""


def laid_out(lines: Iterable[CodeLine], indent: int) -> tuple[str, ...]:
    """Lines with their conditions written out, neighbours under one `if`, comments above, none longer than
    88.

    >>> lines = [CodeLine("t = np.add(x, b)", "b is not None", "step 1: t = b + x"), CodeLine("t = x", "b is None")]
    >>> print("\\n".join(laid_out(lines, 0)))
    # step 1: t = b + x
    if b is not None:
        t = np.add(x, b)
    else:
        t = x
    """
    result: list[str] = []
    open_condition = ""
    may_have_else = False
    heading = ""
    for line in lines:
        deeper = indent + 4 if line.condition else indent
        new_heading = line.heading and line.heading != heading
        heading = line.heading or heading
        if line.condition != open_condition:
            opposite = _opposite(open_condition) == line.condition and may_have_else and not new_heading
            if new_heading:
                result += comment(line.heading, indent)
            if line.condition:
                result += [f"{' ' * indent}else:"] if opposite else condition(line.condition, indent)
            may_have_else = not opposite
            open_condition = line.condition
        elif new_heading:
            result += comment(line.heading, deeper)
        result += wrapped(line.text, deeper)
    return tuple(result)


def read_only_assigned(lines: Sequence[CodeLine]) -> list[CodeLine]:
    """Drop assignments to names that are never read, where the result is in its memory already.

    >>> lines = [CodeLine("y = np.exp(x, out=y_block)"), CodeLine("y = np.add(y, b, out=y_block)", "b is not None")]
    >>> [line.text for line in read_only_assigned([*lines, CodeLine("z = y", "b is None")])]
    ['y = np.exp(x, out=y_block)', 'np.add(y, b, out=y_block)']
    >>> lines = [CodeLine("r = _rows.residual(c, m)"), CodeLine("s = sum(x)"), CodeLine("_f(c)")]
    >>> [line.text for line in read_only_assigned(lines)]
    ['_rows.residual(c, m)', '_f(c)']
    """
    kept: list[CodeLine] = []
    read: set[str] = set()
    for line in reversed(lines):
        name, equals, value = line.text.partition(" = ")
        if equals and name.isidentifier() and name not in read:
            if "out=" not in value and not value.startswith(_IN_PLACE):
                continue
            line = replace(line, text=value)
        else:
            value = line.text if not name.isidentifier() else value
        read |= set(_WORD.findall(f"{value or line.text} {line.condition}"))
        kept.append(line)
    return kept[::-1]


def named_conditions(
    parts: Sequence[Sequence[CodeLine]], fresh: Callable[[str], str]
) -> tuple[dict[str, str], list[list[CodeLine]]]:
    """Name long conditions that recur, `needs_mu` for the computation of `mu`; return the names, and the lines.

    >>> long = "a is not None and b is not None"
    >>> lines = [CodeLine("mu = 1", long), CodeLine("y = x"), CodeLine("y += mu", long)]
    >>> names, ((first, *_),) = named_conditions([lines], str)
    >>> names, first.condition
    ({'a is not None and b is not None': 'needs_mu'}, 'needs_mu')
    """
    runs = Counter(
        condition
        for lines in parts
        for condition, _ in groupby(line.condition for line in lines)
        if " and " in condition or " or " in condition
    )
    first = {line.condition: line.text for lines in reversed(parts) for line in reversed(lines)}
    names = {
        condition: fresh(f"needs_{_TARGET.match(first[condition])[1]}")  # type: ignore[index]
        for condition, count in runs.items()
        if count > 1 and _TARGET.match(first[condition])
    }
    renamed = [
        [replace(line, condition=names.get(line.condition, line.condition)) for line in lines] for lines in parts
    ]
    return names, renamed


def _opposite(condition: str) -> str:
    if " and " in condition or " or " in condition or not condition:
        return ""
    if condition.endswith(" is not None"):
        return condition.removesuffix(" is not None") + " is None"
    if condition.endswith(" is None"):
        return condition.removesuffix(" is None") + " is not None"
    return condition.removeprefix("not ") if condition.startswith("not ") else f"not {condition}"


def definition(name: str, arguments: list[str]) -> list[str]:
    """The first lines of a function."""
    return wrapped(f"def {name}({', '.join(arguments)}):", 0)


def indented(lines: list[str], indent: int = 4) -> list[str]:
    """The lines of a function's body, none too long."""
    result = []
    for line in lines:
        stripped = line.lstrip()
        result += wrapped(stripped, indent + len(line) - len(stripped))
    return result


def words(lines: Iterable[CodeLine]) -> set[str]:
    """Return the names and words in lines and in their conditions, without comments."""
    return {word for line in lines for word in _WORD.findall(f"{line.text} {line.condition}")}


def words_in(lines: Iterable[str]) -> set[str]:
    """The names and words in lines of text, not in their comments.

    >>> sorted(words_in(["    # of x", "    y = z"]))
    ['y', 'z']
    """
    return {word for line in lines if not line.lstrip().startswith("#") for word in _WORD.findall(line)}
