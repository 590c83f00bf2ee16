"""Command `lngen list`: the layers, and the cost of each for a row."""

from __future__ import annotations

from lngen.cli import console, layers
from lngen.errors import LngenError
from lngen.language.parsing import load
from lngen.layout import table
from lngen.pipeline.files import manifest


def run() -> None:
    """Print each layer of the folder of definitions with its gradient, reductions and row tensors moved.

    They are read from what `lngen derive` wrote; nothing is derived.
    """
    rows = [("layer", "reductions\nfwd bwd", "row tensors\nfwd bwd", "gradient of its first row")]
    for file in layers.every_file():
        try:
            definition = load(file)
        except LngenError as error:
            rows.append((layers.shown(file), "-", "-", str(error).partition("\n")[0]))
            continue
        folder = file.parent.parent / "generated" / definition.name
        told = f"not derived as it is now: lngen derive {definition.name}"
        rows.append((definition.name, *(manifest.summary(folder, definition) or ("-", "-", told))))
    print("\n".join(table(rows, console.width(), "")))
