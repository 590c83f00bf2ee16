"""Assignment of lines to the parts of a program: before the rows, a stage, or after the rows.

A value's *level* is the number of stages that must be finished before it is known. A reduction runs in the stage
of its level and is known after it, so that all reductions whose inputs are ready share a stage; a row value runs in
the first stage that uses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Literal

import sympy
from sympy import Expr

from lngen.algebra.equations import Names, read_by
from lngen.algebra.symbols import FeatureSymbol, RowScalarSymbol, SumRows, TypedSymbol, axes, is_row, symbol_like
from lngen.derivation.derivation import Derivation, Direction
from lngen.language.definition import Definition
from lngen.language.names import derived
from lngen.language.syntax import Kind
from lngen.plan.lines import ProgramLine
from lngen.plan.program import (
    Assignment,
    FeatureReduction,
    Parameter,
    RandomRow,
    RowArgument,
    RowProgram,
    RowsReduction,
    Stage,
    Store,
)


def program_of(
    derivation: Derivation,
    direction: Direction,
    lines: Sequence[ProgramLine],
    names: Names,
    *,
    rows: Iterable[RowArgument],
    saved: tuple[RowScalarSymbol, ...],
    results: tuple[Store, ...],
    arguments: Mapping[str, TypedSymbol] = MappingProxyType({}),
) -> RowProgram:
    """Return the program of a direction that computes results by lines.

    `rows` and `saved` are the values that it reads of each row. `arguments` are its linear arguments besides
    `cotangents`, by the names of callers; any may be left out.
    """
    definition = derivation.definition
    prologue, epilogue, sums, per_row = sorted_out(lines, names)
    stages = stages_of(per_row, sums, [store for store in results if axes(store.symbol).rows])
    read = read_by(lines) | {store.symbol for store in results}
    of_seeds = {row.symbol: row for row in random_rows(derivation)}
    random = tuple(row for symbol, row in of_seeds.items() if symbol in read)
    read |= {row.seed for row in random}
    entries = list(zip(definition.inputs, derivation.forward.symbols, strict=True))
    optional = [(e.name, e.default) for e, _ in entries if e.default is not None and e.kind is not Kind.CONSTANT]
    return RowProgram(
        casts=definition.casts if direction == "forward" else (),
        layer=definition.name,
        direction=direction,
        minimum_features=definition.minimum_features,
        rows=tuple(row for row in rows if row.symbol not in of_seeds),
        parameters=(
            *(
                Parameter(
                    entry.name, symbol, "Constant" if entry.kind is Kind.CONSTANT else _shared(symbol), entry.default
                )
                for entry, symbol in entries
                if not entry.kind.over_rows and (direction == "forward" or symbol in read)
            ),
            *(
                Parameter(name, s, _shared(s), Fraction(0))
                for name, s in arguments.items()
                if not axes(s).rows and s in read
            ),
        ),
        prologue=tuple(prologue),
        stages=tuple(stages),
        epilogue=tuple(epilogue),
        saved=saved,
        results=results,
        optional=(*optional, *((name, Fraction(0)) for name in arguments)),
        smaller=_smaller(definition),
        random=random,
    )


def random_rows(derivation: Derivation) -> list[RandomRow]:
    """Return the rows of a forward that are random numbers."""
    inputs = derivation.definition.inputs
    of = dict(zip((entry.name for entry in inputs), derivation.forward.symbols, strict=True))
    return [RandomRow(of[e.name], of[e.draws.seed], e.draws.stream) for e in inputs if e.draws]


def _smaller(definition: Definition) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The axes of the values, and of what is derived from them, whose arrays lack axes that the value varies over."""
    return tuple(
        (name, entry.pattern.names)
        for entry in definition.inputs
        if entry.pattern and definition.lacks(entry)
        for name in (entry.name, *sorted(derived(entry.name)))
    )


def _shared(symbol: TypedSymbol) -> Literal["Feature", "Scalar"]:
    return "Feature" if isinstance(symbol, FeatureSymbol) else "Scalar"


def stores_of(
    results: Sequence[tuple[str, TypedSymbol]], values: Mapping[TypedSymbol, Expr]
) -> tuple[tuple[Store, ...], dict[TypedSymbol, TypedSymbol]]:
    """Return the stores of the results, where equal results share one, and the replacements of some symbols.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> dx, dr = RowSymbol("dx"), RowSymbol("dr")
    >>> stores, taken = stores_of([("dx", dx), ("dr", dr)], {dr: dx})
    >>> [store.names for store in stores], taken
    ([('dx', 'dr')], {dr: dx})
    """
    symbols = {symbol for _, symbol in results}
    shared: dict[TypedSymbol, list[str]] = {}
    taken: dict[TypedSymbol, TypedSymbol] = {}
    for name, symbol in results:
        same = values.get(symbol)
        if same in symbols and type(same) is type(symbol):
            taken[symbol] = same = taken.get(same, same)
            shared.setdefault(same, []).append(name)
        else:
            shared.setdefault(symbol, []).append(name)
    return tuple(Store(tuple(names), symbol) for symbol, names in shared.items()), taken


def sorted_out(
    lines: Sequence[ProgramLine], names: Names
) -> tuple[list[Assignment], list[Assignment], list[RowsReduction], list[ProgramLine]]:
    """Sort lines by where they run: before the rows, after the rows, summed over the rows, or in a row."""
    prologue: list[Assignment] = []
    epilogue: list[Assignment] = []
    sums: list[RowsReduction] = []
    rows: list[ProgramLine] = []
    late: set[TypedSymbol] = set()
    for line in lines:
        if axes(line.symbol).rows:
            rows.append(line)
        elif isinstance(line.expression, SumRows):
            sums.append(RowsReduction(line.symbol, line.expression.args[0], line.step))
            late.add(line.symbol)
        else:
            expression = line.expression
            for total in sorted(expression.atoms(SumRows), key=sympy.default_sort_key):
                symbol = symbol_like(names.fresh(f"{line.symbol.name}_rows"), total)
                sums.append(RowsReduction(symbol, total.args[0], line.step))
                expression = expression.xreplace({total: symbol})
                late.add(symbol)
            after = bool(expression.free_symbols & late)
            (epilogue if after else prologue).append(_assignment(replace(line, expression=expression)))
            if after:
                late.add(line.symbol)
    return prologue, epilogue, sums, rows


def stages_of(lines: Sequence[ProgramLine], sums: Sequence[RowsReduction], stores: Sequence[Store]) -> list[Stage]:
    """Stages by level: a value's level is the number of stages that must be finished before it is known."""
    level: dict[TypedSymbol, int] = {}

    def level_of(expression: Expr) -> int:
        return max((level.get(symbol, 0) for symbol in expression.free_symbols), default=0)

    lines = list(lines)
    reductions: dict[int, list[tuple[bool, FeatureReduction]]] = {}
    scalars: dict[int, list[Assignment]] = {}
    for line in lines:
        at = level_of(line.expression)
        if line.operator is not None:
            body = line.expression.args[0]
            entry = FeatureReduction(line.symbol, line.operator, body, line.step, line.shift, stops=line.stops)
            reductions.setdefault(at, []).append((line.correction, entry))
            level[line.symbol] = at + 1
        elif is_row(line.symbol):
            level[line.symbol] = at
        else:
            scalars.setdefault(at, []).append(_assignment(line))
            level[line.symbol] = at
    temps = _temps_where_needed(lines, sums, stores, level)
    ends = [level_of(end) for end in (*(store.symbol for store in stores), *(total.body for total in sums))]
    last = max([*temps, *reductions, *scalars, *ends], default=0)
    stages = []
    if 0 in scalars:
        stages.append(Stage(row_scalars=tuple(scalars[0])))
    for at in range(last + 1):
        plain = tuple(entry for correction, entry in reductions.get(at, ()) if not correction)
        residuals = tuple(entry for correction, entry in reductions.get(at, ()) if correction)
        stage = Stage(
            temps=tuple(temps.get(at, ())),
            reductions=plain,
            row_scalars=tuple(scalars.get(at + 1, ())),
            stores=tuple(s for s in stores if _stored_at(s, level) == at),
            rows_reductions=tuple(s for s in sums if _summed_at(s, level) == at),
        )
        if residuals and (plain or stage.stores or stage.rows_reductions):
            stages += [Stage(temps=stage.temps, reductions=residuals, correction=True)]
            stages += [Stage((), plain, stage.row_scalars, stage.stores, stage.rows_reductions)]
        elif residuals:
            stages.append(Stage(stage.temps, residuals, stage.row_scalars, correction=True))
        elif stage != Stage():
            stages.append(stage)
    return stages


def _temps_where_needed(
    lines: Sequence[ProgramLine], sums: Sequence[RowsReduction], stores: Sequence[Store], level: dict[TypedSymbol, int]
) -> dict[int, list[Assignment]]:
    """Place each row value in the first stage that uses it, so that few values are held from one stage to the next."""
    first: dict[TypedSymbol, int] = {}

    def used(symbols: Iterable[TypedSymbol], at: int) -> None:
        for symbol in symbols:
            first[symbol] = min(at, first.get(symbol, at))

    for store in stores:
        used([store.symbol], level.get(store.symbol, 0))
    for total in sums:
        used(total.body.free_symbols, max((level.get(s, 0) for s in total.body.free_symbols), default=0))
    for line in lines:
        if line.operator is not None:
            used(line.expression.free_symbols, level[line.symbol] - 1)
    temps: dict[int, list[Assignment]] = {}
    for line in reversed(lines):
        if is_row(line.symbol) and line.operator is None and line.symbol in first:
            at = first[line.symbol]
            used(line.expression.free_symbols, at)
            temps.setdefault(at, []).insert(0, _assignment(line))
    return temps


def _assignment(line: ProgramLine) -> Assignment:
    return Assignment(line.symbol, line.expression, line.step, stops=line.stops)


def _stored_at(store: Store, level: dict[TypedSymbol, int]) -> int:
    at = level.get(store.symbol, 0)
    return at if is_row(store.symbol) else max(at - 1, 0)


def _summed_at(total: RowsReduction, level: dict[TypedSymbol, int]) -> int:
    at = max((level.get(symbol, 0) for symbol in total.body.free_symbols), default=0)
    return at if is_row(total.body) else max(at - 1, 0)
