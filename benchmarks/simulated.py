"""Kernels on a simulated GPU: `python -m benchmarks.simulated --gpusim FOLDER`; README.md beside this file says how
to read it.

FOLDER is that of the timing simulator, with its measure.py. The exit status is 1 if a case could not be simulated or
its results are wrong, 2 for arguments that do not fit.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks import machine, simulated_tables
from benchmarks.results import write
from benchmarks.simulated_cases import DIRECTIONS, Case, as_launched, cases, written
from lngen.emit.cpp.contract import DTYPES
from lngen.errors import LngenError
from lngen.pipeline.files.loading import available

_HERE = Path(__file__).resolve().parent
RECORD = _HERE / "results" / "simulated.json"
PAGE = _HERE / "README.md"
SCHEMA = 1

_USUAL = "h200x6o"
_LEAST_ROWS = {"h200L2": 1024}
"""Configurations of more multiprocessors, which fewer rows would leave idle."""
_MADE = "<!-- made: simulated times -->\n"
_KEPT = (
    "cycles", "bytes", "elements", "issue", "scoreboard", "pipe", "idle", "instructions", "registers", "spilled",
    "threads", "grid", "block", "warnings",
)  # fmt: skip

Found = dict[str, Any]


def main(arguments: Sequence[str]) -> int:
    """Simulate the cases that the arguments ask for, and print a line for each as soon as it is there."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        record = read(RECORD)
        if options.table:
            write(PAGE, with_tables(PAGE.read_text(encoding="utf-8"), record))
            return 0
        simulator = Simulator(options.gpusim, options.config, options.timeout)
        asked = chosen(options)
    except ValueError as error:
        parser.error(str(error))
    last = record.get(options.config, {})
    results = _all(asked, simulator, last, options.jobs, record if options.write else None)
    for sentence in simulated_tables.summary(results, last):
        print(sentence)
    if options.write:
        write(PAGE, with_tables(PAGE.read_text(encoding="utf-8"), record))
    return int(any("failed" in found or found["wrong"] for found in results.values()))


def _parser() -> argparse.ArgumentParser:
    about = " ".join((__doc__ or "").split("\n\n")[0].split())
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulated", description=about)
    add = parser.add_argument
    add("--gpusim", type=Path, metavar="FOLDER", help="the folder of the simulator, with its measure.py")
    add("--layer", action="append", choices=available(), metavar="NAME", help="this layer only; may be repeated")
    add("--direction", action="append", choices=DIRECTIONS, help="this direction only; may be repeated")
    add("--D", dest="features", action="append", type=_count, metavar="N", help="this row length; may be repeated")
    add("--dtype", action="append", choices=DTYPES, help="this type only; may be repeated")
    add("--rows", type=_count, help="rows; as many as make 2 MiB a tensor if nothing is said")
    add("--without", action="append", default=[], metavar="INPUT", help="leave an input out; may be repeated")
    add("--save-nothing", action="store_true", help="forward as with save=False")
    add("--config", default=_USUAL, help="a configuration of the simulator (%(default)s)")
    add("--jobs", type=_count, default=1, help="cases at a time (%(default)s)")
    add("--timeout", type=_count, default=3600, metavar="SECONDS", help="the most for a simulation (%(default)s)")
    add("--write", action="store_true", help="add what is found to the record, and make its tables anew")
    add("--table", action="store_true", help="make the tables of the record anew, and simulate nothing")
    return parser


def _count(word: str) -> int:
    """A number from 1 on. Raises ValueError for anything else, which the parser says."""
    if not word.isdecimal() or int(word) < 1:
        raise argparse.ArgumentTypeError(f"{word!r} is no whole number from 1 on")
    return int(word)


def chosen(options: argparse.Namespace) -> list[Case]:
    """The cases that are asked for. Raises ValueError for what a layer does not have."""
    found = cases(
        *(options.layer, options.direction, options.features, options.dtype),
        rows=options.rows,
        least_rows=_LEAST_ROWS.get(options.config, 1),
        without=options.without,
        saves=not options.save_nothing,
    )
    for case in found:
        case.check()
    return list(dict.fromkeys(found))


def _all(
    cases: Sequence[Case], simulator: Simulator, last: Mapping[str, Found], jobs: int, record: Record | None
) -> dict[str, Found]:
    """Simulate cases, some at a time, and print them in their order; a record is written after each."""
    width = max(len(str(case)) for case in cases)
    print(simulated_tables.head(width), flush=True)
    commit = machine.facts()["commit"]
    results: dict[str, Found] = {}
    with ThreadPoolExecutor(jobs) as pool:
        for case, found in zip(cases, pool.map(simulator.run, cases), strict=True):
            name = str(case)
            results[name] = found
            print(simulated_tables.line(name, found, last.get(name), width), flush=True)
            if record is not None and "failed" not in found and not found["wrong"]:
                record[simulator.config] = {**record.get(simulator.config, {}), name: {**found, "commit": commit}}
                save(RECORD, record)
    return results


class Simulator:
    """The simulator in a folder, with one of its configurations. Raises ValueError where there is none."""

    def __init__(self, folder: Path | None, config: str, timeout: int) -> None:
        if folder is None:
            raise ValueError("--gpusim is missing; give the folder of the simulator, with its measure.py")
        self.program = folder.resolve() / "measure.py"
        if not self.program.is_file():
            raise ValueError(f"{folder} has no measure.py; give the folder of the simulator")
        there = sorted(path.stem for path in folder.glob("configs/*.config"))
        if config not in there:
            raise ValueError(f"{folder} has no configuration {config}; it has {', '.join(there) or 'none'}")
        self.config, self.timeout = config, timeout
        self.known: dict[str, Any] = {}
        path = folder / "reference.json"
        if path.is_file():
            self.known = json.loads(path.read_text(encoding="utf-8")).get(config, {})

    def run(self, case: Case) -> Found:
        """Run a case in the simulator and return its figures; under "failed" is the reason if there are none."""
        with tempfile.TemporaryDirectory(prefix="simulated-") as name:
            folder = Path(name)
            try:
                text = json.dumps(as_launched(written(case, folder)))
            except LngenError as error:
                return {"failed": _last_line(str(error), folder)}
            (folder / "case.json").write_text(text, encoding="utf-8")
            options = ["--config", self.config, "--jobs", "1", "--timeout", str(self.timeout)]
            files = ["--case", "case.json", "--json", "found.json", "--work", "work"]
            command = [sys.executable, str(self.program), *files, *options]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
            if not (folder / "found.json").is_file():
                return {"failed": _last_line(done.stderr or done.stdout, folder)}
            (found,) = json.loads((folder / "found.json").read_text(encoding="utf-8"))
            if "failed" in found:
                return {"failed": _last_line(found["failed"], folder)}
            return self._judged(found, self.known if case.is_usual else {})

    def _judged(self, found: Found, known: Mapping[str, Any]) -> Found:
        """Return the figures of a case, beside the roof and Apex's kernel of the same name, and its wrong results."""
        wrong = ", ".join(f"{name} by {error:.1e}" for name, (error, right) in found["errors"].items() if not right)
        speed = found["bytes"] / found["cycles"][0]
        roof, apex = _speed(known.get(found["roof"])), _speed(known.get(f"apex {found['reference']}"))
        return {
            **{name: _short(found[name]) for name in _KEPT},
            "wrong": wrong,
            "of_roof": _short(speed / roof) if roof else None,
            "over_apex": _short(apex / speed) if apex else None,
        }


def _speed(known: Mapping[str, Any] | None) -> float | None:
    """Bytes a cycle of the first kernel."""
    return known["bytes"] / known["cycles"][0] if known else None


def _short(value: Any) -> Any:
    """A fraction with four significant digits; all else as it is."""
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _last_line(text: str, folder: Path) -> str:
    """The last line of what a program said, without the places of this machine."""
    lines = text.strip().splitlines() or ["the simulator said nothing"]
    return machine.anonymous(lines[-1].replace(f"{folder}/", ""))


Record = dict[str, dict[str, Found]]
"""Figures by configuration and by the name of a case."""


def read(path: Path) -> Record:
    """The record, empty where there is none. Raises ValueError for one that is damaged or of another schema."""
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path.name} is no JSON: {error}; put back what was committed") from None
    if found.get("schema") != SCHEMA:
        raise ValueError(f"{path.name} has schema {found.get('schema')!r}; this reads {SCHEMA}")
    record: Record = found["configurations"]
    return record


def save(path: Path, record: Record) -> None:
    """Write the record, each case in a line, so that a change of one is seen as such."""
    parts = []
    for config, found in sorted(record.items()):
        lines = [f"   {json.dumps(name)}: {json.dumps(values)}" for name, values in found.items()]
        parts.append(f"  {json.dumps(config)}: {{\n" + ",\n".join(lines) + "\n  }")
    body = ",\n".join(parts)
    write(path, f'{{\n "schema": {SCHEMA},\n "configurations": {{\n{body}\n }}\n}}\n')


def with_tables(page: str, record: Record) -> str:
    """The page with the tables of a record in the place of those that it has."""
    before, mark, _ = page.partition(_MADE)
    if not mark:
        raise ValueError(f"{PAGE.name} has no line {_MADE.strip()}")
    made = simulated_tables.document(record) if record else "Nothing is recorded yet.\n"
    return f"{before}{mark}\n{made}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
