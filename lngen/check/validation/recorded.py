"""The C++ text of a layer's mathematics, validated for every D: each direction, with each case of arguments left out.

`layer.h` is one text for processors and for GPUs, and it is compiled here as it stands, for numbers that are nodes of a
graph. Each result, each saved number of a row and each sum over rows is shown equal to what the program says, by the
prover. Taken on trust are the drivers: that `row.sums(f)` is a sum over the row, and so on (`recorder.h` says it all),
the functions of `math`, and the constants: a literal is the number of the program that it is the nearest float to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import sympy
from sympy import Expr

from lngen.algebra.symbols import SumRows, TypedSymbol
from lngen.check.validation.numpy_text import TextFinding
from lngen.check.validation.program_lines import ProgramLines
from lngen.check.validation.reading import Reading
from lngen.check.validation.recording import Case, Place, RecordedKernel, WantedCases, cases, recorded_kernels
from lngen.emit.cpp import handed
from lngen.emit.cpp.contract import KernelArgument, LaunchContract, without
from lngen.emit.cpp.kernels import kernels_of
from lngen.emit.cpp.tags import kind_of
from lngen.plan.program import RowProgram
from lngen.runtime.native.compiler import NoCompiler

LAYER = "layer.h"
"""The file that has the mathematics of all directions."""

_OF_THE_DRIVER: Mapping[str, Place] = {
    "workspace": ("PARTS", 0),
    "rows": ("LONG", 0),
    "D": ("INT", 0),
    "blocks": ("INT", 1),
}


_WORK_OF_LINE = 40
"""Work of compiling a line of a program in a case, and reading it back, in terms multiplied."""


@dataclass
class CppValidated:
    """Outcome for a direction: the results that are right in every case that was tried, and the findings against it."""

    direction: str
    cases: int = 0
    compared: int = 0
    of: int = 0
    """The cases that there are: some are left out if not all are within the budget of work."""
    findings: list[TextFinding] = field(default_factory=list)


def recorded(
    folder: Path, programs: Sequence[RowProgram], *, ends_at_first: bool = False, work: int | None = None
) -> dict[str, CppValidated]:
    """Validate `layer.h` of a layer in a folder against the programs of its plan.

    `ends_at_first` ends at the first finding. After so much `work`, in terms multiplied, cases are left out. Raises
    NoCompiler where there is none.
    """
    with Recording(folder, programs, work) as recording:
        return recording.validated(ends_at_first)


class Recording:
    """The text `layer.h` of a layer in a folder, which a compiler is at work on until it is `validated`.

    After so much `work`, in terms multiplied, cases are left out.
    """

    def __init__(self, folder: Path, programs: Sequence[RowProgram], work: int | None = None) -> None:
        self.work = work
        self.printed: dict[str, RowProgram] = {program.direction: handed(program) for program in programs}
        self.contracts = {name: kernels_of(each, ()).contracts for name, each in self.printed.items()}
        self.every = {name: cases(self.printed["forward"], each) for name, each in self.printed.items()}
        self.of: dict[str, WantedCases] = {
            name: WantedCases(each, len(self.contracts[name]) > 1)
            for name, each in _affordable(self.every, self.printed, work).items()
        }
        self._pool = ThreadPoolExecutor(1)
        self._kernels = self._pool.submit(recorded_kernels, folder.resolve() / LAYER, self.of)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def validated(self, ends_at_first: bool = False) -> dict[str, CppValidated]:
        """Return the outcome of each direction, up to the first finding if it `ends_at_first`.

        Raises NoCompiler where there is none.
        """
        found = {name: CppValidated(name) for name in self.printed}
        try:
            kernels = self._kernels.result()
        except RuntimeError as error:
            if isinstance(error, NoCompiler):
                raise
            found["forward"].findings.append(TextFinding("the text", str(error), refuted=True))
            return found
        spent = 0
        for name, into in found.items():
            into.of = len(self.every[name])
            for absent, parts in zip(self.of[name].cases, kernels[name], strict=True):
                if self.work is not None and spent > self.work and into.cases:
                    break
                case = _CppCase(self.printed[name], absent)
                case.take(self.contracts[name], parts)
                spent += case.lines.spent
                into.cases += 1
                into.compared += case.compared
                words = f"without {', '.join(sorted(absent))}" if absent else "with all arguments"
                into.findings += [each.at(f"{name} {words}") for each in case.findings]
                if ends_at_first and into.findings:
                    return found
        return found


def _affordable(
    every: Mapping[str, tuple[Case, ...]], programs: Mapping[str, RowProgram], work: int | None
) -> dict[str, tuple[Case, ...]]:
    """Return the first cases of each direction: as many as are read in so much work, which directions share."""
    if work is None:
        return dict(every)
    found: dict[str, tuple[Case, ...]] = {}
    for name, cases_of in every.items():
        of_case = _WORK_OF_LINE * len([*programs[name].lines()])
        found[name] = cases_of[: max(1, work // (len(every) - len(found)) // of_case)]
        work -= of_case * len(found[name])
    return found


class _CppCase:
    """A direction with some arguments left out: the results of its two kernels, beside the program's."""

    def __init__(self, program: RowProgram, absent: Case) -> None:
        self.program = program
        self.macros = {without(name) for name in absent}
        neutral = program.neutral()
        arguments: dict[str, TypedSymbol] = {
            each.name: each.symbol  # type: ignore[attr-defined]
            for each in (*program.rows, *program.parameters)
        }
        left_out = absent & arguments.keys()
        self.lines = ProgramLines(program, {arguments[name]: sympy.Rational(neutral[name]) for name in left_out})
        self.arguments = arguments | {f"saved {symbol.name}": symbol for symbol in program.saved}
        self.results = {f"out_{name}": store.symbol for store in program.results for name in store.names}
        self.wanted: set[str] = set()
        self.stored: dict[str, Expr] = {}
        self.totals: dict[Place, Expr] = {}
        self.findings: list[TextFinding] = []
        self.compared = 0

    def take(self, contracts: Iterable[LaunchContract], kernels: Iterable[RecordedKernel]) -> None:
        """Compare what the kernels compute; a result that none stores is refuted."""
        for contract, kernel in zip(contracts, kernels, strict=True):
            try:
                self._kernel(contract, kernel)
            except (TypeError, ValueError, ArithmeticError) as error:
                self.findings.append(TextFinding(contract.kernel, f"{type(error).__name__}: {error}"))
        for expression, refuted in self.lines.strange:
            self.findings.append(TextFinding(expression, "it is no line of the program", refuted))
        for name in sorted(self.wanted - self.stored.keys()):
            self._refute(name, "it is not stored")

    def _kernel(self, contract: LaunchContract, kernel: RecordedKernel) -> None:
        count = Counter[str]()
        symbols: dict[Place, Expr] = {}
        results: dict[Place, KernelArgument] = {}
        if len(kernel.given) != len(contract.arguments):
            self._refute("arguments", f"{len(kernel.given)} are taken of {len(contract.arguments)}")
        for argument, given in zip(contract.arguments, kernel.given, strict=False):
            place = given.place
            driver = _OF_THE_DRIVER.get(argument.role)
            kind = "" if driver else kind_of(argument, self.results)
            wanted = driver or (kind, count[kind])
            count[kind] += 1
            if place != wanted:
                self._refute(argument.name, f"{place} is no {wanted}")
            elif given.cast != argument.cast:
                self._refute(argument.name, f"it is cast to {given.cast or 'nothing'}, not to {argument.cast}")
            elif argument.writes:
                results[place] = argument
            elif argument.absent not in self.macros and argument.part in self.arguments:
                symbols[place] = self.lines.wanted(self.arguments[argument.part])
        there = {argument.name for argument in results.values() if argument.absent not in self.macros}
        self.wanted |= {name for name in there if name.startswith(("out_", "save_"))}
        summed = {each.place for each in kernel.summed}
        read = Reading(kernel, self.lines, symbols | {p: self.totals[p] for p in self.totals.keys() & summed})
        if max(kernel.stages, default=0) > kernel.limits[0]:
            self._refute("a stage", f"it has {max(kernel.stages)} sums, and memory for {kernel.limits[0]}")
        if not all(kernel.joined):
            self._refute("two stages as one", "the first has no largest entry there")
        for each in kernel.shifted:
            factor = sympy.exp(read[each.other] - read[each.m]) if each.is_scaled else sympy.S.One
            self._compare("two stages as one", factor * read[each.another], read[each.term])
        self._done(kernel, read, results, summed)

    def _done(
        self, kernel: RecordedKernel, read: Reading, results: Mapping[Place, KernelArgument], summed: set[Place]
    ) -> None:
        kept: dict[Place, Expr] = {}
        for what, place, node in kernel.done:
            match what:
                case "store" | "save":
                    self._store(results.get(place), place, read[node])
                case "over_rows" if place not in summed or place in self.totals:
                    self._refute(f"{place}", "it is added to twice, or is no sum over rows")
                case "over_rows":
                    self.totals[place] = self.lines.name(SumRows(read[node]), node)
                case _ if place[1] >= kernel.limits[1]:
                    self._refute(f"{place}", f"there is memory for {kernel.limits[1]} rows that are kept")
                case "keep":
                    kept[place] = read[node]
                case _ if place not in kept:
                    self._refute(f"{place}", "it is read before it is kept")
                case _:
                    self._compare(f"{place}", kept[place], read[node])

    def _store(self, argument: KernelArgument | None, place: Place, value: Expr) -> None:
        if argument is None or argument.absent in self.macros:
            self._refute(f"{place}", "there is no such result, or it is left out")
        elif argument.name in self.stored:
            self._refute(argument.name, "it is stored twice")
        else:
            self.stored[argument.name] = value
            saved = self.arguments.get(argument.part)
            self._compare(argument.part, value, self.lines.wanted(saved or self.results[argument.name]))

    def _compare(self, what: str, found: Expr, wanted: Expr) -> None:
        self.compared += 1
        trouble, refuted = self.lines.trouble(found, wanted)
        if trouble:
            self.findings.append(TextFinding(what, trouble, refuted))

    def _refute(self, where: str, trouble: str) -> None:
        self.findings.append(TextFinding(where, trouble, refuted=True))
