"""Row programs over shards: each of several processes has some of the features of every row.

A row program is stages with reductions over features between them. In its sharded form each process runs *parts*, which
are row programs of its own features. It sends the reduced numbers to all others in *exchanges*, one collective each.
One more row program, whose features are the shards, *merges* the numbers of all. All processes run the same merge on
the same numbers in the same order, so that a row scalar has the same bits everywhere.

>>> from lngen.algebra.symbols import RowSymbol
>>> from lngen.plan.program import Stage
>>> x, y, s, m, v = *map(RowSymbol, "xys"), *map(RowScalarSymbol, "mv")
>>> stages = (
...     Stage(reductions=(FeatureReduction(m, "mean", x, 1),)),
...     Stage((Assignment(s, x - m, 2),), (FeatureReduction(v, "mean", s**2, 3),)),
...     Stage((Assignment(y, s/v, 4),), stores=(Store(("y",), y),)),
... )
>>> rows, results = (RowArgument("x", x, "input"),), (Store(("y",), y),)
>>> whole = RowProgram("f", "forward", 1, rows, (), (), stages, (), (), results, ())
>>> found = sharded(whole)
>>> for program in (found.parts[0], found.exchanges[0].merge, found.parts[1]):
...     print(*(f"{line.symbol} = {line.expression}" for line in program.lines()), sep="\\n", end="\\n\\n")
m_part = Mean(x)
s_part = -m_part + x
sum_s_part = FeatureSum(s_part)
sum_s_part_2 = FeatureSum(s_part**2)
<BLANKLINE>
m_all = FeatureSum(part_features*m_part)
m = m_all/all_features
s_by = -m + m_part
v_all = FeatureSum(part_features*s_by**2 + 2*s_by*sum_s_part + sum_s_part_2)
v = Where(v_all < 0, 0, v_all)/all_features
<BLANKLINE>
s = -m + x
y = s/v
<BLANKLINE>

Two reductions, the second of which needs the first, and one exchange: the rules of `lngen.extensions.sharded.merging`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import sympy
from sympy import Add, Expr

from lngen.algebra.equations import leading_to, read_by
from lngen.algebra.symbols import (
    PLACE,
    AttainsFirst,
    D,
    FeatureSum,
    FeatureSymbol,
    Reduction,
    RowMax,
    RowMin,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    TypedSymbol,
    Where,
    axes,
    is_row,
    varies_over_features,
)
from lngen.errors import LngenError
from lngen.extensions.sharded.merging import Merging, Shared
from lngen.extensions.sharded.parts import DrawnRow, Exchange, Sent, ShardedProgram
from lngen.plan.lines import ProgramLine
from lngen.plan.passes.balance import grown
from lngen.plan.program import (
    OPERATORS,
    Assignment,
    FeatureReduction,
    Parameter,
    RowArgument,
    RowProgram,
    RowsReduction,
    Store,
)
from lngen.plan.stages import stages_of

BITS = 24
"""Bits of a random number in [0, 1)."""


def sharded(program: RowProgram, *, merges: bool = True) -> ShardedProgram:
    """Return the sharded form of a program; without `merges`, a reduction that needs another waits for its exchange.

    Raises LngenError for a reduction of a value that does not vary over rows, such as the sum of a Feature.
    """
    return _Sharding(program, merges).form()


@dataclass(frozen=True)
class _First:
    """First place at which a row attains an extreme.

    `nearest` is the smallest gap to the extreme on a shard, and `own` is 1 on one shard.
    """

    atom: Expr
    nearest: RowScalarSymbol
    own: RowScalarSymbol
    step: int

    @property
    def gap(self) -> Expr:
        """Return the gap between an entry and the extreme; exactly 0 if they are equal, also if both are infinite."""
        body, extreme = self.atom.args
        return Where(sympy.Eq(body, extreme), 0, sympy.Abs(body - extreme, evaluate=False))


class _Draft:
    """Draft of one exchange: its reductions and the values sent."""

    def __init__(self, merging: Merging) -> None:
        self.merging = merging
        self.reductions: list[tuple[FeatureReduction, Shared | None]] = []
        self.totals: list[tuple[FeatureReduction, ScalarSymbol]] = []
        self.firsts: list[_First] = []
        self.scalars: list[ProgramLine] = []
        self.sums: dict[Expr, RowScalarSymbol] = {}
        self.sent: list[Sent] = []


class _Sharding:
    """The lines of a program, and after which exchange each is known: -1 before the first."""

    def __init__(self, program: RowProgram, merges: bool) -> None:
        self._whole_program, self._merges = program, merges
        self._names = program.names()
        self._whole = ScalarSymbol(self._names.fresh("all_features"), positive=True)
        self._count = FeatureSymbol(self._names.fresh("part_features"), nonnegative=True)
        self._largest = ScalarSymbol(self._names.fresh("largest"), positive=True)
        self._places = FeatureSymbol(self._names.fresh("places"), integer=True, nonnegative=True)
        self._drawn = {
            row.symbol: DrawnRow(
                RowSymbol(self._names.fresh(f"{row.symbol.name}_bits"), integer=True, nonnegative=True),
                row.seed,
                row.stream,
            )
            for row in program.random
        }
        self._everywhere = {D: self._whole, PLACE: self._places}
        self._everywhere |= {u: row.symbol * sympy.Rational(1, 2**BITS) for u, row in self._drawn.items()}
        self._lines: dict[TypedSymbol, ProgramLine] = {}
        self._known: dict[TypedSymbol, int] = {}
        self._drafts: list[_Draft] = []
        self._totals = _only_summed(program)
        self._given = {row.symbol: row for row in program.rows}
        known = [*(row.symbol for row in self._drawn.values())]
        known += program.saved if program.direction != "forward" else ()
        self._given |= {s: RowArgument(s.name, s, "saved output") for s in known}

    def form(self) -> ShardedProgram:
        program = self._whole_program
        for assignment in (*program.prologue, *program.epilogue):
            if assignment.expression.has(Reduction, AttainsFirst):
                raise LngenError(
                    f"{program.layer}: {assignment.symbol} = {assignment.expression} reduces a value that is the same "
                    "for all rows, which has no sharded form yet; compute it beforehand, and pass it as a Scalar"
                )
        for assignment in program.prologue:
            self._add(assignment.symbol, assignment.expression, assignment.step)
        for stage in program.stages:
            for temp in stage.temps:
                self._add(temp.symbol, temp.expression, temp.step)
            for reduction in stage.reductions:
                self._reduce(replace(reduction, body=self._sharded(reduction.body, reduction.step)))
            for line in stage.row_scalars:
                self._add(line.symbol, line.expression, line.step)
        last, common = self._last(), self._common()
        parts = [*(self._part(draft) for draft in self._drafts), last]
        asked = {row.symbol for part in (*parts, common) if part is not None for row in part.rows}
        asked |= {*program.saved} | {store.symbol for store in program.results}
        exchanges: list[Exchange] = []
        for number in reversed(range(len(self._drafts))):
            exchanges.insert(0, self._exchange(number, asked))
            merge = exchanges[0].merge
            asked |= {row.symbol for row in merge.rows} if merge else set()
        first = next((part for part in parts if part is not None), None)
        counted = {self._whole, self._places, *(row.symbol for row in self._drawn.values())}
        drawn = tuple(row for row in self._drawn.values() if any(part and row.symbol in part.read() for part in parts))
        return ShardedProgram(
            program=program,
            parts=tuple(parts),
            exchanges=tuple(exchanges),
            whole=self._whole,
            count=self._count,
            largest=self._largest,
            places=self._places,
            drawn=drawn,
            common=common,
            counts_first=first is parts[0] and first is not None and not counted.isdisjoint(first.read()),
        )

    # ---- what is known when

    def _at(self, expression: Expr) -> int:
        return max((self._known.get(symbol, -1) for symbol in expression.free_symbols), default=-1)

    def _add(self, symbol: TypedSymbol, expression: Expr, step: int) -> None:
        line = ProgramLine(symbol, self._sharded(expression, step), step)
        at = self._known[symbol] = self._at(line.expression)
        if at >= 0 and not is_row(symbol):
            self._drafts[at].scalars.append(line)
        else:
            self._lines[symbol] = line

    def _draft(self, number: int) -> _Draft:
        if number == len(self._drafts):
            self._drafts.append(_Draft(Merging(self._names, self._lines, self._known, number, self._largest)))
        return self._drafts[number]

    def _reduce(self, reduction: FeatureReduction) -> None:
        """Give a reduction to the first exchange that can have it."""
        at = self._at(reduction.body)
        shared = self._drafts[at].merging.shared(reduction) if at >= 0 and self._merges else None
        if shared is None:
            at += 1
            self._draft(at).merging.stands_in(reduction)
        total = self._totals.get(reduction.symbol)
        if total is not None and shared is None:
            self._drafts[at].totals.append((reduction, total))
            self._known[total] = at
        else:
            self._drafts[at].reductions.append((reduction, shared))
        self._known[reduction.symbol] = at

    def _sharded(self, expression: Expr, step: int) -> Expr:
        """The expression with all features for D and positions in all of them, in which one part alone attains an
        extreme first.
        """
        expression = expression.xreplace(self._everywhere)
        table: dict[Expr, Expr] = {}
        for atom in sorted(expression.atoms(AttainsFirst), key=sympy.default_sort_key):
            if any(argument.has(AttainsFirst) for argument in atom.args) or not is_row(atom.args[0]):
                raise LngenError(f"{self._whole_program.layer}: {atom} has no sharded form yet")
            at = self._at(atom) + 1
            draft = self._draft(at)
            first = next((known for known in draft.firsts if known.atom == atom), None)
            if first is None:
                own = RowScalarSymbol(self._names.fresh("attains"))
                first = _First(atom, RowScalarSymbol(self._names.fresh("nearest")), own, step)
                draft.firsts.append(first)
                self._known[own] = at
            table[atom] = atom * first.own
        return expression.xreplace(table)

    # ---- parts

    def _part(self, draft: _Draft) -> RowProgram:
        """Return the program that computes the values to send, and add them to `draft`."""
        own = {line.symbol: line for line in draft.merging.part_lines}

        def summed(body: Expr, step: int) -> None:
            if varies_over_features(body) and body not in draft.sums:
                words = sorted(symbol.name for symbol in body.free_symbols if varies_over_features(symbol))
                total = RowScalarSymbol(self._names.fresh("_".join(["sum", *words[:3]])))
                draft.sums[body] = total
                own[total] = ProgramLine(total, FeatureSum(body), step)

        for reduction, shared in draft.reductions:
            for share in shared.shares if shared else ():
                summed(share.body, reduction.step)
        used = read_by(self._leading_to(draft.sums.values(), own))
        for reduction, shared in draft.reductions:
            stand_in = draft.merging.stand_ins.get(reduction.symbol)
            if shared is None and stand_in and (reduction.operator != "mean" or stand_in.sent in used):
                head = next(head for head, operator in OPERATORS.items() if operator == reduction.operator)
                own[stand_in.sent] = ProgramLine(stand_in.sent, head(reduction.body), reduction.step)
                draft.sent.append(Sent(stand_in.sent, reduction.operator))
            elif shared is None:
                summed(reduction.body, reduction.step)
        for first in draft.firsts:
            own[first.nearest] = ProgramLine(first.nearest, RowMin(first.gap), first.step)
            draft.sent.append(Sent(first.nearest, "min"))
        draft.sent += [Sent(total, "sum") for total in draft.sums.values()]
        totals = []
        for reduction, total in draft.totals:
            totals.append(RowScalarSymbol(self._names.fresh(f"{total.name}_part")))
            own[totals[-1]] = ProgramLine(totals[-1], FeatureSum(reduction.body), reduction.step)
        return self._program(own, saved=[*(each.symbol for each in draft.sent), *totals])

    def _last(self) -> RowProgram | None:
        """Return the program of all results that vary over features; None if there are none."""
        return self._end([store for store in self._whole_program.results if axes(store.symbol).features])

    def _common(self) -> RowProgram | None:
        """Return the program of results that vary over no features and come from no exchange; None if there are
        none.
        """
        program = self._whole_program
        saved = program.saved if program.direction == "forward" else ()

        def is_left(symbol: TypedSymbol) -> bool:
            return not axes(symbol).features and self._known.get(symbol, -1) < 0

        return self._end(
            [store for store in program.results if is_left(store.symbol)], [each for each in saved if is_left(each)]
        )

    def _end(self, results: Sequence[Store], saved: Sequence[RowScalarSymbol] = ()) -> RowProgram | None:
        """The program of some results, with the sums over rows that they are made of."""
        if not (results or saved):
            return None
        program = self._whole_program
        epilogue = leading_to({store.symbol for store in results}, program.epilogue)
        read = {store.symbol for store in results}.union(*(line.expression.free_symbols for line in epilogue))
        sums = [
            replace(total, body=self._sharded(total.body, total.step))
            for stage in program.stages
            for total in stage.rows_reductions
            if total.symbol in read and total.symbol not in self._known
        ]
        stores = [store for store in results if axes(store.symbol).rows]
        return self._program({}, saved=saved, stores=stores, sums=sums, results=results, epilogue=epilogue)

    def _exchange(self, number: int, asked: set[TypedSymbol]) -> Exchange:
        """Return an exchange: the values sent, and the program that computes the values asked for."""
        draft = self._drafts[number]
        columns = {each.symbol: RowSymbol(each.symbol.name) for each in draft.sent}
        own = {line.symbol: line for line in (*draft.merging.merge_lines, *draft.scalars)}

        def define(symbol: TypedSymbol, expression: Expr, step: int) -> None:
            own[symbol] = ProgramLine(symbol, expression, step)

        def of_parts(body: Expr) -> Expr:
            return columns[draft.sums[body]] if body in draft.sums else self._count * body

        for reduction, shared in draft.reductions:
            symbol, step = reduction.symbol, reduction.step
            stand_in = draft.merging.stand_ins.get(symbol)
            if reduction.operator in ("max", "min"):
                assert stand_in is not None
                extreme = (RowMax if reduction.operator == "max" else RowMin)(columns[stand_in.sent])
                own[symbol] = ProgramLine(symbol, extreme, step, shift=reduction.shift)
                continue
            if shared is not None:
                body = Add(*(share.coefficient * of_parts(share.body) for share in shared.shares))
            elif stand_in and stand_in.sent in columns:
                body = self._count * columns[stand_in.sent]
            else:
                body = of_parts(reduction.body)
            total, is_plain = FeatureSum(body), reduction.operator == "sum" and not (shared and shared.is_nonnegative)
            if is_plain:
                define(symbol, total, step)
                continue
            whole = RowScalarSymbol(self._names.fresh(f"{symbol.name}_all"))
            define(whole, total, step)
            value = Where(sympy.Lt(whole, 0), 0, whole) if shared and shared.is_nonnegative else whole
            define(symbol, value / self._whole if reduction.operator == "mean" else value, step)
        stores = []
        for first in draft.firsts:
            least, entry = RowScalarSymbol(self._names.fresh("nearest_all")), RowSymbol(first.own.name)
            define(least, RowMin(columns[first.nearest]), first.step)
            define(entry, AttainsFirst(columns[first.nearest], least), first.step)
            stores.append(Store((first.own.name,), entry))
        given = {column: RowArgument(column.name, column, "saved output") for column in columns.values()}
        saved = sorted(
            (symbol for symbol in asked if symbol in own and self._known.get(symbol) == number), key=lambda s: s.name
        )
        merge = self._program(own, saved=saved, stores=stores, results=stores, given=given) if draft.sent else None
        totals = tuple(total for _, total in draft.totals)
        return Exchange(tuple(draft.sent), merge, tuple(store.symbol for store in stores), totals)

    # ---- programs

    def _leading_to(self, symbols: Iterable[TypedSymbol], own: Mapping[TypedSymbol, ProgramLine]) -> list[ProgramLine]:
        """The lines that lead to symbols, in an order in which each uses only earlier ones."""
        found: dict[TypedSymbol, ProgramLine] = {}

        def visit(symbol: TypedSymbol) -> None:
            line = own.get(symbol) or self._lines.get(symbol)
            if line is None or symbol in found:
                return
            for needed in sorted(line.expression.free_symbols, key=lambda s: s.name):
                visit(needed)
            found[symbol] = line

        for symbol in symbols:
            visit(symbol)
        return list(found.values())

    def _program(
        self,
        own: Mapping[TypedSymbol, ProgramLine],
        *,
        saved: Sequence[RowScalarSymbol],
        stores: Sequence[Store] = (),
        sums: Sequence[RowsReduction] = (),
        results: Sequence[Store] = (),
        epilogue: Sequence[Assignment] = (),
        given: Mapping[TypedSymbol, RowArgument] = MappingProxyType({}),
    ) -> RowProgram:
        """Return the program that leads to these values; values that it reads and does not compute are arguments."""
        program = self._whole_program
        epilogue = [replace(line, expression=line.expression.xreplace(self._everywhere)) for line in epilogue]
        after = {symbol for line in epilogue for symbol in line.expression.free_symbols}
        ends = [*saved, *(store.symbol for store in (*stores, *results))]
        ends += sorted({s for total in sums for s in total.body.free_symbols} | after, key=lambda s: s.name)
        lines = self._leading_to(ends, own)
        inner = [line for line in lines if axes(line.symbol).rows]
        read = {s for line in lines for s in line.expression.free_symbols} | {*ends}
        numbers = [
            Parameter(self._whole.name, self._whole, "Scalar", None),
            Parameter(self._largest.name, self._largest, "Scalar", None),
            Parameter(self._count.name, self._count, "Feature", None),
            Parameter(self._places.name, self._places, "Feature", None),
            *(Parameter(total.name, total, "Scalar", None) for total in self._totals.values() if total in self._known),
        ]
        made = {line.symbol for line in lines}
        rows = [*given.values(), *(row for symbol, row in self._given.items() if symbol in read)]
        rows += [
            RowArgument(symbol.name, symbol, "saved output")
            for symbol in sorted(read - made - {row.symbol for row in rows}, key=lambda s: s.name)
            if axes(symbol).rows
        ]
        return replace(
            program,
            direction="forward",
            minimum_features=1,
            rows=tuple(rows),
            parameters=tuple(each for each in (*program.parameters, *numbers) if each.symbol in read),
            prologue=tuple(Assignment(q.symbol, q.expression, q.step) for q in lines if q not in inner),
            stages=tuple(stages_of(inner, sums, stores)),
            epilogue=tuple(epilogue),
            saved=tuple(saved),
            results=tuple(results),
            random=(),
            growth=grown(program.growth, lines),
        )


def _only_summed(program: RowProgram) -> dict[TypedSymbol, ScalarSymbol]:
    """Return the sums over features that are used only in a sum over rows, with the symbol of that."""
    return {
        total.body: total.symbol
        for stage in program.stages
        for total in stage.rows_reductions
        if isinstance(total.symbol, ScalarSymbol)
        and isinstance(total.body, RowScalarSymbol)
        and program.users(total.body) == 1
        and total.body not in program.saved
        and any(
            reduction.symbol == total.body and reduction.operator == "sum" and is_row(reduction.body)
            for each in program.stages
            for reduction in each.reductions
        )
    }
