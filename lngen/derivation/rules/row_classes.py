"""Row classes: the values of one row that are affine in each other, and the row scalars that tie them.

`x`, `x - mu` and `(x - mu)*rstd` are one class; what a weight, a gate or a function makes of
them is the root of another.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from sympy import Add, Expr, Mul, Pow

from lngen.algebra.equations import Equation, Forward
from lngen.algebra.symbols import Axes, TypedSymbol, axes, derivative, heads_that, is_row
from lngen.derivation.rules.linearity import TooManyTermsError, multiply_out

_LARGEST_CLASS = 5
"""Members of a row class: a norm makes two. The row that would be one more is the root of a class of its own, so that a
norm of a norm of a norm is one formula after the other."""

_VANISHING = heads_that(lambda entry: entry.positive)
"""Functions whose values are never zero, and yet round to 0 in floats.

No member is scaled by such a value, since nothing may be divided by it.
"""


@dataclass(frozen=True)
class Member:
    """A row value that is `scale*root + shift`, scale and shift being row scalars, scale never zero."""

    symbol: TypedSymbol
    scale: Expr
    shift: Expr


@dataclass(frozen=True)
class RowClass:
    """Row values that are affine in one another, and the row scalars that tie them.

    `candidates` are the members to be tried as a basis, all of them if it is empty.
    """

    root: TypedSymbol
    members: tuple[Member, ...]
    reductions: tuple[Equation, ...]
    functions: tuple[Equation, ...]
    candidates: tuple[TypedSymbol, ...] = ()

    @property
    def symbols(self) -> tuple[TypedSymbol, ...]:
        """The root and all members, in order of definition."""
        return tuple(member.symbol for member in self.members)


def row_classes(forward: Forward) -> tuple[RowClass, ...]:
    """The classes of a forward in normal form, in the order of their roots.

    A row scalar belongs to every class whose values its reductions read.
    """
    vanishing = {q.symbol for q in forward.equations if isinstance(q.expression, _VANISHING)}
    members: dict[TypedSymbol, list[Member]] = {}
    place: dict[TypedSymbol, Member] = {}
    root_of: dict[TypedSymbol, TypedSymbol] = {}
    for symbol in forward.symbols:
        if is_row(symbol):
            members[symbol] = [Member(symbol, sympy.S.One, sympy.S.Zero)]
            root_of[symbol], place[symbol] = symbol, members[symbol][0]
    for equation in forward.equations:
        symbol = equation.symbol
        if not is_row(symbol):
            continue
        affine = _affine(equation.expression)
        if affine is None or affine[1].free_symbols & vanishing or len(members[root_of[affine[0]]]) == _LARGEST_CLASS:
            member = Member(symbol, sympy.S.One, sympy.S.Zero)
            root_of[symbol] = symbol
            members[symbol] = [member]
        else:
            origin, scale, shift = affine
            base = place[origin]
            member = Member(symbol, scale * base.scale, multiply_out(scale * base.shift + shift))
            root_of[symbol] = root_of[origin]
            members[root_of[origin]].append(member)
        place[symbol] = member
    return tuple(
        RowClass(root, tuple(found), *_row_scalars_of(forward, {m.symbol for m in found}))
        for root, found in members.items()
    )


def _affine(expression: Expr) -> tuple[TypedSymbol, Expr, Expr] | None:
    rows = [symbol for symbol in expression.free_symbols if is_row(symbol)]
    features = [s for s in expression.free_symbols if axes(s).features and not axes(s).rows]
    if len(rows) != 1 or features:
        return None
    (row,) = rows
    scale = derivative(expression, row)
    if axes(scale).features or not scale.is_nonzero:
        return None
    try:
        shift = multiply_out(expression - scale * row)
    except TooManyTermsError:
        return None
    # The derivative alone does not tell: that of x + sign(x) is 1.
    return None if axes(shift).features else (row, scale, shift)


def _row_scalars_of(forward: Forward, symbols: set[TypedSymbol]) -> tuple[tuple[Equation, ...], tuple[Equation, ...]]:
    reductions, functions, known = [], [], set()
    for equation in forward.equations:
        if axes(equation.symbol) != (True, False):
            continue
        used = equation.expression.free_symbols
        if equation.reduction is not None and used & symbols:
            reductions.append(equation)
            known.add(equation.symbol)
        elif equation.reduction is None and used & known:
            functions.append(equation)
            known.add(equation.symbol)
    return tuple(reductions), tuple(functions)


# ---- what a line of the normal form is


def is_statistic(equation: Equation) -> bool:
    """Test whether a value is a reduction: `m = mean(x)`."""
    return equation.reduction is not None


def is_centred_row(equation: Equation) -> bool:
    """Test whether a value is a row and numbers of the row added up: `c = x - m`."""
    rows, scalars = _parts(equation)
    return isinstance(equation.expression, Add) and rows == 1 and scalars > 0


def is_scaled_row(equation: Equation) -> bool:
    """Test whether a value is a row times numbers of the row: `t = r*c`."""
    rows, scalars = _parts(equation)
    return isinstance(equation.expression, Mul) and rows == 1 and rows + scalars == len(equation.expression.args)


def is_factor_of_row(equation: Equation) -> bool:
    """Test whether a value is a power or a function of a number of the row: `r = 1/sqrt(v + eps)`."""
    return not axes(equation.symbol).features and isinstance(equation.expression, (Pow, sympy.Function))


def is_function_of_row(equation: Equation) -> bool:
    """Test whether a value is a function: `t = tanh(u)`."""
    return isinstance(equation.expression, sympy.Function)


def is_value(equation: Equation) -> bool:
    """Return True: an equation is a value of the definition, if it is nothing else."""
    return True


def _parts(equation: Equation) -> tuple[int, int]:
    """Return the number of operands that are rows, and of those that are numbers of a row."""
    varies = [axes(part) for part in equation.expression.args]
    return varies.count(Axes(True, True)), varies.count(Axes(True, False))
