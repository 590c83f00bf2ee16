"""`lngen list`: the layers there are, and what each costs a row."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rich.table import Table

from lngen.cache.summaries import summary
from lngen.commands import console, layers
from lngen.errors import LngenError
from lngen.language.definition import Definition
from lngen.language.parsing import load

if TYPE_CHECKING:
    from lngen.plan.planner import Plan


def run() -> None:
    """Print each layer of the folder of definitions with its gradient, reductions and row tensors moved."""
    table = Table(box=None, pad_edge=False)
    table.add_column("layer", no_wrap=True)
    table.add_column("gradient of its first row", overflow="fold")
    table.add_column("reductions\nfwd bwd", justify="right", min_width=len("reductions"))
    table.add_column("row tensors\nfwd bwd", justify="right", min_width=len("row tensors"))
    files = layers.every_file()
    with console.progress(len(files)) as begin:
        for file in files:
            begin(file.stem)
            try:
                definition = load(file)
                columns = summary(definition, partial(_plan, definition))
            except LngenError as error:
                table.add_row(layers.shown(file), str(error).partition("\n")[0], "-", "-", style="red")
                continue
            table.add_row(definition.name, *columns)
    console.output().print(table)


def _plan(definition: Definition) -> Plan:
    from lngen.pipeline import planned

    return planned(definition, proved=False)
