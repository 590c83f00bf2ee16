"""Work in a process of its own, so that a crash or an endless loop in it affects nothing else.

A new Python is started by `subprocess`; `multiprocessing` would run the caller's script once more.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import IO, Any, TypeVar

Result = TypeVar("Result")

Tell = Callable[[str], None]
"""Function that takes a text about the next piece of work."""

_BEGIN = "from lngen.checks.apart import main; main()"
_SECONDS_TO_BEGIN = 60
"""Python has begun by then, on a busy machine too; the limit of the work counts from there."""


@dataclass(frozen=True)
class Ended:
    """End of a process that gave no result, and the work that it was doing."""

    how: str
    ran: str

    def __str__(self) -> str:
        return f"the process {self.how} while it ran {self.ran}"


def apart(
    work: Callable[[Tell], Result], seconds: float, within: Mapping[str, str] = MappingProxyType({})
) -> Result | Ended:
    """Run `work` in a process of its own and return its result; an error of the work is raised here.

    Work is passed by pickle, and gets a function to call with a text about its next piece. The process is ended if it
    sends no text for so many seconds, counted from where Python has begun. Its environment has what is `within` too.
    """
    path = os.pathsep.join(filter(None, map(os.path.abspath, sys.path)))
    environment = {**os.environ, **within, "PYTHONPATH": path}
    process = subprocess.Popen(
        [sys.executable, "-c", _BEGIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    assert process.stdin is not None
    assert process.stdout is not None
    told: queue.Queue[tuple[str, Any] | None] = queue.Queue()
    reader = threading.Thread(target=_read, args=(process.stdout, told), daemon=True)
    reader.start()
    try:
        with contextlib.suppress(BrokenPipeError), process.stdin as channel:
            pickle.dump(work, channel)
        return _result(process, told, seconds)
    finally:
        process.kill()
        process.wait()
        reader.join()
        process.stdout.close()


def _result(process: subprocess.Popen[bytes], told: queue.Queue[tuple[str, Any] | None], seconds: float) -> Any | Ended:
    ran, limit = "nothing yet", max(seconds, _SECONDS_TO_BEGIN)
    while True:
        try:
            message = told.get(timeout=limit)
        except queue.Empty:
            return Ended(f"was ended after {limit:g} seconds without an answer", ran)
        if message is None:
            return Ended(_end(process.wait()), ran)
        kind, value = message
        if kind == "raised":
            raise value
        if kind == "done":
            return value
        ran, limit = value, seconds


def _end(status: int) -> str:
    """Describe the end of a process by its exit status.

    >>> _end(-11), _end(3)
    ('ended by signal 11 (SIGSEGV)', 'ended with status 3')
    """
    if status >= 0:
        return f"ended with status {status}"
    name = signal.Signals(-status).name if -status in {*signal.Signals} else "unknown"
    return f"ended by signal {-status} ({name})"


def _read(channel: IO[bytes], told: queue.Queue[tuple[str, Any] | None]) -> None:
    # A process that ends in the middle of a message has told nothing more.
    with contextlib.suppress(EOFError, pickle.UnpicklingError, OSError, ValueError):
        while True:
            told.put(pickle.load(channel))
    told.put(None)


def main() -> None:
    """Do the work that comes on standard input; other output of the code goes to stderr, since stdout carries
    messages.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is the caller's, who ends this process
    with os.fdopen(os.dup(1), "wb") as channel:
        os.dup2(2, 1)

        def tell(kind: str, value: Any) -> None:
            message = pickle.dumps((kind, value))
            channel.write(message)
            channel.flush()

        tell("ran", "nothing yet")
        try:
            found = pickle.load(sys.stdin.buffer)(lambda what: tell("ran", what))
        except Exception as error:
            tell("raised", error)
        else:
            tell("done", found)
