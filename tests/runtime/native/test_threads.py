"""Chunks shared by threads: each once, by as many as there are, from anywhere, and after a fork."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lngen.runtime.native import threads as host_threads
from tests.processes import run_alone


class Ranges:
    """Notes which chunks it is called for, and by whom."""

    def __init__(self, chunks: int) -> None:
        self.taken = np.zeros(chunks, np.int64)
        self.callers: list[int] = []

    def __call__(self, first: int, end: int) -> None:
        assert first < end
        self.taken[first:end] += 1
        self.callers.append(threading.get_ident())


@pytest.fixture
def own_pool(monkeypatch: pytest.MonkeyPatch) -> host_threads._Pool:
    pool = host_threads._Pool()
    monkeypatch.setattr(host_threads, "_pool", pool)
    return pool


@pytest.mark.parametrize("chunks", [0, 1, 2, 3, 7, 16, 1000])
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_each_chunk_once(chunks: int, threads: int) -> None:
    call = Ranges(chunks)
    host_threads.run(call, chunks, threads)
    assert (call.taken == 1).all()
    if threads == 1 or chunks <= 1:
        assert call.callers == [threading.get_ident()] * min(chunks, 1)


def test_calls_may_be_nested_and_come_from_anywhere() -> None:
    total = np.zeros(5 * 6 * 7, np.int64)

    def outer(first: int, end: int) -> None:
        for i in range(first, end):
            host_threads.run(lambda a, b, i=i: middle(i, a, b), 6, 2)

    def middle(i: int, first: int, end: int) -> None:
        for j in range(first, end):
            host_threads.run(lambda a, b, j=j: inner(i, j, a, b), 7, 3)

    def inner(i: int, j: int, first: int, end: int) -> None:
        begin = (i * 6 + j) * 7
        total[begin + first : begin + end] += 1

    host_threads.run(outer, 5, 4)
    assert (total == 1).all()
    with ThreadPoolExecutor(8) as callers:
        calls = [Ranges(64) for _ in range(200)]
        [*callers.map(lambda call: host_threads.run(call, 64, 4), calls)]
    assert all((call.taken == 1).all() for call in calls)


def test_the_first_error_is_raised_when_all_are_done() -> None:
    running = [0]

    def call(first: int, end: int) -> None:
        running[0] += 1
        try:
            if first % 2:
                raise ZeroDivisionError(first)
        finally:
            running[0] -= 1

    for _ in range(20):
        with pytest.raises(ZeroDivisionError):
            host_threads.run(call, 40, 4)
        assert running == [0]
    call_after = Ranges(40)
    host_threads.run(call_after, 40, 4)
    assert (call_after.taken == 1).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_process_that_was_forked_has_its_own() -> None:
    run_alone(
        """
        import os
        import threading

        from lngen.runtime.native import threads as host_threads

        host_threads.run(lambda first, end: None, 8, 2)
        child = os.fork()
        if not child:
            meeting = threading.Barrier(2)
            host_threads.run(lambda first, end: meeting.wait(10), 2, 2)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        """
    )
