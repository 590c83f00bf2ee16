"""A limit on the processor time of a piece of work."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class OutOfTime(BaseException):
    """Signal of a timeout; it is not an Exception, so that no handler takes it for its own."""


@contextmanager
def cpu_seconds(limit: float) -> Iterator[None]:
    """Raise OutOfTime in the body once it has used so much processor time; for the main thread."""

    def stop(_: int, frame: Any) -> None:
        # What is raised in a callback of the collector is lost, with a warning.
        if frame.f_code in [getattr(callback, "__code__", None) for callback in gc.callbacks]:
            signal.setitimer(signal.ITIMER_PROF, 0.01, 1.0)
            return
        raise OutOfTime

    before = signal.signal(signal.SIGPROF, stop)
    # Again and again: an exception raised inside a destructor or a callback of C code is lost.
    signal.setitimer(signal.ITIMER_PROF, limit, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
