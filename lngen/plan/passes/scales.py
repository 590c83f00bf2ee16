"""Late scales: a row scalar multiplies the result of a reduction instead of each entry before it.

`mean(g*xhat)` with `xhat = rstd*x_centred` is `rstd*mean(g*x_centred)`, and a sum over rows takes `rstd` as its
weights: where `xhat` is read by nothing else, a pass over the rows is saved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sympy import Expr, Mul

from lngen.algebra.equations import Names
from lngen.algebra.symbols import RowScalarSymbol, TypedSymbol, axes
from lngen.plan.program import Assignment, FeatureReduction, RowProgram, Stage


def with_late_scales(program: RowProgram, operations: Callable[[RowProgram], int]) -> RowProgram:
    """Read rows without their row scalars, which multiply later, wherever that takes fewer operations on rows.

    `operations` counts those of a program on whole rows. A row that is stored, or stops a derivative, keeps its scale.

    >>> from lngen.algebra.symbols import Mean, RowSymbol
    >>> x, xhat, dy, r, m = *map(RowSymbol, ("x", "xhat", "dy")), *map(RowScalarSymbol, "rm")
    >>> stage = Stage((Assignment(xhat, r*x, 1),), (FeatureReduction(m, "mean", dy*xhat, 2),))
    >>> program = RowProgram("f", "backward", 1, (), (), (), (stage,), (), (r,), (), ())
    >>> (late,) = with_late_scales(program, lambda p: len(p.temps())).stages
    >>> for line in late.reductions[0], late.row_scalars[0]:
    ...     print(line)
    FeatureReduction(symbol=m_unscaled, operator='mean', body=dy*x, step=2, shift=False)
    Assignment(symbol=m, expression=m_unscaled*r, step=2)
    """
    fewest = operations(program)
    for symbol in [temp.symbol for temp in program.temps()]:
        temp = next(temp for temp in program.temps() if temp.symbol == symbol)
        factors, rest = row_scalars_apart(temp.expression)
        stored = any(store.symbol == temp.symbol for store in program.results)
        stored |= bool(temp.stops) or any(temp.symbol in line.stops for line in program.lines())
        if stored or factors == 1 or rest == 1:
            continue
        candidate = _written_out(program, temp)
        count = operations(candidate)
        if count < fewest:
            program, fewest = candidate, count
    return program


def with_weights(program: RowProgram) -> RowProgram:
    """Use a factor that varies over features as the weights of a mean, if that saves a row.

    With `g = gamma*dy`, `mean(g*x)` is the mean of `dy*x` weighted by `gamma`. The gradient of `gamma` needs that
    product anyway, and `g` can be computed later.

    >>> from lngen.algebra.symbols import FeatureSymbol, RowSymbol
    >>> from lngen.plan.program import RowsReduction
    >>> x, g, dy, gamma = *map(RowSymbol, ("x", "g", "dy")), FeatureSymbol("gamma")
    >>> mean = FeatureReduction(RowScalarSymbol("m"), "mean", g*x, 2)
    >>> total = RowsReduction(FeatureSymbol("dgamma"), dy*x, 3)
    >>> stage = Stage((Assignment(g, gamma*dy, 1),), (mean,), rows_reductions=(total,))
    >>> program = RowProgram("f", "backward", 1, (), (), (), (stage,), (), (), (), ())
    >>> with_weights(program).stages[0].reductions[0].body
    gamma*dy*x
    """
    table = {temp.symbol: temp.expression for temp in program.temps() if _is_weighted_row(temp.expression)}
    products = {weights_apart(total.body)[1] for stage in program.stages for total in stage.rows_reductions}

    def weighted(reduction: FeatureReduction) -> FeatureReduction:
        body = reduction.body.xreplace(table)
        rows = Mul(*(factor for factor in Mul.make_args(body) if axes(factor).rows))
        spares = reduction.operator in ("mean", "sum") and isinstance(rows, Mul) and rows in products
        return replace(reduction, body=body) if spares else reduction

    stages = (replace(stage, reductions=tuple(map(weighted, stage.reductions))) for stage in program.stages)
    return replace(program, stages=tuple(stages))


def _is_weighted_row(expression: Expr) -> bool:
    factors = Mul.make_args(expression)
    plain = all(isinstance(factor, TypedSymbol) for factor in factors)
    return plain and len(factors) == 2 and sorted(axes(factor).rows for factor in factors) == [False, True]


def weights_apart(body: Expr) -> tuple[Expr, Expr]:
    """Split a body that is summed over rows into the weights of the rows and the rest.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> weights_apart(RowScalarSymbol("r")*RowSymbol("x")*RowSymbol("dy"))
    (r, dy*x)
    """
    return row_scalars_apart(body) if axes(body).features else (Mul(), body)


def row_scalars_apart(expression: Expr) -> tuple[Expr, Expr]:
    """Split a product into what varies over rows alone and the rest.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> row_scalars_apart(2*RowScalarSymbol("r")*RowSymbol("x"))
    (r, 2*x)
    """
    factors = Mul.make_args(expression)
    of_row = [factor for factor in factors if axes(factor).rows and not axes(factor).features]
    return Mul(*of_row), Mul(*(factor for factor in factors if factor not in of_row))


def _written_out(program: RowProgram, scaled: Assignment) -> RowProgram:
    names = program.names()
    table = {scaled.symbol: scaled.expression}
    return replace(program, stages=tuple(_stage(stage, table, names) for stage in program.stages))


def _stage(stage: Stage, table: dict[TypedSymbol, Expr], names: Names) -> Stage:
    reductions: list[FeatureReduction] = []
    row_scalars: list[Assignment] = []
    for reduction in stage.reductions:
        body = reduction.body.xreplace(table)
        factors, rest = row_scalars_apart(body)
        linear = reduction.operator in ("mean", "sum") and body != reduction.body and factors != 1 and rest != 1
        if linear:
            apart = RowScalarSymbol(names.fresh(f"{reduction.symbol.name}_unscaled"))
            reductions.append(replace(reduction, symbol=apart, body=rest))
            made = Assignment(reduction.symbol, factors * apart, reduction.step, stops=reduction.stops)
            row_scalars.append(made)
        else:
            reductions.append(replace(reduction, body=body))
    written = stage.replaced(table)
    return replace(
        written,
        temps=tuple(temp for temp in written.temps if temp.symbol not in table),
        reductions=tuple(reductions),
        row_scalars=(*row_scalars, *written.row_scalars),
    )
