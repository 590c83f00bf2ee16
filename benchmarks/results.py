"""The record of a run: `<device>.json`, whole after every change, and the same as tables in `<device>.md`.

Needs the standard library alone, so that a run which cannot install what it needs is recorded too.
"""

from __future__ import annotations

import datetime
import json
import os
import re
import statistics
from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any

from benchmarks import tables

_ROOT = Path(__file__).resolve().parents[1]

SCHEMA = 2
"""The version of the form of the record; a reader of another one should stop."""


class UnreadableRecord(ValueError):
    """Error for a file that is not a record, or a record of another schema."""


class Results:
    """A record on disk; every `put` replaces both files, each whole or not at all."""

    def __init__(self, path: Path, record: dict[str, Any]) -> None:
        self.path, self.record = path, record

    @classmethod
    def begin(cls, folder: Path, device: str, place: str) -> Results:
        """A new record of what runs at a `place`, "gpu" or "emulator", in a folder."""
        return cls.begin_at(folder / f"{file_name(device)}.json", device, place)

    @classmethod
    def begin_at(cls, path: Path, device: str, place: str) -> Results:
        """The same in a file."""
        started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        record = {"schema": SCHEMA, "device": device, "place": place, "started": started, "complete": False}
        results = cls(path, {**record, "stages": {}})
        results.save()
        return results

    @classmethod
    def read(cls, path: Path) -> Results:
        """A record that is there. Raises UnreadableRecord."""
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise UnreadableRecord(f"{path.name} is no record: {error}; name another file") from None
        if not isinstance(record, dict) or record.get("schema") != SCHEMA:
            schema = record.get("schema") if isinstance(record, dict) else None
            raise UnreadableRecord(f"{path.name} has schema {schema!r}; this reads {SCHEMA}: name another file")
        return cls(path, record)

    def put(self, stage: str, values: dict[str, Any]) -> None:
        """Add to what is known of a stage, and save."""
        self.record["stages"].setdefault(stage, {}).update(values)
        self.save()

    def finish(self) -> None:
        """Say that no stage is to come, and save."""
        self.record["complete"] = True
        self.save()

    def save(self) -> None:
        """Write both files."""
        write(self.path, json.dumps(self.record, indent=1, ensure_ascii=False) + "\n")
        write(self.path.with_suffix(".md"), tables.document(self.record))


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.{token_hex(4)}")
    try:
        new.write_text(text, encoding="utf-8")
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


def folder(place: str) -> Path:
    """Return the folder for records of a place; those of the emulator are not results."""
    return _ROOT / "build" / "gpu" if place == "emulator" else _ROOT / "benchmarks" / "results"


def file_name(device: str) -> str:
    """Return the file name for a device.

    >>> file_name("NVIDIA H200")
    'nvidia-h200'
    """
    return re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-") or "device"


def quartiles(values: Sequence[float]) -> list[float]:
    """The lower quartile, the median and the upper one; four significant digits and no more are kept.

    >>> quartiles([1.0, 2.0, 3.0, 4.0, 5.0])
    [2.0, 3.0, 4.0]
    """
    found = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    return [float(f"{value:.4g}") for value in found]
