"""Lowering of a row program to the finished lines of its kernels."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Symbol

from lngen.backends.cuda import contract
from lngen.backends.cuda.expressions import Printer
from lngen.backends.cuda.lines import Columns, LoweredDirection, Read, StageFunctions
from lngen.backends.cuda.presence import cpp, flags
from lngen.backends.cuda.stage_functions import MOST_SUMS, KernelScope, Reduced, rows_sums, spelled
from lngen.errors import LngenError
from lngen.expressions.equations import leading_to
from lngen.expressions.symbols import (
    AttainsFirst,
    FeatureSymbol,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    axes,
    heads_that,
)
from lngen.plan.passes.moments import with_corrected_moments
from lngen.plan.passes.places import with_places
from lngen.plan.program import FeatureReduction, RowProgram, RowsReduction, Stage

# An absolute value and a sign are exact, and an instruction or two: they are not kept in registers.
_CALLED = heads_that(lambda entry: entry.roundings)


def handed(program: RowProgram) -> RowProgram:
    """Return the program that is printed: that of the plan after the passes for loops over a row."""
    return with_places(with_corrected_moments(program, MOST_SUMS))


def lower(
    program: RowProgram, formulas: Sequence[str], printer: type[Printer] = Printer, keeps_calls: bool = False
) -> LoweredDirection:
    """Lower a direction that is `handed` over, its names marked, to finished lines.

    Raises LngenError for an expression that C++ cannot be printed from.

    With `keeps_calls`, a row value that calls a function is kept for later passes over the row, where a read is faster
    than the call.
    """
    return _RowsScope(program, printer, keeps_calls).direction(tuple(formulas))


class _RowsScope(KernelScope):
    """The kernel that works on the rows."""

    def __init__(self, program: RowProgram, printer: type[Printer], keeps_calls: bool) -> None:
        features = [line for line in program.prologue if axes(line.symbol).features]
        super().__init__(program, [*features, *(t for t in program.temps() if axes(t.symbol).features)], printer)
        self._printer, self._keeps_calls = printer, keeps_calls
        self._prologue = leading_to(_stage_symbols(program), program.prologue)
        self._columns = [s for s in rows_sums(program) if isinstance(s.symbol, FeatureSymbol)]
        self._scalars = [s for s in rows_sums(program) if isinstance(s.symbol, ScalarSymbol)]
        if len(self._columns) > MOST_SUMS:
            raise LngenError(f"{len(self._columns)} sums over rows; the CUDA backend allows {MOST_SUMS}")

    def direction(self, formulas: tuple[str, ...]) -> LoweredDirection:
        program = self.program
        sums = (len(self._columns), len(self._scalars))
        first, *others = self.passes(self._prologue)
        prologue = [
            self.functions(
                f"prologue_{number}",
                self._title(each.reductions, "Before the rows"),
                each.reductions,
                scalars=each.scalars,
            )
            for number, each in enumerate(others, 1)
        ]
        before = self.after((), first.scalars)
        stages = self._stages()
        given = [p for p in program.parameters if p.kind == "Scalar"]
        row_scalars = [a for a in program.rows if isinstance(a.symbol, RowScalarSymbol)]
        computed = [a.symbol for a in row_scalars if a.origin == "computed"]
        return LoweredDirection(
            name=program.direction,
            formulas=formulas,
            contract=contract.row_contract(program, sums),
            rows=tuple(self.read(a.symbol, a.name) for a in program.rows if isinstance(a.symbol, RowSymbol)),
            row_scalars=tuple(self.read(a.symbol, a.name) for a in row_scalars if a.origin != "computed"),
            saved=tuple(s.name for s in (*(program.saved if program.direction != "forward" else ()), *computed)),
            saves=tuple(s.name for s in program.saved) if program.direction == "forward" else (),
            features=tuple(self.read(p.symbol, p.name) for p in program.parameters if p.kind == "Feature"),
            scalars=tuple(self.read(p.symbol, p.name) for p in given),
            constants=tuple(p.symbol.name for p in program.parameters if p.kind == "Constant"),
            members=self._members(),
            before=before,
            prologue=tuple(prologue),
            stages=tuple(stages),
            column_wants=tuple(cpp(self.presence.needed(s.symbol)) for s in self._columns),
            scalar_wants=tuple(cpp(self.presence.needed(s.symbol)) for s in self._scalars),
            most_sums=max((len(stage.starts) for stage in (*prologue, *stages)), default=0),
            calls=self._calls(),
            columns=_ColumnsScope(program, sums, self._printer).lowered() if contract.column_results(program) else None,
            flags=tuple(sorted(flags(program))),
        )

    def is_recalled(self, symbol: Symbol) -> bool:
        return self._keeps_calls and symbol in self._earlier and self._takes_a_call(symbol)

    def _takes_a_call(self, symbol: Symbol) -> bool:
        """Test whether a function computes a row value, or a value that it depends on."""
        line = self._recomputed.get(symbol)
        if line is None or not isinstance(symbol, RowSymbol):
            return False
        expression = line.expression
        return expression.has(*_CALLED) or any(map(self._takes_a_call, expression.free_symbols))

    def _calls(self) -> int:
        """Functions that are called for an entry of the row, in all stages together."""
        expressions = [line.expression for line in self.program.temps()]
        expressions += [item.body for stage in self.program.stages for item in stage.reductions]
        return sum(len(expression.atoms(*_CALLED)) for expression in expressions if axes(expression).features)

    def _members(self) -> tuple[str, ...]:
        """Return the names of the row's and the call's members: every value that does not vary over features."""
        program = self.program
        symbols: list[Symbol] = [a.symbol for a in program.rows if isinstance(a.symbol, RowScalarSymbol)]
        symbols += program.saved if program.direction != "forward" else ()
        symbols += [p.symbol for p in program.parameters if p.kind != "Feature"]
        symbols += [line.symbol for line in self._prologue if not axes(line.symbol).features]
        for stage in program.stages:
            symbols += [line.symbol for line in stage.temps if not axes(line.symbol).features]
            symbols += [item.symbol for item in stage.reductions] + [line.symbol for line in stage.row_scalars]
        return tuple(dict.fromkeys(symbol.name for symbol in symbols))

    def _stages(self) -> list[StageFunctions]:
        found: list[StageFunctions] = []
        for number, stage in enumerate(self.program.stages, 1):
            found += self._stage(stage, f"Stage {number} of {len(self.program.stages)}", len(found) + 1)
        return self.with_kept(found)

    def _stage(self, stage: Stage, title: str, number: int) -> list[StageFunctions]:
        """The passes of a stage: one, unless it stores a row value that waits for its own reductions."""
        reductions = [_reduced(item) for item in stage.reductions]
        early_scalars = [line for line in stage.temps if not axes(line.symbol).features]
        made = {item.symbol for item in reductions} | {line.symbol for line in stage.row_scalars}
        columns = [(self._columns.index(s), s) for s in stage.rows_reductions if s in self._columns]
        over_all = [(self._scalars.index(s), s) for s in stage.rows_reductions if s in self._scalars]
        rows = [store for store in stage.stores if isinstance(store.symbol, RowSymbol)]
        late_columns = [item for item in columns if self.closure([item[1].body])[1] & made]
        late_rows = [store for store in rows if self.closure([store.symbol])[1] & made]
        found = []
        if early_scalars:
            found.append(self.functions(f"stage_{number}", [f"{title}, before it"], scalars=early_scalars))
        found.append(
            self.functions(
                f"stage_{number + len(found)}",
                self._title(reductions, title, "measures what is zero in exact arithmetic" * stage.correction),
                reductions,
                [item for item in columns if item not in late_columns],
                [store for store in rows if store not in late_rows],
                stage.row_scalars,
                over_all,
                [store for store in stage.stores if isinstance(store.symbol, RowScalarSymbol)],
            )
        )
        if late_columns or late_rows:
            name = f"stage_{number + len(found)}"
            found.append(self.functions(name, [f"{title}, after it"], (), late_columns, late_rows))
        return found

    def _title(self, reductions: Sequence[Reduced], title: str, remark: str = "") -> list[str]:
        sums = [f"{item.symbol.name} = {spelled(item)}" for item in reductions]
        head = f"{title}: {'; '.join(sums)}" if sums else title
        return [f"{head} ({remark})" if remark else head]


class _ColumnsScope(KernelScope):
    """Scope of the kernel that ends the sums over rows and computes values from them."""

    def __init__(self, program: RowProgram, sums: tuple[int, int], printer: type[Printer]) -> None:
        lines = [*program.prologue, *program.epilogue]
        super().__init__(program, [line for line in lines if axes(line.symbol).features], printer)
        self._sums = sums
        self._lines = lines

    def lowered(self) -> Columns:
        program = self.program
        results = contract.column_results(program)
        stores = [store for store in results if isinstance(store.symbol, FeatureSymbol)]
        lines = leading_to({symbol for store in results for symbol in store.symbol.free_symbols}, self._lines)
        first, *others = self.passes(lines)
        stages = [
            self.functions(f"columns_{number}", ["Over the columns"], each.reductions, scalars=each.scalars)
            for number, each in enumerate(others, 1)
        ]
        given = [p for p in program.parameters if p.kind != "Feature"]
        scalar_totals = [s for s in rows_sums(program) if isinstance(s.symbol, ScalarSymbol)]
        members = [p.symbol for p in given] + [s.symbol for s in scalar_totals]
        members += [line.symbol for line in lines if not axes(line.symbol).features]
        totals = [s for s in rows_sums(program) if isinstance(s.symbol, FeatureSymbol)]
        last = self.functions("finish", ["One column of the gradients"], stores=stores)
        return Columns(
            contract=contract.columns_contract(program, self._sums),
            totals=tuple(self._total(s) for s in totals),
            scalar_totals=tuple(self._total(s) for s in scalar_totals),
            features=tuple(
                self.read(p.symbol, p.name)
                for p in program.parameters
                if any(p.symbol.name in stage.features for stage in (*stages, last))
            ),
            members=tuple(dict.fromkeys(symbol.name for symbol in members)),
            scalars=tuple(self.read(p.symbol, p.name) for p in given if p.kind == "Scalar"),
            constants=tuple(p.symbol.name for p in given if p.kind == "Constant"),
            before=self.after((), first.scalars),
            stages=tuple(stages),
            last=last,
            most_sums=max((len(stage.starts) for stage in stages), default=1),
            scalar_stores=tuple(self.stored(s) for s in results if isinstance(s.symbol, ScalarSymbol)),
        )

    def _total(self, item: RowsReduction) -> Read:
        return Read(item.symbol.name, cpp(self.presence.needed(item.symbol)), "A(0)")


def _stage_symbols(program: RowProgram) -> set[Symbol]:
    """Every symbol that the stages mention."""
    found: set[Symbol] = {store.symbol for store in program.results}
    for stage in program.stages:
        for line in stage.lines():
            found |= line.body.free_symbols
    return found


def _reduced(item: FeatureReduction) -> Reduced:
    operator = "first" if isinstance(item.body, AttainsFirst) else item.operator
    return Reduced(item.symbol, operator, item.body, item.step, item.shift)
