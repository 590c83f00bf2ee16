"""Text of the kernels of a direction: the names that a kernel uses, and its sweeps over the entries of a row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction

import sympy
from sympy import Expr, Symbol

from lngen.algebra.symbols import PLACE, AttainsFirst, D, Reduction, TypedSymbol, axes
from lngen.emit.cpp import contract
from lngen.emit.cpp.below import joined
from lngen.emit.cpp.expressions import CppPrinter, Kinds, names_type
from lngen.emit.cpp.presence import Presence, cpp, flags, result_condition
from lngen.emit.cpp.sweeps import Recomputed, Reduced, Sweep
from lngen.emit.cpp.tags import HAVE_VALUES, Tag, Tags, given, kind_of
from lngen.plan.passes.places import distance
from lngen.plan.presence import ALWAYS, NEVER, Condition
from lngen.plan.program import Assignment, FeatureReduction, Line, RandomRow, RowProgram, RowsReduction


class LevelText:
    """One emitted function: a printer of its values, and one of the entries of its sweeps."""

    def __init__(self, of: str, at_level: Mapping[Symbol, str], kinds: Mapping[Symbol, Kinds]) -> None:
        self.of = of
        self._level: dict[Symbol, str] = {D: f"{of}.D", **at_level}
        self._kinds = kinds
        self.read: dict[Symbol, int] = {}
        self.names_type = False
        self._made: set[Symbol] = set()
        self._integers = {D: f"{of}.entries()", PLACE: "at.index()"}

    def name(self, symbols: Iterable[Symbol]) -> None:
        """Note that a value has its own name from here on."""
        for symbol in symbols:
            self._level[symbol] = symbol.name
            self._made.add(symbol)

    def line(self, expression: Expr) -> str:
        """A value outside of the sweeps."""
        self._note(expression, 1)
        text = CppPrinter(self._level, self._kinds, integers=self._integers).line(expression)
        self.names_type |= names_type(text)
        return text

    def entry(self, names: Mapping[Symbol, str], largest: Collection[Symbol]) -> CppPrinter:
        """The printer of an entry, whose own values have these names, less the `largest` of computed values."""
        return CppPrinter({**self._level, PLACE: "at.place()", **names}, self._kinds, True, self._integers, largest)

    def note_entry(self, expressions: Iterable[Expr]) -> None:
        """Note what the entries of a sweep read."""
        for expression in expressions:
            self._note(expression, 2)

    def _note(self, expression: Expr, times: int) -> None:
        for symbol in expression.free_symbols - self._made:
            self.read[symbol] = self.read.get(symbol, 0) + times * _uses(expression, symbol)


class KernelText:
    """Text of one of the two kernels of a direction: its names, and its sweeps."""

    def __init__(self, program: RowProgram, recomputed: Iterable[Assignment]) -> None:
        self.program = program
        self.presence = Presence(program)
        self.flags = flags(program)
        self.recomputed = Recomputed(recomputed)
        self.tags = Tags(symbol.name for symbol in _symbols(program))
        self.tag_of: dict[Symbol, Tag] = {}
        self.result_tags: dict[str, Tag] = {}
        self.kinds: dict[Symbol, Kinds] = {}
        self.keeps: dict[Symbol, tuple[Tag, Sweep]] = {}
        self.seed_of: dict[Symbol, Symbol] = {}
        lines = [*program.lines()]
        made = {line.symbol for line in lines}
        self.largest = {
            line.symbol
            for line in lines
            if isinstance(line, FeatureReduction) and line.shift and not (line.body.is_Symbol and line.body not in made)
        }

    # ---- names

    def arguments(
        self, each: contract.LaunchContract, symbols: Mapping[str, TypedSymbol], used: Mapping[Symbol, Condition]
    ) -> str:
        """Declare the tags of a kernel's arguments; return the declaration of their order."""
        neutral = dict(self.program.optional)
        results = {f"out_{name}": store.symbol for store in self.program.results for name in store.names}
        tags: dict[str, Tag] = {}
        for argument in each.arguments:
            if argument.role in ("workspace", "rows", "blocks", "D"):
                continue
            name = argument.name
            kind = kind_of(argument, results)
            if argument.role == "result":
                public = name.removeprefix("out_")
                shown = name if kind.startswith(("FEATURES", "SCALARS")) else public
                there = result_condition((public,), self.program)
                tags[name] = self.tags.add(shown, kind, there, cast=argument.cast)
                self.result_tags[public] = tags[name]
                continue
            if argument.role == "save":
                tags[name] = self.tags.add(name.removeprefix("save_"), kind)
                continue
            symbol = symbols[name]
            where = ALWAYS
            if kind in HAVE_VALUES:
                where = used.get(symbol, NEVER) & self.flags.get(argument.part, ALWAYS)
            tags[name] = self.tag_of[symbol] = self.tags.add(name, kind, where, neutral.get(argument.part, Fraction(0)))
            self.kinds[symbol] = tags[name].kinds
        self.saved_tags = {name.removeprefix("save_"): tag for name, tag in tags.items() if name.startswith("save_")}
        return given(each, tags)

    def random(self, row: RandomRow) -> None:
        """Declare the name of random numbers."""
        tag = self.tags.add(row.symbol.name, "RANDOM", self.presence.used(row.symbol), index=row.stream)
        self.tag_of[row.symbol], self.kinds[row.symbol], self.seed_of[row.symbol] = tag, tag.kinds, row.seed

    def learn(self) -> None:
        """Infer the kinds of the values, up to a fixed point: a line may read the value of a later line."""
        before: dict[Symbol, Kinds] | None = None
        while before != self.kinds:
            before = dict(self.kinds)
            self.kinds |= {line.symbol: self._learned(line) for line in self.program.lines()}

    def _learned(self, line: Line) -> Kinds:
        if isinstance(line, RowsReduction):
            return Kinds(zero=self.presence.needed(line.symbol) != ALWAYS)
        body, reduces = line.body, isinstance(line, FeatureReduction)
        if isinstance(body, AttainsFirst):
            body, reduces = distance(body), True
        elif isinstance(body, Reduction):
            body, reduces = body.args[0], True
        kinds = CppPrinter({}, self.kinds).kinds_of(body)
        return Kinds(zero=kinds.zero or self._unwanted(line.symbol) != "") if reduces else kinds

    def _unwanted(self, symbol: Symbol) -> str:
        """Return the condition under which a reduction is used; "" if it is used wherever it may be other than zero."""
        used = self.presence.used(symbol)
        return "" if self.presence.nonzero(symbol).implies(used) else cpp(used)

    # ---- sweeps

    def sweep(self, scope: LevelText, each: Sweep, name: str, recalls: Sequence[Symbol] = ()) -> list[str]:
        """The lines of a sweep: its loop, its results, the values that they give."""
        lines: list[str] = []
        method = _method(each.reductions)
        if each.reductions or each.columns or each.stores:
            head = f"const auto {name} = " if each.reductions else ""
            lines = _call(f"{head}{scope.of}.{method}(", "auto at", self._entry(scope, each, recalls), ");")
        return lines + self._given_values(scope, each, name, divided=method == "means")

    def joined(
        self, scope: LevelText, pair: tuple[Sweep, Sweep], number: int, recalls: Sequence[Sequence[Symbol]]
    ) -> list[str]:
        """The lines of two sweeps that a device may make one; none if no rule says so."""
        found = joined(*pair, self.recomputed)
        if found is None:
            return []
        (first, second), (index, scaled) = pair, found
        m = first.reductions[index].symbol
        names = f"stage_{number}", f"stage_{number + 1}"
        largest = _call("", "auto at", self._entry(scope, first, recalls[0]), ",")
        scope.name([m])
        sums = _call("", f"auto at, auto {m.name}", self._entry(scope, second, recalls[1]), ");")
        return [
            f"const auto [{', '.join(names)}] = {scope.of}.template max_and_sums<{index}, {scaled}>(",
            *(f"    {line}" for line in [*largest, *sums]),
            *self._given_values(scope, first, names[0]),
            *self._given_values(scope, second, names[1]),
        ]

    def _given_values(self, scope: LevelText, each: Sweep, name: str, divided: bool = False) -> list[str]:
        """The lines of what the reductions of a sweep give, called `name`; means may be `divided` already."""
        lines: list[str] = []
        for index, item in enumerate(each.reductions):
            value = f"get<{index}>({name})"
            if item.operator == "mean" and not divided:
                value = f"math::quotient({value}, {scope.of}.D)"
            if item.shift:
                value = f"finite_or_zero({value})"
            scope.name([item.symbol])
            lines.append(f"const auto {item.symbol.name} = {value};  // {item.source}: {item.words()}")
        for line in each.scalars:
            text = scope.line(line.expression)
            scope.name([line.symbol])
            lines.append(f"const auto {line.symbol.name} = {text};  // {line.source}")
        for total in each.over_all:
            value = scope.line(total.body)
            call = f"{scope.of}.over_rows({self.tag_of[total.symbol].text}, {value});"
            lines.append(f"{call}  // {total.source}: {total.symbol.name}")
        for store in each.row_scalar_stores:
            value = scope.line(store.symbol)
            lines += [f"{scope.of}.store({self.result_tags[result].text}, {value});" for result in store.names]
        return lines

    def _entry(self, scope: LevelText, each: Sweep, recalls: Sequence[Symbol]) -> list[str]:
        """The lines of the function of an entry."""
        lines, leaves = self.recomputed.closure(each.roots)
        printed = [_body(item) for item in each.reductions] + [item.body for item in each.columns]
        stored = [store.symbol for store in each.stores for _ in store.names]
        expressions = [line.expression for line in lines] + printed + stored
        scope.note_entry(expressions)
        own = {line.symbol: line.symbol.name for line in lines}
        body: list[str] = []
        reads = {s: tag for s, tag in self.tag_of.items() if s in leaves and axes(s).features}
        # A GPU's compiler keeps fewer registers if an entry's values are read one after the other.
        in_order = scope.of == "row" and len(reads) > 1
        for symbol, tag in reads.items():
            seed = self.seed_of.get(symbol)
            value = f"at({tag.text})" if seed is None else f"at.uniform({tag.text}, {scope.line(seed)})"
            if in_order or sum(_uses(expression, symbol) for expression in expressions) > 1:
                own[symbol] = symbol.name
                body.append(f"const auto {symbol.name} = {value};")
            else:
                own[symbol] = value
        printer = scope.entry(own, self.largest)
        at_once = {}
        for line in lines:
            text = printer.line(line.expression, varies=True)
            source = f"  // {line.source}"
            kept = self.keeps.get(line.symbol)
            if line.symbol in recalls and kept:
                text = f"at.recall({kept[0].text}, [&] {{ return {text}; }})"
            elif kept and kept[1] is each:
                text = f"at.keep({kept[0].text}, {text})"
            elif line.symbol in stored and sum(_uses(e, line.symbol) for e in expressions) == 1:
                at_once[line.symbol] = text, source
                continue
            body.append(f"const auto {line.symbol.name} = {text};{source}")
        for item in each.columns:
            value = printer.line(item.body)
            body.append(
                f"at.over_rows({self.tag_of[item.symbol].text}, {value});  // {item.source}: {item.symbol.name}"
            )
        for store in each.stores:
            value, source = at_once.get(store.symbol, (printer.line(store.symbol), ""))
            body += [f"at.store({self.result_tags[result].text}, {value});{source}" for result in store.names]
        if each.reductions:
            body.append(f"return terms({', '.join(self._term(printer, item) for item in each.reductions)});")
        if any(map(names_type, body)):
            body.insert(0, "using A = typename decltype(at)::A;")
        return body

    def _term(self, printer: CppPrinter, item: Reduced) -> str:
        text = printer.line(_body(item))
        if used := self._unwanted(item.symbol):
            text = f"wanted<{used}>({text})"
        return f"{item.operator}_of({text})" if item.operator in ("max", "min") else text


def _call(head: str, arguments: str, body: Sequence[str], tail: str) -> list[str]:
    """The lines of a function between those before and behind it; one line if its body is one."""
    if len(body) == 1 and "//" not in body[0]:
        return [f"{head}[&]({arguments}) {{ {body[0]} }}{tail}"]
    return [f"{head}[&]({arguments}) {{", *(f"  {line}" for line in body), f"}}{tail}"]


def _method(reductions: Sequence[Reduced]) -> str:
    operators = {item.operator for item in reductions}
    if not operators:
        return "each"
    if operators <= {"mean", "sum"}:
        return "means" if operators == {"mean"} else "sums"
    return "firsts" if operators == {"first"} else "reduce"


def _body(item: Reduced) -> Expr:
    return distance(item.body) if item.operator == "first" else item.body


def _uses(expression: sympy.Basic, symbol: Symbol) -> int:
    """The number of times that a symbol stands in the printed text of an expression."""
    if expression == symbol:
        return 1
    if isinstance(expression, sympy.Pow) and expression.base == symbol and expression.exp == 2:
        return 2
    return sum(_uses(part, symbol) for part in expression.args)


def _symbols(program: RowProgram) -> list[Symbol]:
    """Every symbol that a program defines or is given."""
    arguments = [*(a.symbol for a in program.rows), *(p.symbol for p in program.parameters)]
    arguments += [row.symbol for row in program.random]
    return [*arguments, *program.saved, *(line.symbol for line in program.lines())]
