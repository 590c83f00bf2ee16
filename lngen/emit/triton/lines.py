"""Lines of a kernel, each under the condition in which it is compiled."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import groupby

from lngen.emit.cpp.presence import Presence
from lngen.plan.presence import ALWAYS, NEVER, Condition, any_of
from lngen.plan.program import RowProgram

Line = tuple[Condition, str]
"""Condition of a line, and its text, which may be several lines."""

INDENT = "    "


def condition_text(condition: Condition) -> str:
    """A condition on arguments as Python.

    >>> x, y, z = map(Condition.of, "xyz")
    >>> condition_text(x & y | z), condition_text(x & y), condition_text(ALWAYS)
    ('(HAS_x and HAS_y) or HAS_z', 'HAS_x and HAS_y', 'True')
    """
    terms = [" and ".join(f"HAS_{flag}" for flag, _ in product) for product in condition.products()]
    if condition == ALWAYS or not terms:
        return str(bool(condition))
    alone = len(terms) == 1
    return " or ".join(term if alone or " and " not in term else f"({term})" for term in terms)


def under_conditions(lines: Iterable[Line]) -> list[str]:
    """Lines, those of one condition under one `if`.

    >>> x = Condition.of("x")
    >>> under_conditions([(ALWAYS, "a = 1"), (x, "b = 2"), (x, "c = 3"), (NEVER, "d = 4")])
    ['a = 1', 'if HAS_x:', '    b = 2', '    c = 3']
    """
    found: list[str] = []
    for condition, group in groupby((line for line in lines if line[0] != NEVER), key=lambda line: line[0]):
        texts = [part for _, text in group for part in text.split("\n")]
        found += texts if condition == ALWAYS else [f"if {condition_text(condition)}:", *indented(texts)]
    return found


def indented(lines: Iterable[str]) -> list[str]:
    """Lines one step further in."""
    return [INDENT + line for line in lines]


def joined(lines: Iterable[str]) -> list[str]:
    """Lines without an `if` on arguments that begins where one with the same condition ends.

    >>> joined(["if HAS_x:", "    a = 1", "if HAS_x:", "    b = 2", "c = 3"])
    ['if HAS_x:', '    a = 1', '    b = 2', 'c = 3']
    """
    found: list[str] = []
    begun: dict[int, str] = {}
    for line in lines:
        depth = _depth(line)
        repeats = begun.get(depth) == line
        begun = {place: text for place, text in begun.items() if place < depth or (place == depth and repeats)}
        if not repeats:
            found.append(line)
        if line.lstrip().startswith("if HAS_"):
            begun[depth] = line
    return found


def without_nesting(lines: Sequence[str]) -> list[str]:
    """Lines in which an `if` that has another `if` alone below is one with both conditions.

    >>> without_nesting(["if HAS_x or HAS_y:", "    if not WHOLE:", "        a = 1", "b = 2"])
    ['if (HAS_x or HAS_y) and not WHOLE:', '    a = 1', 'b = 2']
    """
    found = [*lines]
    for place in reversed(range(len(found) - 1)):
        outer, inner = found[place], found[place + 1]
        if not (
            outer.lstrip().startswith("if ") and inner.lstrip().startswith("if ") and _depth(inner) > _depth(outer)
        ):
            continue
        end = next((n for n in range(place + 2, len(found)) if _depth(found[n]) <= _depth(inner)), len(found))
        follows = found[end] if end < len(found) else ""
        if follows and (_depth(follows) > _depth(outer) or follows.lstrip().startswith(("else", "elif"))):
            continue
        parts = [text.strip().removeprefix("if ").removesuffix(":") for text in (outer, inner)]
        both = " and ".join(f"({part})" if " or " in part else part for part in parts)
        body = [line.removeprefix(INDENT) for line in found[place + 2 : end]]
        found[place:end] = [f"{' ' * _depth(outer)}if {both}:", *body]
    return found


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


class Moved(Presence):
    """Presence of the values of a direction of which something moves: of the tangents that it takes, one is there."""

    def __init__(self, program: RowProgram, moved: Collection[str]) -> None:
        self._some = any_of(map(Condition.of, moved)) if moved else ALWAYS
        super().__init__(program)

    def _settled(self, condition: Condition) -> Condition:
        settled = super()._settled(condition)
        return ALWAYS if self._some.implies(settled) else settled
