"""Validate the emitted text of layers, and print a table: python -m tools.validation [FILE...].

A row is a direction: the names and results of NumPy's text that are right, at which D, and the values compared in how
many calls; the cases of C++'s text, and the values that are right for every D; then the seconds of the processor.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from lngen.check.validation.layer_text import Validated, validated
from lngen.check.validation.recorded import CppValidated, recorded
from lngen.language.parsing import load
from lngen.layout import table
from lngen.paths import derive_folder
from lngen.pipeline.files import manifest
from lngen.pipeline.stages import derived

HEADER = ("layer", "direction", "NumPy", "D", "values, calls", "C++, every D", "cases", "not shown", "seconds")


def _seconds() -> float:
    """Processor time of this process and of compilers that it has waited for."""
    spent = time.clock_gettime(time.CLOCK_PROCESS_CPUTIME_ID)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent + children.ru_utime + children.ru_stime


def rows(path: Path) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table for the definition in a file."""
    layer = derived(load(path), proved=False)
    programs = layer.plan.programs()
    with tempfile.TemporaryDirectory() as folder:
        manifest.write(layer.emission, Path(folder))
        place, begun = Path(folder, layer.emission.name), _seconds()
        numpy = validated(place, programs)
        between = _seconds()
        cpp = recorded(place, programs)
        taken = f"{between - begun:.1f} + {_seconds() - between:.1f}"
    for number, direction in enumerate(program.direction for program in programs):
        first = (layer.emission.name, taken) if number == 0 else ("", "")
        yield _row(first, direction, numpy.get(direction, Validated(direction)), cpp[direction])


def _row(first: tuple[str, str], direction: str, numpy: Validated, cpp: CppValidated) -> tuple[str, ...]:
    sizes = numpy.sizes.removeprefix("D = ")
    calls, values = f"{numpy.compared}, {numpy.runs}", f"{cpp.compared}"
    not_shown = [f"{each.where}: {each.trouble}" for each in (*numpy.findings, *cpp.findings)]
    not_shown += [f"line {line} never ran" for line in numpy.idle]
    return (
        first[0],
        direction,
        f"{len(numpy.shown)}",
        sizes,
        calls,
        values,
        f"{cpp.cases}",
        "; ".join(not_shown),
        first[1],
    )


def main(words: Sequence[str]) -> int:
    """Print the table; the exit status is 1 if a text is not shown to be right."""
    parser = argparse.ArgumentParser(prog="python -m tools.validation", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="definitions (default: all that are shipped)")
    files = parser.parse_args(words).files or sorted(derive_folder().glob("*.py"))
    found = [row for path in files for row in rows(path)]
    print("\n".join(table([HEADER, *found], 200, "")))
    open_ = [row for row in found if row[7]]
    seconds = [sum(map(float, row[8].split(" + "))) for row in found if row[8]]
    said = f"{len(files)} layers, {len(found)} directions: {len(found) - len(open_)} shown"
    print(f"{said}; a layer takes {statistics.median(seconds):.1f} s in the median, {max(seconds):.1f} s at most.")
    return int(bool(open_))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
