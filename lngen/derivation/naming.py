"""Names of values that the user left without a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

import sympy
from sympy import Add, Expr, Function, Pow

from lngen.algebra.equations import Equation
from lngen.algebra.notation.plain import WORDS
from lngen.algebra.reductions import reduction_name
from lngen.algebra.symbols import Mean, Reduction, RowMax, TypedSymbol, axes

MAXIMUM = "m"
"""The largest exponent of a row, where a rule takes it out of the exponentials."""

PARTITION = "Z"
"""The sum of the exponentials of a row, by which they are divided: the partition function."""

_DONE = re.compile(r"_(centred|shifted|scaled)(_\d+)?$")


def function_name(e: Expr, argument: Expr) -> str:
    """Name a function of a value: by the value, or by the operation in the value's name.

    >>> import sympy
    >>> from lngen.algebra.symbols import RowSymbol
    >>> [function_name(f(u), u) for f, u in ((sympy.tanh, RowSymbol("x")), (sympy.exp, RowSymbol("x_shifted")))]
    ['tanh_x', 'exp_shifted']
    """
    stem = "root" if isinstance(e, Pow) else WORDS[type(e)]
    words = sorted(symbol.name for symbol in argument.free_symbols if axes(symbol).rows)
    if len(words) == 1 and (done := _DONE.search(words[0])):
        words = [done[1]]
    return "_".join([stem, *words[:2]])


def without_suffix(name: str) -> str:
    """A name without what it says was done.

    >>> without_suffix("e_shifted"), without_suffix("exp_shifted_2"), without_suffix("x")
    ('e', 'exp', 'x')
    """
    return _DONE.sub("", name)


def statistic_name(
    reduction: Reduction, equation: Equation, value_of: Callable[[Expr], Expr | None], taken: Collection[str]
) -> str:
    """Name the reduction of an equation by its body, and by the body's definition if that has a name.

    If the equation has a name with the same meaning, that name is kept. The names `taken` are the definition's, of
    other values.
    """
    body, own = reduction.args[0], str(equation.symbol.name)
    if isinstance(reduction, RowMax) and re.fullmatch(rf"{MAXIMUM}(_\d+)?", own):
        return own
    wanted = _statistic_name(reduction, value_of)
    if equation.expression != equation.reduction:
        if isinstance(value_of(body), sympy.exp):
            return PARTITION
        wanted = wanted.replace("mean_", "sum_") if wanted.startswith("mean_") else own
    if re.fullmatch(rf"{wanted}(_\d+)?", own):
        return own
    # Such as the sum of what has not been shifted; of the largest and the least of a row each its own.
    stem = wanted.partition("_")[0] if isinstance(reduction, Mean) else wanted
    return f"{stem}_{body.name}" if wanted in taken and isinstance(body, TypedSymbol) else wanted


def _statistic_name(reduction: Reduction, value_of: Callable[[Expr], Expr | None]) -> str:
    body = reduction.args[0]
    if isinstance(body, Pow) and body.exp == 2 and isinstance(value_of(body.base), Add):
        return "var"
    if isinstance(reduction, Mean) and isinstance(value_of(body), Function):
        return f"mean_{without_suffix(str(body.name))}"
    return reduction_name(reduction)
