"""Sweeps over the entries of rows, or over the features alone, as lines of a kernel."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import sympy
from sympy import Expr, Symbol

from lngen.algebra.symbols import PLACE, FeatureSum, RowSymbol, axes
from lngen.emit.cpp.presence import flags, result_condition
from lngen.emit.cpp.sweeps import Recomputed, Reduced, Sweep
from lngen.emit.expressions import formula
from lngen.emit.triton.arrays import Argument, Places
from lngen.emit.triton.expressions import TritonPrinter, number
from lngen.emit.triton.lines import Line, Moved, indented, under_conditions
from lngen.plan.passes.offsets import row_of_entry
from lngen.plan.passes.places import distance
from lngen.plan.presence import Condition
from lngen.plan.program import Assignment, RowProgram, RowsReduction, Store
from lngen.runtime.protocol.casts import TARGETS

_WORST = {"max": '-float("inf")', "min": 'float("inf")'}
_QUIET = {"float8_e4m3fn": 0x7F, "float8_e5m2": 0x7E, "float16": 0x7E00, "bfloat16": 0x7FC0}
"""Bits of NaN in types that an output may be cast to."""

_MASKS = {"Feature": ", d < D, 0", "row": ", inside, 0", "row scalar": ", there, 0", "saved": ", there, 0"}


@dataclass(frozen=True)
class Level:
    """Kind of a loop over tiles: its number of rows, the mask of its entries, and its end."""

    rows: str
    inside: str
    end: str


ROWS = Level("ROWS", "there & (d < D)", "TILE if WHOLE else D")
FEATURES = Level("1", "d < D", "D")


@dataclass
class SweepText:
    """Printer of the sweeps of a program, whose names are marked.

    `arguments` are the arrays and numbers that it reads, by their symbols, and `results` those that it stores, by their
    names. `loads` are the texts of symbols that are no argument. Arguments that are `hoisted` are read before the rows
    where a tile holds whole ones.
    """

    program: RowProgram
    places: Places
    arguments: Mapping[Symbol, Argument]
    results: Mapping[str, Argument]
    recomputed: Recomputed
    loads: Mapping[Symbol, str] = field(default_factory=dict)
    hoisted: frozenset[Symbol] = frozenset()

    def __post_init__(self) -> None:
        program = self.program
        self.presence, neutral = Moved(program, self.places.moved(program)), program.neutral()
        self.neutral = {name: neutral[name] for name in flags(program)}
        named = [*self.arguments, *program.saved, *(each.symbol for each in (*program.lines(), *program.random))]
        self.names: dict[Symbol, str] = {PLACE: "d", **{symbol: symbol.name for symbol in named}}
        self.rules = {each.number: each.rule for each in program.passes}
        bodies = {line.symbol: line.body for line in program.lines() if isinstance(line, Assignment)}
        # Results that are sums have a value whatever is left out.
        self.summed = {s.symbol for s in program.results if isinstance(bodies.get(s.symbol), sympy.Add)}

    # ---- lines

    def needed(self, symbol: Symbol) -> Condition:
        """Return the condition under which a value is computed."""
        return self.presence.used(symbol) if symbol in self.summed else self.presence.needed(symbol)

    def remark(self, line: Assignment | RowsReduction) -> str:
        """Return the step that a line comes from, and the rule of the pass that made it."""
        rule = self.rules.get(line.made_by, "")
        return f"  # {line.source}{f': {rule}' if rule else ''}"

    def assigned(self, line: Assignment) -> list[Line]:
        """Return the lines that compute a value."""
        printer = TritonPrinter(self.names, self.presence, self.needed(line.symbol), line.symbol.name)
        return printer.assigned(line.expression, self.remark(line))

    def value(self, body: Expr, where: Condition, base: str) -> tuple[list[Line], str]:
        """Return the text of a value, and the lines before it."""
        printer = TritonPrinter(self.names, self.presence, where, base)
        text = printer.text(body)
        return printer.lines, text

    def read(self, symbol: Symbol) -> Line:
        """Return the line that reads an argument, and where it is needed."""
        each = self.arguments[symbol]
        text = f"tl.load({self.places.place(each)}{_MASKS.get(each.role, '')})"
        text += ".to(tl.int64)" if symbol.is_integer else ".to(A)"
        if each.role == "Constant":
            text = f"tl.full([1, 1], {each.name}, A)"
        where = self.presence.used(symbol)
        if not each.optional or where.implies(Condition.of(each.part)):
            return where, f"{symbol.name} = {text}"
        absent = sympy.Rational(self.neutral[each.part])
        default = str(absent) if symbol.is_integer else number(absent)
        return where.possible([each.part]), f"{symbol.name} = {text} if HAS_{each.part} else {default}"

    # ---- a sweep

    def sweep(self, each: Sweep, level: Level, added: Callable[[RowsReduction, str], str] | None = None) -> list[str]:
        """Return the lines of a sweep; `added` prints what adds a value up over rows."""
        if not (each.reductions or each.columns or each.stores):
            return under_conditions(self._ends(each))
        alone = {item.symbol: place for item in each.reductions if (place := self._place_of(item, level))}
        swept = [item for item in each.reductions if item.symbol not in alone]
        # An entry alone is read ahead, so that a sweep need not wait for it.
        ahead = [
            line for item in each.reductions if item.symbol in alone for line in self._entry(item, alone[item.symbol])
        ]
        ends = self._ends(replace(each, reductions=tuple(swept)))
        if not (swept or each.columns or each.stores):
            return under_conditions([*ahead, *ends])
        roots = [distance(item.body) if item.operator == "first" else item.body for item in swept]
        roots += [*(item.body for item in each.columns), *(store.symbol for store in each.stores)]
        entries, leaves = self.recomputed.closure(roots)
        body = [*self._loads(leaves, level), *(line for entry in entries for line in self.assigned(entry))]
        for item in swept:
            body += self._accumulated(item)
        for column in each.columns:
            where = self.needed(column.symbol)
            before, text = self._masked(column.body, where, column.symbol.name)
            assert added
            body += [*before, (where, added(column, text))]
        for store in each.stores:
            body += self.stored(store, ", inside")
        lines = under_conditions(body)
        head = ["d = start + tl.arange(0, TILE)[None, :]", *self.places.indices("\n".join(lines), True)]
        head += [f"inside = {level.inside}"] * any("inside" in line for line in lines)
        begun = [(self.needed(item.symbol), text) for item in swept for text in _begun(item, level)]
        loop = f"for start in range(0, {level.end}, TILE):"
        return [*under_conditions([*ahead, *begun]), loop, *indented([*head, *lines]), *under_conditions(ends)]

    def _place_of(self, item: Reduced, level: Level) -> Symbol | None:
        """Return the place of the one entry that a sum has, if that entry can be read alone; None if it cannot."""
        body = item.body
        if level is not ROWS or item.operator != "sum" or row_of_entry(FeatureSum(body)) is None:
            return None
        place = next((each for each in body.args[0].args if each != PLACE), None)
        leaves = self.recomputed.closure([body.args[1]])[1]
        # What is read once before the rows keeps its name, and random numbers are drawn by the tile.
        is_read = leaves.isdisjoint(self.hoisted) and leaves.isdisjoint(row.symbol for row in self.program.random)
        is_known = isinstance(place, Symbol) and place.is_integer and not axes(place).features
        return place if is_known and is_read else None

    def _entry(self, item: Reduced, place: Symbol) -> list[Line]:
        """Return the lines of a sum that is one entry of a row, 0 where the row has no such place.

        Its values have names of their own, since those of a tile have another shape.
        """
        where, body, index = self.needed(item.symbol), item.body.args[1], self.names[place]
        entries, leaves = self.recomputed.closure([body])
        before, text = self._masked(body, where, item.symbol.name)
        lines = [*self._loads(leaves, ROWS), *(line for entry in entries for line in self.assigned(entry)), *before]
        lines.append((where, f"{item.symbol.name} = {text}"))
        head = self.places.indices("\n".join(text for _, text in lines), True)
        own = {"inside", *(line.partition(" ")[0] for line in head), *(each.symbol.name for each in entries)}
        own |= {symbol.name for symbol in leaves if axes(symbol).features and symbol != PLACE}
        renamed = re.compile(rf"\b({'|'.join(map(re.escape, sorted(own)))})\b")
        first = f"inside = there & ({index} >= 0) & ({index} < D)"
        every = [*((where, line) for line in (first, *head)), *lines]
        found = [(each, re.sub(r"\bd\b", index, renamed.sub(r"\1_there", line))) for each, line in every]
        remark = f"  # {item.source}: {item.operator}({formula(item.body)})"
        return [*found[:-1], (where, found[-1][1] + remark)]

    def _loads(self, leaves: set[Symbol], level: Level) -> Iterator[Line]:
        for symbol in self.arguments:
            if symbol in leaves and axes(symbol).features:
                where, text = self.read(symbol)
                yield where, f"if not WHOLE:\n    {text}" if symbol in self.hoisted and level is ROWS else text
        for symbol, text in self.loads.items():
            if symbol in leaves:
                yield self.needed(symbol), f"{symbol.name} = {text}"
        for row in self.program.random:
            if row.symbol in leaves:
                call = f"uniform({row.seed.name}, {row.stream}, row, start, ROWS, TILE)"
                yield self.presence.used(row.symbol), f"{row.symbol.name} = {call}"

    def _masked(self, body: Expr, where: Condition, base: str) -> tuple[list[Line], str]:
        """The text of what is added up, 0 outside of the row, and the lines before it."""
        before, text = self.value(body, where, base)
        factors = [f.base if isinstance(f, sympy.Pow) and f.exp.is_positive else f for f in sympy.Mul.make_args(body)]
        return before, text if all(map(self._is_zero_outside, factors)) else f"tl.where(inside, {text}, 0.0)"

    def _is_zero_outside(self, e: Expr) -> bool:
        """Test whether a value is one of rows in memory, of which 0 is read outside; one that is left out may be 1."""
        each = self.arguments.get(e) if isinstance(e, RowSymbol) else None
        return each is not None and not (each.optional and self.neutral[each.part])

    # ---- reductions

    def _accumulated(self, item: Reduced) -> list[Line]:
        name, where = item.symbol.name, self.needed(item.symbol)
        if item.operator == "first":
            before, text = self.value(distance(item.body), where, name)
            lines = [
                f"{name}_far = tl.where(inside, {text}, {_WORST['min']})",
                f"{name}_place = tl.where({name}_far < {name}_least, d, {name}_place)",
                f"{name}_least = tl.minimum({name}_least, {name}_far)",
            ]
        elif item.operator in _WORST:
            before, text = self.value(item.body, where, name)
            found, entry = f"{name}_{item.operator}", f"tl.where(inside, {text}, {_WORST[item.operator]})"
            # A NaN among exponents that are shifted stays in their sum.
            stays = "" if item.shift else ", tl.PropagateNan.ALL"
            lines = [f"{found} = tl.{item.operator}imum({found}, {entry}{stays})"]
        else:
            before, text = self._masked(item.body, where, name)
            lines = [f"{name}_sum += {text}"]
        return [*before, *((where, line) for line in lines)]

    def _ends(self, each: Sweep) -> list[Line]:
        found = [(self.needed(item.symbol), _reduced(item)) for item in each.reductions]
        for line in each.scalars:
            found += self.assigned(line)
        for total in each.over_all:
            where, name = self.needed(total.symbol), total.symbol.name
            before, text = self.value(total.body, where, name)
            found += [*before, (where, f"{name} += tl.where(there, {text}, 0.0){self.remark(total)}")]
        return found

    # ---- results

    def stored(self, store: Store, mask: str = "") -> list[Line]:
        """Return the line that stores a result; every program stores a number alike."""
        each, where = self.results[store.names[0]], result_condition(store.names, self.program)
        before, text = self.value(store.symbol, where, each.stem)
        if store.symbol in self.summed:
            text = store.symbol.name
        text = _bits(text, each.cast) if each.cast else text.removeprefix("(").removesuffix(")")
        place = self.places.place(each) + " + tl.zeros([1, 1], tl.int32)" * (each.role == "Scalar")
        return [*before, (where, f"tl.store({place}, {text}{mask})")]


def _begun(item: Reduced, level: Level) -> list[str]:
    """The lines before a loop, which begin a reduction."""
    name, shape = item.symbol.name, f"[{level.rows}, TILE]"
    if item.operator == "first":
        zero = f"{name}_place = tl.zeros({shape}, tl.int32)"
        return [f"{name}_least = tl.full({shape}, {_WORST['min']}, A)", zero]
    if item.operator in _WORST:
        return [f"{name}_{item.operator} = tl.full({shape}, {_WORST[item.operator]}, A)"]
    return [f"{name}_sum = tl.zeros({shape}, A)"]


def _reduced(item: Reduced) -> str:
    """The line after a loop, which ends a reduction."""
    words = item.words() if item.operator == "first" else f"{item.operator}({formula(item.body)})"
    name, remark = item.symbol.name, f"  # {item.source}: {words}"
    if item.operator == "first":
        return f"{name} = first_place({name}_least, {name}_place){remark}"
    if item.operator in _WORST:
        found = f"{name}_{item.operator}"
        shift = f"finite_or_zero(tl.{item.operator}({found}, 1, keep_dims=True))"
        extreme = f"{'largest' if item.operator == 'max' else 'smallest'}({found})"
        return f"{name} = {shift if item.shift else extreme}{remark}"
    mean = "/length" if item.operator == "mean" else ""
    return f"{name} = tl.sum({name}_sum, 1, keep_dims=True){mean}{remark}"


def _bits(text: str, cast: str) -> str:
    """The text of a number as the bits of a type, or as a float32 within its finite values."""
    target = TARGETS[cast]
    if cast == "float32":
        return f"within({text}, {target.lowest!r}, {target.highest!r})"
    if not target.digits:
        return f"bits_of_integer({text}, {target.lowest!r}, {target.highest!r})"
    highest = struct.unpack("I", struct.pack("f", target.highest))[0]
    numbers = [8 * target.itemsize, target.digits, target.exponent, f"0x{highest:X}", f"0x{_QUIET[cast]:X}"]
    return f"bits_of_float({', '.join([text, *map(str, numbers)])})"
