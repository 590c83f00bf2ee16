"""The shipped layers that benchmarks pass arrays of rows; `benchmarks.beyond_rows` times others."""

from __future__ import annotations

import functools
import json

from lngen import paths
from lngen.pipeline.files.loading import available


@functools.cache
def of_rows() -> tuple[str, ...]:
    """Return the emitted layers of rows of numbers: without named axes, integers, casts and Data."""
    return tuple(filter(_is_of_rows, available()))


def _is_of_rows(name: str) -> bool:
    text = (paths.generated_folder() / name / "manifest.json").read_text(encoding="utf-8")
    interface = json.loads(text)["interface"]
    kinds = {each["kind"].partition("[")[0] for each in interface["inputs"]}
    casts = [each for each in interface["outputs"] if "cast" in each]
    return "layout" not in interface and "Row" in kinds and not kinds & {"Int", "Data"} and not casts
