"""Command `lngen list`: the layers, and the cost of each for a row."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lngen.cli import console, layers
from lngen.errors import LngenError
from lngen.language.definition import Definition
from lngen.language.parsing import load
from lngen.layout import table
from lngen.pipeline.cache.summaries import summary

if TYPE_CHECKING:
    from lngen.plan.planner import Plan


def run() -> None:
    """Print each layer of the folder of definitions with its gradient, reductions and row tensors moved."""
    heading = ("layer", "reductions\nfwd bwd", "row tensors\nfwd bwd", "gradient of its first row")
    rows = [heading]
    files = layers.every_file()
    with console.progress(len(files)) as begin:
        for file in files:
            begin(file.stem)
            try:
                definition = load(file)
                gradient, reductions, tensors = summary(definition, partial(_plan, definition))
            except LngenError as error:
                rows.append((layers.shown(file), "-", "-", str(error).partition("\n")[0]))
                continue
            rows.append((definition.name, reductions, tensors, gradient))
    print("\n".join(table(rows, console.width(), "")))


def _plan(definition: Definition) -> Plan:
    from lngen.pipeline.stages import planned

    return planned(definition, proved=False)
