"""Calls of `cuda_backend.py` in CUDA graphs: what the host does in a call that is like an earlier one."""

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.graphs import captured
from tests.requirements import has_gpu, needs_gxx, needs_pycuda

pytestmark = [pytest.mark.cuda, pytest.mark.ci, needs_pycuda, *([] if has_gpu() else [needs_gxx])]

ROWS, FEATURES = 5, 33


class Calls:
    """Calls of both directions with all arguments, and their first results."""

    def __init__(self, layer: Any, cuda: Any) -> None:
        self.layer, self.stream = layer, cuda.driver.Stream()
        random = np.random.default_rng(0)

        def normal(*shape: int) -> Any:
            return cuda.gpuarray.to_gpu(random.standard_normal(shape).astype(np.float32))

        def room(*arguments: Any) -> Any:
            return cuda.gpuarray.zeros(max(1, layer.workspace_bytes(*arguments)), np.uint8)

        self.inputs = normal(ROWS, FEATURES), normal(FEATURES), normal(FEATURES)
        self.dy, self.y = normal(ROWS, FEATURES), normal(ROWS, FEATURES)
        self.gradients = tuple(normal(*array.shape) for array in self.inputs)
        self.rooms = [room("forward", *self.inputs)]
        _, saved = self.forward()
        self.rooms.append(room("backward", saved, self.dy))
        self.backward(saved)
        self.results = [self.y, *self.gradients]
        self.wanted = [array.get() for array in self.results]

    def forward(self, **options: Any) -> Any:
        return self.layer.forward(*self.inputs, out=self.y, workspace=self.rooms[0], stream=self.stream, **options)

    def backward(self, saved: Any) -> None:
        self.layer.backward(saved, self.dy, out=self.gradients, workspace=self.rooms[1], stream=self.stream)

    def clear(self) -> None:
        for array in self.results:
            array.fill(0)

    def check(self) -> None:
        for array, wanted in zip(self.results, self.wanted, strict=True):
            np.testing.assert_array_equal(array.get(), wanted)


@pytest.fixture
def calls(centred: ModuleType, cuda: Any) -> Calls:
    return Calls(centred, cuda)


def test_a_call_with_out_and_workspace_is_launches_alone(calls: Calls) -> None:
    """A capture refuses an allocation, a wait, a copy that the host waits for, and work on the default stream."""
    calls.clear()
    with captured(calls.stream) as graph:
        _, saved = calls.forward()
        calls.backward(saved)
    assert len(graph) == 3  # forward, backward, and the end of its sums over rows
    assert not any(array.get().any() for array in calls.results)
    for _ in range(2):
        calls.clear()
        graph.launch(calls.stream)
        calls.stream.synchronize()
        calls.check()


def test_a_graph_reads_what_is_in_its_arrays_by_then(calls: Calls) -> None:
    with captured(calls.stream) as graph:
        _, saved = calls.forward()
        calls.backward(saved)
    calls.dy *= 2
    graph.launch(calls.stream)
    calls.stream.synchronize()
    calls.wanted[1:] = [2 * value for value in calls.wanted[1:]]
    calls.check()


def test_without_save_a_call_needs_no_workspace(calls: Calls) -> None:
    calls.layer.forward(*calls.inputs, save=False, out=calls.y)  # loads its kernels
    calls.y.fill(0)
    with captured(calls.stream) as graph:
        calls.layer.forward(*calls.inputs, save=False, out=calls.y, stream=calls.stream)
    assert len(graph) == 1
    graph.launch(calls.stream)
    calls.stream.synchronize()
    np.testing.assert_array_equal(calls.y.get(), calls.wanted[0])


@pytest.mark.skipif(has_gpu(), reason="a GPU's driver has words of its own")
def test_a_call_that_makes_its_results_cannot_be_captured(calls: Calls) -> None:
    with pytest.raises(RuntimeError, match="previous error during capture"), captured(calls.stream):  # noqa: SIM117
        with pytest.raises(RuntimeError, match="not permitted when stream is capturing: an allocation"):
            calls.layer.forward(*calls.inputs, workspace=calls.rooms[0], stream=calls.stream)
