"""Lowering of a row program to a schedule of array operations.

A sum over rows, and a reduction, is scheduled as soon as its operands are ready. Its product is then free before the
next buffer is needed. `operations` turns an expression into operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Literal

from sympy import Expr, S

from lngen.algebra.symbols import PLACE, Axes, D, FeatureSymbol, RowScalarSymbol, RowSymbol, TypedSymbol, holds_integers
from lngen.emit.expressions import formula, number_of
from lngen.emit.numpy.graph import ROW, ROW_SCALAR, SHIFT, ArrayValue, Graph
from lngen.emit.numpy.operations import Event, OperationWriter, Schedule
from lngen.emit.numpy.presence import Cases
from lngen.errors import LngenError
from lngen.plan.history import after
from lngen.plan.passes.scales import weights_apart, with_late_scales, with_weights
from lngen.plan.presence import ALWAYS, NEVER, Condition, all_of
from lngen.plan.program import Assignment, Centring, FeatureReduction, RowProgram, RowsReduction, Store


def passes(program: RowProgram) -> Iterator[tuple[str, RowProgram]]:
    """Yield the program after each pass for operations on whole arrays, and the pass's rule."""
    program = with_late_scales(program, lambda p: _row_operations(lower(p, Cases(()))))
    yield "late scales", program
    yield "weights", with_weights(program)


def handed(program: RowProgram) -> RowProgram:
    """Return the program that is printed: that of the plan after the passes."""
    return after(passes, program)


def lower(
    program: RowProgram,
    cases: Cases,
    wanted: Mapping[str, Condition] = MappingProxyType({}),
    residuals: Sequence[RowScalarSymbol] = (),
    zeros: Mapping[str, Axes] = MappingProxyType({}),
) -> Schedule:
    """The schedule of a program that is `handed` over, whose results are each `wanted` in some cases, or always.

    `residuals` are saved row scalars that are zero for most rows, and `zeros` are results that are always zero. Raises
    LngenError for an expression that the NumPy backend cannot spell, naming it and the step.
    """
    lowering = _Lowering(Schedule(program, cases, Graph(cases.everything)), wanted, residuals)
    lowering.run(zeros)
    return lowering.schedule


def _row_operations(schedule: Schedule) -> int:
    """Return the number of operations on whole rows, loads apart, in a call with every argument."""
    nodes = schedule.graph.nodes
    cases = schedule.cases
    all_there = all_of(map(cases.present, cases.names))
    made = [
        node for node in nodes if node.phase != "prologue" and node.operation != "load" and node.computed() & all_there
    ]
    return sum(ROW in (node.axes, *(nodes[operand].axes for operand in node.operands)) for node in made)


class _Lowering(OperationWriter):
    def __init__(
        self, schedule: Schedule, wanted: Mapping[str, Condition], residuals: Sequence[RowScalarSymbol]
    ) -> None:
        super().__init__(schedule)
        self.wanted, self.residuals = wanted, residuals
        self.taken: dict[int, Condition] = {}
        self.last = False
        self.waiting: list[FeatureReduction | RowsReduction | Store] = []

    def run(self, zeros: Mapping[str, Axes]) -> None:
        """Schedule the whole program."""
        program = self.schedule.program
        self.centrings = {centring.shifted.symbol: centring for centring in program.centrings()}
        self.done = {symbol for c in self.centrings.values() for symbol in (c.residual.symbol, c.spread.symbol)}
        self._load_arguments()
        for assignment in program.prologue:
            self._assign(assignment)
        rows_reductions = [reduction for stage in program.stages for reduction in stage.rows_reductions]
        self.waiting = list(rows_reductions)
        self._flush()
        for stage in program.stages:
            self.waiting += [*(r for r in stage.reductions if r.symbol not in self.done), *stage.stores]
            self._flush()
            for assignment in stage.temps:
                if assignment.symbol.name not in self.schedule.names:
                    self._assign(assignment)
                if assignment.symbol in self.centrings:
                    self._centre(self.centrings[assignment.symbol])
                self._flush()
            for assignment in stage.row_scalars:
                self._assign(assignment)
                self._flush()
        self.last = True
        self._flush()
        if self.waiting:
            raise LngenError(
                f"program {program.layer} {program.direction}: {self.waiting[0]} needs a value that is never assigned"
            )
        for assignment in program.epilogue:
            self._assign(assignment)
        stored = {name for stage in program.stages for store in stage.stores for name in store.names}
        for result in program.results:
            if not stored.intersection(result.names):
                self._keep("result", result.names, self.symbol(result.symbol), result.symbol.varies)
        for name, axes in zeros.items():
            self._keep("result", (name,), self.graph.number(S.Zero), axes)

    def _load_arguments(self) -> None:
        program, cases, graph = self.schedule.program, self.schedule.cases, self.graph
        neutral = {name: number_of(value) for name, value in program.optional}
        for row in program.rows:
            present = (
                cases.present(row.name)
                if row.origin in ("input", "cotangent", "tangent") or row.name in neutral
                else cases.everything
            )
            value = S.Zero if row.origin == "cotangent" else neutral.get(row.name)
            integer = bool(row.symbol.is_integer)
            self._name(row.symbol, graph.load(row.name, row.symbol.varies, "block", present, value, integer=integer))
        for made in program.random:
            node = graph.load(made.symbol.name, made.symbol.varies, "block", cases.everything, None)
            self._name(made.symbol, node)
        for parameter in program.parameters:
            present = cases.present(parameter.name)
            value = neutral.get(parameter.name)
            varies, integer = parameter.symbol.varies, bool(parameter.symbol.is_integer)
            node = graph.load(parameter.name, varies, "prologue", present, value, integer=integer)
            self._name(parameter.symbol, node)
        if program.direction != "forward":
            for symbol in program.saved:
                self._name(symbol, graph.load(symbol.name, ROW_SCALAR, "block", cases.everything, None))

    def _assign(self, assignment: Assignment) -> None:
        self.at(assignment.source, assignment.symbol, formula(assignment.expression))
        residual = self._residual_taken_off(assignment.expression)
        if residual is None:
            written = self.integer if holds_integers(assignment.expression) else self.expression
            self._name(assignment.symbol, written(assignment.expression))
        else:
            target = self.symbol(assignment.expression + residual)
            less = self.made(self.graph.in_place, "less_residual", target, self.symbol(residual))
            self._name(assignment.symbol, less)
        self._save(assignment.symbol)

    def _residual_taken_off(self, expression: Expr) -> RowScalarSymbol | None:
        """The residual that a line takes off a row that nothing else reads; it is zero for most rows."""
        for residual in self.residuals:
            shifted = expression + residual
            if isinstance(shifted, RowSymbol) and self.schedule.program.users(shifted) == 1:
                return residual
        return None

    def _centre(self, centring: Centring) -> None:
        """The residual of the rows that have one to speak of, taken off where the shifted row and its spread stand."""
        # With inputs left out a row may be one number, and is corrected in memory of its own.
        shifted = self.expanded(self.symbol(centring.shifted.symbol), ROW, False)
        self._name(centring.shifted.symbol, shifted)
        first = replace(centring.spread, body=centring.shifted.symbol**2)
        self.at(first.source, first.symbol, formula(first.expression))
        spread = self.reduce(first.operator, first.body, rows=True)
        self.at(centring.residual.source, centring.residual.symbol, formula(centring.residual.expression))
        residual = self.apply("residual", shifted, self.symbol(centring.mean), spread)
        self._name(centring.residual.symbol, residual)
        self._save(centring.residual.symbol)
        self.at(centring.centred.source, centring.centred.symbol, formula(centring.centred.expression))
        self._name(centring.centred.symbol, self.made(self.graph.in_place, "corrected", shifted, residual))
        self.at(centring.spread.source, centring.spread.symbol, formula(centring.spread.expression))
        self._name(centring.spread.symbol, self.made(self.graph.in_place, "corrected", spread, residual))
        self._save(centring.spread.symbol)

    def _name(self, symbol: TypedSymbol, node: int) -> None:
        self.schedule.names[symbol.name] = node

    def _save(self, symbol: TypedSymbol) -> None:
        program = self.schedule.program
        if program.direction == "forward" and symbol.name in {saved.name for saved in program.saved}:
            self._keep("save", (symbol.name,), self.symbol(symbol), ROW_SCALAR)

    def _keep(self, kind: Literal["store", "save", "result"], names: Sequence[str], node: int, axes: Axes) -> None:
        """Keep a value as the result of each of these names, in an array of its own."""
        for name in names:
            before = len(self.graph.nodes)
            own = self.graph.result(name, node, axes, "epilogue" if kind == "result" else "block", self.taken)
            if len(self.graph.nodes) > before:
                self.schedule.events.append(Event("make", own))
            self.schedule.events.append(Event(kind, own, name=name))
            for form in self.graph.nodes[own].forms:
                if isinstance(form.value, ArrayValue):
                    cases = form.cases & self.wanted.get(name, ALWAYS)
                    self.taken[form.value.root] = self.taken.get(form.value.root, NEVER) | cases

    def _flush(self) -> None:
        """Schedule every waiting operation whose operands are ready, until none is left."""
        progress = True
        while progress:
            progress = False
            for item in list(self.waiting):
                body = item.symbol if isinstance(item, Store) else item.body
                given = (symbol.name in self.schedule.names for symbol in body.free_symbols - {D, PLACE})
                known = all(given)
                if known and not (isinstance(item, RowsReduction) and self._is_unread(body)):
                    self.waiting.remove(item)
                    self._take(item)
                    progress = True

    def _is_unread(self, body: Expr) -> bool:
        """Test whether a row is an argument that no operation has read yet.

        The sum of such a row waits until the row is in the cache.
        """
        node = self.schedule.names.get(body.name) if isinstance(body, RowSymbol) else None
        if node is None or self.graph.nodes[node].operation != "load" or self.last:
            return False
        return not any(node in other.operands for other in self.graph.nodes)

    def _take(self, item: FeatureReduction | RowsReduction | Store) -> None:
        if isinstance(item, Store):
            self._keep("store", item.names, self.symbol(item.symbol), item.symbol.varies)
        elif isinstance(item, FeatureReduction):
            self.at(item.source, item.symbol, formula(item.expression))
            operator = SHIFT if item.shift else item.operator
            self._name(item.symbol, self.reduce(operator, item.body, rows=True))
            self._save(item.symbol)
        else:
            self.at(item.source, item.symbol, f"sum over rows of {formula(item.body)}")
            factors, rest = weights_apart(item.body)
            weights = None if factors == 1 else self.expanded(self.expression(factors), ROW_SCALAR, False)
            over_features = isinstance(item.symbol, FeatureSymbol)
            body = self.expanded(self.expression(rest), ROW if over_features else ROW_SCALAR, False)
            total = self.graph.total(item.symbol.name, item.symbol.varies, body, weights)
            self.schedule.events.append(Event("sum", total, self.source, self.heading, item.symbol.name))
            self._name(item.symbol, total)
