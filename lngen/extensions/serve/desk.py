"""Derive one text at a time, in a process that ends when a newer text arrives or time is up."""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Callable, Iterator
from threading import Lock

from lngen.extensions.serve.work import LAST, NO_MEMORY, Answer, Limits, stopped, work

_PATIENCE = 0.2  # seconds until a reader that has gone is noticed
_LONGEST = 16 * 2**20  # bytes of one answer
_ELSEWHERE = "Save the definition in a file and run `lngen derive FILE`, which has no limit, or write it shorter."


class Desk:
    """Place of one derivation. Each is done by a fork of a process that has imported lngen, and that fork is used once.

    The forks import the caller's main module, which has to be guarded by `if __name__ == "__main__"`.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._forks = multiprocessing.get_context("forkserver")
        self._forks.set_forkserver_preload([work.__module__])
        self._lock = Lock()
        self._job: _DerivationJob | None = None

    def warm(self) -> None:
        """Import now what forks begin with, so that the first text need not wait for it."""
        for _ in self.answers(""):
            pass

    def answers(self, text: str, gone: Callable[[], bool] = lambda: False) -> Iterator[Answer]:
        """Yield the answers to a text, which takes the place of the one before it.

        `gone` tells whether the reader has left; then the work is ended.
        """
        with self._lock:
            if self._job is not None:
                self._job.replace()
            self._job = job = _DerivationJob(self._forks, text, self._limits)
        try:
            yield from job.answers(gone)
        finally:
            job.end()

    def close(self) -> None:
        """End what is worked on."""
        if self._job is not None:
            self._job.replace()


class _DerivationJob:
    def __init__(self, forks: multiprocessing.context.ForkServerContext, text: str, limits: Limits) -> None:
        self._limits = limits
        self._replaced = False
        self._doing = "deriving"
        self._channel, sender = forks.Pipe(duplex=False)
        self._process = forks.Process(target=work, args=(text, limits, sender), daemon=True)
        self._process.start()
        self._ends = time.monotonic() + limits.seconds
        sender.close()

    def answers(self, gone: Callable[[], bool]) -> Iterator[Answer]:
        while not gone():
            left = self._ends - time.monotonic()
            if left <= 0:
                yield stopped(self._too_long())
                return
            if not self._channel.poll(min(left, _PATIENCE)):
                continue
            try:
                answer: Answer = json.loads(self._channel.recv_bytes(_LONGEST))
            except (EOFError, OSError):
                yield {"kind": "replaced"} if self._replaced else stopped(self._how_it_ended())
                return
            self._doing = answer.get("next", self._doing)
            yield answer
            if answer["kind"] in LAST:
                return

    def replace(self) -> None:
        """End the process for another text."""
        self._replaced = True
        self._process.kill()

    def end(self) -> None:
        """End the process, if it has not ended, and give back what it held."""
        self._process.kill()
        self._process.join()
        self._channel.close()

    def _how_it_ended(self) -> str:
        self._process.join(5)
        if self._process.exitcode == NO_MEMORY:
            gigabytes = self._limits.memory / 2**30
            return f"The derivation was stopped after {gigabytes:.2g} GiB of memory, while {self._doing}. {_ELSEWHERE}"
        return (
            f"The process that derived this text ended with status {self._process.exitcode}, while {self._doing}. "
            "Write the definition shorter; if it is short, please report it."
        )

    def _too_long(self) -> str:
        return f"The derivation was stopped after {self._limits.seconds:g} seconds, while {self._doing}. {_ELSEWHERE}"
