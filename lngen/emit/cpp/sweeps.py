"""Sweeps over a row, or over columns: the reductions, stores and sums of each, before it is printed.

A sweep is a loop over the entries of a row. A stage of the plan is one sweep, or a few (`of_stage`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sympy import Expr, Symbol

from lngen.algebra.symbols import AttainsFirst, Reduction, RowScalarSymbol, RowSymbol, axes
from lngen.errors import LngenError
from lngen.plan.program import OPERATORS, Assignment, FeatureReduction, RowsReduction, Stage, Store

MOST_SUMS = 64
"""Largest number of sums in a stage, or in a kernel over its rows: a set of sums is the bits of a word."""


@dataclass(frozen=True)
class Reduced:
    """A reduction over the features, of a row or of Features alone.

    The operator "first" has an `AttainsFirst` as its body, and gives the place at which that is 1.
    """

    symbol: Symbol
    operator: str
    body: Expr
    source: str
    shift: bool = False

    def words(self) -> str:
        """The reduction in words, for a comment."""
        if self.operator == "first":
            body, extreme = self.body.args
            return f"place of the first {body} that is {extreme}"
        return f"{self.operator}({self.body})"


@dataclass(frozen=True)
class Sweep:
    """One loop over the entries of a row: its reductions, the sums over rows and stores of an entry, and the values
    that its reductions give.
    """

    reductions: tuple[Reduced, ...] = ()
    columns: tuple[RowsReduction, ...] = ()
    stores: tuple[Store, ...] = ()
    scalars: tuple[Assignment, ...] = ()
    over_all: tuple[RowsReduction, ...] = ()
    row_scalar_stores: tuple[Store, ...] = ()

    def __post_init__(self) -> None:
        if len(self.reductions) > MOST_SUMS:
            raise LngenError(f"a stage has {len(self.reductions)} reductions; the C++ backend allows {MOST_SUMS}")

    @property
    def roots(self) -> list[Expr]:
        """The values of an entry that the sweep reduces, adds up or stores."""
        bodies = [*(item.body for item in self.reductions), *(item.body for item in self.columns)]
        return bodies + [store.symbol for store in self.stores]

    @property
    def sums(self) -> int:
        """The number of accumulators that the sweep carries along; a first place takes two."""
        firsts = sum(item.operator == "first" for item in self.reductions)
        return len(self.reductions) + firsts


@dataclass
class Recomputed:
    """Row values that each sweep rematerializes instead of keeping them.

    Kernels wait for memory, not for arithmetic.
    """

    lines: Iterable[Assignment]
    _by_symbol: dict[Symbol, Assignment] = field(init=False)

    def __post_init__(self) -> None:
        self._by_symbol = {line.symbol: line for line in self.lines}

    def __getitem__(self, symbol: Symbol) -> Assignment | None:
        return self._by_symbol.get(symbol)

    def closure(self, roots: Iterable[Expr], stops: Iterable[Symbol] = ()) -> tuple[list[Assignment], set[Symbol]]:
        """The values to compute for `roots`, in order, and the symbols that they start from, `stops` among them."""
        known = frozenset(stops)
        found: set[Symbol] = set()
        leaves: set[Symbol] = set()
        waiting = [symbol for root in roots for symbol in root.free_symbols]
        while waiting:
            symbol = waiting.pop()
            if symbol in found or symbol in leaves:
                continue
            if symbol in self._by_symbol and symbol not in known:
                found.add(symbol)
                waiting += self._by_symbol[symbol].expression.free_symbols
            else:
                leaves.add(symbol)
        return [line for symbol, line in self._by_symbol.items() if symbol in found], leaves


def of_stage(stage: Stage, recomputed: Recomputed) -> list[Sweep]:
    """The sweeps of a stage: one, unless it stores a row value that reads its own reductions."""
    reductions = tuple(map(_reduced, stage.reductions))
    early = tuple(line for line in stage.temps if not axes(line.symbol).features)
    made = {item.symbol for item in reductions} | {line.symbol for line in stage.row_scalars}
    columns = [item for item in stage.rows_reductions if axes(item.symbol).features]
    rows = [store for store in stage.stores if isinstance(store.symbol, RowSymbol)]
    late_columns = tuple(item for item in columns if recomputed.closure([item.body])[1] & made)
    late_rows = tuple(store for store in rows if recomputed.closure([store.symbol])[1] & made)
    found = [Sweep(scalars=early)] if early else []
    found.append(
        Sweep(
            reductions,
            tuple(item for item in columns if item not in late_columns),
            tuple(store for store in rows if store not in late_rows),
            stage.row_scalars,
            tuple(item for item in stage.rows_reductions if not axes(item.symbol).features),
            tuple(store for store in stage.stores if isinstance(store.symbol, RowScalarSymbol)),
        )
    )
    return [*found, Sweep(columns=late_columns, stores=late_rows)] if late_columns or late_rows else found


def of_lines(assignments: Sequence[Assignment], recomputed: Recomputed) -> list[Sweep]:
    """Flattened assignments in as few sweeps as their order allows; the first has no reductions."""
    done: list[Sweep] = []
    reductions: list[Reduced] = []
    scalars: list[Assignment] = []
    for line in assignments:
        if axes(line.symbol).features:
            continue
        first = isinstance(line.expression, AttainsFirst)
        reduced = first or isinstance(line.expression, Reduction)
        _, leaves = recomputed.closure([line.expression])
        pending = {item.symbol for item in reductions} | {item.symbol for item in scalars}
        other = any((item.operator == "first") != first for item in reductions)
        if reduced and (leaves & pending or other or not done):
            done.append(Sweep(tuple(reductions), scalars=tuple(scalars)))
            reductions, scalars = [], []
        if reduced:
            operator = "first" if first else OPERATORS[type(line.expression)]
            body = line.expression if first else line.expression.args[0]
            reductions.append(Reduced(line.symbol, operator, body, line.source))
        else:
            scalars.append(line)
    return [*done, Sweep(tuple(reductions), scalars=tuple(scalars))]


def _reduced(item: FeatureReduction) -> Reduced:
    operator = "first" if isinstance(item.body, AttainsFirst) else item.operator
    return Reduced(item.symbol, operator, item.body, item.source, item.shift)
