"""Compensation of a mean that is used as a shift.

For `c = x - m` with `m = Mean(x)`, the mean of c is zero. In floating point it is the rounding error of m, so it is
measured and subtracted. A large offset then costs no digits, and m is saved as value and residual.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Add

from lngen.algebra.equations import Names
from lngen.algebra.symbols import Mean, RowScalarSymbol, RowSymbol, TypedSymbol, is_row
from lngen.plan.lines import ProgramLine


def compensated(lines: Sequence[ProgramLine], names: Names) -> list[ProgramLine]:
    """Centre every row that is centred on its own mean twice: on the mean, then on the mean's residual.

    >>> x, c, mu = RowSymbol("x"), RowSymbol("c"), RowScalarSymbol("mu")
    >>> for line in compensated([ProgramLine(mu, Mean(x), 1), ProgramLine(c, x - mu, 2)], Names([])):
    ...     print(line.symbol, "=", line.expression)
    mu = Mean(x)
    x_shifted = -mu + x
    mu_residual = Mean(x_shifted)
    c = -mu_residual + x_shifted
    """
    means = {line.symbol: line.expression.args[0] for line in lines if line.operator == "mean"}
    result = []
    for line in lines:
        shift = next((m for m in line.expression.free_symbols if means.get(m) == line.expression + m), None)
        if shift is None or not is_row(line.symbol) or not isinstance(line.expression, Add):
            result.append(line)
            continue
        body = means[shift]
        stem = body.name if isinstance(body, TypedSymbol) else line.symbol.name
        shifted = RowSymbol(names.fresh(f"{stem}_shifted"))
        residual = RowScalarSymbol(names.fresh(f"{shift.name}_residual"))
        result += [
            ProgramLine(shifted, line.expression, line.step, stops=line.stops),
            # A mean that is zero whatever is stopped has no derivative where something is.
            ProgramLine(residual, Mean(shifted), line.step, correction=True, stops=(shifted,) if line.stops else ()),
            ProgramLine(line.symbol, shifted - residual, line.step),
        ]
    return result
