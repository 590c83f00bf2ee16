"""Lowering of a row program to a schedule of array operations.

A sum over rows, and a reduction, is scheduled as soon as its operands are ready. Its product is then free before the
next buffer is needed. `operations` turns an expression into operations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from sympy import Expr, S

from lngen.algebra.symbols import PLACE, Axes, D, FeatureSymbol, RowScalarSymbol, RowSymbol, TypedSymbol, holds_integers
from lngen.emit.expressions import formula, number_of
from lngen.emit.numpy.graph import ROW, ROW_SCALAR, SHIFT, ArrayValue, Graph, Phase
from lngen.emit.numpy.operations import OperationWriter, Schedule
from lngen.emit.numpy.presence import Cases
from lngen.errors import LngenError
from lngen.plan.history import after
from lngen.plan.passes.scales import weights_apart, with_late_scales, with_weights
from lngen.plan.presence import ALWAYS, NEVER, Condition, all_of
from lngen.plan.program import Assignment, Centring, FeatureReduction, RowProgram, RowsReduction


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
        self.waiting: list[FeatureReduction | RowsReduction] = []

    def run(self, zeros: Mapping[str, Axes]) -> None:
        """Schedule the whole program."""
        program = self.schedule.program
        self.centrings = {centring.shifted.symbol: centring for centring in program.centrings()}
        done = {symbol for c in self.centrings.values() for symbol in (c.residual.symbol, c.spread.symbol)}
        self._load_arguments()
        for assignment in program.prologue:
            self._assign(assignment)
        sums = [reduction for stage in program.stages for reduction in stage.rows_reductions]
        # A row that an argument is may not be in the cache before another line reads it.
        late = [each for each in sums if isinstance(each.body, RowSymbol) and each.body.name in self.schedule.names]
        self._reduce_when_ready(each for each in sums if each not in late)
        for stage in program.stages:
            self._reduce_when_ready(each for each in stage.reductions if each.symbol not in done)
            for assignment in (*stage.temps, *stage.row_scalars):
                if assignment.symbol.name not in self.schedule.names:
                    self._assign(assignment)
                if assignment.symbol in self.centrings:
                    self._centre(self.centrings[assignment.symbol])
                self._reduce_when_ready()
        self._reduce_when_ready(late)
        if self.waiting:
            raise LngenError(
                f"program {program.layer} {program.direction}: {self.waiting[0]} needs a value that is never assigned"
            )
        stores = [store for stage in program.stages for store in stage.stores]
        for store in stores:
            self._keep(self.schedule.stored, store.names, store.symbol)
        for symbol in program.saved if program.direction == "forward" else ():
            self._keep(self.schedule.stored, (symbol.name,), symbol)
        for assignment in program.epilogue:
            self._assign(assignment)
        for store in program.results:
            if store not in stores:
                self._keep(self.schedule.after, store.names, store.symbol)
        for name, axes in zeros.items():
            self.schedule.after[name] = self.graph.result(name, self.graph.number(S.Zero), axes, "epilogue", {})

    def _load_arguments(self) -> None:
        program, cases, graph = self.schedule.program, self.schedule.cases, self.graph
        neutral = {name: number_of(value) for name, value in program.optional}
        neutral |= {row.name: S.Zero for row in program.rows if row.origin == "cotangent"}
        loaded: list[tuple[str, TypedSymbol]] = [(each.name, each.symbol) for each in program.rows]
        loaded += [(each.symbol.name, each.symbol) for each in program.random]
        loaded += [(each.name, each.symbol) for each in program.parameters]
        loaded += [(symbol.name, symbol) for symbol in program.saved if program.direction != "forward"]
        for name, symbol in loaded:
            phase: Phase = "block" if symbol.varies.rows else "prologue"
            given = cases.present(name), neutral.get(name)
            self._name(symbol, graph.load(name, symbol.varies, phase, *given, integer=bool(symbol.is_integer)))

    def _assign(self, assignment: Assignment) -> None:
        self.at(assignment.source, assignment.symbol, formula(assignment.expression))
        residual = self._residual_taken_off(assignment.expression)
        if residual is not None:
            target = self.symbol(assignment.expression + residual)
            node = self.graph.in_place("less_residual", target, self.symbol(residual))
        elif holds_integers(assignment.expression):
            node = self.integer(assignment.expression)
        else:
            node = self.expression(assignment.expression)
        self._name(assignment.symbol, node)

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
        shifted = self.graph.expanded(self.symbol(centring.shifted.symbol), ROW)
        self._name(centring.shifted.symbol, shifted)
        first = replace(centring.spread, body=centring.shifted.symbol**2)
        self.at(first.source, first.symbol, formula(first.expression))
        spread = self.reduce(first.operator, first.body, rows=True)
        self.at(centring.residual.source, centring.residual.symbol, formula(centring.residual.expression))
        residual = self.apply("residual", shifted, self.symbol(centring.mean), spread)
        self._name(centring.residual.symbol, residual)
        self.at(centring.centred.source, centring.centred.symbol, formula(centring.centred.expression))
        self._name(centring.centred.symbol, self.graph.in_place("corrected", shifted, residual))
        self.at(centring.spread.source, centring.spread.symbol, formula(centring.spread.expression))
        self._name(centring.spread.symbol, self.graph.in_place("corrected", spread, residual))

    def _name(self, symbol: TypedSymbol, node: int) -> None:
        self.schedule.names[symbol.name] = node

    def _keep(self, among: dict[str, int], names: Sequence[str], symbol: TypedSymbol) -> None:
        """Keep a value as the result of each of these names, in an array of its own."""
        self.graph.source = self.graph.line = ""
        for name in names:
            phase: Phase = "block" if among is self.schedule.stored else "epilogue"
            own = among[name] = self.graph.result(name, self.symbol(symbol), symbol.varies, phase, self.taken)
            for form in self.graph.nodes[own].forms:
                if isinstance(form.value, ArrayValue):
                    cases = form.cases & self.wanted.get(name, ALWAYS)
                    self.taken[form.value.root] = self.taken.get(form.value.root, NEVER) | cases

    def _reduce_when_ready(self, more: Iterable[FeatureReduction | RowsReduction] = ()) -> None:
        """Schedule every waiting reduction whose operands are ready, until none is left."""
        self.waiting += more
        is_known = {D, PLACE}
        while ready := [
            each
            for each in self.waiting
            if all(s in is_known or s.name in self.schedule.names for s in each.body.free_symbols)
        ]:
            self.waiting = [each for each in self.waiting if each not in ready]
            for each in ready:
                self._reduce(each)

    def _reduce(self, item: FeatureReduction | RowsReduction) -> None:
        if isinstance(item, FeatureReduction):
            self.at(item.source, item.symbol, formula(item.expression))
            self._name(item.symbol, self.reduce(SHIFT if item.shift else item.operator, item.body, rows=True))
        else:
            self.at(item.source, item.symbol, f"sum over rows of {formula(item.body)}")
            factors, rest = weights_apart(item.body)
            over_features = isinstance(item.symbol, FeatureSymbol)
            weights = [] if factors == 1 else [self.graph.expanded(self.expression(factors), ROW_SCALAR)]
            body = self.graph.expanded(self.expression(rest), ROW if over_features else ROW_SCALAR)
            self._name(item.symbol, self.graph.total(item.symbol.name, item.symbol.varies, body, *weights))
