"""CUDA graphs by the driver's own functions, which PyCUDA has none for."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lngen.runtime.cuda.devices import call

GLOBAL, RELAXED = 0, 2


class Graph:
    """Work of a stream during a capture, which can be launched again."""

    def __init__(self) -> None:
        self.handle, self.executable = ctypes.c_void_p(), ctypes.c_void_p()

    def __len__(self) -> int:
        count = ctypes.c_size_t()
        call("cuGraphGetNodes", self.handle, None, ctypes.byref(count))
        return count.value

    def launch(self, stream: Any) -> None:
        call("cuGraphLaunch", self.executable, ctypes.c_void_p(stream.handle))


@contextmanager
def captured(stream: Any, mode: int = GLOBAL) -> Iterator[Graph]:
    """Capture what a stream of PyCUDA is asked to do. Raises RuntimeError if some of it was not allowed."""
    graph, handle = Graph(), ctypes.c_void_p(stream.handle)
    gc.disable()  # what is collected may be memory, which a capture does not let be freed
    call("cuStreamBeginCapture_v2", handle, mode)
    try:
        yield graph
    finally:
        gc.enable()
        call("cuStreamEndCapture", handle, ctypes.byref(graph.handle))
    call("cuGraphInstantiateWithFlags", ctypes.byref(graph.executable), graph.handle, ctypes.c_ulonglong(0))
