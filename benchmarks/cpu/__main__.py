"""Measure on this machine's processor: `python -m benchmarks.cpu`; docs/cpu.md says what.

With `--record` the record goes to `benchmarks/results/cpu.json`, its tables to `docs/cpu.md` and, where matplotlib is
installed, its plots to `docs/cpu.svg` and `docs/cpu_compiled.svg`. Cases that are not measured again keep their
figures if these are of the same machine and versions.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.cpu import measure, plots, report
from benchmarks.cpu.cases import DTYPES, SHAPES, Case
from benchmarks.cpu.peers import PEERS, is_emitted
from benchmarks.results import write
from benchmarks.shipped import of_rows

_ROOT = Path(__file__).resolve().parents[2]
_FEW = (
    "emitted",
    "plain",
    "compiled",
    "emitted, warm heap",
    "compiled, warm heap",
    "torch, 1 thread, warm heap",
    "torch.compile, 1 thread, warm heap",
)
_MADE = "<!-- made: figures -->\n"


def main(arguments: list[str]) -> int:
    """Measure, and record. The exit status is 1 if a case could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cpu", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--layer", action="append", choices=of_rows(), help="this layer only; may be repeated")
    parser.add_argument(
        "--peer", action="append", choices=list(PEERS), help="these peers only, besides the emitted code"
    )
    parser.add_argument("--shape", action="append", help="this shape only, as in 32,512,768; may be repeated")
    parser.add_argument("--dtype", action="append", choices=DTYPES, help="this type only")
    parser.add_argument("--rounds", type=int, default=9, help="rounds a case (%(default)s)")
    parser.add_argument("--record", action="store_true", help="write the record, the tables and the plot")
    options = parser.parse_args(arguments)
    shapes = [tuple(map(int, word.split(","))) for word in options.shape or ()] or list(SHAPES)
    record: dict[str, Any] = {"machine": machine.facts(), "cases": []}
    faults = 0
    for layer in options.layer or of_rows():
        whole = layer == "layer_norm"
        names = [name for name in PEERS if name in options.peer or is_emitted(name)] if options.peer else list(PEERS)
        names = measure.available(name for name in names if whole or options.peer or name in _FEW)
        for case in (Case(layer, shape, dtype) for dtype in options.dtype or DTYPES for shape in shapes):
            start = time.monotonic()
            try:
                found = measure.measured(case, names, options.rounds)
            except (RuntimeError, measure.PeerEndedError) as error:
                print(error)
                faults += 1
                continue
            for ending in found.get("ended", ()):
                print(ending)
            record["cases"].append(found)
            print(f"{case}: {_line(found)}  [{time.monotonic() - start:.0f} s]", flush=True)
    record["import_seconds"] = measure.import_seconds("layer_norm")
    if options.record and not faults:
        path = _ROOT / "benchmarks" / "results" / "cpu.json"
        record = with_earlier(record, json.loads(path.read_text(encoding="utf-8")) if path.exists() else {})
        write(path, json.dumps(record, indent=1) + "\n")
        page = _ROOT / "docs" / "cpu.md"
        head = page.read_text(encoding="utf-8").partition(_MADE)[0]
        write(page, f"{head}{_MADE}\n{report.tables(record)}")
        if importlib.util.find_spec("matplotlib"):
            plots.against_others(record, _ROOT / "docs" / "cpu.svg")
            plots.compiled(record, _ROOT / "docs" / "cpu_compiled.svg")
    return bool(faults)


def with_earlier(record: dict[str, Any], earlier: dict[str, Any]) -> dict[str, Any]:
    """A record with those cases of an earlier one that it does not have, if both are of one machine and versions."""

    def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
        return all(one[key] == other.get(key) for key in one if key != "commit")

    if not earlier or not same(record["machine"], earlier["machine"]):
        return record
    measured = set(map(_case, record["cases"]))
    kept = [case for case in earlier["cases"] if _case(case) not in measured]
    return {**record, "cases": sorted([*record["cases"], *kept], key=_case)}


def _case(found: dict[str, Any]) -> tuple[str, int, int, tuple[int, ...]]:
    """Return the sort key of a case in the tables."""
    shape = tuple(found["shape"])
    place = SHAPES.index(shape) if shape in SHAPES else len(SHAPES)
    return found["layer"], DTYPES.index(found["dtype"]), place, shape


def _line(found: dict[str, Any]) -> str:
    own = found["peers"]["emitted"]
    ratios = [f"{name} {peer['ratio']['emitted'][1]:.2f}" for name, peer in found["peers"].items() if name != "emitted"]
    return f"{own['forward'][1]:.2f} + {own['backward'][1]:.2f} ns; " + ", ".join(ratios)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
