"""Reductions of a direction: their number, their sweeps, and a lower bound.

A lower bound comes from the Jacobian. Hold one half of the entries of a row: through k reductions, what the other half
says to it goes through k numbers, so the block of the Jacobian between both halves has rank k at most. A block of rank
k therefore takes k reductions at least, whatever the formulas.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np
from sympy import Expr

from lngen.algebra.notation import text
from lngen.algebra.symbols import Reduction, TypedSymbol, axes, is_row
from lngen.errors import counted
from lngen.plan.planner import Plan
from lngen.plan.program import FeatureReduction, RowProgram
from lngen.report.explanation.emulation import are_few, features_of
from lngen.report.explanation.jacobian import Matrix, directions, rank, responses
from lngen.report.explanation.words import listed, reduction_line, reductions, verb
from lngen.report.section import Section


def section(plan: Plan, order: tuple[str, ...]) -> Section:
    """The section of a plan."""
    bounds = least(plan)
    return Section(
        "Reductions",
        tuple(
            " ".join(_sentences(plan, program, bound, order))
            for program, bound in zip((plan.forward, plan.backward), bounds, strict=True)
        ),
    )


def least(plan: Plan) -> tuple[int, int]:
    """Lower bounds of the reductions of forward and backward, by the rank of a block of the Jacobian.

    They are 0 for rows that are too long to be measured.
    """
    most = max(sum(map(len, reductions(program))) for program in (plan.forward, plan.backward))
    features = features_of(plan, 2 * most + 2)
    if not are_few(features):
        return 0, 0
    halves = range(0, features, 2), range(1, features, 2)
    # An extreme acts through the half that holds it, so either half is held once.
    found = [_ranks(plan, features, *each) for each in (halves, halves[::-1])]
    return max(forward for forward, _ in found), max(backward for _, backward in found)


def _ranks(plan: Plan, features: int, held: Sequence[int], others: Sequence[int]) -> tuple[int, int]:
    """The rank of what held entries do to the results of others, and of what cotangents of others do to gradients."""
    rows = {f"d{row.name}" for row in plan.forward.rows if is_row(row.symbol)}
    every = directions(plan, others)
    if not every:  # the outputs are sums over the rows
        return 0, 0
    forward = {name: value for name, value in responses(plan, features, every).items() if name in rows}
    between = [each for each in every if is_row(each[0])]
    backward = responses(plan, features, between) if between else {}
    return rank(_block(forward, held)), rank(_block(backward, held))


def _block(answers: dict[str, object], entries: Iterable[int]) -> Matrix:
    """Lines for directions, columns for the held entries of each gradient, and for those that are row scalars."""
    lines: Matrix = []
    held = list(entries)
    for value in answers.values():
        array = np.asarray(value)
        columns = array[:, held] if array.shape[-1] > 1 else array
        lines = [a + b for a, b in zip(lines, columns.tolist(), strict=True)] if lines else columns.tolist()
    return lines


def _sentences(plan: Plan, program: RowProgram, bound: int, order: tuple[str, ...]) -> Iterator[str]:
    sweeps = reductions(program)
    every = [r for sweep in sweeps for r in sweep]
    name = program.direction.capitalize()
    if not every:
        yield f"{name} has no reduction over a row: each entry is computed on its own, in one sweep."
        yield from _over_rows(program)
        return
    yield f"{name} has {counted(len(every), 'reduction')}: {listed(reduction_line(r, order) for r in every)}."
    if program.direction == "backward":
        written = len({r for q in plan.derivation.adjoint.equations for r in q.expression.atoms(Reduction)})
        if written > len(every):
            yield f"The chain rule, written out as it stands, has {written}."
    yield from _sweeps(program, sweeps, order)
    yield from _corrections(program, order)
    differentiable = {symbol for symbol in plan.derivation.forward.differentiable if is_row(symbol)}
    cotangents = {row.symbol for row in program.rows if row.origin == "cotangent"}
    yield from _minimal(program, every, bound, cotangents if program.direction == "backward" else differentiable)
    yield from _over_rows(program)


def _sweeps(program: RowProgram, sweeps: Sequence[Sequence[FeatureReduction]], order: tuple[str, ...]) -> Iterator[str]:
    for sweep in sweeps:
        if len(sweep) > 1:
            both = "Neither reads the other" if len(sweep) == 2 else "None reads another"
            yield f"{both}: one sweep takes {listed(r.symbol.name for r in sweep)}."
    reduced = frozenset(r.symbol for stage in program.stages for r in stage.reductions)
    for earlier, sweep in pairwise(sweeps):
        results = [r.symbol for r in earlier]
        for reduction in sweep:
            read = _reached(program, reduction.body, reduced)
            names = listed(s.name for s in results if s in read)
            yield f"{reduction.symbol.name} reads {names}, so it needs a later sweep."
    last = {r.symbol for r in sweeps[-1]}
    rows = [store for store in program.results if is_row(store.symbol)]
    waiting = [name for store in rows if _reached(program, store.symbol, reduced) & last for name in store.names]
    if waiting:
        needs = listed(r.symbol.name for r in sweeps[-1])
        reads, them = verb(len(waiting), "reads", "read"), verb(len(waiting), "it", "them")
        yield f"{listed(waiting)} {reads} {needs}, so a last sweep writes {them}."
    for centring in program.centrings():
        body = text(centring.shifted.expression + centring.mean, order)
        yield f"mean({body}**2) - {centring.mean}**2 would spare a sweep, and lose digits at a large offset."


def _corrections(program: RowProgram, order: tuple[str, ...]) -> Iterator[str]:
    found = [r for stage in program.stages if stage.correction for r in stage.reductions]
    if found:
        names = listed(reduction_line(r, order) for r in found)
        zero, them = verb(len(found), "is", "are"), verb(len(found), "it", "them")
        yield f"A further sweep measures {names}, which {zero} 0 but for rounding, and takes {them} off."


def _minimal(
    program: RowProgram, every: Sequence[FeatureReduction], bound: int, moving: Collection[TypedSymbol]
) -> Iterator[str]:
    """State whether fewer reductions are possible; `moving` are the rows by which the bound differentiates."""
    rows = {
        symbol for store in program.results if axes(store.symbol).rows for symbol in _reached(program, store.symbol)
    }
    apart = [r for r in every if r.symbol not in rows]
    known = [r for r in every if r not in apart and not _reached(program, r.body) & {*moving}]
    needed = [r for r in every if r not in apart and r not in known]
    shifts = [r for r in needed if r.shift]
    without = [r for r in needed if not r.shift]
    if apart:
        yield f"{_names(apart)} {verb(len(apart), 'serves', 'serve')} the gradients of parameters alone."
    if known and program.direction == "backward":
        yield f"{_names(known)} {verb(len(known), 'is', 'are')} of the forward alone: to keep"
        yield f"{verb(len(known), 'it', 'them')} would take {counted(len(known), 'number')} more a row."
    elif known:
        yield f"{_names(known)} {verb(len(known), 'is', 'are')} of data and parameters alone."
    if shifts and bound == len(without):
        yield f"{_names(shifts)} only {verb(len(shifts), 'keeps', 'keep')} exp in range."
        needed = without
    if bound == len(needed) > 0:
        others = "No fewer" if len(needed) == len(every) else "Of the others no fewer"
        yield f"{others} will do: {_half(bound)}."
    elif needed:
        yield f"{counted(len(needed), 'reduction')} {verb(len(needed), 'is', 'are')} not shown minimal: {_half(bound)}."


def _names(found: Sequence[FeatureReduction]) -> str:
    return listed(r.symbol.name for r in found)


def _half(bound: int) -> str:
    return (
        f"one half of a row acts on the results of the other half through {bound} independent"
        f" {verb(bound, 'number', 'numbers')} (the rank of that block of the Jacobian), and a reduction brings one"
    )


def _over_rows(program: RowProgram) -> Iterator[str]:
    sums = [r.symbol.name for stage in program.stages for r in stage.rows_reductions]
    if sums:
        add, take = verb(len(sums), "adds", "add"), verb(len(sums), "takes", "take")
        yield f"{listed(sums)} {add} up over rows, not over a row, and {take} no sweep."


def _reached(program: RowProgram, e: Expr, until: frozenset[TypedSymbol] = frozenset()) -> set[TypedSymbol]:
    """Symbols that a value reads, directly or through others, but not through symbols in `until`."""
    bodies = {q.symbol: q.body for q in program.lines()}
    found: set[TypedSymbol] = set()
    pending = set(e.free_symbols)
    while pending:
        symbol = pending.pop()
        if symbol not in found:
            found.add(symbol)
            pending |= bodies[symbol].free_symbols if symbol in bodies and symbol not in until else set()
    return found
