"""Compiled kernels for the processor in exact arithmetic: the numbers that they compute in are residues modulo a prime.

The headers run as they are, with the instructions of this processor: sweeps by lanes and their tails, sums of lanes,
pieces, chunks and runs, rows where tables say, and the mathematics of a layer. `lanes.h` adds a type of
numbers, of which eight are as wide as eight of double. Each result lies between entries that no kernel may write to.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from lngen.checks.field.absence import NOTHING, Absence, is_call
from lngen.checks.field.calls import HEADER, FieldCall, FieldResult, casts_not_compared, memory, outcome
from lngen.checks.field.places import DENSE, ArrayLayout, Lying, argument, result
from lngen.checks.on_rows import on_rows
from lngen.checks.thresholds.side import lowered
from lngen.emit.cpp import handed
from lngen.paths import RUNTIME
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import Derived
from lngen.plan.program import RowProgram
from lngen.runtime.numpy.blocks import Work
from lngen.runtime.protocol.axes import without_axes
from lngen.runtime.protocol.directions import DirectionProtocol, Entry, LayerProtocol

_LANES = HEADER.with_name("lanes.h")
_DOUBLE = np.dtype(np.float64)


@dataclass(frozen=True)
class FieldCase:
    """Rows of a call and how they lie, what it is without, and how it is divided.

    One that `is_public` calls the functions of the module. Any other passes
    arrays to the kernels of a direction. Chunks have `chunk_entries` at least, if it is not 0.
    """

    rows: int
    features: int
    lying: Lying = DENSE
    absence: Absence = NOTHING
    threads: int = 1
    chunk_entries: int = 0
    streams: bool = False
    is_public: bool = False

    @property
    def words(self) -> str:
        """Describe the case."""
        how = [f"{self.rows} x {self.features}{self.absence.words}", self.lying.words]
        how += ["in chunks"] * bool(self.chunk_entries) + [f"{self.threads} threads"] * (self.threads > 1)
        return ", ".join(filter(None, [*how, *["past the cache"] * self.streams, *["by functions"] * self.is_public]))


class ProcessorInField:
    """A layer whose compiled kernels compute modulo a prime; `folder` gets its files.

    They are those that were `written` to a folder, else what is emitted now. The compiler is given `flags`, such as one
    that leaves out instructions.
    """

    def __init__(self, layer: Derived, folder: Path, flags: Sequence[str] = (), *, written: Path | None = None) -> None:
        if written is None:
            manifest.write(layer.emission, folder)
        else:
            for name in (written.name, RUNTIME):
                shutil.copytree(written.parent / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        native = folder / RUNTIME / "native"
        for header in (HEADER, _LANES):
            shutil.copy(header, native)
        for source in (folder / layer.emission.name).glob("*.cpp"):
            text = source.read_text(encoding="utf-8")
            source.write_text(f'#include "../{RUNTIME}/native/{_LANES.name}"\n{text}', encoding="utf-8")
        name = loading.load(folder / layer.emission.name).__name__
        compiler = import_module(f"{name.rpartition('.')[0]}.{RUNTIME}.native.compiler")
        compiler.OPTIONS = (*compiler.OPTIONS, *flags)  # type: ignore[attr-defined]
        self.launcher: Any = import_module(f"{name.rpartition('.')[0]}.{RUNTIME}.native.compiled")
        backend = import_module(f"{name}.cpu_backend")
        self.functions, self.backend = on_rows(backend), backend
        self.protocol = LayerProtocol(without_axes(vars(backend)["INTERFACE"]))
        self.programs: dict[str, RowProgram] = {each.direction: handed(each) for each in layer.plan.programs()}
        self.smallest = self.programs["forward"].minimum_features
        self.has_axes = "layout" in vars(backend)["INTERFACE"]

    def not_covered(self) -> Iterator[str]:
        """Yield what of the text is run by no call here, or not compared."""
        yield from casts_not_compared(self.protocol)
        if self.has_axes:
            yield "how arrays whose axes have names are read as rows"

    def results(self, case: FieldCase, seed: int = 0) -> Iterator[FieldResult]:
        """Yield the outcome of each direction that has a call."""
        places: dict[str, ArrayLayout] = {}

        def alike(each: Entry, values: Any) -> Any:
            places[each.symbol] = place = ArrayLayout.of(case.lying, each, case.rows, case.features)
            return place.alike(values)

        call = FieldCall(self.programs, case.rows, case.features, case.absence, seed, alike=alike)
        saved: Any = None
        for takes in (each for name, each in self.protocol.directions.items() if name in self.programs):
            arguments = call.arguments(takes)
            if not is_call(takes, arguments):
                continue
            if case.is_public:
                made, saved = self._by_functions(call, takes, arguments, saved, case)
                yield outcome(call, takes, [made])
            else:
                yield self._by_kernels(call, takes, arguments, places, case)

    def _by_kernels(
        self,
        call: FieldCall,
        takes: DirectionProtocol,
        arguments: Mapping[str, Any],
        places: Mapping[str, ArrayLayout],
        case: FieldCase,
    ) -> FieldResult:
        """Run the kernels of a direction on arrays, wherever their rows lie."""

        def given(each: Entry) -> Any:
            if each.kind == "Constant":
                return call.numbers[each.symbol]
            # No values of forward are one, though their memory may lie as that of arguments.
            own = ArrayLayout.of(replace(case.lying, runs=0, shared=None), each, case.rows, case.features)
            return argument(places.get(each.symbol, own), arguments[each.symbol])

        rooms = {
            each: result(ArrayLayout.of(case.lying, each, case.rows, case.features, takes.name), each)
            for each in takes.makes
            if not case.absence.has_result(each)
        }
        of_makes = [rooms.get(each) for each in takes.makes]
        groups = (takes.arguments,) if takes.is_forward else (takes.arguments, takes.fields)
        values, results = [[*map(given, group)] for group in groups], [room and room.array for room in of_makes]
        shape = (case.lying.outer, case.rows // case.lying.outer, case.features)
        sizes = {"CHUNK_ENTRIES": case.chunk_entries} if case.chunk_entries else {}
        sizes |= {"STREAMED_BYTES": 1} if case.streams else {}
        with lowered(self.launcher, **sizes):
            on_kernels = vars(self.backend)[f"_{takes.name}_on_kernels"]
            on_kernels.compute(*values, results, Work(shape, _DOUBLE, case.threads))
        made = [room and room.made() for room in of_makes]
        found = outcome(call, takes, [made], lambda each, values: rooms[each].place.summed(values))
        beyond = sum(room.written_beyond() for room in rooms.values())
        return replace(found, wrong=found.wrong | ({"memory beyond results": beyond} if beyond else {}))

    def _by_functions(
        self, call: FieldCall, takes: DirectionProtocol, arguments: dict[str, Any], saved: Any, case: FieldCase
    ) -> tuple[Sequence[Any], Any]:
        """Call a function of the module as a user does; return its results, and what forward saved."""
        own = [each for each in takes.arguments if each.kind != "Constant"]
        given = [memory(arguments[each.symbol]) for each in own]
        row_scalars = [None] * len(takes.row_scalars)
        if takes.is_forward:
            numbers = {each.name: call.numbers[each.symbol] for each in takes.constants}
            made, saved = self.functions.forward(*given, **numbers, threads=case.threads)
        else:
            made = getattr(self.functions, takes.name)(saved, *takes.passed(given), threads=case.threads)
        return [*takes.several(made), *row_scalars], saved
