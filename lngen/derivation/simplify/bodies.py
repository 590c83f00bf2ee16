"""Statistics of one row expression are recognised as such, whatever it is called."""

from __future__ import annotations

from dataclasses import replace

from sympy import Add

from lngen.algebra.equations import Equation, Forward, Names
from lngen.algebra.symbols import Mean, TypedSymbol, is_row, symbol_like


def name_centred_bodies(forward: Forward) -> Forward:
    """A row expression u that is centred on its own mean, `u - Mean(u)`, is given a name first.

    Then `u` is a row like another: `Mean(u)`, `u - Mean(u)` and what follows are its statistics.

    >>> from lngen.language.parsing import parse
    >>> from lngen.derivation.from_definition import translate
    >>> text = "def f(x: Row): return x**3 - mean(x**3)"
    >>> for equation in name_centred_bodies(translate(parse(text))).equations:
    ...     print(equation.symbol, "=", equation.expression)
    u = x**3
    mean_x3 = Mean(u)
    y = -mean_x3 + u
    """
    for at, equation in enumerate(forward.equations):
        mean = equation.expression
        if not isinstance(mean, Mean) or isinstance(mean.args[0], TypedSymbol) or not is_row(mean.args[0]):
            continue
        body, later = mean.args[0], forward.equations[at + 1 :]
        parts = set(Add.make_args(body))
        centred = {
            total
            for q in later
            for total in q.expression.atoms(Add)
            if parts <= set(total.args) and -equation.symbol in total.args
        }
        if centred:
            symbol = symbol_like(Names.of(forward).fresh("total" if isinstance(body, Add) else "u"), body)
            table = {total: symbol + Add(*(set(total.args) - parts)) for total in centred}
            first = (Equation(symbol, body), replace(equation, expression=Mean(symbol)))
            later = tuple(replace(q, expression=q.expression.xreplace(table)) for q in later)
            return name_centred_bodies(replace(forward, equations=(*forward.equations[:at], *first, *later)))
    return forward
