"""`lngen export`: layers as a repository for the kernels hub."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lngen.cli import layers
from lngen.language.definition import Definition
from lngen.pipeline.files import hub
from lngen.pipeline.stages import planned


def run(definitions: Sequence[Definition], folder: Path) -> None:
    """Derive and prove layers, and write their repository. Raises as `planned` and `hub.export` do."""
    made = hub.export([planned(definition) for definition in definitions], folder)
    print(f"wrote {layers.shown(made)}")
    print(f"Next: kernels.get_local_kernel(pathlib.Path({str(folder)!r})) in Python, with the package kernels.")
