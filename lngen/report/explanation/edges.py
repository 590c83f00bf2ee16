"""Edge cases: the formulas at D = 1, at a constant row, where a constant is 0, and in float16.

The first three are exact: SymPy puts the case into the equations of the derivation, one after the other, and what
comes out is what stands in the table. The last one looks for the smallest row at which a value leaves float16.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import sympy
from sympy import Expr
from sympy.core.relational import Relational

from lngen.algebra.notation import text
from lngen.algebra.reductions import show_sums
from lngen.algebra.symbols import (
    ENTRY_OF,
    AttainsFirst,
    D,
    Reduction,
    RowScalarSymbol,
    StopGradient,
    TypedSymbol,
    Where,
    axes,
    is_row,
    operation_count,
    renamed,
)
from lngen.derivation.simplify.linear import TooManyTermsError, split_means
from lngen.plan.planner import Plan
from lngen.report.explanation.emulation import EmulatedRows, are_few, exactly, features_of, ordinary
from lngen.report.explanation.words import listed, magnitude, verb
from lngen.report.section import Section, Table

LARGEST_HALF = 65504.0
"""The largest number of float16."""

_LONGEST = 60
_MOST_WRITTEN = 4 * _LONGEST
"""Operations past which no notation is short. To write them, or to put them into others, may take very long."""
_TOO_LONG = "…"
"""The end of the name that stands for such a value in later ones."""

_MOST_FACTORED = 40
_SCALES = (*(2.0**k for k in range(-14, 16)), 65504.0)

_UNDEFINED = (sympy.nan, sympy.zoo, sympy.oo, sympy.S.NegativeInfinity, sympy.AccumBounds)

Values = Mapping[TypedSymbol, Expr]
Case = tuple[str, Values]


def section(plan: Plan, order: tuple[str, ...]) -> Section:
    """The section of a plan."""
    rows = [(name, *_cells(plan, values, order)) for name, values in cases(plan)]
    header = ("case", "outputs", "gradients of rows")
    table = Table(header, tuple(rows)) if rows else None
    return Section("Edge cases", (" ".join(_half(plan)),), table)


def cases(plan: Plan) -> Iterator[Case]:
    """The cases that apply, each with the values of the forward and of backward."""
    if not any(q.expression.has(Reduction) for q in plan.derivation.forward.equations):
        return
    if plan.forward.minimum_features == 1:
        yield "D = 1", _values(plan, {D: sympy.S.One}, alone=True)
    rows = {row.name: row.symbol for row in plan.forward.rows if row.name in _differentiable(plan)}
    taken = {symbol.name for symbol in plan.derivation.forward.symbols}
    stem = next(name for name in ("c", "c_row", "constant_of_row") if name not in taken)
    constants = {s: RowScalarSymbol(stem if len(rows) == 1 else f"{stem}_{name}") for name, s in rows.items()}
    said = ", ".join(f"{name} = {constants[s].name}" for name, s in rows.items())
    general = _values(plan, constants)
    yield f"constant row ({said})", general
    zeros = dict.fromkeys(rows.values(), sympy.S.Zero)
    at_zero = _values(plan, zeros)
    tried = [
        (where, given)
        for where, given, values in (("constant row", constants, general), ("row of zeros", zeros, at_zero))
        if not _undefined(values, plan)
    ]
    if tried == [("constant row", constants)]:
        yield "row of zeros", at_zero
    for parameter in plan.forward.parameters:
        if parameter.kind == "Constant":
            for where, given in tried:
                without = _values(plan, {**given, parameter.symbol: sympy.S.Zero})
                if _undefined(without, plan):
                    yield f"{parameter.name} = 0, {where}", without
                    break


def _differentiable(plan: Plan) -> set[str]:
    return {symbol.name for symbol in plan.derivation.forward.differentiable if is_row(symbol)}


def _values(plan: Plan, given: Values, *, alone: bool = False) -> Values:
    """The value of every equation, forward and backward, with some symbols replaced; `alone` in a row of one entry."""
    values: dict[TypedSymbol, Expr] = dict(given)
    for equation in (*plan.derivation.forward.equations, *plan.derivation.backward):
        if axes(equation.symbol).rows:
            value = _short(_put(equation.expression, values, alone))
            if operation_count(value) > _MOST_WRITTEN:
                value = renamed(equation.symbol, f"{equation.symbol.name}{_TOO_LONG}")
            values[equation.symbol] = value
    return values


def _put(e: Expr, values: Values, alone: bool) -> Expr:
    """An expression with values put in, NaN where it then has none; of a select only the branch that is chosen."""
    if e in values:
        return values[e]
    if not e.args:
        return e
    if isinstance(e, Where):
        condition = _put(e.args[0], values, alone)
        if condition in (sympy.true, sympy.false):
            return _put(e.args[1] if condition == sympy.true else e.args[2], values, alone)
    parts = [_put(part, values, alone) for part in e.args]
    if any(part.has(*_UNDEFINED) for part in parts):
        return sympy.nan
    if isinstance(e, StopGradient) or (alone and isinstance(e, Reduction)):
        return parts[0]
    if alone and isinstance(e, AttainsFirst):
        return sympy.S.One
    # SymPy looks long for real and imaginary parts inside of a hyperbolic function: of what is real it is real.
    if isinstance(e, Relational) and sum(map(operation_count, parts)) > _MOST_FACTORED:
        return e.func(*parts, evaluate=False)
    found = e.func(*parts)
    return sympy.nan if found.has(*_UNDEFINED) or (_may_leave_reals(found) and found.is_real is False) else found


def _may_leave_reals(e: Expr) -> bool:
    """Test whether an expression of real parts need not be real, and is short enough to ask SymPy."""
    if isinstance(e, sympy.Pow):
        partial = not e.exp.is_Integer
    else:
        partial = type(e) in ENTRY_OF and not ENTRY_OF[type(e)].is_total
    return partial and operation_count(e) <= _MOST_FACTORED


def _short(e: Expr) -> Expr:
    """The same with what leaves a mean outside of it, and in factors where that is soon found and shorter."""
    if e == sympy.nan or operation_count(e) > _MOST_FACTORED or e.has(Relational):
        return e
    try:
        e = split_means(e)
    except TooManyTermsError:
        return e
    factored = sympy.factor(sympy.together(e))
    return factored if operation_count(factored) < operation_count(e) else e


def _results(plan: Plan) -> tuple[list[tuple[str, TypedSymbol]], list[tuple[str, TypedSymbol]]]:
    outputs = zip(plan.derivation.definition.outputs, plan.derivation.forward.outputs, strict=True)
    gradients = [(g.name, g) for symbol, g in plan.derivation.gradients if is_row(symbol) and is_row(g)]
    return [(name, symbol) for name, symbol in outputs if axes(symbol).rows], gradients


def _undefined(values: Values, plan: Plan) -> bool:
    outputs, gradients = _results(plan)
    return any(values.get(symbol, symbol) == sympy.nan for _, symbol in (*outputs, *gradients))


def _cells(plan: Plan, values: Values, order: tuple[str, ...]) -> tuple[str, str]:
    outputs, gradients = _results(plan)
    return _cell(outputs, values, order), _cell(gradients, values, order)


def _cell(results: Sequence[tuple[str, TypedSymbol]], values: Values, order: tuple[str, ...]) -> str:
    """Describe results; results with the same description share it."""
    said: dict[str, list[str]] = {}
    for name, symbol in results:
        said.setdefault(_said(values.get(symbol, symbol), order), []).append(name)
    return ", ".join(f"{listed(names)}{words}" for words, names in said.items()) or "none"


def _said(e: Expr, order: tuple[str, ...]) -> str:
    if e == sympy.nan:
        return ": no value (division by zero)"
    if operation_count(e) > _MOST_WRITTEN or any(s.name.endswith(_TOO_LONG) for s in e.free_symbols):
        return ": no short form"
    written = text(show_sums(e), order)
    return f" = {written}" if len(written) <= _LONGEST else ": no short form"


def _half(plan: Plan) -> Iterator[str]:
    """Describe the overflow of intermediate values and results for rows of float16."""
    if not are_few(features_of(plan)):
        return
    wider = "float64" if plan.forward.is_wide else "float32"
    rows = ordinary(plan, features_of(plan), len(_SCALES))
    given = {row.symbol for row in plan.forward.rows if row.name in _differentiable(plan)}
    factors = np.array(_SCALES)[:, None]
    scaled = {s: v * factors if s in given else v for s, v in rows.values.items()}
    found = exactly(plan, EmulatedRows(scaled, rows.features, rows.constants))
    first = _first_beyond(plan, found.values)
    if first is None:
        yield f"Rows of float16 are computed in {wider}. No value in between passes 65504, the largest float16."
    else:
        name, scale = first
        where = f"for rows of about {magnitude(scale)}" if scale < LARGEST_HALF else "for the largest rows"
        yield f"Rows of float16 are computed in {wider}. In float16 itself {name} would overflow {where}."
    for results, where in ((found.outputs, ""), (found.gradients, " with cotangents up to 1")):
        beyond = [name for name, value in results.items() if float(np.max(np.abs(value))) > LARGEST_HALF]
        if beyond:
            stored = verb(len(beyond), "is", "are")
            yield f"{listed(beyond)} can pass 65504{where}, and {stored} infinite then."


def _first_beyond(plan: Plan, values: Mapping[TypedSymbol, object]) -> tuple[str, float] | None:
    """The line of the forward that leaves float16 for the smallest rows, and how large those are."""
    found = []
    for number, line in enumerate(plan.forward.lines()):
        value = np.asarray(values.get(line.symbol))  # None for what is summed over the rows
        if value.ndim == 2 and len(value) == len(_SCALES):
            beyond = [s for s, row in zip(_SCALES, value, strict=True) if float(max(abs(row))) > LARGEST_HALF]
            found += [(min(beyond), number, line.symbol.name)] if beyond else []
    scale, _, name = min(found, default=(0.0, 0, ""))
    return (name, scale) if found else None
