"""CUDA graphs on the emulated driver: what is captured is done later, what a capture does not allow is an error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lngen.extensions.simt import driver
from lngen.runtime.cuda.driver import bindings, call
from tests.graphs import GLOBAL, RELAXED, captured
from tests.requirements import needs_gxx, needs_pycuda

pytestmark = [
    pytest.mark.cuda,
    needs_gxx,
    needs_pycuda,
    pytest.mark.skipif(driver.has_device_files(), reason="a GPU's driver is there, and cannot be replaced"),
]


@pytest.fixture(scope="module")
def cuda() -> Any:
    driver.enable()
    import pycuda.autoprimaryctx
    from pycuda import gpuarray

    return pycuda.driver, gpuarray


def test_work_is_kept_in_order_and_done_at_each_launch(cuda: Any) -> None:
    pycuda, gpuarray = cuda
    stream, x = pycuda.Stream(), gpuarray.zeros(4, np.uint8)
    y = gpuarray.zeros(4, np.uint8)
    with captured(stream) as graph:
        pycuda.memset_d8_async(x.gpudata, 7, 4, stream)
        pycuda.memcpy_dtod_async(y.gpudata, x.gpudata, 4, stream)
        pycuda.memset_d8_async(x.gpudata, 9, 4, stream)
    assert len(graph) == 3
    for _ in range(2):
        x.fill(0)
        assert not y.get().any()
        graph.launch(stream)
        assert (x.get().tolist(), y.get().tolist()) == ([9] * 4, [7] * 4)
        y.fill(0)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("allocate", "an allocation while a stream is captured"),
        ("wait", "a wait for the end of a stream"),
        ("wait_for_all", "a wait for the context"),
        ("copy", "the default stream would wait"),
    ],
)
def test_what_a_capture_does_not_allow_ends_it(function: str, words: str, cuda: Any) -> None:
    pycuda, gpuarray = cuda
    stream, x, host = pycuda.Stream(), gpuarray.zeros(4, np.uint8), np.zeros(4, np.uint8)
    what = {
        "allocate": lambda: pycuda.mem_alloc(16),
        "wait": stream.synchronize,
        "wait_for_all": pycuda.Context.synchronize,
        "copy": lambda: pycuda.memcpy_dtoh(host, x.gpudata),
    }[function]
    with pytest.raises(RuntimeError, match="cuStreamEndCapture failed with error 901"), captured(stream):  # noqa: SIM117
        with pytest.raises(pycuda.Error, match=words):
            what()
    what()


def test_a_relaxed_capture_lets_memory_be_made(cuda: Any) -> None:
    pycuda, _ = cuda
    stream = pycuda.Stream()
    with captured(stream, RELAXED) as graph:
        pycuda.mem_alloc(16).free()
    assert len(graph) == 0


def test_what_cannot_be_captured(cuda: Any) -> None:
    stream, mode = cuda[0].Stream(), bindings().CUstreamCaptureMode(GLOBAL)
    with pytest.raises(RuntimeError, match="a default stream cannot be captured"):
        call("cuStreamBeginCapture", 0, mode)
    with captured(stream), pytest.raises(RuntimeError, match="captured already"):
        call("cuStreamBeginCapture", stream.handle, mode)
