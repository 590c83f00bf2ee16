"""What values are called that the user left without a name."""

from __future__ import annotations

import re

from sympy import Expr, Pow

from lngen.expressions.symbols import axes

_DONE = re.compile(r"_(centred|shifted|scaled)$")


def function_name(e: Expr, argument: Expr) -> str:
    """What a function of a value is called: by the value, or by what was done to it if that is in its name.

    >>> import sympy
    >>> from lngen.expressions.symbols import RowSymbol
    >>> [function_name(f(u), u) for f, u in ((sympy.tanh, RowSymbol("x")), (sympy.exp, RowSymbol("x_shifted")))]
    ['tanh_x', 'exp_shifted']
    """
    stem = "root" if isinstance(e, Pow) else type(e).__name__.lower()
    words = sorted(symbol.name for symbol in argument.free_symbols if axes(symbol).rows)
    if len(words) == 1 and (done := _DONE.search(words[0])):
        words = [done[1]]
    return "_".join([stem, *words[:2]])


def plain(name: str) -> str:
    """A name without what it says was done: the sum of `e_shifted` is `sum_e`."""
    return _DONE.sub("", name)
