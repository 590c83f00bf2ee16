"""Lines of a program before its stages: equations with their steps, and rewrites of all of them.

A line is an equation of a derivation on its way into a stage. Each function here turns lines into equivalent lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sympy import Expr, Mul, Pow
from sympy.core.relational import Relational

from lngen.algebra.equations import Names
from lngen.algebra.symbols import NOTHING, D, RowSymbol, SumRows, TypedSymbol, axes, is_row, symbol_like, word_of
from lngen.plan.program import OPERATORS, Operator


@dataclass(frozen=True)
class ProgramLine:
    """One equation of a program, reductions on their own.

    `correction` marks the residual mean of a shift, `shift` an extreme that is subtracted from exponents
    (`FeatureReduction`). The line has no derivative by the symbols that it `stops`.
    """

    symbol: TypedSymbol
    expression: Expr
    step: int
    correction: bool = False
    shift: bool = False
    stops: tuple[TypedSymbol, ...] = ()

    @property
    def operator(self) -> Operator | None:
        return OPERATORS.get(type(self.expression))


def once_a_row(lines: Sequence[ProgramLine], names: Names) -> list[ProgramLine]:
    """Return lines that multiply row scalars once per row, and compute functions of parameters once per call.

    So is a quotient of what all rows share: no entry of a row is divided by it.

    >>> from lngen.algebra.symbols import FeatureSymbol, RowScalarSymbol
    >>> x, s, t, w = RowSymbol("x"), RowScalarSymbol("s"), RowScalarSymbol("t"), FeatureSymbol("w")
    >>> for line in once_a_row([ProgramLine(RowSymbol("y"), x*s*t*(1 + w)/D, 3)], Names([])):
    ...     print(line.symbol, "=", line.expression)
    t_scaled = s*t/D
    w_shifted = w + 1
    y = w_shifted*t_scaled*x
    """
    known: dict[tuple[Expr, tuple[TypedSymbol, ...]], TypedSymbol] = {}
    result: list[ProgramLine] = []

    def named(expression: Expr, of: ProgramLine) -> Expr:
        stops = tuple(symbol for symbol in of.stops if symbol in expression.free_symbols)
        if (expression, stops) not in known:
            words = sorted((word_of(s) for s in expression.free_symbols if s != D), key=lambda name: (len(name), name))
            ending = "scaled" if isinstance(expression, Mul) else "shifted"
            made = known[expression, stops] = symbol_like(names.fresh(f"{words[-1]}_{ending}"), expression)
            result.append(ProgramLine(made, expression, of.step, stops=stops))
        return known[expression, stops]

    def hoist(expression: Expr, of: ProgramLine) -> Expr:
        varies = axes(expression)
        if not expression.args or varies == NOTHING:
            return expression
        if isinstance(expression, Relational):
            return expression.func(*(hoist(argument, of) for argument in expression.args))
        if isinstance(expression, Mul):
            return product(expression, of)
        if varies != RowSymbol.varies:
            return named(expression, of)
        return expression.func(*(hoist(argument, of) for argument in expression.args))

    def product(expression: Expr, of: ProgramLine) -> Expr:
        sign = [factor for factor in expression.args if factor == -1]
        once = [factor for factor in expression.args if factor != -1 and not axes(factor).features]
        per_row = [factor for factor in once if axes(factor).rows]
        divides = any(f.exp.is_negative and f.base.free_symbols - {D} for f in once if isinstance(f, Pow))
        if (per_row or divides) and not (len(once) == 1 and isinstance(once[0], TypedSymbol)):
            once = [named(Mul(*once), of)]
        rest = [hoist(factor, of) for factor in expression.args if axes(factor).features]
        return Mul(*sign, *once, *rest)

    for line in lines:
        if line.operator is not None or isinstance(line.expression, SumRows):
            expression = line.expression.func(hoist(line.expression.args[0], line))
        elif is_row(line.symbol):
            expression = hoist(line.expression, line)
        else:
            expression = line.expression
        result.append(replace(line, expression=expression))
    return result
