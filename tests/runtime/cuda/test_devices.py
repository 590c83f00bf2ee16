"""Memory on a device, as far as it goes without one, and the lock that calls hold."""

import os

import numpy as np
import pytest

from lngen.runtime.cuda.devices import entries, may_share_rows
from tests.processes import run_alone


def test_numbers_are_rounded_to_nearest_even() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    values = np.random.default_rng(0).standard_normal(1000)
    halfway = 1 + np.arange(8) / 256
    for value in (*values, *halfway, 0.0, -0.0, 1e-42, 3e38):
        assert entries(float(value), "bf16") == np.float32(value).astype(ml_dtypes.bfloat16).tobytes()
        assert entries(float(value), "f64") == np.float64(value).tobytes()


@pytest.mark.ci
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_the_lock_that_another_thread_holds_is_not_held_in_a_process_that_was_forked() -> None:
    run_alone(
        """
        import os
        import threading

        from lngen.runtime.cuda import devices

        held, done = threading.Event(), threading.Event()

        def hold():
            with devices._lock:
                held.set()
                done.wait()

        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        child = os.fork()
        if not child:
            os._exit(0 if devices._lock.acquire(timeout=5) else 1)
        done.set()
        thread.join()
        assert os.waitpid(child, 0)[1] == 0
        """
    )


def test_clusters_may_be_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [may_share_rows(capability) for capability in ((8, 9), (9, 0))] == [False, True]
    monkeypatch.setenv("LNGEN_CLUSTERS", "0")
    assert not may_share_rows((9, 0))
    monkeypatch.setenv("LNGEN_CLUSTERS", "no")
    with pytest.raises(ValueError, match="LNGEN_CLUSTERS is 'no'; set it to 0 for no clusters, or to 1"):
        may_share_rows((9, 0))
