"""One peer in a process of its own: `python -m benchmarks.cpu.worker PEER`.

Requests come as lines of JSON, and an answer goes out for each. A peer that spins, or that fills the heap, is then no
other's trouble.
"""

from __future__ import annotations

import gc
import json
import sys
import time
import tracemalloc
from typing import Any

import numpy as np

from benchmarks.cpu import peers
from benchmarks.cpu.cases import Case
from benchmarks.cpu.peers import PEERS, Step

_SAMPLE = 64


class Worker:
    """The peer and the case that it was told to prepare."""

    def __init__(self, name: str) -> None:
        self.entry = PEERS[name]
        self.step: Step | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request."""
        case = Case(request["layer"], tuple(request["shape"]), request["dtype"])
        if request["do"] == "prepare":
            return self.prepare(case)
        assert self.step is not None
        return self.memory(case) if request["do"] == "memory" else self.turn(case)

    def prepare(self, case: Case) -> dict[str, Any]:
        """Arrays and a warm-up; answered with entries of gradients, to be compared."""
        self.step = None
        gc.collect()
        self.step = forward, backward = self.entry.make(peers.definition_of(case.layer), case)
        gradients = peers.gradients(backward(forward()))
        # PyTorch adds up gradients of 16-bit parameters in 16 bits: of many rows it loses some per cent of them.
        is_wide = case.dtype in ("float32", "float64")
        return {"sample": [_sample(gradient) for gradient in gradients if is_wide or gradient.ndim > 1]}

    def turn(self, case: Case) -> dict[str, Any]:
        """Nanoseconds of forward and backward, the median over the calls of a turn."""
        forward, backward = self.step  # type: ignore[misc]
        times = []
        for _ in range(case.calls):
            start = time.perf_counter_ns()
            kept = forward()
            middle = time.perf_counter_ns()
            backward(kept)
            times.append((middle - start, time.perf_counter_ns() - middle))
        ahead, back = np.median(times, axis=0)
        return {"forward": float(ahead), "backward": float(back)}

    def memory(self, case: Case) -> dict[str, Any]:
        """Bytes that forward and backward take at their peaks, over what was there before each."""
        forward, backward = self.step  # type: ignore[misc]
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            kept = forward()
            ahead = tracemalloc.get_traced_memory()[1] - before
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            backward(kept)
            back = tracemalloc.get_traced_memory()[1] - before
        finally:
            tracemalloc.stop()
        return {"forward": ahead, "backward": back}


def _sample(gradient: np.ndarray) -> list[float]:
    flat = gradient.reshape(-1)
    places = np.linspace(0, flat.size - 1, min(_SAMPLE, flat.size)).astype(int)
    return [float(value) for value in flat[places]]


def main() -> None:
    """Answer until the input ends."""
    worker = Worker(sys.argv[1])
    for line in sys.stdin:
        print(json.dumps(worker.answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
