"""Processes of which one fails: each of the others is told, and none waits for ever."""

import functools
import multiprocessing
import os
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lngen.runtime.sharded.collectives import PeerError, PipeCommunicator, ThreadCommunicator, TorchCommunicator, told
from tests.requirements import NO_TORCH

SIZE, TIMEOUT, LIMIT = 3, 1.0, 40.0
"""Processes, the seconds that they wait for each other, and those in which all have to be done, started included."""
SMALL, LARGE = 64, 1 << 20
"""Bytes of a message that a pipe has room for, and of one that it has not."""


@told
def checked(values, *, communicator):
    """Check arguments and then exchange, as a function of a layer does."""
    if not len(values):
        raise ValueError("values has no entry; pass one or more")
    return communicator.all_gather(values)


def dies(communicator, values):
    os._exit(7)


def raises(communicator, values):
    raise KeyError("nothing to do with the layer")


def refuses(communicator, values):
    checked(values[:0], communicator=communicator)


def hangs(communicator, values):
    time.sleep(60)


def differs(communicator, values):
    checked(values[:-1], communicator=communicator)


FAILURES = {
    dies: "has ended",
    raises: "has ended",
    refuses: "rank 1 refused the call, so this process stops too: ValueError: values has no entry",
    hangs: "which did not come",
    differs: "bytes",
}


def work(communicator, size, fail, results, together):
    """Exchange once, then again where rank 1 fails: put into results what becomes of this process.

    None begins before all have started, and rank 1 fails when all are done with the first exchange.
    """
    values = np.full(size, communicator.rank, np.uint8)
    together.wait()
    checked(values, communicator=communicator)
    together.wait()
    start = time.monotonic()
    try:
        if communicator.rank == 1:
            fail(communicator, values)
        checked(values, communicator=communicator)
    except RuntimeError as error:
        results.put((communicator.rank, str(error), time.monotonic() - start))
    except ValueError:
        results.put((communicator.rank, "", 0.0))


def outcomes(start, size, fail):
    """Return the outcomes of the processes that rank 1 leaves waiting, and the seconds, by rank."""
    context = multiprocessing.get_context(start)
    results, together = context.Queue(), context.Barrier(SIZE)
    group = PipeCommunicator.together(SIZE, timeout=TIMEOUT, context=context)
    processes = [
        context.Process(target=work, args=(each, size, fail, results, together), daemon=True) for each in group
    ]
    for process in processes:
        process.start()
    for each in group:
        each.close()
    try:
        found = [results.get(timeout=40) for _ in range(SIZE - 1 + (fail in (refuses, differs)))]
    finally:
        for process in processes:
            process.kill()
            process.join()
    return {rank: (message, seconds) for rank, message, seconds in found if rank != 1 or fail is differs}


CASES = [(start, size, fail) for start in ("fork", "spawn") for size in (SMALL, LARGE) for fail in FAILURES]
DEFAULT = [("fork", SMALL, dies), ("fork", LARGE, refuses)]


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")
@pytest.mark.parametrize(
    ("start", "size", "fail"),
    [case if case in DEFAULT else pytest.param(*case, marks=pytest.mark.ci) for case in CASES],
)
def test_processes_of_which_one_fails_all_raise_in_time(start, size, fail):
    found = outcomes(start, size, fail)
    assert {0, 2} <= {*found}
    for _, seconds in found.values():
        assert seconds < (TIMEOUT + 1.0 if fail is hangs else LIMIT)
    # The first to find out may be the one that tells the other.
    assert all(FAILURES[fail] in message or "gave up" in message for message, _ in found.values())
    assert any(FAILURES[fail] in message for message, _ in found.values())


@pytest.mark.ci
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")
def test_a_pipe_that_a_forked_process_holds_of_others_hides_that_one_has_ended(monkeypatch):
    monkeypatch.setattr(PipeCommunicator, "_foreign", property(lambda self: [], lambda self, _: None), raising=False)
    found = outcomes("fork", SMALL, dies)
    assert all("which did not come" in message or "gave up" in message for message, _ in found.values())


def on_threads(group, calls):
    """Return the result or the error of each call, on a thread of its own."""

    def outcome(call, communicator):
        try:
            return call(communicator)
        except Exception as error:
            return error

    with ThreadPoolExecutor(len(group)) as pool:
        return list(pool.map(outcome, calls, group))


def _called(function, entries, communicator):
    return function(np.ones(entries, np.uint8), communicator=communicator)


def test_threads_that_are_told_can_go_on():
    group = ThreadCommunicator.together(3, timeout=5.0)
    good, bad = (functools.partial(_called, checked, entries) for entries in (4, 0))
    found = on_threads(group, [good, bad, good])
    assert [type(each) for each in found] == [PeerError, ValueError, PeerError]
    assert "rank 1 refused the call, so this process stops too: ValueError: values has no entry" in str(found[2])
    assert [type(each) for each in on_threads(group, [bad, bad, bad])] == [ValueError] * 3
    for each in on_threads(group, [good, good, good]):
        assert (each == np.ones((3, 4))).all()


def test_threads_that_are_not_told_wait_until_the_limit():
    group = ThreadCommunicator.together(2, timeout=0.2)
    good, bad = (functools.partial(_called, checked.__wrapped__, entries) for entries in (4, 0))
    good_one, _ = on_threads(group, [good, bad])
    assert "rank 0 has waited 0.2 seconds for rank 1, which did not come" in str(good_one)


# ---- PyTorch


def in_gloo(rank, meeting, fail, results, together):
    distributed = pytest.importorskip("torch.distributed")
    distributed.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    work(TorchCommunicator(timeout=TIMEOUT), SMALL, fail, results, together)
    time.sleep(60)


@pytest.mark.ci
@pytest.mark.parametrize("fail", [refuses, differs, hangs])
def test_processes_of_gloo_of_which_one_fails_all_raise_in_time(fail, tmp_path):
    pytest.importorskip("torch", reason=NO_TORCH)
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    arguments = (tmp_path / "meeting", fail, results, context.Barrier(2))
    processes = [context.Process(target=in_gloo, args=(rank, *arguments), daemon=True) for rank in range(2)]
    for process in processes:
        process.start()
    try:
        found = [results.get(timeout=60) for _ in range(1 if fail is hangs else 2)]
    finally:
        for process in processes:
            process.kill()
            process.join()
    ((message, seconds),) = [(message, seconds) for rank, message, seconds in found if rank == 0]
    assert seconds < TIMEOUT + 2.0
    assert ("waited" if fail is hangs else FAILURES[fail]) in message
