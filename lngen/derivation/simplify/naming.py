"""What values are called that the user left without a name."""

from __future__ import annotations

import re
from collections.abc import Callable

from sympy import Add, Expr, Function, Pow

from lngen.expressions.reductions import reduction_name
from lngen.expressions.symbols import Mean, Reduction, axes

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


def statistic_name(reduction: Reduction, value_of: Callable[[Expr], Expr | None]) -> str:
    """What a reduction is called, by what it reduces and by what that is, where that has a name."""
    body = reduction.args[0]
    if isinstance(body, Pow) and body.exp == 2 and isinstance(value_of(body.base), Add):
        return "var"
    if isinstance(reduction, Mean) and isinstance(value_of(body), Function):
        return f"mean_{plain(body.name)}"
    return reduction_name(reduction)
