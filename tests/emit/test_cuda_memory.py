"""Memory of calls on a device: numbers that nobody waits for."""

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
