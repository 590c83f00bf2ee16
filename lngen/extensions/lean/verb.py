"""Command `lngen lean`: the derivation of a layer as a file for Lean 4."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def lean(
    layer: Annotated[
        str, typer.Argument(metavar="LAYER", help="A layer's name (see `lngen list`) or a definition file.")
    ],
    to: Annotated[Path | None, typer.Option("--to", metavar="FILE", help="Write to a file; by default print.")] = None,
) -> None:
    """Export the derivation of the gradients as definitions and theorems of Lean 4, which no Lean has checked."""
    from lngen.cli import console, layers
    from lngen.extensions.lean.document import document
    from lngen.pipeline.files import atomic
    from lngen.pipeline.stages import planned

    found = document(planned(layers.definition_of(layer)).derivation)
    if to is None:
        print(found, end="")
        return
    atomic.write(to, found)
    console.say(f"wrote {layers.shown(to)}")
