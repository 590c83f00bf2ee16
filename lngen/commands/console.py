"""Printing: colour on a terminal, plain text in a pipe, progress beside it on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

PLAIN_WIDTH = 110
"""The width of tables and wrapped text where there is no terminal."""


def output() -> Console:
    """The console of stdout. In a pipe it is plain and of a fixed width, so that it is repeatable."""
    if sys.stdout.isatty():
        return Console(highlight=False)
    return Console(file=sys.stdout, width=PLAIN_WIDTH, color_system=None, highlight=False)


def note(text: str = "") -> None:
    """A line for the user on stderr."""
    print(text, file=sys.stderr)


def print_json(document: Any) -> None:
    """A JSON document on stdout, its keys sorted."""
    print(json.dumps(document, indent=2, sort_keys=True, allow_nan=False))


@contextmanager
def progress(total: int) -> Iterator[Callable[[str], None]]:
    """A bar on stderr that is gone at the end; call what is given as each part begins. Silent in a pipe."""
    if not sys.stderr.isatty():
        yield lambda part: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=total)
        begun = 0

        def begin(part: str) -> None:
            nonlocal begun
            bar.update(task, completed=begun, description=part)
            begun += 1

        yield begin
