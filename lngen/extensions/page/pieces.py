"""Formulas in pieces between which a line may be broken, so that they fit a narrow screen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, groupby
from typing import TypeAlias

from lngen.extensions.page.mathml import Attributes, Node, parsed, written

_LONG = 26
"""A formula of more characters may be broken, so that it fits a narrow screen."""
_WIDE = 30
"""Most characters of a piece that is not broken, if it can be written in another way."""
_TALL = 17
"""The same limit for a group with a fraction, which has more space around it."""
_FIXED = (("stretchy", "true"), ("minsize", "2em"), ("maxsize", "2em"))
"""Parentheses around what is broken into lines are as high as a fraction, on whichever line they stand."""

_Part: TypeAlias = "tuple[Node, Attributes]"


def pieces(tex: str) -> tuple[str, ...]:
    r"""A formula in pieces between which a line may be broken: before operators, also in parentheses.

    Where that leaves a piece too wide for a phone, factors are pieces too, and a wide fraction is written as a
    quotient, a wide root as a power, wide cases one after the other.

    >>> len(pieces("x - y")), len(pieces(r"d + \mathrm{scale} \left(abc - def - ghi\right) + klmnopq - rst"))
    (1, 6)
    >>> [len(pieces(rf"\frac{{{above}}}{{d}}")) for above in ("a + b", "a + b + c + d + e + f + g + h + j + k")]
    [1, 10]
    """
    nodes = parsed(tex)
    if sum(node.length for node in nodes) <= _LONG:
        return (written(nodes),)
    found: list[list[_Part]] = [[]]
    for node, marks in _flat(nodes):
        if node.may_begin_a_line and found[-1]:
            # The space before it is that between the pieces.
            node = replace(node, attributes=(("form", "infix"), ("lspace", "0"), ("rspace", ".22em")))
            found.append([])
        found[-1].append((node, marks))
    return tuple(written([*_together(piece)]) for parts in found for piece in _factors(parts))


def _flat(nodes: Sequence[Node], marks: Attributes = ()) -> Iterator[_Part]:
    """The nodes, long groups of them taken apart, each with what the group that it was in is marked as."""
    for node in nodes:
        limit = _TALL if node.is_tall or node.tag != "mrow" else _LONG // 2
        inside = _taken_apart(node) if node.length > limit else None
        if inside is None:
            yield node, marks
        else:
            yield from _flat(inside, (*marks, *_marks(node)))


def _taken_apart(node: Node) -> Sequence[Node] | None:
    """Rewrite a wide node so that it can be broken into lines; None if there is no other way."""
    if node.tag == "mrow" and len(node.children) == 2 and node.children[1].tag == "mtable":
        pairs = [[cell.children for cell in row.children] for row in node.children[1].children]
        cells = [[*value, Node("mtext", "\u00a0"), *condition] for value, condition in pairs]
        spaced = [[*row, Node("mo", ",")] for row in cells[:-1]]
        return [_fence("{"), *chain(*spaced, cells[-1]), _fence("}")]
    if node.tag == "mrow":
        return [replace(each, attributes=_FIXED) if _grows(each) else each for each in node.children]
    if node.tag == "mfrac":
        above, below = node.children
        return [*_grouped(above), Node("mo", "/"), *_grouped(below)]
    if node.tag == "msqrt":
        half = Node("mrow", children=(Node("mn", "1"), Node("mo", "/"), Node("mn", "2")))
        return _raised(_grouped(node.children[0], always=True), half)
    if node.tag == "msup" and node.children[0].tag == "mrow":
        return _raised(_taken_apart(node.children[0]) or (), node.children[1])
    return None


def _raised(group: Sequence[Node], exponent: Node) -> Sequence[Node]:
    """A group in parentheses, the exponent at the one that closes it."""
    return [*group[:-1], Node("msup", children=(group[-1], exponent))]


def _grouped(node: Node, *, always: bool = False) -> Sequence[Node]:
    """A node in parentheses, if it is more than one."""
    inside = node.children if node.tag == "mrow" else (node,)
    if len(inside) == 1 and not always:
        return inside
    return [_fence("("), Node("mrow", children=tuple(inside)), _fence(")")]


def _fence(sign: str) -> Node:
    return Node("mo", sign, attributes=(("stretchy", "false"),))


def _grows(node: Node) -> bool:
    return node.tag == "mo" and ("stretchy", "true") in node.attributes


def _marks(node: Node) -> Attributes:
    return tuple(pair for pair in node.attributes if pair[0] in ("class", "data-name"))


def _factors(parts: Sequence[_Part]) -> Iterator[Sequence[_Part]]:
    """The parts of a piece as they are, or one factor after the other where together they are too wide."""
    if sum(node.length for node, _ in parts) <= _WIDE:
        yield parts
        return
    factor: list[_Part] = []
    for node, marks in parts:
        if node.tag == "mspace" and sum(each.length for each, _ in factor) > _WIDE // 4:
            # The space between the pieces stands for it.
            yield factor
            factor = []
        else:
            factor.append((node, marks))
    if factor:
        yield factor


def _together(parts: Sequence[_Part]) -> Iterator[Node]:
    """The nodes of a piece, what was in one marked group in one again."""
    for marks, run in groupby(parts, key=lambda part: part[1]):
        inside = [node for node, _ in run]
        if marks:
            yield Node("mrow", children=tuple(inside), attributes=marks[-1:])
        else:
            yield from inside
