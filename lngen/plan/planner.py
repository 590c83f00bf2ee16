"""Row programs of a derivation, one for each direction.

Three decisions are made here, each by a rule that holds for every layer:

* *Once per row, once per call.* Values that do not vary over features are computed once per row, and functions of
  parameters alone once per call.
* *Saved values.* Backward recomputes row values from the fewest tensors: from the inputs, or from an output if that
  saves a tensor or a transcendental function. Row scalars of the forward are saved, a few bytes per row. The JVP and
  the double backward read these values, and nothing more is saved for them: other forward values are computed again.
  They read a further input only if no saved value leads to it.
* *A mean used as a shift is corrected* (`lngen.plan.passes`).

`lngen.plan.stages` decides the stage of each line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from types import MappingProxyType
from typing import Any, Literal

import sympy
from sympy import Expr

from lngen.algebra.equations import Equation, Names, read_by
from lngen.algebra.normal import in_elementary
from lngen.algebra.reductions import show_sums, split_reductions
from lngen.algebra.symbols import (
    PLACE,
    D,
    RowMax,
    RowScalarSymbol,
    StopGradient,
    TypedSymbol,
    axes,
    heads_that,
    is_integer,
    is_row,
    symbol_like,
    word_of,
)
from lngen.derivation.derivation import Derivation, Derivative, Direction
from lngen.derivation.rules.exponentials import expand_normalized
from lngen.plan.history import History, Passes, numbered
from lngen.plan.lines import ProgramLine, once_a_row
from lngen.plan.passes.compensation import compensated
from lngen.plan.passes.offsets import less_largest, offsets_of
from lngen.plan.passes.shared import shared_reductions
from lngen.plan.program import OPERATORS, PassLine, RowArgument, RowProgram, Store, moved_name
from lngen.plan.stages import program_of, random_rows, stores_of

_COSTLY = heads_that(lambda entry: entry.roundings)


@dataclass(frozen=True)
class Plan:
    """Directions of a layer, and the derivation that they come from; those that it lacks are None."""

    derivation: Derivation
    forward: RowProgram
    backward: RowProgram
    jvp: RowProgram | None = None
    backward_backward: RowProgram | None = None

    def programs(self) -> tuple[RowProgram, ...]:
        """Return the programs of the plan in this order, without those that it lacks."""
        return tuple(q for q in (self.forward, self.backward, self.jvp, self.backward_backward) if q is not None)

    def passes(self) -> tuple[PassLine, ...]:
        """Return the lines that passes made, by their numbers."""
        lines = {line.number: line for program in self.programs() for line in program.passes}
        return tuple(lines[number] for number in sorted(lines))


def plan(derivation: Derivation, passes: Mapping[str, Passes] = MappingProxyType({})) -> Plan:
    """The row programs of a derivation.

    `passes` are those that groups of backends make after it, by the name of the group; their lines are numbered too.
    """
    planner = _Planner(derivation)
    later = [planner.program(direction, found) for direction, found in derivation.derivatives().items()]
    programs = numbered([planner.forward(), *later], planner.history, passes)
    return Plan(derivation, **{program.direction: program for program in programs})


class _Planner:
    """Planner of a layer's directions. Backward is planned first: its saved values serve all directions."""

    def __init__(self, derivation: Derivation) -> None:
        forward = derivation.forward
        self.history = History()
        self._derivation = derivation
        self._names = Names.of(forward, derivation.backward)
        lines = self._lines(forward.equations, forward.equations, derivation.step_of(), self._names)
        lines = self._seen("compensation", compensated(lines, self._names))
        self._offsets = offsets_of(lines, self._names)
        lines = less_largest(lines, self._offsets)
        later = (q for found in derivation.derivatives().values() for q in found.equations)
        read = read_by(lines) | read_by(later) | {*forward.outputs}
        lines = self._seen(
            "offsets", [each for each in lines if each.symbol not in self._offsets or each.symbol in read]
        )
        self._forward = self._seen("once a row", once_a_row(lines, self._names))
        self._kept: list[RowArgument] = []
        of_rows = (line for line in self._forward if isinstance(line.symbol, RowScalarSymbol))
        # An integer is exact where it is computed, and the compute type may round it.
        self._saved = tuple(line.symbol for line in of_rows if not is_integer(line.expression))
        self._apart: dict[TypedSymbol, RowScalarSymbol] = {}

    def forward(self) -> RowProgram:
        """Return the program of the forward, which saves the values that backward reads."""
        derivation = self._derivation
        outputs = zip(derivation.definition.outputs, derivation.forward.outputs, strict=True)
        return self._program(
            "forward",
            self._forward,
            self._names,
            rows=[RowArgument(s.name, s, "input") for s in derivation.forward.symbols if axes(s).rows],
            saved=self._saved,
            results=tuple(Store((name,), symbol) for name, symbol in outputs),
        )

    def program(self, direction: Direction, derivative: Derivative) -> RowProgram:
        """The program of a derivative."""
        derivation, names = self._derivation, self._names
        if direction != "backward":
            names = Names.of(derivation.forward, (*self._forward, *derivation.backward, *derivative.equations))
            for symbol in derivative.arguments:
                names.take(symbol.name)
        inputs = [symbol.name for symbol in derivation.forward.differentiable] if derivative.arguments else []
        arguments = {
            moved_name(direction, name): symbol for name, symbol in zip(inputs, derivative.arguments, strict=True)
        }
        ends = {symbol for _, symbol in derivative.results}
        lines_of = expand_normalized(derivative.equations, derivation.forward, ends)
        values = {q.symbol: q.expression for q in lines_of}
        results, taken = stores_of(derivative.results, values)
        wanted = [q for q in lines_of if q.symbol not in taken]
        table = taken | self._apart
        equations = [replace(q, expression=q.expression.xreplace(table)) for q in wanted]
        steps = {step.target.name: step.number for step in derivative.steps}
        lines = self._lines(equations, derivative.equations, steps, names)
        lines = self._seen("offsets", less_largest(lines, self._offsets))
        lines = self._seen("shared reductions", shared_reductions(lines, names))
        lines = self._seen("once a row", once_a_row(lines, names))
        if direction == "backward":
            self._kept = _kept(derivation, self._forward, lines)
        cotangents = derivation.adjoint.cotangents if direction != "jvp" else ()
        own = {symbol.name: symbol for symbol in cotangents} | arguments
        read = read_by(lines) | {store.symbol for store in results}
        rows, saved, again = self._sources(read - {*own.values(), *(line.symbol for line in lines)})
        lines = [*again, *lines]
        if direction == "backward":
            saved = self._save(saved)
            apart = [replace(line, expression=line.expression.xreplace(self._apart)) for line in lines]
            lines = self._seen("saved apart", apart)
        origin: Literal["tangent", "cotangent"] = "tangent" if direction == "jvp" else "cotangent"
        return self._program(
            direction,
            lines,
            names,
            rows=(*rows, *(RowArgument(name, s, origin) for name, s in own.items() if axes(s).rows)),
            saved=saved,
            results=results,
            arguments=arguments,
        )

    def _lines(
        self, equations: Sequence[Equation], derived: Sequence[Equation], steps: Mapping[str, int], names: Names
    ) -> list[ProgramLine]:
        """Return equations as lines, and record their provenance; `derived` are those that a step says."""
        said = {(q.symbol, q.expression) for q in derived}
        rule_of = {q.symbol: "" if (q.symbol, q.expression) in said else "written out" for q in equations}
        rule_of |= {q.symbol: "elementary functions" for q in equations if in_elementary(q.expression) != q.expression}
        lines = _lines(equations, steps, names)
        parts: list[ProgramLine] = []
        for line in lines:
            parts.append(line)  # the reductions of an equation stand before it
            if line.symbol in rule_of:
                self.history.saw(rule_of[line.symbol], parts)
                parts = []
        return lines

    def _seen(self, rule: str, lines: list[ProgramLine]) -> list[ProgramLine]:
        self.history.saw(rule, lines)
        return lines

    def _program(self, direction: Direction, lines: Sequence[ProgramLine], names: Names, **given: Any) -> RowProgram:
        program = program_of(self._derivation, direction, lines, names, **given)
        self.history.saw("sums over rows", program.lines())
        return program

    def _save(self, saved: tuple[RowScalarSymbol, ...]) -> tuple[RowScalarSymbol, ...]:
        """A row scalar that is both an output and saved is saved under a name of its own.

        The output is rounded to the type of the rows and belongs to the caller; the saved value is not rounded.
        """
        outputs = self._derivation.forward.outputs
        self._apart = {s: RowScalarSymbol(self._names.fresh(f"{s.name}_saved")) for s in saved if s in outputs}
        copied = [line for line in self._forward if line.symbol in self._apart]
        apart = [ProgramLine(self._apart[line.symbol], line.symbol, line.step) for line in copied]
        self._forward += self._seen("saved apart", apart)
        self._saved = tuple(self._apart.get(symbol, symbol) for symbol in saved)
        return self._saved

    def _sources(
        self, read: Iterable[TypedSymbol]
    ) -> tuple[list[RowArgument], tuple[RowScalarSymbol, ...], list[ProgramLine]]:
        """Find where a later direction has the values of forward that it reads.

        Returns tensors that are read again (inputs, and outputs that are kept for it), saved row scalars, and the
        lines of forward that are computed again.
        """
        line_of = {line.symbol: line for line in self._forward}
        inputs = (RowArgument(s.name, s, "saved input") for s in self._derivation.forward.symbols if axes(s).rows)
        referred = {row.symbol: row for row in (*self._kept, *inputs)}
        kept = {row.symbol for row in self._kept}
        found: set[TypedSymbol] = set()
        again: set[TypedSymbol] = set()
        pending = set(read)
        while pending:
            symbol = pending.pop()
            if symbol in found:
                continue
            found.add(symbol)
            if symbol not in kept and symbol not in self._saved and symbol in line_of:
                again.add(symbol)
                pending |= line_of[symbol].expression.free_symbols
        return (
            [row for symbol, row in referred.items() if symbol in found],
            tuple(symbol for symbol in self._saved if symbol in found),
            [line for line in self._forward if line.symbol in again],
        )


# ---- equations made ready


def _lines(equations: Sequence[Equation], steps: Mapping[str, int], names: Names) -> list[ProgramLine]:
    """Return equations as lines, each reduction on its own, and each with what it stops."""

    # The largest of several extremes is the shift; an infinite extreme among them is not replaced by 0.
    parts = read_by(equation for equation in equations if equation.stopped)

    def line(equation: Equation) -> ProgramLine:
        expression = in_elementary(equation.expression)
        shift = equation.stopped and equation.symbol not in parts and isinstance(equation.expression, RowMax)
        return ProgramLine(equation.symbol, show_sums(expression), steps.get(equation.symbol.name, 0), shift=shift)

    split = split_reductions(map(line, equations), names, _word)
    return [each for line in split for each in _with_stops(line, names)]


def _with_stops(line: ProgramLine, names: Names) -> Iterator[ProgramLine]:
    """Yield a line with the symbols that it stops; one that it reads in other terms too has another name there.

    >>> from lngen.algebra.symbols import RowSymbol
    >>> x, y, m = RowSymbol("x"), RowSymbol("y"), RowScalarSymbol("m")
    >>> for expression in (x - StopGradient(m), x * StopGradient(x)):
    ...     for line in _with_stops(ProgramLine(y, expression, 1), Names([])):
    ...         print(line.symbol, "=", line.expression, line.stops)
    y = -m + x (m,)
    x_stopped = x (x,)
    y = x*x_stopped ()
    """
    stops: set[TypedSymbol] = set()

    def plain(e: Expr) -> Expr:
        return e.replace(StopGradient, lambda value: value)

    table: dict[Expr, Expr] = {}
    outside = line.expression.replace(StopGradient, lambda value: sympy.S.One).free_symbols
    for stop in sorted(line.expression.atoms(StopGradient), key=sympy.default_sort_key):
        argument = plain(stop.args[0])
        if stop == line.expression or not argument.free_symbols & outside:
            table[stop] = argument
            stops |= argument.free_symbols
        else:
            word = argument.name if isinstance(argument, TypedSymbol) else line.symbol.name
            table[stop] = symbol_like(names.fresh(f"{word}_stopped"), argument)
            yield ProgramLine(table[stop], argument, line.step, stops=_sorted(argument.free_symbols))
    expression = plain(line.expression.xreplace(table))
    yield replace(line, expression=expression, stops=_sorted(stops))


def _sorted(symbols: Iterable[TypedSymbol]) -> tuple[TypedSymbol, ...]:
    return tuple(sorted({*symbols} - {D, PLACE}, key=lambda symbol: symbol.name))


def _word(reduction: Expr) -> str:
    symbols = sorted({word_of(symbol) for symbol in reduction.free_symbols if axes(symbol).features})
    return "_".join([OPERATORS[type(reduction)], *(symbols[:3] or ["one"])])


# ---- what backward reads


def _kept(derivation: Derivation, forward: Sequence[ProgramLine], backward: Sequence[ProgramLine]) -> list[RowArgument]:
    """Return the row values saved for backward: all row scalars, and the rows that all others are computed from."""
    outputs = _unrounded(derivation)
    chosen = _chosen(derivation, forward, backward)
    given = [RowArgument(s.name, s, "saved input") for s in derivation.forward.symbols if axes(s).rows]
    given = [row for row in given if row.symbol in chosen or not is_row(row.symbol)]
    return [*given, *(RowArgument(name, symbol, "saved output") for name, symbol in outputs if symbol in chosen)]


def _unrounded(derivation: Derivation) -> list[tuple[str, TypedSymbol]]:
    """The outputs, by name, that hold their values as computed: no cast has rounded them."""
    outputs = zip(derivation.definition.outputs, derivation.forward.outputs, strict=True)
    return [(name, symbol) for name, symbol in outputs if name not in dict(derivation.definition.casts)]


def _chosen(
    derivation: Derivation, forward: Sequence[ProgramLine], backward: Sequence[ProgramLine]
) -> tuple[TypedSymbol, ...]:
    """Choose the fewest row values from which backward can compute the forward values that it reads."""
    line_of = {line.symbol: line for line in forward}
    wanted = sorted(
        (s for s in read_by(backward) if is_row(s) and (s in line_of or s in derivation.forward.symbols)),
        key=lambda s: s.name,
    )
    inputs = [symbol for symbol in derivation.forward.symbols if is_row(symbol)]
    outputs = [symbol for _, symbol in _unrounded(derivation) if is_row(symbol) and symbol not in inputs]
    # Random numbers are made again at no price.
    free = {row.symbol for row in random_rows(derivation)}
    inputs = [symbol for symbol in inputs if symbol not in free]
    best: tuple[tuple[int, int, int, int], tuple[TypedSymbol, ...]] | None = None
    readable = [*inputs, *outputs]
    # Values that cannot be computed from the others have to be read; only the rest is a choice.
    forced = [s for s in readable if _closure(wanted, {*readable, *free} - {s}, line_of) is None]
    for size in range(len(readable) - len(forced) + 1):
        for chosen in combinations([s for s in readable if s not in forced], size):
            sources = tuple(s for s in readable if s in forced or s in chosen)
            again = _closure(wanted, {*sources, *free}, line_of)
            if again is None:
                continue
            lines = [line_of[symbol] for symbol in again]
            functions = sum(bool(line.expression.atoms(*_COSTLY)) for line in lines)
            price = (size, functions, sum(s in outputs for s in sources), len(lines))
            if best is None or price < best[0]:
                best = (price, sources)
        if best is not None:
            break
    assert best is not None, "the inputs themselves always suffice"
    return best[1]


def _closure(
    wanted: Iterable[TypedSymbol], sources: set[TypedSymbol], line_of: dict[TypedSymbol, ProgramLine]
) -> set[TypedSymbol] | None:
    again: set[TypedSymbol] = set()
    pending = list(wanted)
    while pending:
        symbol = pending.pop()
        if symbol in sources or symbol in again:
            continue
        if symbol not in line_of:
            return None
        again.add(symbol)
        pending += [s for s in line_of[symbol].expression.free_symbols if is_row(s)]
    return again
