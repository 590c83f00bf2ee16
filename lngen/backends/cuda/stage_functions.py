"""One pass over the features of a row, lowered to lines.

A stage becomes two functions of the emitted file. One is for a single entry, and reads like the derivation; the other
runs after the sums are complete. Each computes its row values again from memory, and does not keep them: kernels wait
for memory, not for arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sympy import Expr, Symbol

from lngen.backends.cuda.expressions import Printer, literal
from lngen.backends.cuda.lines import Read, StageFunctions, Stored
from lngen.backends.cuda.presence import Presence, cpp, flags, result_condition
from lngen.errors import LngenError
from lngen.expressions.symbols import (
    PLACE,
    AttainsFirst,
    D,
    FeatureSum,
    FeatureSymbol,
    Mean,
    Reduction,
    RowMax,
    RowMin,
    RowScalarSymbol,
    RowSymbol,
    ScalarSymbol,
    axes,
)
from lngen.plan.passes.places import distance
from lngen.plan.presence import ALWAYS, Condition
from lngen.plan.program import Assignment, RowProgram, RowsReduction, Store

MOST_SUMS = 64
"""Largest number of sums in a stage, or in a kernel over its rows: a set of sums is the bits of a word."""

_OPERATORS: dict[type[Reduction], str] = {Mean: "mean", FeatureSum: "sum", RowMax: "max", RowMin: "min"}
_START = {
    "mean": "A(0)",
    "sum": "A(0)",
    "max": "-infinity<A>()",
    "min": "infinity<A>()",
    "first": "infinity<A>()",
}


@dataclass(frozen=True)
class Reduced:
    """A reduction over the features, of a row or of Features alone.

    The operator "first" has an `AttainsFirst` as its body, and gives the place that it is 1 at.
    """

    symbol: Symbol
    operator: str
    body: Expr
    step: int
    shift: bool = False


@dataclass(frozen=True)
class Pass:
    """Reductions of Features that are ready together, then the scalars that follow from them."""

    reductions: tuple[Reduced, ...]
    scalars: tuple[Assignment, ...]


class KernelScope:
    """Scope of one kernel, shared by its stages: the values that each stage computes again."""

    def __init__(self, program: RowProgram, recomputed: Iterable[Assignment], printer: type[Printer] = Printer) -> None:
        self.program = program
        self.presence = Presence(program)
        symbols = {symbol: symbol.name for symbol in symbols_of(program)}
        self.printer = printer({**symbols, D: "D", PLACE: "place"}, self.presence)
        self._recomputed = {line.symbol: line for line in recomputed}
        self._order = {symbol: place for place, symbol in enumerate(self._recomputed)}
        self.row_inputs = [argument.symbol for argument in program.rows if isinstance(argument.symbol, RowSymbol)]
        self.features = [p.symbol for p in program.parameters if p.kind == "Feature"]
        self.kept: dict[Symbol, str] = {}
        self._earlier: dict[Symbol, str] = {}
        self.totals = [s.symbol for s in rows_sums(program) if isinstance(s.symbol, FeatureSymbol)]

    def closure(self, roots: Iterable[Expr]) -> tuple[list[Assignment], set[Symbol]]:
        """The values to compute again for `roots`, in order, and the symbols that they start from."""
        lines: set[Symbol] = set()
        leaves: set[Symbol] = set()
        waiting = [symbol for root in roots for symbol in root.free_symbols]
        while waiting:
            symbol = waiting.pop()
            if symbol in lines or symbol in leaves:
                continue
            if symbol in self._recomputed and not self.is_recalled(symbol):
                lines.add(symbol)
                waiting += self._recomputed[symbol].expression.free_symbols
            else:
                leaves.add(symbol)
        return [self._recomputed[symbol] for symbol in sorted(lines, key=self._order.__getitem__)], leaves

    def is_recalled(self, symbol: Symbol) -> bool:
        """Test whether a row value of an earlier pass is kept and read, instead of computed again."""
        return False

    def functions(
        self,
        name: str,
        title: Sequence[str],
        reductions: Sequence[Reduced] = (),
        columns: Sequence[tuple[int, RowsReduction]] = (),
        stores: Sequence[Store] = (),
        scalars: Sequence[Assignment] = (),
        over_all: Sequence[tuple[int, RowsReduction]] = (),
        row_scalar_stores: Sequence[Store] = (),
    ) -> StageFunctions:
        """One pass over the features."""
        if len(reductions) > MOST_SUMS:
            raise LngenError(f"a stage has {len(reductions)} reductions; the CUDA backend allows {MOST_SUMS}")
        roots = [item.body for item in reductions] + [item.body for _, item in columns]
        lines, leaves = self.closure([*roots, *(store.symbol for store in stores)])
        recalls = [symbol for symbol in self._recomputed if symbol in leaves]
        self.kept |= {symbol: self._earlier[symbol] for symbol in recalls}
        known = self._locals(leaves)
        body = [f"const A {', '.join(known)};"] if known else []
        body += [self._line(line) for line in lines]
        needed = [self.presence.needed(item.symbol) for item in reductions]
        firsts = sum(item.operator == "first" for item in reductions)
        for index, (item, where) in enumerate(zip(reductions, needed, strict=True)):
            change = self._gathered(item, where, f"sums[{index}]", f"sums[{index + firsts}]")
            name = item.symbol.name
            body.append(f"{_guard(where)}{change};  // step {item.step}: {name}")
        self._earlier = {line.symbol: name for line in lines} | self._earlier
        for index, column in columns:
            where = self.presence.needed(column.symbol)
            body.append(
                f"{_guard(where)}over_rows[{index}] = {self.printer.line(column.body, where)};"
                f"  // step {column.step}: {column.symbol.name}"
            )
        body += [f"out_{s.symbol.name} = {s.symbol.name};" for s in stores]
        bits = " | ".join(f"bit({index}, {cpp(where)})" for index, where in enumerate(needed))
        return StageFunctions(
            name=name,
            title=tuple(title),
            rows=self._among(self.row_inputs, leaves),
            features=self._among(self.features, leaves),
            totals=self._among(self.totals, leaves),
            body=tuple(body),
            place=PLACE in leaves or firsts > 0,
            firsts=firsts,
            starts=tuple(_START[item.operator] for item in reductions) * (2 if firsts else 1),
            needed=bits or "0",
            maxima=sum(1 << index for index, item in enumerate(reductions) if item.operator == "max"),
            minima=sum(1 << index for index, item in enumerate(reductions) if item.operator == "min"),
            columns=hex(sum(1 << index for index, _ in columns)) if columns else "",
            stores=tuple(map(self.stored, stores)),
            after=self.after(reductions, scalars, over_all),
            row_scalar_stores=tuple(map(self.stored, row_scalar_stores)),
            recalls=tuple(symbol.name for symbol in recalls),
        )

    def with_kept(self, passes: Sequence[StageFunctions]) -> list[StageFunctions]:
        """Return the passes, each with the row values that it keeps for a later one."""

        def keeping(each: StageFunctions) -> StageFunctions:
            names = [symbol.name for symbol, place in self.kept.items() if place == each.name]
            return replace(each, keeps=tuple(names), body=(*each.body, *(f"kept_{name} = {name};" for name in names)))

        return [keeping(each) for each in passes]

    def after(
        self,
        reductions: Sequence[Reduced],
        scalars: Sequence[Assignment],
        over_all: Sequence[tuple[int, RowsReduction]] = (),
    ) -> tuple[str, ...]:
        """Return the lines after a pass: the values of its reductions, and the values computed from them."""
        made = [item.symbol for item in reductions] + [line.symbol for line in scalars]
        expressions = [line.expression for line in scalars] + [item.body for _, item in over_all]
        used = {symbol for expression in expressions for symbol in expression.free_symbols} - set(made)
        known = self._locals(used)
        lines = [f"const A {', '.join(known)};"] if known else []
        firsts = sum(item.operator == "first" for item in reductions)
        for index, item in enumerate(reductions, firsts):
            where = self.presence.nonzero(item.symbol)
            value = f"math::quotient(sums[{index}], row.D)" if item.operator == "mean" else f"sums[{index}]"
            value = f"finite_or_zero({value})" if item.shift else value
            value = (
                value if where == ALWAYS or item.operator in ("mean", "sum") else f"{_paren(where)} ? {value} : A(0)"
            )
            name = item.symbol.name
            lines.append(f"const A {name} = {value};  // step {item.step}: {spelled(item)}")
        lines += [self._line(line) for line in scalars]
        for index, total in over_all:
            value = self.printer.line(total.body)
            lines.append(f"over_all[{index}] = {value};  // step {total.step}: {total.symbol.name}")
        return tuple(lines + [f"row.{symbol.name} = {symbol.name};" for symbol in made])

    def passes(self, assignments: Sequence[Assignment]) -> list[Pass]:
        """Flattened assignments in as few passes as their order allows; the first has no reductions."""
        done: list[Pass] = []
        reductions: list[Reduced] = []
        scalars: list[Assignment] = []
        for line in assignments:
            if axes(line.symbol).features:
                continue
            first = isinstance(line.expression, AttainsFirst)
            reduced = first or isinstance(line.expression, Reduction)
            _, leaves = self.closure([line.expression])
            pending = {item.symbol for item in reductions} | {item.symbol for item in scalars}
            other = any((item.operator == "first") != first for item in reductions)
            if reduced and (leaves & pending or other or not done):
                done.append(Pass(tuple(reductions), tuple(scalars)))
                reductions, scalars = [], []
            if reduced:
                operator = "first" if first else _OPERATORS[type(line.expression)]
                body = line.expression if first else line.expression.args[0]
                reductions.append(Reduced(line.symbol, operator, body, line.step))
            else:
                scalars.append(line)
        return [*done, Pass(tuple(reductions), tuple(scalars))]

    def read(self, symbol: Symbol, name: str) -> Read:
        """Return the read of an argument.

        It is not read if it is absent, or if nothing uses it.
        """
        neutral = dict(self.program.optional).get(name)
        where = self.presence.used(symbol) & flags(self.program).get(name, ALWAYS)
        return Read(symbol.name, cpp(where), literal(neutral) if neutral is not None else "A(0)")

    def _gathered(self, item: Reduced, where: Condition, target: str, place: str) -> str:
        """The statement that takes an entry into a reduction."""
        if item.operator == "first":
            return f"nearest({target}, {place}, {self.printer.line(distance(item.body), where)}, place)"
        value = self.printer.line(item.body, where)
        functions = {"max": "larger", "min": "smaller"}
        if item.operator in functions:
            return f"{target} = {functions[item.operator]}({target}, {value})"
        return f"{target} += {value}"

    def _line(self, line: Assignment) -> str:
        name = line.symbol.name
        return f"const A {name} = {self.printer.line(line.expression)};  // step {line.step}"

    def _locals(self, leaves: Iterable[Symbol]) -> list[str]:
        scalars = [symbol for symbol in leaves if isinstance(symbol, (RowScalarSymbol, ScalarSymbol))]
        return sorted(f"{symbol.name} = row.{symbol.name}" for symbol in scalars)

    def _among(self, symbols: Sequence[Symbol], leaves: set[Symbol]) -> tuple[str, ...]:
        return tuple(symbol.name for symbol in symbols if symbol in leaves)

    def stored(self, store: Store) -> Stored:
        """Return the value that a pass computes for some results, with the condition of each."""
        wanted = ((name, cpp(result_condition((name,), self.program))) for name in store.names)
        return Stored(store.symbol.name, tuple(wanted))


def rows_sums(program: RowProgram) -> list[RowsReduction]:
    """All sums over rows, in order."""
    return [item for stage in program.stages for item in stage.rows_reductions]


def spelled(item: Reduced) -> str:
    """A reduction in words, for a comment."""
    if item.operator == "first":
        body, extreme = item.body.args
        return f"place of the first {body} that is {extreme}"
    return f"{item.operator}({item.body})"


def symbols_of(program: RowProgram) -> list[Symbol]:
    """Every symbol that a program defines or is given."""
    found: list[Symbol] = [argument.symbol for argument in program.rows]
    found += [parameter.symbol for parameter in program.parameters]
    found += program.saved
    return list(dict.fromkeys([*found, *(line.symbol for line in program.lines())]))


def _guard(where: Condition) -> str:
    return "" if where == ALWAYS else f"if ({cpp(where)}) "


def _paren(where: Condition) -> str:
    text = cpp(where)
    return f"({text})" if " " in text else text
