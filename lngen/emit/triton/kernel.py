"""Kernels of a direction: that of the rows, and the one that ends the sums over rows.

A program of the grid takes some rows, then the next that no other program takes. Sums over rows it keeps in registers,
or in memory of its own where a tile does not hold a row; the second kernel adds up those of all programs, in a fixed
order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sympy import Symbol

from lngen.algebra.equations import leading_to
from lngen.algebra.symbols import FeatureSymbol, RowScalarSymbol, RowSymbol, ScalarSymbol, axes
from lngen.emit.cpp.presence import flags, result_condition
from lngen.emit.cpp.sweeps import Recomputed, Sweep, of_lines, of_stage
from lngen.emit.layout import in_docstring, laid
from lngen.emit.triton.arrays import Argument, Places, Role
from lngen.emit.triton.lines import Line, indented, joined, under_conditions, without_nesting
from lngen.emit.triton.sweeps import FEATURES, ROWS, SweepText
from lngen.plan.presence import Condition
from lngen.plan.program import RowProgram, RowsReduction, Store

_ROLES: dict[type, Role] = {RowSymbol: "row", RowScalarSymbol: "row scalar", FeatureSymbol: "Feature"}
_OF_ROWS = (RowSymbol, RowScalarSymbol)
_TILE = "d = tl.arange(0, TILE)[None, :]"
_TOTALS = ["The results that are sums over rows, of the partial sums of all programs."]


@dataclass(frozen=True)
class TritonKernel:
    """Kernel as it is printed and launched.

    Its parameters are the `arguments`, the strides of each, the sizes of `axes`, the number of rows (or of programs
    whose sums it ends), the number of entries of a row, and `constants`, of which `HAS_x` tells for each of the `flags`
    whether x is there. `held` is the number of arrays of rows that a program reads and writes, and `sums` that of sums
    over rows: of features, and of numbers. A kernel that `fuses` may have products fused with sums: what is taken off
    the largest entry has to be rounded as that was.
    """

    name: str
    direction: str
    arguments: tuple[Argument, ...]
    axes: tuple[str, ...]
    flags: tuple[str, ...]
    constants: tuple[str, ...]
    lines: tuple[str, ...]
    sums: tuple[int, int]
    held: int = 0
    fuses: bool = True


class _TritonText:
    """Printer of a kernel: its parameters, its sums over rows, and the text around its lines."""

    def __init__(self, program: RowProgram, places: Places) -> None:
        self.program, self.places = program, places
        sums = [item for stage in program.stages for item in stage.rows_reductions]
        self.columns = [item for item in sums if isinstance(item.symbol, FeatureSymbol)]
        self.scalars = [item for item in sums if isinstance(item.symbol, ScalarSymbol)]
        self.optional, self.casts = {*flags(program)}, dict(program.casts)
        self.parameters = {
            p.symbol: places.argument(p.symbol.name, p.name, "Feature", p.name in self.optional)
            if p.kind == "Feature"
            else Argument(
                p.symbol.name + "_ptr" * (p.kind == "Scalar"), p.name, p.kind, optional=p.name in self.optional
            )
            for p in program.parameters
        }
        columns = f"{len(self.columns)}*D" if len(self.columns) > 1 else "D"
        self.width = f"({columns} + {len(self.scalars)})" if self.scalars else columns
        self.width = self.width if self.columns else str(len(self.scalars))

    def results(self, stores: Sequence[Store]) -> dict[str, Argument]:
        """Return the arrays of results by their names."""
        names = [(store.names[0], _ROLES.get(type(store.symbol), "Scalar")) for store in stores]
        return {name: self.places.result(name, role, self.casts.get(name, "")) for name, role in names}

    def place(self, number: int) -> str:
        """The partial sums of a program: the features of each, one behind the other, then the numbers."""
        features, further = min(number, len(self.columns)), max(number - len(self.columns), 0)
        terms = ["D" if features == 1 else f"{features}*D"] * bool(features) + [str(further)] * bool(further)
        return " + ".join(["sums_ptr", *terms])

    def finished(
        self, name: str, body: Sequence[str], arguments: Sequence[Argument], count: str, docstring: Sequence[str]
    ) -> TritonKernel:
        """Return a kernel with the parameters that its lines read; `count` is that of rows or of programs."""
        words = {*re.findall(r"\w+", "\n".join(body))}
        given = [each for each in arguments if each.name in words]
        even = [stride for each in given for stride in each.even] + ["D"] * ("D" in words or "length" in words)
        head = [f"{stride} = {stride} // EVEN * EVEN" for stride in even]
        # The place of an entry times its step may pass 32 bits, as in rows that are columns of a large array.
        steps = [step for each in given for step in each.strides[len(each.axes) :]]
        head += [f"{step} = tl.cast({step}, tl.int64)" for step in steps]
        head += ["length = tl.cast(D, A)"] * ("length" in words)
        sizes = [axis for axis in self.places.layout.names if self.places.size(axis) in words]
        found = [flag for flag in sorted(self.optional) if f"HAS_{flag}" in words]
        fixed = [f"HAS_{flag}" for flag in found]
        fixed += [
            each for each in ("SAVE", "A", "EVEN", "ROWS", "TILE", "WHOLE", "AT_ONCE") if each in words | {"EVEN"}
        ]
        parameters = [each.name + ": tl.float64" * (each.role == "Constant") for each in given]
        parameters += [stride for each in given for stride in each.strides] + [*map(self.places.size, sizes)]
        parameters += [count, "D", *(f"{each}: tl.constexpr" for each in fixed)]
        first, *rest = in_docstring(docstring) or [""]
        lines = (
            f'@triton.jit(do_not_specialize=["{count}"])',
            f"def {name}(",
            *indented(f"{each}," for each in parameters),
            "):",
            *indented([f'"""{first}', *rest, '"""'] if rest else [f'"""{first}"""'] * bool(first)),
            *laid(without_nesting(joined([*head, *body]))),
        )
        sums = len(self.columns), len(self.scalars)
        return TritonKernel(name, self.program.direction, (*given,), (*sizes,), (*found,), (*fixed,), lines, sums)


class RowsText(_TritonText):
    """Printer of the kernel of the rows of a program, which is `handed` over and marked."""

    def __init__(self, program: RowProgram, places: Places) -> None:
        super().__init__(program, places)
        found: dict[Symbol, Argument] = {}
        for each in program.rows:
            if each.origin != "computed":
                role = _ROLES[type(each.symbol)]
                found[each.symbol] = places.argument(each.symbol.name, each.name, role, each.name in self.optional)
        saved = [each.symbol for each in program.rows if each.origin == "computed"]
        saved += program.saved if program.direction != "forward" else ()
        found |= {symbol: Argument(f"{symbol.name}_ptr", f"saved {symbol.name}", "saved") for symbol in saved}
        self.stores = [store for store in program.results if isinstance(store.symbol, _OF_ROWS)]
        self.made = self.results(self.stores)
        before = [line for line in program.prologue if axes(line.symbol).features]
        recomputed = Recomputed([*before, *(t for t in program.temps() if axes(t.symbol).features)])
        self.text = SweepText(program, places, found | self.parameters, self.made, recomputed)
        self.sweeps = self._delayed([each for stage in program.stages for each in of_stage(stage, recomputed)])
        if self.columns or self.scalars:  # few programs work on many rows each
            read = recomputed.closure(root for each in self.sweeps for root in each.roots)[1]
            self.text.hoisted = frozenset(s for s in self.parameters if isinstance(s, FeatureSymbol) and s in read)

    def _delayed(self, sweeps: list[Sweep]) -> list[Sweep]:
        """Let the last sweep store what it reads the arrays of anyway: a store parts the loads of two sweeps."""

        def read(roots: Sequence[Symbol]) -> set[Symbol]:
            return {symbol for symbol in self.text.recomputed.closure(roots)[1] if axes(symbol).features}

        last, found = sweeps[-1], []
        known = read(last.roots)
        for each in sweeps[:-1]:
            late = tuple(store for store in each.stores if read([store.symbol]) <= known)
            found.append(replace(each, stores=tuple(store for store in each.stores if store not in late)))
            last = replace(last, stores=(*last.stores, *late))
        return [*found, last]

    def kernel(self, layer: str, formulas: Sequence[str]) -> TritonKernel:
        """Return the kernel of a layer."""
        body = [*under_conditions(self._starts()), *self._of_rows()]
        rows = ["row = first + tl.arange(0, ROWS)[:, None].to(tl.int64)", "there = row < rows"]
        rows += [*self.places.indices("\n".join(body), False), *body]
        lines = [
            *self._of_call(),
            "program = tl.program_id(0).to(tl.int64)",
            *self._begin(),
            "for first in range(program * ROWS, rows, tl.num_programs(0) * ROWS):",
            *indented(rows),
            *self._end(),
        ]
        arguments = [*self.text.arguments.values(), *self.made.values()]
        if self.program.direction == "forward":
            arguments += [Argument(f"{s.name}_ptr", f"out saved {s.name}", "saved") for s in self.program.saved]
        arguments.append(Argument("sums_ptr", "sums", "sums"))
        made = self.finished(f"{layer}_{self.program.direction}", lines, arguments, "rows", formulas)
        shifts = [item for stage in self.program.stages for item in stage.reductions if item.shift]
        return replace(made, held=sum(each.role == "row" for each in made.arguments), fuses=not shifts)

    def _of_call(self) -> list[str]:
        """The lines of values that are the same for all rows."""
        wanted = {store.symbol for store in self.stores} | {row.seed for row in self.program.random}
        wanted = wanted.union(*(q.body.free_symbols for stage in self.program.stages for q in stage.lines()))
        needed = leading_to(wanted, self.program.prologue)
        wanted = wanted.union(*(line.expression.free_symbols for line in needed))
        numbers = [s for s in self.parameters if s in wanted and not isinstance(s, FeatureSymbol)]
        lines = under_conditions(map(self.text.read, numbers))
        for each in of_lines(needed, self.text.recomputed):
            lines += self.text.sweep(each, FEATURES)
        return lines

    def _starts(self) -> list[Line]:
        """The pointers to the entries of rows."""
        found = []
        for symbol, each in self.text.arguments.items():
            where = self.text.presence.used(symbol)
            found.append((where & Condition.of(each.part) if each.optional else where, each))
        for store in self.stores:
            found.append((result_condition(store.names, self.program), self.made[store.names[0]]))
        texts = [(where, *self.places.row(each)) for where, each in found]
        return [(where, f"{name} = {text}") for where, name, text in texts if text]

    def _of_rows(self) -> list[str]:
        """The lines of some rows."""
        arguments = self.text.arguments
        lines = under_conditions(self.text.read(s) for s in arguments if arguments[s].role in ("row scalar", "saved"))
        for each in self.sweeps:
            lines += self.text.sweep(each, ROWS, self._added)
        for store in self.stores:
            if isinstance(store.symbol, RowScalarSymbol):
                lines += under_conditions(self.text.stored(store, ", there"))
        if self.program.direction == "forward" and self.program.saved:
            saved = [f"tl.store({s.name}_ptr + row, {s.name}, there)" for s in self.program.saved]
            lines += ["if SAVE:", *indented(saved)]
        if self.columns:
            lines += ["if not WHOLE:", "    tl.debug_barrier()  # before the sums in memory are read again"]
        return lines

    # ---- sums over rows

    def _added(self, item: RowsReduction, text: str) -> str:
        name, place = item.symbol.name, self.place(self.columns.index(item))
        whole = f"if WHOLE:\n    {name} += {text}{self.text.remark(item)}"
        return f"{whole}\nelse:\n    add_to({place} + d, {text}, d < D)"

    def _begin(self) -> list[str]:
        """The lines before the rows: what is read once, and sums that are 0."""
        needed, lines = self.text.needed, list[str]()
        if self.columns or self.scalars:
            lines.append(f"sums_ptr += program * {self.width}")
        once = [self.text.read(s) for s in self.parameters if s in self.text.hoisted]
        read = under_conditions(once)
        zeros = [(needed(c.symbol), f"{c.symbol.name} = tl.zeros([ROWS, TILE], A)") for c in self.columns]
        whole = [*[_TILE] * bool(read), *self.places.indices("\n".join(read), True), *under_conditions([*once, *zeros])]
        lines += ["if WHOLE:", *indented(whole)] if whole else []
        if self.columns:
            stores = [
                (needed(c.symbol), f"tl.store({self.place(n)} + d, tl.zeros([1, TILE], A), d < D)")
                for n, c in enumerate(self.columns)
            ]
            tile = ["d = start + tl.arange(0, TILE)[None, :]", *under_conditions(stores)]
            tiles = ["for start in range(0, D, TILE):", *indented(tile), "tl.debug_barrier()"]
            lines += ["else:", *indented(tiles)]
        numbers = [(needed(s.symbol), f"{s.symbol.name} = tl.zeros([ROWS, 1], A)") for s in self.scalars]
        return [*lines, *under_conditions(numbers)]

    def _end(self) -> list[str]:
        """The lines after the rows, which store the sums of the program."""
        features = [
            (
                self.text.needed(c.symbol),
                f"tl.store({self.place(n)} + d, tl.sum({c.symbol.name}, 0, keep_dims=True), d < D)",
            )
            for n, c in enumerate(self.columns)
        ]
        numbers = [
            (self.text.needed(s.symbol), f"tl.store({self.place(n)}, tl.sum({s.symbol.name}))")
            for n, s in enumerate(self.scalars, len(self.columns))
        ]
        whole = ["if WHOLE:", *indented([_TILE, *under_conditions(features)])] if features else []
        return [*whole, *under_conditions(numbers)]


class TotalsText(_TritonText):
    """Printer of the kernel that ends the sums over rows, and computes the results that are made of them."""

    def __init__(self, program: RowProgram, places: Places) -> None:
        super().__init__(program, places)
        self.stores = [store for store in program.results if not isinstance(store.symbol, _OF_ROWS)]
        self.made = self.results(self.stores)
        lines = [*program.prologue, *program.epilogue]
        recomputed = Recomputed([line for line in lines if axes(line.symbol).features])
        self.needed = leading_to({s for store in self.stores for s in store.symbol.free_symbols}, lines)
        self.loads = {
            item.symbol: f"over_programs({self.place(n)} + d, d < D, programs, {self.width}, AT_ONCE, A)"
            for n, item in enumerate(self.columns)
        }
        self.text = SweepText(program, places, self.parameters, self.made, recomputed, self.loads)

    def kernel(self, layer: str) -> TritonKernel | None:
        """Return the kernel of a layer, or None of one whose gradients are those of rows alone."""
        if not self.stores:
            return None
        text = self.text
        wanted = {store.symbol for store in self.stores}.union(*(q.expression.free_symbols for q in self.needed))
        numbers = [text.read(s) for s in self.parameters if s in wanted and not isinstance(s, FeatureSymbol)]
        for n, item in enumerate(self.scalars, len(self.columns)):
            if item.symbol in wanted:
                place = f"{self.place(n)} + tl.zeros([1, 1], tl.int32)"
                call = f"over_programs({place}, True, programs, {self.width}, AT_ONCE, A)"
                numbers.append((text.needed(item.symbol), f"{item.symbol.name} = {call}{text.remark(item)}"))
        lines = under_conditions(numbers)
        for each in of_lines(self.needed, text.recomputed):
            lines += text.sweep(each, FEATURES)
        for store in self.stores:
            if isinstance(store.symbol, ScalarSymbol):
                lines += under_conditions(text.stored(store))
        last = text.sweep(Sweep(stores=tuple(s for s in self.stores if isinstance(s.symbol, FeatureSymbol))), FEATURES)
        if last:
            loop = "for start in range(tl.program_id(0) * TILE, D, tl.num_programs(0) * TILE):"
            lines += [loop, *last[1:]]
        arguments = [Argument("sums_ptr", "sums", "sums"), *self.parameters.values(), *self.made.values()]
        return self.finished(f"{layer}_{self.program.direction}_totals", lines, arguments, "programs", _TOTALS)
