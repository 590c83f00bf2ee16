"""Expressions in which stand-ins are spelled out: symbols that a report needs and that no derivation has."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Expr

from lngen.algebra.notation.latex import Latex
from lngen.algebra.notation.order import Order
from lngen.algebra.notation.plain import Text


def spelled(e: Expr, order: Order, words: Mapping[Expr, tuple[str, str]]) -> tuple[str, str]:
    """An expression as text and as LaTeX, each stand-in as its two words.

    >>> from lngen.algebra.symbols import RowSymbol, stand_in
    >>> x = RowSymbol("x")
    >>> moved = stand_in("moved", x)
    >>> spelled(2 * moved, (), {moved: ("A*x", "A x")})
    ('2*A*x', '2 \\\\thinspace A x')
    """
    plain = {symbol: text for symbol, (text, _) in words.items()}
    signs = {symbol: latex for symbol, (_, latex) in words.items()}
    return Text(order, plain.get).of(e), Latex(order, signs.get).of(e)
