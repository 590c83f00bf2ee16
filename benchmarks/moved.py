"""Bytes that kernels move, as the emulator counts them, beside the plan's: `python -m benchmarks.moved`.

A kernel runs on the emulator in one block, so that parameters move once, and partial sums are one row.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.layers import definition, numpy_dtype
from benchmarks.results import write
from benchmarks.simulated_cases import Case, written
from benchmarks.tables import table
from lngen.emit.cpp.contract import DTYPES
from lngen.extensions import simt
from lngen.pipeline.stages import planned
from lngen.plan.cost import cost, parse_dtype
from lngen.runtime.cuda.arrays import TYPES
from lngen.runtime.includes import inlined

LAYERS = (
    *("layer_norm", "add_rms_norm_fp8", "dropout_add_layer_norm", "label_cross_entropy", "causal_softmax"),
    "ada_layer_norm",
)
DIRECTIONS = ("forward", "backward")
ROWS, FEATURES, DTYPE = 8, 64, "f32"
PAGE = Path(__file__).resolve().parents[1] / "docs" / "fusion.md"
_BEGIN, _END = "<!-- made: counted bytes -->", "<!-- end -->"


@dataclass(frozen=True)
class Moved:
    """Bytes that a direction moves: in row tensors, and in parameters, row scalars and partial sums."""

    rows: int
    rest: int


def main(arguments: Sequence[str]) -> int:
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.moved", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    made = document()
    if parser.parse_args(arguments).write:
        write(PAGE, with_table(PAGE.read_text(encoding="utf-8"), made))
    else:
        print(made)
    return 0


def with_table(page: str, made: str) -> str:
    """The page with a table in the place of the one that it has. Raises ValueError if it has none."""
    before, begin, rest = page.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not end:
        raise ValueError(f"{PAGE.name} has no lines {_BEGIN} and {_END}")
    return f"{before}{begin}\n\n{made}\n\n{end}{after}"


def document() -> str:
    """Return the table in Markdown."""
    cases = [Case(layer, direction, FEATURES, DTYPE, ROWS) for layer in LAYERS for direction in DIRECTIONS]
    titles = ("layer", "direction", "row tensors, plan", "counted", "other bytes, plan", "counted")
    tensor = ROWS * FEATURES * parse_dtype(DTYPE).itemsize
    lines = []
    for case in cases:
        plan, found = of_plan(case), counted(case)
        rows = [f"{each.rows / tensor:g}" for each in (plan, found)]
        lines.append((case.layer, case.direction, *rows, str(plan.rest), str(found.rest)))
    return table(titles, lines)


def of_plan(case: Case) -> Moved:
    """Return the bytes of `lngen cost`, with the partial sums that a block writes and the last kernel reads."""
    found, kind = cost(getattr(planned(definition(case.layer), proved=False), case.direction)), parse_dtype(case.dtype)
    sizes = {"rows": case.rows, "D": case.features}
    sizes |= {"itemsize": kind.itemsize, "accumulate_itemsize": kind.accumulate_itemsize}
    every, rows, partial = (
        int(size.subs({symbol: sizes[symbol.name] for symbol in size.free_symbols}))
        for size in (found.bytes, found.row_bytes, found.partial_bytes)
    )
    rows *= case.rows * case.features
    return Moved(rows, every - rows + 2 * partial)


def counted(case: Case, change: Callable[[str], str] = str) -> Moved:
    """Return the bytes that the emulator counts; the kernels' text may be changed before."""
    rows = rest = 0
    with tempfile.TemporaryDirectory() as folder:
        made = written(case, Path(folder))
        for name, moved in _launched(made, change):
            if made["arrays"][name]["shape"] == ["rows", "D"]:
                rows += moved
            else:
                rest += moved
    return Moved(rows, rest)


def _launched(made: dict[str, Any], change: Callable[[str], str]) -> Iterator[tuple[str, int]]:
    """Launch the kernels of a case, and yield the bytes of each array. Raises AssertionError for a wrong result."""
    pairs = (macro.removeprefix("-D").partition("=") for macro in made["defines"])
    macros = {name: value or None for name, _, value in pairs}
    kernels = simt.build(change(inlined(Path(made["source"]))), macros, check=True)
    names = {**made["values"], "grid0": 1, "np": np, "ceil": math.ceil}
    arrays = {name: _array(entry, names) for name, entry in made["arrays"].items()}
    for launch in made["launches"]:
        kernel = kernels[launch["entry"]]
        numbers = kernels.launch_table(launch["entry"]).tolist()
        own = {**names, **dict(zip(launch["launch_names"], numbers, strict=False))}
        grid = 1 if launch is made["launches"][0] else eval(launch["grid"], own)
        given = [_argument(each, arrays, own) for each in launch["arguments"]]
        kernel(grid, own[launch["block"]], own[launch["shared"]], *given)
        places = {parameter.name: name for parameter, name in zip(kernel.parameters, launch["arguments"], strict=True)}
        for parameter, moved in kernels.moved().items():
            yield places[parameter], sum(moved)
    for name, right in made["check"].items():
        error = np.abs(arrays[name].array.astype(float) - eval(right, names)).max()
        assert error < 1e-3, f"{made['name']}: {name} is wrong by {error}"


def _array(entry: dict[str, Any], names: dict[str, Any]) -> Any:
    shape = [int(eval(size, dict(names))) for size in entry["shape"]]
    kind = entry["dtype"]
    dtype = numpy_dtype(kind) if kind in DTYPES else np.dtype(TYPES[kind])
    if entry["fill"] == "zeros":
        return simt.Uninitialised(np.empty(shape, dtype))
    return np.broadcast_to(eval(entry["fill"], dict(names)), shape).astype(dtype)


def _argument(part: Any, arrays: dict[str, Any], names: dict[str, Any]) -> Any:
    if isinstance(part, str):
        return None if part == "null" else arrays[part]
    (value,) = part.values()
    return names.get(value, value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
