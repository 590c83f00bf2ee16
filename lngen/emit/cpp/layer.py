"""`layer.h`: the mathematics of a layer's directions, once for every device.

A direction is a function of a row. The loops over rows and columns, the reductions and the memory are the drivers',
which are the same for all layers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sympy import Symbol

from lngen.algebra.equations import leading_to
from lngen.algebra.symbols import FeatureSymbol, RowScalarSymbol, ScalarSymbol, TypedSymbol, axes, heads_that
from lngen.emit.cpp import contract
from lngen.emit.cpp.kernel_text import KernelText, LevelText
from lngen.emit.cpp.kernels import COLUMNS
from lngen.emit.cpp.sweeps import MOST_SUMS, Sweep, of_lines, of_stage
from lngen.errors import LngenError
from lngen.plan.program import RowProgram

# Functions whose values are kept for later sweeps. An absolute value and a sign, an instruction or two, are not.
_CALLED = heads_that(lambda entry: entry.roundings)

_INDENT = "    "


def direction_text(name: str, program: RowProgram) -> list[str]:
    """The lines of a direction's namespace, called `name`; the program is `handed` over, its names marked.

    Raises LngenError for an expression that cannot be printed.
    """
    direction = _Direction(program)
    lines = direction.lines()
    if contract.column_results(program):
        lines += ["", *_Totals(direction).lines(name)]
    return [
        f"// {'=' * 96} {name}",
        "",
        f"namespace lngen::LNGEN_SPACE::{name} {{",
        "",
        *lines,
        "",
        f"}}  // namespace lngen::LNGEN_SPACE::{name}",
    ]


class _Direction(KernelText):
    """The function of a row, and the values of a call before it."""

    def __init__(self, program: RowProgram) -> None:
        features = [line for line in program.prologue if axes(line.symbol).features]
        super().__init__(program, [*features, *(t for t in program.temps() if axes(t.symbol).features)])
        sums = [item for stage in program.stages for item in stage.rows_reductions]
        self.columns = [item for item in sums if isinstance(item.symbol, FeatureSymbol)]
        self.scalars = [item for item in sums if isinstance(item.symbol, ScalarSymbol)]
        if len(self.columns) > MOST_SUMS:
            raise LngenError(f"{len(self.columns)} sums over rows; the C++ backend allows {MOST_SUMS}")
        symbols: dict[str, TypedSymbol] = {a.symbol.name: a.symbol for a in program.rows}
        symbols |= {p.symbol.name: p.symbol for p in program.parameters}
        symbols |= {symbol.name: symbol for symbol in program.saved}
        used = {symbol: self.presence.used(symbol) for symbol in symbols.values()}
        counts = len(self.columns), len(self.scalars)
        self.order = self.arguments(contract.row_contract(program, counts), symbols, used)
        for row in program.random:
            self.random(row)
        for kind, items in (("OVER_ROWS", self.columns), ("OVER_ALL", self.scalars)):
            for item in items:
                self.tag_of[item.symbol] = self.tags.add(item.symbol.name, kind, self.presence.needed(item.symbol))
        self.learn()

    def lines(self) -> list[str]:
        """The lines of its names and of its functions."""
        program = self.program
        sweeps = [each for stage in program.stages for each in of_stage(stage, self.recomputed)]
        recalls = self._kept(sweeps)
        prologue = of_lines(leading_to(_stage_symbols(program), program.prologue), self.recomputed)
        made = [line.symbol for line in program.prologue if not axes(line.symbol).features]
        of_call = {symbol: symbol.name for symbol in made}
        scope = LevelText("row", {**self._level("row"), **of_call}, self.kinds)
        # The first run counts reads: a value that is read once gets no name.
        self._stages(scope, sweeps, recalls)
        head, inline = self._head(scope.read)
        scope = LevelText("row", {**self._level("row"), **of_call, **inline}, self.kinds)
        body = self._stages(scope, sweeps, recalls)
        if program.direction == "forward":
            body += [f"row.save({self.saved_tags[s.name].text}, {s.name});" for s in program.saved]
        returned = [symbol for symbol in made if symbol in scope.read]
        before = self._before(prologue, returned)
        head += [f"const auto {symbol.name} = get<{index}>(row.call);" for index, symbol in enumerate(returned)]
        if scope.names_type:
            head.insert(0, "using A = typename Row::A;")
        over = [self.tag_of[item.symbol].text for item in (*self.columns, *self.scalars)]
        most = max((each.sums for each in (*prologue[1:], *sweeps)), default=0)
        results = max((len(each.stores) for each in sweeps), default=0)
        numbers = [most, self._calls(), len(self._members(prologue)), results, len(self.keeps)]
        direction = ", ".join(map(str, numbers if self.keeps else numbers[:-1]))
        return [
            *self.tags.declarations(),
            self.order,
            "",
            f"struct Layer : Direction<Given, decltype(over_rows({', '.join(over)})), {direction}> {{",
            *before,
            "  template <class Row> static LNGEN_INLINE void work(const Row& row) {",
            *(_INDENT + line for line in [*head, *body]),
            "  }",
            "};",
        ]

    def _stages(self, scope: LevelText, sweeps: Sequence[Sweep], recalls: Sequence[Sequence[Symbol]]) -> list[str]:
        """The lines of all sweeps."""
        lines: list[str] = []
        number = 0
        while number < len(sweeps):
            both = number, number + 2
            pair = tuple(sweeps[slice(*both)])
            found = self.joined(scope, pair, number + 1, recalls[slice(*both)]) if len(pair) == 2 else []
            lines += found or self.sweep(scope, sweeps[number], f"stage_{number + 1}", recalls[number])
            number += 2 if found else 1
        return lines

    def _level(self, of: str) -> dict[Symbol, str]:
        return {symbol: f"{of}({tag.text})" for symbol, tag in self.tag_of.items() if not axes(symbol).features}

    def _head(self, read: Mapping[Symbol, int]) -> tuple[list[str], dict[Symbol, str]]:
        """Return the lines that read row scalars and parameters, and the names of those read more than once."""
        level = self._level("row")
        named = {symbol: symbol.name for symbol in level if read.get(symbol, 0) > 1}
        of_row = [symbol for symbol in named if self.tag_of[symbol].kind == "SAVED"]
        lines = [f"const auto {', '.join(f'{s.name} = {level[s]}' for s in of_row)};"] if of_row else []
        return lines + [f"const auto {s.name} = {level[s]};" for s in named if s not in of_row], named

    def _before(self, prologue: Sequence[Sweep], returned: Sequence[Symbol]) -> list[str]:
        """The function of the values that are the same for all rows."""
        if not returned:
            return []
        scope = LevelText("call", self._level("call"), self.kinds)
        body: list[str] = []
        for number, each in enumerate(prologue):
            body += self.sweep(scope, each, f"sweep_{number}")
        body.append(f"return terms({', '.join(symbol.name for symbol in returned)});")
        if scope.names_type:
            body.insert(0, "using A = typename Call::A;")
        return [
            "  template <class Call> static LNGEN_INLINE auto before(const Call& call) {",
            *(_INDENT + line for line in body),
            "  }",
        ]

    def _kept(self, sweeps: Sequence[Sweep]) -> list[list[Symbol]]:
        """Find the row values that a sweep keeps, since a function is called for them; and those that each recalls."""
        earlier: dict[Symbol, Sweep] = {}
        found = []
        for each in sweeps:
            able = [symbol for symbol in earlier if self._takes_a_call(symbol)]
            lines, leaves = self.recomputed.closure(each.roots, able)
            recalls = [symbol for symbol in able if symbol in leaves]
            for symbol in recalls:
                if symbol not in self.keeps:
                    self.keeps[symbol] = self.tags.add(f"kept_{symbol.name}", "KEPT"), earlier[symbol]
            found.append(recalls)
            earlier = {line.symbol: each for line in lines} | earlier
        return found

    def _takes_a_call(self, symbol: Symbol) -> bool:
        """Test whether a function computes a row value, or a value that it depends on, or makes it of a seed."""
        if symbol in self.seed_of:
            return True
        line = self.recomputed[symbol]
        if line is None or not axes(symbol).rows:
            return False
        expression = line.expression
        return expression.has(*_CALLED) or any(map(self._takes_a_call, expression.free_symbols))

    def _calls(self) -> int:
        """Functions that are called for an entry of the row, in all stages together."""
        expressions = [line.expression for line in self.program.temps()]
        expressions += [item.body for stage in self.program.stages for item in stage.reductions]
        found = [expression for expression in expressions if axes(expression).features]
        made = sum(len(expression.free_symbols & {*self.seed_of}) for expression in found)
        return made + sum(len(expression.atoms(*_CALLED)) for expression in found)

    def _members(self, prologue: Sequence[Sweep]) -> set[str]:
        """Return the names of the values that do not vary over features."""
        program = self.program
        symbols: list[Symbol] = [a.symbol for a in program.rows if isinstance(a.symbol, RowScalarSymbol)]
        symbols += program.saved if program.direction != "forward" else ()
        symbols += [p.symbol for p in program.parameters if p.kind != "Feature"]
        for each in prologue:
            symbols += [item.symbol for item in each.reductions] + [line.symbol for line in each.scalars]
        for stage in program.stages:
            symbols += [line.symbol for line in stage.temps if not axes(line.symbol).features]
            symbols += [item.symbol for item in stage.reductions] + [line.symbol for line in stage.row_scalars]
        return {symbol.name for symbol in symbols}


class _Totals(KernelText):
    """The function of the sums over all rows."""

    def __init__(self, rows: _Direction) -> None:
        program = rows.program
        self._lines = [*program.prologue, *program.epilogue]
        super().__init__(program, [line for line in self._lines if axes(line.symbol).features])
        self._sums = {item.symbol: rows.tag_of[item.symbol] for item in (*rows.columns, *rows.scalars)}
        for tag in self._sums.values():
            self.tags.all.append(tag)
        self._results = contract.column_results(program)
        self._needed = leading_to({s for store in self._results for s in store.symbol.free_symbols}, self._lines)
        self._sweeps = of_lines(self._needed, self.recomputed)
        self._last = Sweep(stores=tuple(s for s in self._results if isinstance(s.symbol, FeatureSymbol)))
        read = {symbol for each in (*self._sweeps, self._last) for symbol in self._read(each)}
        symbols = {p.symbol.name: p.symbol for p in program.parameters}
        used = {symbol: self.presence.used(symbol) for symbol in symbols.values() if symbol in read}
        counts = len(rows.columns), len(rows.scalars)
        self._order = self.arguments(contract.columns_contract(program, counts), symbols, used)
        self.tag_of |= self._sums
        self.learn()

    def _read(self, each: Sweep) -> set[Symbol]:
        found = self.recomputed.closure(each.roots)[1]
        return found.union(*(line.expression.free_symbols for line in each.scalars))

    def lines(self, direction: str) -> list[str]:
        """The lines of its namespace."""
        level = {s: f"call({tag.text})" for s, tag in self.tag_of.items() if not axes(s).features}
        scope = LevelText("call", level, self.kinds)
        body: list[str] = []
        for number, each in enumerate(self._sweeps):
            body += self.sweep(scope, each, f"columns_{number}")
        body += self.sweep(scope, self._last, "")
        for store in self._results:
            if isinstance(store.symbol, ScalarSymbol):
                value = scope.line(store.symbol)
                body += [f"call.store({self.result_tags[name].text}, {value});" for name in store.names]
        if scope.names_type:
            body.insert(0, "using A = typename Call::A;")
        stages = self._sweeps[1:]
        most = max((each.sums for each in stages), default=1)
        own = [line for tag in self.tags.all if tag not in self._sums.values() for line in tag.declaration()]
        return [
            "namespace columns {",
            "",
            *own,
            self._order,
            "",
            f"struct Layer : ColumnsOf<{direction}::Layer, Given, {most}, {0 if stages else COLUMNS}> {{",
            "  template <class Call> static LNGEN_INLINE void work(const Call& call) {",
            *(_INDENT + line for line in body),
            "  }",
            "};",
            "",
            "}  // namespace columns",
        ]


def _stage_symbols(program: RowProgram) -> set[Symbol]:
    """Every symbol that the stages mention."""
    found: set[Symbol] = {store.symbol for store in program.results}
    for stage in program.stages:
        for line in stage.lines():
            found |= line.body.free_symbols
    return found
