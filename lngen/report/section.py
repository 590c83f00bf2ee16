"""A section of a report in words: paragraphs, and a table below them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """Cells as plain text; every row is as long as the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Section:
    """A title, paragraphs of plain text, and a table."""

    title: str
    paragraphs: tuple[str, ...]
    table: Table | None = None
