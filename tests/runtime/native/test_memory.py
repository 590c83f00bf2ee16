"""Memory for results: new or used before, as ordinary as any, and bounded."""

import gc
import os
import pickle
import threading
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

from lngen.runtime.native import memory as host_memory
from lngen.runtime.native.memory import empty
from tests.processes import run_alone

F32 = np.dtype(np.float32)
LARGE = (host_memory.LARGE // 4,)
pytestmark = pytest.mark.skipif(os.name == "nt", reason="no memory is reused on Windows")


@pytest.fixture(autouse=True, scope="module")
def nothing_of_other_tests() -> Iterator[None]:
    """Keep objects of other tests out of garbage collections."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(host_memory, "_is_on", True)
    gc.collect()
    host_memory.release()
    assert host_memory.kept_bytes() == 0
    yield
    host_memory.release()


def address(array: npt.NDArray[Any]) -> int:
    return array.ctypes.data


@pytest.mark.ci
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (0, 3), (2, 3), (1, 100_000), (3, 1000, 257), (5, 2**18)])
def test_an_array_like_any_other(shape: tuple[int, ...], dtype: Any) -> None:
    made = empty(shape, np.dtype(dtype))
    assert type(made) is np.ndarray
    assert (made.shape, made.dtype) == (shape, np.dtype(dtype))
    assert made.flags.c_contiguous
    assert made.flags.writeable
    if made.nbytes >= host_memory.LARGE:
        assert address(made) % 64 == 0
    made[...] = 3
    again = pickle.loads(pickle.dumps(made))
    assert (again == made).all()
    assert (made.copy() == 3).all()


@pytest.mark.ci
def test_memory_is_reused_when_the_last_view_is_gone() -> None:
    first = empty(LARGE, F32)
    first.fill(1)
    place, view = address(first), first.reshape(2, -1)[1:, ::3].T
    flat = memoryview(first)
    del first
    others = [empty(LARGE, F32) for _ in range(3)]
    assert place not in map(address, others)
    assert (view == 1).all()
    del view
    assert host_memory.kept_bytes() == 0
    flat.release()
    del flat
    assert host_memory.kept_bytes() == host_memory.LARGE
    assert address(empty((2, LARGE[0] // 2), F32)) == place
    assert address(empty((LARGE[0] // 2 - 1,), np.dtype(np.float64))) != place  # below the size that is reused


def test_results_that_are_there_share_nothing() -> None:
    arrays = [empty((size,), F32) for size in range(LARGE[0], 2 * LARGE[0], 1001) for _ in range(2)]
    spans = sorted((address(array), address(array) + array.nbytes) for array in arrays)
    assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))
    lines = {address(array) % 4096 for array in arrays[:16]}
    assert len(lines) > 8  # they begin in many sets of a cache


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = [empty(LARGE, F32) for _ in range(host_memory.MOST_RESULTS + 3)]
    places = [*map(address, arrays)]
    while arrays:
        arrays.pop(0)
    assert host_memory.kept_bytes() == host_memory.MOST_RESULTS * host_memory.LARGE
    assert [address(arrays.append(empty(LARGE, F32)) or arrays[-1]) for _ in range(2)] == places[:-3:-1]
    arrays.clear()
    monkeypatch.setattr(host_memory, "MOST_BYTES", 4 * host_memory.LARGE)
    empty(LARGE, F32)
    assert host_memory.kept_bytes() == 4 * host_memory.LARGE
    empty((5 * LARGE[0],), F32)  # more than may be kept: it takes what was freed before along
    assert host_memory.kept_bytes() <= 4 * host_memory.LARGE
    host_memory.release()
    assert host_memory.kept_bytes() == 0


def test_a_result_in_a_cycle_and_results_of_many_threads() -> None:
    cycle: list[Any] = [empty(LARGE, F32)]
    cycle.append(cycle)
    place = address(cycle[0])
    del cycle
    gc.collect()
    assert address(empty(LARGE, F32)) == place

    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(200):
            mine = empty(LARGE, F32)
            mine[::512] = number
            if not (mine[::512] == number).all():
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert host_memory.kept_bytes() <= host_memory.MOST_RESULTS * host_memory.LARGE


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_process_that_was_forked_writes_its_own() -> None:
    run_alone(
        """
        import os

        import numpy as np

        from lngen.runtime.native.memory import LARGE, empty

        there, freed = empty((LARGE,), np.dtype("f4")), empty((LARGE,), np.dtype("f4"))
        there.fill(1)
        place = freed.ctypes.data
        del freed
        child = os.fork()
        if not child:
            there.fill(2)
            assert empty((LARGE,), np.dtype("f4")).ctypes.data == place
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert (there == 1).all()
        """
    )
