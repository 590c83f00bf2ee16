"""Changes of a step, found by comparing both sides as trees, and both sides with the changes marked.

There are two neutral forms: a line as spans of text, some of them changed, and LaTeX with the changes in colour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from sympy import Add, Expr, Mul, Pow, Symbol, preorder_traversal

from lngen.algebra.notation.latex import Latex
from lngen.algebra.notation.order import Order
from lngen.algebra.notation.plain import Text
from lngen.errors import printable

COLOUR = "teal"
"""Colour of a change in LaTeX: legible on white and on black."""

_FEW_NAMES = 2

_BEGIN, _END = "\ue000", "\ue001"


@dataclass(frozen=True)
class Span:
    """A piece of a line, and whether it is part of what changed."""

    text: str
    changed: bool


def changes(before: Expr, after: Expr) -> tuple[frozenset[Expr], frozenset[Expr]]:
    """The parts of each side that the other one lacks; where all is another, names that one has more often, if few.

    >>> from lngen.algebra.symbols import Mean, RowScalarSymbol, RowSymbol
    >>> g, t, r, x = RowSymbol("g"), RowSymbol("t"), RowScalarSymbol("r"), RowSymbol("x")
    >>> changes(r*g - r*Mean(g)*Mean(t), r*g)
    (frozenset({-r*Mean(g)*Mean(t)}), frozenset())
    >>> changes(g + Mean(x*t), g + Mean(x*g))
    (frozenset({t}), frozenset({g}))
    >>> changes(r*g - r*t, r*(g - t))
    (frozenset({r}), frozenset({r}))
    """
    gone, new = _differing(before, after)
    if before in gone or after in new or not (gone or new):
        return _counted(before, after)
    return frozenset(gone), frozenset(new)


def _differing(before: Expr, after: Expr) -> tuple[list[Expr], list[Expr]]:
    if before == after:
        return [], []
    for kind in (Add, Mul):
        if kind in (before.func, after.func):
            left, right = Counter(kind.make_args(before)), Counter(kind.make_args(after))
            if not left & right:
                return [before], [after]
            gone, new = list((left - right).elements()), list((right - left).elements())
            return _differing(gone[0], new[0]) if len(gone) == len(new) == 1 else (gone, new)
    if before.func != after.func or len(before.args) != len(after.args) or not before.args:
        return [before], [after]
    pairs = [(a, b) for a, b in zip(before.args, after.args, strict=True) if a != b]
    return _differing(*pairs[0]) if len(pairs) == 1 else ([a for a, _ in pairs], [b for _, b in pairs])


def _counted(before: Expr, after: Expr) -> tuple[frozenset[Expr], frozenset[Expr]]:
    left, right = (Counter(e for e in preorder_traversal(side) if isinstance(e, Symbol)) for side in (before, after))
    differ = {e for e in left | right if left[e] != right[e]}
    if not differ or len(differ) > _FEW_NAMES:
        return frozenset({before}), frozenset({after})
    return frozenset(differ & left.keys()), frozenset(differ & right.keys())


def spans(expression: Expr, changed: frozenset[Expr], order: Order = ()) -> tuple[Span, ...]:
    """The text of an expression, cut where what changed begins and ends.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> g, r = RowSymbol("g"), RowScalarSymbol("r")
    >>> [(span.text, span.changed) for span in spans(r*(g - r), frozenset({g}))]
    [('r*(', False), ('g', True), (' - r)', False)]
    """
    written = Text(order, _marking(changed, _BEGIN, _END)).of(expression)
    found, depth, piece = [], 0, ""
    for character in [*written, None]:
        if character in (_BEGIN, _END, None):
            if piece:
                found.append(Span(printable(piece), depth > 0))
            depth += {_BEGIN: 1, _END: -1}.get(character or "", 0)
            piece = ""
        else:
            piece += character
    return tuple(found)


def marked_latex(expression: Expr, changed: frozenset[Expr], order: Order = ()) -> str:
    r"""The LaTeX of an expression, what changed in colour.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> g, mu = RowSymbol("g"), RowScalarSymbol("mu")
    >>> print(marked_latex(g - mu, frozenset({mu})))
    g - \textcolor{teal}{\mu}
    """
    return Latex(order, _marking(changed, rf"\textcolor{{{COLOUR}}}{{", "}")).of(expression)


def elided_latex(expression: Expr, changed: frozenset[Expr], order: Order = ()) -> str:
    r"""The LaTeX of the terms of a sum that changed, dots for the rest: of a line that has just been read.

    >>> from lngen.algebra.symbols import RowScalarSymbol, RowSymbol
    >>> g, mu, x = RowSymbol("g"), RowScalarSymbol("mu"), RowSymbol("x")
    >>> print(elided_latex(g - mu + x, frozenset({-mu})))
    \cdots \textcolor{teal}{-\mu}
    """
    terms = [term for term in Add.make_args(expression) if term in changed]
    if not terms or len(terms) > len(Add.make_args(expression)) - 2:
        return marked_latex(expression, changed, order)
    written = Latex(order).of(Add(*terms))
    sign = "" if written.startswith("-") else "+"
    return rf"\cdots \textcolor{{{COLOUR}}}{{{sign}{written}}}"


def _marking(changed: frozenset[Expr], begin: str, end: str) -> Callable[[Expr, str], str]:
    each = alike(changed)
    return lambda e, written: f"{begin}{written}{end}" if e in each else written


def alike(changed: frozenset[Expr]) -> frozenset[Expr]:
    """Return the changed expressions, and each part of them as it is written."""
    # A subtracted term is written as a minus and the term itself, and a divisor stands below a line.
    bare = {-e for e in changed if isinstance(e, Expr)} | {
        e.base for e in changed if isinstance(e, Pow) and e.exp.is_negative
    }
    return changed | bare
