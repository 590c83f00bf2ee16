"""CUDA graphs by the driver's own functions, which PyCUDA has none for."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lngen.runtime.cuda.driver import bindings, call

GLOBAL, RELAXED = 0, 2


class Graph:
    """Work of a stream during a capture, which can be launched again."""

    def __init__(self) -> None:
        self.handle: Any = None
        self.executable: Any = None

    def __len__(self) -> int:
        return int(call("cuGraphGetNodes", self.handle)[1])

    def launch(self, stream: Any) -> None:
        call("cuGraphLaunch", self.executable, stream.handle)


@contextmanager
def captured(stream: Any, mode: int = GLOBAL) -> Iterator[Graph]:
    """Capture what a stream of PyCUDA is asked to do. Raises RuntimeError if some of it was not allowed."""
    graph, how = Graph(), bindings().CUstreamCaptureMode(mode)
    gc.disable()  # what is collected may be memory, which a capture does not let be freed
    call("cuStreamBeginCapture", stream.handle, how)
    try:
        yield graph
    finally:
        gc.enable()
        graph.handle = call("cuStreamEndCapture", stream.handle)
    graph.executable = call("cuGraphInstantiate", graph.handle, 0)
