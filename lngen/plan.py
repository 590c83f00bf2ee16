"""A derivation becomes two row programs, forward and backward.

Three decisions are made here, each by a rule that holds for every layer:

* *Staging.* A value is computed in the first sweep in which all it needs is known, so that all reductions whose inputs
  are ready share a sweep.
* *What backward reads.* Row values are recomputed from the fewest tensors: from the inputs, or from an output where that
  spares a tensor or a transcendental function. Row scalars of the forward are saved, a few bytes a row.
* *A mean used as a shift is corrected.* For `c = x - m` with `m = Mean(x)`, the mean of c is zero; whatever it is in
  floating point is the rounding error of m, so it is measured and taken off. A large offset then costs no digits, and m is
  saved as value and correction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import sympy
from sympy import Add, Expr, Mul

from lngen.definition import Kind
from lngen.derivation import Derivation
from lngen.program import (
    Assignment,
    FeatureReduction,
    Parameter,
    RowArgument,
    RowProgram,
    RowsReduction,
    Stage,
    Store,
)
from lngen.simplify.linear import show_sums
from lngen.symbolic import (
    D,
    FeatureSum,
    Mean,
    Reduction,
    RowMax,
    RowMin,
    RowScalarSymbol,
    RowSymbol,
    SumRows,
    TypedSymbol,
    axes,
    is_row,
    symbol_like,
)
from lngen.translate import Names

_OPERATORS: dict[type, Literal["mean", "sum", "max", "min"]] = {
    Mean: "mean",
    FeatureSum: "sum",
    RowMax: "max",
    RowMin: "min",
}

_COSTLY = (sympy.exp, sympy.log, sympy.tanh, sympy.erf, sympy.sin, sympy.cos)


@dataclass(frozen=True)
class Plan:
    """Both directions of a layer, and the derivation they come from."""

    derivation: Derivation
    forward: RowProgram
    backward: RowProgram


@dataclass(frozen=True)
class _Line:
    """One equation of a program, reductions on their own; `correction` marks the residual mean of a shift."""

    symbol: TypedSymbol
    expression: Expr
    step: int
    correction: bool = False

    @property
    def operator(self) -> Literal["mean", "sum", "max", "min"] | None:
        return _OPERATORS.get(type(self.expression))


def plan(derivation: Derivation) -> Plan:
    """The row programs of a derivation."""
    steps = derivation.step_of()
    names = Names(
        [symbol.name for symbol in derivation.forward.symbols]
        + [equation.symbol.name for equation in derivation.forward.equations]
        + [equation.symbol.name for equation in derivation.backward]
        + [symbol.name for symbol in derivation.adjoint.cotangents]
    )
    forward_lines = _without_nested_reductions(
        [_Line(q.symbol, show_sums(q.expression), steps.get(q.symbol.name, 0)) for q in derivation.forward.equations],
        names,
    )
    forward_lines = _once_a_row(_corrected(forward_lines, names), names)
    backward_lines = _without_nested_reductions(
        [
            _Line(q.symbol, show_sums(q.expression), steps.get(q.symbol.name, 0))
            for q in derivation.backward
            if not _is_alias(q.expression, derivation)
        ],
        names,
    )
    backward_lines = _once_a_row(backward_lines, names)
    needed, sources = _recomputed(derivation, forward_lines, backward_lines)
    saved = tuple(
        line.symbol
        for line in forward_lines
        if isinstance(line.symbol, RowScalarSymbol) and line.symbol in _read_by([*needed, *backward_lines])
    )
    return Plan(
        derivation,
        _program(derivation, "forward", forward_lines, saved, names, ()),
        _program(derivation, "backward", [*needed, *backward_lines], saved, names, sources),
    )


# ---- equations made ready


def _without_nested_reductions(lines: Iterable[_Line], names: Names) -> list[_Line]:
    """Every reduction on a line of its own, each computed once.

    >>> x, g = RowSymbol("x"), RowSymbol("g")
    >>> for line in _without_nested_reductions([_Line(RowSymbol("dx"), g - x*Mean(g*x), 7)], Names([])):
    ...     print(line.symbol, "=", line.expression)
    mean_g_x = Mean(g*x)
    dx = -mean_g_x*x + g
    """
    known: dict[Expr, TypedSymbol] = {}
    result: list[_Line] = []

    def extract(expression: Expr, step: int) -> Expr:
        if not expression.atoms(Reduction):
            return expression
        expression = expression.func(*(extract(argument, step) for argument in expression.args))
        if not isinstance(expression, Reduction):
            return expression
        if expression not in known:
            kind = {Mean: "mean", FeatureSum: "sum", RowMax: "max", RowMin: "min"}[type(expression)]
            known[expression] = symbol_like(names.fresh(f"{kind}_{_words(expression.args[0])}"), expression)
            result.append(_Line(known[expression], expression, step))
        return known[expression]

    for line in lines:
        if isinstance(line.expression, Reduction):
            body = extract(line.expression.args[0], line.step)
            expression = line.expression.func(body)
            known.setdefault(expression, line.symbol)
        else:
            expression = extract(line.expression, line.step)
        result.append(_Line(line.symbol, expression, line.step))
    return result


def _is_alias(expression: Expr, derivation: Derivation) -> bool:
    """Whether a gradient is another gradient: it is computed once, and the results share it."""
    return expression in [gradient for _, gradient in derivation.gradients]


def _once_a_row(lines: Sequence[_Line], names: Names) -> list[_Line]:
    """Factors that do not vary over features multiplied once a row, parameters' sums formed once a call.

    >>> from lngen.symbolic import FeatureSymbol
    >>> x, s, t, w = RowSymbol("x"), RowScalarSymbol("s"), RowScalarSymbol("t"), FeatureSymbol("w")
    >>> for line in _once_a_row([_Line(RowSymbol("y"), x*s*t*(1 + w)/D, 3)], Names([])):
    ...     print(line.symbol, "=", line.expression)
    t_scaled = s*t/D
    w_shifted = w + 1
    y = w_shifted*t_scaled*x
    """
    known: dict[Expr, TypedSymbol] = {}
    result: list[_Line] = []

    def named(expression: Expr, step: int) -> Expr:
        if expression not in known:
            word = max((s.name for s in expression.free_symbols if s != D), key=lambda name: (len(name), name))
            ending = "shifted" if isinstance(expression, Add) else "scaled"
            known[expression] = symbol_like(names.fresh(f"{word}_{ending}"), expression)
            result.append(_Line(known[expression], expression, step))
        return known[expression]

    def hoist(expression: Expr, step: int) -> Expr:
        if not expression.args:
            return expression
        if not isinstance(expression, Mul):
            return expression.func(*(hoist(argument, step) for argument in expression.args))
        once = [factor for factor in expression.args if not axes(factor).features]
        rest = [factor for factor in expression.args if axes(factor).features]
        sign = [factor for factor in once if factor == -1]
        once = [factor for factor in once if factor != -1]
        if any(axes(factor).rows for factor in once) and not (len(once) == 1 and isinstance(once[0], TypedSymbol)):
            once = [named(Mul(*once), step)]
        rest = [
            named(f, step) if isinstance(f, Add) and not axes(f).rows else hoist(f, step) for f in rest
        ]
        return Mul(*sign, *once, *rest)

    for line in lines:
        if line.operator is not None or isinstance(line.expression, SumRows):
            expression = line.expression.func(hoist(line.expression.args[0], line.step))
        elif is_row(line.symbol):
            expression = hoist(line.expression, line.step)
        else:
            expression = line.expression
        result.append(_Line(line.symbol, expression, line.step, line.correction))
    return result


def _words(body: Expr) -> str:
    symbols = sorted({symbol.name for symbol in body.free_symbols if axes(symbol).features})
    return "_".join(symbols[:3]) if symbols else "one"


def _corrected(lines: Sequence[_Line], names: Names) -> list[_Line]:
    """Every row centred on its own mean is centred twice: on the mean, then on what the mean left."""
    means = {line.symbol: line.expression.args[0] for line in lines if line.operator == "mean"}
    result = []
    for line in lines:
        shift = next((m for m in line.expression.free_symbols if means.get(m) == line.expression + m), None)
        if shift is None or not is_row(line.symbol) or not isinstance(line.expression, Add):
            result.append(line)
            continue
        shifted = RowSymbol(names.fresh(f"{means[shift].name}_shifted"))
        residual = RowScalarSymbol(names.fresh(f"{shift.name}_residual"))
        result += [
            _Line(shifted, line.expression, line.step),
            _Line(residual, Mean(shifted), line.step, correction=True),
            _Line(line.symbol, shifted - residual, line.step),
        ]
    return result


def _read_by(lines: Iterable[_Line]) -> set[TypedSymbol]:
    return {symbol for line in lines for symbol in line.expression.free_symbols}


# ---- what backward reads


def _recomputed(
    derivation: Derivation, forward: Sequence[_Line], backward: Sequence[_Line]
) -> tuple[list[_Line], tuple[TypedSymbol, ...]]:
    """The forward lines that backward computes again, and the row values it reads for that."""
    line_of = {line.symbol: line for line in forward}
    wanted = sorted(
        (s for s in _read_by(backward) if is_row(s) and (s in line_of or s in derivation.forward.symbols)),
        key=lambda s: s.name,
    )
    inputs = [symbol for symbol in derivation.forward.symbols if is_row(symbol)]
    outputs = [symbol for symbol in derivation.forward.outputs if is_row(symbol) and symbol not in inputs]
    best: tuple[tuple[int, int, int, int], tuple[TypedSymbol, ...], set[TypedSymbol]] | None = None
    for size in range(len(inputs) + len(outputs) + 1):
        for sources in combinations([*inputs, *outputs], size):
            again = _closure(wanted, set(sources), line_of)
            if again is None:
                continue
            lines = [line_of[symbol] for symbol in again]
            functions = sum(bool(line.expression.atoms(*_COSTLY)) for line in lines)
            price = (size, functions, sum(s in outputs for s in sources), len(lines))
            if best is None or price < best[0]:
                best = (price, sources, again)
        if best is not None:
            break
    assert best is not None, "the inputs themselves always suffice"
    again = best[2] | _parameter_lines(forward, [*backward, *(line_of[s] for s in best[2])])
    return [line for line in forward if line.symbol in again], best[1]


def _closure(
    wanted: Iterable[TypedSymbol], sources: set[TypedSymbol], line_of: dict[TypedSymbol, _Line]
) -> set[TypedSymbol] | None:
    again: set[TypedSymbol] = set()
    pending = list(wanted)
    while pending:
        symbol = pending.pop()
        if symbol in sources or symbol in again:
            continue
        if symbol not in line_of:
            return None
        again.add(symbol)
        pending += [s for s in line_of[symbol].expression.free_symbols if is_row(s)]
    return again


def _parameter_lines(forward: Sequence[_Line], users: Iterable[_Line]) -> set[TypedSymbol]:
    line_of = {line.symbol: line for line in forward if not axes(line.symbol).rows}
    found: set[TypedSymbol] = set()
    pending = [s for s in _read_by(users) if s in line_of]
    while pending:
        symbol = pending.pop()
        if symbol not in found:
            found.add(symbol)
            pending += [s for s in line_of[symbol].expression.free_symbols if s in line_of]
    return found


# ---- programs


def _program(
    derivation: Derivation,
    direction: Literal["forward", "backward"],
    lines: Sequence[_Line],
    saved: tuple[RowScalarSymbol, ...],
    names: Names,
    sources: tuple[TypedSymbol, ...],
) -> RowProgram:
    definition = derivation.definition
    results = _results(derivation, direction)
    stored = {store.symbol for store in results}
    prologue, epilogue, sums, rows = _sorted_out(lines, names)
    stages = _stages(rows, sums, [store for store in results if axes(store.symbol).rows])
    read = _read_by(lines) | stored
    by_name = dict(zip([e.name for e in definition.inputs], derivation.forward.symbols, strict=True))
    return RowProgram(
        layer=definition.name,
        direction=direction,
        minimum_features=definition.minimum_features,
        rows=tuple(_arguments(derivation, direction, read, sources)),
        parameters=tuple(
            Parameter(entry.name, by_name[entry.name], entry.kind.value, entry.default)  # type: ignore[arg-type]
            for entry in definition.inputs
            if not entry.kind.over_rows and (by_name[entry.name] in read)
        ),
        prologue=tuple(prologue),
        stages=tuple(stages),
        epilogue=tuple(epilogue),
        saved=saved,
        results=results,
        optional=tuple(
            (entry.name, entry.default)
            for entry in definition.inputs
            if entry.default is not None and entry.kind is not Kind.CONSTANT
        ),
    )


def _results(derivation: Derivation, direction: str) -> tuple[Store, ...]:
    if direction == "forward":
        return tuple(
            Store((name,), symbol)
            for name, symbol in zip(derivation.definition.outputs, derivation.forward.outputs, strict=True)
        )
    value = {equation.symbol: equation.expression for equation in derivation.backward}
    shared: dict[TypedSymbol, list[str]] = {}
    for _, gradient in derivation.gradients:
        same = value[gradient] if _is_alias(value[gradient], derivation) else gradient
        shared.setdefault(same, []).append(gradient.name)
    return tuple(Store(tuple(names), symbol) for symbol, names in shared.items())


def _arguments(
    derivation: Derivation, direction: str, read: set[TypedSymbol], sources: tuple[TypedSymbol, ...]
) -> Iterator[RowArgument]:
    for symbol in derivation.forward.symbols:
        if axes(symbol).rows and direction == "forward":
            yield RowArgument(symbol.name, symbol, "input")  # type: ignore[arg-type]
        elif axes(symbol).rows and (symbol in sources or (not is_row(symbol) and symbol in read)):
            yield RowArgument(symbol.name, symbol, "saved input")  # type: ignore[arg-type]
    if direction == "forward":
        return
    for name, symbol in zip(derivation.definition.outputs, derivation.forward.outputs, strict=True):
        if symbol in sources:
            yield RowArgument(name, symbol, "saved output")  # type: ignore[arg-type]
    for cotangent in derivation.adjoint.cotangents:
        yield RowArgument(cotangent.name, cotangent, "cotangent")  # type: ignore[arg-type]


def _sorted_out(
    lines: Sequence[_Line], names: Names
) -> tuple[list[Assignment], list[Assignment], list[RowsReduction], list[_Line]]:
    """Lines by where they run: before the rows, after them, summed over them, or in them."""
    prologue: list[Assignment] = []
    epilogue: list[Assignment] = []
    sums: list[RowsReduction] = []
    rows: list[_Line] = []
    late: set[TypedSymbol] = set()
    for line in lines:
        if axes(line.symbol).rows:
            rows.append(line)
        elif isinstance(line.expression, SumRows):
            sums.append(RowsReduction(line.symbol, line.expression.args[0], line.step))  # type: ignore[arg-type]
            late.add(line.symbol)
        else:
            expression = line.expression
            for total in sorted(expression.atoms(SumRows), key=sympy.default_sort_key):
                symbol = symbol_like(names.fresh(f"{line.symbol.name}_rows"), total)
                sums.append(RowsReduction(symbol, total.args[0], line.step))  # type: ignore[arg-type]
                expression = expression.xreplace({total: symbol})
                late.add(symbol)
            after = bool(expression.free_symbols & late)
            (epilogue if after else prologue).append(Assignment(line.symbol, expression, line.step))
            if after:
                late.add(line.symbol)
    return prologue, epilogue, sums, rows


def _stages(lines: Sequence[_Line], sums: Sequence[RowsReduction], stores: Sequence[Store]) -> list[Stage]:
    """Sweeps by level: a value's level is the number of sweeps that must be finished before it is known."""
    level: dict[TypedSymbol, int] = {}

    def level_of(expression: Expr) -> int:
        return max((level.get(symbol, 0) for symbol in expression.free_symbols), default=0)

    lines = list(lines)
    reductions: dict[int, list[tuple[bool, FeatureReduction]]] = {}
    scalars: dict[int, list[Assignment]] = {}
    for line in lines:
        at = level_of(line.expression)
        if line.operator is not None:
            entry = FeatureReduction(line.symbol, line.operator, line.expression.args[0], line.step)  # type: ignore[arg-type]
            reductions.setdefault(at, []).append((line.correction, entry))
            level[line.symbol] = at + 1
        elif is_row(line.symbol):
            level[line.symbol] = at
        else:
            scalars.setdefault(at, []).append(Assignment(line.symbol, line.expression, line.step))
            level[line.symbol] = at
    temps = _temps_where_needed(lines, sums, stores, level)
    last = max([*temps, *reductions, *scalars, *(level_of(s.symbol) for s in stores), *(level_of(s.body) for s in sums)], default=0)
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
    lines: Sequence[_Line], sums: Sequence[RowsReduction], stores: Sequence[Store], level: dict[TypedSymbol, int]
) -> dict[int, list[Assignment]]:
    """Each row value in the first sweep that uses it, not in the first that could compute it: fewer values wait."""
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
            temps.setdefault(at, []).insert(0, Assignment(line.symbol, line.expression, line.step))
    return temps


def _stored_at(store: Store, level: dict[TypedSymbol, int]) -> int:
    at = level.get(store.symbol, 0)
    return at if is_row(store.symbol) else max(at - 1, 0)


def _summed_at(total: RowsReduction, level: dict[TypedSymbol, int]) -> int:
    at = max((level.get(symbol, 0) for symbol in total.body.free_symbols), default=0)
    return at if is_row(total.body) else max(at - 1, 0)

