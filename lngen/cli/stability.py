"""Command `lngen stability`: errors of three forms of a layer under a growing offset."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from rich.table import Table

from lngen.checks.derived import checkable
from lngen.checks.stability import StabilityTable, stability
from lngen.cli import console
from lngen.language.definition import Definition
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import derived


def run(definition: Definition, torch: bool = False) -> None:
    """Print the errors of the outputs of one layer for each offset and type; with `torch`, beside PyTorch's module."""
    layer = derived(definition, proved=False)
    with tempfile.TemporaryDirectory() as folder, console.progress(1) as part:
        part("measuring")
        manifest.write(layer.emission, Path(folder))
        module = loading.load(Path(folder) / layer.emission.name)
        table = stability(checkable(layer.plan, module), torch=torch)
    _print(table)


def _print(table: StabilityTable) -> None:
    out = console.output()
    out.print(f"{table.layer}: max|error| / max(1, max|y|), rows of deviation 1, D = {table.features}\n")
    shown = Table(box=None, pad_edge=False)
    others = (table.torch,) if table.torch else ()
    for column in ("dtype", "offset", "naive", "two-pass", *others, "emitted"):
        shown.add_column(column, justify="right")
    before = ""
    for line in table.lines:
        dtype = line.dtype if line.dtype != before else ""
        before = line.dtype
        errors = (line.naive, line.two_pass, line.torch, line.emitted)
        numbers = (f"{error:.1e}" for error in errors if error is not None)
        shown.add_row(dtype, f"{line.offset:.0e}", *numbers)
    out.print(shown)
    notes = [f"naive: {line}" for line in table.naive_form]
    if any(np.isinf(line.naive) for line in table.lines):
        notes.append("inf: an overflow, or the root of a variance that came out negative")
    if any(line.two_pass == line.emitted == 0 for line in table.lines):
        notes.append("zeros: the type holds no deviation of 1 beside such an offset, so rows are constant")
    for text in (*notes, table.note):
        if text:
            out.print(text, markup=False)
