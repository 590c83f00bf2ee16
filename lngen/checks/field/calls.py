"""Calls of a layer in residues: arguments that are drawn, and what its programs make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lngen.checks.field.absence import NOTHING, Absence, given_values
from lngen.checks.field.residues import LONG, PrimeField, Residue, bits
from lngen.checks.field.values import ProgramValues, shape_of, wide
from lngen.plan.program import RowProgram
from lngen.runtime.numpy.random import bits_of
from lngen.runtime.protocol.directions import DirectionProtocol, Entry, LayerProtocol

HEADER = Path(__file__).with_name("numbers.h")
"""The numbers of `residues` for C++."""


@dataclass(frozen=True)
class FieldResult:
    """Outcome for a direction: the entries that were compared, and those that differ, by result.

    Those that differ are counted in all runs.
    """

    direction: str
    compared: int
    wrong: dict[str, int]


class FieldCall:
    """A call of each direction, forward first: arguments are drawn, and programs are run on them.

    Numbers are those of a `field`, in which `constant` makes a positive one. `alike` returns the values of an argument
    once more, of which some rows or entries may be one.
    """

    def __init__(
        self,
        programs: Mapping[str, RowProgram],
        rows: int,
        features: int,
        absence: Absence = NOTHING,
        seed: int = 0,
        constant: Callable[[float], Any] | None = None,
        alike: Callable[[Entry, Any], Any] = lambda each, values: values,
        field: PrimeField = LONG,
    ) -> None:
        self.field = field
        self.programs, self.rows, self.features, self.absence = programs, rows, features, absence
        self._draw, self._alike = np.random.default_rng((seed, rows, features)), alike
        self._constant = field.number if constant is None else constant
        self.numbers: dict[str, float] = {}
        self._known: dict[str, Any] = {}
        self._values: dict[str, ProgramValues] = {}

    def arguments(self, takes: DirectionProtocol) -> dict[str, Any]:
        """Draw the arguments of a direction, by symbol; None for one that is left out, and saved values after them."""
        drawn = {each.symbol: self._drawn(each) for each in takes.arguments if each.symbol not in self._known}
        self._known |= drawn
        saved = {each.symbol: self._known[each.variable] for each in takes.fields}
        return {each.symbol: self._known[each.symbol] for each in takes.arguments} | saved

    def _drawn(self, each: Entry) -> Any:
        shape = shape_of(each, self.rows, self.features)
        if self.absence.has(each):
            return None
        if each.is_integer:
            return self._alike(each, np.asarray(self._draw.integers(0, self.features, shape), np.int32))
        if each.kind == "Constant":
            self.numbers[each.symbol] = self._draw.uniform(0.1, 0.9)
            return self._constant(self.numbers[each.symbol])
        return self._alike(each, self.field.drawn(self._draw, shape))

    def given(self, each: Entry) -> Any:
        """Return an argument as it was drawn."""
        return self._known[each.symbol]

    def wanted(self, takes: DirectionProtocol, each: Entry) -> Any:
        """Return what the program makes of a result or a row scalar, for all rows."""
        program, name = self.programs[takes.name], each.variable
        if takes.name not in self._values:
            given = self._given(program)
            self._values[takes.name] = ProgramValues(program, self.features, given, self.field.arithmetic)
        stores = {of: store.symbol for store in program.results for of in store.names}
        symbol = stores.get(name) or next(symbol for symbol in program.saved if symbol.name == name)
        values = np.asanyarray(self._values[takes.name].of(symbol))
        shape = shape_of(each, self.rows, self.features)
        values = values[:, 0] if values.ndim == 2 and len(shape) == 1 else np.broadcast_to(values, shape, subok=True)
        if takes.is_forward:
            self._known[name] = values
        return values

    def _given(self, program: RowProgram) -> dict[Any, Any]:
        given = given_values(program, self._known, self.field.number)
        for symbol in () if program.direction == "forward" else program.saved:
            given[symbol] = wide(symbol, self._known[symbol.name])
        for row in program.random:
            words = bits_of(self._known[row.seed.name], row.stream, slice(0, self.rows), slice(0, self.features))
            given[row.symbol] = self.field.integers(words) * self.field.number(2.0**-24)
        return given


def memory(values: Any) -> Any:
    """Return values as the memory of a kernel has them; integers and None as they are."""
    return bits(values) if isinstance(values, Residue) or getattr(values, "dtype", None) == np.dtype(object) else values


def outcome(
    call: FieldCall,
    takes: DirectionProtocol,
    runs: Iterable[Sequence[Any]],
    summed: Callable[[Entry, Any], Any] = lambda each, values: values,
) -> FieldResult:
    """Compare results with those of the program, in each run; None is a result that is not there.

    `summed` returns the values of a result once more, where kernels add some of them up.
    """
    wrong: dict[str, int] = {}
    compared = 0
    for each, made in zip(takes.makes, zip(*runs, strict=True), strict=True):
        wanted = call.wanted(takes, each)
        if each.cast is not None:
            continue
        if made[0] is None:
            if each in takes.results and not call.absence.has_result(each):
                wrong[each.name] = 1
            continue
        words = call.field.memory(summed(each, wanted)).view(np.uint64)
        apart = sum(int(np.count_nonzero(np.ascontiguousarray(value).view(np.uint64) != words)) for value in made)
        compared += words.size
        if apart:
            wrong[each.name] = apart
    return FieldResult(takes.name, compared, wrong)


def casts_not_compared(layer: LayerProtocol) -> Iterator[str]:
    """Yield the results that are rounded to a type, which have no value modulo a prime."""
    casts = dict.fromkeys(each.name for takes in layer.directions.values() for each in takes.results if each.cast)
    if casts:
        yield f"the casts of {', '.join(casts)}"
