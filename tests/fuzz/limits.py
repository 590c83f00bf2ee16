"""A limit on the processor time of a piece of work."""

from __future__ import annotations

import gc
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OutOfTime(BaseException):
    """Signal of a timeout; it is not an Exception, so that no handler takes it for its own."""


@contextmanager
def cpu_seconds(limit: float) -> Iterator[None]:
    """Raise OutOfTime in the body once it has used so much processor time; for the main thread."""

    def stop(_: int, frame: FrameType | None) -> None:
        if _must_not_be_left(frame):
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


def _must_not_be_left(frame: FrameType | None) -> bool:
    """Test whether an exception raised in this frame would do harm outside of the piece of work.

    In a callback of the collector it is lost, with a warning. In an import it leaves a file open, and modules that
    other modules have and `sys.modules` has not. So an import that never ends is not ended.
    """
    if frame is not None and frame.f_code in [getattr(callback, "__code__", None) for callback in gc.callbacks]:
        return True
    while frame is not None:
        if frame.f_globals.get("__name__") in ("importlib._bootstrap", "importlib._bootstrap_external"):
            return True
        frame = frame.f_back
    return False
