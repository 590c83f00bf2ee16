"""The lines of a row program as text, with the axes that each value has."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from sympy import Expr

from lngen.algebra.symbols import PLACE, Axes, D, Reduction, TypedSymbol
from lngen.emit.array.dialects import Dialect
from lngen.emit.array.expressions import ArrayPrinter
from lngen.emit.array.selects import moving_from, with_whole_branches
from lngen.emit.layout import tuple_of
from lngen.emit.spelling import reading
from lngen.errors import LngenError
from lngen.language.axes import RowAxes
from lngen.plan.program import FeatureReduction, Line, RowProgram, RowsReduction

AxisNames = frozenset[str]
ROWS, FEATURES = "rows", "D"
"""Axes of rows that have no names; the first stands for any number of them."""


@dataclass(frozen=True)
class ArrayAxes:
    """Axes of the rows by name, in the order of memory, and those of a row. "..." is one axis, of all without a name.

    >>> ArrayAxes().over({"D"}), ArrayAxes(("n", "g", "c"), ("c",), True).over({"g", "c"})
    ('-1', '(1, 2)')
    """

    names: tuple[str, ...] = (ROWS, FEATURES)
    features: tuple[str, ...] = (FEATURES,)
    named: bool = False

    @classmethod
    def of(cls, axes: RowAxes | None) -> ArrayAxes:
        """The layout of a definition."""
        return cls(axes.pattern.names, axes.features, True) if axes else cls()

    @property
    def rows(self) -> tuple[str, ...]:
        """The axes that number the rows."""
        return tuple(name for name in self.names if name not in self.features)

    def over(self, names: Collection[str]) -> str:
        """Return the places of some axes, counted from the right where they have no names."""
        if not self.named:
            return "-1"
        found = [str(place) for place, name in enumerate(self.names) if name in names]
        return found[0] if len(found) == 1 else f"({', '.join(found)})"

    def of_value(self, varies: Axes) -> AxisNames:
        """The axes of a value that lacks none of those that it varies over."""
        return frozenset([*self.rows * varies.rows, *self.features * varies.features])


@dataclass(frozen=True)
class TextLine:
    """A line of code; it is run where one of the arguments `wanted` is there, or always."""

    text: str
    wanted: tuple[str, ...] = ()


class ArrayText:
    """The lines of a program, and the axes of its values.

    `optional` are the arguments that callers may leave out: a left-out one is a number, and its axes are lost. `full`
    says that a reduction is of such a number, which needs the axes then. The library differentiates the lines by the
    arguments of the names `moved`.
    """

    def __init__(
        self,
        program: RowProgram,
        to: Dialect,
        layout: ArrayAxes,
        optional: Collection[str],
        moved: Collection[str] = (),
    ) -> None:
        self.program, self.to, self.layout = program, to, layout
        self.has = dict(self._arguments())
        self.least = {s: frozenset() if s.name in optional else own for s, own in self.has.items()}
        self.full, self.tests = False, list[str]()
        self.program_lines: list[Line] = [*program.lines()]
        self.moving = moving_from(self.program_lines, {s for s in self.has if s.name in moved})
        if to.differentiates:
            results = [store.symbol for store in program.results]
            self.program_lines = with_whole_branches(self.program_lines, self.moving, results)
        symbols = {s for line in self.program_lines for s in (line.symbol, *line.body.free_symbols)} | {*self.has}
        self.names = {s: s.name for s in symbols} | {PLACE: "index", D: "D"}

    def _arguments(self) -> Iterable[tuple[TypedSymbol, AxisNames]]:
        """The arguments of the program with their axes."""
        smaller = dict(self.program.smaller)
        arguments = [(each.name, each.symbol) for each in self.program.rows]
        for name, symbol in (*arguments, *((each.name, each.symbol) for each in self.program.parameters)):
            axes = smaller.get(reading(name))
            yield symbol, self.layout.of_value(symbol.varies) if axes is None else frozenset(axes)
        for symbol in self.program.saved:
            yield symbol, self.layout.of_value(symbol.varies)
        for made in self.program.random:
            yield made.symbol, frozenset(self.layout.names)
        yield PLACE, frozenset(self.layout.features)
        yield D, frozenset()

    def axes(self, expression: Expr) -> tuple[AxisNames, AxisNames]:
        """The axes of an expression, and those that it has whatever is left out."""
        has, least = (
            frozenset().union(*(of.get(s, frozenset()) for s in expression.free_symbols))
            for of in (self.has, self.least)
        )
        return has, least

    def lines(self) -> list[TextLine]:
        """Return every line, in order."""
        return [TextLine(text) for line in self.program_lines for text in self.texts(line)]

    def texts(self, line: Line) -> list[str]:
        """Return the text of a line, after which the axes of its symbol are known."""
        first = len(self.tests)
        text = f"{self.names[line.symbol]} = {self.value(line, line.body)}  # {self.source(line)}"
        return [*self.tests[first:], text]

    def source(self, line: Line) -> str:
        """Return the step that a line comes from, and the rule of the pass that made it."""
        rule = next((each.rule for each in self.program.passes if each.number == line.made_by), "")
        return f"{line.source}{f': {rule}' if rule else ''}"

    def value(self, line: Line, body: Expr) -> str:
        """Return what a line computes, of this body."""
        if isinstance(line, RowsReduction):
            raise LngenError(f"{line.symbol} is a sum over rows, which no forward and no tangent has")
        has, least = self.axes(body)
        text = self.printer(line).text(body)
        features = frozenset(self.layout.features)
        over = features if isinstance(line, FeatureReduction) else frozenset()
        if over or body.atoms(Reduction):  # of parameters, before the rows
            self.full |= bool((has - least) & features)
        if isinstance(line, FeatureReduction):
            text = self._reduced(line, text, has, over)
        self.has[line.symbol] = self.has.get(line.symbol, frozenset()) | (has - over)
        self.least[line.symbol] = self.least.get(line.symbol, frozenset()) | (least - over)
        return text

    def printer(self, line: Line) -> ArrayPrinter:
        """Return the printer of a line, for which no derivative sees what the line stops."""
        stops = {s for s in line.stops if s in self.names and (s in self.moving or not self.to.differentiates)}
        names = self.names | {s: self.to.stopped.format(self.names[s]) for s in stops}
        moving = () if isinstance(line, FeatureReduction) and line.shift else self.moving - stops
        return ArrayPrinter(self.to, names, self.layout.over(self.layout.features), moving, self.tests)

    def _reduced(self, line: FeatureReduction, text: str, has: AxisNames, over: AxisNames) -> str:
        there, lacks = over & has, over - has
        constant = line.shift and self.to.differentiates
        if there:
            text = self.to.reduced(f"a{line.operator}" if constant else line.operator, text, self.layout.over(there))
        if lacks and line.operator == "sum":
            text = f"({text})*{'*'.join(self.size(name) for name in self.layout.features if name in lacks)}"
        if not line.shift:
            return text
        # An infinite shift would make NaN of what it is taken from, and a clip is one pass where a select is two. What
        # takes it is of no other value for another shift, and has no derivative by it.
        return f"{self.to.module}.clip({text}{'.detach()' * constant}, -largest, largest)"

    def with_every_axis(self, symbol: TypedSymbol) -> str:
        """Return the text of an output, which has the axes that it varies over, whatever is left out."""
        value: str = self.names[symbol]
        layout = self.layout
        if not symbol.varies.rows or self.least[symbol] == layout.of_value(symbol.varies):
            return value
        shape = "shape"
        if not symbol.varies.features:
            sizes = ["1" if name in layout.features else f"shape[{n}]" for n, name in enumerate(layout.names)]
            shape = tuple_of(sizes) if layout.named else "(*shape[:-1], 1)"
        return f"{self.to.module}.broadcast_to({value}, {shape})"

    def size(self, name: str) -> str:
        """Return the size of an axis, as the reference array of the lines has it."""
        return f"shape[{self.layout.names.index(name) if self.layout.named else -1}]"

    def uses(self, symbol: TypedSymbol) -> bool:
        """Test whether a line reads a symbol."""
        return any(symbol in line.body.free_symbols for line in self.program_lines)

    def head(self, texts: Iterable[str]) -> list[str]:
        """Return the lines before those of the program, which define what these read: D, index, random numbers."""
        every = "\n".join(texts)
        draws = [made for made in self.program.random if self.uses(made.symbol)]
        lines = []
        if "D" in _words(every) or "index" in _words(every) or draws:
            count = "*".join(self.size(name) for name in self.layout.features)
            lines.append(f"D = {count}")
        if "index" in _words(every):
            made = self.to.arange.format("D")
            lines.append(f"index = {made}{self._reshaped() if self.layout.named else ''}")
        if "largest" in _words(every):
            lines.append(f"largest = {self.to.module}.finfo(dtype).max")
        for each in draws:
            back = self._ordered() if self.layout.named else ".reshape(shape)"
            made = f"_uniform({each.seed.name}, {each.stream}, {self._count()}, D, {self.to.drawn})"
            lines.append(f"{self.names[each.symbol]} = {made}{back}")
        return lines

    def _count(self) -> str:
        """The number of rows."""
        if not self.layout.named:
            return "_product(shape[:-1])"
        return "*".join(self.size(name) for name in self.layout.rows) or "1"

    def _reshaped(self) -> str:
        sizes = [self.size(name) if name in self.layout.features else "1" for name in self.layout.names]
        return f".reshape({', '.join(sizes)})"

    def _ordered(self) -> str:
        """The axes of rows, and then of features, put in the order of memory."""
        order = (*self.layout.rows, *self.layout.features)
        text = f".reshape({', '.join(map(self.size, order))})"
        if order == self.layout.names:
            return text
        return f"{text}.{self.to.permute}({', '.join(str(order.index(name)) for name in self.layout.names)})"


def _words(text: str) -> set[str]:
    """The words of a code without its comments."""
    return set(re.findall(r"\w+", re.sub(r"#.*", "", text, flags=re.MULTILINE)))
