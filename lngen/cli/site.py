"""`lngen site`: the pages of layers as a folder that any server, and any browser without one, can show."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from lngen.cli import console, layers
from lngen.errors import LngenError, counted
from lngen.extensions.page.site import site
from lngen.pipeline.files import atomic
from lngen.pipeline.stages import STAGES, derived


def run(words: Sequence[str], to: Path) -> None:
    """Write the index and a page for each layer to a folder. Every page is made before the first is written."""
    definitions = layers.definitions(_files(words))

    def begin(name: str, stage: str) -> None:
        part(f"{name}: {stage}")

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
    found: list[str] = []
    for word in words:
        folder = Path(word)
        files = [str(path) for path in sorted(folder.glob("*.py"))] if folder.is_dir() else [word]
        if not files:
            raise LngenError(f"{layers.shown(folder)} holds no definition; name a folder that does, or a FILE.")
        found += files
    return found
