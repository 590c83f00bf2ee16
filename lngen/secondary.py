"""The JVP and the double backward of a plan become row programs.

They read what forward keeps for backward. What else they need of the forward is computed again from it, so that
nothing more is kept: row values, and the row scalars that backward does without. An input is referred to besides only
where nothing that is kept leads to a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from sympy import Expr

from lngen.balance import grown, met_by_readers
from lngen.definition import Kind
from lngen.derivation import Secondary
from lngen.plan import Plan, in_range, without_nested_reductions
from lngen.program import Parameter, RowArgument, RowProgram, Store
from lngen.schedule import Line, sorted_out, stages_of
from lngen.simplify.linear import show_sums
from lngen.symbolic import (
    Assigned,
    FeatureSymbol,
    RowScalarSymbol,
    StopGradient,
    TypedSymbol,
    axes,
)
from lngen.translate import Names


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
    definition = derivation.definition
    forward = _lines_of(plan.forward)
    names = _names(plan, secondary)
    results, aliases = _results(secondary)
    steps = {step.target: step.number for step in secondary.steps}
    # A row scalar that is an output is saved under another name, with the digits that were computed.
    apart = {
        line.expression: line.symbol
        for line in forward
        if line.symbol in plan.forward.saved and isinstance(line.expression, TypedSymbol)
    }
    lines: list[Line] = [
        Line(q.symbol, _emitted(q.expression.xreplace(apart).xreplace(aliases)), steps.get(q.symbol, 0))
        for q in secondary.equations
        if q.symbol not in aliases
    ]
    lines = without_nested_reductions(lines, names)
    lines = met_by_readers(lines, plan.forward.growth, names, [store.symbol for store in results])
    lines = in_range(lines, plan.forward.growth, names)
    linear_in = [*(derivation.adjoint.cotangents if direction == "backward_backward" else ()), *secondary.arguments]
    sources = _sources(plan, forward, lines, {*linear_in, *(line.symbol for line in lines)})
    lines = [*sources.lines, *lines]
    prologue, epilogue, sums, rows = sorted_out(lines, names)
    stages = stages_of(rows, sums, [store for store in results if axes(store.symbol).rows])
    read = _read_by(lines) | {store.symbol for store in results}
    entries = list(zip(definition.inputs, derivation.forward.symbols, strict=True))
    optional = [(e.name, e.default) for e, _ in entries if e.default is not None and e.kind is not Kind.CONSTANT]
    return RowProgram(
        layer=definition.name,
        direction=direction,
        minimum_features=definition.minimum_features,
        rows=(*sources.rows, *_row_arguments(linear_in, secondary, direction)),
        parameters=(
            *(
                Parameter(entry.name, symbol, entry.kind.value, entry.default)  # type: ignore[arg-type]
                for entry, symbol in entries
                if not entry.kind.over_rows and symbol in read
            ),
            *(
                Parameter(s.name, s, "Feature" if isinstance(s, FeatureSymbol) else "Scalar", Fraction(0))
                for s in secondary.arguments
                if not axes(s).rows and s in read
            ),
        ),
        prologue=tuple(prologue),
        stages=tuple(stages),
        epilogue=tuple(epilogue),
        saved=sources.saved,
        results=results,
        optional=(*optional, *((s.name, Fraction(0)) for s in secondary.arguments)),
        growth=grown(plan.forward.growth, lines),
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
    lines: tuple[Assigned, ...] = (*_lines_of(plan.forward), *plan.derivation.backward, *secondary.equations)
    names = Names.of(plan.derivation.forward, lines)
    for symbol in secondary.arguments:
        names.take(symbol.name)
    return names


def _results(secondary: Secondary) -> tuple[tuple[Store, ...], dict[TypedSymbol, TypedSymbol]]:
    """The results, those that are one another sharing a store, and for some symbols which take their place."""
    value = {q.symbol: q.expression for q in secondary.equations}
    results = {symbol for _, symbol in secondary.results}
    shared: dict[TypedSymbol, list[str]] = {}
    aliases: dict[TypedSymbol, TypedSymbol] = {}
    for name, symbol in secondary.results:
        same = value.get(symbol)
        if same in results and type(same) is type(symbol):
            aliases[symbol] = same = aliases.get(same, same)
            shared.setdefault(same, []).append(name)
        else:
            shared.setdefault(symbol, []).append(name)
    return tuple(Store(tuple(names), symbol) for symbol, names in shared.items()), aliases


def _lines_of(program: RowProgram) -> list[Line]:
    """The lines that a program was made of, sums over rows left out."""
    lines = [Line(a.symbol, a.expression, a.step) for a in program.prologue]
    for stage in program.stages:
        lines += [Line(a.symbol, a.expression, a.step) for a in stage.temps]
        lines += [Line(r.symbol, r.expression, r.step, stage.correction) for r in stage.reductions]
        lines += [Line(a.symbol, a.expression, a.step) for a in stage.row_scalars]
    return lines


def _read_by(lines: Iterable[Line]) -> set[TypedSymbol]:
    return {symbol for line in lines for symbol in line.expression.free_symbols}


def _sources(plan: Plan, forward: Sequence[Line], lines: Sequence[Line], own: set[TypedSymbol]) -> _Sources:
    """Where the forward values that lines read come from: saved where they are, else computed again."""
    line_of = {line.symbol: line for line in forward}
    kept = {row.symbol: row for row in plan.backward.rows if row.origin in ("saved input", "saved output")}
    inputs = {symbol for symbol in plan.derivation.forward.symbols if axes(symbol).rows}
    rows: dict[TypedSymbol, RowArgument] = {}
    saved: set[TypedSymbol] = set()
    again: set[TypedSymbol] = set()
    pending: list[Expr] = sorted(_read_by(lines) - own, key=lambda symbol: symbol.name)
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
