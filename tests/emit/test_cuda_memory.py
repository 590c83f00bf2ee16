"""Memory of calls on a device: results from a pool, numbers that nobody waits for, results that stay in the cache."""

import gc
import importlib
from typing import Any

import numpy as np
import pytest

from tests.graphs import captured
from tests.requirements import has_gpu, needs_gxx, needs_pycuda

pytestmark = [pytest.mark.cuda, pytest.mark.ci, needs_pycuda, *([] if has_gpu() else [needs_gxx])]

ROWS, FEATURES = 3, 16


@pytest.fixture
def layer() -> Any:
    """A layer with a Scalar."""
    return importlib.import_module("generated.dynamic_tanh.cuda_backend")


@pytest.fixture
def x(cuda: Any) -> Any:
    return cuda.gpuarray.to_gpu(np.random.default_rng(0).standard_normal((ROWS, FEATURES)).astype(np.float32))


def noted(monkeypatch: pytest.MonkeyPatch, layer: Any, *names: str) -> list[str]:
    """The functions of the driver that are called from now on, of these."""
    found: list[str] = []
    bindings = layer._launcher.driver.bindings()

    def noting(name: str) -> Any:
        function = getattr(bindings, name)
        return lambda *arguments: (found.append(name), function(*arguments))[1]

    for name in names:
        monkeypatch.setattr(bindings, name, noting(name))
    return found


def test_results_come_from_a_pool(layer: Any, x: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that comes back is used again behind an event, without one of the driver's frees, which would wait."""
    first = layer.forward(x, 0.5, save=False)[0]
    place, wanted = int(first.gpudata), first.get()
    del first
    gc.collect()
    called = noted(monkeypatch, layer, "cuMemAlloc", "cuMemFree", "cuStreamWaitEvent", "cuEventRecord")
    stream = cuda.driver.Stream()
    second = layer.forward(x, 0.5, save=False, stream=stream)[0]
    assert int(second.gpudata) == place
    assert "cuMemAlloc" not in called
    assert "cuStreamWaitEvent" in called
    np.testing.assert_array_equal(second.get(), wanted)
    called.clear()
    del second
    gc.collect()
    assert called == ["cuEventRecord"]
    # A stream that does not wait for the default one may still read the memory.
    apart = cuda.driver.Stream(1)
    third = layer.forward(x, 0.5, save=False, stream=apart)[0]
    assert int(third.gpudata) != place
    called.clear()
    del third
    gc.collect()
    assert called == ["cuMemFree"]
    monkeypatch.setattr(layer._launcher.driver, "MOST_POOLED", 0)
    fourth = layer.forward(x, 0.5, save=False)[0]
    called.clear()
    del fourth
    gc.collect()
    assert called == ["cuMemFree"]


def test_a_number_that_changes_is_not_waited_for(
    layer: Any, x: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, host = cuda.gpuarray.empty_like(x), x.get()
    layer.forward(x, 0.25, save=False, out=out)  # loads its kernels
    called = noted(
        monkeypatch, layer, "cuMemAlloc", "cuMemsetD32Async", "cuStreamWaitEvent", "cuCtxSynchronize", "cuMemcpyHtoD"
    )
    monkeypatch.setattr(cuda.driver.Context, "synchronize", None)
    monkeypatch.setattr(cuda.driver, "memcpy_htod", None)
    for value in (0.625, 0.75):
        layer.forward(x, value, save=False, out=out)
        np.testing.assert_allclose(out.get(), np.tanh(value * host), rtol=1e-6)
    assert called == ["cuMemsetD32Async"] * 2
    layer.forward(x, 0.625, save=False, out=out)
    assert len(called) == 2
    # Another stream waits until the number is there.
    stream = cuda.driver.Stream()
    layer.forward(x, 0.625, save=False, out=out, stream=stream)
    assert called[2:] == ["cuStreamWaitEvent"]
    # A number that is first met in a graph is written by the graph alone.
    with captured(stream) as graph:
        layer.forward(x, 0.875, save=False, out=out, stream=stream)
    layer.forward(x, 0.875, save=False, out=out)
    np.testing.assert_allclose(out.get(), np.tanh(0.875 * host), rtol=1e-6)
    out.fill(0)
    graph.launch(stream)
    np.testing.assert_allclose(out.get(), np.tanh(0.875 * host), rtol=1e-6)


def test_results_stay_in_the_cache_if_it_has_room(
    layer: Any, x: Any, cuda: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernels = importlib.import_module("generated._runtime.cuda.kernels")
    load, found = kernels.load, []

    def loaded(device: Any, source: Any, macros: Any) -> Any:
        found.append("LNGEN_KEEP_RESULTS" in macros)
        return load(device, source, macros)

    monkeypatch.setattr(kernels, "load", loaded)
    monkeypatch.setattr(layer._launcher.devices, "DEVICES", {})
    called = noted(monkeypatch, layer, "cuFuncSetAttribute")
    first = layer.forward(x, 0.5, save=False)[0].get()
    (device,) = layer._launcher.devices.DEVICES.values()
    device.cache = 2 * first.nbytes - 1
    device.launches.clear()
    second = layer.forward(x, 0.5, save=False)[0].get()
    assert found == [True, False]
    np.testing.assert_array_equal(first, second)
    # Each takes shared memory, of which the driver is told.
    assert called == ["cuFuncSetAttribute"] * 2
