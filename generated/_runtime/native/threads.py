# SPDX-License-Identifier: MIT
"""Threads that share the chunks of a call: they are made once, and serve all calls of a process."""

import os
import threading
from _thread import allocate_lock
from collections.abc import Callable
from queue import SimpleQueue

Call = Callable[[int, int], object]

_PIECES = 4
"""Pieces for each thread: one that is held up, or comes late, leaves pieces to the others."""
_MOST = 256
"""Threads that are made at most; further ones would only wait for a processor."""


class _Job:
    """A call whose chunks are shared, piece by piece, by whoever comes."""

    def __init__(self, call: Call, chunks: int, pieces: int) -> None:
        self.call, self.chunks, self.pieces = call, chunks, pieces
        self.begun = self.ended = 0
        self.error: BaseException | None = None
        self.lock = allocate_lock()
        self.done = allocate_lock()
        self.done.acquire()

    def work(self) -> None:
        """Take pieces until none is left."""
        chunks, pieces = self.chunks, self.pieces
        while True:
            with self.lock:
                piece = self.begun
                if piece >= self.pieces:
                    return
                self.begun = piece + 1
            with self:
                self.call(chunks * piece // pieces, chunks * (piece + 1) // pieces)

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        """Note that a piece is done; after an error, pieces that have not begun are left out."""
        with self.lock:
            if error is not None:
                self.error = self.error or error
                self.pieces = self.begun
            self.ended += 1
            is_last = self.ended == self.begun == self.pieces
        if is_last:
            self.done.release()
        return True


class _Pool:
    def __init__(self) -> None:
        self.jobs: SimpleQueue[_Job] = SimpleQueue()
        self.count = 0
        self.lock = allocate_lock()

    def offer(self, job: _Job, helpers: int) -> None:
        """Ask so many threads to help; fewer do if no more can be made."""
        if self.count < helpers:
            self.grow(min(helpers, _MOST))
        for _ in range(helpers):
            self.jobs.put(job)

    def grow(self, helpers: int) -> None:
        with self.lock:
            while self.count < helpers:
                try:
                    threading.Thread(target=_serve, args=(self.jobs,), name="lngen", daemon=True).start()
                except RuntimeError:  # the system gives no more threads
                    return
                self.count += 1


def _serve(jobs: "SimpleQueue[_Job]") -> None:
    while True:
        jobs.get().work()


_pool = _Pool()


def _nothing(first: int, end: int) -> None:
    """Do nothing: the work left of a call that is done."""


def run(call: Call, chunks: int, threads: int) -> None:
    """Call `call(first, end)` for ranges that make up [0, chunks), on some threads; return when all are done.

    The calling thread is one of them. No piece waits for another, so that calls may be nested, and come from several
    threads at a time. If calls raise, pieces that have not begun are left out, and the first error is raised here.
    """
    if threads <= 1 or chunks <= 1:
        if chunks > 0:
            call(0, chunks)
        return
    job = _Job(call, chunks, min(chunks, _PIECES * threads))
    _pool.offer(job, min(threads, chunks) - 1)
    job.work()
    job.done.acquire()
    job.call = _nothing  # a helper that comes late would keep its arrays
    if job.error is not None:
        try:
            raise job.error
        finally:
            job.error = None  # its traceback has this frame


def _new_pool() -> None:
    """A process that was forked has none of the threads."""
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_new_pool)
