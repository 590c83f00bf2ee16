"""The emitted NumPy of a layer, validated: each direction, at several points, with arguments left out, in blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import sympy
from sympy import Expr

from lngen.algebra.symbols import D, TypedSymbol
from lngen.check.validation.absence import NOTHING, Absence, absences, given_values, is_call
from lngen.check.validation.lines import CommentedText
from lngen.check.validation.loaded import imported, random_symbols, small
from lngen.check.validation.numpy_text import LineRun, NamedValues, ProgramValues, TextFinding, is_unwritten, wide
from lngen.check.validation.questions import OutOfWorkError, Questions, within
from lngen.check.validation.traced import Traced, TracedType, constants, numbers_in
from lngen.emit.numpy.lowering import handed
from lngen.plan.program import Assignment, RowProgram
from lngen.runtime.protocol.axes import without_axes
from lngen.runtime.protocol.directions import FEATURE, ROW, ROW_SCALAR, DirectionProtocol, Entry, LayerProtocol

Array = np.ndarray[Any, Any]

FILES = {
    "forward": "numpy_kernels",
    "backward": "numpy_kernels",
    "jvp": "numpy_second_order",
    "backward_backward": "numpy_second_order",
}
"""The file that has each direction."""

SIZES = 4
"""Row lengths that are tried, from the smallest that a layer takes."""

LONGEST = 64
"""The longest of these; a layer that needs longer rows is not validated."""

_POINTS = ((-1.0, 1.0), (9.0, 11.0), (0.1, 0.9))
"""Ranges of the entries of rows: about zero, far from it, and positive ones."""

_FEW, _SEVERAL_BLOCKS = 2, 9
"""Rows that are taken at once, and rows that make three blocks, of which two are one chunk."""

_IN_PIECES = 7, 8
"""Entries of rows that are summed in pieces, with one left over and with none."""

_LARGEST_EXACT = 2**53


@dataclass
class Validated:
    """Outcome for a direction: lines and results that are right, findings against it, and lines that ran."""

    direction: str
    shown: set[str] = field(default_factory=set)
    findings: list[TextFinding] = field(default_factory=list)
    idle: list[int] = field(default_factory=list)
    """The lines at which statements begin that never ran."""
    executed: set[int] = field(default_factory=set)
    compared: int = 0
    runs: int = 0
    features: set[int] = field(default_factory=set)
    left_out: str = ""
    """Cases that were left out, in words, if not all of the cases were within the budget of work."""

    @property
    def sizes(self) -> str:
        """The row lengths that were tried, in words."""
        return f"D = {', '.join(map(str, sorted(self.features)))}"


@dataclass(frozen=True)
class _TextCase:
    """A call of each direction."""

    rows: int
    features: int
    seed: int
    point: tuple[float, float]
    absence: Absence = NOTHING

    @property
    def in_blocks(self) -> bool:
        return self.rows == _SEVERAL_BLOCKS

    @property
    def words(self) -> str:
        how = "in blocks" if self.in_blocks else "at once"
        return f"D = {self.features}, {how}, entries about {sum(self.point) / 2:g}{self.absence.words}"


def validated(
    folder: Path,
    programs: Sequence[RowProgram],
    *,
    is_brief: bool = False,
    ends_at_first: bool = False,
    work: int | None = None,
) -> dict[str, Validated]:
    """Validate the NumPy files of a layer in a folder against the programs of its plan; none of a layer of long rows.

    `is_brief` takes the calls that `lngen derive` waits for: every row length, blocks, and each argument left out once.
    `ends_at_first` ends at the first finding. After so much `work`, in terms multiplied, cases are left out.
    """
    printed = [*map(handed, programs)]
    of: dict[str, RowProgram] = {program.direction: program for program in printed}
    if of["forward"].minimum_features > LONGEST:
        return {}
    found = {direction: Validated(direction) for direction in of}
    with imported(folder, {"numpy_backend", *(FILES[direction] for direction in of)}) as modules:
        layer = LayerProtocol(without_axes(modules["numpy_backend"].INTERFACE))
        texts = {name: CommentedText(Path(str(module.__file__))) for name, module in modules.items()}
        numbers = cache(partial(_numbers, printed))
        questions, cases = Questions(work), [*_cases(of["forward"], layer, is_brief)]
        for number, case in enumerate(cases):
            try:
                with constants(numbers(case.features, case.absence.inputs)):
                    _run(modules, texts, layer, of, case, found, questions)
            except OutOfWorkError:
                for each in found.values():
                    each.left_out = within(number, len(cases))
                break
            if ends_at_first and any(each.findings for each in found.values()):
                break
    for direction, each in found.items():
        each.idle = texts[FILES[direction]].idle(direction, each.executed)
    return found


def _cases(forward: RowProgram, layer: LayerProtocol, is_brief: bool) -> Iterator[_TextCase]:
    smallest, optional = forward.minimum_features, [name for name, _ in forward.optional]
    for features in range(smallest, smallest + SIZES):
        yield _TextCase(_FEW, features, features, _POINTS[features % 2])
    if is_brief:
        yield _TextCase(_SEVERAL_BLOCKS, smallest + 2, 30, _POINTS[0])
        for seed, name in enumerate(optional):
            yield _TextCase(_FEW, smallest + 1, 40 + seed, _POINTS[seed % 2], Absence(frozenset({name})))
        return
    for seed, point in enumerate(_POINTS):
        yield _TextCase(_FEW, smallest + 2, 20 + seed, point)
        yield _TextCase(_SEVERAL_BLOCKS, smallest + 2, 30 + seed, point)
    for features in _IN_PIECES:
        yield _TextCase(_SEVERAL_BLOCKS, max(features, smallest), 38 + features, _POINTS[0])
    for seed, absence in enumerate(absences(optional, layer)):
        point = _POINTS[seed % 2]
        yield _TextCase(_FEW, smallest + 1, 40 + seed, point, absence)
        if not (absence.inputs and absence.derivatives):
            yield _TextCase(_SEVERAL_BLOCKS, smallest + 1, 80 + seed, point, absence)


def _numbers(programs: Iterable[RowProgram], features: int, left_out: frozenset[str]) -> list[Expr]:
    """Return the numbers of programs that a float may round, and their inverses, for rows of so many entries.

    A text has what lines are of inputs that are left out as numbers, too.
    """
    found: list[Expr] = []
    for program in programs:
        neutral = program.neutral()
        known: dict[Expr, Expr] = {
            argument.symbol: sympy.Rational(neutral[argument.name])  # type: ignore[attr-defined]
            for argument in (*program.rows, *program.parameters)
            if argument.name in left_out  # type: ignore[attr-defined]
        }
        for line in program.lines():
            body = line.body.xreplace(known | {D: sympy.Integer(features)})
            if isinstance(line, Assignment) and body.is_comparable:
                known[line.symbol] = body
            found += numbers_in([body])
    rounded = (each for each in found if not (each.is_Integer and abs(each) <= _LARGEST_EXACT))
    return [*dict.fromkeys(both for each in rounded for both in (each, 1 / each))]


def _run(
    modules: Mapping[str, ModuleType],
    texts: Mapping[str, CommentedText],
    layer: LayerProtocol,
    programs: Mapping[str, RowProgram],
    case: _TextCase,
    found: Mapping[str, Validated],
    questions: Questions,
) -> None:
    drawn, named, saved = _Drawn(case), NamedValues(questions=questions), dict[str, Any]()
    for direction, program in programs.items():
        takes, module = layer.directions[direction], modules[FILES[direction]]
        at_once = getattr(modules["numpy_backend"], f"_{direction.upper()}").at_once
        call = _TextCall(takes, program, case, drawn, saved, named, at_once)
        if not call.is_one:
            continue
        sizes: AbstractContextManager[None] = small(module) if case.in_blocks else nullcontext()
        with sizes:
            call.run(getattr(module, direction), texts[FILES[direction]])
        into, before = found[direction], named.compared
        into.shown |= call.lines.shown
        into.findings += [each.at(case.words) for each in call.lines.findings]
        into.executed |= call.lines.watch.executed
        into.compared, named.compared = into.compared + before, 0
        into.runs += 1
        into.features.add(case.features)
        if takes.is_forward:
            if call.lines.findings:
                return
            saved = call.saved(layer)


def shape_of(each: Entry, rows: int, features: int) -> tuple[int, ...]:
    """Return the shape of an argument or a result of a layer on rows."""
    return {ROW: (rows, features), ROW_SCALAR: (rows,), FEATURE: (features,)}.get(each.part, ())


class _Drawn:
    """Arguments of a case, as symbols at a point."""

    def __init__(self, case: _TextCase) -> None:
        self.case, self._draw = case, np.random.default_rng(case.seed)

    def shape(self, each: Entry) -> tuple[int, ...]:
        """Return the shape of an argument or a result."""
        return shape_of(each, self.case.rows, self.case.features)

    def argument(self, each: Entry) -> Any:
        """Draw an argument; integers are as they are."""
        shape = self.shape(each)
        if each.is_integer:
            # One place before a row, and one behind it, are none of its places.
            return np.asarray(self._draw.integers(-1, self.case.features + 1, shape))
        low, high = self.case.point if each.is_per_row and each.owner is None else (-1.0, 1.0)
        found = np.empty(shape, object)
        for place in np.ndindex(shape):
            label = f"{each.symbol}[{','.join(map(str, place))}]" if shape else each.symbol
            value = self._draw.uniform(0.1, 0.6) if each.kind == "Constant" else self._draw.uniform(low, high)
            facts = {"positive": True} if each.kind == "Constant" else {}
            found[place] = Traced.symbol(label, round(value, 6), **facts)
        return found


class _TextCall:
    """A call of a direction: its arguments, and its results."""

    def __init__(
        self,
        takes: DirectionProtocol,
        program: RowProgram,
        case: _TextCase,
        drawn: _Drawn,
        saved: Mapping[str, Any],
        named: NamedValues,
        at_once: bool,
    ) -> None:
        self.at_once = at_once
        self.takes, self.program, self.case, self.drawn, self.named = takes, program, case, drawn, named
        self.arguments = {
            each.symbol: None if case.absence.has(each) else drawn.argument(each) for each in takes.arguments
        }
        self.fields = {each.symbol: saved.get(each.symbol) for each in takes.fields}
        self.made: dict[str, Any] = {}

    @property
    def is_one(self) -> bool:
        """Test whether there is such a call: one with a cotangent or a tangent, if it takes any."""
        return is_call(self.takes, self.arguments)

    def _given(self) -> dict[TypedSymbol, Any]:
        """Return the values of the program's arguments."""
        by_name = self.arguments | {name.removeprefix("saved "): value for name, value in self.fields.items()}
        given = given_values(self.program, by_name, Traced.of)
        for symbol in () if self.takes.is_forward else self.program.saved:
            value = np.asarray(by_name[symbol.name], object)
            if is_unwritten(value):
                value = np.full(value.shape, Traced.symbol(f"{symbol} that is not saved", 0.5), object)
            given[symbol] = wide(symbol, value)
        shape = (self.case.rows, self.case.features)
        return given | {row.symbol: random_symbols(row.stream, shape) for row in self.program.random}

    def run(self, function: Any, text: CommentedText) -> None:
        """Call the function, and compare its lines and its results."""
        values = ProgramValues(self.program, self.case.rows, self.case.features, self._given())
        self.lines = LineRun(self.program, values, self.named, text)
        call = ((self.case.rows, self.case.features), TracedType(), int(self.case.in_blocks or not self.at_once))
        makes = (*self.takes.results, *self.takes.row_scalars) if self.takes.is_forward else self.takes.results
        rooms = [self._room(each) for each in makes]
        given = [*self.arguments.values(), *self.fields.values()]
        before = [np.array(each, copy=True) if isinstance(each, np.ndarray) else None for each in given]
        arguments: list[Any] = [[*self.arguments.values()]]
        arguments += [] if self.takes.is_forward else [[*self.fields.values()]]
        at_once = [None] * len(rooms) if self.takes.is_forward else rooms
        try:
            with self.lines.watch.watching():
                made = function(*arguments, rooms if call[2] else at_once, call)
        except OutOfWorkError:
            raise
        except Exception as error:  # any error of the text is a finding
            trouble = f"{type(error).__name__}: {error}"
            # Of memory that was never written it is the text's; else numbers that are none may be why.
            self.lines.findings.append(TextFinding("the function", trouble, True, may_be_ours="None" not in trouble))
            return
        if self.case.in_blocks or not self.at_once:
            for room, value in zip(rooms, made or (), strict=False):
                if room is not None and value is not None and value is not room:
                    room[...] = value
            made = rooms
        values_of = {
            each: None if room is None else value for each, value, room in zip(makes, made, rooms, strict=True)
        }
        self.made = {each.symbol.removeprefix("saved "): value for each, value in values_of.items()}
        self.lines.results({each.name: value for each, value in values_of.items()} | self.made)
        self.lines.unchanged(before, given)

    def _room(self, each: Entry) -> Any:
        """Memory for a result, or None for one that is not there: that of an argument that is left out."""
        return None if self.case.absence.has_result(each) else np.empty(self.drawn.shape(each), object)

    def saved(self, layer: LayerProtocol) -> dict[str, Any]:
        """Return the fields that later directions are given of this call."""
        everything = self.arguments | self.made
        return {each.symbol: everything.get(each.symbol.removeprefix("saved ")) for each in layer.fields}
