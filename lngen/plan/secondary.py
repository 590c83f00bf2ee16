"""The JVP and the double backward of a plan become row programs.

They read what forward keeps for backward. What else they need of the forward is computed again from it, so that
nothing more is kept: row values, and the row scalars that backward does without. An input is referred to besides only
where nothing that is kept leads to a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sympy import Expr

from lngen.derivation.derivation import Secondary
from lngen.derivation.from_definition import Names
from lngen.derivation.simplify.linear import show_sums
from lngen.expressions.symbols import (
    Assigned,
    RowScalarSymbol,
    StopGradient,
    TypedSymbol,
    axes,
)
from lngen.plan.balance import in_range, met_by_readers
from lngen.plan.lines import Line, lines_of, read_by, without_nested_reductions
from lngen.plan.planner import Plan
from lngen.plan.program import RowArgument, RowProgram
from lngen.plan.stages import program_of, stores_of


def with_secondary(plan: Plan) -> Plan:
    """The plan with the programs of the JVP and the double backward, where its derivation has them."""
    derivation = plan.derivation
    result = plan
    if derivation.jvp is not None:
        result = replace(result, jvp=_program(plan, derivation.jvp, "jvp"))
    if derivation.backward_backward is not None:
        program = _program(plan, derivation.backward_backward, "backward_backward")
        result = replace(result, backward_backward=program)
    return result


@dataclass(frozen=True)
class _Sources:
    """What a program reads of the forward: rows and row scalars by reference, saved row scalars, lines again."""

    rows: tuple[RowArgument, ...]
    saved: tuple[RowScalarSymbol, ...]
    lines: tuple[Line, ...]


def _program(plan: Plan, secondary: Secondary, direction: Literal["jvp", "backward_backward"]) -> RowProgram:
    derivation = plan.derivation
    forward = lines_of(plan.forward)
    names = _names(plan, secondary)
    results, taken = stores_of(secondary.results, {q.symbol: q.expression for q in secondary.equations})
    steps = {step.target: step.number for step in secondary.steps}
    # A row scalar that is an output is saved under another name, with the digits that were computed.
    apart = {
        line.expression: line.symbol
        for line in forward
        if line.symbol in plan.forward.saved and isinstance(line.expression, TypedSymbol)
    }
    lines: list[Line] = [
        Line(q.symbol, _emitted(q.expression.xreplace(apart).xreplace(taken)), steps.get(q.symbol, 0))
        for q in secondary.equations
        if q.symbol not in taken
    ]
    lines = without_nested_reductions(lines, names)
    lines = met_by_readers(lines, plan.forward.growth, names, [store.symbol for store in results])
    lines = in_range(lines, plan.forward.growth, names)
    linear_in = [*(derivation.adjoint.cotangents if direction == "backward_backward" else ()), *secondary.arguments]
    sources = _sources(plan, forward, lines, {*linear_in, *(line.symbol for line in lines)})
    lines = [*sources.lines, *lines]
    return program_of(
        derivation,
        direction,
        lines,
        names,
        rows=(*sources.rows, *_row_arguments(linear_in, secondary, direction)),
        saved=sources.saved,
        results=results,
        growth=plan.forward.growth,
        arguments=secondary.arguments,
    )


def _emitted(expression: Expr) -> Expr:
    """An expression as it is emitted: where there is no derivative left to stop, with sums shown as sums."""
    return show_sums(expression.replace(StopGradient, lambda value: value))


def _row_arguments(linear_in: Sequence[TypedSymbol], secondary: Secondary, direction: str) -> Iterable[RowArgument]:
    for symbol in linear_in:
        if axes(symbol).rows:
            tangent = direction == "jvp" and symbol in secondary.arguments
            yield RowArgument(symbol.name, symbol, "tangent" if tangent else "cotangent")


def _names(plan: Plan, secondary: Secondary) -> Names:
    lines: tuple[Assigned, ...] = (*lines_of(plan.forward), *plan.derivation.backward, *secondary.equations)
    names = Names.of(plan.derivation.forward, lines)
    for symbol in secondary.arguments:
        names.take(symbol.name)
    return names


def _sources(plan: Plan, forward: Sequence[Line], lines: Sequence[Line], own: set[TypedSymbol]) -> _Sources:
    """Where the forward values that lines read come from: saved where they are, else computed again."""
    line_of = {line.symbol: line for line in forward}
    kept = {row.symbol: row for row in plan.backward.rows if row.origin in ("saved input", "saved output")}
    inputs = {symbol for symbol in plan.derivation.forward.symbols if axes(symbol).rows}
    rows: dict[TypedSymbol, RowArgument] = {}
    saved: set[TypedSymbol] = set()
    again: set[TypedSymbol] = set()
    pending: list[Expr] = sorted(read_by(lines) - own, key=lambda symbol: symbol.name)
    while pending:
        symbol = pending.pop()
        if symbol in rows or symbol in saved or symbol in again:
            continue
        if symbol in kept:
            rows[symbol] = kept[symbol]
        elif symbol in plan.forward.saved:
            saved.add(symbol)
        elif symbol in line_of:
            again.add(symbol)
            pending += sorted(line_of[symbol].expression.free_symbols, key=lambda s: s.name)
        elif symbol in inputs:
            rows[symbol] = RowArgument(symbol.name, symbol, "saved input")
    order = [*kept, *sorted(inputs, key=lambda s: plan.derivation.forward.symbols.index(s))]
    return _Sources(
        tuple(rows[symbol] for symbol in dict.fromkeys(order) if symbol in rows),
        tuple(symbol for symbol in plan.forward.saved if symbol in saved),
        tuple(line for line in forward if line.symbol in again),
    )
