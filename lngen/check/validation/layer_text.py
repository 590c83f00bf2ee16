"""The emitted NumPy of a layer, validated: each direction, at several points, with inputs left out, in blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import sympy
from sympy import Expr

from lngen.algebra.symbols import D, TypedSymbol, axes
from lngen.check.validation.loaded import imported, random_symbols, small
from lngen.check.validation.numpy_text import Finding, Meanings, Run, Values
from lngen.check.validation.traced import Traced, constants, traced
from lngen.plan.program import RowProgram
from lngen.runtime.protocol.axes import without_axes
from lngen.runtime.protocol.directions import FEATURE, NUMBER, ROW, ROW_SCALAR, DirectionProtocol, Entry, LayerProtocol

Array = np.ndarray[Any, Any]

FILES = {"forward": "numpy_kernels", "backward": "numpy_kernels", "jvp": "numpy_second_order", "backward_backward": "numpy_second_order"}
"""The file that has each direction."""

_POINTS = ((-1.0, 1.0), (9.0, 11.0), (0.1, 0.9))
"""Ranges of the entries: about zero, far from it, and positive ones."""


@dataclass
class Validation:
    """What was seen of a direction: lines shown, findings against it, lines of the file that ran."""

    direction: str
    shown: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)
    executed: set[int] = field(default_factory=set)
    compared: int = 0
    runs: int = 0


@dataclass(frozen=True)
class _Case:
    rows: int
    features: int
    seed: int
    low: float
    high: float
    left_out: frozenset[str]
    in_blocks: bool


def validated(folder: Path, programs: Sequence[RowProgram]) -> dict[str, Validation]:
    """Validate the NumPy files of a layer in a folder against its programs."""
    of = {program.direction: program for program in programs}
    found = {direction: Validation(direction) for direction in of}
    forward = of["forward"]
    optional = [name for name, _ in forward.optional]
    with imported(folder, {"numpy_backend", *(FILES[direction] for direction in of)}) as modules:
        for case in _cases(forward.minimum_features, optional):
            with constants(_numbers(programs, case.features)):
                _run(modules, of, case, found)
    return found


def _cases(smallest: int, optional: Sequence[str]) -> Iterator[_Case]:
    nothing: frozenset[str] = frozenset()
    for features in range(smallest, smallest + 4):
        yield _Case(2, features, features, *_POINTS[features % 2], nothing, False)
    for seed, (low, high) in enumerate(_POINTS):
        yield _Case(2, smallest + 2, 20 + seed, low, high, nothing, False)
        yield _Case(5, smallest + 2, 30 + seed, low, high, nothing, True)
    some = [frozenset(each) for count in range(1, len(optional) + 1) for each in combinations(optional, count)]
    for seed, left_out in enumerate(some[:7]):
        low, high = _POINTS[seed % 2]
        yield _Case(2, smallest + 1, 40 + seed, low, high, left_out, False)
        yield _Case(5, smallest + 1, 50 + seed, low, high, left_out, True)


def _numbers(programs: Iterable[RowProgram], features: int) -> list[Expr]:
    """The numbers of the programs that are no fractions, of rows of some entries."""
    found: dict[Expr, None] = {}
    for program in programs:
        for line in program.lines():
            for part in sympy.preorder_traversal(line.body.xreplace({D: sympy.Integer(features)})):
                if not isinstance(part, Expr):
                    continue
                number = part.as_independent(*part.free_symbols, as_Add=False)[0] if part.is_Mul else part
                for each in (number, 1 / number if number else number):
                    if each.is_number and each.is_finite and each.is_real and not each.is_Rational:
                        found[each] = None
    return list(found)


class _Drawn:
    """Arguments of a case, as symbols at a point."""

    def __init__(self, case: _Case) -> None:
        self.case, self.draw = case, np.random.default_rng(case.seed)

    def shape(self, each: Entry) -> tuple[int, ...]:
        rows, features = self.case.rows, self.case.features
        return {ROW: (rows, features), ROW_SCALAR: (rows,), FEATURE: (features,)}.get(each.part, ())

    def argument(self, each: Entry) -> Any:
        """Draw an argument: integers as they are, and a number as an array of one, but for a Constant."""
        shape = self.shape(each)
        if each.is_integer:
            return np.asarray(self.draw.integers(0, self.case.features, shape))
        if each.kind == "Constant":
            return Traced.symbol(each.symbol, self.draw.uniform(0.1, 0.6), positive=True)
        found = np.empty(shape, object)
        low, high = (self.case.low, self.case.high) if each.is_per_row and each.owner is None else (-1.0, 1.0)
        for place in np.ndindex(shape):
            label = f"{each.symbol}[{','.join(map(str, place))}]"
            found[place] = Traced.symbol(label, round(self.draw.uniform(low, high), 6))
        return found


def _run(modules: Mapping[str, ModuleType], programs: Mapping[str, RowProgram], case: _Case, found: dict[str, Validation]) -> None:
    drawn, meanings = _Drawn(case), Meanings()
    saved: dict[str, Any] = {}
    for direction, program in programs.items():
        if direction != "forward" and not saved:
            return
        module = modules[FILES[direction]]
        protocol = LayerProtocol(without_axes(modules["numpy_backend"].INTERFACE))
        call = _Call(protocol.directions[direction], program, case, drawn, saved, meanings)
        with small(module) if case.in_blocks else nullcontext():
            call.run(getattr(module, direction), Path(str(module.__file__)))
        into = found[direction]
        into.shown |= call.run_.shown
        into.findings += [Finding(f"{each.where} ({_words(case)})", each.trouble, each.refuted) for each in call.run_.findings]
        into.executed |= call.run_.watch.executed
        into.compared += meanings.compared
        into.runs += 1
        meanings.compared = 0
        if direction == "forward":
            saved = call.saved(protocol)


def _words(case: _Case) -> str:
    left_out = f", without {' and '.join(sorted(case.left_out))}" if case.left_out else ""
    return f"D = {case.features}, {'in blocks' if case.in_blocks else 'at once'}, about {(case.low + case.high) / 2:g}{left_out}"


class _Call:
    """A call of a direction: its arguments by symbol, and where its results go."""

    def __init__(self, takes: DirectionProtocol, program: RowProgram, case: _Case, drawn: _Drawn, saved: Mapping[str, Any], meanings: Meanings) -> None:
        self.takes, self.program, self.case = takes, program, case
        self.saved_values = saved
        self.arguments: dict[str, Any] = {}
        for each in (*takes.inputs, *takes.constants, *takes.cotangents, *takes.tangents):
            owner = each.name if each.owner is None else each.owner.name
            absent = owner in case.left_out and (each.may_be_none or each.follows is not None)
            self.arguments[each.symbol] = None if absent else drawn.argument(each)
        self.fields = [saved.get(each.symbol) for each in takes.fields]
        self.drawn = drawn
        values = Values(program, case.rows, case.features, self._given())
        self.values, self.meanings = values, meanings

    def _given(self) -> dict[TypedSymbol, Any]:
        by_name = dict(self.arguments)
        by_name |= {each.symbol.removeprefix("saved "): value for each, value in zip(self.takes.fields, self.fields, strict=True)}
        neutral = dict(self.program.optional) | dict.fromkeys(self.program.cotangents(), 0)
        given: dict[TypedSymbol, Any] = {}
        for each in (*self.program.rows, *self.program.parameters):
            value = by_name.get(each.symbol.name)
            if value is None:
                exact = sympy.Rational(neutral[each.name])
                value = Traced(exact, float(exact))
            elif axes(each.symbol).rows and not axes(each.symbol).features:
                value = np.asarray(value, object).reshape(-1, 1)
            given[each.symbol] = value
        for symbol in () if self.takes.is_forward else self.program.saved:
            given[symbol] = np.asarray(by_name[symbol.name], object).reshape(-1, 1)
        for row in self.program.random:
            given[row.symbol] = random_symbols(row.stream, (self.case.rows, self.case.features))
        return given

    def run(self, function: Any, path: Path) -> None:
        """Call the function, and compare its lines and its results."""
        self.run_ = Run(self.program, self.values, self.meanings, path)
        values = [self.arguments[each.symbol] for each in self.takes.arguments]
        values = [np.asarray(v, object) if isinstance(v, Traced) else v for v in values]
        shape = (self.case.rows, self.case.features)
        call = (shape, np.dtype(object), int(self.case.in_blocks))
        makes = (*self.takes.results, *self.takes.row_scalars) if self.takes.is_forward else self.takes.results
        out = [self._room(each) for each in makes]
        try:
            with self.run_.watch.watching():
                if self.takes.is_forward:
                    made = function(values, out if self.case.in_blocks else [None] * len(out), call)
                else:
                    made = function(values, self.fields, out, call)
        except (TypeError, ValueError, IndexError, ZeroDivisionError, AttributeError, ZeroDivisionError) as error:
            self.run_.findings.append(Finding("the function", f"{type(error).__name__}: {error}", True))
            self.made = {}
            return
        if self.case.in_blocks:
            for slot, (room, value) in enumerate(zip(out, made or (), strict=False)):
                if value is not None and room is not None and value is not room:
                    room[...] = value
            made = out
        names = [each.symbol.removeprefix("saved ") for each in makes]
        self.made = {name: value for name, value, room in zip(names, made, out, strict=False) if room is not None}
        by_name = {each.name: self.made.get(symbol) for each, symbol in zip(makes, names, strict=True)}
        self.run_.results(by_name | self.made)

    def _room(self, each: Entry) -> Any:
        owner = each.owner
        while owner is not None and owner.owner is not None:
            owner = owner.owner
        if owner is not None and owner.name in self.case.left_out:
            return None
        return np.empty(self.drawn.shape(each), object)

    def saved(self, protocol: LayerProtocol) -> dict[str, Any]:
        """Return what later directions are given of this call."""
        everything = self.arguments | self.made
        return {each.symbol: everything.get(each.symbol.removeprefix("saved ")) for each in protocol.fields}
