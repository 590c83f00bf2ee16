"""Emitted NumPy, line by line: each name's value is that of its line in the program, for few rows of few entries.

A line is compared where it runs, on the values that the lines before it left in memory. Then its value is known by
symbols of its own, which are written into that memory, so that every comparison is short. Where one is not seen to
hold, symbols are replaced by what they stand for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import FrameType
from typing import Any

import numpy as np
import sympy
from sympy import Expr

from lngen.algebra.numeric import Arithmetic, evaluate_expression
from lngen.algebra.symbols import D, SumRows, TypedSymbol, axes
from lngen.check.validation.lines import CommentedLine, CommentedText, Watch
from lngen.check.validation.questions import Questions
from lngen.check.validation.traced import UNCOMPUTED, Traced, TracedArithmetic, traced
from lngen.plan.program import RowProgram
from lngen.prove.programs import equations_of

Array = np.ndarray[Any, Any]

_APART = 1e-15
_WORK_OF_VALUE = 25
"""Work of computing a value and comparing it, in terms multiplied."""


@dataclass(frozen=True)
class TextFinding:
    """Outcome for a line or a result: `refuted`, or `open` where nothing was shown; `trouble` says why."""

    where: str
    trouble: str
    refuted: bool = False
    may_be_ours: bool = False
    """Test whether the validation may be at fault: the text raised an error on symbols, and need not on numbers."""

    @property
    def speaks_against(self) -> bool:
        """Test whether the finding is evidence against the text."""
        return self.refuted and not self.may_be_ours

    def at(self, case: str) -> TextFinding:
        """Return the finding with the case that it is of."""
        return replace(self, where=f"{self.where} ({case})")


def worst(findings: Sequence[TextFinding]) -> TextFinding | None:
    """Return the first finding that speaks against the text, else the first; None if there is none."""
    return next((each for each in findings if each.speaks_against), next(iter(findings), None))


@dataclass
class NamedValues:
    """The symbols that values of lines were given, and what each stands for."""

    of: dict[Expr, Expr] = field(default_factory=dict)
    made: dict[Expr, tuple[int, int]] = field(default_factory=dict)
    """The number of the line that each symbol stands for, in the order in which they ran, and its own."""
    lines: int = 0
    compared: int = 0
    questions: Questions = field(default_factory=Questions)

    def written(self, name: str, values: Array, *, varies: bool = True) -> Array:
        """Write symbols into memory in the place of values that are longer, and return what is there then.

        A row's entries that do not vary are one symbol.
        """
        self.lines += 1
        distinct = values if varies else values[..., :1]
        for place, value in np.ndenumerate(distinct):
            if isinstance(value, Traced) and value.expression.args and not value.expression.is_number:
                label = f"{name}#{len(self.of)}[{','.join(map(str, place))}]"
                symbol = Traced(sympy.Symbol(label, real=True), value.value)
                self.of[symbol.expression] = value.expression
                self.made[symbol.expression] = self.lines, len(self.of)
                distinct[place] = symbol
        values[...] = distinct
        return values.copy()

    def trouble(self, found: Array, wanted: Array, *, is_line: bool = False) -> tuple[str, bool]:
        """Return why values are not seen to be equal, and whether a point refutes it; "" if they are.

        Entries of a line may be left out.
        """
        for place, (one, other) in np.ndenumerate(_pairs(found, wanted)):
            # Where the program has no value, the text may have any.
            if other.expression == sympy.nan or (is_line and one is UNCOMPUTED):
                continue
            self.compared += 1
            self.questions.spend(_WORK_OF_VALUE)
            if one.expression == other.expression:
                continue
            is_none = one.expression == sympy.nan or one is UNCOMPUTED
            if is_none or (one.is_infinite and not other.is_infinite):
                return f"entry {place}: {one} is not {other}", True
            scale = 1 + abs(one.value) + abs(other.value)
            if abs(one.value - other.value) > _APART * scale:
                return f"entry {place}: {_short(one)} is not {_short(other)}", True
            if not self._are_equal(one.expression, other.expression):
                return f"entry {place}: {_short(one)} is not seen to be {_short(other)}", False
        return "", False

    def _are_equal(self, found: Expr, wanted: Expr) -> bool:
        while True:
            answer = self.questions.vanishes(found - wanted, lambda s: (self.made.get(s, (0, 0)), str(s)))
            # What only one of both has is opened first: else the lines that both have make them long. Of several it is
            # the line that ran last, so that no value is opened before those that are made of it.
            one, other = found.free_symbols, wanted.free_symbols
            named = (one ^ other) & self.made.keys() or one & self.made.keys()
            if answer is not False or not named:
                return bool(answer)
            last, _ = max(self.made[s] for s in named)
            table = {s: self.of[s] for s in named if self.made[s][0] == last}
            found, wanted = found.xreplace(table), wanted.xreplace(table)


def _pairs(found: Array, wanted: Array) -> Array:
    one, other = np.broadcast_arrays(traced(found), traced(wanted))
    pairs = np.empty(one.shape, object)
    for place in np.ndindex(one.shape):
        pairs[place] = (one[place], other[place])
    return pairs


def _short(number: Traced) -> str:
    text = str(number)
    return text if len(text) < 200 else f"{text[:200]}..."


class ProgramValues:
    """The values of a program's names at a point, for all rows: those that lines left, and else what equations say."""

    def __init__(
        self,
        program: RowProgram,
        rows: int,
        features: int,
        given: Mapping[TypedSymbol, Any],
        arithmetic: Arithmetic | None = None,
    ) -> None:
        self.rows, self.features = rows, features
        self.equations = {q.symbol: q for q in equations_of(program)}
        self.known: dict[TypedSymbol, Any] = dict(given)
        self.there: dict[TypedSymbol, set[int]] = {}
        self._arithmetic = arithmetic or TracedArithmetic()

    def learn(self, symbol: TypedSymbol, rows: slice, values: Array) -> None:
        """Note the values of a symbol in some rows."""
        if not axes(symbol).rows:
            self.known[symbol] = values
            return
        width = self.features if axes(symbol).features else 1
        whole = self.known.setdefault(symbol, np.empty((self.rows, width), object))
        # What is one value for each row may stand in every entry of it.
        whole[rows] = np.broadcast_to(values[..., :width] if np.ndim(values) else values, whole[rows].shape)
        self.there.setdefault(symbol, set()).update(range(*rows.indices(self.rows)))

    def of(self, symbol: TypedSymbol, rows: slice) -> Any:
        """Return the values of a symbol in some rows."""
        if symbol in self.known:
            there = self.there.get(symbol)
            if there is None or there.issuperset(range(*rows.indices(self.rows))):
                value = self.known[symbol]
                return value[rows] if axes(symbol).rows and isinstance(value, np.ndarray) and value.ndim else value
        return self.computed(symbol, rows)

    def computed(self, symbol: TypedSymbol, rows: slice) -> Any:
        """Return what the equation of a symbol gives on the values of others."""
        return self.evaluated(self.equations[symbol].expression, rows)

    def evaluated(self, expression: Expr, rows: slice) -> Any:
        """Return the value of an expression in some rows."""
        met = [s for s in expression.free_symbols if s in self.equations or s in self.known]
        environment: dict[Any, Any] = {s: self.of(s, rows) for s in met}
        environment[D] = self.features
        return evaluate_expression(expression, environment, self._arithmetic)


class LineRun:
    """One call of an emitted function, whose lines are compared as they run."""

    def __init__(self, program: RowProgram, values: ProgramValues, named: NamedValues, text: CommentedText) -> None:
        self.program, self.values, self.named = program, values, named
        self.symbols = {symbol.name: symbol for symbol in values.equations}
        self.findings: list[TextFinding] = []
        self.shown: set[str] = set()
        self.watch = Watch(text, self._seen, self._entered)
        self._spans: dict[int, slice] = {}

    def _entered(self, frame: FrameType) -> None:
        if frame.f_code.co_name != "block":
            return
        starts, count = set(range(self.values.rows)), 0
        read = [*(row.symbol for row in self.program.rows), *(row.symbol for row in self.program.random)]
        read += [] if self.program.direction == "forward" else self.program.saved
        for symbol in read:
            value, whole = frame.f_locals.get(symbol.name), self.values.known.get(symbol)
            if isinstance(value, np.ndarray) and isinstance(whole, np.ndarray) and not is_unwritten(value):
                count = len(value)
                starts &= {n for n in range(len(whole)) if _same(whole[n : n + count], value)}
        if not starts:
            self.findings.append(TextFinding("arguments of a block", "they are not the same rows of all arrays", True))
        start = min(starts, default=0)
        self._spans[id(frame)] = slice(start, start + count) if count else slice(0, self.values.rows)

    def _seen(self, line: CommentedLine, frame: FrameType) -> None:
        symbol, value = self.symbols.get(line.name), frame.f_locals[line.name]
        if symbol is None or value is None:
            return
        rows = self._spans.get(id(frame), slice(0, self.values.rows))
        if isinstance(value, np.ndarray) and value.ndim == 1 and axes(symbol) == (True, False):
            value = value[:, None]
        wanted: Any = None
        try:
            wanted = self.values.computed(symbol, rows)
            trouble, refuted = self.named.trouble(value, wanted, is_line=True)
        except TypeError as error:
            trouble, refuted = str(error), True
        if trouble:
            self.findings.append(TextFinding(line.words, trouble, refuted))
        else:
            self.shown.add(line.words)
        is_partial = self.values.equations[symbol].expression.has(SumRows) and id(frame) in self._spans
        if isinstance(value, np.ndarray) and value.ndim and value.flags.writeable and not is_partial:
            varies = value.ndim < 2 or axes(symbol).features
            written = self.named.written(line.name, value, varies=varies)
            self.values.learn(symbol, rows, _filled(written, wanted))
        elif not is_partial:
            self.values.learn(symbol, rows, value)

    def results(self, made: Mapping[str, Any]) -> None:
        """Compare the results of the call, by name; None for one that is not wanted."""
        wanted = {name: store.symbol for store in self.program.results for name in store.names}
        if self.program.direction == "forward":
            wanted |= {symbol.name: symbol for symbol in self.program.saved}
        for name in sorted(wanted.keys() - made.keys()):
            self.findings.append(TextFinding(f"result {name}", "there is none of this name"))
        for name, symbol in wanted.items():
            value = made.get(name)
            # A number that is saved for nothing is not computed; a later direction that reads it all the same is seen.
            is_idle = symbol in self.program.saved and value is not None and is_unwritten(value)
            if value is not None and not is_idle:
                self._result(name, value, symbol)

    def unchanged(self, before: Sequence[Array | None], after: Sequence[Any]) -> None:
        """Refuse a call that wrote to its arguments."""
        for was, value in zip(before, after, strict=True):
            if was is not None and not _same(was, value):
                self.findings.append(TextFinding("arguments", "the call wrote to one", refuted=True))

    def _result(self, name: str, value: Any, symbol: TypedSymbol) -> None:
        value = wide(symbol, value)
        try:
            trouble, refuted = self.named.trouble(value, self.values.of(symbol, slice(0, self.values.rows)))
        except (TypeError, ValueError) as error:
            trouble, refuted = str(error), True
        if trouble:
            self.findings.append(TextFinding(f"result {name}", trouble, refuted))
        else:
            self.shown.add(f"result {name}")


def wide(symbol: TypedSymbol, value: Any) -> Any:
    """Return a value with an axis of one feature, if it is a number of each row."""
    return np.asarray(value, object).reshape(-1, 1) if axes(symbol) == (True, False) else value


def is_unwritten(values: Array) -> bool:
    """Test whether nothing was written into some memory."""
    return all(each is None for each in values.flat)


def _filled(values: Array, wanted: Any) -> Array:
    """Return values with the wanted ones for those that were left out."""
    out = np.frompyfunc(lambda one: one is UNCOMPUTED, 1, 1)(values).astype(bool)
    if out.any():
        values[out] = np.broadcast_to(wanted, values.shape)[out]
    return values


def _same(whole: Array, part: Array) -> bool:
    return whole.shape == part.shape and all(
        isinstance(a, Traced) and isinstance(b, Traced) and a.expression == b.expression
        if isinstance(a, Traced)
        else a == b
        for a, b in zip(whole.flat, part.flat, strict=True)
    )
