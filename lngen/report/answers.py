"""Four short answers about a plan: its reductions, what is saved, time and memory, and the stages of one kernel.

How many reductions are needed at least comes from the Jacobian. What one half of a row says to the results of the other
half goes through the reductions. So the rank of that block of the Jacobian is at most their number, whatever the
formulas.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from sympy import Expr

from lngen.algebra.notation import text
from lngen.algebra.numeric import Arithmetic, Environment, evaluate_equations
from lngen.algebra.symbols import D, Reduction, TypedSymbol, axes, is_row, operation_count
from lngen.errors import counted
from lngen.plan.cost import ACCUMULATE_ITEMSIZE, ITEMSIZE, cost
from lngen.plan.cost.traffic import INTEGER_ITEMSIZE
from lngen.plan.planner import Plan
from lngen.plan.program import FeatureReduction, RowProgram
from lngen.report.costs import DEFAULT_DTYPE
from lngen.report.formulas import reading_order
from lngen.runtime.protocol.casts import itemsize

_FEW = 4
_RANK_TOLERANCE = 1e-9


@dataclass(frozen=True)
class PlanAnswer:
    """A question, and sentences that answer it, by paragraph; `stages` are titles of stages and what they do."""

    question: str
    paragraphs: tuple[str, ...]
    stages: tuple[tuple[str, str], ...] = ()


def answers(plan: Plan) -> tuple[PlanAnswer, ...]:
    """Return the answers, in the order in which they are read."""
    order, both = reading_order(plan.derivation), (plan.forward, plan.backward)
    stages = tuple(row for program in both for row in _stages(program, order))
    words = "Threads share a row and keep it on chip from stage to stage, or read it again if it is too long."
    return (
        PlanAnswer("Why so many reductions", tuple(" ".join(_reductions(plan, each, order)) for each in both)),
        PlanAnswer("What is saved for backward", (" ".join(_saved(plan)),)),
        PlanAnswer("Time and memory", (" ".join(_time_and_memory(plan)),)),
        PlanAnswer("How one kernel does it", (words,), stages),
    )


def least_reductions(plan: Plan) -> tuple[int, int]:
    """Return how many reductions forward and backward need at least: the ranks of a block of the Jacobian.

    Both are 0 where a row of ordinary numbers has no finite results.
    """
    most = max(len(_every(program)) for program in (plan.forward, plan.backward))
    features = max(2 * most + 2, plan.forward.minimum_features)
    halves = [*range(0, features, 2)], [*range(1, features, 2)]
    # An extreme acts through the half that holds it, so either half is held once.
    found = [_ranks(plan, features, *each) for each in (halves, halves[::-1])]
    return max(forward for forward, _ in found), max(backward for _, backward in found)


def _ranks(plan: Plan, features: int, held: list[int], others: list[int]) -> tuple[int, int]:
    """The ranks of what held entries do to all results of the others, and of what the others' cotangents do to held."""
    d = plan.derivation
    cotangents = [row.symbol for row in plan.backward.rows if row.origin == "cotangent"]
    moved = [(symbol, entry) for symbol in cotangents for entry in (others if is_row(symbol) else [0])]
    values: Environment = {**_arguments(plan, features, len(moved)), D: features}
    for line, (symbol, entry) in enumerate(moved):
        values[symbol][line, entry] = 1.0
    values = evaluate_equations([*d.forward.equations, *d.backward], values, Arithmetic())
    rows = [values[gradient] for _, gradient in d.gradients if is_row(gradient)]
    shown = [np.broadcast_to(np.asarray(each, float), (len(moved), features))[:, held] for each in rows]
    block = np.hstack(shown or [np.zeros((len(moved), 1))])
    if not np.isfinite(block).all():
        return 0, 0
    least = _RANK_TOLERANCE * float(np.abs(block).max())
    between = block[[is_row(symbol) for symbol, _ in moved]]
    return int(np.linalg.matrix_rank(block, tol=least)), int(np.linalg.matrix_rank(between, tol=least))


def _arguments(plan: Plan, features: int, count: int) -> Environment:
    """A row with nothing special about it, `count` times, with parameters; cotangents are 0."""
    random = np.random.default_rng(0)
    values: Environment = {}
    for symbol in (*(row.symbol for row in plan.forward.rows), *(each.symbol for each in plan.forward.random)):
        drawn = random.uniform(0.2, 0.9, features if is_row(symbol) else 1)
        values[symbol] = np.tile(drawn * 0 + features - 1 if symbol.is_integer else drawn, (count, 1))
    for each in plan.forward.parameters:
        drawn = random.uniform(0.2, 0.9, (features,) if axes(each.symbol).features else ())
        # A number of places is that of all, and a label to ignore is none that is met.
        values[each.symbol] = np.asarray(drawn * 0 + features if each.symbol.is_integer else drawn)
    for row in plan.backward.rows:
        if row.origin == "cotangent":
            values[row.symbol] = np.zeros((count, features if is_row(row.symbol) else 1))
    return values


def _reductions(plan: Plan, program: RowProgram, order: tuple[str, ...]) -> Iterator[str]:
    every, name = _every(program), program.direction.capitalize()
    if not every:
        yield f"{name} takes no reduction of a row: each entry is computed by itself, in one sweep."
    else:
        found = _listed(f"{r.symbol.name} = {text(r.expression, order)}" for r in every)
        yield f"{name} takes {counted(len(every), 'reduction')} of a row: {found}."
        yield from _sweeps(program)
        yield from _least(plan, program)
    if sums := _rows_sums(program):
        yield f"Sums over rows take no sweep of their own: {_listed(sums)}."


def _sweeps(program: RowProgram) -> Iterator[str]:
    sweeps = [stage.reductions for stage in program.stages if stage.reductions and not stage.correction]
    yield from (f"{_names(sweep)} do not read each other, and share a sweep." for sweep in sweeps if len(sweep) > 1)
    reduced = {r.symbol for r in _every(program)}
    for earlier, sweep in pairwise(sweeps):
        for reduction in sweep:
            read = _reached(program, reduction.body, reduced)
            if known := [r for r in earlier if r.symbol in read]:
                yield f"{reduction.symbol.name} reads {_names(known)}, so it takes a later sweep."
    if off := [r for stage in program.stages if stage.correction for r in stage.reductions]:
        yield f"One more sweep measures {_names(off)}, 0 but for rounding."


def _least(plan: Plan, program: RowProgram) -> Iterator[str]:
    """State whether fewer reductions would do."""
    is_backward = program.direction == "backward"
    bound, every = least_reductions(plan)[is_backward], _every(program)
    stored = [store.symbol for store in program.results if axes(store.symbol).rows]
    rows = set[TypedSymbol]().union(*(_reached(program, symbol) for symbol in stored))
    cotangents = {row.symbol for row in program.rows if row.origin == "cotangent"}
    moving = cotangents or {symbol for symbol in plan.derivation.forward.differentiable if is_row(symbol)}
    needed = [r for r in every if r.symbol in rows and _reached(program, r.body) & moving]
    if apart := [r for r in every if r.symbol not in rows]:
        yield f"For gradients of parameters alone: {_names(apart)}."
    if known := [r for r in every if r.symbol in rows and r not in needed]:
        words = "forward, and taken again instead of kept" if is_backward else "data and parameters alone"
        yield f"Of {words}: {_names(known)}."
    if shifts := [r for r in needed if r.shift]:
        yield f"Only to keep exp in range: {_names(shifts)}."
    if needed := [r for r in needed if not r.shift]:
        others = "No fewer" if needed == every else "Of the others no fewer"
        words = f"{others} will do" if bound >= len(needed) else "That no fewer will do is not shown"
        through = f"one half of a row acts on the results of the other through {counted(bound, 'independent number')}"
        through += " (the rank of that block of the Jacobian), and a reduction brings one"
        yield f"{words}: {through}." if bound else f"{words}."


def _saved(plan: Plan) -> Iterator[str]:
    forward, backward = plan.forward, plan.backward
    if saved := [symbol.name for symbol in forward.saved]:
        size = len(saved) * DEFAULT_DTYPE.accumulate_itemsize
        yield f"Forward keeps {_listed(saved)}: {counted(len(saved), 'number')} a row, {size} bytes for float32 rows."
    else:
        yield "Forward keeps no number of its own."
    for origin, how in (("saved input", "which the caller has"), ("saved output", "which forward returned")):
        if names := [row.name for row in backward.rows if row.origin == origin]:
            yield f"Backward reads {_listed(names)}, {how}: no copy."
    made = {q.symbol for q in forward.temps()}
    if again := [q for q in backward.temps() if q.symbol in made]:
        done = counted(sum(operation_count(q.expression) for q in again), "operation")
        yield f"It computes {_several([q.symbol.name for q in again], 'row value')} again: {done} an entry, no traffic."
    known = {*forward.saved, *(q.symbol for q in backward.lines()), *(store.symbol for store in forward.results)}
    if gone := [q.symbol.name for stage in forward.stages for q in stage.lines() if q.symbol not in known]:
        yield f"It does not read {_several(gone, 'other value')}."


def _time_and_memory(plan: Plan) -> Iterator[str]:
    d, dtype = plan.derivation, DEFAULT_DTYPE
    sizes = {ITEMSIZE: dtype.itemsize, ACCUMULATE_ITEMSIZE: dtype.accumulate_itemsize}
    yield "For N rows of D entries, forward and backward take O(N*D) time, as reading the rows does."
    for program in (plan.forward, plan.backward):
        c = cost(program)
        row = f" and {c.operations.row} a row" * bool(c.operations.row)
        yield f"{program.direction.capitalize()} does {counted(c.operations.element, 'operation')} an entry{row}."
        yield f"It moves {c.row_bytes.subs(sizes)} bytes an entry in float32."
    before, after = (sum(operation_count(q.expression) for q in each) for each in (d.adjoint.equations, d.backward))
    written = len({r for q in d.adjoint.equations for r in q.expression.atoms(Reduction)})
    yield f"By the chain rule as it stands, backward has {counted(before, 'operation')} and"
    yield f"{counted(written, 'reduction')}; simplified, {after} and {len(_every(plan.backward))}."
    saved = cost(plan.forward).saved_bytes_per_row.subs(sizes)
    kept = f"O(N): {saved} bytes a row" if saved else "nothing"
    yield f"Beside arguments and results, memory from forward to backward is {kept}."
    if partial := cost(plan.backward).partial_bytes.subs(sizes):
        order = "O(D)" if partial.has(D) else "O(1)"
        yield f"Backward takes {order} for each block of rows: {text(partial)} bytes of sums."


def _stages(program: RowProgram, order: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """A line for each stage, and one for what is summed over rows."""
    arguments = {row.symbol: row.name for row in program.rows}
    own = {row.name: INTEGER_ITEMSIZE for row in program.rows if row.symbol.is_integer}
    own |= {name: itemsize(target) for name, target in program.casts} | {name: 0 for name, _ in program.smaller}
    met = set[Expr]()
    working = [s for s in program.stages if s.temps or s.reductions or s.stores or s.rows_reductions]
    for count, stage in enumerate(working, 1):
        stored = {store.symbol for store in stage.stores}
        used = stored.union(*(line.body.free_symbols for line in stage.lines()))
        new = [symbol for symbol in arguments if symbol in used and symbol not in met]
        met |= used
        done = [
            ("reads", [arguments[symbol] for symbol in new]),
            ("computes", [temp.symbol.name for temp in stage.temps if temp.symbol not in stored]),
            ("reduces", [f"{r.symbol.name} = {text(r.expression, order)}" for r in stage.reductions]),
            ("computes once a row", [line.symbol.name for line in stage.row_scalars]),
            ("adds to sums over rows", [r.symbol.name for r in stage.rows_reductions]),
            ("writes", [name for store in stage.stores for name in store.names]),
        ]
        words = "; ".join(f"{verb} {_several(names, 'value')}" for verb, names in done if names)
        words += "; left out where rounding cannot matter" if stage.correction else ""
        rows = [name for symbol, name in arguments.items() if symbol in new and is_row(symbol)]
        rows += [name for store in stage.stores if is_row(store.symbol) for name in store.names]
        moved = sum(own.get(name, DEFAULT_DTYPE.itemsize) for name in rows)
        yield f"{program.direction} {count}, {counted(moved, 'byte')} an entry in float32", words
    if sums := _rows_sums(program):
        yield "after the rows", f"adds the blocks' partial sums in a fixed order: {_listed(sums)}"


def _every(program: RowProgram) -> list[FeatureReduction]:
    """The reductions of a row, but for those that only measure rounding."""
    return [r for stage in program.stages if not stage.correction for r in stage.reductions]


def _rows_sums(program: RowProgram) -> list[str]:
    return [r.symbol.name for stage in program.stages for r in stage.rows_reductions]


def _reached(program: RowProgram, e: Expr, until: Collection[TypedSymbol] = ()) -> set[TypedSymbol]:
    """Symbols that a value reads, directly or through others, but not through symbols in `until`."""
    bodies = {q.symbol: q.body for q in program.lines() if q.symbol not in until}
    found: set[TypedSymbol] = set()
    pending = set(e.free_symbols)
    while pending:
        symbol = pending.pop()
        if symbol not in found:
            found.add(symbol)
            pending |= bodies[symbol].free_symbols if symbol in bodies else set()
    return found


def _names(found: Iterable[FeatureReduction]) -> str:
    return _listed(r.symbol.name for r in found)


def _listed(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _several(names: Sequence[str], noun: str) -> str:
    return _listed(names) if len(names) <= _FEW else counted(len(names), noun)
