"""`lngen list`: the layers there are."""

from __future__ import annotations

from rich.table import Table

from lngen.commands import console, layers
from lngen.definition import load
from lngen.errors import LngenError


def run() -> None:
    """Print each layer of the folder of definitions with its inputs, and whether its code is there."""
    table = Table(box=None, pad_edge=False)
    for title in ("layer", "inputs", "definition", "emitted", "about"):
        table.add_column(title, overflow="fold")
    folder = layers.output_folder()
    for file in layers.every_file():
        try:
            definition = load(file)
        except LngenError as error:
            table.add_row("-", "-", layers.shown(file), "-", str(error).partition("\n")[0], style="red")
            continue
        emitted = folder / definition.name
        table.add_row(
            definition.name,
            ", ".join(entry.name for entry in definition.inputs),
            layers.shown(file),
            layers.shown(emitted) if (emitted / "manifest.json").is_file() else "not yet",
            definition.docstring.strip().partition("\n")[0],
        )
    console.output().print(table)
