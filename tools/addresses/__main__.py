"""Show that no header of CUDA's leaves an array: python -m tools.addresses [--every] [--lines] [PROGRAM ...].

For each header: the number of its assertions, by kind. `--lines` has a row for each line and array. `--every` goes
through every width of an access and number of rows copied ahead. The exit status is 1 if an assertion is not shown.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tools.addresses.programs import EVERY, PROGRAMS, NotCompiled, ProgramOutcome, shown
from tools.addresses.solver import NoSolver
from tools.addresses.text import Changed

_KINDS = {"access": "in its array", "aligned": "aligned", "range": "no overflow", "claim": "steps of the proof"}


def table(found: Iterable[ProgramOutcome], by_line: bool) -> Iterator[str]:
    """Yield the lines of a table: a header, or a line of one, with what is shown of it."""
    counted: dict[tuple[str, ...], Counter[str]] = {}
    for each in found:
        for assertion in each.assertions:
            header, _, line = assertion.line.partition(":")
            place = (f"{header}:{line}", assertion.what) if by_line else (header,)
            counted.setdefault((each.program, *place), Counter())[assertion.kind] += 1
    heads = ("program", *(("line", "of what") if by_line else ("header",)), *_KINDS.values())
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for place, kinds in sorted(counted.items()):
        yield f"| {' | '.join([*place, *(str(kinds[kind]) for kind in _KINDS)])} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the programs that are asked for and print what they show."""
    parser = argparse.ArgumentParser(prog="python -m tools.addresses", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--every", action="store_true", help="every width of an access and number of rows ahead, and shape_of"
    )
    parser.add_argument("--lines", action="store_true", help="a row for each line and array")
    parser.add_argument("programs", nargs="*", help=f"of these: {', '.join(each.name for each in PROGRAMS)}")
    given = parser.parse_args(arguments)
    programs = [
        each for each in (EVERY if given.every else PROGRAMS) if not given.programs or each.name in given.programs
    ]
    found, fails = [], 0
    for program in programs:
        try:
            each = shown(program)
        except (NoSolver, Changed, NotCompiled) as error:
            print(f"{program.name}: {error}", file=sys.stderr)
            return 1
        found.append(each)
        fails += len(each.findings)
        print(
            f"{each.program}: {len(each.assertions)} assertions on {each.ways} ways, {each.questions} questions to z3, "
            f"{len(each.findings)} not shown, {each.seconds:.0f} s",
            flush=True,
        )
        for finding in each.findings:
            print(f"  {finding.line} {finding.kind} {finding.what}: {finding.reason[:400]}")
    print()
    print("\n".join(table(found, given.lines)))
    return 1 if fails or not found else 0


if __name__ == "__main__":
    sys.exit(main())
