"""Printing: colour on a terminal, plain text in a pipe, progress beside it on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Timer
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from lngen.errors import printable_lines
from lngen.layout import NARROWEST, wrapped

PLAIN_WIDTH = 110
"""The width of tables and wrapped text where there is no terminal, and `COLUMNS` does not say another."""

_PATIENCE = 2.0  # seconds without a sign of life


def output() -> Console:
    """The console of stdout. In a pipe it is plain and of a width that is given, so that it is repeatable."""
    if sys.stdout.isatty():
        return Console(highlight=False)
    asked = os.environ.get("COLUMNS", "")
    width = int(asked) if asked.isdecimal() and int(asked) > 0 else PLAIN_WIDTH
    return Console(file=sys.stdout, width=width, color_system=None, highlight=False)


def width() -> int:
    """The columns that lines on stdout may have."""
    return max(NARROWEST, output().width)


def say(text: str) -> None:
    """Lines for the user, wrapped at spaces; no character of them acts on a terminal."""
    print(wrapped(printable_lines(text), width()))


def note(text: str) -> None:
    """Lines for the user on stderr; no character of them acts on a terminal."""
    print(printable_lines(text), file=sys.stderr)


def print_json(document: Any) -> None:
    """A JSON document on stdout, its keys sorted."""
    print(json.dumps(document, indent=2, sort_keys=True, allow_nan=False))


def progress(total: int) -> Parts:
    """Return a display of progress in so many parts."""
    return Parts(total)


class Parts:
    """A bar on stderr, shown where something takes more than two seconds; in a pipe a line for each thing done.

    It is told of each part as that begins, and is out of the way while something else is printed.
    """

    def __init__(self, total: int) -> None:
        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        # Other output meanwhile goes to its own stream, which is not stderr.
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False)
        self._task = self._bar.add_task("", total=total)
        self._begun = 0
        self._patience = Timer(_PATIENCE, self._show)
        self._patience.daemon = True
        self._alone = Lock()
        self._shown = False

    def __call__(self, part: str) -> None:
        """A part begins."""
        self._bar.update(self._task, completed=self._begun, description=part)
        self._begun += 1

    def done(self, what: str) -> None:
        """Print a line where there is no bar."""
        if not sys.stderr.isatty():
            note(what)

    @contextmanager
    def away(self) -> Iterator[None]:
        """No bar, for as long as something is printed."""
        with self._alone:
            self._hide()
            yield
            sys.stdout.flush()
            if self._shown:
                self._bar.start()

    def __enter__(self) -> Self:
        if sys.stderr.isatty():
            self._patience.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._patience.cancel()
        with self._alone:
            self._hide()

    def _hide(self) -> None:
        if self._shown:
            self._bar.stop()

    def _show(self) -> None:
        with self._alone:
            if not self._patience.finished.is_set():
                self._shown = True
                self._bar.start()
