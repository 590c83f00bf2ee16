"""A command with a limit of time, its output kept in a file as it comes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.gpu.packages import ROOT


@dataclass(frozen=True)
class Done:
    """Result of a command: `status` is None if its time ran out.

    `output` is both streams together.
    """

    status: int | None
    seconds: float
    output: str


def run(command: Sequence[str], environment: Mapping[str, str], seconds: float, log: Path) -> Done:
    """Run it in the checkout; what it started is ended with it when the time is over."""
    started = time.monotonic()
    with log.open("ab") as file:
        file.write(f"\n$ {' '.join(command)}\n".encode())
        file.flush()
        begin = file.tell()
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
            process_group=0,
        )  # fmt: skip
        try:
            status: int | None = process.wait(max(seconds, 1.0))
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _end(process)
    with log.open("rb") as file:
        file.seek(begin)
        output = file.read().decode(errors="replace")
    return Done(status, time.monotonic() - started, output)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command, if it still runs, and what it started and left."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(5)
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
