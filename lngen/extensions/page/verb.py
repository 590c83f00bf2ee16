"""Command `lngen site`: the pages of layers as a folder that any server, and any browser without one, can show."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from lngen.errors import LngenError, counted


def site(
    to: Annotated[Path, typer.Option("--to", metavar="DIR", help="The folder that the pages are written to.")],
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="LAYER|FILE|FOLDER", help="Layers whose pages to write; all by default."),
    ] = None,
) -> None:
    """Write the derivations as pages for a browser, with an index."""
    from lngen.cli import console, layers
    from lngen.extensions.page.site import site
    from lngen.pipeline.files import atomic
    from lngen.pipeline.stages import STAGES, derived

    definitions = layers.definitions(_files(words or []))

    def begin(name: str, stage: str) -> None:
        part(f"{name}: {stage}")

    # Every page is made before the first is written.
    with console.progress(len(definitions) * (len(STAGES) + 1)) as part:
        every = [derived(definition, on_stage=partial(begin, definition.name)) for definition in definitions]
        files = site(every, on_layer=partial(begin, stage="page"))
    for path, text in files.items():
        place = to / path
        place.parent.mkdir(parents=True, exist_ok=True)
        atomic.write(place, text)
    console.say(f"wrote {counted(len(every), 'page')} and {layers.shown(to / 'index.html')}: open it in a browser.")


def _files(words: Sequence[str]) -> list[str]:
    """The words, a folder standing for the definition files in it. Raises LngenError for one that has none."""
    from lngen.cli import layers

    found: list[str] = []
    for word in words:
        folder = Path(word)
        files = [str(path) for path in sorted(folder.glob("*.py"))] if folder.is_dir() else [word]
        if not files:
            raise LngenError(f"{layers.shown(folder)} holds no definition; name a folder that does, or a FILE.")
        found += files
    return found
