"""What each kernel of a layer does, phase by phase: read, computed, reduced, written, kept.

A kernel on rows starts a block, then for each row loads it and runs the sweeps of the plan, then ends the block.
Between two sweeps nothing is kept but what was read and the row scalars: a row value that a later sweep needs too is
computed again, since kernels wait for memory and not for arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from sympy import Expr

from lngen.cost.traffic import ACCUMULATE_ITEMSIZE, ITEMSIZE
from lngen.plan import Plan
from lngen.program import Assignment, FeatureReduction, RowProgram, RowsReduction, Stage
from lngen.symbolic import FeatureSymbol, RowScalarSymbol, TypedSymbol, axes, is_row

Per = Literal["row element", "row", "feature", "number", "feature and block", "block"]


@dataclass(frozen=True)
class Moved:
    """An array that is read from memory or written to it: `size` bytes for each `per`."""

    name: str
    size: Expr
    per: Per


@dataclass(frozen=True)
class Phase:
    """One phase of a kernel.

    `computes` are values that no phase before has computed, `again` those that are computed again; `reductions` share
    one barrier, and `row_scalars` follow from them. `sums` are added to what a thread has gathered of earlier rows.
    `keeps` is what a later phase of the same row, or for the start of a block of the same block, finds in registers.
    """

    title: str
    reads: tuple[Moved, ...] = ()
    computes: tuple[Assignment, ...] = ()
    again: tuple[TypedSymbol, ...] = ()
    reductions: tuple[FeatureReduction, ...] = ()
    row_scalars: tuple[Assignment, ...] = ()
    sums: tuple[RowsReduction, ...] = ()
    writes: tuple[Moved, ...] = ()
    keeps: tuple[TypedSymbol, ...] = ()


@dataclass(frozen=True)
class Kernel:
    """A kernel by name, and its phases in order."""

    name: str
    phases: tuple[Phase, ...]

    @property
    def row_tensors(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The row tensors that it reads and those that it writes, each as often as it is moved."""
        reads = [moved.name for phase in self.phases for moved in phase.reads if moved.per == "row element"]
        writes = [moved.name for phase in self.phases for moved in phase.writes if moved.per == "row element"]
        return tuple(reads), tuple(writes)


def kernels(plan: Plan) -> tuple[Kernel, ...]:
    """The kernels of a layer where a row fits in registers, all inputs present.

    >>> from lngen.definition import parse
    >>> from lngen.plan import plan
    >>> from lngen.simplify import derive
    >>> forward, backward, columns = kernels(plan(derive(parse('''
    ... from lngen.language import Row, Feature, mean
    ... def scaled(x: Row, gamma: Feature = 1):
    ...     return gamma * x / mean(x**2)
    ... '''))))
    >>> [phase.title for phase in forward.phases]
    ['start of a block', 'load of a row', 'sweep 1', 'sweep 2']
    >>> forward.row_tensors, backward.row_tensors
    ((('x',), ('y',)), (('x', 'dy'), ('dx',)))
    >>> columns.phases[0].writes
    (Moved(name='dgamma', size=itemsize, per='feature'),)
    """
    both = [_on_rows(plan.forward), _on_rows(plan.backward)]
    return tuple(both) + ((_on_columns(plan.backward),) if _sums(plan.backward) else ())


def _on_rows(program: RowProgram) -> Kernel:
    start = Phase(
        "start of a block",
        reads=_parameters(program, {p.symbol for p in program.parameters}),
        computes=program.prologue,
        keeps=(
            *(p.symbol for p in program.parameters if isinstance(p.symbol, FeatureSymbol)),
            *(item.symbol for item in _sums(program)),
        ),
    )
    saved = tuple(Moved(symbol.name, ACCUMULATE_ITEMSIZE, "row") for symbol in program.saved)
    load = Phase(
        "load of a row",
        reads=(*(_row(a.name, a.symbol) for a in program.rows), *(saved if program.direction == "backward" else ())),
        keeps=_kept(program, 0),
    )
    sweeps = _sweeps(program)
    if program.direction == "forward":
        sweeps[-1] = replace(sweeps[-1], writes=(*sweeps[-1].writes, *saved))
    end = Phase("end of a block", writes=_partial_sums(program))
    phases = (start, load, *sweeps, end)
    return Kernel(program.direction, tuple(phase for phase in phases if phase != Phase(phase.title)))


def _sweeps(program: RowProgram) -> list[Phase]:
    phases: list[Phase] = []
    number = 0
    for done, stage in enumerate(program.stages, 1):
        scalars_only = stage == Stage(row_scalars=stage.row_scalars)
        number += not scalars_only
        title = "before the sweeps" if scalars_only else f"sweep {number}"
        new = {temp.symbol for temp in stage.temps}
        needed = _closure(program.temps(), _row_values(stage))
        phases.append(
            Phase(
                title + (", a correction" if stage.correction else ""),
                computes=stage.temps,
                again=tuple(t.symbol for t in program.temps() if t.symbol in needed and t.symbol not in new),
                reductions=stage.reductions,
                row_scalars=stage.row_scalars,
                sums=stage.rows_reductions,
                writes=tuple(_row(s.names[0], s.symbol) for s in stage.stores if axes(s.symbol).rows),
                keeps=_kept(program, done),
            )
        )
    return phases


def _kept(program: RowProgram, done: int) -> tuple[TypedSymbol, ...]:
    """The rows and row scalars that are known after `done` stages and used by a later one."""
    later = program.stages[done:]
    known: list[TypedSymbol] = [argument.symbol for argument in program.rows]
    roots: list[Expr] = [line.expression for stage in later for line in stage.row_scalars]
    roots += [root for stage in later for root in _row_values(stage)]
    if program.direction == "backward":
        known += program.saved
    elif later:
        roots += program.saved
    for stage in program.stages[:done]:
        known += [reduction.symbol for reduction in stage.reductions]
        known += [line.symbol for line in stage.row_scalars]
    used = _closure(program.temps(), roots)
    return tuple(symbol for symbol in known if symbol in used)


def _on_columns(program: RowProgram) -> Kernel:
    lines = (*program.prologue, *program.epilogue)
    results = [store for store in program.results if not axes(store.symbol).rows]
    needed = _closure(lines, [store.symbol for store in results])
    phase = Phase(
        "a column",
        reads=(*_partial_sums(program), *_parameters(program, needed)),
        computes=tuple(line for line in lines if line.symbol in needed),
        writes=tuple(
            Moved(s.names[0], ITEMSIZE, "feature" if isinstance(s.symbol, FeatureSymbol) else "number") for s in results
        ),
    )
    return Kernel(f"{program.direction}_columns", (phase,))


def _row_values(stage: Stage) -> list[Expr]:
    """What a stage reduces, sums and stores."""
    stores = [store.symbol for store in stage.stores if axes(store.symbol).rows]
    return [*(r.body for r in stage.reductions), *(r.body for r in stage.rows_reductions), *stores]


def _closure(lines: Iterable[Assignment], roots: Iterable[Expr]) -> set[TypedSymbol]:
    """All symbols that `roots` are computed from by way of `lines`, those of the lines among them."""
    value = {line.symbol: line.expression for line in lines}
    found: set[TypedSymbol] = set()
    waiting = [symbol for root in roots for symbol in root.free_symbols]
    while waiting:
        symbol = waiting.pop()
        if symbol not in found:
            found.add(symbol)
            waiting += value[symbol].free_symbols if symbol in value else ()
    return found


def _sums(program: RowProgram) -> tuple[RowsReduction, ...]:
    return tuple(item for stage in program.stages for item in stage.rows_reductions)


def _partial_sums(program: RowProgram) -> tuple[Moved, ...]:
    return tuple(
        Moved(
            f"partial {item.symbol.name}",
            ACCUMULATE_ITEMSIZE,
            "feature and block" if isinstance(item.symbol, FeatureSymbol) else "block",
        )
        for item in _sums(program)
    )


def _parameters(program: RowProgram, wanted: set[TypedSymbol]) -> tuple[Moved, ...]:
    """Features and Scalars; Constants are passed by value."""
    return tuple(
        Moved(p.name, ITEMSIZE, "feature" if p.kind == "Feature" else "number")
        for p in program.parameters
        if p.kind != "Constant" and p.symbol in wanted
    )


def _row(name: str, symbol: TypedSymbol) -> Moved:
    assert is_row(symbol) or isinstance(symbol, RowScalarSymbol)
    return Moved(name, ITEMSIZE, "row element" if is_row(symbol) else "row")
