"""The process that kernels run in, so that a crash is an error and an endless loop has an end.

It is started with the first launch, serves all modules, and is started again after a crash.
"""

from __future__ import annotations

import atexit
import contextlib
import mmap
import os
import select
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lngen.errors import LngenError
from lngen.extensions.simt.compile import worker

_GRACE = 10.0  # seconds that a worker has beyond a time limit to say where it was


@dataclass(frozen=True)
class Answer:
    """A word and lines, as runtime/worker.cpp lists them; the word is `lost` if the process ended without one."""

    word: str
    lines: tuple[str, ...]


class Process:
    """A worker and the memory that it shares with this process."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._running: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._modules: dict[Path, tuple[int, tuple[str, ...]]] = {}
        self._unread = b""
        self._file = -1
        self._map: mmap.mmap | None = None
        atexit.register(self.stop)

    def load(self, module: Path) -> tuple[int, tuple[str, ...]]:
        """The number of a module in the worker, and the lines that list its kernels."""
        self._start()
        if module in self._modules:
            return self._modules[module]
        answer = self.ask(f"load {os.fsencode(module).hex()}", 60)
        if answer.word != "kernels":
            raise LngenError(f"{module}: cannot be loaded: {' '.join(answer.lines) or answer.word}")
        self._modules[module] = len(self._modules), answer.lines
        return self._modules[module]

    def memory(self, size: int) -> NDArray[np.uint8]:
        """Return at least so many bytes of memory, shared by both processes.

        They hold the data that the last launch left.
        """
        self._start()
        if self._map is None or len(self._map) < size:
            grown = max(size, 1 << 20, 0 if self._map is None else 2 * len(self._map))
            os.ftruncate(self._file, grown)
            self._map = mmap.mmap(self._file, grown)
            if self.ask(f"memory {grown}", 60).word != "memory":
                raise LngenError(f"no memory for arrays of {size} bytes together")
        return np.frombuffer(self._map, np.uint8)

    def ask(self, request: str, seconds: float) -> Answer:
        """Send a request and wait for its answer, or until the worker is lost or has taken too long and is ended."""
        assert self._running is not None
        assert self._running.stdin is not None
        try:
            self._running.stdin.write(request.encode() + b"\n")
            self._running.stdin.flush()
            answer = self._answer(time.monotonic() + seconds)
        except BaseException:
            # An interrupted wait would leave an answer that the next request takes for its own.
            self.stop()
            raise
        if answer.word in ("crash", "lost"):
            self.stop()
        return answer

    def stop(self) -> None:
        """End the worker, if this process has started one."""
        running, self._running = self._running, None
        self._modules, self._unread, self._map = {}, b"", None
        if running is not None and self._owner == os.getpid():
            running.kill()
            with contextlib.suppress(OSError):
                running.communicate()
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _start(self) -> None:
        if self._running is not None and self._owner == os.getpid() and self._running.poll() is None:
            return
        self.stop()
        self._file = os.memfd_create("lngen-simt")
        self._owner = os.getpid()
        self._running = subprocess.Popen(
            [str(worker()), str(self._file)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, pass_fds=(self._file,),
        )  # fmt: skip

    def _answer(self, deadline: float) -> Answer:
        head = self._line(deadline)
        if head is None:
            return Answer("lost", ())
        word, count = head.split()
        lines: list[str] = []
        for _ in range(int(count)):
            line = self._line(deadline)
            if line is None:
                return Answer("lost", tuple(lines))
            lines.append(line)
        return Answer(word, tuple(lines))

    def _line(self, deadline: float) -> str | None:
        assert self._running is not None
        assert self._running.stdout is not None
        output = self._running.stdout.fileno()
        while b"\n" not in self._unread:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([output], [], [], left)[0]:
                return None
            more = os.read(output, 1 << 16)
            if not more:
                return None
            self._unread += more
        line, self._unread = self._unread.split(b"\n", 1)
        return line.decode(errors="replace")


def launch_request(words: Sequence[str], seconds: float) -> tuple[str, float]:
    """A launch as a request, and how long to wait for its answer."""
    return " ".join(["launch", *words]), seconds + _GRACE


process = Process()
"""The worker of this process."""
