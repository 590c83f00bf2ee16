"""The C++ text of a layer, compiled with `recorder.h` and run: a graph of what each kernel computes, for any D.

Arguments that a call leaves out are left out by the macros of the text, so that each case is compiled by itself. All
cases are one program: the text is included once for each, in a namespace of its own.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations, islice
from pathlib import Path

from lngen.emit.cpp.contract import without
from lngen.emit.cpp.presence import flags
from lngen.plan.program import RowProgram, moved_name
from lngen.runtime import cpp
from lngen.runtime.native.compiler import compiler

HERE = Path(__file__).parent

OPTIONS = ("-std=c++17", "-O0", "-w", "-x", "c++")

MOST_CASES = 64
"""Cases of arguments left out that are tried of a direction: those of few, and of almost all, come first."""

_SECONDS = 60

Case = frozenset[str]
"""The arguments that a call leaves out."""

Place = tuple[str, int]
"""The kind and the index by which a text names an argument, a result or a sum."""


@dataclass(frozen=True)
class Given:
    """An argument as the text declares it."""

    place: Place
    is_there: bool
    cast: str


@dataclass(frozen=True)
class Shifted:
    """Nodes of a sum's term for a largest entry m and for another number, which differ by a factor if it is scaled."""

    is_scaled: bool
    m: int
    other: int
    term: int
    another: int


@dataclass
class RecordedKernel:
    """Computation of a kernel in a case: nodes of a graph, and what is done with them, in order."""

    given: list[Given] = field(default_factory=list)
    summed: list[Given] = field(default_factory=list)
    limits: tuple[int, int] = (0, 0)
    nodes: dict[int, list[str]] = field(default_factory=dict)
    stages: list[int] = field(default_factory=list)
    done: list[tuple[str, Place, int]] = field(default_factory=list)
    joined: list[bool] = field(default_factory=list)
    shifted: list[Shifted] = field(default_factory=list)

    def read(self, words: list[str]) -> None:
        """Take a line of the recorder."""
        match words:
            case [("given" | "summed") as what, kind, index, there, *cast]:
                given = Given((kind, int(index)), there == "1", "".join(cast))
                (self.given if what == "given" else self.summed).append(given)
            case ["limits", most_sums, keeps]:
                self.limits = int(most_sums), int(keeps)
            case [("scaled" | "alike") as what, m, other, term, another]:
                self.shifted.append(Shifted(what == "scaled", int(m), int(other), int(term), int(another)))
            case ["stage", slots]:
                self.stages.append(int(slots))
            case ["joined", is_largest]:
                self.joined.append(is_largest == "1")
            case [("store" | "save" | "over_rows" | "keep" | "recall") as what, kind, index, node]:
                self.done.append((what, (kind, int(index)), int(node)))
            case [number, *operation]:
                self.nodes[int(number)] = operation


def cases(forward: RowProgram, program: RowProgram) -> tuple[Case, ...]:
    """Return the cases of a direction's arguments that are left out, all of them if they are not too many.

    A call has a cotangent and a tangent, if it takes any, and none of an input that forward was not given.
    """
    inputs = dict(forward.optional)
    names = sorted(flags(program))
    cotangents = frozenset(program.cotangents()) & frozenset(names)
    moved = frozenset(names) - cotangents - inputs.keys()
    follows = [(name, moved_name(program.direction, name)) for name in inputs]

    def is_one(absent: Case) -> bool:
        groups = (group for group in (cotangents, moved) if group)
        return not any(group <= absent for group in groups) and all(
            after in absent or after not in names for name, after in follows if name in absent
        )

    sizes = sorted(range(len(names) + 1), key=lambda size: min(size, len(names) - size))
    every = (frozenset(each) for size in sizes for each in combinations(names, size))
    return tuple(islice(filter(is_one, every), MOST_CASES))


@dataclass(frozen=True)
class WantedCases:
    """The cases of a direction, and whether sums over rows have an end of their own in it."""

    cases: tuple[Case, ...]
    has_columns: bool


def recorded_kernels(
    text: Path, of: Mapping[str, WantedCases], headers: Path | None = None
) -> dict[str, list[list[RecordedKernel]]]:
    """Return the kernels of directions in each case: that of the rows, and that which ends the sums over rows.

    `headers` has absence.h and names.h. Raises RuntimeError, with the compiler's words, if it refuses the text, and if
    the text does not run to its end.
    """
    folder = headers or Path(cpp.__file__).parent
    options = [*OPTIONS, *(f"-I{each}" for each in (HERE, folder))]
    made = compiler().compile(f"{text.parent.name}.cpp", _unit(text, of), options)
    with tempfile.TemporaryDirectory(prefix="lngen-") as temporary:
        program = Path(temporary) / "recorder"
        program.write_bytes(made)
        os.chmod(program, 0o700)
        try:
            done = subprocess.run([program], check=False, capture_output=True, encoding="utf-8", timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"the recorder of {text.name} did not end in {_SECONDS} seconds") from None
    if done.returncode:
        raise RuntimeError(f"the recorder of {text.name} ended with status {done.returncode}")
    return _read(done.stdout.splitlines(), of)


def _unit(text: Path, of: Mapping[str, WantedCases]) -> str:
    lines, calls = ['#include "recorder.h"'], []
    for direction, wanted in of.items():
        for number, absent in enumerate(wanted.cases):
            space = f"{direction}_{number}"
            macros = [without(name) for name in sorted(absent)]
            lines.append(f"namespace {space} {{ using namespace lngen; }}")
            lines += [f"#define lngen {space}", *(f"#define {each}" for each in macros)]
            lines += [f'#include "{text}"', "#undef lngen", *(f"#undef {each}" for each in macros)]
            for part in ("", "columns::")[: 1 + wanted.has_columns]:
                calls.append(f'  lngen::record<{space}::{direction}::{part}Layer>("{direction}", {number});')
    return "\n".join([*lines, "int main() {", *calls, "}", ""])


def _read(lines: Iterable[str], of: Mapping[str, WantedCases]) -> dict[str, list[list[RecordedKernel]]]:
    found: dict[str, list[list[RecordedKernel]]] = {name: [[] for _ in wanted.cases] for name, wanted in of.items()}
    for line in lines:
        words = line.split()
        if words[0] == "kernel":
            found[words[1]][int(words[2])].append(kernel := RecordedKernel())
        else:
            kernel.read(words)
    return found
