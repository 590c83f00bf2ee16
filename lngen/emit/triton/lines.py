"""Lines of a kernel, each under the condition in which it is compiled."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from lngen.plan.presence import ALWAYS, NEVER, Condition

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
    if condition is ALWAYS or not terms:
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
    for condition, group in groupby((line for line in lines if line[0] is not NEVER), key=lambda line: line[0]):
        texts = [part for _, text in group for part in text.split("\n")]
        found += texts if condition is ALWAYS else [f"if {condition_text(condition)}:", *indented(texts)]
    return found


def indented(lines: Iterable[str]) -> list[str]:
    """Lines one step further in."""
    return [INDENT + line for line in lines]
