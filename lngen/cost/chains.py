"""What a layer moves when it is not fused, or fused otherwise, and the least that any way of computing it moves.

Counts are of row tensors: arrays of the rows' shape, each time one is read or written. Row scalars, parameters and
partial sums are left out; `lngen.cost.traffic` has their bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sympy import Expr

from lngen.cost.traffic import cost
from lngen.plan import Plan
from lngen.program import RowProgram
from lngen.symbolic import Reduction, RowScalarSymbol, SumRows, TypedSymbol, is_row, operation_count
from lngen.translate import Equation


@dataclass(frozen=True)
class Operation:
    """One pass over rows in memory: `expression`, the row tensors that it reads, and whether it writes one.

    `symbol` is the value of the equation; `whole` says that the pass ends it, and is not a reduction inside.
    """

    symbol: TypedSymbol
    expression: Expr
    reads: tuple[TypedSymbol, ...]
    writes: bool
    whole: bool

    @property
    def tensors(self) -> int:
        """Row tensors moved."""
        return len(self.reads) + self.writes


def by_equation(plan: Plan) -> tuple[tuple[Operation, ...], tuple[Operation, ...]]:
    """Forward and backward with a pass for every equation of the derivation, and for every reduction inside one.

    A pass reads its row operands from memory and writes its row result there; what it reduces it computes on the way.
    Backward finds the row values of forward in memory.

    >>> from lngen.definition import parse
    >>> from lngen.plan import plan
    >>> from lngen.simplify import derive
    >>> forward, backward = by_equation(plan(derive(parse('''
    ... from lngen.language import Row, mean
    ... def centred(x: Row):
    ...     return x - mean(x)
    ... '''))))
    >>> [(str(o.expression), o.tensors) for o in (*forward, *backward)]
    [('Mean(x)', 1), ('-mu + x', 2), ('Mean(dy)', 1), ('dy - Mean(dy)', 2)]
    """
    derivation = plan.derivation
    return tuple(_passes(derivation.forward.equations)), tuple(_passes(derivation.backward))


def by_sweep(plan: Plan) -> tuple[tuple[int, int], tuple[int, int]]:
    """Forward and backward with a kernel for every sweep of the plan: how many, and the row tensors that they move.

    This is also the most that a fused kernel moves whose rows stay nowhere on the chip.
    """
    return _sweeps(plan.forward), _sweeps(plan.backward)


def row_values_of_backward(plan: Plan) -> tuple[TypedSymbol, ...]:
    """The row values of forward, neither inputs nor outputs, that the equations of backward name."""
    used = {s for q in plan.derivation.backward for s in q.expression.free_symbols}
    outputs = plan.derivation.forward.outputs
    made = (q.symbol for q in plan.derivation.forward.equations)
    return tuple(s for s in made if is_row(s) and s in used and s not in outputs)


def by_saving(plan: Plan) -> tuple[int, int]:
    """Row tensors of fused kernels if forward writes `row_values_of_backward` and backward reads them."""
    derivation = plan.derivation
    kept = row_values_of_backward(plan)
    given = {*kept, *derivation.forward.symbols, *derivation.forward.outputs, *derivation.adjoint.cotangents}
    used = {s for q in derivation.backward for s in q.expression.free_symbols if is_row(s)}
    return cost(plan.forward).tensors + len(kept), len(used & given) + cost(plan.backward).rows_written


def least(plan: Plan) -> tuple[int, int]:
    """A bound from below for forward and for backward, whatever the kernels.

    Forward reads each Row that an output depends on and writes each row output. Backward reads each cotangent of a row,
    and one more tensor if a gradient depends on the rows of forward, since a few numbers a row cannot hold D; and it
    writes each row gradient that differs from the others. With several Rows the bound need not be attained.
    """
    derivation = plan.derivation
    value = {q.symbol: q.expression for q in (*derivation.forward.equations, *derivation.backward)}
    reached = _reached(derivation.forward.outputs, value)
    forward = sum(is_row(s) for s in derivation.forward.symbols if s in reached) + cost(plan.forward).rows_written
    reached = _reached((gradient for _, gradient in derivation.gradients), value)
    cotangents = sum(is_row(s) for s in derivation.adjoint.cotangents if s in reached)
    any_row = any(is_row(s) for s in derivation.forward.symbols if s in reached)
    return forward, cotangents + any_row + cost(plan.backward).rows_written


def _passes(equations: Iterable[Equation]) -> Iterator[Operation]:
    done: set[Expr] = set()
    for equation in equations:
        # Innermost first, so that a reduction of a reduction reads what the inner one left: a number a row.
        inside = sorted(equation.expression.atoms(Reduction, SumRows), key=lambda e: (operation_count(e), str(e)))
        for reduction in inside:
            rows = _rows(reduction.args[0])
            if rows and reduction not in done:
                done.add(reduction)
                yield Operation(equation.symbol, reduction, rows, False, reduction == equation.expression)
        alias = isinstance(equation.expression, TypedSymbol)
        if is_row(equation.symbol) and not alias:
            yield Operation(equation.symbol, equation.expression, _rows(equation.expression), True, True)


def _rows(expression: Expr) -> tuple[TypedSymbol, ...]:
    """The row tensors that an expression reads once the reductions inside it are known."""
    known = {reduction: RowScalarSymbol("_") for reduction in expression.atoms(Reduction, SumRows)}
    return tuple(sorted((s for s in expression.xreplace(known).free_symbols if is_row(s)), key=str))


def _sweeps(program: RowProgram) -> tuple[int, int]:
    count = tensors = 0
    value = {temp.symbol: temp.expression for temp in program.temps()}
    rows = {argument.symbol for argument in program.rows if is_row(argument.symbol)}
    for stage in program.stages:
        stores = [store.symbol for store in stage.stores if is_row(store.symbol)]
        bodies = [*(r.body for r in stage.reductions), *(r.body for r in stage.rows_reductions), *stores]
        read = _reached((symbol for body in bodies for symbol in body.free_symbols), value) & rows
        count += bool(read or stores)
        tensors += len(read) + len(stores)
    return count, tensors


def _reached(roots: Iterable[TypedSymbol], value: dict[TypedSymbol, Expr]) -> set[TypedSymbol]:
    found: set[TypedSymbol] = set()
    waiting = list(roots)
    while waiting:
        symbol = waiting.pop()
        if symbol not in found:
            found.add(symbol)
            waiting += value[symbol].free_symbols if symbol in value else ()
    return found
