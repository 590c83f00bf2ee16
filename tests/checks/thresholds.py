"""Mistakes on one side of a threshold, planted into the files of a layer and into what layers share."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lngen.checks import thresholds
from lngen.checks.checker import Checker, References
from lngen.checks.derived import checkable
from lngen.checks.evidence import Evidence
from lngen.checks.on_device import OnDevice
from lngen.pipeline.files import loading, manifest
from lngen.pipeline.stages import Derived

FILES = (".py", ".h", ".cuh", ".cpp", ".cu")


def planted(made: Derived, folder: Path, rewrite: Callable[[str], str]) -> list[str]:
    """Write a layer and what layers share with a rewriting of each file; the names of those that it changed."""
    manifest.write(made.emission, folder)
    changed = []
    for path in sorted([*(folder / "_runtime").rglob("*.*"), *(folder / made.emission.name).iterdir()]):
        if path.suffix in FILES:
            text = path.read_text(encoding="utf-8")
            if (found := rewrite(text)) != text:
                path.write_text(found, encoding="utf-8")
                changed.append(path.name)
    return changed


def loaded(place: Path, backend: str) -> Any:
    """The module of a layer in a folder as `lngen check` has it."""
    if backend == "cuda":
        return OnDevice(importlib.import_module(f"{loading.load(place).__name__}.cuda_backend"), ["f64"])
    return loading.load(place, backend)


def failures(
    made: Derived, place: Path, backend: str, references: References, *, near: str = "", types: tuple[str, ...] = ()
) -> Iterator[Evidence]:
    """Yield the failures of a layer in a folder at its thresholds, those on sides called `near` first."""
    subject = checkable(made.plan, loaded(place, backend))
    types = types or ("float64", "float32")
    checker = Checker(subject, types, backend, 0, references, False)
    sides = thresholds.sides(subject, backend, types, False)
    ordered = sorted(sides, key=lambda side: near not in side.what)
    with np.errstate(all="ignore"):
        yield from (item for item in thresholds.at_thresholds(checker, ordered) if not item.passed)
